// What the next iteration of a loop reads, to ask for it early.
#ifndef ATTN_CPU_TRANSFORMS_NEXTITERATION_H
#define ATTN_CPU_TRANSFORMS_NEXTITERATION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// The part of an array that takes the place of `part`, a part of one, in the next iteration of the
/// loop around it; after its last one in the next iteration of the loop around that, if the first
/// has a known number of them, else in the last one again. Null where that is not known or the
/// same. It is not checked, so it may be asked for but not be read.
mlir::Value createNextPart(mlir::ImplicitLocOpBuilder &builder, mlir::Value part);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_NEXTITERATION_H
