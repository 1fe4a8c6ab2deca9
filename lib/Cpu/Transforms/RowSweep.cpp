// One linalg operation on buffers as a sweep: chooses its loops, reads and writes its operands,
// repeats its payload on vectors. CPU stage, used by `jit-vectorize-rows`.
#include "RowSweep.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn::jit;

Type attn::jit::widen(Type type, int64_t count) {
  return count == 1 ? type : VectorType::get({count}, type);
}

/// The number of the loop that an index of a memref follows, or -1 for a fixed 0.
static int64_t getLoop(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? static_cast<int64_t>(dim.getPosition()) : -1;
}

static bool isSupportedIndex(AffineExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return isa<AffineDimExpr>(expr) || (constant && constant.getValue() == 0);
}

APFloat attn::jit::getNeutral(Operation *combiner) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(combiner->getResult(0).getType()).getFloatSemantics();
  if (isa<arith::AddFOp>(combiner))
    return APFloat::getZero(semantics);
  return APFloat::getInf(semantics, /*Negative=*/isa<arith::MaximumFOp>(combiner));
}

FailureOr<RowSweep> RowSweep::create(linalg::GenericOp op, int64_t lanes) {
  RowSweep sweep(op);
  if (failed(sweep.verify()))
    return failure();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (sizes.size() == 1) {
    sweep.outer = -1;
    sweep.inner = 0;
  } else if (sizes[1] == 1 && !ShapedType::isDynamic(sizes[0]) && op.getNumReductionLoops() == 0 &&
             sweep.isContiguousAlong(0)) {
    // A column: its rows lie one after the other.
    std::swap(sweep.outer, sweep.inner);
  }
  sweep.innerSize = sizes[sweep.inner];
  sweep.innerReduction = iterators[sweep.inner] == utils::IteratorType::reduction;
  sweep.lanes = sweep.isContiguousAlong(sweep.inner) ? lanes : 1;
  if (sweep.innerReduction)
    sweep.limit = sweep.findLimit();
  return sweep;
}

arith::CmpIOp RowSweep::findLimit() const {
  arith::CmpIOp found;
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number) {
    if (!isReduced(*op.getDpsInitOperand(number)))
      continue;
    Operation *combiner = getCombiner(number);
    BlockArgument carried = op.getRegionOutputArgs()[number];
    Value term = combiner->getOperand(combiner->getOperand(0) == carried ? 1 : 0);
    auto choice = term.getDefiningOp<arith::SelectOp>();
    APFloat left(0.0f);
    auto compared = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    if (!compared || (found && compared != found) ||
        compared.getPredicate() != arith::CmpIPredicate::slt ||
        compared.getRhs().getParentBlock() == op.getBody() ||
        !matchPattern(choice.getFalseValue(), m_ConstantFloat(&left)) ||
        !left.bitwiseIsEqual(getNeutral(combiner)))
      return {};
    auto cast = compared.getLhs().getDefiningOp<arith::IndexCastOp>();
    auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : nullptr;
    if (!index || static_cast<int64_t>(index.getDim()) != inner)
      return {};
    found = compared;
  }
  return found;
}

LogicalResult RowSweep::verify() const {
  if (op.getNumLoops() < 1 || op.getNumLoops() > 2)
    return op.emitOpError("cannot be vectorised: it has neither one nor two loops");
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("cannot be vectorised before bufferization");
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (!isSupportedIndex(expr))
        return op.emitOpError("cannot be vectorised: it reads at computed indices");
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<arith::ConstantOp, linalg::IndexOp>(inner) &&
        !OpTrait::hasElementwiseMappableTraits(&inner))
      return op.emitOpError() << "cannot be vectorised: '" << inner.getName()
                              << "' does not work element by element";
  if (op.getNumReductionLoops() == 0)
    return success();
  for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (!op.getMatchingIndexingMap(&output).isIdentity() && !getCombiner(number))
      return op.emitOpError("cannot be vectorised: it reduces by something else than a sum, "
                            "maximum or minimum");
  return success();
}

