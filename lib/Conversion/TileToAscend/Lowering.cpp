// The lowering of scalars, spans and loops from tile to ascend, and the memory of each tile.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

Lowering::Lowering(const BufferAssignment &assignment, const RowLimits &rowLimits, Block *body,
                   func::FuncOp function)
    : assignment(assignment), rowLimits(rowLimits), function(function),
      keepsComposites(function->hasAttr("tile.keep_composites")),
      builder(OpBuilder::atBlockEnd(body)), entry(builder), loc(function.getLoc()) {
  // What is written at the entry must come before everything else: this op marks the place.
  entry.setInsertionPoint(func::ReturnOp::create(builder, loc));
}

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
  auto space = ascend::SpaceAttr::get(loc.getContext(), ascend::Space::UB);
  for (const TileBuffer &buffer : assignment.getBuffers()) {
    auto type =
        MemRefType::get({buffer.elements}, buffer.elementType, MemRefLayoutAttrInterface(), space);
    buffers.push_back(ascend::AllocOp::create(entry, buffer.loc, type, buffer.name, IntegerAttr()));
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
  if (isBinary(op))
    return lowerBinary(op);
  if (isUnary(op))
    return lowerUnary(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp load) { return lowerLoad(load); })
      .Case([&](StoreOp store) { return lowerStore(store); })
      .Case([&](CastOp cast) { return lowerCast(cast); })
      .Case([&](ReduceOp reduce) { return lowerReduce(reduce); })
      .Case([&](SplatOp splat) { return lowerSplat(splat); })
      .Case([&](ExtractOp extract) { return lowerExtract(extract); })
      .Case([&](InsertOp insert) { return lowerInsert(insert); })
      .Case([&](UndefinedOp) { return success(); })
      .Case([&](BandMaskOp mask) { return lowerBandMask(mask); })
      .Case<BandDotOp, BandMixOp, BandSpreadOp>([](Operation *band) {
        return band->emitOpError("is left: run tile-lower-band-gather before");
      })
      .Case([&](MakeSpanOp span) { return lowerSpan(span); })
      .Case([&](SpanBaseOp base) {
        scalars.map(base.getResult(), spans[base.getSpan()].base);
        return success();
      })
      .Case([&](SizeOp size) { return lowerSize(size); })
      .Case([&](RangeOp range) { return lowerLoop(range); })
      .Case([&](YieldOp yield) {
        return handOn(yield, cast<RangeOp>(yield->getParentOp()), yield.getValues());
      })
      .Case([&](PhaseOp) {
        ascend::SyncAllOp::create(builder, loc);
        return success();
      })
      .Case([&](GridOp grid) { return grid.emitOpError("is left: run tile-clamp-grid before"); })
      .Default([&](Operation *other) { return lowerScalar(other); });
}

LogicalResult Lowering::lowerScalar(Operation *op) {
  if (auto dim = dyn_cast<DimOp>(op)) {
    int64_t size = dim.getArray().getType().getShape()[dim.getDimension()];
    Value array = scalars.lookup(dim.getArray());
    Value result =
        ShapedType::isDynamic(size)
            ? ascend::DimOp::create(builder, loc, builder.getIndexType(), array, dim.getDimension())
            : constant(size);
    scalars.map(dim.getResult(), result);
    return success();
  }
  if (isa<BlockIdOp>(op)) {
    scalars.map(op->getResult(0), ascend::BlockIdOp::create(builder, loc, builder.getIndexType()));
    return success();
  }
  if (isa<BlockCountOp>(op)) {
    scalars.map(op->getResult(0),
                ascend::BlockCountOp::create(builder, loc, builder.getIndexType()));
    return success();
  }
  bool isScalar =
      isa_and_present<arith::ArithDialect>(op->getDialect()) &&
      llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
  if (!isScalar && !isa<func::ReturnOp>(op))
    return op->emitOpError("has no form on the chip");
  APInt number;
  if (matchPattern(op, m_ConstantInt(&number)) && op->getResult(0).getType().isIndex() &&
      number.isSignedIntN(64))
    scalars.map(op->getResult(0), constant(number.getSExtValue()));
  else
    builder.clone(*op, scalars);
  return success();
}

