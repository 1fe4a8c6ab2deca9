// Which columns of a tile a mask of positions leaves to its rows. CPU stage, on buffers, used by
// `jit-lower-products`.
//
// Masks are arithmetic on positions in f32: an element is taken where a sum of them is positive.
// The sum is read back from it. It may be cut off far outside of every tile, so that f32 holds it,
// and has its sign there all the same.
#include "SeenColumns.h"
#include "ProductContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn::jit;

namespace {

/// `row` times the row of an element, `col` times its column, and multiples of numbers that are the
/// same for all.
struct PositionSum {
  int64_t row = 0, col = 0, number = 0;
  SmallVector<std::pair<Value, int64_t>> terms;
};

/// Reads what the body of a sweep computes of positions.
class PositionReader {
public:
  explicit PositionReader(linalg::GenericOp sweep) : sweep(sweep) {}

  bool add(Value value, int64_t factor, PositionSum &sum);

private:
  bool addPosition(int64_t dim, int64_t factor, PositionSum &sum);
  bool addInput(BlockArgument argument, int64_t factor, PositionSum &sum);

  linalg::GenericOp sweep;
};

} // namespace

static std::optional<int64_t> getWholeNumber(Value value) {
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)) || !number.isInteger())
    return std::nullopt;
  APSInt whole(/*BitWidth=*/64, /*isUnsigned=*/false);
  bool isExact = false;
  number.convertToInteger(whole, APFloat::rmTowardZero, &isExact);
  return isExact ? std::optional(whole.getExtValue()) : std::nullopt;
}

/// The index that a number in f32 was made from.
static Value getIndex(Value value) {
  auto toFloat = value.getDefiningOp<arith::SIToFPOp>();
  auto toInteger = toFloat ? toFloat.getIn().getDefiningOp<arith::IndexCastOp>() : nullptr;
  return toInteger && toInteger.getIn().getType().isIndex() ? toInteger.getIn() : Value();
}

bool PositionReader::addPosition(int64_t dim, int64_t factor, PositionSum &sum) {
  (dim == 0 ? sum.row : sum.col) += factor;
  return true;
}

/// The only sweep that writes a buffer; null where there is another writer.
static linalg::GenericOp getOnlyWriter(Value buffer) {
  linalg::GenericOp writer;
  for (OpOperand &use : buffer.getUses()) {
    auto sweep = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!sweep || (sweep.isDpsInit(&use) && writer))
      return {};
    if (sweep.isDpsInit(&use))
      writer = sweep;
  }
  return writer;
}

/// An element of a row or a column of numbers that count it.
bool PositionReader::addInput(BlockArgument argument, int64_t factor, PositionSum &sum) {
  OpOperand *input = sweep.getMatchingOpOperand(argument);
  AffineMap map = sweep.getMatchingIndexingMap(input);
  Value buffer = input->get();
  linalg::GenericOp writer = buffer.getDefiningOp<memref::AllocOp>() && !sweep.isDpsInit(input)
                                 ? getOnlyWriter(buffer)
                                 : linalg::GenericOp();
  if (!writer || writer.getNumDpsInits() != 1 || map.getNumResults() != 2 ||
      !writer.getMatchingIndexingMap(writer.getDpsInitOperand(0)).isIdentity())
    return false;
  Value index = getIndex(writer.getBody()->getTerminator()->getOperand(0));
  auto position = index ? index.getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  auto along = position ? dyn_cast<AffineDimExpr>(map.getResult(position.getDim())) : nullptr;
  return along && addPosition(along.getPosition(), factor, sum);
}

