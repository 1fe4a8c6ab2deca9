// What all traces of a kernel share: the accesses of its instructions and the bounds of its loops.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H

#include "LocalPieces.h"
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"

namespace attn::ascend {

/// The number of an index that traces compute; `noIndex` stands for none.
using IndexNumber = int32_t;
constexpr IndexNumber noIndex = -1;

/// What is known of an index whatever the run makes of it.
struct IndexFacts {
  mlir::Value value;
  std::optional<int64_t> constant = {}, low = {}, high = {};
  /// The numbers that it is the larger of, if it is made like that.
  std::pair<IndexNumber, IndexNumber> largerOf = {noIndex, noIndex};
  /// Its number among those that choose slots, or -1.
  int32_t slotIndex = -1;
};

/// What an instruction touches of local memory.
struct LocalFacts {
  Access access;
  /// The number by which the pieces of local memory know the access.
  int32_t number;
  /// The number of the view.
  int32_t view;
  /// The amount of the exact size, if it has one.
  IndexNumber amount = noIndex;
};

/// What a transfer touches of an array, as far as that does not change while the kernel runs.
struct GlobalFacts {
  /// A level of the access: how many of what stands below, the dimension that they run along and
  /// how many of its numbers they are apart (none: one); no dimension where it is not known.
  struct Level {
    IndexNumber count;
    std::optional<int64_t> dimension;
    IndexNumber step;
    /// Whether there may be several.
    bool repeats;
  };

