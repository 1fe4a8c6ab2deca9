// The pass `jit-order-reads`: products of few rows go through what lies side by side in memory
// before they go on. CPU stage, on buffers.
#include "NextIteration.h"
#include "ProductContext.h"
#include "ProductSteps.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace attn {
#define GEN_PASS_DEF_ORDERREADSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::jit;

namespace {

/// Of the right operands of all heads, how many bytes are gone through before the next: a product
/// of more rows reads and writes what it sums less often, but goes back and forth further in
/// memory.
constexpr int64_t bytesTogether = 8 << 10;
/// The most rows for that, as many as registers hold sums of.
constexpr int64_t mostTogether = 4;
/// So many sums are as many as multiplications are under way: more rows gain nothing then.
constexpr int64_t enoughSums = 8;

/// How far ahead of what is read memory is asked for, at most, or a row.
constexpr int64_t bytesAhead = 10 << 10;

/// How far ahead the pages of memory are looked up, by asking for one line of each. A processor
/// drops much of what it is asked for in a page while it looks that up, and this takes long after
/// other work: the entries of page tables have left the caches.
constexpr int64_t pagesAhead = 48 << 10;
constexpr int64_t pageBytes = 4 << 10;

/// The most rows of a product for that: more load and store so many sums for every two rows that
/// memory waits.
constexpr int64_t mostRows = 4;

/// A loop over the heads of an array, which multiplies by the rows of each: rows of all heads that
/// belong together lie side by side, those of one head do not.
class HeadLoop {
public:
  HeadLoop(scf::ForOp loop, linalg::MatmulOp product) : loop(loop), product(product) {}

  /// Whether it is one: nothing but its product depends on the order of its iterations.
  bool matches(bool pairs);

  /// Whether it is known before `place`, an op of the block of the loop, what the loop reads.
  bool isKnownAt(Operation *place) { return isKnownAt(right, place); }
  /// Checks what the loop reads before `place`, and takes the rows of all heads there.
  void takeRows(Operation *place);
  scf::ForOp getLoop() { return loop; }
  Value getRows() { return all; }
  /// What is read after these rows, of the same type; null where that is not known.
  void setNext(Value rows) { next = rows; }
  /// Only once it has taken its rows.
  void reorder();

private:
  /// What is asked for early: rows of all heads from one on; null for nothing.
  struct Later {
    Value rows, row;
  };

