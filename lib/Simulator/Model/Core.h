// One core of the chip: a scalar unit that issues into asynchronous pipes, and the flags between
// them.
#ifndef ATTN_LIB_SIMULATOR_MODEL_CORE_H
#define ATTN_LIB_SIMULATOR_MODEL_CORE_H

#include "Execution.h"
#include "HazardLog.h"
#include "Jitter.h"
#include "LoopHistory.h"
#include "Memory.h"
#include "Records.h"
#include "Ring.h"
#include "Timing.h"
#include <deque>

namespace attn::simulator {

/// What will happen on a core.
enum class EventKind { StartBlock, StepPipe, RaiseFlag, RaiseCross, StartTransfer, LeaveMeeting };

/// A set of a flag between cores, whose work is done.
struct CrossSet {
  const Instruction *setter;
  /// By which pipe, among those of the block's cores, and what is finished then.
  int queue;
  Clock known;
  /// How many of its core's sets of this flag it is, from 1 on.
  uint32_t number;
  /// When it was set, and when it got to the core that has it.
  double time;
  double arrival;
};

/// What holds a core that cannot go on: places of the source, and what is waited for there.
using HeldList = std::vector<std::pair<mlir::Location, std::string>>;

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
  virtual void startTransfer(int core, int pipe, const Transfer &transfer, const PoolBytes &drawn,
                             double now) = 0;
  /// The core has done its part of its block.
  virtual void finishBlock(int core, double time) = 0;
  /// The core's block has come to a meeting of all blocks.
  virtual void joinMeeting(int core, double time) = 0;
  /// A core of a group has set a flag for the others: the cube core for the vector cores, or one of
  /// these for the cube core.
  virtual void setCross(int core, const CrossSet &set, double time) = 0;
  /// The core begins an iteration of a loop that is in a steady state.
  virtual void noticeSteadyLoop(int core) = 0;
  /// Who a meeting still waits for, in words.
  virtual std::string describeMissing() const = 0;
};

/// What kernels moved.
struct TrafficCounts {
  std::vector<ArrayTraffic> arrays;
  /// Lines that came from HBM and went there.
  int64_t linesRead = 0;
  int64_t linesWritten = 0;
};

/// The arrays of a launch in GM, and what L2 holds of them; one kernel of a launch after the other
/// finds what those before it left.
struct GlobalMemory {
  std::vector<ByteMemory> arrays;
  /// Where each array's first element lies.
  std::vector<int64_t> addresses;
  L2Cache l2;
  TrafficCounts counts;
  /// Of all kernels that ran.
  double cycles = 0;
};

/// What all cores share.
struct Chipwide {
  const Session::Kernel &kernel;
  const Launch &launch;
  const Chip &chip;
  const Costs costs;
  const SimulationOptions &options;
  HazardLog &log;
  GlobalMemory &gm;
  int64_t blocks;
  /// Whether iterations of steady loops may be passed over.
  bool mayPassOver;
  /// Cycles of the launches before, and of what was passed over in this one.
  double begin;
  double skippedCycles;
  InstructionRecorder recorder;
  std::vector<TraceEvent> trace;
  std::vector<TraceArrow> arrows;
  int64_t instructions = 0;
  ProductWork products;
  LocalTimes localTimes = {};
  /// Whether iterations that were passed over turned out to be others than those before them: where
  /// the cores are then is not known, and the run is for nothing.
  bool isLost = false;

  /// Counts an instruction that works.
  void count(const Issued &issued) {
    ProductWork work = getProductWork(costs, issued);
    ++instructions;
    products.operations += work.operations;
    products.cycles += work.cycles;
  }
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
  const CorePlace &getPlace() const { return place; }

  // Flags between the cores of a group.
  /// Before a block: none is raised.
  void clearCrossFlags();
  /// Cycles from a block's start until this core begins, where times are shaken.
  double getStartDelay() { return jitter.draw(0, shared.costs.crossFlagMost); }
  /// Another core of the group has set a flag, which gets here at `time`.
  void expectCross(const CrossSet &set, double time);
  void raiseCross(int index, double now);
  /// Whether `set` is known to come after so many waits of this core that its counter holds it.
  bool hasRoomFor(const CrossSet &set) const;
  /// The cores of the block, as places in it, that must set the flag that holds the core.
  llvm::SmallVector<int, vectorCoresPerGroup> listMissingSetters() const;
  /// After a block: reports what is raised.
  void reportCrossLeftovers();

  /// Nothing can happen any more though the block has not ended: what each pipe waits for.
  HeldList listHeld() const;
  /// The block has ended, and not by a mistake.
  bool hasReturned() const { return hasReturnedWell; }
  bool isFinished() const { return state == ScalarState::Ended; }
  double getBusyCycles(int pipe) const { return work.busy[pipe]; }
  /// How long flags between cores held it.
  double getHeldCycles() const { return work.held; }

