// The lowering of one kernel from tiles to instructions: its scalars, and the memory and rows of
// each tile (tile on the chip, lowering).
#include "attn/TileOnChip/Lowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using tile::TileType;

Lowering::Lowering(const ChipModel &model, const BufferAssignment &assignment,
                   const tile::RowLimits &rowLimits, Block *body, func::FuncOp function)
    : ChipBuilder(body, function.getLoc()), model(model), assignment(assignment),
      rowLimits(rowLimits), extents(function, assignment.getPlacement(), rowLimits),
      function(function) {}

LogicalResult Lowering::lower() {
  Operation *mark = &*entry.getInsertionPoint();
  for (auto [old, argument] :
       llvm::zip_equal(function.getArguments(), mark->getBlock()->getArguments()))
    scalars.map(old, argument);
  makeBuffers();
  LogicalResult result = lowerBlock(function.getBody().front());
  mark->erase();
  return result;
}

void Lowering::makeBuffers() {
  // Where each was counted goes along, so that what fitted when it was counted can be planned.
  for (auto [buffer, offset] : llvm::zip_equal(assignment.getBuffers(), assignment.getOffsets())) {
    auto space = ascend::SpaceAttr::get(loc.getContext(),
                                        *ascend::symbolizeSpace(getFacts(buffer.memory).name));
    auto type =
        MemRefType::get({buffer.elements}, buffer.elementType, MemRefLayoutAttrInterface(), space);
    buffers.push_back(ascend::AllocOp::create(entry, buffer.loc, type, buffer.name,
                                              entry.getI64IntegerAttr(offset)));
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    loc = op.getLoc();
    // The place of a part must be known before its first element is written.
    for (size_t insertion : assignment.getInsertionsFrom(&op))
      getPartMemory(insertion);
    if (failed(lowerOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  if (getPlacement().isOnCube(op))
    return cast<OnCubeOpInterface>(op).lowerOnCube(*this);
  if (auto onChip = dyn_cast<OnChipOpInterface>(op))
    return onChip.lower(*this);
  return lowerScalar(op);
}

/// Arithmetic on scalars stays as it is; indices that are known are numbers.
LogicalResult Lowering::lowerScalar(Operation *op) {
  bool isScalar =
      isa_and_present<arith::ArithDialect>(op->getDialect()) &&
      llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
  if (!isScalar && !isa<func::ReturnOp>(op))
    return op->emitOpError("has no form on the chip");
  if (auto index = dyn_cast<arith::ConstantIndexOp>(op))
    scalars.map(index.getResult(), constant(index.value()));
  else if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex())
    scalars.map(op->getResult(0), fold(builder.clone(*op, scalars)));
  else
    builder.clone(*op, scalars);
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Lowering::getPart(Value memory, TileType whole, Value row, Value col) {
  return slice(memory, add(scale(row, model.getPitch(whole)), col));
}

Value Lowering::getPartMemory(size_t insertion) {
  if (parts.size() <= insertion)
    parts.resize(insertion + 1);
  if (!parts[insertion]) {
    tile::InsertOp insert = assignment.getInsertion(insertion);
    parts[insertion] = getPart(getMemory(insert.getResult()), insert.getResult().getType(),
                               scalars.lookup(insert.getRow()), scalars.lookup(insert.getCol()));
  }
  return parts[insertion];
}

Value Lowering::getMemory(Value tile) {
  BufferAssignment::Place place = assignment.getPlace(tile);
  switch (place.kind) {
  case BufferAssignment::Place::Buffer:
    return buffers[place.index];
  case BufferAssignment::Place::Part:
    return getPartMemory(place.index);
  case BufferAssignment::Place::View:
    return views.lookup(tile);
  case BufferAssignment::Place::None:
    return {};
  }
  llvm_unreachable("all places are known");
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

void Lowering::copyTile(Value dst, Value source, Value memory, Value rows) {
  TileType type = getTileType(source);
  if (source.getDefiningOp<tile::UndefinedOp>())
    return;
  if (auto splat = source.getDefiningOp<tile::SplatOp>())
    return emitDuplicate(dst, scalars.lookup(splat.getValue()),
                         constant(type.getRowCount() * model.getPitch(type)));
  Value src = memory ? memory : getMemory(source);
  // Copies within UB move whole data blocks, but the elements after a column's valid ones are free:
  // they are left out by arithmetic that changes nothing, where the chip has arithmetic.
  if (isColumn(type) && type.getElementType().isF32())
    return emitScalar(ascend::ScalarKind::Muls, dst, src, constant(1.0f),
                      rows ? rows : getCount(source));
  create<ascend::CopyOp>(
      dst, src, isColumn(type) ? constant(model.getBufferElements(type)) : getCount(source));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value Lowering::getValidRows(Value tile) {
  Value valid = getLimit(tile);
  return valid ? valid : constant(getTileType(tile).getRowCount());
}

Value Lowering::getRows(Value tile) {
  return model.keepsComposites() ? constant(getTileType(tile).getRowCount()) : getValidRows(tile);
}

Value Lowering::getCount(Value tile) {
  return scale(getRows(tile), model.getPitch(getTileType(tile)));
}

Value Lowering::getLimit(ArrayRef<Value> limits, int64_t size) {
  Value valid;
  for (Value span : limits) {
    Value end = spans[span].end;
    if (valid && valid != end)
      valid = create<arith::MinSIOp>(valid, end);
    else
      valid = end;
  }
  return valid ? valid : constant(size);
}

Value Lowering::getWholeFractals(Value limit, Type elementType) {
  int64_t unit = getFractalUnit(elementType);
  if (std::optional<int64_t> known = getConstantIntValue(limit))
    return constant(static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(*known, 1), unit)));
  Value &whole = wholeFractals[{limit, unit}];
  if (!whole) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(limit);
    whole = alignTo(max(limit, constant(int64_t(1))), unit);
  }
  return whole;
}

Value Lowering::getExtent(Value sums, ProductExtents::Axis axis) {
  CubePlace place = *getPlacement().getPlace(sums);
  int64_t room = axis == ProductExtents::Rows ? place.rows : place.cols;
  Type type = getTileType(sums).getElementType();
  ArrayRef<Value> spans = extents.getSpans(sums, axis);
  // Of a single fractal nothing is left out.
  if (spans.empty() || room == getFractalUnit(type))
    return constant(room);
  return getWholeFractals(getLimit(spans, room), type);
}

void Lowering::limitRows(Value tile) {
  ArrayRef<Value> limits = rowLimits.getSpans(tile);
  if (limits.empty())
    return;
  int64_t rows = getTileType(tile).getRowCount();
  if (Value valid = getLimit(limits, rows); !isConstantIntValue(valid, rows))
    validRows[tile] = valid;
}
