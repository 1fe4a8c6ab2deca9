// How the steps of a trace lie to each other, and which traces are worth a look.
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"

using namespace mlir;
using namespace attn::ascend;

ExecutionTrace::Meeting ExecutionTrace::meet(int32_t left, int32_t right) const {
  Meeting meeting{0, -1, -1};
  while (left != right) {
    bool leftIsDeeper = frames[left].depth >= frames[right].depth;
    bool rightIsDeeper = frames[right].depth >= frames[left].depth;
    if (leftIsDeeper) {
      meeting.left = left;
      left = getParent(left);
    }
    if (rightIsDeeper) {
      meeting.right = right;
      right = getParent(right);
    }
  }
  meeting.frame = left;
  // A side that reached the common frame without leaving one below it stands there itself.
  auto isBelow = [&](int32_t frame) { return frame != -1 && getParent(frame) == meeting.frame; };
  if (!isBelow(meeting.left))
    meeting.left = -1;
  if (!isBelow(meeting.right))
    meeting.right = -1;
  return meeting;
}

ExecutionTrace::Relation ExecutionTrace::relate(int32_t producer, int32_t consumer) const {
  const Step &from = steps[producer], &to = steps[consumer];
  Meeting meeting = meet(from.frame, to.frame);
  Relation relation{{}, from.op, to.op, producer, consumer};
  int32_t left = meeting.left, right = meeting.right;
  if (left != -1 && right != -1 && frames[left].visit == frames[right].visit) {
    // Two iterations of one loop: look at its body.
    relation.carrier = dyn_cast<scf::ForOp>(visits[frames[left].visit].op);
    int32_t leftBody = left, rightBody = right;
    left = meet(from.frame, leftBody).left;
    right = meet(to.frame, rightBody).left;
  }
  if (left != -1) {
    const Visit &visit = visits[frames[left].visit];
    relation.producer = visit.op;
    relation.producerStep = visit.exit;
  }
  if (right != -1) {
    const Visit &visit = visits[frames[right].visit];
    relation.consumer = visit.op;
    relation.consumerStep = visit.enter;
  }
  return relation;
}

SmallVector<TraceChoice> attn::ascend::getTraceChoices(func::FuncOp kernel) {
  SmallVector<Operation *> loops;
  bool hasConditions = false;
  int64_t slots = 1;
  kernel.walk([&](Operation *op) {
    if (isa<scf::ForOp>(op))
      loops.push_back(op);
    hasConditions |= isa<scf::IfOp>(op);
    if (auto buffer = dyn_cast<AllocOp>(op))
      slots = std::max(slots, buffer.getSlotCount());
  });

  // Enough trips to come back to every slot and see one more iteration behind it.
  TraceChoice base;
  base.trips = std::max<int64_t>(3, slots + 1);
  SmallVector<TraceChoice> choices = {base};
  if (hasConditions)
    for (auto branch : {TraceChoice::Branch::Else, TraceChoice::Branch::Alternating}) {
      choices.push_back(base);
      choices.back().branch = branch;
    }
  if (loops.empty())
    return choices;
  for (int64_t trips : {1, 2}) {
    choices.push_back(base);
    choices.back().trips = trips;
  }
  for (Operation *loop : loops) {
    choices.push_back(base);
    choices.back().exception = loop;
    choices.back().exceptionTrips = 0;
  }
  return choices;
}
