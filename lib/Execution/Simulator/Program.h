// A kernel as the scalar unit runs it: a line of steps over registers, made from the IR once per
// launch.
#ifndef ATTN_LIB_EXECUTION_SIMULATOR_PROGRAM_H
#define ATTN_LIB_EXECUTION_SIMULATOR_PROGRAM_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Execution/Simulator/Simulator.h"
#include <array>

namespace attn::simulator {

using ascend::Pipe;
constexpr int pipeCount = 7;

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

enum class Memory : uint8_t { UB, GM };

constexpr int maxRank = 6;

/// A place in a memory, as an instruction names it.
struct Place {
  Memory memory = Memory::UB;
  /// The buffer in UB, or the array in GM.
  int32_t object = -1;
  /// Address in UB, or bytes from the array's first element.
  int64_t offset = 0;
  /// UB: the bytes an instruction may touch through this place end here.
  int64_t begin = 0;
  int64_t end = 0;
  /// GM: the indices of the place.
  std::array<int64_t, maxRank> indices = {};
};

enum class Opcode : uint8_t {
  CopyIn,
  CopyOut,
  Unary,
  Binary,
  MulAdd,
  ScalarArithmetic,
  Cast,
  Duplicate,
  Copy,
  Brcb,
  WholeReduce,
  BlockReduce,
  RowReduce,
  RowBinary,
  RowMulAdd,
  ColBinary,
  SetFlag,
  WaitFlag,
  Barrier,
  SyncAll,
};

/// What is known of an instruction before it runs. Operands are registers.
struct Instruction {
  mlir::Operation *op = nullptr;
  int32_t number = 0;
  Opcode opcode = Opcode::Barrier;
  /// As the source names it: "binary mul".
  std::string name;
  /// The pipe it runs on; of a set the source, of a wait the target.
  Pipe pipe = Pipe::S;
  /// The value of the op's kind attribute (UnaryKind, BinaryKind, …, RoundMode).
  int kind = 0;
  /// Registers of the memory operands, destination first, and what they hold.
  llvm::SmallVector<int, 4> places;
  llvm::SmallVector<Element, 4> elements;
  /// Registers of the run-time amounts: count or repeats; rows, length and GM pitch of a copy;
  /// slot.
  llvm::SmallVector<int, 3> amounts;
  int scalar = -1;
  /// Lanes of a repeat; none in counter mode.
  std::optional<int64_t> mask;
  llvm::SmallVector<int64_t, 6> strides;
  /// Copies: pitch in UB and right padding, in elements. Composites: columns and pitch.
  int64_t pitch = 0;
  int64_t rightPad = 0;
  int64_t cols = 0;
  /// Flags.
  Pipe source = Pipe::S;
  Pipe target = Pipe::S;
  int64_t event = 0;
  int64_t slots = 1;
};

/// How a step finds its next value.
using Evaluate = bool (*)(Scalar &result, const Scalar &a, const Scalar &b, const Scalar &c);

struct Step {
  enum class Kind : uint8_t {
    Evaluate,   ///< dst = evaluate(a, b, c)
    Move,       ///< dst = a (scalar)
    MovePlace,  ///< dst = a (place)
    CheckStep,  ///< a must be positive
    LoopTest,   ///< unless a < b (unsigned if c) go to target
    JumpUnless, ///< unless a go to target
    Jump,       ///< go to target
    Slot,       ///< dst = slot b of place a; `bytes` apart, `count` of them
    Slice,      ///< dst = place a from element b on; `bytes` each
    Address,    ///< dst = element of array a at `count` indices listed from b on
    Lookup,     ///< dst = entry b of the table of `count` arrays from array a on
    Issue,      ///< send instruction a to its pipe
    Return,
  };
  Kind kind;
  int32_t dst = -1, a = -1, b = -1, c = -1;
  int32_t target = -1;
  int64_t bytes = 0;
  int64_t count = 0;
  Evaluate evaluate = nullptr;
  mlir::Operation *op = nullptr;
};

/// A buffer that `ascend.alloc` makes.
struct Buffer {
  std::string name;
  mlir::Location location;
  int64_t address;
  int64_t bytes;
};

/// An array of the launch: an argument, or an entry of a table.
struct GlobalArray {
  std::string name;
  Array array;
  bool isDefined;
  /// The argument it belongs to.
  int argument;
};

/// An argument as the program sees it.
struct BoundArgument {
  Scalar scalar;
  int firstArray = -1;
  int arrayCount = 0;
  bool isTable = false;
};

struct Launch {
  std::vector<GlobalArray> arrays;
  std::vector<BoundArgument> arguments;
  /// Memory of scratch arrays that the caller left to us.
  std::vector<std::vector<uint8_t>> ownedMemory;
};

/// Matches `arguments` with those of `kernel`; scratch is made for `blocks` blocks.
mlir::FailureOr<Launch> bindArguments(mlir::func::FuncOp kernel, llvm::ArrayRef<Argument> arguments,
                                      int64_t blocks, bool needsData);

struct Program {
  mlir::func::FuncOp function;
  std::vector<Step> steps;
  std::vector<Instruction> instructions;
  std::vector<Buffer> buffers;
  /// Registers at the start.
  std::vector<Scalar> scalars;
  std::vector<Place> places;
  /// Registers of the indices of `Address` steps.
  std::vector<int> indices;
  /// Registers that hold the block's number and the number of blocks.
  llvm::SmallVector<int, 2> blockIds, blockCounts;
  llvm::SmallVector<int, 1> results;
};

/// Flattens a kernel, or the function that counts its tiles. Ops that the simulator does not know
/// give an error at their location.
mlir::FailureOr<Program> flatten(mlir::func::FuncOp function, const Launch &launch);

/// The arithmetic of the scalar unit for `op`, or null.
Evaluate getEvaluate(mlir::Operation *op);

/// Registers of the values that an instruction uses.
struct RegisterLookup {
  llvm::function_ref<int(mlir::Value)> scalar;
  llvm::function_ref<int(mlir::Value)> place;
};
/// Turns an ascend instruction, flag or barrier into its table form; fails without a diagnostic
/// where `op` is none.
mlir::FailureOr<Instruction> decode(mlir::Operation *op, RegisterLookup registers);

} // namespace attn::simulator

#endif // ATTN_LIB_EXECUTION_SIMULATOR_PROGRAM_H
