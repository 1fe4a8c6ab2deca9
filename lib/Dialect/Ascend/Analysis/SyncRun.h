// A trace run under a set of flags and barriers: tells the first place where an order is missing.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H

#include "attn/Dialect/Ascend/Analysis/SyncPlan.h"

namespace attn::ascend {

/// The syncs of a plan in the making, by the places where they act. At a place, waits and barriers
/// come before sets, so that a set passes on what was awaited there.
class SyncSet {
public:
  static constexpr int32_t allSlots = -1;
  /// What a sync does at a place, to the slot that an index of this number chooses or to all. What
  /// checks ask for all the time is kept here, too.
  struct Act {
    int32_t sync;
    int32_t slotIndex;
    Pipe source, target;
    bool isBarrier;
    int32_t firstFlag, flagCount;
  };
  /// Acts of one kind, in the order in which their syncs were added.
  struct Acts {
    llvm::SmallVector<Act, 2> all;
    llvm::SmallVector<Act, 2> enabled; // those that count
  };
  struct Place {
    Acts drains; // waits for all slots
    Acts holds;  // waits and barriers
    Acts sets;
    /// Whether something counted here since places were last forgotten.
    bool isUsed = false;
  };

  explicit SyncSet(const KernelTracer &tracer)
      : tracer(tracer), before(tracer.getNumberCount()), after(tracer.getNumberCount()),
        usesSlots(tracer.getSlotIndexCount()) {}

  /// Which syncs count, by number.
  const std::vector<bool> &getEnabled() const { return enabled; }
  /// The numbers of the operations that a sync acts at.
  llvm::SmallVector<int32_t, 4> getPlaces(int32_t index) const;

  /// Adds a sync, or enables it again, and returns its number; none where the set has it already.
  std::optional<int32_t> add(const Sync &sync);
  void disable(int32_t index) { setEnabled(index, false); }
  void enable(int32_t index) { setEnabled(index, true); }
  bool isEnabled(int32_t index) const { return enabled[index]; }

  int32_t size() const { return syncs.size(); }
  /// How far two flags lie apart: instructions between their producers and between their consumers.
  int32_t getDistance(int32_t a, int32_t b) const;
  const Sync &operator[](int32_t index) const { return syncs[index]; }
  /// What acts just before and just after the operation of a number.
  const Place &getBefore(int32_t number) const { return before[number]; }
  const Place &getAfter(int32_t number) const { return after[number]; }
  /// The flags of all syncs are one list: where those of a sync begin, and how many there are.
  int32_t getFirstFlag(int32_t index) const { return firstFlags[index]; }
  int32_t getFlagCount() const { return flagCount; }

  int32_t getSlotIndexCount() const { return usesSlots.size(); }
  /// Whether something may happen at a step of a trace. That holds as long as the version stays.
  bool isEventful(const ExecutionTrace::Step &step) const;
  int32_t getVersion() const { return version; }
  /// Steps at which only syncs act that do not count are no longer eventful.
  void forgetPlaces();

private:
  void setEnabled(int32_t index, bool counts);
  void addAct(Place &place, Acts Place::*acts, int32_t index, mlir::Value slot);
  void use(Place &place);
  Act makeAct(int32_t index, mlir::Value slot);

  const KernelTracer &tracer;
  std::vector<Sync> syncs;
  std::vector<bool> enabled;
  std::vector<int32_t> firstFlags;
  int32_t flagCount = 0;
  std::vector<Place> before, after;
  int32_t version = 0;
  std::vector<bool> usesSlots; // by the number of the index
  using Key = std::tuple<int, int, mlir::Operation *, mlir::Operation *, mlir::Operation *,
                         mlir::Operation *, mlir::Operation *, void *>;
  std::map<Key, int32_t> known;
};

/// What is wrong at a step, and where it was found.
enum class SyncAnswer { GoOn, Stop };

/// Hears of missing orders while a trace runs.
class SyncListener {
public:
  virtual ~SyncListener() = default;
  /// An instruction may overtake others.
  virtual SyncAnswer missesOrder(int32_t step, PipeClocks &clocks) = 0;
  /// A flag is raised while it may still be up.
  virtual SyncAnswer raisesTwice(int32_t sync) = 0;
  /// A flag is awaited that is never raised, or is still up in the end.
  virtual SyncAnswer isUnbalanced(int32_t sync) = 0;
  /// A wait or barrier acts.
  virtual void holds(int32_t sync, int32_t step) {}
  /// A flag is about to be raised; `flags` are those of all syncs.
  virtual void raises(int32_t sync, llvm::ArrayRef<Flag> flags, const PipeClocks &clocks) {}
  /// A wait for other cores tells of what this one has done.
  virtual void hears(int32_t step) {}
  /// A step is over.
  virtual void passes(int32_t step, const PipeClocks &clocks) {}
};

/// What pipes knew when they raised flags for other cores, by the number of the set.
class CrossKnowledge {
public:
  void set(const ExecutionTrace &trace, int32_t position, const PipeClocks &clocks);
  /// Lets all pipes know what the sets told that a wait tells of: it holds the whole core.
  void wait(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks) const;

private:
  std::vector<Flag::Knowledge> known;
};

/// Where a run of a trace stands: before `step`. Steps at which nothing may happen may be left out.
struct RunState {
  int32_t step = 0;
  PipeClocks clocks;
  std::vector<Flag> flags;
  std::vector<int64_t> slots; // by the number of the index; -1 where it is not known
  CrossKnowledge cross;
};

/// Runs the given steps of a trace from a state on; returns whether nothing is wrong at any of
/// them.
bool checkSteps(const ExecutionTrace &trace, const SyncSet &syncs, RunState &state,
                llvm::ArrayRef<int32_t> steps);
/// At the end of a trace: whether no flag is still up.
bool checkEnd(const SyncSet &syncs, RunState &state);

/// Runs the given steps of a trace, or all of it; returns whether it was not stopped.
bool runSteps(const ExecutionTrace &trace, const SyncSet &syncs, SyncListener &listener,
              llvm::ArrayRef<int32_t> steps);
bool runTrace(const ExecutionTrace &trace, const SyncSet &syncs, SyncListener &listener);

/// What the pipes of an instruction that occupies several know of each other: each begins its step
/// when the one before is done, and the first goes on when the last is.
void beginStep(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks);
void endStep(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks);

/// Whether the clocks know all that an instruction needs.
bool knowsNeeds(const ExecutionTrace &trace, const ExecutionTrace::Step &step,
                const PipeClocks &clocks);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H
