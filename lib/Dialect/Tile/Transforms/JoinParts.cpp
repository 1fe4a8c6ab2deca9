// tile-join-parts: what a loop computes for each part of its tiles is computed for all parts at
// once, but for the products (tile stage).
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace attn {
#define GEN_PASS_DEF_JOINPARTSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

std::optional<int64_t> getNumber(Attribute dim) {
  auto number = dyn_cast<IntegerAttr>(dim);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// The rows of a tile; none for anything else.
std::optional<int64_t> getRows(Value value) {
  auto type = dyn_cast<TileType>(value.getType());
  return type ? getNumber(type.getRows()) : std::nullopt;
}

/// A loop over the parts of tiles that it carries: in iteration i, rows i * `rows` and on.
///
/// Ops that compute each row by itself are joined. What is left are the products, and what only
/// they read; they become loops again, one for each time that a product takes what was joined.
/// Turn 0 is the first of these loops, and what is joined has the turn of the loop that it follows,
/// `before` the first one where it follows none.
class PartLoop {
public:
  explicit PartLoop(RangeOp loop) : loop(loop) {}

  /// Whether the loop is one that is split, with something to join and something to leave.
  bool matches();
  void split();

private:
  static constexpr int64_t before = -1;

  bool matchCarried();
  bool isPartOf(Value row, Value col);
  bool isCarriedPart(Value value);
  bool isPart(Value value) { return getRows(value) == rows; }
  bool isInside(Value value) { return !loop.isDefinedOutsideOfLoop(value); }
  bool isJoined(Value value) {
    return isCarriedPart(value) || joined.contains(value.getDefiningOp());
  }
  Value getSummand(Operation *op);
  bool mayJoin(Operation *op);
  bool findJoined();
  bool findTurns();

  Value getWhole(Value part);
  Value takePart(ImplicitLocOpBuilder &builder, Value whole, Value row);
  void join(Operation *op);
  void createLoop(int64_t turn);
  Value cloneInto(Value value, ImplicitLocOpBuilder &builder, IRMapping &values, Value row);
  Value createStart(Value handedOn);

  RangeOp loop;
  int64_t trips = 0, rows = 0;
  llvm::SmallPtrSet<Operation *, 16> joined;
  DenseMap<Operation *, int64_t> turns;
  /// What products and the ops that are left hand on to joined ones, by the turn of their loop.
  SmallVector<SmallVector<Value>> handedOn;
  /// Whole tiles by their parts.
  DenseMap<Value, Value> wholes;
};

} // namespace

/// Whether an offset is that of the part of this iteration.
bool PartLoop::isPartOf(Value row, Value col) {
  if (!isConstantIntValue(col, 0))
    return false;
  if (rows == 1 && row == loop.getInductionVar())
    return true;
  auto product = row.getDefiningOp<arith::MulIOp>();
  return product && product.getLhs() == loop.getInductionVar() &&
         isConstantIntValue(product.getRhs(), rows);
}

/// Whether a value is the part of a carried tile as it was before the iteration.
bool PartLoop::isCarriedPart(Value value) {
  auto extract = value.getDefiningOp<ExtractOp>();
  return extract && llvm::is_contained(loop.getCarried(), extract.getInput());
}

/// Carried tiles are only taken part by part, and each is given its part again.
bool PartLoop::matchCarried() {
  if (loop.getCarried().empty())
    return false;
  for (auto [carried, next] : llvm::zip_equal(loop.getCarried(), loop.getYield().getValues())) {
    std::optional<int64_t> all = getRows(carried);
    if (!all || *all % trips != 0 || (rows != 0 && rows * trips != *all))
      return false;
    rows = *all / trips;
    auto insert = next.getDefiningOp<InsertOp>();
    if (!insert || insert.getWhole() != carried || insert.getTransposed() ||
        !isPart(insert.getPart()) || !insert->hasOneUse() ||
        !isPartOf(insert.getRow(), insert.getCol()) ||
        insert.getPart().getType().getCols() != cast<TileType>(carried.getType()).getCols())
      return false;
    for (Operation *user : carried.getUsers()) {
      auto extract = dyn_cast<ExtractOp>(user);
      if (user != insert &&
          (!extract || extract.getTransposed() || !isPart(extract.getResult()) ||
           !isPartOf(extract.getRow(), extract.getCol()) ||
           extract.getType().getCols() != cast<TileType>(carried.getType()).getCols()))
        return false;
    }
  }
  return true;
}

/// What an op adds a product to, where nothing else takes the product: the op stays with it, so
/// that the product is summed there. Null for anything else.
Value PartLoop::getSummand(Operation *op) {
  if (!isa<AddOp>(op))
    return {};
  for (auto [value, product] : {std::pair(op->getOperand(0), op->getOperand(1)),
                                std::pair(op->getOperand(1), op->getOperand(0))})
    if (product.getDefiningOp<DotOp>() && product.hasOneUse() && isPart(value) &&
        value.getType() == op->getResult(0).getType())
      return value;
  return {};
}

/// Whether an op computes each row of a part by itself, from rows of parts and from what all rows
/// have alike, and nothing but joined ops and products take its result.
bool PartLoop::mayJoin(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  bool isByRows =
      isBinary(op) || isUnary(op) || isa<CastOp>(op) || (reduce && reduce.getAxis() == 1);
  if (!isByRows || getSummand(op) || !isPart(op->getResult(0)))
    return false;
  bool takesPart = false;
  for (Value operand : op->getOperands()) {
    if (!isInside(operand)) {
      if (isa<TileType>(operand.getType()) && getRows(operand) != 1)
        return false;
      continue;
    }
    if (!isPart(operand))
      return false;
    takesPart = true;
  }
  return takesPart && llvm::all_of(op->getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           if (auto dot = dyn_cast<DotOp>(user))
             return use.getOperandNumber() == 0 && !dot.getTransposeA();
           return isa<InsertOp>(user) || joined.contains(user) ||
                  getSummand(user) == op->getResult(0);
         });
}

