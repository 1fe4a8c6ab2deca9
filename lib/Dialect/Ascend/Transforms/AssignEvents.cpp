// ascend-assign-events: the chip's ids for virtual events (after synchronisation).
#include "attn/Dialect/Ascend/Analysis/EventIds.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include <set>

namespace attn {
#define GEN_PASS_DEF_ASSIGNEVENTSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

class AssignEvents : public attn::impl::AssignEventsPassBase<AssignEvents> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    FailureOr<std::vector<EventGroup>> events = collectEvents(kernel);
    if (failed(events))
      return signalPassFailure();
    FailureOr<SmallVector<int64_t>> chosen =
        chooseEventIds(kernel, getAnalysis<IndexRanges>(), *events, chip->eventIds);
    if (failed(chosen))
      return signalPassFailure();
    assign(*events, *chosen);
    ids += countIds(*events, *chosen);
  }

  static int64_t countIds(ArrayRef<EventGroup> events, ArrayRef<int64_t> ids) {
    std::set<std::tuple<Pipe, Pipe, int64_t>> used;
    for (auto [event, first] : llvm::zip(events, ids))
      for (int64_t id = first; id < first + event.slots; ++id)
        used.insert({event.source, event.target, id});
    return used.size();
  }

  static void assign(MutableArrayRef<EventGroup> events, ArrayRef<int64_t> ids) {
    auto assignTo = [](auto flag, int64_t id) {
      flag.setEvent(id);
      flag.setVirtualEvent(false);
    };
    for (auto [event, id] : llvm::zip(events, ids)) {
      for (SetFlagOp set : event.sets)
        assignTo(set, id);
      for (WaitFlagOp wait : event.waits)
        assignTo(wait, id);
    }
  }
};

} // namespace
