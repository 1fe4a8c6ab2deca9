// What an index list makes of an array: the dimensions that become rows and columns of a tile.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_SELECTION_H
#define ATTN_DIALECT_TILE_ANALYSIS_SELECTION_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// The dimensions of an array that became the rows and columns of a tile, -1 for none.
struct Selection {
  int64_t rowDimension = -1;
  int64_t colDimension = -1;
};

/// What an index list of these kinds selects.
Selection getSelection(llvm::ArrayRef<int64_t> kinds);

/// The operand of an index list that selects `dimension`; null where the list takes all of it.
mlir::Value getIndexOperand(llvm::ArrayRef<int64_t> kinds, mlir::OperandRange indices,
                            int64_t dimension);

/// The span that selects the rows of a tile; null where no span does.
mlir::Value getRowSpan(llvm::ArrayRef<int64_t> kinds, mlir::OperandRange indices);

/// The span that selects the columns of a tile; null where no span does.
mlir::Value getColumnSpan(llvm::ArrayRef<int64_t> kinds, mlir::OperandRange indices);

/// Whether a list in memory names every row by itself, and not blocks of rows.
bool isEachRowListed(llvm::ArrayRef<int64_t> kinds, mlir::OperandRange indices);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_SELECTION_H