Operation *RowSweep::getCombiner(unsigned number) const {
  Value result = op.getBody()->getTerminator()->getOperand(number);
  Operation *combiner = result.getDefiningOp();
  BlockArgument carried = op.getRegionOutputArgs()[number];
  if (!combiner || !isa<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp>(combiner) ||
      combiner->getBlock() != op.getBody() || !carried.hasOneUse() ||
      *carried.getUsers().begin() != combiner)
    return nullptr;
  return combiner;
}

bool RowSweep::isContiguousAlong(int64_t loop) const {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    auto [strides, offset] = type.getStridesAndOffset();
    for (auto [index, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (getLoop(expr) == loop && strides[index] != 1)
        return false;
  }
  return true;
}

void RowSweep::emitOuterLoop(ImplicitLocOpBuilder &builder, int64_t step,
                             function_ref<void(ImplicitLocOpBuilder &, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  if (getOuterSize() == step)
    return body(builder, zero);
  Range range = cast<linalg::LinalgOp>(*op).createLoopRanges(builder, builder.getLoc())[outer];
  Value stride = arith::ConstantIndexOp::create(builder, step);
  Value size = getValueOrCreateConstantIndexOp(builder, builder.getLoc(), range.size);
  scf::ForOp::create(builder, zero, size, stride, ValueRange(),
                     [&](OpBuilder &inside, Location loc, Value index, ValueRange) {
                       ImplicitLocOpBuilder bodyBuilder(loc, inside);
                       body(bodyBuilder, index);
                       scf::YieldOp::create(inside, loc);
                     });
}

Value RowSweep::createInnerSize(ImplicitLocOpBuilder &builder) const {
  Range range = cast<linalg::LinalgOp>(*op).createLoopRanges(builder, builder.getLoc())[inner];
  return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), range.size);
}

bool RowSweep::variesAlongInner(OpOperand &operand) const {
  return llvm::any_of(op.getMatchingIndexingMap(&operand).getResults(),
                      [&](AffineExpr expr) { return getLoop(expr) == inner; });
}

int64_t RowSweep::getOuterSize() const { return outer < 0 ? 1 : op.getStaticLoopRanges()[outer]; }

bool RowSweep::variesAlongOuter(OpOperand &operand) const {
  return outer >= 0 && !ShapedType::isDynamic(op.getStaticLoopRanges()[outer]) &&
         llvm::any_of(op.getMatchingIndexingMap(&operand).getResults(),
                      [&](AffineExpr expr) { return getLoop(expr) == outer; });
}

void RowSweep::prefetch(ImplicitLocOpBuilder &builder, OpOperand &operand, Value outerIndex,
                        Value innerIndex) {
  // Into a cache that holds a few tiles.
  constexpr unsigned locality = 2;
  Value rows = arith::ConstantIndexOp::create(builder, op.getStaticLoopRanges()[outer]);
  Value ahead = arith::AddIOp::create(builder, outerIndex, rows);
  memref::PrefetchOp::create(builder, operand.get(),
                             getIndices(builder, operand, ahead, innerIndex), /*isWrite=*/false,
                             locality, /*isDataCache=*/true);
}

SmallVector<Value> RowSweep::getIndices(ImplicitLocOpBuilder &builder, OpOperand &operand,
                                        Value outerIndex, Value innerIndex) const {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    int64_t loop = getLoop(expr);
    indices.push_back(loop < 0        ? arith::ConstantIndexOp::create(builder, 0).getResult()
                      : loop == outer ? outerIndex
                                      : innerIndex);
  }
  return indices;
}

Value RowSweep::load(ImplicitLocOpBuilder &builder, OpOperand &operand, Value outerIndex,
                     Value innerIndex, int64_t count) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  SmallVector<Value> indices = getIndices(builder, operand, outerIndex, innerIndex);
  if (count == 1 || !variesAlongInner(operand))
    return memref::LoadOp::create(builder, operand.get(), indices);
  auto vector = VectorType::get({count}, type.getElementType());
  return vector::LoadOp::create(builder, vector, operand.get(), indices);
}