  Value getRight() { return product.getInputs()[1]; }
  bool isOuter(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  std::optional<int64_t> getFactor(Value index);
  std::optional<size_t> findMovingOffset(ValueRange offsets);
  bool mayCheckAtOnce(cpu::CheckAccessOp check);
  bool mayReorder(Operation *op);
  bool matchRight();

  Value cloneAt(ImplicitLocOpBuilder &builder, Value value, IRMapping &values);
  Value getFirst(ImplicitLocOpBuilder &builder, Value index);
  bool isKnownAt(Value value, Operation *place);
  void checkAtOnce(cpu::CheckAccessOp check, Operation *place);
  /// What rows ask for while they are read: for lines of these rows of all heads, also for lines of
  /// what is read next, or for nothing.
  enum class Asks { Own, Next, Nothing };

  void createLoops(ImplicitLocOpBuilder &builder, Value begin, Value end, int64_t rows, Asks asks);
  void createProduct(ImplicitLocOpBuilder &builder, Value head, Value row, int64_t rows, Asks asks);
  int64_t countAhead(int64_t bytes) const { return std::max<int64_t>(1, bytes / rowBytes); }
  Later findLater(ImplicitLocOpBuilder &builder, Value row, int64_t ahead);
  void createPagesAhead(ImplicitLocOpBuilder &builder, Value row);
  Value createReadAhead(ImplicitLocOpBuilder &builder, Value part, Value head, Value row,
                        Asks asks);

  scf::ForOp loop;
  linalg::MatmulOp product;
  memref::SubViewOp right;
  int64_t heads = 0;
  /// The bytes of a row of all heads, and how many rows are read together.
  int64_t rowBytes = 0, together = 2;
  size_t headDim = 0, rowDim = 0;
  /// What sets to zero what the product is added to; null where nothing does.
  linalg::FillOp fill;
  /// The rows of all heads, rows by heads by columns, and those that are read after them.
  Value all, next;
};

} // namespace

/// How an index grows with the iterations; none where that is not known.
std::optional<int64_t> HeadLoop::getFactor(Value index) {
  if (index == loop.getInductionVar())
    return 1;
  if (isOuter(index))
    return 0;
  Operation *op = index.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
    return {};
  std::optional<int64_t> lhs = getFactor(op->getOperand(0)), rhs = getFactor(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  for (auto [factor, other] :
       {std::pair(lhs, op->getOperand(1)), std::pair(rhs, op->getOperand(0))})
    if (std::optional<int64_t> number = getConstantIntValue(other))
      return *factor * *number;
  return *lhs == 0 && *rhs == 0 ? std::optional<int64_t>(0) : std::nullopt;
}

/// The only offset that changes with the iterations; none where there are others, or it is not
/// known how.
std::optional<size_t> HeadLoop::findMovingOffset(ValueRange offsets) {
  std::optional<size_t> found;
  for (auto [number, offset] : llvm::enumerate(offsets)) {
    if (isOuter(offset))
      continue;
    if (found || !getFactor(offset))
      return {};
    found = number;
  }
  return found;
}

/// Whether the parts that all iterations check are one: each begins where the one before it ends.
bool HeadLoop::mayCheckAtOnce(cpu::CheckAccessOp check) {
  if (!isOuter(check.getArray()) ||
      !llvm::all_of(check.getSizes(), [&](Value size) { return isOuter(size); }))
    return false;
  if (llvm::all_of(check.getOffsets(), [&](Value offset) { return isOuter(offset); }))
    return true;
  std::optional<size_t> moving = findMovingOffset(check.getOffsets());
  return moving &&
         getConstantIntValue(check.getSizes()[*moving]) == getFactor(check.getOffsets()[*moving]) &&
         isConstantIntValue(check.getSteps()[*moving], 1);
}

/// The right operand: of each head the same rows, which are dimensions of the array in this order.
bool HeadLoop::matchRight() {
  right = getRight().getDefiningOp<memref::SubViewOp>();
  if (!right || right.getType().getRank() != 2 || !right.hasUnitStride() || !right->hasOneUse() ||
      right.getType().getStridesAndOffset().first.back() != 1)
    return false;
  llvm::SmallBitVector dropped = right.getDroppedDims();
  SmallVector<size_t> kept;
  for (size_t dim = 0; dim < dropped.size(); ++dim)
    if (!dropped.test(dim))
      kept.push_back(dim);
  size_t last = right.getSourceType().getRank() - 1;
  SmallVector<Value> moving;
  for (OpFoldResult offset : right.getMixedOffsets())
    if (auto value = dyn_cast<Value>(offset); value && !isOuter(value))
      moving.push_back(value);
  if (kept.size() != 2 || kept[1] != last || moving.size() != 1 || getFactor(moving[0]) != 1 ||
      right.isDynamicSize(last))
    return false;
  rowDim = kept[0];
  for (auto [dim, offset] : llvm::enumerate(right.getMixedOffsets()))
    if (dyn_cast<Value>(offset) == moving[0])
      headDim = dim;
  for (OpFoldResult size : right.getMixedSizes())
    if (auto value = dyn_cast<Value>(size); value && !isOuter(value))
      return false;
  MemRefType type = right.getType();
  rowBytes = heads * type.getDimSize(1) * type.getElementTypeBitWidth() / 8;
  if (rowBytes == 0)
    return false;
  int64_t enough = enoughSums / countTileRows(product.getOutputs()[0]);
  auto fitting =
      static_cast<uint64_t>(std::min({mostTogether, heads, bytesTogether / rowBytes, enough}));
  together = std::max<int64_t>(2, llvm::bit_floor(fitting));
  return rowDim < headDim && headDim < last && dropped.test(headDim);
}

/// Whether an op may come before the products of all iterations.
bool HeadLoop::mayReorder(Operation *op) {
  if (auto check = dyn_cast<cpu::CheckAccessOp>(op))
    return mayCheckAtOnce(check);
  if (!isa<linalg::FillOp>(op))
    return op == product || isMemoryEffectFree(op) || isOpTriviallyDead(op);
  // Each iteration fills a part of its own, for its product.
  if (fill || !op->isBeforeInBlock(product))
    return false;
  fill = cast<linalg::FillOp>(op);
  auto part = fill.getOutputs()[0].getDefiningOp<memref::SubViewOp>();
  if (!part || !isOuter(part.getSource()) || !isOuter(fill.getInputs()[0]) ||
      (product.getOutputs()[0] != part && getWhole(product.getOutputs()[0]) != part))
    return false;
  return llvm::any_of(
      llvm::zip_equal(part.getMixedOffsets(), part.getMixedSizes()), [&](auto place) {
        auto [offset, size] = place;
        auto value = dyn_cast<Value>(offset);
        return value && !isOuter(value) && getFactor(value) == getConstantIntValue(size);
      });
}

bool HeadLoop::matches(bool pairs) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ult(2) || loop.getNumResults() != 0 ||
      !isConstantIntValue(loop.getLowerBound(), 0) || !isConstantIntValue(loop.getStep(), 1) ||
      countTileRows(product.getOutputs()[0]) > mostRows)
    return false;
  heads = trips->getSExtValue();
  auto getElement = [](Value value) { return cast<MemRefType>(value.getType()).getElementType(); };
  Type sum = getElement(product.getOutputs()[0]);
  for (Value input : product.getInputs())
    if (getElement(input) != sum && !(pairs && getElement(input).isBF16()))
      return false;
  Value left = getRoot(product.getInputs()[0]), result = getRoot(product.getOutputs()[0]);
  if (isTransposed(product, 0) || left == result || getRoot(getRight()) == result)
    return false;
  return llvm::all_of(loop.getBody()->without_terminator(),
                      [&](Operation &op) { return mayReorder(&op); }) &&
         matchRight();
}

