// The pass `jit-vectorize-rows`: linalg on buffers as loops over explicit vectors. CPU stage, on
// buffers.
#include "RowSweep.h"
#include "StreamStores.h"
#include "attn/Execution/Jit/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace attn {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn::jit;

namespace {

/// Vectors that a sweep keeps live between its operations: half of the registers that every host
/// has.
constexpr int64_t maxLiveVectors = 8;

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
  SweepEmitter(linalg::GenericOp op, RowSweep sweep, int64_t unroll)
      : op(op), sweep(sweep), unroll(std::clamp<int64_t>(maxLiveVectors / countLive(), 1, unroll)) {
  }

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
    sweep.emitOuterLoop(builder, [&](ImplicitLocOpBuilder &inside, Value outer) {
      loadInvariants(inside, outer);
      if (sweep.isInnerReduction())
        emitReduction(inside, outer);
      else
        emitElementwise(inside, outer);
    });
  }

  /// How many vectors one step of the inner loop keeps in registers: partial results, or what it
  /// reads.
  int64_t countLive() {
    if (sweep.isInnerReduction())
      return op.getNumDpsInits();
    return llvm::count_if(op->getOpOperands(),
                          [&](OpOperand &operand) { return sweep.variesAlongInner(operand); });
  }

  int64_t getStep() const { return sweep.getLanes() * unroll; }
  int64_t getMainSize() const { return sweep.getInnerSize() / getStep() * getStep(); }

  /// What stays the same along the inner loop is read before it.
  void loadInvariants(ImplicitLocOpBuilder &builder, Value outer) {
    invariants.assign(op->getNumOperands(), Value());
    for (OpOperand &operand : op->getOpOperands())
      if (!sweep.variesAlongInner(operand) && op.payloadUsesValueFromOperand(&operand))
        invariants[operand.getOperandNumber()] = sweep.load(builder, operand, outer, outer, 1);
  }

  /// The values of the inputs for `count` elements from `inner` on.
  SmallVector<Value> loadInputs(ImplicitLocOpBuilder &builder, Value outer, Value inner,
                                int64_t count) {
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

  /// Emits a loop over the whole steps; `body` gets the index and the carried values.
  SmallVector<Value>
  emitMainLoop(ImplicitLocOpBuilder &builder, ValueRange carried,
               function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)> body) {
    if (getMainSize() == 0)
      return carried;
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    if (getMainSize() == getStep())
      return body(builder, zero, carried);
    Value end = arith::ConstantIndexOp::create(builder, getMainSize());
    Value step = arith::ConstantIndexOp::create(builder, getStep());
    auto loop =
        scf::ForOp::create(builder, zero, end, step, carried,
                           [&](OpBuilder &inside, Location loc, Value index, ValueRange values) {
                             ImplicitLocOpBuilder bodyBuilder(loc, inside);
                             scf::YieldOp::create(inside, loc, body(bodyBuilder, index, values));
                           });
    return loop.getResults();
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
      values.push_back(op.payloadUsesValueFromOperand(&output)
                           ? sweep.load(builder, output, outer, inner, count)
                           : Value());
    SmallVector<Value> results = sweep.emitPayload(builder, values, {outer, inner, count});
    for (auto [result, output] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      sweep.store(builder, result, output, outer, inner, streamed.contains(&output));
  }

  /// The value that changes nothing when it is combined.
  Value createNeutral(ImplicitLocOpBuilder &builder, Operation *combiner, int64_t count) {
    auto type = cast<FloatType>(combiner->getResult(0).getType());
    APFloat number =
        isa<arith::AddFOp>(combiner)
            ? APFloat::getZero(type.getFloatSemantics())
            : APFloat::getInf(type.getFloatSemantics(), isa<arith::MaximumFOp>(combiner));
    TypedAttr attribute = builder.getFloatAttr(type, number);
    if (count > 1)
      attribute = DenseElementsAttr::get(cast<VectorType>(widen(type, count)), attribute);
    return arith::ConstantOp::create(builder, attribute);
  }

  Value combine(ImplicitLocOpBuilder &builder, Operation *combiner, Value lhs, Value rhs) {
    OperationState state(builder.getLoc(), combiner->getName(), {lhs, rhs}, {lhs.getType()},
                         combiner->getAttrs());
    return builder.create(state)->getResult(0);
  }

  /// The lanes of a vector, halved and combined until one is left: a fixed order.
  Value combineLanes(ImplicitLocOpBuilder &builder, Operation *combiner, Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      return value;
    int64_t half = type.getNumElements() / 2;
    if (half == 0)
      return vector::ExtractOp::create(builder, value, 0);
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    SmallVector<int64_t> high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    Value first = vector::ShuffleOp::create(builder, value, value, low);
    Value second = vector::ShuffleOp::create(builder, value, value, high);
    return combineLanes(builder, combiner, combine(builder, combiner, first, second));
  }

  /// Folds `count` elements from `inner` on into one vector of partial results per output.
  SmallVector<Value> accumulate(ImplicitLocOpBuilder &builder, Value outer, Value inner,
                                int64_t count, ValueRange partials) {
    SmallVector<Value> values = loadInputs(builder, outer, inner, count);
    llvm::append_range(values, partials);
    return sweep.emitPayload(builder, values, {outer, inner, count});
  }

  void emitReduction(ImplicitLocOpBuilder &builder, Value outer) {
    unsigned outputs = op.getNumDpsInits();
    SmallVector<Operation *> combiners;
    for (unsigned number = 0; number < outputs; ++number)
      combiners.push_back(sweep.getCombiner(number));

    // `unroll` groups of one vector per output.
    SmallVector<Value> partials;
    for (int64_t part = 0; part < unroll; ++part)
      for (Operation *combiner : combiners)
        partials.push_back(createNeutral(builder, combiner, sweep.getLanes()));
    partials = emitMainLoop(
        builder, partials, [&](ImplicitLocOpBuilder &inside, Value index, ValueRange carried) {
          SmallVector<Value> next;
          for (int64_t part = 0; part < unroll; ++part)
            llvm::append_range(
                next, accumulate(inside, outer, getIndex(inside, index, part * sweep.getLanes()),
                                 sweep.getLanes(), carried.slice(part * outputs, outputs)));
          return next;
        });
    SmallVector<std::pair<int64_t, int64_t>> small;
    int64_t part = 0;
    for (auto [start, count] : getPieces(getMainSize(), sweep.getInnerSize(), sweep.getLanes())) {
      if (count < sweep.getLanes()) {
        small.push_back({start, count});
        continue;
      }
      Value index = arith::ConstantIndexOp::create(builder, start);
      auto group = MutableArrayRef(partials).slice(part++ * outputs, outputs);
      llvm::copy(accumulate(builder, outer, index, count, group), group.begin());
    }
    SmallVector<Value> totals = combineGroups(builder, combiners, partials);
    for (auto [start, count] : small) {
      SmallVector<Value> piece = reducePiece(builder, combiners, outer, start, count);
      for (unsigned number = 0; number < outputs; ++number)
        totals[number] = combine(builder, combiners[number], totals[number], piece[number]);
    }
    for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable())) {
      Value start = invariants[output.getOperandNumber()];
      sweep.store(builder, combine(builder, combiners[number], start, totals[number]), output,
                  outer, outer);
    }
  }

  /// One scalar per output from `count` elements, fewer than a vector has.
  SmallVector<Value> reducePiece(ImplicitLocOpBuilder &builder, ArrayRef<Operation *> combiners,
                                 Value outer, int64_t start, int64_t count) {
    SmallVector<Value> neutrals;
    for (Operation *combiner : combiners)
      neutrals.push_back(createNeutral(builder, combiner, count));
    Value index = arith::ConstantIndexOp::create(builder, start);
    SmallVector<Value> totals = accumulate(builder, outer, index, count, neutrals);
    for (auto [combiner, total] : llvm::zip_equal(combiners, totals))
      total = combineLanes(builder, combiner, total);
    return totals;
  }

  /// One scalar per output from all groups of partial results, combined pairwise.
  SmallVector<Value> combineGroups(ImplicitLocOpBuilder &builder, ArrayRef<Operation *> combiners,
                                   SmallVector<Value> partials) {
    size_t outputs = combiners.size();
    for (size_t groups = partials.size() / outputs; groups > 1; groups = (groups + 1) / 2)
      for (size_t group = 0; group < groups / 2; ++group)
        for (size_t number = 0; number < outputs; ++number)
          partials[group * outputs + number] =
              combine(builder, combiners[number], partials[group * outputs + number],
                      partials[(group + (groups + 1) / 2) * outputs + number]);
    SmallVector<Value> totals;
    for (size_t number = 0; number < outputs; ++number)
      totals.push_back(combineLanes(builder, combiners[number], partials[number]));
    return totals;
  }

  linalg::GenericOp op;
  RowSweep sweep;
  int64_t unroll;
  SmallVector<Value> invariants;        // per operand; null where it varies
  SmallPtrSet<OpOperand *, 4> streamed; // outputs that are written past the caches
};

