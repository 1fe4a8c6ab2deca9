// One possible run of a kernel, instruction by instruction, with loops unrolled a few trips: what
// the analyses of synchronisation look at.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_EXECUTIONTRACE_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_EXECUTIONTRACE_H

#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"
#include <set>

namespace attn::ascend {

/// How often the loops of a trace run, and which way its conditions go.
struct TraceChoice {
  enum class Branch { Then, Else, Alternating, ByTurn };
  /// In which trips of the loop that its count changes with a loop runs.
  enum class Runs { Never, First, Last, FirstAndLast };

  /// The most trips of any loop. None runs more often than it takes to see all that it can do.
  int64_t trips = std::numeric_limits<int64_t>::max();
  /// One loop may run another number of trips.
  mlir::Operation *exception = nullptr;
  int64_t exceptionTrips = 0;
  /// Loops that do not run, or not in every trip of a loop around.
  llvm::SmallVector<std::pair<mlir::Operation *, Runs>> idle;
  /// The loop that the trace is about, if any. What it does not lie in uses every slot once: runs
  /// in full of the other loops are seen elsewhere.
  mlir::Operation *subject = nullptr;
  /// Loops that run in the first trip only of the loop around them, see TripCounts.cpp.
  llvm::SmallVector<mlir::Operation *> afterRest;
  Branch branch = Branch::Then;
  /// By turn: whether conditions hold in the first trip of a turn of slots, in those between, and
  /// in the one that comes back to the slots of the first.
  std::array<bool, 3> holds = {};
};

/// A run of a kernel. Loops with a known count never run more often than that, and exactly that
/// often where the count is small.
class ExecutionTrace {
public:
  struct Step {
    enum class Kind {
      Instruction,
      Enter,    ///< a loop or condition begins
      Exit,     ///< it ends
      Slot,     ///< an index that chooses slots gets a value
      Set,      ///< a flag that is in the IR already
      Wait,     ///< likewise
      Barrier,  ///< likewise, or a meeting of all blocks
      CrossSet, ///< a flag for other cores, of which a later wait tells
      CrossWait ///< a wait for other cores that tells of sets before
    };
    Kind kind;
    mlir::Operation *op = nullptr;
    /// Instruction, Enter, Exit: the number of the operation; Slot: that of the index.
    int32_t number = -1;
    /// Instruction, CrossSet: what executes it; Barrier: what it holds.
    Pipe pipe = Pipe::S;
    /// The pass through a region that the step is part of.
    int32_t frame = 0;
    /// Instruction: where its needs begin; Enter, Exit: the visit of the loop or condition;
    /// CrossSet: its number among those that are told of, or -1; CrossWait: where the sets that it
    /// tells of begin.
    int32_t detail = 0;
    /// Instruction: how many needs it has; CrossWait: of how many sets it tells.
    int32_t needCount = 0;
    /// Instruction that occupies several pipes: its steps before and after this one, each on the
    /// next pipe.
    int8_t before = 0;
    int8_t after = 0;
    /// Slot, Set, Wait: the number of the slot, or -1 where it is not known.
    int64_t slotNumber = 0;
  };

  /// What an instruction needs of one pipe.
  struct PipeNeed {
    Pipe pipe;
    Need need;
  };

  /// How the producer and the consumer of a dependence lie to each other: `producer` and `consumer`
  /// are the operations around them in the block that both share; `carrier` is the loop whose later
  /// iteration consumes, or none.
  struct Relation {
    mlir::scf::ForOp carrier;
    mlir::Operation *producer;
    mlir::Operation *consumer;
    /// The last step of the producer and the first of the consumer.
    int32_t producerStep;
    int32_t consumerStep;
  };

  llvm::ArrayRef<Step> getSteps() const { return steps; }
  llvm::ArrayRef<PipeNeed> getNeeds(const Step &step) const {
    return llvm::ArrayRef(needs).slice(step.detail, step.needCount);
  }
  /// The numbers of the sets that a wait for other cores tells of.
  llvm::ArrayRef<int32_t> getHeard(const Step &step) const {
    return llvm::ArrayRef(heard).slice(step.detail, step.needCount);
  }
  int32_t getHeardCount() const { return heardCount; }
  /// With `entersConditions` the consumer is looked at inside the conditions around it.
  Relation relate(int32_t producer, int32_t consumer, bool entersConditions = false) const;

private:
  friend class TraceBuilder;

  /// One visit of a loop or condition.
  struct Visit {
    mlir::Operation *op;
    int32_t enter;
    int32_t exit;
    int32_t parentFrame;
  };
  /// One pass through a region: an iteration, a branch, or the body of the kernel (frame 0).
  struct Frame {
    int32_t visit;
    int32_t depth;
  };

  /// The deepest frame around both, and the frames below it on either side, or -1.
  struct Meeting {
    int32_t frame, left, right;
  };
  Meeting meet(int32_t left, int32_t right) const;
  int32_t getParent(int32_t frame) const { return visits[frames[frame].visit].parentFrame; }

  std::vector<Step> steps;
  std::vector<PipeNeed> needs;
  std::vector<int32_t> heard;
  int32_t heardCount = 0;
  std::vector<Visit> visits;
  std::vector<Frame> frames;
};

/// What a trace finds out.
enum class TraceDetail {
  /// Only flags, barriers and what occupies several pipes.
  Flags,
  /// Also what instructions need that no earlier one of their pipe has needed: what a pipe has
  /// waited for once is done for all that it starts later.
  NewNeeds,
  /// Also what they need again.
  AllNeeds
};

/// Makes traces of a kernel whose buffers have addresses.
class KernelTracer {
public:
  KernelTracer(mlir::func::FuncOp kernel, const IndexRanges &ranges);
  ~KernelTracer();

  /// One trace. Fails with an error at an operation that it does not know how to follow.
  mlir::FailureOr<ExecutionTrace> trace(const TraceChoice &choice, TraceDetail detail);

  /// The traces to begin with: all loops running in full, with the conditions each way, then less
  /// and less often. The first has every loop running in full. As below, a trace that equals one
  /// that was named before is left out.
  llvm::SmallVector<TraceChoice> getChoices();

  /// The traces in which one loop runs less often than the others; where it need not run, also
  /// those in which only one or two, or none, of the loops beside it run that need not; where its
  /// count may be another in each trip of a loop around, also those in which one runs in the first
  /// trip and one in the last. Only a loop that holds flags or barriers can make a difference:
  /// around others all of them act anyway.
  llvm::SmallVector<TraceChoice> getChoices(mlir::scf::ForOp loop);

  /// The number that steps know an instruction, loop or condition by.
  int32_t getNumber(mlir::Operation *op) const;
  int32_t getNumberCount() const;
  /// The number that steps know an index by that chooses slots.
  int32_t getSlotIndexNumber(mlir::Value index) const;
  int32_t getSlotIndexCount() const;

private:
  bool isNew(const TraceChoice &choice);

  std::unique_ptr<struct KernelFacts> facts;
  /// How often each loop runs, and which way the conditions go, in the traces named so far.
  std::set<std::vector<int64_t>> named;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_EXECUTIONTRACE_H
