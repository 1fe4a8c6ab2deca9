// ascend-assign-events: the chip's ids for virtual events (after synchronisation).
#include "attn/Dialect/Ascend/Analysis/EventIds.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"

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
    FailureOr<SmallVector<int64_t>> ids = chooseEventIds(kernel, *events, chip->eventIds);
    if (failed(ids))
      return signalPassFailure();
    assign(*events, *ids);
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