bool PositionReader::add(Value value, int64_t factor, PositionSum &sum) {
  if (std::optional<int64_t> number = getWholeNumber(value)) {
    sum.number += factor * *number;
    return true;
  }
  if (Value index = getIndex(value)) {
    if (auto position = index.getDefiningOp<linalg::IndexOp>())
      return addPosition(position.getDim(), factor, sum);
    sum.terms.emplace_back(index, factor);
    return index.getParentBlock() != sweep.getBody();
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == sweep.getBody() && addInput(argument, factor, sum);
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return add(op->getOperand(0), factor, sum) &&
           add(op->getOperand(1), isa<arith::AddFOp>(op) ? factor : -factor, sum);
  auto product = dyn_cast<arith::MulFOp>(op);
  std::optional<int64_t> times = product ? getWholeNumber(product.getRhs()) : std::nullopt;
  return times && add(product.getLhs(), factor * *times, sum);
}

/// The operand besides a number.
template <typename Op> static Value getBeside(Value value, int64_t number) {
  auto op = value.getDefiningOp<Op>();
  return op && getWholeNumber(op.getRhs()) == number ? op.getLhs() : Value();
}

/// What is positive wherever `holds` is true: of a mask of several, any of them. Empty where none
/// is a sum of positions in which columns count down and rows up.
static std::optional<PositionSum> readCondition(Value holds, linalg::GenericOp sweep) {
  auto compare = holds.getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::ONE ||
      getWholeNumber(compare.getRhs()) != 0)
    return std::nullopt;
  SmallVector<Value> factors = {compare.getLhs()};
  while (!factors.empty()) {
    Value factor = factors.pop_back_val();
    if (auto product = factor.getDefiningOp<arith::MulFOp>()) {
      llvm::append_range(factors, product->getOperands());
      continue;
    }
    Value reached = getBeside<arith::MinimumFOp>(factor, 1);
    Value distance = reached ? getBeside<arith::MaximumFOp>(reached, 0) : Value();
    PositionSum sum;
    if (distance && PositionReader(sweep).add(distance, 1, sum) && sum.row == 1 && sum.col == -1)
      return sum;
  }
  return std::nullopt;
}

/// Whether the body of a sweep computes `value` from `argument` by another way than `passed`.
static bool dependsOn(Value value, BlockArgument argument, Operation *passed = nullptr) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op != passed && op->getBlock() == argument.getOwner() &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, argument, passed); });
}

/// Whether nothing else in a sweep than `choice`, whose condition and other value do not depend on
/// it, takes `element`.
static bool isOnlyTakenBy(arith::SelectOp choice, linalg::GenericOp sweep, BlockArgument element) {
  return !dependsOn(choice.getFalseValue(), element) &&
         !dependsOn(choice.getCondition(), element) &&
         llvm::none_of(sweep.getBody()->getTerminator()->getOperands(),
                       [&](Value result) { return dependsOn(result, element, choice); });
}

/// The condition of a choice that the elements of an output take anything of `element` by, or
/// anything that is computed at all where that is null.
static std::optional<PositionSum> findChoice(linalg::GenericOp sweep, OpOperand &output,
                                             BlockArgument element) {
  Value value = sweep.getMatchingYieldValue(&output)->get();
  while (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    std::optional<PositionSum> sum = readCondition(choice.getCondition(), sweep);
    if (sum && (!element || isOnlyTakenBy(choice, sweep, element)))
      return sum;
    value = choice.getTrueValue();
  }
  return std::nullopt;
}

/// The output by which a sweep writes all of a buffer, element by element; null where there is
/// none.
static OpOperand *findOutput(linalg::GenericOp sweep, Value buffer) {
  OpOperand *found = nullptr;
  for (OpOperand &output : sweep.getDpsInitsMutable())
    if (output.get() == buffer) {
      if (found || !sweep.getMatchingIndexingMap(&output).isIdentity())
        return nullptr;
      found = &output;
    }
  return sweep.getNumLoops() == 2 ? found : nullptr;
}

/// Moves what computes a value before `place`; false where that cannot be done.
static bool moveBefore(Value value, Operation *place) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  if (!isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return moveBefore(operand, place); }))
    return false;
  op->moveBefore(place);
  return true;
}

/// The part of a condition that is the same for all elements: `row - col + offset` is positive.
static Value createOffset(const PositionSum &sum, linalg::MatmulOp product) {
  if (!llvm::all_of(sum.terms, [&](auto term) { return moveBefore(term.first, product); }))
    return {};
  OpBuilder builder(product);
  Location loc = product.getLoc();
  Value offset = arith::ConstantIndexOp::create(builder, loc, sum.number);
  for (auto [value, factor] : sum.terms) {
    Value times = arith::ConstantIndexOp::create(builder, loc, factor);
    offset = arith::AddIOp::create(builder, loc, offset,
                                   arith::MulIOp::create(builder, loc, value, times));
  }
  return offset;
}

Value attn::jit::findSeenResult(linalg::MatmulOp product) {
  Value buffer = getWhole(product.getOutputs()[0]);
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return {};
  for (Operation *next = product->getNextNode(); next; next = next->getNextNode()) {
    if (isMemoryEffectFree(next) || !touches(next, buffer))
      continue;
    auto sweep = dyn_cast<linalg::GenericOp>(next);
    OpOperand *output = sweep ? findOutput(sweep, buffer) : nullptr;
    if (!output || llvm::is_contained(sweep.getInputs(), buffer))
      return {};
    std::optional<PositionSum> sum =
        findChoice(sweep, *output, sweep.getMatchingBlockArgument(output));
    return sum ? createOffset(*sum, product) : Value();
  }
  return {};
}