/// A value of an iteration, computed again.
Value HeadLoop::cloneAt(ImplicitLocOpBuilder &builder, Value value, IRMapping &values) {
  if (values.contains(value) || isOuter(value))
    return values.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneAt(builder, operand, values);
  values.map(value, builder.clone(*op, values)->getResult(0));
  return values.lookup(value);
}

/// An index as it is in the first iteration.
Value HeadLoop::getFirst(ImplicitLocOpBuilder &builder, Value index) {
  IRMapping values;
  values.map(loop.getInductionVar(), loop.getLowerBound());
  return cloneAt(builder, index, values);
}

/// Whether all that a value is computed from is there before `place`.
bool HeadLoop::isKnownAt(Value value, Operation *place) {
  Operation *op = value.getDefiningOp();
  if (isOuter(value))
    return !op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place);
  return value == loop.getInductionVar() ||
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownAt(operand, place); });
}

/// One check of what all iterations take.
void HeadLoop::checkAtOnce(cpu::CheckAccessOp check, Operation *place) {
  ImplicitLocOpBuilder builder(check.getLoc(), place);
  SmallVector<Value> offsets(check.getOffsets()), sizes(check.getSizes());
  if (std::optional<size_t> moving = findMovingOffset(offsets)) {
    sizes[*moving] = createNumber(builder, *getFactor(offsets[*moving]) * heads);
    offsets[*moving] = getFirst(builder, offsets[*moving]);
  }
  SmallVector<Value> steps;
  for (Value step : check.getSteps())
    steps.push_back(getFirst(builder, step));
  auto once =
      cpu::CheckAccessOp::create(builder, check.getType(), check.getAccessAttr(), check.getArray(),
                                 offsets, sizes, steps, check.getNameAttr());
  check.getResult().replaceAllUsesWith(once);
  check.erase();
}

/// A part of `matrix`, whose leading dimensions beyond two are taken at one place each.
static Value takePart(ImplicitLocOpBuilder &builder, Value matrix, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> steps(offsets.size(), builder.getIndexAttr(1));
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(matrix.getType()), offsets, sizes, steps);
  return memref::SubViewOp::create(builder, type, matrix, offsets, sizes, steps);
}

