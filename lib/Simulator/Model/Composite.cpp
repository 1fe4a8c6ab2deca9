// The execution of composite instructions: row reductions and broadcasts, f32 rows at a pitch.
#include "Execution.h"
#include "llvm/Support/MathExtras.h"

#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::BinaryKind;

constexpr int64_t f32Bytes = 4;
constexpr int64_t lanesPerBlock = blockBytes / f32Bytes;
constexpr int64_t lanesPerRepeat = repeatBytes / f32Bytes;

/// As the chip would: values of data blocks until one repeat holds them, then a tree over that.
float Execution::reduceRow(const uint8_t *row) {
  SmallVector<float> values(instruction.cols);
  std::memcpy(values.data(), row, instruction.cols * f32Bytes);
  while (static_cast<int64_t>(values.size()) > lanesPerRepeat) {
    size_t results = llvm::divideCeil(values.size(), lanesPerBlock);
    for (size_t block = 0; block < results; ++block) {
      size_t begin = block * lanesPerBlock;
      values[block] = reduceTree(MutableArrayRef<float>(values).slice(
          begin, std::min<size_t>(lanesPerBlock, values.size() - begin)));
    }
    values.resize(results);
  }
  return reduceTree(values);
}

/// What a composite overwrites of its scratch; nothing where it takes none.
ByteRange Execution::getScratch(int operand, int64_t elements) const {
  if (operand >= instruction.getOperandCount())
    return {0, 0};
  const Place &scratch = issued.places[operand];
  return {scratch.offset,
          instruction.takesAllScratch ? scratch.end : scratch.offset + elements * f32Bytes};
}

void Execution::runRowReduce() {
  int64_t rows = issued.amounts[0];
  if (!checkAlignment() || !checkAmount(rows, "number of rows") || rows == 0)
    return;
  int64_t dst = issued.places[0].offset, src = issued.places[1].offset;
  int64_t pitchBytes = instruction.pitch * f32Bytes;
  ByteRange scratch = getScratch(2, ascend::getRowReduceScratchElements(rows, instruction.cols));
  for (int64_t row = 0; row < rows; ++row)
    touch(1, /*isWrite=*/false, src + row * pitchBytes,
          src + row * pitchBytes + instruction.cols * f32Bytes);
  touch(0, /*isWrite=*/true, dst, dst + rows * f32Bytes);
  touch(2, /*isWrite=*/true, scratch.begin, scratch.end);
  if (!checkBounds())
    return;
  SmallVector<float> results;
  SmallVector<SmallVector<UndefinedRange>> undefined(rows);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = src + row * pitchBytes;
    local.collectUndefined(begin, begin + instruction.cols * f32Bytes, undefined[row]);
    results.push_back(reduceRow(local.at(begin)));
  }
  local.undefine(scratch.begin, scratch.end, Origin());
  local.define(dst, dst + rows * f32Bytes);
  for (int64_t row = 0; row < rows; ++row) {
    AccessF32::store(local.at(dst + row * f32Bytes), results[row]);
    if (!undefined[row].empty())
      local.undefine(dst + row * f32Bytes, dst + (row + 1) * f32Bytes,
                     follow(undefined[row].front().origin, 1));
  }
}

static float apply(BinaryKind kind, float a, float b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
    return a / b;
  case BinaryKind::Max:
    return maximum(a, b);
  case BinaryKind::Min:
    return minimum(a, b);
  }
  llvm_unreachable("all kinds are listed");
}

void Execution::runRowArithmetic() {
  int64_t rows = issued.amounts[0];
  if (!checkAlignment() || !checkAmount(rows, "number of rows") || rows == 0)
    return;
  bool accumulates = instruction.opcode == Opcode::RowMulAdd;
  int64_t dst = issued.places[0].offset, src = issued.places[1].offset;
  int64_t column = issued.places[2].offset;
  int64_t tileBytes = rows * instruction.pitch * f32Bytes;
  ByteRange scratch = getScratch(3, ascend::getRowBroadcastScratchElements(rows));
  touch(0, /*isWrite=*/true, dst, dst + tileBytes);
  if (accumulates)
    touch(0, /*isWrite=*/false, dst, dst + tileBytes);
  touch(1, /*isWrite=*/false, src, src + tileBytes);
  // The broadcast reads eight values at a time.
  touch(2, /*isWrite=*/false, column, column + llvm::alignTo(rows, lanesPerBlock) * f32Bytes);
  touch(3, /*isWrite=*/true, scratch.begin, scratch.end);
  if (!checkBounds())
    return;
  SmallVector<int, 2> sources = {1};
  if (accumulates)
    sources.push_back(0);
  propagate(Run{{dst, src}, rows * instruction.pitch, 0}, sources);
  local.undefine(scratch.begin, scratch.end, Origin());
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = dst + row * instruction.pitch * f32Bytes;
    SmallVector<UndefinedRange> ranges;
    local.collectUndefined(column + row * f32Bytes, column + (row + 1) * f32Bytes, ranges);
    if (!ranges.empty())
      local.undefine(begin, begin + instruction.pitch * f32Bytes, follow(ranges.front().origin, 2));
    float factor = AccessF32::load(local.at(column + row * f32Bytes));
    for (int64_t at = row * instruction.pitch * f32Bytes, end = at + instruction.pitch * f32Bytes;
         at < end; at += f32Bytes) {
      float value = AccessF32::load(local.at(src + at));
      if (accumulates) {
        float product = value * factor;
        AccessF32::store(local.at(dst + at), AccessF32::load(local.at(dst + at)) + product);
      } else {
        AccessF32::store(local.at(dst + at),
                         apply(static_cast<BinaryKind>(instruction.kind), value, factor));
      }
    }
  }
}

void Execution::runColBinary() {
  int64_t rows = issued.amounts[0];
  if (!checkAlignment() || !checkAmount(rows, "number of rows") || rows == 0)
    return;
  SmallVector<Run> runs;
  int64_t pitchBytes = instruction.pitch * f32Bytes;
  for (int64_t row = 0; row < rows; ++row)
    runs.push_back({{issued.places[0].offset + row * pitchBytes,
                     issued.places[1].offset + row * pitchBytes, issued.places[2].offset},
                    instruction.pitch,
                    row});
  touchRuns(runs);
  if (!checkBounds())
    return;
  propagate(runs, {1, 2});
  for (const Run &run : runs)
    for (int64_t at = 0; at < pitchBytes; at += f32Bytes)
      AccessF32::store(local.at(run.offsets[0] + at),
                       apply(static_cast<BinaryKind>(instruction.kind),
                             AccessF32::load(local.at(run.offsets[1] + at)),
                             AccessF32::load(local.at(run.offsets[2] + at))));
}
