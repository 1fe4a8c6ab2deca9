// Makes of a loop whose levels run apart loops that fill, that go on steadily and that drain; part
// of tile-split-cores.
#ifndef ATTN_LIB_TILEONCHIP_TRANSFORMS_LOOPSKEWER_H
#define ATTN_LIB_TILEONCHIP_TRANSFORMS_LOOPSKEWER_H

#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace attn::onchip {

/// Rewrites one loop of one half. Its ops are early, of the first level, or late. Tiles that go
/// from early to late ops wait in a stack of as many parts as iterations lie between, and one more.
class LoopSkewer {
public:
  LoopSkewer(tile::RangeOp loop, int64_t distance, CoreKind core);

  /// Fills and drains in each trip of the loop around. With `runsOn`, slots of exchanged tiles are
  /// not counted from 0 again there: the other half runs on.
  void run(bool runsOn);

  /// Whether the loop can fill for the next trip of the loop around before it drains (RunOn.cpp).
  bool canRunOn();
  void runOn();

private:
  /// A tile that early ops make, or have from the iteration before, and late ops take.
  struct Stacked {
    mlir::Value tile;
    tile::TileType type; // of the stack
    int64_t pitch;       // rows from part to part
  };
  /// What ops of both groups have made so far. Turns are the next slots of exchanged tiles, one for
  /// each number of slots.
  struct State {
    llvm::SmallVector<mlir::Value> early, stacks, late, earlyTurns, lateTurns;
  };
  enum class Phase { Fill, Mixed, Steady, Drain };

  bool isEarly(mlir::Operation *op) const;
  bool isLate(mlir::Operation *op) const;
  static bool isSource(mlir::Operation *op);
  void findGroups();
  void findStacked();
  void findTurns();
  bool joinsLevels();
  tile::RangeOp makeLoop(mlir::Value lower, mlir::Value upper, mlir::ValueRange inits,
                         bool isSteady);
  tile::RangeOp repeat(Phase phase, mlir::Value lower, mlir::Value upper, State &state,
                       llvm::function_ref<void(mlir::Value, State &)> iterate);
  mlir::Value countIterations();
  void mapIteration(mlir::Value index, mlir::IRMapping &map);
  void mapTurns(llvm::ArrayRef<int64_t> slots, llvm::MutableArrayRef<mlir::Value> turns,
                mlir::IRMapping &map);
  llvm::SetVector<mlir::Operation *> findNeeded(bool early, const mlir::IRMapping &map);
  void clone(bool early, mlir::IRMapping &map);
  mlir::Value getPart(const Stacked &stacked, mlir::Value index);
  void runEarly(mlir::Value index, State &state);
  void runLate(mlir::Value index, State &state, mlir::IRMapping map = {});
  mlir::Value constant(int64_t number);
  void takeTurns(mlir::ValueRange carried, State &state);

  // Running on (RunOn.cpp).

  /// The iterations of a trip of the loop around that wait when it is over: how many, the number of
  /// the first, and what they take of that trip.
  struct Waiting {
    mlir::Value count, first;
    llvm::SmallVector<mlir::Value> handed;
  };

  bool findHanded();
  void mapHanded(mlir::ValueRange values, mlir::IRMapping &map);
  Waiting takeWaiting(mlir::ValueRange carried, State &state);
  void runWaiting(const Waiting &waiting, mlir::Value number, State &state);
  void repeatFew(Phase phase, mlir::Value count, State &state,
                 llvm::function_ref<void(mlir::Value, State &)> iterate);
  llvm::SmallVector<mlir::Value> runTrip(const Waiting &waiting, State &state);

  tile::RangeOp loop;
  int64_t distance;
  CoreKind core;
  mlir::ImplicitLocOpBuilder builder;
  mlir::Block &body;
  int64_t first = 0;
  llvm::SmallVector<unsigned> earlyCarried, lateCarried; // positions of carried values
  llvm::SmallVector<Stacked> stacked;
  llvm::SmallVector<int64_t> earlySlots, lateSlots; // of which there are turns
  /// What late ops take of a trip of the loop around: numbers, and ops that are made again of them.
  llvm::SetVector<mlir::Value> handed;
  llvm::SetVector<mlir::Operation *> remade;
};

/// Lets `loop` carry so many more numbers, which begin with 0; `setCarried` says what a trip makes
/// of them.
tile::RangeOp addCarried(tile::RangeOp loop, size_t count);
void setCarried(tile::RangeOp loop, mlir::ValueRange last);

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_TRANSFORMS_LOOPSKEWER_H
