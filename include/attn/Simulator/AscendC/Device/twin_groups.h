// The host's twin of AscendC for groups of cores: their halves of a kernel, and the flags between
// them.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_GROUPS_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_GROUPS_H

#include "twin_record.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };

// The vendor compiles a text once for each kind of core, and these are known then; here they are
// asked for. They follow `if` directly, with parentheses of their own.
#define ASCEND_IS_AIC (attn_twin::chip->isCube(attn_twin::chip->context))
#define ASCEND_IS_AIV (!attn_twin::chip->isCube(attn_twin::chip->context))

namespace attn_twin {

inline void sendCrossFlag(CallKind kind, pipe_t pipe, uint16_t flag, Source at) {
  Record record(kind);
  record.call.source = PipeName(pipe);
  record.call.event = flag;
  record.send(at);
}

} // namespace attn_twin

namespace AscendC {

/// 0 on cores that are not one of several of their kind in a group.
inline int64_t GetSubBlockIdx() { return attn_twin::chip->subBlock(attn_twin::chip->context); }

#define ATTN_TWIN_CROSS_FLAG                                                                       \
  ATTN_TWIN_RULE(flagId <= 10, "flags between cores are 0 to 10; the others are the system's")

template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, ATTN_TWIN_HERE) ATTN_TWIN_CROSS_FLAG
    ATTN_TWIN_RULE(modeId == 2, "the model of the chip has flags within a group only, mode 2")
        ATTN_TWIN_RULE(pipe != PIPE_S && pipe != PIPE_ALL,
                       "PIPE_S and PIPE_ALL cannot set flags between cores") {
  attn_twin::sendCrossFlag(attn_twin::CallKind::CrossSet, pipe, flagId, at);
}

/// Chips of this architecture look at neither mode nor pipe: the whole core waits.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, ATTN_TWIN_HERE) ATTN_TWIN_CROSS_FLAG {
  attn_twin::sendCrossFlag(attn_twin::CallKind::CrossWait, PIPE_S, flagId, at);
}

} // namespace AscendC

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_GROUPS_H
