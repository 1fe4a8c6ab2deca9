// What compiled AscendC text and the modelled chip tell each other. The text's library asks for
// nothing by name: the chip passes a table of functions at each launch.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_INTERFACE_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

namespace attn_twin {

/// Changes with everything below: a library of another version is refused.
constexpr uint32_t interfaceVersion = 4;

/// Where the text makes a call, by its `#line` directives.
struct Source {
  const char *file;
  uint32_t line;
};

enum class ElementType : uint8_t { F32, F16, BF16, Int8, Int16, Int32, Int64 };

/// AscendC's positions: GM, those of UB, then those of the memories of cube cores, of which A1, B1
/// and C1 are one.
enum class Position : uint8_t { GM, VecIn, VecOut, VecCalc, A1, B1, C1, A2, B2, CO1, C2 };

/// The opcodes of the table of instructions; composites are not calls.
enum class CallKind : uint8_t {
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family) name,
#define ATTN_SYNCHRONISATION(name, call) name,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};

enum class UnaryFunction : int32_t {
#define ATTN_UNARY_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class BinaryFunction : int32_t {
#define ATTN_BINARY_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class ScalarFunction : int32_t {
#define ATTN_SCALAR_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class BitwiseFunction : int32_t {
#define ATTN_BITWISE_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class CompareFunction : int32_t {
#define ATTN_COMPARE_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class ReduceFunction : int32_t {
#define ATTN_REDUCE_KIND(member, hivm, family) member,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};
enum class Rounding : int32_t { None, Rint, Floor, Ceil, Round, Trunc, Odd };
enum class PipeName : int32_t { S, V, M, MTE1, MTE2, MTE3, FIX, ALL };

/// Which cores a call makes ready: those that it is written for.
enum class Readied : uint8_t { Any, Vector, Cube };

/// A tensor as a call names it: an address in a memory of the core or of the device, and the
/// tensor's whole extent.
struct Operand {
  Position position;
  ElementType element;
  uint64_t address;
  uint64_t begin;
  uint64_t end;
  /// Of a tensor in GM: whether what is moved stays out of L2.
  bool bypassesL2;
  /// Where the tensor was declared.
  Source declared;
};

constexpr int maxOperands = 4;
constexpr int maxStrides = 6;

/// One AscendC call. What a kind does not have is 0.
struct Call {
  CallKind kind;
  /// One of the functions above, or Rounding; of a barrier its PipeName.
  int32_t function;
  int32_t operandCount;
  Operand operands[maxOperands];
  /// Count or repeats; rows of a copy.
  int64_t amount;
  /// Lanes of a repeat; -1 in counter mode.
  int64_t mask;
  int32_t strideCount;
  int64_t strides[maxStrides];
  /// Copies: bytes of a row, gap between rows in GM (bytes) and UB (data blocks), right padding
  /// (elements).
  int64_t rowBytes;
  int64_t globalGapBytes;
  int64_t localGapBlocks;
  int64_t rightPad;
  /// Cube cores: the numbers of the instruction (rows, columns and pitch of a copy or of a result;
  /// times and blocks of a fill; repeats; rows and columns of a load; m, n and k of a product), the
  /// rows that a column block has room for, or blocks from one time of a fill to the next.
  int64_t amounts[3];
  int64_t pitch;
  bool transposes;
  bool isFractal;
  bool isRelu;
  bool hasScale;
  float scale;
  /// The scalar operand: a number, or the bits of a whole one.
  float real;
  int64_t integer;
  /// Flags; of one between cores, the pipe and the flag.
  PipeName source;
  PipeName target;
  int64_t event;
};

/// What the text asks of the chip; one table for all blocks of a launch. `context` goes back with
/// every call. `refuse` and `fail` do not return.
struct Chip {
  void *context;
  uint32_t blocks;
  /// What the core that runs answers for `GetBlockIdx` and `GetSubBlockIdx`, and its kind.
  uint32_t (*block)(void *context);
  uint32_t (*subBlock)(void *context);
  bool (*isCube)(void *context);
  void (*initialise)(void *context, Readied cores);
  void (*declare)(void *context, const Operand *tensor, Source at);
  void (*call)(void *context, const Call *call, Source at);
  /// An entry of a table of addresses or an integer of an array, read by the scalar unit: its bits.
  uint64_t (*load)(void *context, const Operand *place, Source at);
  /// The scalar unit drops the line of its data cache that has this place.
  void (*drop)(void *context, const Operand *place);
  /// A call that the chip does not have.
  void (*refuse)(void *context, const char *what, Source at);
  /// Scalar arithmetic without a result.
  void (*fail)(void *context, const char *what, Source at);
  /// The scalar unit took `stepsPerCount` more branches: for programs that never end.
  void (*count)(void *context);
};

constexpr uint32_t stepsPerCount = uint32_t(1) << 16;

/// A kernel as its library offers it, under the name `attn_twin_kernel_<name>`.
struct Kernel {
  uint32_t version;
  uint32_t argumentBytes;
  /// As the text spells it: "__vector__", "__mix__(0, 1)", "__cube__", "__mix__(1, 2)".
  const char *kind;
  /// Runs one core's part of a block. `arguments` is laid out as the device's packed arguments.
  void (*run)(const Chip *chip, const void *arguments);
};

} // namespace attn_twin

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_INTERFACE_H
