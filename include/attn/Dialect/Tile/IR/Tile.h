// The tile dialect: types, attributes and operations.
#ifndef ATTN_DIALECT_TILE_IR_TILE_H
#define ATTN_DIALECT_TILE_IR_TILE_H

#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn/Dialect/Tile/IR/TileDialect.h.inc"
#include "attn/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Tile/IR/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "attn/Dialect/Tile/IR/TileTypes.h.inc"

namespace attn::tile {

/// How a kernel is shared by the cores of a group, until it is. A kernel of which cube and vector
/// cores run a half each, and on the half of the cube cores the one of the vector cores, which has
/// the kernel's name.
constexpr llvm::StringLiteral groupName = "tile.group";
constexpr llvm::StringLiteral mixedName = "tile.mixed";
constexpr llvm::StringLiteral halfOfName = "tile.half_of";

/// On the loops that a loop by a block size was cut into: that size for the steady state, 0 for
/// what fills and drains.
constexpr llvm::StringLiteral steadyStepName = "tile.steady_step";

/// How `tile.load` and `tile.store` index one dimension of an array, as kept in their `kinds`. A
/// positive number is a slice of that many elements from an index operand on.
enum IndexKind : int64_t {
  ScalarIndex = 0, // an index operand
  SpanIndex = -1,  // a span operand
  FullIndex = -2,  // `:`, no operand
};

/// Whether arrays of these elements hold numbers that can be indices: ui16, i32 or i64.
bool isIndexElement(mlir::Type type);

/// A dimension that is a number, from its size.
mlir::IntegerAttr getDim(mlir::MLIRContext *context, int64_t size);

/// The dimension that is `more` larger: a number, a symbol or their sum, as `dim` is.
mlir::Attribute addToDim(mlir::Attribute dim, int64_t more);

} // namespace attn::tile

#define GET_OP_CLASSES
#include "attn/Dialect/Tile/IR/TileOps.h.inc"

#endif // ATTN_DIALECT_TILE_IR_TILE_H
