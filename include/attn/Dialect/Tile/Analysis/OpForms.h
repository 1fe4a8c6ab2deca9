// Which form of the chip each tile op takes, from its shapes alone, and the scratch that form
// needs: shared by the accounting of local memory and by the lowering, so that both speak of the
// same instructions.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_OPFORMS_H
#define ATTN_DIALECT_TILE_ANALYSIS_OPFORMS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::tile {

/// How the two operands of an elementwise op meet. "Full" is an operand of the result's shape.
enum class BinaryForm {
  Elements, // both are full
  Scalar,   // full and a splat, taken as a scalar
  Column,   // full and one value per row
  Row,      // full and one row
  One,      // full, of several rows, and a single value in memory
  Outer,    // a column and a row
};

struct BinaryShape {
  BinaryForm form;
  /// Whether the full operand (the column, for `Outer`) is the right one.
  bool swapped;

  unsigned getFullOperand() const { return swapped ? 1 : 0; }
  unsigned getOtherOperand() const { return swapped ? 0 : 1; }
};

/// Whether the kernel around `op` keeps its composites (see `tile-keep-composites`).
bool keepsComposites(mlir::Operation *op);

bool isBinary(mlir::Operation *op);
bool isUnary(mlir::Operation *op);

/// The shape of an op for which `isBinary` holds.
BinaryShape getBinaryShape(mlir::Operation *op);

/// Whether `value` is a splat, so that it can be written anew wherever it is needed.
bool isSplat(mlir::Value value);

/// Whether the use takes a splat as a scalar and needs no buffer for it.
bool isScalarUse(mlir::OpOperand &use);

/// The number that a splat is filled with, or none where it is not a constant.
std::optional<llvm::APFloat> getSplatConstant(mlir::Value splat);

/// Whether dividing by `divisor` is the same as multiplying by its reciprocal, for every value.
bool hasExactReciprocal(const llvm::APFloat &divisor);

/// Whether the op may write its result over the operand of this use while it reads it.
bool mayWriteOver(mlir::OpOperand &use);

/// Columns that a sum along rows which absorbs a product works on at a time: one repeat of f32.
constexpr int64_t productColumns = 64;

/// Whether a sum along the rows of a product is computed without writing the product: columns are
/// multiplied and added up 64 at a time.
bool absorbsProduct(ReduceOp sum, MulOp product);

/// How a load or store moves a tile.
enum class TransferForm {
  Rows,             // rows of contiguous elements
  ContiguousColumn, // one run of elements that become a column
  StridedColumn,    // one element per row, gathered through a buffer of one block per row
  Unsupported,
};

/// Where a tile lies in an array: the dimensions that became its rows and columns, -1 for none.
struct Selection {
  int64_t rowDimension = -1;
  int64_t colDimension = -1;
  TransferForm form = TransferForm::Unsupported;
};

Selection getSelection(LoadOp op);
Selection getSelection(StoreOp op);

/// Whether the vector unit writes zeros to the tile of a load: for rows that its span lacks, or
/// behind short rows.
bool isFilled(LoadOp op);

/// Where composites are kept, transfers fill the 32-byte block that a row ends in, and rows of f32
/// may have one more block of padding: whether this load's have.
bool hasUnfilledBlock(LoadOp op);

/// How the part of a tile that an extraction or insertion names is reached.
enum class PartForm {
  InPlace,  // one run of the whole's elements: instructions work on it where it lies
  Rows,     // rows that start at 32-byte blocks of the whole: copied one by one
  Elements, // a run that starts at a block, with something behind it: copied element by element
  Blocks,   // a run of a column that starts anywhere: through one block per element
  Unsupported,
};

PartForm getPartForm(ExtractOp op);
PartForm getPartForm(InsertOp op);

/// Whether an index is always a multiple of `factor`, as far as its computation tells.
bool isMultipleOf(mlir::Value index, int64_t factor);

/// A buffer that one op needs while it runs.
struct ScratchNeed {
  const char *purpose;
  mlir::Type elementType;
  int64_t elements;
  /// Whether a transfer reads or writes it, not only vector instructions.
  bool isTransferred = false;
};

/// The scratch of an op, in the order in which the lowering takes it. `fusedProduct` is the
/// multiplication that `op` absorbs, or null.
llvm::SmallVector<ScratchNeed> getScratchNeeds(mlir::Operation *op, MulOp fusedProduct);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_OPFORMS_H
