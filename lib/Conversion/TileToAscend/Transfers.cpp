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
  place.rows = place.endRow = constant(type.getRowCount());
  place.rowDimension = selection.rowDimension;
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
    const Span &span = spans[index];
    Value first = span.missing ? add(span.base, span.missing) : span.base;
    place.indices.push_back(span.step ? add(span.offset, multiply(first, span.step)) : first);
    if (static_cast<int64_t>(dimension) != selection.rowDimension)
      continue;
    place.rows = span.missing ? subtract(span.end, span.missing) : span.end;
    place.firstRow = span.missing;
    place.endRow = span.end;
    place.step = span.step;
  }
  bool isTableOfRows = isa<ascend::TableType>(place.array.getType()) && place.rowDimension == 0;
  place.rowsPerTransfer = isTableOfRows ? 1 : maxTransferRows;
  if (isTableOfRows || place.rowDimension < 0 || selection.form == TransferForm::ContiguousColumn)
    place.pitch = constant(type.getColCount());
  else
    place.pitch = getStride(place.array, place.rowDimension);
  if (place.step && !isTableOfRows)
    place.pitch = multiply(place.pitch, place.step);
  return place;
}

/// Arrays are arguments, so their strides can be read once, at the start.
Value Lowering::getStride(Value array, int64_t dimension) {
  if (auto memory = dyn_cast<MemRefType>(array.getType());
      memory && dimension == memory.getRank() - 1)
    return constant(int64_t(1));
  Value &stride = strides[{array, dimension}];
  if (!stride)
    stride = ascend::StrideOp::create(entry, loc, entry.getIndexType(), array, dimension);
  return stride;
}

