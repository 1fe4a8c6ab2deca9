// What every run on the modelled chip takes and returns: arguments, options, hazards, predicted
// time.
#ifndef ATTN_SIMULATOR_MODEL_SIMULATOR_H
#define ATTN_SIMULATOR_MODEL_SIMULATOR_H

#include "attn/Machine/Chip.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attn::simulator {

//===----------------------------------------------------------------------===//
// What goes in
//===----------------------------------------------------------------------===//

/// An array in GM: the caller's memory, read and written in place. Strides count elements.
struct Array {
  void *data = nullptr;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides;
  mlir::Type elementType;
};

/// One argument of a kernel.
struct Argument {
  enum class Kind { Array, Table, Integer, Real, Workspace };
  Kind kind = Kind::Workspace;
  /// One array, or the entries of a table.
  std::vector<Array> arrays;
  int64_t integer = 0;
  float real = 0;
  /// Whether the arrays hold values. Outputs and workspaces of the kernel never do, whatever this
  /// says.
  bool isDefined = true;

  static Argument array(Array array, bool isDefined = true);
  static Argument table(std::vector<Array> entries, bool isDefined = true);
  static Argument scalar(int64_t value);
  static Argument scalar(float value);
  /// Workspace that the simulator makes itself, as large as the launch needs it.
  static Argument workspace();
};

struct SimulationOptions {
  /// Skips values and hazards, for large shapes; arrays then need no data.
  bool timingOnly = false;
  /// Timing only: simulates every iteration, also of loops that have come to a steady state.
  bool everyIteration = false;
  /// Timing only: how often a kernel runs before the run that counts. That one finds in L2 what the
  /// last of them left, as under a profiler; without, nothing.
  int64_t warmUps = 0;
  /// Shakes latencies and times by this seed: another schedule, the same results of a correct
  /// kernel.
  std::optional<uint64_t> jitter;
  /// Compares the bytes each instruction touches with what its interface declares.
  bool checkEffects = false;
  /// Blocks to launch instead of min(launch.limit, tiles).
  std::optional<int64_t> blocks;
  /// Bytes that an ideal kernel would move, for the roofline; where not given those moved, of no
  /// array more than it has, each way.
  std::optional<int64_t> idealBytes;
  /// Keeps what each pipe of each core did, for `compareRecords`.
  bool recordInstructions = false;
  /// Keeps begin and end of each instruction of that many cores.
  int64_t traceCores = 0;
  /// Scalar steps after which a block is taken to hang.
  int64_t maxSteps = int64_t(1) << 31;
  /// Tiles of a grid above which a launch is refused: no simulation of so many ends in time.
  int64_t maxTiles = int64_t(1) << 22;
};

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

enum class HazardKind {
  OutOfBounds,
  Misaligned,
  Capacity,
  Uninitialised,
  Race,
  Deadlock,
  Flag,
  Limit,
  Overlap,
  Outstanding,
  Effects,
  Scalar,
  /// The core does not have what an instruction needs, or text calls AscendC where or how it may
  /// not be called.
  Usage,
};
llvm::StringRef getName(HazardKind kind);

/// One mistake of a kernel, reported once for each pair of instructions.
struct Hazard {
  HazardKind kind;
  std::string message;
  mlir::Location location;
  /// The block it was seen on and the pipe of the instruction, "" where none.
  int64_t block;
  std::string pipe;
  /// Which core of the block, "cube core" or "vector core 1"; "" where a block is one core.
  std::string core;
  /// Other instructions that take part: where, and how.
  std::vector<std::pair<mlir::Location, std::string>> notes;
};

struct PipeUse {
  /// "mte2"; where cores of both kinds ran, "cube mte2".
  std::string pipe;
  double busyCycles = 0;
  /// Share of the kernel's time on the device, averaged over the cores of that kind.
  double busyShare = 0;
};

struct ArrayTraffic {
  std::string name;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
};