struct VectorizeRowsPass : attn::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
  using VectorizeRowsPassBase::VectorizeRowsPassBase;

  void runOnOperation() override {
    if (lanes < 1 || unroll < 1 || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("lanes must be a power of two, and unroll positive");
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    generalize(rewriter);
    bool streams = false;
    SmallVector<linalg::GenericOp> operations;
    getOperation().walk([&](linalg::GenericOp op) { operations.push_back(op); });
    for (linalg::GenericOp op : operations) {
      FailureOr<RowSweep> sweep = RowSweep::create(op, lanes);
      if (failed(sweep))
        return signalPassFailure();
      rewriter.setInsertionPoint(op);
      ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
      streams |= SweepEmitter(op, *sweep, unroll).emit(builder, streamBytes);
      rewriter.eraseOp(op);
    }
    if (streams)
      orderStreams(rewriter);
  }

private:
  /// What is streamed must be seen before the end of the function is.
  void orderStreams(IRRewriter &rewriter) {
    getOperation().walk([&](func::ReturnOp end) {
      rewriter.setInsertionPoint(end);
      LLVM::FenceOp::create(rewriter, end.getLoc(), LLVM::AtomicOrdering::seq_cst);
    });
  }

  /// Copies and named operations are swept as any other.
  void generalize(IRRewriter &rewriter) {
    getOperation().walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      auto copy = dyn_cast<memref::CopyOp>(op);
      if (copy && isa<MemRefType>(copy.getSource().getType()) &&
          isa<MemRefType>(copy.getTarget().getType())) {
        linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
        rewriter.eraseOp(copy);
      } else if (auto named = dyn_cast<linalg::LinalgOp>(op);
                 named && !isa<linalg::GenericOp>(op)) {
        (void)linalg::generalizeNamedOp(rewriter, named);
      }
    });
  }
};

} // namespace