/// The input that an element of an output is computed from, of the same row and column of a buffer
/// of the same shape; null where there are several or none.
static Value getSource(linalg::GenericOp sweep, OpOperand &output) {
  Value source;
  auto shape = cast<MemRefType>(output.get().getType()).getShape();
  for (OpOperand *input : sweep.getDpsInputOperands()) {
    auto type = dyn_cast<MemRefType>(input->get().getType());
    if (!type || type.getShape() != shape || !sweep.getMatchingIndexingMap(input).isIdentity())
      continue;
    if (source)
      return {};
    source = input->get();
  }
  return source;
}

/// Whether an operation may change a buffer.
static bool mayWrite(Operation *op, Value buffer) {
  auto sweep = dyn_cast<linalg::LinalgOp>(op);
  return sweep ? llvm::is_contained(llvm::map_range(sweep.getDpsInits(), getRoot), buffer)
               : touches(op, buffer);
}

/// The choice that elements of a buffer were made from, by sweeps before `place`.
static std::optional<PositionSum> findOrigin(Value buffer, Operation *place) {
  while (buffer && buffer.getDefiningOp<memref::AllocOp>()) {
    Operation *last = place->getPrevNode();
    while (last && (isMemoryEffectFree(last) || !mayWrite(last, buffer)))
      last = last->getPrevNode();
    auto sweep = dyn_cast_if_present<linalg::GenericOp>(last);
    OpOperand *output = sweep ? findOutput(sweep, buffer) : nullptr;
    if (!output)
      return std::nullopt;
    if (auto sum = findChoice(sweep, *output, {}))
      return sum;
    place = sweep;
    if (!sweep.payloadUsesValueFromOperand(output))
      buffer = getSource(sweep, *output);
  }
  return std::nullopt;
}

Value attn::jit::findSeenLeft(linalg::MatmulOp product) {
  std::optional<PositionSum> sum = findOrigin(getWhole(product.getInputs()[0]), product);
  return sum ? createOffset(*sum, product) : Value();
}

Value attn::jit::createZeroCheck(ImplicitLocOpBuilder &builder, const Matrix &left, Value offset,
                                 int64_t lanes) {
  auto type = VectorType::get({lanes}, left.getElementType());
  auto bits = type.clone(builder.getIntegerType(type.getElementTypeBitWidth()));
  Value none = arith::ConstantOp::create(builder, builder.getZeroAttr(bits));
  Value zero = createNumber(builder, 0), one = createNumber(builder, 1);
  Value rows = left.createSize(builder, 0), cols = left.createSize(builder, 1);
  Value step = createNumber(builder, lanes);
  auto byRows = scf::ForOp::create(
      builder, zero, rows, one, none,
      [&](OpBuilder &inRows, Location loc, Value row, ValueRange all) {
        ImplicitLocOpBuilder at(loc, inRows);
        Value first = roundUpSeen(at, add(at, row, offset), lanes);
        auto byCols = scf::ForOp::create(
            at, first, roundDown(at, cols, lanes), step, all,
            [&](OpBuilder &inside, Location place, Value col, ValueRange found) {
              ImplicitLocOpBuilder in(place, inside);
              Value part = vector::LoadOp::create(in, type, left.memref, ValueRange{row, col});
              Value set =
                  arith::OrIOp::create(in, found[0], vector::BitCastOp::create(in, bits, part));
              scf::YieldOp::create(in, set);
            });
        scf::YieldOp::create(at, byCols.getResults());
      });
  Value set = vector::ReductionOp::create(builder, vector::CombiningKind::OR, byRows.getResult(0));
  Value zeroBits = arith::ConstantOp::create(builder, builder.getZeroAttr(bits.getElementType()));
  auto equal = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, rhs);
  };
  // What vectors do not reach was not looked at.
  return builder.createOrFold<arith::AndIOp>(equal(set, zeroBits),
                                             equal(cols, roundDown(builder, cols, lanes)));
}

Value attn::jit::roundUpSeen(ImplicitLocOpBuilder &builder, Value seen, int64_t lanes) {
  Value some = builder.createOrFold<arith::MaxSIOp>(seen, createNumber(builder, 0));
  return roundDown(builder, add(builder, some, lanes - 1), lanes);
}
