// Where the masks of a loop hold for whole tiles, and where for none of their elements (tile stage,
// analysis). Masks are arithmetic on ramps and integers, so they are read back from it; what is
// read as something else is left as it is.
#include "attn/Dialect/Tile/Analysis/MaskedLoop.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/APSInt.h"
#include <cfloat>

using namespace mlir;
using namespace attn;
using namespace attn::tile;

void IndexSum::add(const IndexSum &other, int64_t factor) {
  number += factor * other.number;
  for (auto [value, times] : other.terms)
    terms.emplace_back(value, factor * times);
}

namespace {

/// Positions are cut off there, so that f32 holds them: whatever is beyond is beyond every tile.
constexpr int64_t mostExact = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Reads masks of one loop.
class MaskReader {
public:
  explicit MaskReader(RangeOp loop) : loop(loop) {}

  bool readMask(Value mask, LoopMask &result);

private:
  bool readConjunct(Value mask, LoopMask &result);
  std::optional<PositionCondition> readDistance(Value tile);
  bool readIndex(Value index, int64_t factor, PositionCondition &sum);

  RangeOp loop;
};

/// A constant of a splat that is an integer.
std::optional<int64_t> getWhole(Value tile) {
  std::optional<APFloat> number = getSplatConstant(tile);
  if (!number || !number->isInteger() || number->isInfinity() || number->isNaN())
    return std::nullopt;
  APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  number->convertToInteger(whole, APFloat::rmTowardZero, &isExact);
  return whole.getExtValue();
}

bool isNumber(Value tile, float expected) {
  std::optional<APFloat> number = getSplatConstant(tile);
  return number && number->convertToFloat() == expected;
}

/// The operand besides a number.
template <typename Op> Value getBeside(Value tile, float number) {
  auto op = tile.getDefiningOp<Op>();
  if (!op)
    return {};
  if (isNumber(op.getRhs(), number))
    return op.getLhs();
  return isNumber(op.getLhs(), number) ? op.getRhs() : Value();
}

/// `index` times `factor`: sums and products with numbers are taken apart down to the base of the
/// loop and what does not change in it.
bool MaskReader::readIndex(Value index, int64_t factor, PositionCondition &sum) {
  if (std::optional<int64_t> number = getConstantIntValue(index)) {
    sum.rest.number += factor * *number;
    return true;
  }
  Operation *op = index.getDefiningOp();
  auto base = dyn_cast_if_present<SpanBaseOp>(op);
  // A loop that goes one by one has an index for its base.
  if ((base ? base.getSpan() : index) == loop.getInductionVar()) {
    sum.baseFactor += factor;
    return true;
  }
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return readIndex(op->getOperand(0), factor, sum) &&
           readIndex(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor, sum);
  if (auto product = dyn_cast_if_present<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (std::optional<int64_t> number = getConstantIntValue(product->getOperand(side)))
        return readIndex(product->getOperand(1 - side), factor * *number, sum);
  if (isa_and_present<arith::MaxSIOp, arith::MinSIOp>(op)) {
    std::optional<int64_t> limit = getConstantIntValue(op->getOperand(1));
    if (limit && *limit == (isa<arith::MaxSIOp>(op) ? -mostExact : mostExact))
      return readIndex(op->getOperand(0), factor, sum);
  }
  // What is computed in the loop from what is outside of it can be computed before it.
  auto isOutside = [&](Value value) { return loop.isDefinedOutsideOfLoop(value); };
  if (!isOutside(index) &&
      !(op && isPure(op) && op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isOutside)))
    return false;
  sum.rest.terms.emplace_back(index, factor);
  return true;
}

/// A tile of integers: ramps, integers, and sums and multiples of them.
std::optional<PositionCondition> MaskReader::readDistance(Value tile) {
  PositionCondition sum;
  if (std::optional<int64_t> number = getWhole(tile)) {
    sum.rest.number = *number;
    return sum;
  }
  if (auto ramp = tile.getDefiningOp<RampOp>()) {
    bool isColumn = ramp.getType().getCols() == getDim(tile.getContext(), 1);
    (isColumn ? sum.rowFactor : sum.colFactor) = 1;
    return sum;
  }
  if (auto splat = tile.getDefiningOp<SplatOp>()) {
    auto real = splat.getValue().getDefiningOp<arith::SIToFPOp>();
    auto word = real ? real.getIn().getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp();
    if (word && word.getIn().getType().isIndex() && readIndex(word.getIn(), 1, sum))
      return sum;
    return std::nullopt;
  }
  Operation *op = tile.getDefiningOp();
  if (!isa_and_present<AddOp, SubOp, MulOp>(op))
    return std::nullopt;
  std::optional<PositionCondition> left = readDistance(op->getOperand(0)),
                                   right = readDistance(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  int64_t ofLeft = 1, ofRight = isa<SubOp>(op) ? -1 : 1;
  if (isa<MulOp>(op)) {
    std::optional<int64_t> leftNumber = getWhole(op->getOperand(0)),
                           rightNumber = getWhole(op->getOperand(1));
    if (!leftNumber && !rightNumber)
      return std::nullopt;
    ofLeft = rightNumber.value_or(0);
    ofRight = rightNumber ? 0 : *leftNumber;
  }
  sum.rowFactor = ofLeft * left->rowFactor + ofRight * right->rowFactor;
  sum.colFactor = ofLeft * left->colFactor + ofRight * right->colFactor;
  sum.baseFactor = ofLeft * left->baseFactor + ofRight * right->baseFactor;
  sum.rest.add(left->rest, ofLeft);
  sum.rest.add(right->rest, ofRight);
  return sum;
}

/// min(max(distance, 0), 1), or one less that.
bool MaskReader::readConjunct(Value mask, LoopMask &result) {
  auto negated = mask.getDefiningOp<SubOp>();
  bool isNegated = negated && isNumber(negated.getLhs(), 1.0f);
  Value reached = getBeside<MinimumOp>(isNegated ? negated.getRhs() : mask, 1.0f);
  Value distance = reached ? getBeside<MaximumOp>(reached, 0.0f) : Value();
  std::optional<PositionCondition> condition =
      distance ? readDistance(distance) : std::optional<PositionCondition>();
  if (!condition)
    return false;
  if (isNegated) {
    // Where the distance is below 1, one less the distance is at least 1.
    PositionCondition below;
    below.rowFactor = -condition->rowFactor;
    below.colFactor = -condition->colFactor;
    below.baseFactor = -condition->baseFactor;
    below.rest.number = 1;
    below.rest.add(condition->rest, -1);
    condition = below;
  }
  result.conditions.push_back(*condition);
  return true;
}

/// Joins by products; false where nothing of it is read.
bool MaskReader::readMask(Value mask, LoopMask &result) {
  if (auto both = mask.getDefiningOp<MulOp>()) {
    bool left = readMask(both.getLhs(), result), right = readMask(both.getRhs(), result);
    result.isWhole &= left && right;
    return left || right;
  }
  if (readConjunct(mask, result))
    return true;
  result.isWhole = false;
  return false;
}

//===----------------------------------------------------------------------===//
// Iterations without effect
//===----------------------------------------------------------------------===//

/// What a value is where a mask holds nowhere: a number all over, or else a value.
struct Known {
  std::optional<float> number;
  Value same;
};

/// Says what values are where one mask holds nowhere.
class EmptyMask {
public:
  explicit EmptyMask(Value mask) { known[mask] = {0.0f, {}}; }

  Known get(Value value) {
    auto found = known.find(value);
    if (found != known.end())
      return found->second;
    Known result = compute(value);
    return known[value] = result;
  }

private:
  bool is(Value value, float number) { return get(value).number == number; }

  Known compute(Value value) {
    if (std::optional<APFloat> number = getSplatConstant(value))
      return {number->convertToFloat(), {}};
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_if_present<SelectOp>(op)) {
      Known other = get(select.getOther());
      // Scores that one mask excludes are what another would make of them.
      if (is(select.getMask(), 0.0f) ||
          (other.number && get(select.getTaken()).number == other.number))
        return other;
    }
    if (auto push = dyn_cast_if_present<SoftmaxPushOp>(op); push && is(push.getScores(), -FLT_MAX))
      return get(push.getState());
    if (auto reduce = dyn_cast_if_present<ReduceOp>(op)) {
      Known input = get(reduce.getInput());
      if (input.number && (reduce.getKind() != ReduceKind::Sum || *input.number == 0.0f))
        return input;
    }
    if (auto add = dyn_cast_if_present<AddOp>(op))
      for (auto [one, other] :
           {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())})
        if (one.getType() == add.getType() && is(other, 0.0f))
          return get(one);
    return {{}, value};
  }

