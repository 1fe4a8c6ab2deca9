// The operands of a product, copied in the order in which register tiles read them, and widened to
// the type in which products are summed. CPU stage, on buffers, used by `jit-lower-products`.
#include "ProductPanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::jit;

//===----------------------------------------------------------------------===//
// Indices and loops
//===----------------------------------------------------------------------===//

Value jit::createNumber(ImplicitLocOpBuilder &builder, int64_t number) {
  return arith::ConstantIndexOp::create(builder, number);
}

Value jit::add(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value jit::add(ImplicitLocOpBuilder &builder, Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(builder, lhs, createNumber(builder, rhs));
}

Value jit::subtract(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(lhs, rhs);
}

Value jit::divide(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  return builder.createOrFold<arith::DivUIOp>(value, createNumber(builder, factor));
}

Value jit::roundDown(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  Value rest = builder.createOrFold<arith::RemUIOp>(value, createNumber(builder, factor));
  return subtract(builder, value, rest);
}

void jit::emitLoop(ImplicitLocOpBuilder &builder, Value begin, Value end, int64_t step,
                   function_ref<void(ImplicitLocOpBuilder &, Value)> body) {
  std::optional<int64_t> first = getConstantIntValue(begin), last = getConstantIntValue(end);
  if (first && last && *first >= *last)
    return;
  if (first && last && *last - *first <= step)
    return body(builder, begin);
  scf::ForOp::create(builder, begin, end, createNumber(builder, step), ValueRange(),
                     [&](OpBuilder &inside, Location loc, Value index, ValueRange) {
                       ImplicitLocOpBuilder bodyBuilder(loc, inside);
                       body(bodyBuilder, index);
                       scf::YieldOp::create(inside, loc);
                     });
}

Value jit::createMask(ImplicitLocOpBuilder &builder, Value count, int64_t first, int64_t lanes) {
  auto type = VectorType::get({lanes}, builder.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(first, first + lanes));
  Value places =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Value most = vector::BroadcastOp::create(
      builder, type, arith::IndexCastOp::create(builder, builder.getI32Type(), count));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, places, most);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Value Matrix::createSize(ImplicitLocOpBuilder &builder, int64_t dimension) const {
  return builder.createOrFold<memref::DimOp>(memref, transposed ? 1 - dimension : dimension);
}

Value Matrix::load(ImplicitLocOpBuilder &builder, Value row, Value col, int64_t count) const {
  SmallVector<Value> indices = {row, col};
  if (transposed)
    std::swap(indices[0], indices[1]);
  if (count == 1)
    return memref::LoadOp::create(builder, memref, indices);
  return vector::LoadOp::create(builder, VectorType::get({count}, getElementType()), memref,
                                indices);
}

Type jit::getCopiedType(const ProductBlocks &blocks, Type sumType) {
  return blocks.depth == 1 ? sumType : IntegerType::get(sumType.getContext(), 32);
}

/// bf16, or vectors of them, as the low halves of words.
static Value toWords(ImplicitLocOpBuilder &builder, Value value) {
  auto withElement = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  };
  Value bits = arith::BitcastOp::create(builder, withElement(builder.getI16Type()), value);
  return arith::ExtUIOp::create(builder, withElement(builder.getI32Type()), bits);
}

/// Words of two bf16, the first in the low half.
static Value createPairs(ImplicitLocOpBuilder &builder, Value first, Value second) {
  Value low = toWords(builder, first), high = toWords(builder, second);
  Value half = arith::ConstantIntOp::create(builder, builder.getI32Type(), 16);
  if (isa<VectorType>(high.getType()))
    half = vector::BroadcastOp::create(builder, high.getType(), half);
  return arith::OrIOp::create(builder, low, arith::ShLIOp::create(builder, high, half));
}

/// `2 * count` bf16 that follow each other in memory as words of two.
static Value asPairs(ImplicitLocOpBuilder &builder, Value value, int64_t count) {
  return vector::BitCastOp::create(builder, VectorType::get({count}, builder.getI32Type()), value);
}

