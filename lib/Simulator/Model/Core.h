// One core of the chip: a scalar unit that issues into asynchronous pipes, and the flags between
// them.
#ifndef ATTN_LIB_SIMULATOR_MODEL_CORE_H
#define ATTN_LIB_SIMULATOR_MODEL_CORE_H

#include "Execution.h"
#include "HazardLog.h"
#include "Memory.h"
#include "Records.h"
#include "Timing.h"
#include <deque>

namespace attn::simulator {

/// What will happen on a core.
enum class EventKind { StartBlock, StepPipe, RaiseFlag, StartTransfer, LeaveMeeting };

/// What a kind of core has, for quick lookups.
struct CoreFacts {
  explicit CoreFacts(CoreKind kind);
  /// Indexed by `Memory`; the places of GM are those of the launch.
  std::array<bool, 1 + localMemoryCount> memories;
  std::array<bool, pipeCount> pipes;
  std::array<std::array<bool, pipeCount>, pipeCount> flags;
};

/// What a core asks of the chip around it.
class Surroundings {
public:
  virtual ~Surroundings() = default;
  virtual void schedule(double time, EventKind kind, int core, int index) = 0;
  virtual void startTransfer(int core, int pipe, double bytes, double maxRate, double now) = 0;
  /// The core has done its part of its block.
  virtual void finishBlock(int core, double time) = 0;
  /// The core's block has come to a meeting of all blocks.
  virtual void joinMeeting(int core, double time) = 0;
  /// Who a meeting still waits for, in words.
  virtual std::string describeMissing() const = 0;
};

/// What all cores share.
struct Chipwide {
  const Session::Kernel &kernel;
  const Launch &launch;
  const Chip &chip;
  const Costs costs;
  const SimulationOptions &options;
  HazardLog &log;
  std::vector<ByteMemory> arrays;
  int64_t blocks;
  std::vector<ArrayTraffic> traffic;
  InstructionRecorder recorder;
  std::vector<TraceEvent> trace;
  int64_t instructions = 0;
};

class Core {
public:
  /// `place` says everything but the block, which changes.
  Core(int index, CorePlace place, Chipwide &shared, Surroundings &surroundings);

  void startBlock(int64_t block, double time);

  // What the chip calls when a scheduled event has come.
  void stepPipe(int pipe, double now);
  void raiseFlag(int flag, double now);
  void startTransfer(int pipe, double now);
  void finishTransfer(int pipe, double now);
  void leaveMeeting(double now);

  CoreKind getKind() const { return place.kind; }
  /// Nothing can happen any more though the block has not ended: says what each pipe waits for.
  void reportDeadlock();
  bool isFinished() const { return state == ScalarState::Ended; }
  double getBusyCycles(int pipe) const { return pipes[pipe].busy; }

private:
  struct PipeState {
    std::deque<Issued> queue;
    /// The head is a copy that is under way.
    bool isTransferring = false;
    /// The next instruction pays its start: the pipe was empty, or after a barrier or flag.
    bool isCold = true;
    /// When the pipe may take the next instruction, and when the last result is there.
    double freeAt = 0;
    double doneAt = 0;
    double beganAt = 0;
    TransferTime transfer = {};
    const Instruction *lastTransfer = nullptr;
    /// An event that makes it look at its queue is on the way.
    bool willStep = false;
    /// The flag it is held by, or -1.
    int waitsFor = -1;
    /// What is finished before its next instruction starts.
    Clock clock = {};
    uint32_t issued = 0;
    /// The last instruction that works or waits, for what is left at the end.
    const Instruction *lastWork = nullptr;
    uint32_t lastWorkSequence = 0;
    double busy = 0;
    double busyUntil = 0;
  };

  struct Flag {
    /// A set whose work is done: when, and what is finished then.
    struct Raise {
      const Instruction *setter;
      Clock known;
      double time;
    };
    /// At most one in a correct kernel. After a misuse, which is reported, the flag counts, so that
    /// the run goes on and shows what else is wrong.
    std::deque<Raise> raised;
    /// Sets that were issued and whose work is not done.
    std::deque<std::pair<const Instruction *, Clock>> pending;
    /// The wait that cleared it last, by its number on the target pipe.
    uint32_t lastWait = 0;
  };

  enum class ScalarState {
    Running,
    QueueFull,
    HeldByFlag,
    HeldByBarrier,
    InMeeting,
    Returned,
    Failed,
    Ended
  };

  // The scalar unit.
  void resumeScalar(double now);
  bool issue();
  /// Whether the core has what the instruction needs; else reports that.
  bool fitsCore(const Issued &issued);
  bool issueBarrierAll();
  bool issueSyncAll();
  void passAllPipes();
  bool issueOnScalarPipe();
  bool issueToPipe();
  void reportScalar();
  void failScalar();
  bool areAllIdle() const;
  double getLatestDone() const;
  void noticeIdle(double now);
  void endBlock();
  void reportLeftovers();

  // Pipes.
  /// Has the pipe look at its queue at `time`, unless it will do so anyway.
  void wake(int pipe, double time);
  void drainQueue(int pipe, double now);
  /// Takes the head of the queue, or returns false where a flag holds it.
  bool takeHead(int pipe, double now);
  void runVector(int pipe, const Issued &issued, double now);
  void beginTransfer(int pipe, const Issued &issued, double now);
  void execute(int pipe, const Issued &issued);
  void record(int pipe, const Issued &issued, llvm::ArrayRef<Touch> touches = {});
  void addBusy(PipeState &pipe, double begin, double end);
  void addTrace(int pipe, const Instruction &instruction, double begin, double end);
  void countTraffic(const Issued &issued, int64_t bytes);

  // Flags.
  std::optional<int> getFlag(const Issued &issued);
  void setFlag(int flag, const Issued &issued, const Clock &done, double time);
  /// Clears a raised flag for the target with `clock`; returns when the target goes on.
  double clearFlag(int flag, uint32_t sequence, Clock &clock, double now);
  std::string describeFlag(const Instruction &instruction) const;

  /// The place of a pipe in the clocks of its block.
  int getQueue(int pipe) const { return place.coreOfBlock * pipeCount + pipe; }

  int index;
  CorePlace place;
  CoreFacts facts;
  Chipwide &shared;
  Surroundings &surroundings;
  std::unique_ptr<ScalarProgram> program;
  LocalMemories memories;
  std::array<PipeState, pipeCount> pipes;
  std::vector<Flag> flags;
  ScalarState state = ScalarState::Ended;
  double scalarTime = 0;
  Clock scalarClock = {};
  Issued next;
  bool hasNext = false;
  /// The meeting that the scalar unit is held by is over.
  bool hasMet = false;
  uint32_t meetings = 0;
  /// The flag or the queue that holds the scalar unit.
  int heldBy = -1;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_CORE_H
