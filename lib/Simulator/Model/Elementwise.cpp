// The execution of elementwise vector instructions.
#include "Execution.h"

#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::BinaryKind;
using ascend::BitwiseKind;
using ascend::ScalarKind;
using ascend::UnaryKind;

void Execution::runElementwise() {
  int64_t amount = issued.amounts[0];
  if (!checkAlignment() ||
      !(instruction.mask ? checkRepeats(amount) : checkAmount(amount, "count")))
    return;
  SmallVector<Walk, 4> walks;
  int operands = instruction.getOperandCount();
  for (int operand = 0; operand < operands; ++operand) {
    // In counter mode all elements lie side by side: one repeat of that many lanes.
    int64_t blockStride = instruction.mask ? instruction.strides[operand] : 1;
    int64_t repeatStride = instruction.mask ? instruction.strides[operands + operand] : 0;
    walks.push_back({issued.places[operand].offset, getElementBytes(operand),
                     blockStride * blockBytes, repeatStride * blockBytes});
  }
  SmallVector<Run> runs;
  collectRuns(walks, instruction.mask ? amount : 1, instruction.mask.value_or(amount), runs);
  touchRuns(runs);
  if (!checkBounds() || !checkOwnOverlap(runs))
    return;
  SmallVector<int, 4> sources;
  for (int operand = instruction.opcode == Opcode::MulAdd ? 0 : 1; operand < operands; ++operand)
    sources.push_back(operand);
  propagate(runs, sources);
  computeElementwise(runs);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Execution::computeElementwise(ArrayRef<Run> runs) {
  bool isHalf = instruction.elements[0] == Element::F16;
  switch (instruction.opcode) {
  case Opcode::Unary:
    return isHalf ? computeUnary<AccessF16>(runs) : computeUnary<AccessF32>(runs);
  case Opcode::Binary:
    return isHalf ? computeBinary<AccessF16>(runs) : computeBinary<AccessF32>(runs);
  case Opcode::MulAdd:
    return isHalf ? computeMulAdd<AccessF16>(runs) : computeMulAdd<AccessF32>(runs);
  case Opcode::Scalar:
    return isHalf ? computeScalar<AccessF16>(runs) : computeScalar<AccessF32>(runs);
  case Opcode::Bitwise:
    return computeBitwise(runs);
  case Opcode::Cast:
    return computeCast(runs);
  default:
    for (const Run &run : runs)
      for (int64_t lane = 0; lane < run.lanes; ++lane)
        storeElement(instruction.elements[0], local.at(run.offsets[0] + lane * getElementBytes(0)),
                     issued.scalar);
  }
}

namespace {

template <typename Access, typename Function>
void mapOne(ByteMemory &local, ArrayRef<Run> runs, Function function) {
  for (const Run &run : runs) {
    uint8_t *dst = local.at(run.offsets[0]);
    const uint8_t *src = local.at(run.offsets[1]);
    for (int64_t at = 0; at < run.lanes * Access::bytes; at += Access::bytes)
      Access::store(dst + at, function(Access::load(src + at)));
  }
}

template <typename Access, typename Function>
void mapTwo(ByteMemory &local, ArrayRef<Run> runs, Function function) {
  for (const Run &run : runs) {
    uint8_t *dst = local.at(run.offsets[0]);
    const uint8_t *lhs = local.at(run.offsets[1]), *rhs = local.at(run.offsets[2]);
    for (int64_t at = 0; at < run.lanes * Access::bytes; at += Access::bytes)
      Access::store(dst + at, function(Access::load(lhs + at), Access::load(rhs + at)));
  }
}

} // namespace

template <typename Access> void Execution::computeUnary(ArrayRef<Run> runs) {
  switch (static_cast<UnaryKind>(instruction.kind)) {
  case UnaryKind::Exp:
    return mapOne<Access>(local, runs, [](float x) { return std::exp(x); });
  case UnaryKind::Ln:
    return mapOne<Access>(local, runs, [](float x) { return std::log(x); });
  case UnaryKind::Sqrt:
    return mapOne<Access>(local, runs, [](float x) { return std::sqrt(x); });
  case UnaryKind::Abs:
    return mapOne<Access>(local, runs, [](float x) { return std::fabs(x); });
  case UnaryKind::Relu:
    return mapOne<Access>(local, runs, [](float x) { return maximum(x, 0.0f); });
  }
}

template <typename Access> void Execution::computeBinary(ArrayRef<Run> runs) {
  switch (static_cast<BinaryKind>(instruction.kind)) {
  case BinaryKind::Add:
    return mapTwo<Access>(local, runs, [](float a, float b) { return a + b; });
  case BinaryKind::Sub:
    return mapTwo<Access>(local, runs, [](float a, float b) { return a - b; });
  case BinaryKind::Mul:
    return mapTwo<Access>(local, runs, [](float a, float b) { return a * b; });
  case BinaryKind::Div:
    return mapTwo<Access>(local, runs, [](float a, float b) { return a / b; });
  case BinaryKind::Max:
    return mapTwo<Access>(local, runs, [](float a, float b) { return maximum(a, b); });
  case BinaryKind::Min:
    return mapTwo<Access>(local, runs, [](float a, float b) { return minimum(a, b); });
  }
}

template <typename Access> void Execution::computeMulAdd(ArrayRef<Run> runs) {
  // The product is rounded to the type before it is added.
  for (const Run &run : runs)
    for (int64_t at = 0; at < run.lanes * Access::bytes; at += Access::bytes) {
      uint8_t *dst = local.at(run.offsets[0] + at);
      float sum = Access::load(dst);
      Access::store(dst, Access::load(local.at(run.offsets[1] + at)) *
                             Access::load(local.at(run.offsets[2] + at)));
      Access::store(dst, sum + Access::load(dst));
    }
}

template <typename Access> void Execution::computeScalar(ArrayRef<Run> runs) {
  float scalar = issued.scalar.real;
  switch (static_cast<ScalarKind>(instruction.kind)) {
  case ScalarKind::Adds:
    return mapOne<Access>(local, runs, [=](float x) { return x + scalar; });
  case ScalarKind::Muls:
    return mapOne<Access>(local, runs, [=](float x) { return x * scalar; });
  case ScalarKind::Maxs:
    return mapOne<Access>(local, runs, [=](float x) { return maximum(x, scalar); });
  case ScalarKind::Mins:
    return mapOne<Access>(local, runs, [=](float x) { return minimum(x, scalar); });
  case ScalarKind::LeakyRelu:
    return mapOne<Access>(local, runs, [=](float x) { return x < 0 ? x * scalar : x; });
  }
}

void Execution::computeBitwise(ArrayRef<Run> runs) {
  bool isAnd = static_cast<BitwiseKind>(instruction.kind) == BitwiseKind::And;
  for (const Run &run : runs)
    for (int64_t at = 0; at < run.lanes * getElementBytes(0); ++at) {
      uint8_t lhs = *local.at(run.offsets[1] + at), rhs = *local.at(run.offsets[2] + at);
      *local.at(run.offsets[0] + at) = isAnd ? lhs & rhs : lhs | rhs;
    }
}

/// What a cast starts from, as f32: integers are rounded to it.
static float loadCast(Element from, const uint8_t *at, RoundMode mode) {
  if (from != Element::Int32)
    return loadElement(from, at);
  int32_t number;
  std::memcpy(&number, at, sizeof(number));
  return roundFromInt32(number, mode);
}

void Execution::computeCast(ArrayRef<Run> runs) {
  Element to = instruction.elements[0], from = instruction.elements[1];
  auto mode = static_cast<RoundMode>(instruction.kind);
  for (const Run &run : runs) {
    uint8_t *dst = local.at(run.offsets[0]);
    const uint8_t *src = local.at(run.offsets[1]);
    for (int64_t lane = 0; lane < run.lanes; ++lane) {
      float value = loadCast(from, src + lane * getBytes(from), mode);
      if (to == Element::F32) {
        AccessF32::store(dst + lane * AccessF32::bytes, value);
        continue;
      }
      if (to == Element::Int32) {
        int32_t number = roundToInt32(value, mode);
        std::memcpy(dst + lane * sizeof(number), &number, sizeof(number));
        continue;
      }
      uint16_t bits = to == Element::F16 ? narrowF16(value, mode) : narrowBF16(value, mode);
      // A rounding cast drops the sign of zero.
      bits = bits == 0x8000 ? 0 : bits;
      std::memcpy(dst + lane * sizeof(bits), &bits, sizeof(bits));
    }
  }
}