  int32_t view;
  mlir::Value array;
  bool isWrite;
  bool isWorkspace;
  /// Which of the instruction's pipes touches it.
  int pipeNumber;
  /// Whether no two such transfers touch the same, see `ascend.expect_distinct`.
  bool isDistinct = false;
  /// Elements in a row; none where the whole array may be touched.
  IndexNumber length = noIndex;
  llvm::SmallVector<Level, 1> levels = {};
};

struct InstructionFacts {
  int32_t number;
  llvm::SmallVector<Pipe, 2> pipes;
  /// Which writes it keeps apart from, see `apartName`.
  std::optional<int64_t> apart;
  llvm::SmallVector<LocalFacts, 0> local;
  /// Of arrays in which an order must be made.
  llvm::SmallVector<GlobalFacts, 0> global;
};

/// The indices of a loop.
struct LoopFacts {
  IndexNumber lower, upper, step, induction;
  struct Carried {
    IndexNumber init, argument, yielded, result;
  };
  llvm::SmallVector<Carried, 4> carried;
};

/// An operation that a trace comes by.
struct TraceEntry {
  enum class Kind {
    Instruction,
    Loop,
    Condition,
    Sync,
    Add,
    Subtract,
    Multiply,
    Compute, ///< gives a number from two
    Index,   ///< gives a number that only the run knows, or a constant
    Slot,
    Slice,
    Address,
    Other
  };
  Kind kind = Kind::Other;
  mlir::Operation *op = nullptr;
  /// The number of an instruction, loop or condition.
  int32_t number = -1;
  const InstructionFacts *instruction = nullptr;
  const LoopFacts *loop = nullptr;
  /// The index or view that it gives.
  int32_t result = -1;
  /// Of a view: what it is a view of.
  int32_t source = -1;
  /// Of a condition: each result, and what it is either way.
  llvm::SmallVector<IndexNumber, 2> operands = {};
  /// What was computed before, by operands.
  struct Known {
    int64_t a, b;
    std::optional<int64_t> result;
  };
  llvm::SmallVector<Known, 0> known = {};
};

/// A loop in which cores of a group tell each other of what they have done.
struct ExchangeLoop {
  /// Loops that fill, go on and drain are one exchange.
  int32_t exchange;
  /// Whether it is the first of them.
  bool isFirst;
  /// Whether they run on from trip to trip of the loop around: then what is told of is counted by
  /// sets.
  bool runsOn;
};

struct KernelFacts {
  KernelFacts(mlir::func::FuncOp kernel, const IndexRanges &ranges);
  /// How often a loop runs in a trace, unless the trace itself finds its bounds to be numbers.
  int64_t getTrips(mlir::scf::ForOp loop, const TraceChoice &choice) const;
  /// How many trips of it show all that a loop can do in such a trace, see TripCounts.cpp.
  int64_t getFullTrips(mlir::scf::ForOp loop, const TraceChoice &choice) const;
  mlir::func::FuncOp kernel;
  const IndexRanges &ranges;
  /// Instructions, loops and conditions, numbered.
  llvm::DenseMap<mlir::Operation *, int32_t> numbers;
  llvm::DenseMap<mlir::Operation *, InstructionFacts> instructions;
  llvm::DenseMap<mlir::Operation *, LoopFacts> loops;
  /// The loops, those around others first.
  llvm::SmallVector<mlir::scf::ForOp> loopsInOrder;
  llvm::DenseMap<mlir::Operation *, std::optional<int64_t>> tripLimits;
  /// The loops that always run just as often as their limit says.
  llvm::DenseSet<mlir::Operation *> fixedLoops;
  /// Of a loop that drains what another has filled: that one.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> fillOf;
  /// The loops that go over the rows of a vector core: where it has none, none of them runs.
  llvm::SmallVector<mlir::Operation *> rowLoops;
  /// The loops around waits that tell of flags of this core, see `CrossWaitOp`.
  llvm::DenseMap<mlir::Operation *, ExchangeLoop> exchangeLoops;
  int32_t exchangeCount = 0;
  /// The innermost loop around a loop in whose trips it may run another number of times.
  llvm::DenseMap<mlir::Operation *, mlir::scf::ForOp> varyingWith;
  /// Conditions inside of which pipes may wait for each other, and the innermost loop around each
  /// that moves on slots that it uses.
  llvm::DenseMap<mlir::Operation *, mlir::scf::ForOp> turningLoops;
  /// How many trips of a loop show all that it can do, see TripCounts.cpp: where all trips go the
  /// same way, and whatever way they go.
  llvm::DenseMap<mlir::Operation *, int64_t> evenTrips, fullTrips;
  /// The views of buffers that each trip of a loop takes at another place.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> movingViews;
  /// Loops whose trips touch other places of a buffer, or of an array that the kernel writes: trips
  /// that are not next to each other may meet.
  llvm::DenseSet<mlir::Operation *> movingLoops;
  llvm::DenseMap<mlir::Value, int32_t> slotIndices; // numbered
  /// The indices that traces compute, and the views of memory, numbered.
  llvm::DenseMap<mlir::Value, IndexNumber> indexNumbers;
  std::vector<IndexFacts> indices;
  llvm::DenseMap<mlir::Value, int32_t> viewNumbers;
  /// The places of whole buffers, by the number of the view.
  std::vector<std::pair<int32_t, LocalPlace>> buffers;
  /// The arrays in which an order must be made, see `isExchanged`.
  llvm::DenseSet<mlir::Value> writtenArrays;
  /// How many loops and conditions are around all writes of a group that keep apart.
  llvm::DenseMap<int64_t, int32_t> apartDepths;
  /// Indices that rows are apart by: transfers step forward, so they are positive.
  llvm::DenseSet<mlir::Value> rowSteps;
  using TracedBlocks = llvm::DenseMap<mlir::Block *, std::vector<TraceEntry>>;
  /// The operations of each block that a trace comes by: those that touch memory, make an order or
  /// decide where that is. What is computed for anything else does not matter, and constants are
  /// looked up where they are used.
  TracedBlocks traced;
  /// Of these, what a trace comes by that finds no needs.
  TracedBlocks tracedFlags;
  /// What instructions touch of local memory, as far as traces have come to it.
  LocalPieces pieces;

private:
  IndexNumber numberIndex(mlir::Value index);
  int32_t numberView(mlir::Value view);
  LocalFacts getLocal(Access access);
  void setIndexFacts();
  TraceEntry getTraced(mlir::Operation *op);
  void setTracedIndex(mlir::Operation *op, TraceEntry &traced);
  void setTracedView(mlir::Operation *op, TraceEntry &traced);
  void setFullTrips();
  void setSkewedLoops();
  void setExchangeLoops();
  void setRowLoops();
  void setApartDepths();
  TracedBlocks findTraced(bool findsNeeds);
  void collectSources(bool findsNeeds, llvm::SmallVectorImpl<mlir::Value> &sources);
  void add(InstructionOpInterface instruction);
  void add(mlir::scf::ForOp loop);
  void add(AllocOp buffer);
  bool isWorkspace(mlir::Value array);
  bool isExchanged(mlir::Value array);
  bool isPlaceOfWritten(mlir::Operation *op) const;
  GlobalFacts getGlobal(const Access &access);

  int32_t localAccessCount = 0;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H
