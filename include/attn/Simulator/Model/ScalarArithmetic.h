// The arithmetic of the scalar unit, whatever IR asks for it.
#ifndef ATTN_SIMULATOR_MODEL_SCALARARITHMETIC_H
#define ATTN_SIMULATOR_MODEL_SCALARARITHMETIC_H

#include "attn/Simulator/Model/Instruction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attn::simulator {

/// Computes from up to three registers; false where that is impossible: division by zero, overflow.
using Evaluate = bool (*)(Scalar &result, const Scalar &a, const Scalar &b, const Scalar &c);

/// The computation of `op`, on index, i64, i1 and f32, or null where the scalar unit has none.
Evaluate getEvaluate(mlir::Operation *op);

/// A number as the scalar unit holds it; none where it cannot.
std::optional<Scalar> getScalar(mlir::arith::ConstantOp op);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_MODEL_SCALARARITHMETIC_H
