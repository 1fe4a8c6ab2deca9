// The host's twin of AscendC: the names that emitted kernels use, with the vendor's parameter types
// and rules, in front of the modelled chip. A call becomes a record that the chip executes; nothing
// is computed here. What the vendor's headers refuse is refused when the text is compiled, what the
// chip refuses when it runs, both at the line of the call.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H

#include "twin_cube.h"
#include "twin_groups.h"
#include "twin_tensors.h"
#include "twin_vector.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

#define __global__
#define __vector__
#define __cube__
#define __aicore__
#define __mix__(cubeCores, vectorCores)
#define __schedmode__(mode)

// The kernel's kind in the form before CANN 8.5: read in the text, and checked here to be one.
enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2
};
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert(KernelMetaType(type) == (type))

namespace AscendC {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The pairs of pipes that have flags, on cores of either kind.
#define ATTN_TWIN_EVENTS(EVENT)                                                                    \
  EVENT(MTE2, MTE1)                                                                                \
  EVENT(MTE1, MTE2)                                                                                \
  EVENT(MTE1, M)                                                                                   \
  EVENT(M, MTE1)                                                                                   \
  EVENT(MTE2, V)                                                                                   \
  EVENT(V, MTE2)                                                                                   \
  EVENT(MTE3, V)                                                                                   \
  EVENT(V, MTE3)                                                                                   \
  EVENT(MTE3, MTE1)                                                                                \
  EVENT(MTE1, MTE3)                                                                                \
  EVENT(MTE2, M)                                                                                   \
  EVENT(M, MTE2)                                                                                   \
  EVENT(M, FIX)                                                                                    \
  EVENT(FIX, M)                                                                                    \
  EVENT(MTE3, MTE2)                                                                                \
  EVENT(MTE2, MTE3)                                                                                \
  EVENT(S, V)                                                                                      \
  EVENT(V, S)                                                                                      \
  EVENT(S, MTE2)                                                                                   \
  EVENT(MTE2, S)                                                                                   \
  EVENT(S, MTE3)                                                                                   \
  EVENT(MTE3, S)                                                                                   \
  EVENT(FIX, MTE2)                                                                                 \
  EVENT(MTE1, FIX)                                                                                 \
  EVENT(FIX, MTE1)
#define ATTN_TWIN_EVENT_NAME(SOURCE, TARGET) SOURCE##_##TARGET,
enum class HardEvent { ATTN_TWIN_EVENTS(ATTN_TWIN_EVENT_NAME) };

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

struct DataCopyExtParams {
  DataCopyExtParams(uint16_t blockCount, uint32_t blockLen, uint32_t srcStride, uint32_t dstStride,
                    uint32_t rsv) ATTN_TWIN_RULE(blockCount <= 4095, "a copy has at most 4095 rows")
      ATTN_TWIN_RULE(blockLen <= 2097151, "a row has at most 2097151 bytes")
      : blockCount(blockCount), blockLen(blockLen), srcStride(srcStride), dstStride(dstStride),
        rsv(rsv) {}
  uint16_t blockCount;
  uint32_t blockLen, srcStride, dstStride, rsv;
};

template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams(bool isPad, uint8_t leftPadding, uint8_t rightPadding, const T &paddingValue)
      ATTN_TWIN_RULE(rightPadding * sizeof(T) <= 32 && leftPadding * sizeof(T) <= 32,
                     "padding has at most 32 bytes on each side")
          ATTN_TWIN_RULE(isPad || (leftPadding == 0 && rightPadding == 0),
                         "padding without isPad is undefined")
      : isPad(isPad), leftPadding(leftPadding), rightPadding(rightPadding),
        padsWithZeros(attn_twin::isZero(paddingValue)) {}
  bool isPad;
  uint8_t leftPadding, rightPadding;
  bool padsWithZeros;
};

//===----------------------------------------------------------------------===//
// The core
//===----------------------------------------------------------------------===//