Value jit::widen(ImplicitLocOpBuilder &builder, Value value, Type sumType) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type) == sumType)
    return value;
  Type wide = sumType;
  if (auto vector = dyn_cast<VectorType>(type))
    wide = VectorType::get(vector.getShape(), sumType);
  if (isa<FloatType>(sumType))
    return arith::ExtFOp::create(builder, wide, value);
  return arith::ExtSIOp::create(builder, wide, value);
}

/// The steps of k that `inner` elements are, and how many of them are whole.
struct Steps {
  Steps(ImplicitLocOpBuilder &builder, Value inner, const ProductBlocks &blocks)
      : all(divide(builder, add(builder, inner, blocks.depth - 1), blocks.depth)),
        whole(divide(builder, inner, blocks.depth)) {}
  Value all, whole;
};

static Value multiply(ImplicitLocOpBuilder &builder, Value value, int64_t factor) {
  return builder.createOrFold<arith::MulIOp>(value, createNumber(builder, factor));
}

/// One step of k for `count` elements of the other dimension from (row, col) on, as it is copied.
/// `inner` is the dimension that k counts; a step that is not whole has nothing in its second half.
static Value loadStep(ImplicitLocOpBuilder &builder, const Matrix &source, Value row, Value col,
                      int64_t count, bool isRowInner, bool isWhole, const ProductBlocks &blocks,
                      Type copiedType) {
  Value first = source.load(builder, row, col, count);
  if (blocks.depth == 1)
    return widen(builder, first, copiedType);
  if (!isWhole)
    return createPairs(builder, first,
                       arith::ConstantOp::create(builder, builder.getZeroAttr(first.getType())));
  (isRowInner ? row : col) = add(builder, isRowInner ? row : col, 1);
  return createPairs(builder, first, source.load(builder, row, col, count));
}

/// `count` steps of k, which follow each other in memory from (row, col) on, as they are copied.
static Value loadSteps(ImplicitLocOpBuilder &builder, const Matrix &source, Value row, Value col,
                       int64_t count, const ProductBlocks &blocks, Type copiedType) {
  Value value = source.load(builder, row, col, count * blocks.depth);
  return blocks.depth == 1 ? widen(builder, value, copiedType) : asPairs(builder, value, count);
}

static void store(ImplicitLocOpBuilder &builder, Value value, Value buffer, ValueRange indices) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, value, buffer, indices);
  else
    memref::StoreOp::create(builder, value, buffer, indices);
}

//===----------------------------------------------------------------------===//
// The left operand
//===----------------------------------------------------------------------===//

/// Panels are written a row of each at a time. One row more between them lets these rows lie in
/// different sets of the cache.
static int64_t getPanelRows(const ProductBlocks &blocks) {
  return blocks.mostInner / blocks.depth + 1;
}

/// A buffer whose rows are a fixed distance apart needs no copy.
bool LeftPanels::isInPlace() const {
  auto [strides, offset] = source.getType().getStridesAndOffset();
  return !source.transposed && source.getElementType() == copiedType &&
         !ShapedType::isDynamic(strides[0]) && strides[1] == 1;
}

MemRefType LeftPanels::getBufferType() const {
  if (isInPlace())
    return {};
  int64_t panels = llvm::divideCeil(blocks.mostRows, blocks.rows);
  if (source.transposed)
    return MemRefType::get({panels, getPanelRows(blocks), blocks.rows}, copiedType);
  return MemRefType::get({panels * blocks.rows, blocks.mostInner / blocks.depth}, copiedType);
}

void LeftPanels::copy(ImplicitLocOpBuilder &builder, const MatrixPart &part) {
  current = part;
  if (isInPlace())
    return;
  if (source.transposed)
    copyPanels(builder, part);
  else
    copyRows(builder, part);
}

