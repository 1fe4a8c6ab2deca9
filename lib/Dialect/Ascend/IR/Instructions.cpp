// The table of instructions: what its rows say, and that they agree with TableGen.
#include "attn/Dialect/Ascend/IR/Instructions.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

//===----------------------------------------------------------------------===//
// The ops and enums of TableGen are those of the table
//===----------------------------------------------------------------------===//

template <typename... Ops> static constexpr int countInstructions() {
  return (0 + ... + int(Ops::template hasTrait<InstructionOpInterface::Trait>()));
}
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family) +1
static_assert(countInstructions<
#define GET_OP_LIST
#include "attn/Dialect/Ascend/IR/AscendOps.cpp.inc"
                  >() == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "an instruction of AscendOps.td has no row in Instructions.def");

#define ATTN_UNARY_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForUnaryKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the unary kinds");
#define ATTN_BINARY_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForBinaryKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the binary kinds");
#define ATTN_SCALAR_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForScalarKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the scalar kinds");
#define ATTN_BITWISE_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForBitwiseKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the bitwise kinds");
#define ATTN_COMPARE_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForCompareKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the comparisons");
#define ATTN_REDUCE_KIND(member, hivm, family) +1
static_assert(getMaxEnumValForReduceKind() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the reductions");
#define ATTN_ROUND_MODE(member, word, hivm) +1
static_assert(getMaxEnumValForRoundMode() + 1 == 0
#include "attn/Dialect/Ascend/IR/Instructions.def"
              ,
              "Instructions.def and AscendDialect.td differ in the round modes");

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

using Kinds = std::optional<StringRef> (*)(int);

/// The kinds of an instruction, each named after its word in the column.
namespace kinds {
std::optional<StringRef> ofNone(int) { return std::nullopt; }
std::optional<StringRef> ofUnary(int kind) { return stringifyUnaryKind(UnaryKind(kind)); }
std::optional<StringRef> ofBinary(int kind) { return stringifyBinaryKind(BinaryKind(kind)); }
std::optional<StringRef> ofScalar(int kind) { return stringifyScalarKind(ScalarKind(kind)); }
std::optional<StringRef> ofBitwise(int kind) { return stringifyBitwiseKind(BitwiseKind(kind)); }
std::optional<StringRef> ofCompare(int kind) { return stringifyCompareKind(CompareKind(kind)); }
std::optional<StringRef> ofReduce(int kind) { return stringifyReduceKind(ReduceKind(kind)); }
std::optional<StringRef> ofRound(int kind) { return stringifyRoundMode(RoundMode(kind)); }
} // namespace kinds

struct Family {
  bool isByKind;
  std::optional<VectorFamily> family;
};

/// The families, each named after its word in the column.
namespace families {
#define ATTN_VECTOR_COST(family, slope32, slope16, start, drain, source)                           \
  [[maybe_unused]] constexpr Family of##family = {false, VectorFamily::family};
#include "attn/Machine/VectorCosts.def"
constexpr Family ofByKind = {true, std::nullopt};
constexpr Family ofOther = {false, std::nullopt};
} // namespace families

struct Row {
  StringRef mnemonic;
  std::optional<Pipe> pipe;
  Kinds kinds;
  ElementRule elements;
  StringLiteral call;
  Family family;
};

/// The row of an opcode.
const Row &getRow(Opcode opcode) {
  auto drop = [](StringRef name) { return name.substr(StringRef("ascend.").size()); };
  static const Row rows[] = {
#define ATTN_INSTRUCTION(name, group, pipe, kindRows, elements, call, hivm, family)                \
  {drop(name##Op::getOperationName()),                                                             \
   Pipe::pipe,                                                                                     \
   kinds::of##kindRows,                                                                            \
   ElementRule::elements,                                                                          \
   #call,                                                                                          \
   families::of##family},
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  {drop(name##Op::getOperationName()),                                                             \
   std::nullopt,                                                                                   \
   kinds::ofNone,                                                                                  \
   ElementRule::Any,                                                                               \
   #call,                                                                                          \
   families::ofOther},
#include "attn/Dialect/Ascend/IR/Instructions.def"
  };
  return rows[static_cast<size_t>(opcode)];
}

} // namespace

// The method of the interface.
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  Pipe name##Op::getPipe() { return Pipe::pipe; }
#include "attn/Dialect/Ascend/IR/Instructions.def"

StringRef ascend::getMnemonic(Opcode opcode) { return getRow(opcode).mnemonic; }

std::optional<Pipe> ascend::getPipe(Opcode opcode) { return getRow(opcode).pipe; }

ElementRule ascend::getElementRule(Opcode opcode) { return getRow(opcode).elements; }

std::string ascend::getName(Opcode opcode, int kind) {
  std::string name = getMnemonic(opcode).str();
  if (std::optional<StringRef> word = getRow(opcode).kinds(kind))
    name += " " + word->str();
  return name;
}

StringRef ascend::getCallName(Opcode opcode) { return getRow(opcode).call; }

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

std::optional<VectorFamily> ascend::getFamily(Opcode opcode, int kind) {
  const Row &row = getRow(opcode);
  if (!row.family.isByKind)
    return row.family.family;
#define ATTN_KIND(kindRows, member, hivm, family)                                                  \
  if (row.kinds == kinds::of##kindRows && kind == static_cast<int>(kindRows##Kind::member))        \
    return VectorFamily::family;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  llvm_unreachable("all kinds are listed");
}

// Names of AscendC: the members of the enums are its words.
#define ATTN_CALL_WORD(member)                                                                     \
  case Kind::member:                                                                               \
    return #member;

StringRef ascend::getCallWord(UnaryKind kind) {
  using Kind = UnaryKind;
  switch (kind) {
#define ATTN_UNARY_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(BinaryKind kind) {
  using Kind = BinaryKind;
  switch (kind) {
#define ATTN_BINARY_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(ScalarKind kind) {
  using Kind = ScalarKind;
  switch (kind) {
#define ATTN_SCALAR_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(BitwiseKind kind) {
  using Kind = BitwiseKind;
  switch (kind) {
#define ATTN_BITWISE_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(CompareKind kind) {
  using Kind = CompareKind;
  switch (kind) {
#define ATTN_COMPARE_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(ReduceKind kind) {
  using Kind = ReduceKind;
  switch (kind) {
#define ATTN_REDUCE_KIND(member, hivm, family) ATTN_CALL_WORD(member)
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

StringRef ascend::getCallWord(RoundMode mode) {
  switch (mode) {
#define ATTN_ROUND_MODE(member, word, hivm)                                                        \
  case RoundMode::member:                                                                          \
    return #word;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all modes are listed");
}

SmallVector<std::string> ascend::getAllCallNames() {
  SmallVector<std::string> names;
  auto add = [&](StringRef call, Kinds kindRows) {
    if (kindRows == kinds::ofNone || kindRows == kinds::ofCompare || kindRows == kinds::ofRound) {
      if (!call.empty())
        names.push_back(call.str());
      return;
    }
#define ATTN_KIND(rows, member, hivm, family)                                                      \
  if (kindRows == kinds::of##rows)                                                                 \
    names.push_back(call.str() + #member);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  };
#define ATTN_INSTRUCTION(name, group, pipe, kindRows, elements, call, hivm, family)                \
  if (InstructionGroup::group != InstructionGroup::Composite)                                      \
    add(#call, kinds::of##kindRows);
#define ATTN_SYNCHRONISATION(name, call) add(#call, kinds::ofNone);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  return names;
}