inline void InitSocState() {
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Any);
}
// What text before CANN 8.5 does in its place; the last of them makes the core ready: on vector
// cores all lanes take part, on cube cores nothing is added around what LoadData takes.
inline void SetAtomicNone() {}
inline void SetMaskNorm() {}
inline void ResetMask() {
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Vector);
}
inline void SetLoadDataBoundary(uint32_t boundaryValue)
    ATTN_TWIN_RULE(boundaryValue == 0, "the model of the chip has no boundary of L1") {
  (void)boundaryValue;
}
template <typename T>
void SetLoadDataPaddingValue(const T padValue)
    ATTN_TWIN_RULE(padValue == 0, "the model of the chip pads with 0 only") {
  (void)padValue;
  attn_twin::chip->initialise(attn_twin::chip->context, attn_twin::Readied::Cube);
}
inline int64_t GetBlockIdx() { return attn_twin::chip->block(attn_twin::chip->context); }
inline int64_t GetBlockNum() { return attn_twin::chip->blocks; }

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                 const DataCopyExtParams &copy, const DataCopyPadExtParams<T> &padding,
                 ATTN_TWIN_HERE) {
  if (padding.leftPadding != 0 || !padding.padsWithZeros)
    attn_twin::chip->refuse(attn_twin::chip->context,
                            "pads on the left or with a number other than 0, which the model of "
                            "the chip does not do",
                            at);
  attn_twin::Record record(attn_twin::CallKind::CopyIn);
  record.call.rowBytes = copy.blockLen;
  record.call.globalGapBytes = copy.srcStride;
  record.call.localGapBlocks = copy.dstStride;
  record.call.rightPad = padding.isPad ? padding.rightPadding : 0;
  record.on(dst.operand).on(src.operand).count(copy.blockCount).send(at);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                 const DataCopyExtParams &copy, ATTN_TWIN_HERE) {
  attn_twin::Record record(attn_twin::CallKind::CopyOut);
  record.call.rowBytes = copy.blockLen;
  record.call.globalGapBytes = copy.dstStride;
  record.call.localGapBlocks = copy.srcStride;
  record.on(dst.operand).on(src.operand).count(copy.blockCount).send(at);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
              ATTN_TWIN_HERE) {
  if (dst.operand.position == attn_twin::Position::C2) {
    attn_twin::copyBias(dst.operand, src.operand, count, sizeof(T), at);
    return;
  }
  attn_twin::require(attn_twin::isInUB(dst.operand) && attn_twin::isInUB(src.operand),
                     "AscendC::DataCopy copies inside UB, and from L1 to C2", at);
  attn_twin::Record(attn_twin::CallKind::Copy)
      .on(dst.operand)
      .on(src.operand)
      .count(count)
      .send(at);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

} // namespace AscendC

namespace attn_twin {

struct PipePair {
  PipeName source, target;
};
#define ATTN_TWIN_EVENT_PIPES(SOURCE, TARGET) {PipeName::SOURCE, PipeName::TARGET},
constexpr PipePair eventPipes[] = {ATTN_TWIN_EVENTS(ATTN_TWIN_EVENT_PIPES)};

inline void sendFlag(CallKind kind, AscendC::HardEvent event, int32_t id, Source at) {
  Record record(kind);
  record.call.source = eventPipes[int(event)].source;
  record.call.target = eventPipes[int(event)].target;
  record.call.event = id;
  record.send(at);
}

} // namespace attn_twin

namespace AscendC {

#define ATTN_TWIN_EVENT                                                                            \
  ATTN_TWIN_RULE(id >= 0 && id <= 5, "event ids are 0 to 5; 6 and 7 are the system's")

template <HardEvent event> void SetFlag(int32_t id, ATTN_TWIN_HERE) ATTN_TWIN_EVENT {
  attn_twin::sendFlag(attn_twin::CallKind::SetFlag, event, id, at);
}
template <HardEvent event> void WaitFlag(int32_t id, ATTN_TWIN_HERE) ATTN_TWIN_EVENT {
  attn_twin::sendFlag(attn_twin::CallKind::WaitFlag, event, id, at);
}

template <pipe_t pipe>
void PipeBarrier(ATTN_TWIN_HERE)
    ATTN_TWIN_RULE(pipe != PIPE_S, "the scalar unit has no barrier of its own") {
  attn_twin::Record(attn_twin::CallKind::Barrier, pipe).send(at);
}

inline void SyncAll(ATTN_TWIN_HERE) { attn_twin::Record(attn_twin::CallKind::SyncAll).send(at); }

} // namespace AscendC

// Every call of the table of instructions is declared above.
namespace attn_twin::calls {
#define ATTN_CALLS_None(call) using AscendC::call;
#define ATTN_CALLS_Round(call) using AscendC::call;
#define ATTN_CALLS_Unary(call)
#define ATTN_CALLS_Binary(call)
#define ATTN_CALLS_Scalar(call)
#define ATTN_CALLS_Bitwise(call)
#define ATTN_CALLS_Compare(call) using AscendC::call;
#define ATTN_CALLS_Reduce(call)
#define ATTN_CALLS_IN_Transfer(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Elementwise(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Vector(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Cube(kinds, call) ATTN_CALLS_##kinds(call)
#define ATTN_CALLS_IN_Composite(kinds, call)
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  ATTN_CALLS_IN_##group(kinds, call)
#define ATTN_SYNCHRONISATION(name, call) using AscendC::call;
#define ATTN_UNARY_KIND(member, hivm, family) using AscendC::member;
#define ATTN_BINARY_KIND(member, hivm, family) using AscendC::member;
#define ATTN_SCALAR_KIND(member, hivm, family) using AscendC::member;
#define ATTN_BITWISE_KIND(member, hivm, family) using AscendC::member;
#define ATTN_REDUCE_KIND(member, hivm, family)                                                     \
  using AscendC::WholeReduce##member;                                                              \
  using AscendC::BlockReduce##member;
#include "attn/Dialect/Ascend/IR/Instructions.def"
} // namespace attn_twin::calls

#pragma clang attribute pop

#include "twin_launch.h"

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_KERNEL_OPERATOR_H