/// How long the flags of a group held the cores of a kind.
struct HeldUse {
  /// "cube" or "vector".
  std::string cores;
  double cycles = 0;
  /// Share of the kernel's time on the device, averaged over those cores.
  double share = 0;
};

/// One instruction on one pipe, for the trace.
struct TraceEvent {
  int64_t core;
  /// "group 0, cube core"; "" where a block is one core.
  std::string coreName;
  std::string pipe;
  std::string name;
  double beginMicroseconds;
  double endMicroseconds;
  mlir::Location location;
};

/// A flag between cores, from its set to the end of the wait, for the trace.
struct TraceArrow {
  int64_t fromCore;
  std::string fromPipe;
  double fromMicroseconds;
  int64_t toCore;
  double toMicroseconds;
  std::string name;
};

/// What one pipe of one core did in one kernel of the launch, in order; one line per instruction:
/// its name, element types, counts, strides or event, and the bytes it touched. Scalar work is left
/// out.
struct PipeRecord {
  int64_t kernel;
  int64_t block;
  /// As of a hazard.
  std::string core;
  std::string pipe;
  std::vector<std::string> lines;
};

/// The highest byte of a local memory that a buffer ends at, and how many there are.
struct MemoryUse {
  std::string memory;
  int64_t bytesUsed = 0;
  int64_t bytes = 0;
};

struct SimulationResult {
  std::vector<Hazard> hazards;
  int64_t blocks = 0;
  int64_t cores = 0;
  int64_t instructions = 0;
  /// Cycles on the device, and time with the launch constant of each kernel.
  double cycles = 0;
  double microseconds = 0;
  std::vector<PipeUse> pipes;
  /// Of kernels whose blocks are groups.
  std::vector<HeldUse> held;
  std::vector<ArrayTraffic> traffic;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  /// Of them, those of arrays that are moved once each way.
  int64_t leastBytes = 0;
  /// What passed through L2 from and to HBM, in whole lines.
  int64_t hbmBytesRead = 0;
  int64_t hbmBytesWritten = 0;
  /// The memories of the cores that ran.
  std::vector<MemoryUse> memories;

  /// Of one of them; 0 where no core with it ran.
  int64_t getBytesUsed(LocalMemory memory) const;
  /// Multiplications and additions of products, and the cycles that they fill of one cube core.
  int64_t productOperations = 0;
  double productCycles = 0;
  /// The time that moving the fewest bytes takes, or that products take on all cube cores:
  /// whichever is longer.
  double rooflineMicroseconds = 0;
  /// Roofline time over predicted time.
  double rooflineShare = 0;
  std::vector<TraceEvent> trace;
  std::vector<TraceArrow> arrows;
  std::vector<PipeRecord> records;
};

//===----------------------------------------------------------------------===//
// Showing it
//===----------------------------------------------------------------------===//

/// File, line and column of the source that a location comes from; an empty file where unknown.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};
SourcePlace getSourcePlace(mlir::Location location);

/// The first difference between two records, in words; empty where they are equal.
std::string compareRecords(llvm::ArrayRef<PipeRecord> ones, llvm::ArrayRef<PipeRecord> others);

/// Emits every hazard as an error at its location, with notes at the other instructions.
void emitHazards(const SimulationResult &result);

/// Prints time, pipes, traffic and roofline, with the inputs and the known error of the model.
void printReport(const SimulationResult &result, const Chip &chip, llvm::raw_ostream &stream);

/// Writes the records, one line per instruction, below a line per kernel, block and pipe.
void writeRecords(const SimulationResult &result, llvm::raw_ostream &stream);

/// Writes the trace in the form of Chrome and Perfetto; as text, one line per instruction in the
/// order in which they begin, where the file it goes to is a `.txt`.
void writeTrace(const SimulationResult &result, llvm::StringRef file, llvm::raw_ostream &stream);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_MODEL_SIMULATOR_H
