// The pass `linalg-join-phases`: the phases of a kernel in one function, with a meeting of all
// cores between them.
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Target/Linalg/Passes.h"

namespace attn {
#define GEN_PASS_DEF_JOINPHASESPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

/// Puts the body of `phase` after that of `kernel`, and erases the function.
static LogicalResult appendPhase(func::FuncOp kernel, func::FuncOp phase) {
  if (!kernel.getBody().hasOneBlock() || !phase.getBody().hasOneBlock())
    return phase.emitOpError() << "cannot be joined to '" << kernel.getName()
                               << "': one of them is not a single block";
  if (phase.getFunctionType() != kernel.getFunctionType())
    return phase.emitOpError() << "is launched after '" << kernel.getName()
                               << "', but does not take the same arguments";
  Block &body = kernel.getBody().front(), &added = phase.getBody().front();
  Operation *end = body.getTerminator();
  OpBuilder builder(end);
  // With fewer pipes the vendor's compiler would let loads pass.
  hivm::SyncBlockOp::create(builder, phase.getLoc(), hivm::SyncBlockMode::ALL_VECTOR,
                            builder.getI16IntegerAttr(hivm::meetingFlag), hivm::Pipe::PIPE_ALL);
  for (auto [old, argument] : llvm::zip(added.getArguments(), body.getArguments()))
    old.replaceAllUsesWith(argument);
  added.getTerminator()->erase();
  body.getOperations().splice(end->getIterator(), added.getOperations());
  phase.erase();
  return success();
}

namespace {

struct JoinPhases : attn::impl::JoinPhasesPassBase<JoinPhases> {
  void runOnOperation() override {
    auto isFirst = [](func::FuncOp function) { return !function->hasAttr(launch::afterName); };
    SmallVector<SmallVector<func::FuncOp>> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isFirst(function))
        kernels.push_back(launch::getPhases(function));
    for (ArrayRef<func::FuncOp> phases : kernels)
      for (func::FuncOp phase : phases.drop_front()) {
        if (failed(appendPhase(phases.front(), phase)))
          return signalPassFailure();
        ++joined;
      }
    eraseCounters();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!isFirst(function)) {
        function.emitOpError("is not launched after any kernel of this module");
        return signalPassFailure();
      }
  }

private:
  /// Erases the functions that counted the tiles of phases which are not functions any more.
  void eraseCounters() {
    ModuleOp module = getOperation();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (auto of = function->getAttrOfType<FlatSymbolRefAttr>(launch::gridOfName);
          of && !module.lookupSymbol(of.getValue()))
        function.erase();
  }
};

} // namespace
