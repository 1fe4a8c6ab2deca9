// Products of few rows by a transposed right operand: sums along k, over operands where they lie.
// CPU stage, on buffers, used by `jit-lower-products`.
#include "ProductDots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  int64_t cols = std::min(2 * blocks.fewRows / rows, blocks.lanes);
  Value main = roundDown(builder, all, cols);
  emitLoop(builder, zero, main, cols, [&](ImplicitLocOpBuilder &inside, Value col) {
    emitTile(inside, row, col, rows, cols, startsAtZero);
  });
  emitLoop(builder, main, all, 1, [&](ImplicitLocOpBuilder &inside, Value col) {
    emitTile(inside, row, col, rows, 1, startsAtZero);
  });
}

/// The sums of the elements of each of some vectors, a power of two of them, as one vector: each
/// round lets two vectors be one of twice as many sums, then halves what each sum still has.
static Value sumEach(ImplicitLocOpBuilder &builder, SmallVector<Value> vectors) {
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> lanes) -> Value {
    return vector::ShuffleOp::create(builder, x, y, lanes);
  };
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements(), sums = 1;
  for (; vectors.size() > 1; sums *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes / 2; lane += sums)
      for (int64_t first : {lane, lanes + lane})
        for (int64_t sum = first; sum < first + sums; ++sum) {
          low.push_back(sum);
          high.push_back(sum + lanes / 2);
        }
    SmallVector<Value> joined;
    for (size_t number = 0; number < vectors.size(); number += 2) {
      Value x = vectors[number], y = vectors[number + 1];
      joined.push_back(arith::AddFOp::create(builder, shuffle(x, y, low), shuffle(x, y, high)));
    }
    vectors = std::move(joined);
  }
  Value result = vectors.front();
  for (; lanes > sums; lanes /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, lanes / 2));
    auto high = llvm::to_vector(llvm::seq<int64_t>(lanes / 2, lanes));
    result =
        arith::AddFOp::create(builder, shuffle(result, result, low), shuffle(result, result, high));
  }
  return result;
}

void ProductDots::emitTile(ImplicitLocOpBuilder &builder, Value row, Value col, int64_t rows,
                           int64_t cols, bool startsAtZero) {
  SmallVector<Value> sums = emitSteps(builder, row, col, rows, cols);
  for (int64_t more = 0; more < rows; ++more) {
    Value sum = sumEach(builder, SmallVector<Value>(ArrayRef(sums).slice(more * cols, cols)));
    SmallVector<Value> place = {add(builder, row, more), col};
    if (!startsAtZero)
      sum = arith::AddFOp::create(
          builder,
          vector::LoadOp::create(builder, cast<VectorType>(sum.getType()), c.memref, place), sum);
    vector::StoreOp::create(builder, sum, c.memref, place);
  }
}

/// A vector along k, in the type of the sums; where a mask is given, zeros are where it is not.
Value ProductDots::loadAlong(ImplicitLocOpBuilder &builder, const Matrix &matrix, ValueRange place,
                             Value mask) const {
  auto type = VectorType::get({blocks.lanes}, matrix.getElementType());
  Value value;
  if (mask) {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
    value = vector::MaskedLoadOp::create(builder, type, matrix.memref, place, mask, zero);
  } else {
    value = vector::LoadOp::create(builder, type, matrix.memref, place);
  }
  return widen(builder, value, c.getElementType());
}

/// The columns, rows of memory, that follow by so many are asked for early: each may lie in a page
/// of its own, where the processor does not look ahead.
static constexpr int64_t columnsAhead = 8;

/// The products of `rows` rows and `cols` columns, each summed in a vector.
SmallVector<Value> ProductDots::emitSteps(ImplicitLocOpBuilder &builder, Value row, Value col,
                                          int64_t rows, int64_t cols) {
  auto type = VectorType::get({blocks.lanes}, c.getElementType());
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  SmallVector<Value> sums(rows * cols, zero);
  Value begin = createNumber(builder, 0), inner = a.createSize(builder, 1);
  Value main = roundDown(builder, inner, blocks.lanes);
  Value last = subtract(builder, b.createSize(builder, 1), createNumber(builder, 1));
  SmallVector<Value> ahead;
  for (int64_t next = 0; next < cols; ++next)
    ahead.push_back(
        builder.createOrFold<arith::MinSIOp>(add(builder, col, next + columnsAhead), last));
  for (auto [end, isWhole] : {std::pair(main, true), std::pair(inner, false)}) {
    if (getConstantIntValue(begin) && getConstantIntValue(begin) == getConstantIntValue(end))
      continue;
    auto loop = scf::ForOp::create(
        builder, begin, end, createNumber(builder, blocks.lanes), sums,
        [&, isWhole = isWhole](OpBuilder &inside, Location loc, Value k, ValueRange carried) {
          ImplicitLocOpBuilder at(loc, inside);
          Value mask = isWhole ? Value() : createMask(at, subtract(at, inner, k), 0, blocks.lanes);
          SmallVector<Value> values(carried), left;
          for (int64_t more = 0; more < rows; ++more)
            left.push_back(loadAlong(at, a, {add(at, row, more), k}, mask));
          for (int64_t next = 0; next < cols; ++next) {
            Value right = loadAlong(at, b, {add(at, col, next), k}, mask);
            memref::PrefetchOp::create(at, b.memref, ValueRange{ahead[next], k},
                                       /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
            for (int64_t more = 0; more < rows; ++more) {
              Value &sum = values[more * cols + next];
              sum = vector::FMAOp::create(at, left[more], right, sum);
            }
          }
          scf::YieldOp::create(inside, loc, values);
        });
    sums.assign(loop.result_begin(), loop.result_end());
    begin = end;
  }
  return sums;
}