Value Lowering::getAddress(const ArrayPlace &place, Value rowsOn) {
  SmallVector<Value> indices = place.indices;
  if (place.rowDimension >= 0)
    indices[place.rowDimension] =
        add(indices[place.rowDimension], place.step ? multiply(rowsOn, place.step) : rowsOn);
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

Value Lowering::getRowMemory(const ArrayPlace &place, Value buffer, int64_t pitch, Value rowsOn) {
  Value row = place.firstRow ? add(place.firstRow, rowsOn) : rowsOn;
  return slice(buffer, scale(row, pitch));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Elements of padding that, with the hardware's own filling up to the next block, cover what a row
/// of `cols` elements leaves of its pitch. Templates have no padding beyond that block.
static int64_t getRightPad(TileType type, bool keepsComposites) {
  int64_t perBlock = getBlockElements(type), cols = type.getColCount();
  int64_t missing = isColumn(type) ? 0 : getPitch(type) - cols;
  return std::min<int64_t>(missing,
                           keepsComposites ? llvm::alignTo(cols, perBlock) - cols : perBlock);
}

bool Lowering::mustFill(const ArrayPlace &place, LoadOp op) {
  return place.firstRow || (keepsComposites && validRows.contains(op.getResult()));
}

/// The vector unit fills after the transfer, so that transfers need not wait for it and run ahead;
/// mostly there is nothing to fill.
void Lowering::fillMissing(LoadOp op, const ArrayPlace &place, Value buffer, int64_t pitch) {
  if (!mustFill(place, op))
    return;
  int64_t rows = op.getResult().getType().getRowCount();
  auto type = cast<FloatType>(cast<MemRefType>(buffer.getType()).getElementType());
  Value zero = constant(APFloat::getZero(type.getFloatSemantics()), type);
  if (rows == 1)
    return emitDuplicate(buffer, zero, scale(subtract(constant(rows), place.rows), pitch));
  if (place.firstRow)
    emitDuplicate(buffer, zero, scale(place.firstRow, pitch));
  emitDuplicate(slice(buffer, scale(place.endRow, pitch)), zero,
                scale(subtract(constant(rows), place.endRow), pitch));
}

void Lowering::fillLastBlocks(LoadOp op) {
  constexpr int64_t perBlock = 8, maxRepeats = 255;
  TileType type = op.getResult().getType();
  int64_t pitch = getPitch(type), first = llvm::alignTo(type.getColCount(), perBlock);
  if (!hasUnfilledBlock(op))
    return;
  forEachChunk(constant(type.getRowCount()), type.getRowCount(), maxRepeats,
               [&](Value row, Value amount) {
                 Value offset = add(scale(row, pitch), constant(first));
                 ascend::DuplicateOp::create(builder, loc, slice(getMemory(op.getResult()), offset),
                                             constant(0.0f), amount,
                                             builder.getI64IntegerAttr(pitch - first),
                                             builder.getDenseI64ArrayAttr({1, pitch / perBlock}));
               });
}

/// What a run does not reach cannot be filled behind it, where it may end inside a block: the
/// column is filled before.
void Lowering::loadContiguousColumn(LoadOp op, const ArrayPlace &place) {
  TileType type = op.getResult().getType();
  int64_t elements = getBufferElements(type);
  Value memory = getMemory(op.getResult());
  if (mustFill(place, op)) {
    auto element = cast<FloatType>(type.getElementType());
    emitDuplicate(memory, constant(APFloat::getZero(element.getFloatSemantics()), element),
                  constant(elements));
  }
  ascend::CopyInOp::create(builder, loc, memory, getAddress(place, constant(int64_t(0))),
                           constant(int64_t(1)), place.rows, place.rows, elements, /*right_pad=*/0);
}

LogicalResult Lowering::lowerLoad(LoadOp op) {
  TileType type = op.getResult().getType();
  int64_t rows = type.getRowCount();
  Selection selection = getSelection(op);
  if (selection.form == TransferForm::Unsupported)
    return op.emitOpError(
        "takes its columns from a dimension that is not contiguous, or from a span");
  ArrayPlace place = getArrayPlace(op.getArray(), op.getIndices(), op.getKinds(), selection, type);
  limitRows(op.getResult());
  if (mustFill(place, op) && !isa<FloatType>(type.getElementType()))
    return op.emitOpError() << "cannot fill missing rows of " << type.getElementType();
  if (selection.form == TransferForm::StridedColumn)
    return loadStridedColumn(op, place);

  Value memory = getMemory(op.getResult());
  if (selection.form == TransferForm::ContiguousColumn) {
    loadContiguousColumn(op, place);
    return success();
  }
  int64_t pitch = llvm::alignTo(type.getColCount(), 16);
  forEachChunk(place.rows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    Value to = rows == 1 ? memory : getRowMemory(place, memory, pitch, first);
    ascend::CopyInOp::create(builder, loc, to, getAddress(place, first), amount,
                             constant(type.getColCount()), place.pitch, pitch,
                             getRightPad(type, keepsComposites));
  });
  fillMissing(op, place, memory, getPitch(type));
  fillLastBlocks(op);
  return success();
}

/// The sum of a single lane is that lane.
void Lowering::gatherColumn(Operation *op, Value column, Value blocks, Value rows, int64_t bound,
                            int64_t rowElements) {
  if (keepsComposites) {
    ascend::RowReduceOp::create(builder, loc, ascend::ReduceKind::Sum, column, blocks,
                                buffers[assignment.getScratch(op).back()], rows, /*cols=*/1,
                                rowElements);
    return;
  }
  int64_t rowBlocks =
      rowElements * cast<MemRefType>(blocks.getType()).getElementTypeBitWidth() / 8 / 32;
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
  forEachChunk(place.rows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    ascend::CopyInOp::create(builder, loc, getRowMemory(place, blocks, perBlock, first),
                             getAddress(place, first), amount, constant(int64_t(1)), place.pitch,
                             perBlock, perBlock - 1);
  });
  fillMissing(op, place, blocks, perBlock);
  Value gathered = mustFill(place, op) ? constant(rows) : place.rows;
  bool isWide =
      type.getElementType().isBF16() || (keepsComposites && !type.getElementType().isF32());
  if (!isWide) {
    gatherColumn(op, column, blocks, gathered, rows, perBlock);
    return success();
  }
  Value wideBlocks = getScratch(op, 1), wideColumn = getScratch(op, 2);
  ascend::CastOp::create(builder, loc, ascend::RoundMode::None, wideBlocks, blocks,
                         scale(gathered, perBlock), IntegerAttr(), DenseI64ArrayAttr());
  gatherColumn(op, wideColumn, wideBlocks, gathered, rows, perBlock);
  ascend::CastOp::create(builder, loc, ascend::RoundMode::Rint, column, wideColumn, gathered,
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
  if (Value valid = validRows.lookup(op.getValue()); valid && valid != place.endRow) {
    place.endRow = arith::MinSIOp::create(builder, loc, place.endRow, valid);
    place.rows = place.firstRow ? clamp(subtract(place.endRow, place.firstRow), type.getRowCount())
                                : place.endRow;
  }
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
  forEachChunk(
      place.rows, type.getRowCount(), place.rowsPerTransfer, [&](Value first, Value amount) {
        Value from = type.getRowCount() == 1 ? memory : getRowMemory(place, memory, pitch, first);
        ascend::CopyOutOp::create(builder, loc, getAddress(place, first), from, amount,
                                  constant(type.getColCount()), place.pitch, pitch);
      });
  return success();
}

void Lowering::spreadWideColumn(Operation *op, Value blocks, Value column, int64_t rows,
                                int64_t rowElements) {
  emitDuplicate(blocks, constant(1.0f), constant(rows * rowElements));
  ascend::RowBinaryOp::create(builder, loc, ascend::BinaryKind::Mul, blocks, blocks, column,
                              buffers[assignment.getScratch(op).back()], constant(rows),
                              rowElements, rowElements);
}

void Lowering::spreadColumn(Operation *op, Value blocks, Value column, Value rows, int64_t bound) {
  constexpr int64_t rowsPerRepeat = 8;
  int64_t perBlock = 32 * 8 / cast<MemRefType>(blocks.getType()).getElementTypeBitWidth();
  if (keepsComposites)
    return spreadWideColumn(op, blocks, column, bound, perBlock);
  forEachChunk(rows, bound, maxSpreadRows, [&](Value first, Value amount) {
    std::optional<int64_t> number = ascend::getConstant(amount);
    Value repeats =
        number
            ? constant(static_cast<int64_t>(llvm::divideCeil(*number, rowsPerRepeat)))
            : arith::CeilDivUIOp::create(builder, loc, amount, constant(rowsPerRepeat)).getResult();
    ascend::BrcbOp::create(builder, loc, slice(blocks, scale(first, perBlock)),
                           slice(column, first), repeats, ArrayRef<int64_t>{1, rowsPerRepeat});
  });
}

void Lowering::storeStridedColumn(StoreOp op, const ArrayPlace &place) {
  TileType type = op.getValue().getType();
  int64_t perBlock = getBlockElements(type);
  Value blocks = getScratch(op, 0), column = getMemory(op.getValue());
  if (keepsComposites && !type.getElementType().isF32()) {
    Value wideBlocks = getScratch(op, 1), wideColumn = getScratch(op, 2);
    int64_t rows = type.getRowCount();
    spreadWideColumn(op, wideBlocks, widen(column, wideColumn, rows), rows, perBlock);
    ascend::CastOp::create(builder, loc, ascend::RoundMode::Rint, blocks, wideBlocks,
                           constant(rows * perBlock), IntegerAttr(), DenseI64ArrayAttr());
  } else {
    spreadColumn(op, blocks, column, place.endRow, type.getRowCount());
  }
  forEachChunk(place.rows, type.getRowCount(), place.rowsPerTransfer,
               [&](Value first, Value amount) {
                 ascend::CopyOutOp::create(builder, loc, getAddress(place, first),
                                           getRowMemory(place, blocks, perBlock, first), amount,
                                           constant(int64_t(1)), place.pitch, perBlock);
               });
}