/// The largest set of ops that can be joined; false where there is none.
bool PartLoop::findJoined() {
  for (Operation &op : loop.getBody().front().without_terminator())
    joined.insert(&op);
  for (bool changes = true; changes;) {
    changes = false;
    for (Operation &op : loop.getBody().front().without_terminator())
      if (joined.contains(&op) && !mayJoin(&op))
        changes = joined.erase(&op);
  }
  return !joined.empty();
}

/// Says in which loop each product and the ops around it are, and what they hand on; false where
/// one would have to hand something on to another loop.
bool PartLoop::findTurns() {
  auto getTurn = [&](Value value) { return turns.lookup_or(value.getDefiningOp(), before); };
  auto function = loop->getParentOfType<func::FuncOp>();
  if (!function)
    return false;
  RowLimits limits(function);
  for (Operation &op : loop.getBody().front().without_terminator()) {
    if (isa<InsertOp>(op) || (op.getNumResults() == 1 && isCarriedPart(op.getResult(0))))
      continue;
    if (op.getNumRegions() != 0 || op.getNumResults() != 1 ||
        !(isMemoryEffectFree(&op) || isa<LoadOp>(op)))
      return false;
    bool isLeft = !joined.contains(&op);
    int64_t turn = isLeft ? 0 : before;
    for (Value operand : op.getOperands())
      if (isInside(operand) && operand != loop.getInductionVar())
        turn = std::max(turn, getTurn(operand) + (isLeft && isJoined(operand) ? 1 : 0));
    turns[&op] = turn;
  }
  // A product is computed in one loop only; anything else is computed again where it is needed.
  for (Operation &op : loop.getBody().front().without_terminator()) {
    if (!turns.contains(&op) || joined.contains(&op))
      continue;
    bool isHandedOn = llvm::any_of(op.getUsers(), [&](Operation *user) {
      auto insert = dyn_cast<InsertOp>(user);
      return joined.contains(user) || (insert && insert.getPart() == op.getResult(0));
    });
    bool isProduct = isa<DotOp>(op) || getSummand(&op);
    for (Operation *user : op.getUsers())
      if (isProduct && turns.contains(user) && !joined.contains(user) && turns[user] != turns[&op])
        return false;
    if (!isHandedOn)
      continue;
    // All of its rows exist, so that those of the whole do, and its columns are those of all parts.
    Value value = op.getResult(0);
    if (!isPart(value) || !limits.getSpans(value).empty() ||
        llvm::any_of(limits.getColumnSpans(value), [&](Value span) { return isInside(span); }))
      return false;
    handedOn.resize(std::max<size_t>(handedOn.size(), turns[&op] + 1));
    handedOn[turns[&op]].push_back(value);
  }
  return !handedOn.empty();
}

bool PartLoop::matches() {
  std::optional<int64_t> end = getConstantIntValue(loop.getUpper());
  if (!isConstantIntValue(loop.getLower(), 0) || !end || *end < 2 || loop.getBlock())
    return false;
  trips = *end;
  bool hasProduct =
      llvm::any_of(loop.getBody().front(), [](Operation &op) { return isa<DotOp>(op); });
  if (!hasProduct || !matchCarried())
    return false;
  // What is the same for all parts is seen to be so.
  moveLoopInvariantCode(loop);
  return findJoined() && findTurns();
}