void LeftPanels::copyRows(ImplicitLocOpBuilder &builder, const MatrixPart &part) {
  Value zero = createNumber(builder, 0);
  Steps steps(builder, part.cols, blocks);
  constexpr int64_t unrolled = 4;
  Value main = roundDown(builder, steps.whole, blocks.lanes);
  Value most = roundDown(builder, steps.whole, unrolled * blocks.lanes);
  emitLoop(builder, zero, part.rows, 1, [&](ImplicitLocOpBuilder &inside, Value row) {
    Value from = add(inside, part.row, row);
    auto getCol = [&](ImplicitLocOpBuilder &at, Value k) {
      return add(at, part.col, multiply(at, k, blocks.depth));
    };
    auto copyVector = [&](ImplicitLocOpBuilder &at, Value k) {
      store(at, loadSteps(at, source, from, getCol(at, k), blocks.lanes, blocks, copiedType),
            buffer, {row, k});
    };
    emitLoop(inside, zero, most, unrolled * blocks.lanes, [&](ImplicitLocOpBuilder &at, Value k) {
      for (int64_t vector = 0; vector < unrolled; ++vector)
        copyVector(at, add(at, k, vector * blocks.lanes));
    });
    emitLoop(inside, most, main, blocks.lanes, copyVector);
    for (auto [begin, end, isWhole] :
         {std::tuple(main, steps.whole, true), std::tuple(steps.whole, steps.all, false)})
      emitLoop(inside, begin, end, 1, [&, isWhole = isWhole](ImplicitLocOpBuilder &at, Value k) {
        store(at,
              loadStep(at, source, from, getCol(at, k), 1, /*isRowInner=*/false, isWhole, blocks,
                       copiedType),
              buffer, {row, k});
      });
  });
}

void LeftPanels::copyPanels(ImplicitLocOpBuilder &builder, const MatrixPart &part) {
  Value zero = createNumber(builder, 0);
  Value whole = divide(builder, part.rows, blocks.rows);
  Value wholeRows = roundDown(builder, part.rows, blocks.rows);
  auto copyPiece = [&](ImplicitLocOpBuilder &at, Value k, Value panel, Value first, Value inPanel,
                       int64_t count) {
    Value row = add(at, part.row, add(at, first, inPanel));
    Value value = source.load(at, row, add(at, part.col, k), count);
    store(at, widen(at, value, copiedType), buffer, {panel, k, inPanel});
  };
  emitLoop(builder, zero, part.cols, 1, [&](ImplicitLocOpBuilder &inside, Value k) {
    emitLoop(inside, zero, whole, 1, [&](ImplicitLocOpBuilder &at, Value panel) {
      Value first = multiply(at, panel, blocks.rows);
      int64_t done = 0;
      for (int64_t count = blocks.lanes; count > 0; count /= 2)
        for (; done + count <= blocks.rows; done += count)
          copyPiece(at, k, panel, first, createNumber(at, done), count);
    });
    emitLoop(inside, zero, subtract(inside, part.rows, wholeRows), 1,
             [&](ImplicitLocOpBuilder &at, Value inPanel) {
               copyPiece(at, k, whole, wholeRows, inPanel, 1);
             });
  });
}

Value LeftPanels::load(ImplicitLocOpBuilder &builder, Value row, int64_t more, Value k) const {
  if (isInPlace())
    return source.load(builder, add(builder, add(builder, current.row, row), more),
                       add(builder, current.col, k), 1);
  SmallVector<Value> indices = {add(builder, row, more), k};
  if (source.transposed) {
    Value panel = divide(builder, row, blocks.rows);
    Value inPanel = builder.createOrFold<arith::RemUIOp>(row, createNumber(builder, blocks.rows));
    indices = {panel, k, add(builder, inPanel, more)};
  }
  return memref::LoadOp::create(builder, buffer, indices);
}

//===----------------------------------------------------------------------===//
// The right operand
//===----------------------------------------------------------------------===//

MemRefType RightPanels::getBufferType() const {
  if (inPlace)
    return {};
  int64_t panels = llvm::divideCeil(blocks.mostCols, blocks.getCols());
  return MemRefType::get({panels, getPanelRows(blocks), blocks.getCols()}, copiedType);
}