void HeadLoop::takeRows(Operation *place) {
  if (auto check = right.getSource().getDefiningOp<cpu::CheckAccessOp>(); check && !isOuter(check))
    checkAtOnce(check, place);
  ImplicitLocOpBuilder builder(right.getLoc(), place);
  SmallVector<OpFoldResult> offsets = right.getMixedOffsets(), sizes = right.getMixedSizes();
  offsets[headDim] = getFirst(builder, cast<Value>(offsets[headDim]));
  sizes[headDim] = builder.getIndexAttr(heads);
  ArrayRef<int64_t> shape = right.getType().getShape();
  all = takePart(builder, right.getSource(), offsets, sizes, {shape[0], heads, shape[1]});
}

/// Where rows are that lie so many after `row` in memory, of all heads; after the last ones come
/// those of `next`, but none that follow those.
HeadLoop::Later HeadLoop::findLater(ImplicitLocOpBuilder &builder, Value row, int64_t ahead) {
  if (!next)
    return {all, add(builder, row, ahead)};
  Value count = builder.createOrFold<memref::DimOp>(all, 0);
  Value most = builder.createOrFold<arith::MinSIOp>(createNumber(builder, ahead), count);
  Value from = add(builder, row, most);
  Value isNext = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, from, count);
  Value rows = arith::SelectOp::create(builder, isNext, next, all);
  from = arith::SelectOp::create(builder, isNext, subtract(builder, from, count), from);
  return {rows, from};
}

/// Says what is asked for while `part` is read. Heads follow each other in memory, so each asks for
/// as much of one row as it reads of all that are taken together.
Value HeadLoop::createReadAhead(ImplicitLocOpBuilder &builder, Value part, Value head, Value row,
                                Asks asks) {
  if (asks == Asks::Nothing)
    return cpu::ReadAheadOp::create(builder, part.getType(), part, Value());
  int64_t width = cast<MemRefType>(all.getType()).getDimSize(2), ahead = countAhead(bytesAhead);
  Value place = multiply(builder, head, together);
  Value own = add(builder, row, divide(builder, place, heads));
  Later later =
      asks == Asks::Own ? Later{all, add(builder, own, ahead)} : findLater(builder, own, ahead);
  Value to = builder.createOrFold<arith::RemUIOp>(place, createNumber(builder, heads));
  Value rows = takePart(
      builder, later.rows, {later.row, to, builder.getIndexAttr(0)},
      {builder.getIndexAttr(1), builder.getIndexAttr(together), builder.getIndexAttr(width)},
      {together, width});
  return cpu::ReadAheadOp::create(builder, part.getType(), part, rows);
}

/// Asks for a line of each page of the rows that lie further ahead than those whose lines are asked
/// for.
void HeadLoop::createPagesAhead(ImplicitLocOpBuilder &builder, Value row) {
  Later later = findLater(builder, row, countAhead(pagesAhead));
  int64_t headBytes = rowBytes / heads;
  int64_t elements = cast<MemRefType>(all.getType()).getDimSize(2);
  for (int64_t place = 0; place < together * rowBytes; place += pageBytes) {
    Value ofRow = add(builder, later.row, place / rowBytes);
    Value head = createNumber(builder, place % rowBytes / headBytes);
    Value col = createNumber(builder, place % headBytes * elements / headBytes);
    prefetchLine(builder, later.rows, {ofRow, head, col}, Cache::Once);
  }
}

/// The product of one head by `rows` rows from `row` on.
void HeadLoop::createProduct(ImplicitLocOpBuilder &builder, Value head, Value row, int64_t rows,
                             Asks asks) {
  OpFoldResult zero = builder.getIndexAttr(0), count = builder.getIndexAttr(rows);
  int64_t width = right.getType().getDimSize(1);
  Value part =
      takePart(builder, all, {row, head, zero},
               {count, builder.getIndexAttr(1), builder.getIndexAttr(width)}, {rows, width});
  part = createReadAhead(builder, part, head, row, asks);
  IRMapping values;
  values.map(loop.getInductionVar(), head);
  Value left = cloneAt(builder, product.getInputs()[0], values);
  Value result = cloneAt(builder, product.getOutputs()[0], values);
  bool isByColumns = isTransposed(product, 1);
  Value &cut = isByColumns ? result : left;
  int64_t leftRows = cast<MemRefType>(cut.getType()).getDimSize(0);
  cut =
      takePart(builder, cut, {zero, row},
               {memref::getMixedSize(builder, builder.getLoc(), cut, 0), count}, {leftRows, rows});
  // Columns are complete after one product.
  if (isByColumns && fill)
    linalg::FillOp::create(builder, fill.getInputs(), result);
  IRMapping operands;
  operands.map(product.getInputs()[0], left);
  operands.map(getRight(), part);
  operands.map(product.getOutputs()[0], result);
  builder.clone(*product, operands);
}