/// The whole tile that a value is a part of, or the value itself where all parts have the same.
Value PartLoop::getWhole(Value part) {
  if (isCarriedPart(part)) {
    auto carried = cast<BlockArgument>(part.getDefiningOp<ExtractOp>().getInput());
    return loop.getInits()[carried.getArgNumber() - 1];
  }
  return wholes.lookup_or(part, part);
}

static TileType getWholeType(Value part, int64_t rows) {
  auto type = cast<TileType>(part.getType());
  return TileType::get(type.getContext(), getDim(type.getContext(), rows), type.getCols(),
                       type.getElementType());
}

Value PartLoop::takePart(ImplicitLocOpBuilder &builder, Value whole, Value row) {
  auto type = cast<TileType>(whole.getType());
  auto part = TileType::get(type.getContext(), getDim(type.getContext(), rows), type.getCols(),
                            type.getElementType());
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  return ExtractOp::create(builder, part, whole, row, zero, /*transposed=*/false);
}

void PartLoop::join(Operation *op) {
  OpBuilder builder(loop);
  IRMapping values;
  for (Value operand : op->getOperands())
    values.map(operand, getWhole(operand));
  Operation *whole = builder.clone(*op, values);
  whole->getResult(0).setType(getWholeType(op->getResult(0), rows * trips));
  wholes[op->getResult(0)] = whole->getResult(0);
}

/// A value of the loop in another loop, with all that it is computed from.
Value PartLoop::cloneInto(Value value, ImplicitLocOpBuilder &builder, IRMapping &values,
                          Value row) {
  if (values.contains(value) || !isInside(value))
    return values.lookupOrDefault(value);
  Value result;
  if (isJoined(value)) {
    result = takePart(builder, getWhole(value), row);
  } else {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloneInto(operand, builder, values, row);
    result = builder.clone(*op, values)->getResult(0);
  }
  values.map(value, result);
  return result;
}

/// What a tile that is handed on holds before the loop: what products are added to, or nothing.
Value PartLoop::createStart(Value value) {
  OpBuilder builder(loop);
  if (Value summand = getSummand(value.getDefiningOp()); summand && isJoined(summand))
    return getWhole(summand);
  return UndefinedOp::create(builder, value.getLoc(), getWholeType(value, rows * trips));
}

void PartLoop::createLoop(int64_t turn) {
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  ArrayRef<Value> results = handedOn[turn];
  auto starts = llvm::map_to_vector(results, [&](Value value) { return createStart(value); });
  auto parts =
      RangeOp::create(builder, ValueRange(starts).getTypes(), loop.getLower(), loop.getUpper(),
                      starts, /*block=*/Attribute(), loop.getStagesAttr(), loop.getParallelAttr());
  Block *body = builder.createBlock(&parts.getBody());
  IRMapping values;
  values.map(loop.getInductionVar(),
             body->addArgument(builder.getIndexType(), loop.getInductionVar().getLoc()));
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value row = arith::MulIOp::create(builder, body->getArgument(0),
                                    arith::ConstantIndexOp::create(builder, rows));
  SmallVector<Value> next;
  for (auto [value, start] : llvm::zip_equal(results, starts)) {
    Value carried = body->addArgument(start.getType(), value.getLoc());
    if (!start.getDefiningOp<UndefinedOp>())
      values.map(getSummand(value.getDefiningOp()), takePart(builder, carried, row));
    Value part = cloneInto(value, builder, values, row);
    next.push_back(InsertOp::create(builder, part, carried, row, zero, /*transposed=*/false));
  }
  YieldOp::create(builder, next);
  for (auto [value, result] : llvm::zip_equal(results, parts.getResults()))
    wholes[value] = result;
}

void PartLoop::split() {
  for (int64_t turn = before; turn < static_cast<int64_t>(handedOn.size()); ++turn) {
    if (turn != before && !handedOn[turn].empty())
      createLoop(turn);
    for (Operation &op : loop.getBody().front().without_terminator())
      if (joined.contains(&op) && turns[&op] == turn)
        join(&op);
  }
  for (auto [result, next] : llvm::zip_equal(loop.getResults(), loop.getYield().getValues()))
    result.replaceAllUsesWith(getWhole(next.getDefiningOp<InsertOp>().getPart()));
  loop.erase();
}

namespace {

struct JoinPartsPass : attn::impl::JoinPartsPassBase<JoinPartsPass> {
  void runOnOperation() override {
    SmallVector<RangeOp> loops;
    getOperation().walk([&](RangeOp loop) { loops.push_back(loop); });
    for (RangeOp loop : loops) {
      PartLoop parts(loop);
      if (!parts.matches())
        continue;
      parts.split();
      ++split;
    }
  }
};

} // namespace