void RowSweep::store(ImplicitLocOpBuilder &builder, Value value, OpOperand &operand,
                     Value outerIndex, Value innerIndex, bool stream) {
  SmallVector<Value> indices = getIndices(builder, operand, outerIndex, innerIndex);
  if (auto type = dyn_cast<VectorType>(value.getType())) {
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    llvm::MaybeAlign alignment = stream ? llvm::MaybeAlign(bytes) : llvm::MaybeAlign();
    vector::StoreOp::create(builder, value, operand.get(), indices, stream, alignment);
  } else
    memref::StoreOp::create(builder, value, operand.get(), indices);
}

/// A sum of products as one fused operation, or null where `add` is something else.
static Value createFusedSum(ImplicitLocOpBuilder &builder, arith::AddFOp add,
                            const IRMapping &values, Block::BlockArgListType carried) {
  for (auto [sum, term] :
       {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    auto product = term.getDefiningOp<arith::MulFOp>();
    auto argument = dyn_cast<BlockArgument>(sum);
    if (!product || !product->hasOneUse() || !argument || !llvm::is_contained(carried, argument))
      continue;
    Value accumulator = values.lookup(sum);
    if (!isa<VectorType>(accumulator.getType()))
      return {};
    return vector::FMAOp::create(builder, values.lookup(product.getLhs()),
                                 values.lookup(product.getRhs()), accumulator);
  }
  return {};
}

Value RowSweep::createIndex(ImplicitLocOpBuilder &builder, int64_t loop, const Place &place) const {
  if (loop != inner)
    return place.outer;
  if (place.count == 1)
    return place.inner;
  auto type = cast<VectorType>(widen(builder.getIndexType(), place.count));
  auto steps = llvm::map_to_vector(llvm::seq<int64_t>(0, place.count), [&](int64_t lane) {
    return Attribute(builder.getIndexAttr(lane));
  });
  Value lanesOn = arith::ConstantOp::create(builder, DenseElementsAttr::get(type, steps));
  return arith::AddIOp::create(builder, vector::BroadcastOp::create(builder, type, place.inner),
                               lanesOn);
}

SmallVector<Value> RowSweep::emitPayload(ImplicitLocOpBuilder &builder, ArrayRef<Value> arguments,
                                         const Place &place) {
  int64_t count = place.count;
  IRMapping values;
  auto spread = [&](Value value) -> Value {
    if (count == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, widen(value.getType(), count), value);
  };
  for (auto [argument, value] : llvm::zip_equal(op.getBody()->getArguments(), arguments))
    if (value)
      values.map(argument, spread(value));
  for (Operation &inner : op.getBody()->without_terminator()) {
    builder.setLoc(inner.getLoc());
    if (isa<arith::ConstantOp>(inner)) {
      values.map(inner.getResult(0), spread(builder.clone(inner)->getResult(0)));
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values.map(index.getResult(), spread(createIndex(builder, index.getDim(), place)));
      continue;
    }
    auto choice = dyn_cast<arith::SelectOp>(inner);
    if (place.isInside && choice && choice.getCondition() == limit.getResult()) {
      Value kept = choice.getTrueValue();
      values.map(choice.getResult(), values.contains(kept) ? values.lookup(kept) : spread(kept));
      continue;
    }
    for (Value operand : inner.getOperands())
      if (!values.contains(operand))
        values.map(operand, spread(operand));
    auto add = dyn_cast<arith::AddFOp>(inner);
    Value fused = add && op.getNumReductionLoops() > 0
                      ? createFusedSum(builder, add, values, op.getRegionOutputArgs())
                      : Value();
    if (fused) {
      values.map(inner.getResult(0), fused);
      continue;
    }
    SmallVector<Type> types =
        llvm::map_to_vector(inner.getResultTypes(), [&](Type type) { return widen(type, count); });
    SmallVector<Value> operands =
        llvm::map_to_vector(inner.getOperands(), [&](Value value) { return values.lookup(value); });
    OperationState state(inner.getLoc(), inner.getName(), operands, types, inner.getAttrs());
    values.map(inner.getResults(), builder.create(state)->getResults());
  }
  builder.setLoc(op.getLoc());
  return llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(), [&](Value value) {
    return values.contains(value) ? values.lookup(value) : spread(value);
  });
}
