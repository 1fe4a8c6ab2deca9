// ascend-print-dependences: says what each instruction must not overtake (to look at what sync
// starts from).
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace attn {
#define GEN_PASS_DEF_PRINTDEPENDENCESPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

class PrintDependences : public attn::impl::PrintDependencesPassBase<PrintDependences> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    KernelTracer tracer(kernel, getAnalysis<IndexRanges>());
    FailureOr<ExecutionTrace> trace = tracer.trace(TraceChoice(), TraceDetail::AllNeeds);
    if (failed(trace))
      return signalPassFailure();
    DenseMap<Operation *, int64_t> numbers;
    kernel.walk([&](InstructionOpInterface op) { numbers.insert({op, numbers.size()}); });
    for (auto &[consumer, needs] : collect(*trace, numbers)) {
      auto instruction = cast<InstructionOpInterface>(consumer);
      auto pipes = llvm::map_to_vector(instruction.getPipes(), stringifyPipe);
      InFlightDiagnostic remark = consumer->emitRemark() << "#" << numbers[consumer] << " on "
                                                         << llvm::join(pipes, ", then ");
      if (needs.empty())
        remark << " waits for nothing";
      else
        remark << " waits for " << llvm::join(needs, ", ");
    }
  }

  /// What each instruction needs in any of its iterations, as words.
  static llvm::MapVector<Operation *, SmallVector<std::string>>
  collect(const ExecutionTrace &trace, const DenseMap<Operation *, int64_t> &numbers) {
    llvm::MapVector<Operation *, SmallVector<std::string>> dependences;
    for (auto [position, step] : llvm::enumerate(trace.getSteps())) {
      if (step.kind != ExecutionTrace::Step::Kind::Instruction)
        continue;
      SmallVector<std::string> &needs = dependences[step.op];
      for (const ExecutionTrace::PipeNeed &need : trace.getNeeds(step)) {
        Operation *producer = trace.getSteps()[need.need.step].op;
        bool isCarried = static_cast<bool>(trace.relate(need.need.step, position).carrier);
        std::string words =
            ("#" + Twine(numbers.lookup(producer)) + " on " + stringifyPipe(need.pipe) +
             (isCarried ? " of an earlier iteration" : "") + (need.need.slot ? " by slot" : ""))
                .str();
        if (!llvm::is_contained(needs, words))
          needs.push_back(words);
      }
    }
    return dependences;
  }
};

} // namespace
