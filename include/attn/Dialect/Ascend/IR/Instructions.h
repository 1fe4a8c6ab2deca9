// The table of instructions (Instructions.def) in C++: opcodes, and what each row says.
#ifndef ATTN_DIALECT_ASCEND_IR_INSTRUCTIONS_H
#define ATTN_DIALECT_ASCEND_IR_INSTRUCTIONS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Machine/Costs.h"

namespace attn::ascend {

enum class Opcode : uint8_t {
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family) name,
#define ATTN_SYNCHRONISATION(name, call) name,
#include "attn/Dialect/Ascend/IR/Instructions.def"
};

enum class InstructionGroup : uint8_t {
  Transfer,
  Elementwise,
  Vector,
  Cube,
  Composite,
  Synchronisation
};

/// What the memory of an instruction holds: anything; f32 or f16; f32; words of 2 or 4 bytes; two
/// types that the vector unit converts into each other; operands and sums of products.
enum class ElementRule : uint8_t { Any, Arithmetic, F32, Words, Halfwords, Conversion, Product };

constexpr InstructionGroup getGroup(Opcode opcode) {
  switch (opcode) {
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  case Opcode::name:                                                                               \
    return InstructionGroup::group;
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  case Opcode::name:                                                                               \
    return InstructionGroup::Synchronisation;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  return InstructionGroup::Synchronisation;
}

constexpr bool isComposite(Opcode opcode) {
  return getGroup(opcode) == InstructionGroup::Composite;
}
constexpr bool isSynchronisation(Opcode opcode) {
  return getGroup(opcode) == InstructionGroup::Synchronisation;
}

/// Whether HIVM has a spelling for some kind of the instruction.
constexpr bool hasHIVMForm(Opcode opcode) {
  enum : bool { NoForm, HasForm };
  switch (opcode) {
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  case Opcode::name:                                                                               \
    return hivm;
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  case Opcode::name:                                                                               \
    return HasForm;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  return NoForm;
}

/// The opcode of an op class: `opcodeOf<BrcbOp>`.
template <typename Op> constexpr Opcode opcodeOf = Opcode();
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  template <> inline constexpr Opcode opcodeOf<name##Op> = Opcode::name;
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  template <> inline constexpr Opcode opcodeOf<name##Op> = Opcode::name;
#include "attn/Dialect/Ascend/IR/Instructions.def"

/// The op as IR spells it, without its dialect.
llvm::StringRef getMnemonic(Opcode opcode);

/// The pipe that executes an instruction; none for synchronisation, which names its pipes.
std::optional<Pipe> getPipe(Opcode opcode);

ElementRule getElementRule(Opcode opcode);

/// Mnemonic and kind, as reports name an instruction: "binary mul". `kind` is the value of its kind
/// attribute, if it has one.
std::string getName(Opcode opcode, int kind);

/// The family that an instruction's cost is looked up by; none where it is not the cost of one
/// vector instruction.
std::optional<VectorFamily> getFamily(Opcode opcode, int kind);
inline VectorFamily getFamily(UnaryKind kind) {
  return *getFamily(Opcode::Unary, static_cast<int>(kind));
}
inline VectorFamily getFamily(BinaryKind kind) {
  return *getFamily(Opcode::Binary, static_cast<int>(kind));
}
inline VectorFamily getFamily(ScalarKind kind) {
  return *getFamily(Opcode::Scalar, static_cast<int>(kind));
}
inline VectorFamily getFamily(BitwiseKind kind) {
  return *getFamily(Opcode::Bitwise, static_cast<int>(kind));
}

/// The instruction's call in AscendC, of all kinds the same.
llvm::StringRef getCallName(Opcode opcode);
/// AscendC's word for a kind; it is appended to the call, comparisons and round modes are
/// arguments.
llvm::StringRef getCallWord(UnaryKind kind);
llvm::StringRef getCallWord(BinaryKind kind);
llvm::StringRef getCallWord(ScalarKind kind);
llvm::StringRef getCallWord(BitwiseKind kind);
llvm::StringRef getCallWord(CompareKind kind);
llvm::StringRef getCallWord(ReduceKind kind);
llvm::StringRef getCallWord(RoundMode mode);

/// Every call that a text may contain.
llvm::SmallVector<std::string> getAllCallNames();

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_IR_INSTRUCTIONS_H
