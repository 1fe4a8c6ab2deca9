// Where in an array the rows and columns lie that a load or a store moves (tile on the chip).
#include "attn/TileOnChip/Families/ArrayPlace.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Families/Indices.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

ArrayPlace::ArrayPlace(Lowering &lowering, Value tileArray, ArrayRef<int64_t> kinds,
                       OperandRange operands, TileType type, bool isRun)
    : lowering(lowering), tileArray(tileArray), array(lowering.scalars.lookup(tileArray)),
      selection(getSelection(kinds)) {
  rows = endRow = lowering.constant(type.getRowCount());
  addIndices(kinds, operands);
  isTableOfRows = isa<ascend::TableType>(array.getType()) && selection.rowDimension == 0;
  int64_t run = list ? list.getRun() : architecture::maxCopyRows;
  bool areRowsApart = isTableOfRows || run == 1;
  rowsPerTransfer = areRowsApart ? 1 : std::min(run, architecture::maxCopyRows);
  if (areRowsApart || selection.rowDimension < 0 || isRun)
    pitch = lowering.constant(type.getColCount());
  else
    pitch = lowering.getStride(array, selection.rowDimension);
  if (step && !areRowsApart)
    pitch = lowering.multiply(pitch, step);
}

void ArrayPlace::addIndices(ArrayRef<int64_t> kinds, OperandRange operands) {
  for (auto [dimension, kind] : llvm::enumerate(kinds)) {
    Value index = getIndexOperand(kinds, operands, dimension);
    if (!index) {
      indices.push_back(lowering.constant(int64_t(0)));
      continue;
    }
    if (kind != SpanIndex) {
      indices.push_back(lowering.scalars.lookup(index));
      continue;
    }
    const SpanBounds &span = lowering.spans[index];
    Value first = span.missing ? lowering.add(span.base, span.missing) : span.base;
    indices.push_back(span.step ? lowering.add(span.offset, lowering.multiply(first, span.step))
                                : first);
    if (static_cast<int64_t>(dimension) == selection.colDimension)
      cols = span.end;
    if (static_cast<int64_t>(dimension) != selection.rowDimension)
      continue;
    rows = span.missing ? lowering.subtract(span.end, span.missing) : span.end;
    firstRow = span.missing;
    endRow = span.end;
    step = span.step;
    list = span.list;
  }
}

/// Blocks of a list that is right are different ones, so that they have no more rows than the
/// array; whatever the list says, no run is longer than that.
void ArrayPlace::limitBlocks(TileType type) {
  if (list && list.getSize())
    limit(getSize(lowering, tileArray, selection.rowDimension), type);
}

/// The row of the array that the list has at a place.
Value ArrayPlace::getListedRow(Value place, Value amount, bool isTold) const {
  SmallVector<Value> at;
  ListRowsOp in = list;
  Value size, entry = place;
  if (in.getSize()) {
    // A size below 1 does no harm.
    size = lowering.max(lowering.scalars.lookup(in.getSize()), lowering.constant(int64_t(1)));
    entry = lowering.create<arith::DivSIOp>(place, size);
    if (isBounded)
      entry = boundIndex(lowering, entry, BoundKind::Index, in.getArray(), in.getSpanDimension());
  }
  for (auto [index, kind] : llvm::zip_equal(in.getIndices(), in.getKinds()))
    at.push_back(kind == SpanIndex ? entry : lowering.scalars.lookup(index));
  Value row = loadIndex(lowering, in.getArray(), at);
  if (!size)
    return isBounded ? boundIndex(lowering, row, BoundKind::Index, tileArray,
                                  selection.rowDimension, isTold)
                     : row;
  row = lowering.add(lowering.multiply(row, size), lowering.create<arith::RemSIOp>(place, size));
  return isBounded ? boundRun(lowering, row, amount, tileArray, selection.rowDimension) : row;
}

Value ArrayPlace::getRow(Value rowsOn, bool isTold) const {
  return getListedRow(lowering.add(indices[selection.rowDimension], rowsOn),
                      lowering.constant(int64_t(1)), isTold);
}

Value ArrayPlace::getAddress(Value rowsOn, Value amount) const {
  SmallVector<Value> at = indices;
  if (selection.rowDimension >= 0)
    at[selection.rowDimension] =
        lowering.add(at[selection.rowDimension], step ? lowering.multiply(rowsOn, step) : rowsOn);
  Value listed = list ? getListedRow(at[selection.rowDimension], amount, /*isTold=*/true) : Value();
  if (listed)
    at[selection.rowDimension] = listed;
  Value address = makeAddress(std::move(at));
  if (listed && isStored)
    lowering.create<ascend::ExpectDistinctOp>(listed, address, array, selection.rowDimension);
  return address;
}

Value ArrayPlace::getAddressOf(Value row) const {
  SmallVector<Value> at = indices;
  at[selection.rowDimension] = row;
  return makeAddress(std::move(at));
}

Value ArrayPlace::makeAddress(SmallVector<Value> at) const {
  Value in = array;
  if (auto table = dyn_cast<ascend::TableType>(in.getType())) {
    in = lowering.create<ascend::LookupOp>(table.getElement(), in, at.front());
    at.erase(at.begin());
  }
  auto type = cast<MemRefType>(in.getType());
  auto view = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              MemRefLayoutAttrInterface(), type.getMemorySpace());
  return lowering.create<ascend::AddressOp>(view, in, at);
}

Value ArrayPlace::getRowMemory(Value buffer, int64_t bufferPitch, Value rowsOn) const {
  Value row = firstRow ? lowering.add(firstRow, rowsOn) : rowsOn;
  return lowering.slice(buffer, lowering.scale(row, bufferPitch));
}

void ArrayPlace::limit(Value end, TileType type) {
  if (!end || end == endRow)
    return;
  endRow = lowering.create<arith::MinSIOp>(endRow, end);
  rows =
      firstRow ? lowering.clamp(lowering.subtract(endRow, firstRow), type.getRowCount()) : endRow;
}
