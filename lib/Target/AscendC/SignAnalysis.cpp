// Tells which integers of a kernel cannot be negative.
#include "SignAnalysis.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;

/// The values that must not be negative for `argument` of a loop not to be, or none where nothing
/// is known.
static std::optional<SmallVector<Value>> getPremises(BlockArgument argument) {
  auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  if (argument == loop.getInductionVar())
    return SmallVector<Value>{loop.getLowerBound()};
  OpOperand *init = loop.getTiedLoopInit(argument);
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  if (!init || !yielded)
    return std::nullopt;
  return SmallVector<Value>{init->get(), yielded->get()};
}

static std::optional<SmallVector<Value>> getPremises(OpResult result) {
  Operation *op = result.getOwner();
  if (std::optional<int64_t> number = ascend::getConstant(result))
    return *number < 0 ? std::nullopt : std::optional<SmallVector<Value>>(SmallVector<Value>());
  if (isa<ascend::DimOp, ascend::StrideOp, ascend::BlockIdOp, ascend::CoreIdOp,
          ascend::SubBlockIdOp, ascend::BlockCountOp>(op))
    return SmallVector<Value>{};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return getPremises(loop.getRegionIterArg(result.getResultNumber()));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return SmallVector<Value>{branch.thenYield().getOperand(result.getResultNumber()),
                              branch.elseYield().getOperand(result.getResultNumber())};
  if (isa<arith::SelectOp>(op))
    return SmallVector<Value>(op->getOperands().drop_front());
  // The greater of two, or the common bits, are not negative as soon as one number is not.
  if (isa<arith::MaxSIOp, arith::AndIOp>(op))
    for (Value operand : op->getOperands())
      if (ascend::getConstant(operand).value_or(-1) >= 0)
        return SmallVector<Value>{};
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AndIOp,
          arith::OrIOp, arith::ShRSIOp, arith::ShRUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
          arith::ExtSIOp>(op))
    return SmallVector<Value>(op->getOperands());
  return std::nullopt;
}

bool SignAnalysis::isNonNegative(Value value) {
  // All that the proof rests on must hold together: what a loop carries rests on itself.
  llvm::DenseSet<Value> assumed;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (proven.contains(next) || !assumed.insert(next).second)
      continue;
    std::optional<SmallVector<Value>> premises;
    if (!refuted.contains(next))
      premises = isa<BlockArgument>(next) ? getPremises(cast<BlockArgument>(next))
                                          : getPremises(cast<OpResult>(next));
    if (!premises) {
      refuted.insert(value);
      return false;
    }
    worklist.append(*premises);
  }
  proven.insert(assumed.begin(), assumed.end());
  return true;
}
