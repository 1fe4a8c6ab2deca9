// An instruction in the form that the modelled chip executes, and the program that issues it. Chip
// IR and compiled AscendC text both come down to this.
#ifndef ATTN_SIMULATOR_MODEL_INSTRUCTION_H
#define ATTN_SIMULATOR_MODEL_INSTRUCTION_H

#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Groups.h"
#include "attn/Simulator/Model/Simulator.h"
#include <array>
#include <deque>

namespace attn::simulator {

using ascend::Opcode;
using ascend::Pipe;
constexpr int pipeCount = corePipeCount;

inline int indexOf(Pipe pipe) { return static_cast<int>(pipe); }
inline std::string nameOf(Pipe pipe) { return ascend::stringifyPipe(pipe).str(); }

/// The content of a scalar register.
struct Scalar {
  int64_t integer = 0;
  float real = 0;
};

enum class Element : uint8_t { F32, F16, BF16, Int8, Int16, Int32, Int64 };
int64_t getBytes(Element element);
/// The element of a memref or scalar type, or none where the chip has no such type.
std::optional<Element> getElement(mlir::Type type);

/// GM, or one of the local memories.
using Memory = ascend::Space;
inline std::string nameOf(Memory memory) { return ascend::stringifySpace(memory).str(); }

constexpr int maxRank = 6;
/// Memory operands of one instruction.
constexpr int maxOperands = 6;

/// A place in a memory, as an instruction names it.
struct Place {
  Memory memory = Memory::UB;
  /// The buffer in a local memory, or the array in GM.
  int32_t object = -1;
  /// Address in the local memory, or bytes from the array's first element.
  int64_t offset = 0;
  /// Local: the bytes an instruction may touch through this place.
  int64_t begin = 0;
  int64_t end = 0;
  /// GM: the indices of the place. Text knows none: there `begin` and `end` bound the bytes from
  /// the array's first element on.
  std::array<int64_t, maxRank> indices = {};
  bool hasIndices = false;

  bool isLocal() const { return memory != Memory::GM; }
};

/// What is known of an instruction before it runs.
struct Instruction {
  /// Its place in the source.
  mlir::LocationAttr location;
  /// Its op, where it comes from chip IR.
  mlir::Operation *op = nullptr;
  int32_t number = 0;
  Opcode opcode = Opcode::Barrier;
  /// As the source names it: "binary mul".
  std::string name;
  /// The pipe it runs on; of a set the source, of a wait the target.
  Pipe pipe = Pipe::S;
  /// The value of the op's kind attribute (UnaryKind, BinaryKind, …, RoundMode).
  int kind = 0;
  /// What the memory operands hold, destination first.
  llvm::SmallVector<Element, 4> elements;
  /// Lanes of a repeat; none in counter mode.
  std::optional<int64_t> mask;
  llvm::SmallVector<int64_t, 6> strides;
  /// Copies: pitch in local memory and right padding, in elements. Composites: columns and pitch.
  /// Matrices in fractals: the rows that a column block has room for. Fills: blocks from one time
  /// to the next.
  int64_t pitch = 0;
  int64_t rightPad = 0;
  int64_t cols = 0;
  /// Loads: whether what is loaded is turned over. Products of L1: whether the operands are stored
  /// so.
  bool transposes = false;
  bool transposesLeft = false;
  bool transposesRight = false;
  /// On the way out of L0C: whether the result is NZ, what is negative becomes zero, and what is
  /// multiplied with.
  bool isFractal = false;
  bool isRelu = false;
  std::optional<float> scale;
  /// Whether what is moved between GM and the core stays out of L2.
  bool bypassesL2 = false;
  /// Composites: all of the scratch is overwritten, not only what the chip dialect's need.
  bool takesAllScratch = false;
  /// Flags; of those between cores the event is the flag.
  Pipe source = Pipe::S;
  Pipe target = Pipe::S;
  int64_t event = 0;
  int64_t slots = 1;