void HeadLoop::createLoops(ImplicitLocOpBuilder &builder, Value begin, Value end, int64_t rows,
                           Asks asks) {
  emitLoop(builder, begin, end, rows, [&](ImplicitLocOpBuilder &inRows, Value row) {
    if (asks != Asks::Nothing)
      createPagesAhead(inRows, row);
    emitLoop(inRows, createNumber(inRows, 0), createNumber(inRows, heads), 1,
             [&](ImplicitLocOpBuilder &inHeads, Value head) {
               createProduct(inHeads, head, row, rows, asks);
             });
  });
}

void HeadLoop::reorder() {
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    if (auto check = dyn_cast<cpu::CheckAccessOp>(op))
      checkAtOnce(check, loop);
  ImplicitLocOpBuilder builder(product.getLoc(), loop->getNextNode());
  Value zero = createNumber(builder, 0), count = builder.createOrFold<memref::DimOp>(all, 0);
  Value whole = roundDown(builder, count, together), begin = zero;
  if (next) {
    // Most rows ask for lines of these rows; to choose between two arrays takes longer.
    Value last = subtract(builder, whole, createNumber(builder, countAhead(bytesAhead)));
    begin = roundDown(builder, builder.createOrFold<arith::MaxSIOp>(last, zero), together);
    createLoops(builder, zero, begin, together, Asks::Own);
  }
  createLoops(builder, begin, whole, together, Asks::Next);
  createLoops(builder, whole, count, 1, Asks::Nothing);
  // What is left sets to zero what products are added to.
  product.erase();
}

namespace {

struct OrderReadsPass : attn::impl::OrderReadsPassBase<OrderReadsPass> {
  using OrderReadsPassBase::OrderReadsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp product) { products.push_back(product); });
    llvm::MapVector<Block *, SmallVector<HeadLoop>> loops;
    for (linalg::MatmulOp product : products) {
      auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
      if (!loop || !isPlain(product) ||
          !llvm::hasSingleElement(loop.getBody()->getOps<linalg::MatmulOp>()))
        continue;
      absorbSum(product);
      if (HeadLoop heads(loop, product); heads.matches(pairs))
        loops[loop->getBlock()].push_back(heads);
    }
    for (auto &[block, ofBlock] : loops)
      reorder(ofBlock);
  }

private:
  /// Reorders loops that follow each other in a block: after the rows of one, those of the next are
  /// read, and after the last ones those of the first in the next iteration around.
  void reorder(MutableArrayRef<HeadLoop> loops) {
    Operation *first = loops.front().getLoop();
    bool areKnown = llvm::all_of(loops, [&](HeadLoop &loop) { return loop.isKnownAt(first); });
    for (HeadLoop &loop : loops)
      loop.takeRows(areKnown ? first : loop.getLoop());
    for (size_t number = 0; number < loops.size(); ++number) {
      HeadLoop &loop = loops[number];
      bool isLast = number + 1 == loops.size();
      Value after = areKnown ? loops[isLast ? 0 : number + 1].getRows() : loop.getRows();
      if (after.getType() != loop.getRows().getType())
        after = loop.getRows();
      ImplicitLocOpBuilder builder(after.getLoc(), loop.getLoop());
      loop.setNext(after == loop.getRows() || isLast ? createNextPart(builder, after) : after);
    }
    for (HeadLoop &loop : loops)
      loop.reorder();
    ordered += loops.size();
  }
};

} // namespace
