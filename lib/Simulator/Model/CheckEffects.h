// Compares what an instruction touched with what its interface declares.
#ifndef ATTN_LIB_SIMULATOR_MODEL_CHECKEFFECTS_H
#define ATTN_LIB_SIMULATOR_MODEL_CHECKEFFECTS_H

#include "HazardLog.h"

namespace attn::simulator {

/// Every touched byte must be declared for its operand and direction; where all amounts are
/// constants, a call-level instruction must also touch the first and last byte it declares.
void checkEffects(const Issued &issued, llvm::ArrayRef<Touch> touches, const IndexRanges &ranges,
                  const CorePlace &core, HazardLog &log);

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_CHECKEFFECTS_H
