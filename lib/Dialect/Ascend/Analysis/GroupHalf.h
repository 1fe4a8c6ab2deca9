// A half of a mixed kernel as its flags for other cores see it: loops, conditions and flags.
#ifndef ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H
#define ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H

#include "SkewedLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <set>

namespace attn::ascend {

/// Numbers values such that those of two functions are the same wherever they have the same number:
/// computed by the same operations from the same arguments, in the same trips of loops around.
class ValueNumbers {
public:
  int64_t get(mlir::Value value);

private:
  using Key = std::vector<int64_t>;
  std::optional<Key> getKey(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> numbers;
  std::map<Key, int64_t> keys;
  int64_t next = 0;
};

/// A flag, a loop with flags, the three loops of one distance, or a condition with flags.
struct HalfPart {
  mlir::Operation *op = nullptr;
  /// The loop, or the three of it.
  SkewedLoops loops = {};
  /// Those that run on, where the part is these, or the last of them.
  std::optional<RunningLoops> running = std::nullopt;
  /// How many iterations the first of the three runs ahead.
  int64_t distance = 0;
  /// The numbers of a loop's bounds and step, or that of a condition.
  std::array<int64_t, 3> count = {-1, -1, -1};
  /// How often a loop runs, where that is known. Numbers do not show what was one loop before.
  std::optional<int64_t> trips = std::nullopt;

  bool isFlag() const { return mlir::isa<CrossSetOp, CrossWaitOp>(op); }
  bool isLoop() const { return mlir::isa<mlir::scf::ForOp>(op); }
  bool isSkewed() const { return loops.fill || running; }
  /// What is left of an exchange after the loop around it.
  bool isLast() const { return running && running->last == op; }
};

int64_t getFlag(mlir::Operation *op);

/// One half, as far as its flags for other cores go.
class Half {
public:
  Half(mlir::func::FuncOp function, ValueNumbers &numbers);

  /// Whether all control flow around flags is of a form that can be followed.
  bool isFollowed() const { return isKnown; }
  llvm::ArrayRef<HalfPart> getParts(mlir::Block *block) const { return parts.find(block)->second; }
  mlir::Block *getBody() const { return body; }
  int64_t countUses(int64_t flag) const { return uses.lookup(flag); }
  int64_t getLongestDistance() const { return longestDistance; }
  /// Whether loops run on from trip to trip of the one around.
  bool runsOn() const { return hasRunning; }
  /// Of loops and conditions that may run or not.
  const std::set<std::array<int64_t, 3>> &getCounts() const { return counts; }

private:
  mlir::LogicalResult collect(mlir::Block &block);
  mlir::LogicalResult setLoops(mlir::scf::ForOp loop, HalfPart &part);

  mlir::Block *body;
  ValueNumbers &numbers;
  llvm::DenseSet<mlir::Operation *> holders;
  llvm::DenseMap<int64_t, int64_t> uses;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<HalfPart>> parts;
  std::set<std::array<int64_t, 3>> counts;
  int64_t longestDistance = 0;
  bool hasRunning = false;
  bool isKnown = false;
};

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H
