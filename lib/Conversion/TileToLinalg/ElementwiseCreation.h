// How patterns of `convert-tile-to-linalg` write what is computed element by element.
#ifndef ATTN_CONVERSION_TILETOLINALG_ELEMENTWISECREATION_H
#define ATTN_CONVERSION_TILETOLINALG_ELEMENTWISECREATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// Makes one element of the result from those of the operands.
using ElementPayload =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// A tensor of the given type; dimensions of size 1 of its operands are broadcast.
mlir::Value createElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::RankedTensorType type, mlir::ValueRange operands,
                              ElementPayload payload);

} // namespace attn

#endif // ATTN_CONVERSION_TILETOLINALG_ELEMENTWISECREATION_H
