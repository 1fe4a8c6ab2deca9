// Products of few rows by a transposed right operand: sums along k, over operands where they lie.
// CPU stage, on buffers, used by `jit-lower-products`.
#include "ProductDots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;
using namespace attn::jit;

/// Whether elements of a row of the memref follow each other.
static bool hasRows(const Matrix &matrix) {
  auto [strides, offset] = matrix.getType().getStridesAndOffset();
  return strides.back() == 1;
}

bool ProductDots::canEmit(const Matrix &a, const Matrix &b, const Matrix &c, bool hasFewRows) {
  return hasFewRows && !a.transposed && b.transposed && isa<FloatType>(c.getElementType()) &&
         hasRows(a) && hasRows(b);
}

void ProductDots::emit(ImplicitLocOpBuilder &builder, bool startsAtZero) {
  Value all = a.createSize(builder, 0), done = createNumber(builder, 0);
  for (int64_t rows = blocks.fewRows; rows > 0; rows /= 2) {
    Value end = add(builder, done, roundDown(builder, subtract(builder, all, done), rows));
    emitLoop(builder, done, end, rows, [&](ImplicitLocOpBuilder &inside, Value row) {
      emitColumns(inside, row, rows, startsAtZero);
    });
    done = end;
  }
}

/// As many columns at a time as registers hold sums of them, and what is left one by one.
void ProductDots::emitColumns(ImplicitLocOpBuilder &builder, Value row, int64_t rows,
                              bool startsAtZero) {
  Value zero = createNumber(builder, 0), all = b.createSize(builder, 1);
  int64_t cols = std::min(blocks.mostSums / rows, blocks.lanes);
  if (std::optional<int64_t> number = getConstantIntValue(all))
    cols = std::min<int64_t>(cols, llvm::bit_floor(static_cast<uint64_t>(*number)));
  Value main = roundDown(builder, all, cols);
  emitLoop(builder, zero, main, cols, [&](ImplicitLocOpBuilder &inside, Value col) {
    emitTile(inside, row, col, rows, cols, startsAtZero);
  });
  emitLoop(builder, main, all, 1, [&](ImplicitLocOpBuilder &inside, Value col) {
    emitTile(inside, row, col, rows, 1, startsAtZero);
  });
}

/// The sums of the elements of each of some vectors, at most as many as they have elements, as one
/// vector, whose further elements repeat them. Each round lets two vectors be one, with half of
/// what each sum still has: first of neighbours within four elements, which are cheapest to
/// shuffle, then of neighbouring fours. An element is summed in the same order however many vectors
/// there are.
static Value sumEach(ImplicitLocOpBuilder &builder, SmallVector<Value> vectors) {
  constexpr int64_t quad = 4;
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements();
  for (int64_t rest = lanes; rest > 1; rest /= 2) {
    bool isWithin = rest * quad > lanes;
    int64_t size = isWithin ? 1 : quad, unit = isWithin ? std::min(quad, lanes) : lanes;
    SmallVector<int64_t> low, high;
    for (int64_t first = 0; first < lanes; first += unit)
      for (int64_t from : {first, lanes + first})
        for (int64_t pair = from; pair < from + unit; pair += 2 * size)
          for (int64_t lane = pair; lane < pair + size; ++lane) {
            low.push_back(lane);
            high.push_back(lane + size);
          }
    SmallVector<Value> joined;
    for (size_t number = 0; number < vectors.size(); number += 2) {
      Value x = vectors[number], y = vectors[std::min(number + 1, vectors.size() - 1)];
      joined.push_back(arith::AddFOp::create(builder, vector::ShuffleOp::create(builder, x, y, low),
                                             vector::ShuffleOp::create(builder, x, y, high)));
    }
    vectors = std::move(joined);
  }
  return vectors.front();
}

void ProductDots::emitTile(ImplicitLocOpBuilder &builder, Value row, Value col, int64_t rows,
                           int64_t cols, bool startsAtZero) {
  SmallVector<Value> vectors = emitSteps(builder, row, col, rows, cols);
  // As many rows at a time as fill a vector with sums.
  int64_t together = std::min(rows, blocks.lanes / cols);
  for (int64_t first = 0; first < rows; first += together) {
    Value sums = sumEach(
        builder, SmallVector<Value>(ArrayRef(vectors).slice(first * cols, together * cols)));
    for (int64_t more = 0; more < together; ++more) {
      auto numbers = llvm::to_vector(llvm::seq(more * cols, (more + 1) * cols));
      Value sum = vector::ShuffleOp::create(builder, sums, sums, numbers);
      SmallVector<Value> place = {add(builder, row, first + more), col};
      if (!startsAtZero)
        sum = arith::AddFOp::create(
            builder,
            vector::LoadOp::create(builder, cast<VectorType>(sum.getType()), c.memref, place), sum);
      vector::StoreOp::create(builder, sum, c.memref, place);
    }
  }
}