  DenseMap<Value, Known> known;
};

/// Whether an iteration of the loop stores nothing and hands on what it is given.
bool changesNothing(RangeOp loop, Value emptyMask) {
  bool hasEffect =
      loop.getBody()
          .walk([](Operation *op) {
            return isa<StoreOp, AccumulateOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (hasEffect || loop.getInits().empty())
    return false;
  EmptyMask empty(emptyMask);
  return llvm::all_of_zip(
      loop.getCarried(), loop.getYield().getValues(),
      [&](Value carried, Value next) { return empty.get(next).same == carried; });
}

} // namespace

SmallVector<LoopMask> tile::findLoopMasks(RangeOp loop) {
  SmallVector<LoopMask> masks;
  if (loop.getParallel())
    return masks;
  llvm::SmallSetVector<Value, 2> choosing;
  loop.getBody().walk([&](SelectOp select) { choosing.insert(select.getMask()); });
  for (Value value : choosing) {
    LoopMask mask;
    mask.mask = value;
    if (!MaskReader(loop).readMask(value, mask))
      continue;
    bool isInBody = value.getParentBlock() == &loop.getBody().front();
    bool moves = llvm::any_of(mask.conditions, [](const PositionCondition &condition) {
      return condition.baseFactor != 0;
    });
    if (!isInBody || !moves)
      continue;
    mask.mayBeSkipped = changesNothing(loop, value);
    masks.push_back(std::move(mask));
  }
  return masks;
}
