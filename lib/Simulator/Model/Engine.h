// The discrete-event simulation of all cores and the GM bandwidth they share.
#ifndef ATTN_LIB_SIMULATOR_MODEL_ENGINE_H
#define ATTN_LIB_SIMULATOR_MODEL_ENGINE_H

#include "EventQueue.h"
#include "SharedPools.h"

namespace attn::simulator {

class Engine : private Surroundings {
public:
  explicit Engine(Chipwide &shared);

  /// Runs all blocks to their end, or to a deadlock.
  void run();

  double getCycles() const { return lastEnd + shared.skippedCycles; }
  int64_t getCoreCount() const { return cores.size(); }
  int64_t getCoreCount(CoreKind kind) const;
  double getBusyCycles(CoreKind kind, int pipe) const;
  double getHeldCycles(CoreKind kind) const;

private:
  void schedule(double time, EventKind kind, int core, int index) override;
  void startTransfer(int core, int pipe, const Transfer &transfer, const PoolBytes &drawn,
                     double now) override;
  void finishBlock(int core, double time) override;
  void joinMeeting(int core, double time) override;
  void setCross(int core, const CrossSet &set, double time) override;
  void noticeSteadyLoop(int core) override;
  std::string describeMissing() const override;
  void handle(const Event &event);
  void finishTransfers();
  /// Nothing can happen any more: says, for a block that has not ended, who waits for whom.
  void reportDeadlock(int at);

  /// Passes over iterations like those of `lead`, if all cores are in such loops.
  bool skipIterations(const SteadyLoop &lead);

  /// Starts the next block, if there is one, on the cores of place number `at`.
  void startNextBlock(int at, double time);

  Chipwide &shared;
  /// The cores of one block after those of another.
  int coresPerBlock;
  std::vector<Core> cores;
  /// Per place of a block: cores that have not done their part, and when the last one had.
  struct BlockState {
    int running = 0;
    double end = 0;
  };
  std::vector<BlockState> places;
  EventQueue events;
  SharedPools memory;
  uint64_t nextOrder = 0;
  int64_t nextBlock = 0;
  /// Cores that have been told to start a block and have not.
  int64_t startsPending = 0;
  /// The cores whose blocks wait for the others, and when the last of them came.
  std::vector<int> meeting;
  double lastArrival = 0;
  double lastEnd = 0;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_ENGINE_H
