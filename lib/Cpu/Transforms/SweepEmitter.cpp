// One operation as loops over rows and vectors. CPU stage, on buffers, used by
// `jit-vectorize-rows`.
#include "SweepEmitter.h"
#include "LaneReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn::jit;

namespace {

/// Vectors that a sweep keeps live between its operations: half of the registers that every host
/// has.
constexpr int64_t maxLiveVectors = 8;

/// Vectors of a row that are written out instead of a loop, which would cost more than its steps;
/// and how many accesses they may have, so that compiling stays fast.
constexpr int64_t maxStraightVectors = 4, maxStraightAccesses = 64;

/// What is left of `size` elements after whole steps, as pieces (start, count) of full vectors and
/// then ever smaller ones.
SmallVector<std::pair<int64_t, int64_t>> getPieces(int64_t start, int64_t size, int64_t lanes) {
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  for (int64_t count = lanes; start < size; count /= 2)
    for (; start + count <= size; start += count)
      pieces.push_back({start, count});
  return pieces;
}

/// Emits one operation as loops.
class SweepEmitter {
public:
  SweepEmitter(linalg::GenericOp op, const RowSweep &sweep, const SweepContext &context)
      : op(op), sweep(sweep),
        unroll(std::clamp<int64_t>(maxLiveVectors / countLive(), 1, context.unroll)),
        neutral(context.neutral), claims(context.readAhead.getClaims(op)) {}

  /// Emits the sweep; twice where it writes arrays, which are streamed if they have `streamBytes`.
  /// Returns whether anything is streamed.
  bool emit(ImplicitLocOpBuilder &builder, int64_t streamBytes) {
    Value condition;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (!mayStream(op, sweep, output))
        continue;
      Value pays = createStreamCondition(builder, output, streamBytes);
      condition = condition ? arith::AndIOp::create(builder, condition, pays).getResult() : pays;
      streamed.insert(&output);
    }
    if (!condition) {
      emitLoops(builder);
      return false;
    }
    auto choice = scf::IfOp::create(builder, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    emitLoops(builder);
    streamed.clear();
    builder.setInsertionPointToStart(choice.elseBlock());
    emitLoops(builder);
    return true;
  }

private:
  void emitLoops(ImplicitLocOpBuilder &builder) {
    if (int64_t rows = countRowsTogether(); rows > 1)
      return sweep.emitOuterLoop(builder, rows, [&](ImplicitLocOpBuilder &inside, Value first) {
        emitReductions(inside, first, rows);
      });
    sweep.emitOuterLoop(builder, 1, [&](ImplicitLocOpBuilder &inside, Value outer) {
      loadInvariants(inside, outer);
      if (sweep.isInnerDynamic())
        emitDynamic(inside, outer);
      else if (sweep.isInnerReduction())
        emitReduction(inside, outer);
      else
        emitElementwise(inside, outer);
    });
  }

  /// How many vectors one step of the inner loop keeps in registers: partial results, or what it
  /// reads.
  int64_t countLive() {
    if (sweep.isInnerReduction())
      return getCombiners().size();
    return llvm::count_if(op->getOpOperands(),
                          [&](OpOperand &operand) { return sweep.variesAlongInner(operand); });
  }

  int64_t getStep() const { return sweep.getLanes() * unroll; }
  bool isShort() const {
    int64_t vectors = getMainSize() / sweep.getLanes();
    return vectors <= maxStraightVectors && vectors * op->getNumOperands() <= maxStraightAccesses;
  }
  int64_t getMainSize() const { return sweep.getInnerSize() / getStep() * getStep(); }

  /// What stays the same along the inner loop is read before it.
  void loadInvariants(ImplicitLocOpBuilder &builder, Value outer) {
    invariants.assign(op->getNumOperands(), Value());
    for (OpOperand &operand : op->getOpOperands())
      if (!sweep.variesAlongInner(operand) && op.payloadUsesValueFromOperand(&operand) &&
          !neutral.contains(&operand))
        invariants[operand.getOperandNumber()] = sweep.load(builder, operand, outer, outer, 1);
  }

