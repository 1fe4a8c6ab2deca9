// Checks a chip kernel against what AscendC has before it is printed.
#ifndef ATTN_TARGET_ASCENDC_VERIFYEMISSION_H
#define ATTN_TARGET_ASCENDC_VERIFYEMISSION_H

#include "attn/Support/IndexRanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn::ascendc {

/// Checks the form of the kernel and every op of it against the signatures, ranges, type lists and
/// traps of AscendC on this generation of chips, in the static style, on the cores of its kind.
/// What the ops' own verifiers say is taken for granted; what is only known at run time is left to
/// the simulator.
mlir::LogicalResult verifyEmission(mlir::func::FuncOp kernel, const IndexRanges &ranges);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_VERIFYEMISSION_H