void RightPanels::copy(ImplicitLocOpBuilder &builder, const MatrixPart &part) {
  current = part;
  if (inPlace)
    return;
  Value panels = divide(builder, part.cols, blocks.getCols());
  if (source.transposed)
    copyTransposed(builder, part, panels);
  else
    copyWhole(builder, part, panels);
  // What is left of the columns.
  Value wholeCols = roundDown(builder, part.cols, blocks.getCols());
  MatrixPart rest = {part.row, add(builder, part.col, wholeCols), part.rows,
                     subtract(builder, part.cols, wholeCols)};
  copyElements(builder, rest, panels, createNumber(builder, 0));
}

/// Rows of the matrix one after the other, each in vectors.
void RightPanels::copyWhole(ImplicitLocOpBuilder &builder, const MatrixPart &part, Value panels) {
  Value zero = createNumber(builder, 0);
  Steps steps(builder, part.rows, blocks);
  for (auto [begin, end, isWhole] :
       {std::tuple(zero, steps.whole, true), std::tuple(steps.whole, steps.all, false)})
    emitLoop(builder, begin, end, 1, [&, isWhole = isWhole](ImplicitLocOpBuilder &inside, Value k) {
      Value row = add(inside, part.row, multiply(inside, k, blocks.depth));
      emitLoop(inside, zero, panels, 1, [&](ImplicitLocOpBuilder &at, Value panel) {
        Value col = add(at, part.col, multiply(at, panel, blocks.getCols()));
        for (int64_t offset = 0; offset < blocks.getCols(); offset += blocks.lanes)
          store(at,
                loadStep(at, source, row, add(at, col, offset), blocks.lanes, /*isRowInner=*/true,
                         isWhole, blocks, copiedType),
                buffer, {panel, k, createNumber(at, offset)});
      });
    });
}

/// As many vectors as they have pieces of `piece` elements, pieces of rows and columns exchanged:
/// each round interleaves the first half of the vectors with the second, which turns the bits of
/// (vector, piece) by one. Within units of `unit` elements, of which each is done by itself.
static SmallVector<Value> transposePieces(ImplicitLocOpBuilder &builder, SmallVector<Value> vectors,
                                          int64_t piece, int64_t unit) {
  auto size = static_cast<int64_t>(vectors.size());
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements();
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < lanes; first += unit)
    for (int64_t from = first; from < first + unit / 2; from += piece)
      for (int64_t start : {from, lanes + from})
        for (int64_t lane = start; lane < start + piece; ++lane) {
          low.push_back(lane);
          high.push_back(lane + unit / 2);
        }
  for (int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (int64_t number = 0; number < size / 2; ++number)
      for (ArrayRef<int64_t> taken : {ArrayRef<int64_t>(low), ArrayRef<int64_t>(high)})
        next.push_back(
            vector::ShuffleOp::create(builder, vectors[number], vectors[number + size / 2], taken));
    vectors = std::move(next);
  }
  return vectors;
}

/// As many vectors as they have elements, rows and columns exchanged: first squares of four
/// elements, which are cheapest to shuffle within, then fours as a whole.
static SmallVector<Value> transpose(ImplicitLocOpBuilder &builder, ArrayRef<Value> vectors) {
  auto size = static_cast<int64_t>(vectors.size());
  int64_t quad = std::min<int64_t>(size, 4);
  SmallVector<SmallVector<Value>> squares;
  for (int64_t first = 0; first < size; first += quad)
    squares.push_back(transposePieces(builder, SmallVector<Value>(vectors.slice(first, quad)),
                                      /*piece=*/1, /*unit=*/quad));
  SmallVector<Value> result(size);
  for (int64_t inQuad = 0; inQuad < quad; ++inQuad) {
    SmallVector<Value> column;
    for (ArrayRef<Value> square : squares)
      column.push_back(square[inQuad]);
    for (auto [number, row] :
         llvm::enumerate(transposePieces(builder, column, /*piece=*/quad, /*unit=*/size)))
      result[number * quad + inQuad] = row;
  }
  return result;
}