  /// The values of the inputs for `count` elements from `inner` on.
  SmallVector<Value> loadInputs(ImplicitLocOpBuilder &builder, Value outer, Value inner,
                                int64_t count) {
    for (ReadAhead::Claim claim : claims)
      if (mayStartLine(*claim.input, inner))
        claim.sweep.prefetch(builder, *claim.input, outer, inner);
    SmallVector<Value> values;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value invariant = invariants[input->getOperandNumber()];
      bool isUsed = op.payloadUsesValueFromOperand(input);
      values.push_back(invariant || !isUsed ? invariant
                                            : sweep.load(builder, *input, outer, inner, count));
    }
    return values;
  }

  Value getIndex(ImplicitLocOpBuilder &builder, Value base, int64_t offset) {
    if (offset == 0)
      return base;
    return arith::AddIOp::create(builder, base, arith::ConstantIndexOp::create(builder, offset));
  }

  using StepBody = function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)>;

  /// Emits a loop over the whole steps; `body` gets the index and the carried values.
  SmallVector<Value> emitMainLoop(ImplicitLocOpBuilder &builder, ValueRange carried,
                                  StepBody body) {
    if (getMainSize() == 0)
      return carried;
    if (getMainSize() == getStep() || isShort()) {
      SmallVector<Value> values(carried);
      for (int64_t start = 0; start < getMainSize(); start += getStep())
        values = body(builder, arith::ConstantIndexOp::create(builder, start), values);
      return values;
    }
    return emitLoop(builder, arith::ConstantIndexOp::create(builder, 0),
                    arith::ConstantIndexOp::create(builder, getMainSize()), getStep(), carried,
                    body);
  }

  /// Emits a loop over indices that only the run tells; `body` as in `emitMainLoop`.
  SmallVector<Value> emitLoop(ImplicitLocOpBuilder &builder, Value begin, Value end, int64_t step,
                              ValueRange carried, StepBody body) {
    Value stride = arith::ConstantIndexOp::create(builder, step);
    auto loop =
        scf::ForOp::create(builder, begin, end, stride, carried,
                           [&](OpBuilder &inside, Location loc, Value index, ValueRange values) {
                             ImplicitLocOpBuilder bodyBuilder(loc, inside);
                             scf::YieldOp::create(inside, loc, body(bodyBuilder, index, values));
                           });
    return loop.getResults();
  }

  /// Rows whose length only the run tells: whole vectors, and what is left element by element.
  void emitDynamic(ImplicitLocOpBuilder &builder, Value outer) {
    int64_t lanes = sweep.getLanes();
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value size = sweep.createInnerSize(builder);
    Value main = roundDown(builder, size, lanes);
    if (sweep.isInnerReduction())
      return emitDynamicReduction(builder, outer, size, main);
    auto emitSteps = [&](Value begin, Value end, int64_t count) {
      emitLoop(builder, begin, end, count, {},
               [&](ImplicitLocOpBuilder &inside, Value index, ValueRange) {
                 emitElements(inside, outer, index, count);
                 return SmallVector<Value>();
               });
    };
    emitSteps(zero, main, lanes);
    if (lanes > 1)
      emitSteps(main, size, 1);
  }

  /// Several groups of partial results, as where the length is known, for as long as there are
  /// elements for all of them.
  void emitDynamicReduction(ImplicitLocOpBuilder &builder, Value outer, Value size, Value main) {
    SmallVector<Operation *> combiners = getCombiners();
    unsigned outputs = combiners.size();
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value steps = roundDown(builder, size, getStep());
    SmallVector<Value> partials =
        emitLoop(builder, zero, steps, getStep(), createPartials(builder, combiners),
                 [&](ImplicitLocOpBuilder &inside, Value index, ValueRange carried) {
                   return accumulateGroups(inside, outer, index, carried);
                 });
    auto emitSteps = [&](Value begin, Value end, int64_t count, ValueRange carried) {
      return emitLoop(builder, begin, end, count, carried,
                      [&](ImplicitLocOpBuilder &inside, Value index, ValueRange values) {
                        return accumulate(inside, {outer, index, count}, values);
                      });
    };
    int64_t lanes = sweep.getLanes();
    if (unroll > 1)
      llvm::copy(emitSteps(steps, main, lanes, ArrayRef(partials).take_front(outputs)),
                 partials.begin());
    SmallVector<Value> totals =
        combineLanes(builder, combiners, combineGroups(builder, combiners, partials));
    if (lanes > 1)
      totals = emitSteps(main, size, 1, totals);
    storeTotals(builder, combiners, outer, totals);
  }

  Value roundDown(ImplicitLocOpBuilder &builder, Value size, int64_t factor) {
    Value rest =
        arith::RemUIOp::create(builder, size, arith::ConstantIndexOp::create(builder, factor));
    return arith::SubIOp::create(builder, size, rest);
  }

  /// What folds elements into each output that is a reduction.
  SmallVector<Operation *> getCombiners() {
    SmallVector<Operation *> combiners;
    for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable()))
      if (sweep.isReduced(output))
        combiners.push_back(sweep.getCombiner(number));
    return combiners;
  }

  /// Writes the sums of a row, added to what they start from.
  void storeTotals(ImplicitLocOpBuilder &builder, ArrayRef<Operation *> combiners, Value outer,
                   ArrayRef<Value> totals) {
    unsigned number = 0;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (!sweep.isReduced(output))
        continue;
      Value start = invariants[output.getOperandNumber()], total = totals[number];
      if (start)
        total = combine(builder, combiners[number], start, total);
      sweep.store(builder, total, output, outer, outer);
      ++number;
    }
  }

  void emitElementwise(ImplicitLocOpBuilder &builder, Value outer) {
    emitMainLoop(builder, {}, [&](ImplicitLocOpBuilder &inside, Value index, ValueRange) {
      for (int64_t part = 0; part < unroll; ++part)
        emitElements(inside, outer, getIndex(inside, index, part * sweep.getLanes()),
                     sweep.getLanes());
      return SmallVector<Value>();
    });
    for (auto [start, count] : getPieces(getMainSize(), sweep.getInnerSize(), sweep.getLanes()))
      emitElements(builder, outer, arith::ConstantIndexOp::create(builder, start), count);
  }

  void emitElements(ImplicitLocOpBuilder &builder, Value outer, Value inner, int64_t count) {
    SmallVector<Value> values = loadInputs(builder, outer, inner, count);
    for (OpOperand &output : op.getDpsInitsMutable())
      values.push_back(loadUpdated(builder, output, {outer, inner, count}));
    SmallVector<Value> results = sweep.emitPayload(builder, values, {outer, inner, count});
    for (auto [result, output] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      sweep.store(builder, result, output, outer, inner, streamed.contains(&output));
  }

  /// What an output holds, where the payload uses it.
  Value loadUpdated(ImplicitLocOpBuilder &builder, OpOperand &output, const Place &place) {
    if (!op.payloadUsesValueFromOperand(&output))
      return {};
    return sweep.load(builder, output, place.outer, place.inner, place.count);
  }

  Value createNeutral(ImplicitLocOpBuilder &builder, Operation *combiner, int64_t count) {
    auto type = cast<FloatType>(combiner->getResult(0).getType());
    TypedAttr attribute = builder.getFloatAttr(type, getNeutral(combiner));
    if (count > 1)
      attribute = DenseElementsAttr::get(cast<VectorType>(widen(type, count)), attribute);
    return arith::ConstantOp::create(builder, attribute);
  }

  /// Folds the elements at `place` into one vector of partial results per reduction, and writes
  /// what is computed element by element.
  SmallVector<Value> accumulate(ImplicitLocOpBuilder &builder, const Place &place,
                                ValueRange partials) {
    SmallVector<Value> values = loadInputs(builder, place.outer, place.inner, place.count), next;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (sweep.isReduced(output)) {
        values.push_back(partials.front());
        partials = partials.drop_front();
      } else {
        values.push_back(loadUpdated(builder, output, place));
      }
    }
    SmallVector<Value> results = sweep.emitPayload(builder, values, place);
    for (auto [result, output] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      if (sweep.isReduced(output))
        next.push_back(result);
      else
        sweep.store(builder, result, output, place.outer, place.inner);
    return next;
  }

  /// `unroll` groups of one vector per reduction.
  SmallVector<Value> createPartials(ImplicitLocOpBuilder &builder,
                                    ArrayRef<Operation *> combiners) {
    SmallVector<Value> partials;
    for (int64_t part = 0; part < unroll; ++part)
      for (Operation *combiner : combiners)
        partials.push_back(createNeutral(builder, combiner, sweep.getLanes()));
    return partials;
  }

  /// Folds a step from `index` on into the groups, a vector into each.
  SmallVector<Value> accumulateGroups(ImplicitLocOpBuilder &builder, Value outer, Value index,
                                      ValueRange carried) {
    size_t outputs = carried.size() / unroll;
    SmallVector<Value> next;
    for (int64_t part = 0; part < unroll; ++part)
      llvm::append_range(next, accumulate(builder,
                                          {outer, getIndex(builder, index, part * sweep.getLanes()),
                                           sweep.getLanes(), isLimited()},
                                          carried.slice(part * outputs, outputs)));
    return next;
  }

  /// Whether elements that are left out of reductions follow the others in whole vectors.
  bool isLimited() const {
    return sweep.getLimit() && !sweep.isInnerDynamic() && !isShort() &&
           sweep.getInnerSize() % sweep.getLanes() == 0;
  }

  /// As the main loop of a reduction, but without a comparison for vectors before the limit. After
  /// it, only what is computed element by element is left.
  SmallVector<Value> emitLimited(ImplicitLocOpBuilder &builder, Value outer,
                                 SmallVector<Value> partials, StepBody emitInside) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, value);
    };
    Value size = number(sweep.getInnerSize()), zero = number(0);
    Value limit =
        arith::IndexCastOp::create(builder, builder.getIndexType(), sweep.getLimit()).getResult();
    limit = arith::MaxSIOp::create(builder, zero, arith::MinSIOp::create(builder, limit, size));
    Value rest = arith::RemUIOp::create(builder, limit, number(getStep()));
    Value whole = arith::SubIOp::create(builder, limit, rest);
    partials = emitLoop(builder, zero, whole, getStep(), partials, emitInside);
    unsigned outputs = partials.size() / unroll;
    bool isAllReduced = outputs == op.getNumDpsInits();
    SmallVector<Value> group =
        emitLoop(builder, whole, isAllReduced ? limit : size, sweep.getLanes(),
                 ArrayRef(partials).take_front(outputs),
                 [&](ImplicitLocOpBuilder &inside, Value index, ValueRange carried) {
                   return accumulate(inside, {outer, index, sweep.getLanes()}, carried);
                 });
    llvm::copy(group, partials.begin());
    return partials;
  }

  /// How many rows are reduced before their lanes are folded: the lanes of one alone are a chain of
  /// operations that each wait for the one before.
  int64_t countRowsTogether() {
    constexpr int64_t rows = 4;
    int64_t outputs = sweep.isInnerReduction() ? getCombiners().size() : 0;
    bool areWhole = outputs > 0 && !sweep.isInnerDynamic() && sweep.getLanes() > 1 &&
                    sweep.getInnerSize() % sweep.getLanes() == 0;
    int64_t all = sweep.getOuterSize();
    bool areRows = all > 1 && all % rows == 0;
    return areWhole && areRows && rows * outputs <= maxLiveVectors ? rows : 1;
  }

  /// Reduces `rows` rows from `first` on, one after the other.
  void emitReductions(ImplicitLocOpBuilder &builder, Value first, int64_t rows) {
    SmallVector<Operation *> combiners = getCombiners(), all;
    SmallVector<Value> vectors;
    SmallVector<SmallVector<Value>> starts;
    for (int64_t row = 0; row < rows; ++row) {
      Value outer = getIndex(builder, first, row);
      loadInvariants(builder, outer);
      starts.push_back(invariants);
      llvm::append_range(vectors, combineGroups(builder, combiners, emitPartials(builder, outer)));
      llvm::append_range(all, combiners);
    }
    SmallVector<Value> totals = combineLanes(builder, all, vectors);
    for (int64_t row = 0; row < rows; ++row) {
      invariants = starts[row];
      storeTotals(builder, combiners, getIndex(builder, first, row),
                  ArrayRef(totals).slice(row * combiners.size(), combiners.size()));
    }
  }

  /// The groups of partial results of the whole vectors of a row.
  SmallVector<Value> emitPartials(ImplicitLocOpBuilder &builder, Value outer) {
    SmallVector<Operation *> combiners = getCombiners();
    unsigned outputs = combiners.size();
    SmallVector<Value> partials = createPartials(builder, combiners);
    auto emitStep = [&](ImplicitLocOpBuilder &inside, Value index, ValueRange carried) {
      return accumulateGroups(inside, outer, index, carried);
    };
    if (isLimited())
      return emitLimited(builder, outer, std::move(partials), emitStep);
    partials = emitMainLoop(builder, partials, emitStep);
    int64_t part = 0;
    for (auto [start, count] : getPieces(getMainSize(), sweep.getInnerSize(), sweep.getLanes())) {
      if (count < sweep.getLanes())
        break;
      Value index = arith::ConstantIndexOp::create(builder, start);
      auto group = MutableArrayRef(partials).slice(part++ * outputs, outputs);
      llvm::copy(accumulate(builder, {outer, index, count}, group), group.begin());
    }
    return partials;
  }

  void emitReduction(ImplicitLocOpBuilder &builder, Value outer) {
    SmallVector<Operation *> combiners = getCombiners();
    SmallVector<Value> totals = combineLanes(
        builder, combiners, combineGroups(builder, combiners, emitPartials(builder, outer)));
    for (auto [start, count] : getPieces(getMainSize(), sweep.getInnerSize(), sweep.getLanes())) {
      if (count == sweep.getLanes())
        continue;
      SmallVector<Value> piece = reducePiece(builder, combiners, outer, start, count);
      for (auto [number, combiner] : llvm::enumerate(combiners))
        totals[number] = combine(builder, combiner, totals[number], piece[number]);
    }
    storeTotals(builder, combiners, outer, totals);
  }

  /// One scalar per output from `count` elements, fewer than a vector has.
  SmallVector<Value> reducePiece(ImplicitLocOpBuilder &builder, ArrayRef<Operation *> combiners,
                                 Value outer, int64_t start, int64_t count) {
    SmallVector<Value> neutrals;
    for (Operation *combiner : combiners)
      neutrals.push_back(createNeutral(builder, combiner, count));
    Value index = arith::ConstantIndexOp::create(builder, start);
    return combineLanes(builder, combiners, accumulate(builder, {outer, index, count}, neutrals));
  }

  /// One vector per output from all groups of partial results, combined pairwise.
  SmallVector<Value> combineGroups(ImplicitLocOpBuilder &builder, ArrayRef<Operation *> combiners,
                                   SmallVector<Value> partials) {
    size_t outputs = combiners.size();
    for (size_t groups = partials.size() / outputs; groups > 1; groups = (groups + 1) / 2)
      for (size_t group = 0; group < groups / 2; ++group)
        for (size_t number = 0; number < outputs; ++number)
          partials[group * outputs + number] =
              combine(builder, combiners[number], partials[group * outputs + number],
                      partials[(group + (groups + 1) / 2) * outputs + number]);
    partials.truncate(outputs);
    return partials;
  }

  linalg::GenericOp op;
  RowSweep sweep;
  int64_t unroll;
  SmallVector<Value> invariants; // per operand; null where it varies
  const DenseSet<OpOperand *> &neutral;
  SmallPtrSet<OpOperand *, 4> streamed; // outputs that are written past the caches
  ArrayRef<ReadAhead::Claim> claims;    // inputs whose next rows are asked for
};

} // namespace

bool attn::jit::emitSweep(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                          const RowSweep &sweep, const SweepContext &context) {
  return SweepEmitter(op, sweep, context).emit(builder, context.streamBytes);
}
