// Which values of a kernel have one right answer, bit for bit (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/Exactness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

Exactness::Exactness(func::FuncOp kernel) {
  // A value gets its cause once, and each round hands causes on through all loops and arrays: a few
  // rounds reach the end.
  bool grows = true;
  while (grows) {
    grows = false;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { grows |= visit(op); });
  }
}

/// Whether every stage computes the op alike. An op that is not listed counts as one that stages
/// compute differently, so that a new one never makes a comparison too strict.
static bool isExact(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() != ReduceKind::Sum;
  // Sums of integers have one answer in any order.
  if (auto dot = dyn_cast<DotOp>(op))
    return dot.getType().getElementType().isInteger();
  // Scalars are the host's business in every stage.
  if (isa<arith::ArithDialect>(op->getDialect()))
    return true;
  return isa<AbsOp, AddOp, BandMaskOp, BoundCountOp, BoundIndexOp, BroadcastOp, CastOp, CompareOp,
             DimOp, DivOp, ExtractOp, FillColumnsOp, GridOp, IfOp, InsertOp, LeakyReluOp,
             ListRowsOp, LoadIndexOp, LoadOp, MakeSpanOp, MaximumOp, MinimumOp, MulOp, PhaseOp,
             RampOp, RangeOp, RsqrtOp, SelectOp, SizeOp, SpanBaseOp, SplatOp, SqrtOp, StoreOp,
             SubOp, TransposeOp, UndefinedOp, YieldOp, func::ReturnOp>(op);
}

bool Exactness::mark(Value value, Operation *cause) {
  return cause && causes.try_emplace(value, cause).second;
}

bool Exactness::visitLoop(RangeOp loop) {
  bool grows = false;
  for (auto [init, argument, next, result] : llvm::zip_equal(
           loop.getInits(), loop.getCarried(), loop.getYield().getValues(), loop.getResults()))
    for (Value from : {Value(init), Value(next)})
      for (Value to : {Value(argument), Value(result)})
        grows |= mark(to, getCause(from));
  return grows;
}

bool Exactness::visit(Operation *op) {
  if (auto loop = dyn_cast<RangeOp>(op))
    return visitLoop(loop);
  Operation *cause = isExact(op) ? nullptr : op;
  for (Value operand : op->getOperands())
    if (!cause)
      cause = getCause(operand);
  bool grows = false;
  for (Value result : op->getResults())
    grows |= mark(result, cause);
  // What is written to an array is in it from then on, for loads of later rounds as well.
  if (auto store = dyn_cast<StoreOp>(op))
    grows |= mark(store.getArray(), cause);
  else if (auto accumulate = dyn_cast<AccumulateOp>(op))
    grows |= mark(accumulate.getArray(), cause);
  return grows;
}

std::string attn::tile::describeCause(Operation *cause) {
  std::string text = cause->getName().getStringRef().str();
  if (auto reduce = dyn_cast<ReduceOp>(cause))
    text += " " + stringifyReduceKind(reduce.getKind()).str();
  return text;
}
