// What the next iteration of a loop reads, to ask for it early. CPU stage, on buffers, used by
// `jit-lower-products`.
#include "NextIteration.h"
#include "ProductSteps.h"
#include "attn/Cpu/IR/Cpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

/// Whether all that `value` is computed from in a loop, and in one `inside` of it, can be computed
/// for another iteration, and whether it `changes` with the iteration of the first.
static bool isKnown(Value value, scf::ForOp loop, scf::ForOp inside, bool &changes) {
  if (value == loop.getInductionVar())
    return changes = true;
  if (inside && value == inside.getInductionVar())
    return true;
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto check = dyn_cast_or_null<cpu::CheckAccessOp>(op))
    return isKnown(check.getArray(), loop, inside, changes);
  bool isComputed =
      op && op->getNumRegions() == 0 && (isa<memref::LoadOp, memref::SubViewOp>(op) || isPure(op));
  return isComputed && llvm::all_of(op->getOperands(), [&](Value from) {
           return isKnown(from, loop, inside, changes);
         });
}

/// The loop right around one of a number of iterations that is known, null where it is not: after
/// the last one of so few, what the loop around it goes on with is asked for.
static scf::ForOp getLoopAround(scf::ForOp loop) {
  return loop.getStaticTripCount() ? dyn_cast<scf::ForOp>(loop->getParentOp()) : scf::ForOp();
}

namespace {

/// Computes again, for the next iteration of a loop, what is computed in its body. After the last
/// one comes the first of the next iteration of the loop `around` it, where one is given.
class NextIteration {
public:
  NextIteration(ImplicitLocOpBuilder &builder, scf::ForOp loop, scf::ForOp around)
      : builder(builder), loop(around ? around : loop) {
    Value index = loop.getInductionVar();
    auto [next, exists] = createNext(loop);
    Value rest = around ? loop.getLowerBound() : index;
    values.map(index, arith::SelectOp::create(builder, exists, next, rest));
    if (!around)
      return;
    Value outer = around.getInductionVar();
    auto [outerNext, outerExists] = createNext(around);
    Value goesOn = arith::SelectOp::create(builder, outerExists, outerNext, outer);
    values.map(outer, arith::SelectOp::create(builder, exists, outer, goesOn));
  }

  Value create(Value value) {
    if (Value known = values.lookupOrNull(value))
      return known;
    if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
      return value;
    Operation *op = value.getDefiningOp();
    Value result;
    // The next iteration makes its checks itself.
    if (auto check = dyn_cast<cpu::CheckAccessOp>(op)) {
      result = create(check.getArray());
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      result = createLoad(load);
    } else {
      for (Value operand : op->getOperands())
        values.map(operand, create(operand));
      result = builder.clone(*op, values)->getResult(0);
    }
    values.map(value, result);
    return result;
  }

private:
  /// The index of the next iteration of a loop, and whether there is one.
  std::pair<Value, Value> createNext(scf::ForOp of) {
    Value next = arith::AddIOp::create(builder, of.getInductionVar(), of.getStep());
    return {next,
            arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, next, of.getUpperBound())};
  }

  /// An element that is there, whatever the index, which is not checked yet: this iteration has
  /// read one of the array.
  Value createLoad(memref::LoadOp load) {
    Value array = create(load.getMemRef()), zero = arith::ConstantIndexOp::create(builder, 0);
    Value one = arith::ConstantIndexOp::create(builder, 1);
    SmallVector<Value> indices;
    for (auto [dimension, index] : llvm::enumerate(load.getIndices())) {
      Value size = memref::DimOp::create(builder, array, static_cast<int64_t>(dimension));
      Value last = arith::SubIOp::create(builder, size, one);
      Value inside = arith::MinSIOp::create(builder, create(index), last);
      indices.push_back(arith::MaxSIOp::create(builder, inside, zero));
    }
    return memref::LoadOp::create(builder, array, indices);
  }

  ImplicitLocOpBuilder &builder;
  scf::ForOp loop;
  IRMapping values;
};

} // namespace

Value jit::createNextPart(ImplicitLocOpBuilder &builder, Value part) {
  auto view = part.getDefiningOp<memref::SubViewOp>();
  auto loop = view ? view->getParentOfType<scf::ForOp>() : scf::ForOp();
  if (!loop)
    return {};
  bool changes = false;
  if (!isKnown(part, loop, /*inside=*/{}, changes) || !changes)
    return {};
  scf::ForOp around = getLoopAround(loop);
  if (around && !isKnown(part, around, loop, changes))
    around = {};
  return NextIteration(builder, loop, around).create(part);
}

jit::NextRows::NextRows(ImplicitLocOpBuilder &builder, Value memref) : memref(memref) {
  if (auto given = memref.getDefiningOp<cpu::ReadAheadOp>()) {
    isGiven = true;
    later = given.getLater();
    return;
  }
  part = createNextPart(builder, memref);
}

void jit::NextRows::prefetch(ImplicitLocOpBuilder &builder, const Line &line, int64_t ahead) const {
  if (later) {
    auto type = cast<MemRefType>(later.getType());
    int64_t size = countLineElements(type.getElementType());
    int64_t inRow = llvm::divideCeil(type.getDimSize(1), size);
    Value row = divide(builder, line.number, inRow);
    Value col = subtract(builder, line.number, multiply(builder, row, inRow));
    prefetchLine(builder, later, {row, multiply(builder, col, size)}, Cache::Once);
    return;
  }
  if (isGiven)
    return;
  if (part)
    return prefetchLine(builder, part, {line.row, line.col});
  Value last =
      subtract(builder, builder.createOrFold<memref::DimOp>(memref, 0), createNumber(builder, 1));
  Value row = builder.createOrFold<arith::MinSIOp>(add(builder, line.row, ahead), last);
  prefetchLine(builder, memref, {row, line.col});
}
