// The pass `linalg-spell-whole-tensors`: linalg.generic as ops on whole tensors, for the vendor's
// compiler.
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {
#define GEN_PASS_DEF_SPELLWHOLETENSORSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

Value createEmpty(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}

/// Which dimensions of a map's results read index 0 for all of the loop.
FailureOr<SmallVector<int64_t>> getBroadcastDims(AffineMap map) {
  SmallVector<int64_t> dims;
  for (auto [dimension, expression] : llvm::enumerate(map.getResults())) {
    if (expression == getAffineConstantExpr(0, map.getContext()))
      dims.push_back(dimension);
    else if (expression != getAffineDimExpr(dimension, map.getContext()))
      return failure();
  }
  return dims;
}

/// Groups of dimensions such that those of `dropped`, of size 1, fall together with others.
SmallVector<ReassociationIndices> getGroups(int64_t rank, ArrayRef<int64_t> dropped) {
  if (static_cast<int64_t>(dropped.size()) == rank)
    return {};
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    pending.push_back(dimension);
    if (llvm::is_contained(dropped, dimension))
      continue;
    groups.push_back(std::exchange(pending, {}));
  }
  llvm::append_range(groups.back(), pending);
  return groups;
}

RankedTensorType dropDims(RankedTensorType type, ArrayRef<int64_t> dropped) {
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dropped, static_cast<int64_t>(dimension)))
      shape.push_back(size);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Writes one linalg.generic as ops on whole tensors, in its place.
class Speller {
public:
  explicit Speller(linalg::GenericOp op) : op(op), builder(op), loc(op.getLoc()) {}

  LogicalResult spell() {
    if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
      return refuse("does not return one tensor");
    bool isReduction = op.getNumReductionLoops() > 0;
    FailureOr<Value> result = isReduction ? spellReduction() : spellElementwise();
    if (failed(result))
      return failure();
    op.getResult(0).replaceAllUsesWith(*result);
    op.erase();
    return success();
  }

private:
  LogicalResult refuse(const Twine &what) {
    return op.emitOpError() << what << "; the vendor's compiler has no form for that";
  }

  FailureOr<Value> spellElementwise() {
    OpOperand &init = *op.getDpsInitOperand(0);
    if (!op.getMatchingIndexingMap(&init).isIdentity())
      return refuse("permutes or drops dimensions of its result");
    shape = tensor::getMixedSizes(builder, loc, init.get());
    for (OpOperand *input : op.getDpsInputOperands()) {
      FailureOr<Value> wide = widen(input->get(), op.getMatchingIndexingMap(input));
      if (failed(wide))
        return failure();
      values.map(op.getMatchingBlockArgument(input), *wide);
    }
    if (op.payloadUsesValueFromOperand(&init))
      return refuse("reads what it writes");
    for (Operation &inner : op.getBody()->without_terminator())
      if (failed(spellOp(inner)))
        return failure();
    return getWhole(op.getBody()->getTerminator()->getOperand(0));
  }

  /// An operand in the shape of the result.
  FailureOr<Value> widen(Value operand, AffineMap map) {
    FailureOr<SmallVector<int64_t>> dims = getBroadcastDims(map);
    if (failed(dims))
      return refuse("permutes dimensions of an operand");
    if (dims->empty())
      return operand;
    auto type = cast<RankedTensorType>(operand.getType());
    if (auto fill = operand.getDefiningOp<linalg::FillOp>())
      return fillWhole(fill.getInputs().front());
    Value narrow = tensor::CollapseShapeOp::create(builder, loc, dropDims(type, *dims), operand,
                                                   getGroups(type.getRank(), *dims));
    Value empty = createEmpty(builder, loc, shape, type.getElementType());
    return linalg::BroadcastOp::create(builder, loc, narrow, empty, *dims).getResult().front();
  }

  Value fillWhole(Value scalar) {
    Value empty = createEmpty(builder, loc, shape, scalar.getType());
    return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  }

  /// What a value of the body is on whole tensors; a scalar from outside fills one.
  Value getWhole(Value value) {
    if (Value whole = values.lookupOrNull(value))
      return whole;
    Value whole = fillWhole(value);
    values.map(value, whole);
    return whole;
  }