/// Columns of the matrix follow each other in memory row by row: squares of as many columns as a
/// vector has elements are read and transposed.
void RightPanels::copyTransposed(ImplicitLocOpBuilder &builder, const MatrixPart &part,
                                 Value panels) {
  Value zero = createNumber(builder, 0);
  Value main = roundDown(builder, Steps(builder, part.rows, blocks).whole, blocks.lanes);
  emitLoop(builder, zero, panels, 1, [&](ImplicitLocOpBuilder &inside, Value panel) {
    Value panelCol = add(inside, part.col, multiply(inside, panel, blocks.getCols()));
    emitLoop(inside, zero, main, blocks.lanes, [&](ImplicitLocOpBuilder &square, Value k) {
      Value row = add(square, part.row, multiply(square, k, blocks.depth));
      emitLoop(
          square, zero, createNumber(square, blocks.getCols()), blocks.lanes,
          [&](ImplicitLocOpBuilder &at, Value inPanel) {
            SmallVector<Value> columns;
            for (int64_t lane = 0; lane < blocks.lanes; ++lane) {
              Value col = add(at, add(at, panelCol, inPanel), lane);
              columns.push_back(loadSteps(at, source, row, col, blocks.lanes, blocks, copiedType));
            }
            for (auto [lane, step] : llvm::enumerate(transpose(at, columns)))
              store(at, step, buffer, {panel, add(at, k, static_cast<int64_t>(lane)), inPanel});
          });
    });
    MatrixPart rest = {part.row, panelCol, part.rows, createNumber(inside, blocks.getCols())};
    copyElements(inside, rest, panel, main);
  });
}

/// Element by element, the steps of the part from `firstStep` on.
void RightPanels::copyElements(ImplicitLocOpBuilder &builder, const MatrixPart &part, Value panel,
                               Value firstStep) {
  Steps steps(builder, part.rows, blocks);
  for (auto [begin, end, isWhole] :
       {std::tuple(firstStep, steps.whole, true), std::tuple(steps.whole, steps.all, false)})
    emitLoop(builder, begin, end, 1, [&, isWhole = isWhole](ImplicitLocOpBuilder &inside, Value k) {
      Value row = add(inside, part.row, multiply(inside, k, blocks.depth));
      emitLoop(inside, createNumber(inside, 0), part.cols, 1,
               [&](ImplicitLocOpBuilder &at, Value inPanel) {
                 store(at,
                       loadStep(at, source, row, add(at, part.col, inPanel), 1,
                                /*isRowInner=*/true, isWhole, blocks, copiedType),
                       buffer, {panel, k, inPanel});
               });
    });
}

Value RightPanels::load(ImplicitLocOpBuilder &builder, Value panel, Value k, int64_t vector,
                        Value mask) const {
  if (!inPlace)
    return vector::LoadOp::create(
        builder, VectorType::get({blocks.lanes}, copiedType), buffer,
        ValueRange{panel, k, createNumber(builder, vector * blocks.lanes)});
  Value first = add(builder, current.col, multiply(builder, panel, blocks.getCols()));
  SmallVector<Value> place = {add(builder, current.row, k),
                              add(builder, first, vector * blocks.lanes)};
  auto type = VectorType::get({blocks.lanes}, source.getElementType());
  if (!mask)
    return widen(builder, vector::LoadOp::create(builder, type, source.memref, place), copiedType);
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  Value value = vector::MaskedLoadOp::create(builder, type, source.memref, place, mask, zero);
  return widen(builder, value, copiedType);
}

void RightPanels::prefetch(ImplicitLocOpBuilder &builder, Value panel, Value k,
                           int64_t ahead) const {
  if (!inPlace || source.getElementType() == copiedType)
    return;
  Value last = subtract(builder, source.createSize(builder, 0), createNumber(builder, 1));
  Value row =
      builder.createOrFold<arith::MinSIOp>(add(builder, add(builder, current.row, k), ahead), last);
  Value col = add(builder, current.col, multiply(builder, panel, blocks.getCols()));
  memref::PrefetchOp::create(builder, source.memref, ValueRange{row, col}, /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}
