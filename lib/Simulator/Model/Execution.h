// The execution of one instruction: what it touches, what becomes undefined, and its values.
#ifndef ATTN_LIB_SIMULATOR_MODEL_EXECUTION_H
#define ATTN_LIB_SIMULATOR_MODEL_EXECUTION_H

#include "Fractals.h"
#include "HazardLog.h"
#include "Memory.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Chip.h"
#include "attn/Simulator/Model/Numerics.h"
#include "llvm/ADT/BitVector.h"

namespace attn::simulator {

using architecture::blockBytes;
using architecture::blocksPerRepeat;
using architecture::repeatBytes;

/// How a vector operand walks through its memory, in bytes.
struct Walk {
  int64_t address;
  int64_t elementBytes;
  int64_t blockStride;
  int64_t repeatStride;
};

/// `lanes` elements that lie side by side in every operand; offsets are those of the first.
struct Run {
  std::array<int64_t, 4> offsets;
  int64_t lanes;
  int64_t repeat;
};

/// Bytes of a local memory from `begin` up to `end`.
struct ByteRange {
  int64_t begin;
  int64_t end;
};

/// An operand of a product: `rows` rows of `cols` elements.
struct ProductOperand {
  /// Its number among the operands of the instruction.
  int index;
  Layout layout;
  int64_t rows;
  int64_t cols;
};

/// The runs of `repeats` repeats of `mask` lanes, in the order of execution.
void collectRuns(llvm::ArrayRef<Walk> walks, int64_t repeats, int64_t mask,
                 llvm::SmallVectorImpl<Run> &runs);

class Execution {
public:
  Execution(const Issued &issued, const CorePlace &core, LocalMemories &memories,
            std::vector<ByteMemory> &arrays, const Launch &launch, const Chip &chip, HazardLog &log)
      : issued(issued), instruction(*issued.instruction), core(core), memories(memories),
        localMemory(findLocalMemory()), local(memories.get(localMemory)), arrays(arrays),
        launch(launch), chip(chip), log(log) {}

  /// Executes the instruction. Where it must not touch what it names, reports that and does
  /// nothing.
  void run();

  /// What it touched, in order; empty where it did nothing.
  llvm::ArrayRef<Touch> getTouches() const { return touches; }

private:
  // One per family of instructions; each touches, checks, then computes.
  void runElementwise();
  void runCompare();
  void runSelect();
  void runCopy();
  void runBrcb();
  void runTranspose();
  void runWholeReduce();
  void runBlockReduce();
  void runCopyIn();
  void runCopyOut();
  void runRowReduce();
  void runRowArithmetic();
  void runColBinary();
  void runNdToNz();
  void runFill();
  void runLoadFractals();
  void runLoadTile();
  void runLoadSquares();
  void runLoadBias();
  void runMmad();
  void runFixOut();
  void runMatmul();