  LogicalResult spellOp(Operation &inner) {
    // Places count in 32 bits; alone, as an index, they have no tensor.
    if (isa<linalg::IndexOp>(inner))
      return success();
    if (auto cast = dyn_cast<arith::IndexCastOp>(inner))
      if (auto place = cast.getIn().getDefiningOp<linalg::IndexOp>()) {
        if (!cast.getType().isSignlessInteger(32))
          return refuse("counts in another type than i32");
        values.map(cast.getResult(), countUp(place.getDim()));
        return success();
      }
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      values.map(inner.getResult(0), fillWhole(builder.clone(inner)->getResult(0)));
      return success();
    }
    if (inner.getNumRegions() > 0 || inner.getNumResults() != 1 ||
        !inner.hasTrait<OpTrait::Elementwise>())
      return refuse("computes '" + inner.getName().getStringRef() + "' per element");
    if (auto compare = dyn_cast<arith::CmpIOp>(inner);
        compare && compare.getPredicate() == arith::CmpIPredicate::ult) {
      values.map(compare.getResult(), compareUnsigned(compare));
      return success();
    }
    OperationState state(inner.getLoc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.operands.push_back(getWhole(operand));
    SmallVector<int64_t> sizes;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(shape, dynamic, sizes);
    state.addTypes(RankedTensorType::get(sizes, inner.getResult(0).getType()));
    state.addAttributes(inner.getAttrs());
    values.map(inner.getResult(0), builder.create(state)->getResult(0));
    return success();
  }

  /// The vendor's compiler widens unsigned numbers to 64 bits, and cannot. Shifted down by half of
  /// their range, signed numbers have the same order.
  Value compareUnsigned(arith::CmpIOp op) {
    auto type = cast<IntegerType>(op.getLhs().getType());
    Value least = fillWhole(arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, APInt::getSignedMinValue(type.getWidth()))));
    auto shift = [&](Value value) {
      return arith::AddIOp::create(builder, loc, getWhole(value), least).getResult();
    };
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, shift(op.getLhs()),
                                 shift(op.getRhs()));
  }

  /// 0, 1, 2 … along a dimension: the one generic that the vendor's compiler knows has one
  /// dimension.
  Value countUp(int64_t dimension) {
    Type word = builder.getI32Type();
    Value line = createEmpty(builder, loc, shape[dimension], word);
    auto count = linalg::GenericOp::create(
        builder, loc, line.getType(), ValueRange(), line, builder.getMultiDimIdentityMap(1),
        utils::IteratorType::parallel, [&](OpBuilder &body, Location at, ValueRange) {
          Value place = linalg::IndexOp::create(body, at, 0);
          linalg::YieldOp::create(body, at,
                                  arith::IndexCastOp::create(body, at, word, place).getResult());
        });
    SmallVector<int64_t> others;
    for (int64_t other = 0, rank = shape.size(); other < rank; ++other)
      if (other != dimension)
        others.push_back(other);
    Value empty = createEmpty(builder, loc, shape, word);
    return linalg::BroadcastOp::create(builder, loc, count.getResult(0), empty, others)
        .getResult()
        .front();
  }

  FailureOr<Value> spellReduction() {
    OpOperand &init = *op.getDpsInitOperand(0);
    FailureOr<SmallVector<int64_t>> dims = getBroadcastDims(op.getMatchingIndexingMap(&init));
    if (failed(dims) || op.getNumDpsInputs() != 1 ||
        !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
      return refuse("folds other things than dimensions of one tensor");
    Block &body = *op.getBody();
    Operation &combine = body.front();
    if (!llvm::hasNItems(body.without_terminator(), 1) || combine.getNumOperands() != 2)
      return refuse("folds by more than one op");
    auto type = cast<RankedTensorType>(init.get().getType());
    SmallVector<ReassociationIndices> groups = getGroups(type.getRank(), *dims);
    Value start =
        tensor::CollapseShapeOp::create(builder, loc, dropDims(type, *dims), init.get(), groups);
    auto reduce = linalg::ReduceOp::create(
        builder, loc, op.getDpsInputOperand(0)->get(), start, *dims,
        [&](OpBuilder &inner, Location at, ValueRange arguments) {
          OperationState state(at, combine.getName());
          state.addOperands(arguments);
          state.addTypes(type.getElementType());
          state.addAttributes(combine.getAttrs());
          linalg::YieldOp::create(inner, at, inner.create(state)->getResult(0));
        });
    return tensor::ExpandShapeOp::create(builder, loc, type, reduce.getResult(0), groups)
        .getResult();
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<OpFoldResult> shape;
  IRMapping values;
};

struct SpellWholeTensors : attn::impl::SpellWholeTensorsPassBase<SpellWholeTensors> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      if (failed(Speller(op).spell()))
        return signalPassFailure();
  }
};

} // namespace
