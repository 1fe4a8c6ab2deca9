// How the steps of a trace lie to each other.
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
  // A side that reached the common frame without leaving one below it is there itself.
  auto isBelow = [&](int32_t frame) { return frame != -1 && getParent(frame) == meeting.frame; };
  if (!isBelow(meeting.left))
    meeting.left = -1;
  if (!isBelow(meeting.right))
    meeting.right = -1;
  return meeting;
}

ExecutionTrace::Relation ExecutionTrace::relate(int32_t producer, int32_t consumer,
                                                bool entersConditions) const {
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
  while (entersConditions && right != -1 && isa<scf::IfOp>(visits[frames[right].visit].op))
    right = meet(to.frame, right).left;
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
