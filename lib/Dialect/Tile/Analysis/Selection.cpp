// What an index list makes of an array (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/Selection.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

Selection tile::getSelection(ArrayRef<int64_t> kinds) {
  SmallVector<int64_t, 2> kept;
  for (auto [dimension, kind] : llvm::enumerate(kinds))
    if (kind != ScalarIndex)
      kept.push_back(dimension);
  Selection selection;
  bool isOneRow = kept.size() == 1 && kinds[kept[0]] != SpanIndex;
  if (!kept.empty() && !isOneRow)
    selection.rowDimension = kept[0];
  if (isOneRow || kept.size() == 2)
    selection.colDimension = kept.back();
  return selection;
}

Value tile::getIndexOperand(ArrayRef<int64_t> kinds, OperandRange indices, int64_t dimension) {
  if (kinds[dimension] == FullIndex)
    return {};
  ArrayRef<int64_t> before = kinds.take_front(dimension);
  return indices[before.size() - llvm::count(before, FullIndex)];
}

Value tile::getRowSpan(ArrayRef<int64_t> kinds, OperandRange indices) {
  int64_t row = getSelection(kinds).rowDimension;
  return row >= 0 && kinds[row] == SpanIndex ? getIndexOperand(kinds, indices, row) : Value();
}

Value tile::getColumnSpan(ArrayRef<int64_t> kinds, OperandRange indices) {
  int64_t col = getSelection(kinds).colDimension;
  return col >= 0 && kinds[col] == SpanIndex ? getIndexOperand(kinds, indices, col) : Value();
}

bool tile::isEachRowListed(ArrayRef<int64_t> kinds, OperandRange indices) {
  Value span = getRowSpan(kinds, indices);
  auto list = span ? span.getDefiningOp<ListRowsOp>() : ListRowsOp();
  return list && !list.getSize();
}