  //===--------------------------------------------------------------------===//
  // Checks: each reports and returns false where the instruction must not run
  //===--------------------------------------------------------------------===//
  bool report(HazardKind kind, const llvm::Twine &message);
  /// Where an operand may start, by its memory.
  int64_t getAlignment(int operand) const;
  /// All local operands start where their memory lets them; operand `exempt` at whole elements.
  bool checkAlignment(int exempt = -1);
  bool checkRepeats(int64_t repeats);
  bool checkAmount(int64_t amount, llvm::StringRef what);
  /// Every touch of local memory lies inside its buffer.
  bool checkBounds();
  /// No repeat reads what an earlier one wrote.
  bool checkOwnOverlap(llvm::ArrayRef<Run> runs);
  bool readsOwnResult(llvm::ArrayRef<Run> runs, int source);
  /// Rows, length and pitches of a copy are within the limits of the machine.
  bool checkCopy(int64_t rows, int64_t length, int64_t pitch);
  /// A copy stays inside its array.
  bool checkArray(const Place &place, int64_t rows, int64_t length, int64_t pitch);
  bool checkBytes(const Place &place, int64_t rows, int64_t length, int64_t pitch);
  bool checkExtent(int64_t amount, llvm::StringRef what, int64_t most);
  /// `rows` rows fit into each of `blocks` column blocks, which have room for `room`.
  bool checkRoom(int64_t rows, int64_t blocks, int64_t room);
  bool checkProduct(int64_t mostInner);
  bool checkFixOut();

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//
  void touch(int operand, bool isWrite, int64_t begin, int64_t end);
  void touchRuns(llvm::ArrayRef<Run> runs);
  /// The first `rows` rows of each of `blocks` column blocks.
  void touchColumnBlocks(int operand, bool isWrite, int64_t rows, int64_t blocks, int64_t room,
                         int64_t rowBytes);
  /// The sums of a product and, where they start from it, operand `bias`.
  void touchSums(int bias);
  Memory findLocalMemory() const;
  /// Bytes that the memory of its buffers has.
  int64_t getLocalBytes() const {
    return chip.getUsableBytes(*ascend::getLocalMemory(localMemory));
  }
  ByteMemory &getMemory(int operand);
  int64_t getElementBytes(int operand) const { return getBytes(instruction.elements[operand]); }
  int64_t getElementsPerBlock(int operand) const;
  Layout getSumLayout() const;
  /// The origin of a value that is undefined because `operand` is.
  Origin follow(Origin origin, int operand) const;
  /// Says for each of `count` elements of an operand whether some of it is undefined.
  llvm::BitVector getUndefinedElements(int operand, int64_t count);
  /// Destination lanes become undefined where a source lane is, and defined elsewhere.
  void propagate(llvm::ArrayRef<Run> runs, llvm::ArrayRef<int> sources);
  /// [begin, end) of the destination becomes undefined if any of the source's bytes is, else
  /// defined.
  void propagateAny(int64_t begin, int64_t end, int source, llvm::ArrayRef<Run> sourceRuns);
  /// What is written of the destination becomes defined.
  void defineDestination();
  /// Notes for each row of an operand, or for each column, why it holds an undefined element.
  void collectUndefinedLines(const ProductOperand &operand, bool alongRows,
                             llvm::SmallVectorImpl<std::optional<Origin>> &lines);
  /// Sums become undefined that an undefined element takes part in, and what lies beyond them.
  void propagateProduct(const ProductOperand &left, const ProductOperand &right, int bias);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//
  void computeElementwise(llvm::ArrayRef<Run> runs);
  void computeBitwise(llvm::ArrayRef<Run> runs);
  void computeCast(llvm::ArrayRef<Run> runs);
  template <typename Access> void computeUnary(llvm::ArrayRef<Run> runs);
  template <typename Access> void computeBinary(llvm::ArrayRef<Run> runs);
  template <typename Access> void computeMulAdd(llvm::ArrayRef<Run> runs);
  template <typename Access> void computeScalar(llvm::ArrayRef<Run> runs);
  /// A binary tree over neighbours.
  float reduceTree(llvm::MutableArrayRef<float> values);
  float reduceRow(const uint8_t *row);
  ByteRange getScratch(int operand, int64_t elements) const;
  void fillPadding(int64_t rowBegin, int64_t filledBytes, int64_t paddedBytes);
  /// Moves runs of operand 1 to operand 0 as they are, with what is undefined in them.
  void moveRuns(llvm::ArrayRef<Run> runs);
  /// Moves a matrix of operand 1, at byte `src`, into another layout; so does what is undefined.
  void moveElements(int64_t dst, const Layout &to, int64_t src, const Layout &from, int64_t rows,
                    int64_t cols);
  template <typename Number>
  void computeProduct(const ProductOperand &left, const ProductOperand &right, int bias);
  void addProduct(const ProductOperand &left, const ProductOperand &right, int bias);
  /// One element on its way out of L0C.
  void storeConverted(uint8_t *dst, const uint8_t *src) const;

  const Issued &issued;
  const Instruction &instruction;
  const CorePlace &core;
  LocalMemories &memories;
  /// The memory of its first local operand: of vector instructions and copies, of all of them.
  Memory localMemory;
  ByteMemory &local;
  std::vector<ByteMemory> &arrays;
  const Launch &launch;
  const Chip &chip;
  HazardLog &log;
  llvm::SmallVector<Touch, 8> touches;
  /// The last touch of each operand, for reading and writing.
  std::array<std::array<int, 2>, maxOperands> lastTouches = {
      {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}};
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_EXECUTION_H
