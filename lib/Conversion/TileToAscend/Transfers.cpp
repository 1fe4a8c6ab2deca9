// The lowering of loads and stores: rows with padding, and columns gathered one element per row.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Rows that one transfer moves at most.
static constexpr int64_t maxTransferRows = 4095;
/// Rows that one vector instruction gathers or spreads at most: within 255 repeats, and whole
/// blocks of a column in every type.
static constexpr int64_t maxGatherRows = 240;
static constexpr int64_t maxSpreadRows = 2032;

static int64_t getBlockElements(TileType type) { return 32 / getElementBytes(type); }

Lowering::ArrayPlace Lowering::getArrayPlace(Value array, OperandRange indices,
                                             ArrayRef<int64_t> kinds, const Selection &selection,
                                             TileType type) {
  ArrayPlace place;
  place.array = scalars.lookup(array);
  place.rows = constant(type.getRowCount());
  auto operand = indices.begin();
  for (auto [dimension, kind] : llvm::enumerate(kinds)) {
    if (kind == FullIndex) {
      place.indices.push_back(constant(int64_t(0)));
      continue;
    }
    Value index = *operand++;
    if (kind != SpanIndex) {
      place.indices.push_back(scalars.lookup(index));
      continue;
    }
    place.indices.push_back(spans[index].base);
    if (static_cast<int64_t>(dimension) == selection.rowDimension)
      place.rows = spans[index].valid;
  }
  place.rowDimension = selection.rowDimension;
  bool isContiguous =
      selection.rowDimension < 0 || selection.form == TransferForm::ContiguousColumn;
  place.pitch =
      isContiguous ? constant(type.getColCount()) : getStride(place.array, selection.rowDimension);
  return place;
}

/// Arrays are arguments, so their strides can be read once, at the start.
Value Lowering::getStride(Value array, int64_t dimension) {
  Value &stride = strides[{array, dimension}];
  if (!stride)
    stride = ascend::StrideOp::create(entry, loc, entry.getIndexType(), array, dimension);
  return stride;
}

Value Lowering::getAddress(const ArrayPlace &place, Value rowsOn) {
  SmallVector<Value> indices = place.indices;
  if (place.rowDimension >= 0)
    indices[place.rowDimension] = add(indices[place.rowDimension], rowsOn);
  Value array = place.array;
  if (auto table = dyn_cast<ascend::TableType>(array.getType())) {
    array = ascend::LookupOp::create(builder, loc, table.getElement(), array, indices.front());
    indices.erase(indices.begin());
  }
  auto type = cast<MemRefType>(array.getType());
  auto view = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              MemRefLayoutAttrInterface(), type.getMemorySpace());
  return ascend::AddressOp::create(builder, loc, view, array, indices);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Elements of padding that, with the hardware's own filling up to the next block, cover what a row
/// of `cols` elements leaves of its pitch.
static int64_t getRightPad(TileType type) {
  int64_t missing = isColumn(type) ? 0 : getPitch(type) - type.getColCount();
  return std::min(missing, getBlockElements(type));
}

LogicalResult Lowering::lowerLoad(LoadOp op) {
  TileType type = op.getResult().getType();
  Selection selection = getSelection(op);
  if (selection.form == TransferForm::Unsupported)
    return op.emitOpError(
        "takes its columns from a dimension that is not contiguous, or from a span");
  ArrayPlace place = getArrayPlace(op.getArray(), op.getIndices(), op.getKinds(), selection, type);
  if (type.getRowCount() > 1 && ascend::getConstant(place.rows) != type.getRowCount())
    validRows[op.getResult()] = place.rows;
  if (selection.form == TransferForm::StridedColumn)
    return loadStridedColumn(op, place);

  Value memory = getMemory(op.getResult());
  if (selection.form == TransferForm::ContiguousColumn) {
    ascend::CopyInOp::create(builder, loc, memory, getAddress(place, constant(int64_t(0))),
                             constant(int64_t(1)), place.rows, place.rows,
                             llvm::alignTo(type.getRowCount(), getBlockElements(type)),
                             /*right_pad=*/0);
    return success();
  }
  int64_t pitch = llvm::alignTo(type.getColCount(), 16);
  forEachChunk(place.rows, type.getRowCount(), maxTransferRows, [&](Value first, Value amount) {
    ascend::CopyInOp::create(builder, loc, slice(memory, scale(first, pitch)),
                             getAddress(place, first), amount, constant(type.getColCount()),
                             place.pitch, pitch, getRightPad(type));
  });
  return success();
}