LogicalResult Lowering::lowerSpan(MakeSpanOp op) {
  auto size = dyn_cast<IntegerAttr>(op.getResult().getType().getSize());
  if (!size)
    return op.emitOpError("has a size that is no number yet: run tile-fit-tiles before");
  Span span;
  span.base = scalars.lookup(op.getBase());
  if (Value first = op.getFirst())
    span.missing = clamp(subtract(scalars.lookup(first), span.base), size.getInt());
  span.end = clamp(subtract(scalars.lookup(op.getLimit()), span.base), size.getInt(), span.missing);
  if (op.getStep()) {
    span.offset = scalars.lookup(op.getOffset());
    span.step = scalars.lookup(op.getStep());
  }
  spans[op.getResult()] = span;
  return success();
}

LogicalResult Lowering::lowerSize(SizeOp op) {
  auto size = dyn_cast<IntegerAttr>(op.getDim());
  if (!size)
    return op.emitOpError("is no number yet: run tile-fit-tiles before");
  scalars.map(op.getResult(), constant(size.getInt()));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop by blocks whose bounds are numbers and a whole number of blocks apart has no tail.
static bool hasNoTail(Value lower, Value upper, int64_t block) {
  std::optional<int64_t> from = ascend::getConstant(lower), to = ascend::getConstant(upper);
  return from && to && (*to - *from) % block == 0;
}

LogicalResult Lowering::lowerLoop(RangeOp op) {
  int64_t step = 1;
  if (std::optional<Attribute> block = op.getBlock()) {
    auto size = dyn_cast<IntegerAttr>(*block);
    if (!size || size.getInt() < 1)
      return op.emitOpError("goes by a size that is no number yet: run tile-fit-tiles before");
    step = size.getInt();
  }
  for (Type type : op.getResultTypes())
    if (!isa<TileType>(type) && !type.isIntOrIndexOrFloat())
      return op.emitOpError() << "carries " << type << ", which has no form on the chip";
  if (failed(handOn(op, op, op.getInits())))
    return failure();

  Value lower = scalars.lookup(op.getLower()), upper = scalars.lookup(op.getUpper());
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    if (!isa<TileType>(init.getType()))
      inits.push_back(scalars.lookup(init));
  auto loop = scf::ForOp::create(builder, loc, lower, upper, constant(step), inits);
  if (op.getStages() > 1)
    loop->setAttr("ascend.stages", builder.getI64IntegerAttr(op.getStages()));
  if (op.getParallel())
    loop->setAttr("ascend.parallel", builder.getUnitAttr());
  loop.getInductionVar().setLoc(op.getInductionVar().getLoc());

  OpBuilder::InsertionGuard guard(builder);
  if (inits.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  if (op.getBlock())
    spans[op.getInductionVar()] = {loop.getInductionVar(),
                                   hasNoTail(lower, upper, step)
                                       ? constant(step)
                                       : clamp(subtract(upper, loop.getInductionVar()), step)};
  else
    scalars.map(op.getInductionVar(), loop.getInductionVar());
  auto carried = loop.getRegionIterArgs().begin();
  for (Value argument : op.getCarried()) {
    if (!isa<TileType>(argument.getType()))
      scalars.map(argument, *carried++);
    else
      limitRows(argument);
  }
  if (failed(lowerBlock(op.getBody().front())))
    return failure();
  auto result = loop.getResults().begin();
  builder.setInsertionPointAfter(loop);
  for (Value output : op.getResults()) {
    if (!isa<TileType>(output.getType()))
      scalars.map(output, *result++);
    else
      limitRows(output);
  }
  return success();
}

LogicalResult Lowering::handOn(Operation *op, RangeOp range, ValueRange sources) {
  SmallVector<Value> memories(sources.size());
  for (auto [index, number] : llvm::enumerate(assignment.getSetAside(op))) {
    memories[number] = getScratch(op, index);
    copyTile(memories[number], sources[number]);
  }
  SmallVector<Value> carriedOn;
  for (auto [source, argument, memory] : llvm::zip_equal(sources, range.getCarried(), memories)) {
    if (!isa<TileType>(source.getType()))
      carriedOn.push_back(scalars.lookup(source));
    else if (assignment.getPlace(source) != assignment.getPlace(argument))
      copyTile(getMemory(argument), source, memory);
  }
  if (isa<YieldOp>(op) && !carriedOn.empty())
    scf::YieldOp::create(builder, loc, carriedOn);
  return success();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Lowering::constant(int64_t number) {
  Value &value = indexConstants[number];
  if (!value)
    value = arith::ConstantIndexOp::create(entry, loc, number);
  return value;
}

Value Lowering::constant(float number) { return constant(APFloat(number), entry.getF32Type()); }

Value Lowering::constant(const APFloat &number, FloatType type) {
  auto attribute = FloatAttr::get(type, number);
  Value &value = floatConstants[attribute];
  if (!value)
    value = arith::ConstantOp::create(entry, loc, attribute);
  return value;
}

Value Lowering::scale(Value value, int64_t factor) {
  if (std::optional<int64_t> number = ascend::getConstant(value))
    return constant(*number * factor);
  if (factor == 0)
    return constant(int64_t(0));
  if (factor == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value, constant(factor));
}

Value Lowering::add(Value lhs, Value rhs) {
  std::optional<int64_t> left = ascend::getConstant(lhs), right = ascend::getConstant(rhs);
  if (left && right)
    return constant(*left + *right);
  if (left == 0)
    return rhs;
  if (right == 0)
    return lhs;
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value Lowering::subtract(Value lhs, Value rhs) {
  std::optional<int64_t> left = ascend::getConstant(lhs), right = ascend::getConstant(rhs);
  if (left && right)
    return constant(*left - *right);
  return right == 0 ? lhs : arith::SubIOp::create(builder, loc, lhs, rhs).getResult();
}

Value Lowering::multiply(Value lhs, Value rhs) {
  if (std::optional<int64_t> factor = ascend::getConstant(rhs))
    return scale(lhs, *factor);
  if (std::optional<int64_t> factor = ascend::getConstant(lhs))
    return scale(rhs, *factor);
  return arith::MulIOp::create(builder, loc, lhs, rhs);
}

Value Lowering::clamp(Value value, int64_t size, Value least) {
  Value atMost = arith::MinSIOp::create(builder, loc, value, constant(size));
  return arith::MaxSIOp::create(builder, loc, atMost, least ? least : constant(int64_t(0)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Lowering::slice(Value memory, Value offset) {
  if (ascend::getConstant(offset) == 0)
    return memory;
  auto type = cast<MemRefType>(memory.getType());
  auto view = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              MemRefLayoutAttrInterface(), type.getMemorySpace());
  return ascend::SliceOp::create(builder, loc, view, memory, offset);
}

Value Lowering::getPartMemory(size_t insertion) {
  if (parts.size() <= insertion)
    parts.resize(insertion + 1);
  if (!parts[insertion]) {
    InsertOp insert = assignment.getInsertion(insertion);
    Value whole = getMemory(insert.getResult());
    Value offset = getPartOffset(insert.getResult().getType(), scalars.lookup(insert.getRow()),
                                 scalars.lookup(insert.getCol()));
    parts[insertion] = slice(whole, offset);
  }
  return parts[insertion];
}

Value Lowering::getMemory(Value value) {
  BufferAssignment::Place place = assignment.getPlace(value);
  switch (place.kind) {
  case BufferAssignment::Place::Buffer:
    return buffers[place.index];
  case BufferAssignment::Place::Part:
    return getPartMemory(place.index);
  case BufferAssignment::Place::View:
    return views.lookup(value);
  case BufferAssignment::Place::None:
    return {};
  }
  return {};
}

Value Lowering::getScratch(Operation *op, size_t index) {
  return buffers[assignment.getScratch(op)[index]];
}

Value Lowering::getValidRows(Value value) {
  Value valid = validRows.lookup(value);
  return valid ? valid : constant(getType(value).getRowCount());
}

Value Lowering::getRows(Value value) {
  return keepsComposites ? constant(getType(value).getRowCount()) : getValidRows(value);
}

Value Lowering::getCount(Value value) { return scale(getRows(value), getPitch(getType(value))); }

void Lowering::limitRows(Value tile) {
  Value valid;
  for (Value span : rowLimits.getSpans(tile)) {
    Value end = spans[span].end;
    if (valid && valid != end)
      valid = arith::MinSIOp::create(builder, loc, valid, end);
    else
      valid = end;
  }
  if (valid && ascend::getConstant(valid) != getType(tile).getRowCount())
    validRows[tile] = valid;
}

void Lowering::forEachChunk(Value count, int64_t bound, int64_t step,
                            function_ref<void(Value first, Value amount)> body) {
  if (bound <= step)
    return body(constant(int64_t(0)), count);
  auto loop = scf::ForOp::create(builder, loc, constant(int64_t(0)), count, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value amount = constant(int64_t(1));
  if (step > 1) {
    Value left = arith::SubIOp::create(builder, loc, count, loop.getInductionVar());
    amount = arith::MinSIOp::create(builder, loc, left, constant(step));
  }
  body(loop.getInductionVar(), amount);
}