  // Steady states: instructions are passed over, and the pipes stay as they are.
  const LoopHistory &getLoops() const { return loops; }
  /// The scalar unit is at an instruction.
  bool isAtInstruction() const { return hasNext; }
  void beginSkip(const SteadyLoop &loop);
  /// Passes over instructions up to the next transfer, or until `iterations` are over; false then.
  bool skipToTransfer(int64_t iterations);
  void endSkip();
  const CoreWork &getWork() const { return work; }

private:
  struct PipeState {
    Ring<Issued> queue;
    /// The head is a copy that is under way.
    bool isTransferring = false;
    /// The next instruction pays its start: the pipe was empty, or after a barrier or flag.
    bool isCold = true;
    /// When the pipe may take the next instruction, and when the last result is there.
    double freeAt = 0;
    double doneAt = 0;
    double beganAt = 0;
    Transfer transfer;
    PoolBytes drawn = {};
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
    double busyUntil = 0;
  };

  struct Flag {
    /// A set whose work is done: when, and what is finished then.
    struct Raise {
      const Instruction *setter;
      Clock known;
      double time;
    };
    struct Pending {
      const Instruction *setter;
      Clock known;
    };
    /// At most one in a correct kernel. After a misuse, which is reported, the flag counts, so that
    /// the run goes on and shows what else is wrong.
    Ring<Raise> raised;
    /// Sets that were issued and whose work is not done.
    Ring<Pending> pending;
    /// The wait that cleared it last, by its number on the target pipe.
    uint32_t lastWait = 0;
  };

  /// A flag between cores, as the core that waits for it has it.
  struct CrossFlag {
    /// Per core that must set it: sets on their way, and sets that have come.
    std::array<std::deque<CrossSet>, vectorCoresPerGroup> underWay;
    std::array<std::deque<CrossSet>, vectorCoresPerGroup> raised;
    /// The waits that were passed, by their numbers on pipe S.
    std::vector<uint32_t> waits;
    /// This core's own last set.
    CrossSet lastSet = {};
  };

  enum class ScalarState {
    Running,
    QueueFull,
    HeldByFlag,
    HeldByCross,
    HeldByBarrier,
    InMeeting,
    Returned,
    Failed,
    Ended
  };

  // The scalar unit.
  void resumeScalar(double now);
  /// Has the program run up to its next instruction.
  ScalarProgram::Stop fetch();
  void beginIteration(const LoopTurn &turn);
  bool issue();
  /// Whether the core has what the instruction needs; else reports that.
  bool fitsCore(const Issued &issued);
  bool issueBarrierAll();
  bool issueSyncAll();
  bool issueCrossWait();
  void passAllPipes();
  bool issueOnScalarPipe();
  bool issueToPipe();
  /// A product goes to both of its pipes.
  bool issueProduct();
  bool hasRoom(int pipe);
  void enqueue(int pipe, const Issued &issued);
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
  /// Takes a product as a whole, which is on two pipes: it begins when both have come to it, and
  /// both go on when it is done. Returns false where the other has not come.
  bool takeProduct(int pipe, double now);
  void runLocally(int pipe, const Issued &issued, double now);
  void beginTransfer(int pipe, const Issued &issued, int globalOperand, double now);
  void execute(int pipe, const Issued &issued);
  void record(int pipe, const Issued &issued, llvm::ArrayRef<Touch> touches = {});
  void addBusy(int pipe, double begin, double end);
  void addTrace(int pipe, const Instruction &instruction, double begin, double end);
  int64_t getArrayAddress(const Issued &issued, int operand) const;
  /// What L2 has of a transfer; counts its bytes.
  L2Outcome touchMemory(const Issued &issued, int globalOperand, const Transfer &transfer,
                        double now);

  // Flags.
  std::optional<int> getFlag(const Issued &issued);
  void setFlag(int flag, const Issued &issued, const Clock &done, double time);
  /// Clears a raised flag for the target with `clock`; returns when the target goes on.
  double clearFlag(int flag, uint32_t sequence, Clock &clock, double now);
  std::string describeFlag(const Instruction &instruction) const;
  bool isCrossFlag(const Issued &issued);
  void setCross(int pipe, const Issued &issued, double now);
  /// The wait for `setters`, which began at `begin`, is over.
  void addCrossTrace(llvm::ArrayRef<std::deque<CrossSet>> setters, double begin);
  /// The cores whose sets a wait takes together.
  int getSetterCount() const { return place.kind == CoreKind::Cube ? vectorCoresPerGroup : 1; }
  /// Which of them a pipe of the block belongs to.
  int getSetter(int queue) const {
    return place.kind == CoreKind::Cube ? queue / pipeCount - 1 : 0;
  }

  /// The place of a pipe in the clocks of its block.
  int getQueue(int pipe) const { return place.coreOfBlock * pipeCount + pipe; }

  /// Within a group, for the trace.
  std::string describeCore() const;

  int index;
  CorePlace place;
  Jitter jitter;
  CoreFacts facts;
  Chipwide &shared;
  Surroundings &surroundings;
  std::unique_ptr<ScalarProgram> program;
  LocalMemories memories;
  std::array<PipeState, pipeCount> pipes;
  std::vector<Flag> flags;
  std::array<CrossFlag, architecture::crossFlags> crossFlags;
  bool hasReturnedWell = false;
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
  /// Since when a flag between cores holds the scalar unit.
  bool isHeld = false;
  double heldSince = 0;
  CoreWork work;
  LoopHistory loops;

  /// The iterations that are passed over.
  struct Skip {
    SteadyLoop loop;
    /// Where the loop was: its iterations so far, and the instructions of the last one.
    int64_t turns;
    int64_t position;
    /// What one iteration takes.
    CoreWork each;
    double time;
  };
  std::optional<Skip> skip;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_CORE_H
