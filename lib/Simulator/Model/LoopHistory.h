// The loops of a core's program as its scalar unit runs them, for finding those that have come to a
// steady state.
#ifndef ATTN_LIB_SIMULATOR_MODEL_LOOPHISTORY_H
#define ATTN_LIB_SIMULATOR_MODEL_LOOPHISTORY_H

#include "attn/Simulator/Model/Instruction.h"

namespace attn::simulator {

/// A loop whose iterations take the same instructions in about the same time.
struct SteadyLoop {
  int32_t loop;
  /// Iterations after which the same instructions come again: slots alternate.
  int64_t repeat;
  /// The iterations from which that was found.
  int64_t seen;
  /// Cycles of one iteration, and how many more it took in the later half of them.
  double cycles;
  double drift;
  /// Iterations that have not begun.
  int64_t left;
};

/// What a core did until some time, to tell what it did since.
struct CoreWork {
  std::array<double, pipeCount> busy = {};
  /// Cycles that flags between cores held it.
  double held = 0;
  /// Lines of GM that it touched, and those that L2 read from HBM or wrote there for it.
  int64_t lines = 0;
  int64_t hbmLines = 0;
};

class LoopHistory {
public:
  /// Slots alternate after at most so many iterations.
  static constexpr int64_t maxRepeat = 6;

  /// An iteration begins, before its first instruction is fetched.
  void addTurn(const LoopTurn &turn, double time, const CoreWork &work);
  void addInstruction(const Issued &issued);

  /// The loops that are in a steady state, outermost first.
  llvm::ArrayRef<SteadyLoop> getSteadyLoops() const { return steady; }
  /// What the iterations took from which a loop was found to be steady.
  CoreWork getWork(const SteadyLoop &loop) const;
  /// Instructions since the last iteration of a loop began.
  int64_t getPosition(int32_t loop) const { return instructions - find(loop)->first; }
  int64_t countTurns(int32_t loop) const { return find(loop)->turnCount; }
  double getLastTurn(int32_t loop) const { return find(loop)->turns.back().time; }
  /// Whether the last iteration had the instructions of the one `repeat` before it.
  bool isRepeating(int32_t loop, int64_t repeat) const { return find(loop)->repeats[repeat] > 0; }
  /// The times of a loop and of those inside do not count: their iterations were passed over.
  void forget(int32_t loop);

private:
  /// The begin of an iteration, and the instructions of the one before.
  struct Turn {
    double time;
    uint64_t hash;
    CoreWork work;
  };
  struct Loop {
    explicit Loop(int32_t number) : number(number) {}

    int32_t number;
    int64_t distance = 0;
    int64_t step = 0;
    int64_t turnCount = 0;
    /// State of the stream of instructions when the iteration began.
    int64_t first = 0;
    uint64_t firstHash = 0;
    std::deque<Turn> turns;
    /// Per distance: how many of the last iterations had the instructions of the one so far before.
    std::array<int64_t, 1 + maxRepeat> repeats = {};
  };

  const Loop *find(int32_t number) const;
  Loop &findOrAdd(int32_t number);
  static void countRepeats(Loop &loop);
  static std::optional<SteadyLoop> findSteadyState(const Loop &loop);

  /// Outermost first.
  std::vector<Loop> loops;
  std::vector<SteadyLoop> steady;
  /// Of all instructions so far: how many, and a polynomial of them, so that the hash of any part
  /// is the difference of two.
  int64_t instructions = 0;
  uint64_t hash = 0;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_LOOPHISTORY_H