/// Gathers the first element of each block of `blocks`, as many as `rows`, into `column`: the sum
/// of a single lane is that lane.
void Lowering::gatherColumn(Value column, Value blocks, Value rows, int64_t bound) {
  auto type = cast<MemRefType>(blocks.getType());
  // A row is one block of the array's own type: more blocks where it was widened.
  int64_t rowElements = type.getNumElements() / bound;
  int64_t rowBlocks = rowElements * type.getElementTypeBitWidth() / 8 / 32;
  forEachChunk(rows, bound, maxGatherRows, [&](Value first, Value amount) {
    ascend::WholeReduceOp::create(builder, loc, ascend::ReduceKind::Sum, slice(column, first),
                                  slice(blocks, scale(first, rowElements)), /*mask=*/1, amount,
                                  ArrayRef<int64_t>{1, 1, rowBlocks});
  });
}

LogicalResult Lowering::loadStridedColumn(LoadOp op, const ArrayPlace &place) {
  TileType type = op.getResult().getType();
  int64_t perBlock = getBlockElements(type), rows = type.getRowCount();
  if (!isa<FloatType>(type.getElementType()))
    return op.emitOpError() << "cannot gather a column of " << type.getElementType();
  Value column = getMemory(op.getResult()), blocks = getScratch(op, 0);
  forEachChunk(place.rows, rows, maxTransferRows, [&](Value first, Value amount) {
    ascend::CopyInOp::create(builder, loc, slice(blocks, scale(first, perBlock)),
                             getAddress(place, first), amount, constant(int64_t(1)), place.pitch,
                             perBlock, perBlock - 1);
  });
  if (!type.getElementType().isBF16()) {
    gatherColumn(column, blocks, place.rows, rows);
    return success();
  }
  Value wideBlocks = getScratch(op, 1), wideColumn = getScratch(op, 2);
  ascend::CastOp::create(builder, loc, ascend::RoundMode::None, wideBlocks, blocks,
                         scale(place.rows, perBlock), IntegerAttr(), DenseI64ArrayAttr());
  gatherColumn(wideColumn, wideBlocks, place.rows, rows);
  ascend::CastOp::create(builder, loc, ascend::RoundMode::Rint, column, wideColumn, place.rows,
                         IntegerAttr(), DenseI64ArrayAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerStore(StoreOp op) {
  TileType type = op.getValue().getType();
  Selection selection = getSelection(op);
  if (selection.form == TransferForm::Unsupported)
    return op.emitOpError("puts its columns to a dimension that is not contiguous, or to a span");
  ArrayPlace place = getArrayPlace(op.getArray(), op.getIndices(), op.getKinds(), selection, type);
  if (Value valid = validRows.lookup(op.getValue()); valid && valid != place.rows)
    place.rows = arith::MinSIOp::create(builder, loc, place.rows, valid);
  if (selection.form == TransferForm::StridedColumn) {
    storeStridedColumn(op, place);
    return success();
  }
  Value memory = getMemory(op.getValue());
  if (selection.form == TransferForm::ContiguousColumn) {
    ascend::CopyOutOp::create(builder, loc, getAddress(place, constant(int64_t(0))), memory,
                              constant(int64_t(1)), place.rows, place.rows,
                              llvm::alignTo(type.getRowCount(), getBlockElements(type)));
    return success();
  }
  int64_t pitch = llvm::alignTo(type.getColCount(), 16);
  forEachChunk(place.rows, type.getRowCount(), maxTransferRows, [&](Value first, Value amount) {
    ascend::CopyOutOp::create(builder, loc, getAddress(place, first),
                              slice(memory, scale(first, pitch)), amount,
                              constant(type.getColCount()), place.pitch, pitch);
  });
  return success();
}

void Lowering::storeStridedColumn(StoreOp op, const ArrayPlace &place) {
  TileType type = op.getValue().getType();
  int64_t perBlock = getBlockElements(type);
  constexpr int64_t rowsPerRepeat = 8;
  Value blocks = getScratch(op, 0);
  forEachChunk(place.rows, type.getRowCount(), maxSpreadRows, [&](Value first, Value amount) {
    std::optional<int64_t> number = ascend::getConstant(amount);
    Value repeats =
        number
            ? constant(static_cast<int64_t>(llvm::divideCeil(*number, rowsPerRepeat)))
            : arith::CeilDivUIOp::create(builder, loc, amount, constant(rowsPerRepeat)).getResult();
    Value spread = slice(blocks, scale(first, perBlock));
    ascend::BrcbOp::create(builder, loc, spread, slice(getMemory(op.getValue()), first), repeats,
                           ArrayRef<int64_t>{1, rowsPerRepeat});
    ascend::CopyOutOp::create(builder, loc, getAddress(place, first), spread, amount,
                              constant(int64_t(1)), place.pitch, perBlock);
  });
}