  int getOperandCount() const { return elements.size(); }
};

/// Where in a launch a core stands: which of the launched blocks it works for, and which core of
/// that block it is. A block of a mixed kernel is a group: its cube core, then its vector cores.
/// Other blocks are one core each.
struct CorePlace {
  int64_t block = 0;
  int coreOfBlock = 0;
  CoreKind kind = CoreKind::Vector;
  /// Of the vector cores of a group, which one; else 0.
  int subBlock = 0;
  /// Among the cores of its kind in the launch.
  int64_t core = 0;
};

/// The pipes of all cores of a block.
constexpr int maxCoresPerBlock = 1 + vectorCoresPerGroup;
constexpr int queueCount = maxCoresPerBlock * pipeCount;

/// Per pipe of each core of the block, how many of its instructions are known to be finished.
using Clock = std::array<uint32_t, queueCount>;

inline void join(Clock &clock, const Clock &other) {
  for (int queue = 0; queue < queueCount; ++queue)
    clock[queue] = std::max(clock[queue], other[queue]);
}

/// An instruction on its way without the places of its operands. Pipes look at the head of their
/// queues far more often than they run it: what they look at comes first.
struct IssuedHead {
  const Instruction *instruction = nullptr;
  /// When it enters its pipe's queue.
  double arrival = 0;
  /// Its number on its pipe, from 1 on.
  uint32_t sequence = 0;
  /// Count or repeats; rows, length and GM pitch of a copy; m, n and k of a product; times and
  /// blocks of a fill; slot of a flag.
  std::array<int64_t, 3> amounts = {};
  /// The rows of a column block of sums, where only the run knows them.
  std::optional<int64_t> room = {};
  Scalar scalar;
  /// What the scalar unit knew to be finished when it issued it.
  Clock known = {};

  int64_t getRoom() const { return room.value_or(instruction->pitch); }
};

/// An instruction on its way: its operands have become places and numbers.
struct Issued : IssuedHead {
  std::array<Place, maxOperands> places;

  Issued() = default;
  Issued(const Issued &) = default;
  /// Takes no more places than the instruction has operands: queues copy every instruction.
  Issued &operator=(const Issued &other) {
    IssuedHead::operator=(other);
    if (instruction)
      std::copy_n(other.places.begin(), instruction->getOperandCount(), places.begin());
    return *this;
  }
};

/// A buffer in a local memory.
struct Buffer {
  std::string name;
  mlir::Location location;
  Memory memory;
  int64_t address;
  int64_t bytes;
};

/// What instructions and places refer to by number; it may grow while a kernel runs.
struct Listing {
  std::deque<Instruction> instructions;
  std::deque<Buffer> buffers;
  /// What the amounts of instructions of the IR can be, where effects are checked.
  IndexRanges ranges;
};

/// An iteration of a loop that has begun.
struct LoopTurn {
  /// Loops inside it have larger numbers.
  int32_t loop;
  /// How far the counter is from its bound.
  int64_t distance;
};

/// What the scalar unit of a core runs for its block: it computes on its own and stops at each
/// instruction that a pipe or the core itself must take.
class ScalarProgram {
public:
  virtual ~ScalarProgram() = default;

  enum class Stop { Issue, Finished, Failed, Noticed };
  /// Runs until an instruction is ready (then in `next`), the end, or a mistake (then in
  /// `getFailure`): one that ends the program, or one that was noticed and after which it goes on.
  virtual Stop run(Issued &next) = 0;

  /// Loop iterations begun since the last call: what the scalar unit does beyond the issued
  /// instructions. Compiled text does not tell.
  llvm::SmallVector<LoopTurn, 4> takeTurns() { return std::exchange(turns, {}); }

  struct Failure {
    HazardKind kind;
    mlir::LocationAttr location;
    std::string message;
    /// Of what is noticed, the place in the program: each once.
    int32_t step = -1;
  };
  const Failure &getFailure() const { return failure; }

protected:
  /// What a program is told that does not end. It is that of a loop with `left` of its range to go
  /// or of what runs where no loop is known.
  static std::string describeEndless(std::optional<int64_t> left = std::nullopt) {
    std::string message = "runs for more scalar steps than the simulator allows";
    return left ? message + ", with " + std::to_string(*left) + " of its range to go" : message;
  }

  llvm::SmallVector<LoopTurn, 4> turns;
  Failure failure = {HazardKind::Scalar, {}, {}};
};

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_MODEL_INSTRUCTION_H