/// A vector along k, in the type of the sums, or of pairs as they lie; where a mask is given, zeros
/// are where it is not.
Value ProductDots::loadAlong(ImplicitLocOpBuilder &builder, const Matrix &matrix, ValueRange place,
                             Value mask) const {
  auto type = VectorType::get({getWidth()}, matrix.getElementType());
  Value value;
  if (mask) {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
    value = vector::MaskedLoadOp::create(builder, type, matrix.memref, place, mask, zero);
  } else {
    value = vector::LoadOp::create(builder, type, matrix.memref, place);
  }
  return blocks.depth > 1 ? value : widen(builder, value, c.getElementType());
}

/// Where nothing is known of what is read next, the columns, rows of memory, that follow by so many
/// are asked for early: each may lie in a page of its own, where the processor does not look ahead.
static constexpr int64_t columnsAhead = 8;

/// Asks for the lines early that begin with `k` in columns of what is read next.
void ProductDots::prefetch(ImplicitLocOpBuilder &builder, Value col, int64_t cols, Value k) const {
  Value first = multiply(builder, divide(builder, k, countLineElements(b.getElementType())), cols);
  for (int64_t more = 0; more < cols; ++more)
    nextRows.prefetch(builder, {add(builder, col, more), k, add(builder, first, more)},
                      columnsAhead);
}

/// The products of `rows` rows and `cols` columns, each summed in a vector.
SmallVector<Value> ProductDots::emitSteps(ImplicitLocOpBuilder &builder, Value row, Value col,
                                          int64_t rows, int64_t cols) {
  auto type = VectorType::get({blocks.lanes}, c.getElementType());
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  SmallVector<Value> sums(rows * cols, zero);
  Value begin = createNumber(builder, 0), inner = a.createSize(builder, 1);
  int64_t width = getWidth(), line = std::max(countLineElements(b.getElementType()), width);
  Value lines = roundDown(builder, inner, line), main = roundDown(builder, inner, width);
  for (auto [end, step, isWhole] : {std::tuple(lines, line, true), std::tuple(main, width, true),
                                    std::tuple(inner, width, false)}) {
    if (getConstantIntValue(begin) && getConstantIntValue(begin) == getConstantIntValue(end))
      continue;
    auto loop = scf::ForOp::create(
        builder, begin, end, createNumber(builder, step), sums,
        [&, step = step, isWhole = isWhole](OpBuilder &inside, Location loc, Value k,
                                            ValueRange carried) {
          ImplicitLocOpBuilder at(loc, inside);
          SmallVector<Value> values(carried);
          prefetch(at, col, cols, k);
          bool takesHalves = inHalves && step == line;
          for (int64_t more = 0; takesHalves && more < step; more += 2 * width)
            emitHalves(at, row, col, add(at, k, more), cols, values);
          for (int64_t more = 0; !takesHalves && more < step; more += width)
            emitStep(at, row, col, add(at, k, more), cols,
                     isWhole ? Value() : createMask(at, subtract(at, inner, k), 0, width), values);
          scf::YieldOp::create(inside, loc, values);
        });
    sums.assign(loop.result_begin(), loop.result_end());
    begin = end;
  }
  return sums;
}

/// Adds the products of two vectors of k to the sums: of their even elements, then of the odd ones.
void ProductDots::emitHalves(ImplicitLocOpBuilder &builder, Value row, Value col, Value k,
                             int64_t cols, MutableArrayRef<Value> sums) {
  int64_t rows = static_cast<int64_t>(sums.size()) / cols, width = getWidth();
  auto type = VectorType::get({2 * width}, b.getElementType());
  SmallVector<std::pair<Value, Value>> columns;
  for (int64_t next = 0; next < cols; ++next)
    columns.push_back(
        widenHalves(builder, vector::LoadOp::create(builder, type, b.memref,
                                                    ValueRange{add(builder, col, next), k})));
  for (int64_t half : {0, 1})
    for (int64_t more = 0; more < rows; ++more) {
      Value factor =
          loadAlong(builder, left, {add(builder, row, more), add(builder, k, half * width)}, {});
      for (int64_t next = 0; next < cols; ++next) {
        Value &sum = sums[more * cols + next];
        Value right = half == 0 ? columns[next].first : columns[next].second;
        sum = createSum(builder, factor, right, sum, blocks);
      }
    }
}

/// Adds the products of one vector of k to the sums.
void ProductDots::emitStep(ImplicitLocOpBuilder &builder, Value row, Value col, Value k,
                           int64_t cols, Value mask, MutableArrayRef<Value> sums) {
  int64_t rows = static_cast<int64_t>(sums.size()) / cols;
  SmallVector<Value> factors;
  for (int64_t more = 0; more < rows; ++more)
    factors.push_back(loadAlong(builder, left, {add(builder, row, more), k}, mask));
  for (int64_t next = 0; next < cols; ++next) {
    Value right = loadAlong(builder, b, {add(builder, col, next), k}, mask);
    for (int64_t more = 0; more < rows; ++more) {
      Value &sum = sums[more * cols + next];
      sum = createSum(builder, factors[more], right, sum, blocks);
    }
  }
}
