// The execution of comparisons, and of choices by their bits.
#include "Execution.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::CompareKind;

/// Bits that a byte has, each of them the answer for one element.
constexpr int64_t bitsPerByte = 8;

llvm::BitVector Execution::getUndefinedElements(int operand, int64_t count) {
  int64_t bytes = getElementBytes(operand), begin = issued.places[operand].offset;
  SmallVector<UndefinedRange> ranges;
  getMemory(operand).collectUndefined(begin, begin + count * bytes, ranges);
  llvm::BitVector undefinedElements(count);
  for (const UndefinedRange &range : ranges)
    undefinedElements.set((range.begin - begin) / bytes,
                          llvm::divideCeil(range.end - begin, bytes));
  return undefinedElements;
}

/// Nothing holds for NaN.
static bool holds(CompareKind kind, float lhs, float rhs) {
  switch (kind) {
  case CompareKind::LT:
    return lhs < rhs;
  case CompareKind::LE:
    return lhs <= rhs;
  case CompareKind::GT:
    return lhs > rhs;
  case CompareKind::GE:
    return lhs >= rhs;
  case CompareKind::EQ:
    return lhs == rhs;
  }
  llvm_unreachable("all kinds are listed");
}

void Execution::runCompare() {
  int64_t count = issued.amounts[0], lanes = architecture::getLanes(AccessF32::bytes);
  if (!checkAlignment() || !checkAmount(count, "count"))
    return;
  if (count % lanes != 0) {
    report(HazardKind::Limit,
           "compares " + Twine(count) + " elements, not whole repeats of " + Twine(lanes));
    return;
  }
  int64_t dst = issued.places[0].offset, lhs = issued.places[1].offset,
          rhs = issued.places[2].offset;
  touch(0, /*isWrite=*/true, dst, dst + count / bitsPerByte);
  touch(1, /*isWrite=*/false, lhs, lhs + count * AccessF32::bytes);
  touch(2, /*isWrite=*/false, rhs, rhs + count * AccessF32::bytes);
  if (!checkBounds())
    return;
  llvm::BitVector undefinedElements = getUndefinedElements(1, count);
  undefinedElements |= getUndefinedElements(2, count);
  auto kind = static_cast<CompareKind>(instruction.kind);
  for (int64_t byte = 0; byte < count / bitsPerByte; ++byte) {
    uint8_t bits = 0, undefinedBits = 0;
    for (int64_t bit = 0; bit < bitsPerByte; ++bit) {
      int64_t element = byte * bitsPerByte + bit, at = element * AccessF32::bytes;
      float left = AccessF32::load(local.at(lhs + at)), right = AccessF32::load(local.at(rhs + at));
      bits |= holds(kind, left, right) << bit;
      undefinedBits |= undefinedElements.test(element) << bit;
    }
    *local.at(dst + byte) = bits;
    local.undefineBits(dst + byte, undefinedBits, follow(Origin(), 1));
  }
}

void Execution::runSelect() {
  int64_t count = issued.amounts[0], lanes = architecture::getLanes(AccessF32::bytes);
  if (!checkAlignment() || !checkAmount(count, "count"))
    return;
  int64_t dst = issued.places[0].offset, bits = issued.places[1].offset;
  int64_t bytes = count * AccessF32::bytes;
  touch(0, /*isWrite=*/true, dst, dst + bytes);
  if (count > 0)
    touch(1, /*isWrite=*/false, bits, bits + lanes / bitsPerByte);
  for (int operand : {2, 3})
    touch(operand, /*isWrite=*/false, issued.places[operand].offset,
          issued.places[operand].offset + bytes);
  if (!checkBounds())
    return;
  llvm::BitVector undefinedSources[] = {getUndefinedElements(3, count),
                                        getUndefinedElements(2, count)};
  for (int64_t element = 0; element < count; ++element) {
    int64_t bit = element % lanes, byte = bits + bit / bitsPerByte, at = element * AccessF32::bytes;
    uint8_t ofBit = 1 << bit % bitsPerByte;
    bool isTaken = *local.at(byte) & ofBit;
    int source = isTaken ? 2 : 3;
    AccessF32::store(local.at(dst + at),
                     AccessF32::load(local.at(issued.places[source].offset + at)));
    if (local.getUndefinedBits(byte) & ofBit)
      local.undefine(dst + at, dst + at + AccessF32::bytes, follow(Origin(), 1));
    else if (undefinedSources[isTaken].test(element))
      local.undefine(dst + at, dst + at + AccessF32::bytes, follow(Origin(), source));
    else
      local.define(dst + at, dst + at + AccessF32::bytes);
  }
}
