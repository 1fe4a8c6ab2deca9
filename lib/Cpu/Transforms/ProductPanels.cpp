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
// The left operand
//===----------------------------------------------------------------------===//

/// Panels are written a row of each at a time. One row more between them lets these rows lie in
/// different sets of the cache.
static int64_t getPanelRows(const ProductBlocks &blocks) {
  return blocks.mostInner / blocks.depth + 1;
}

/// A buffer whose rows are a fixed distance apart needs no copy: its pairs are words already.
bool LeftPanels::isInPlace() const {
  auto [strides, offset] = source.getType().getStridesAndOffset();
  bool isAsCopied = source.getElementType() == copiedType || blocks.depth > 1;
  return !source.transposed && isAsCopied && !ShapedType::isDynamic(strides[0]) && strides[1] == 1;
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
  Value halves = zero;
  if (inHalves)
    halves = roundDown(builder, part.cols, countLineElements(source.getElementType()));
  Value most = subtract(builder, steps.whole, halves);
  most = add(builder, halves, roundDown(builder, most, unrolled * blocks.lanes));
  emitLoop(builder, zero, part.rows, 1, [&](ImplicitLocOpBuilder &inside, Value row) {
    Value from = add(inside, part.row, row);
    auto getCol = [&](ImplicitLocOpBuilder &at, Value k) {
      return add(at, part.col, multiply(at, k, blocks.depth));
    };
    auto copyVector = [&](ImplicitLocOpBuilder &at, Value k) {
      store(at, loadSteps(at, source, from, getCol(at, k), blocks.lanes, blocks, copiedType),
            buffer, {row, k});
    };
    emitLoop(inside, zero, halves, 2 * blocks.lanes, [&](ImplicitLocOpBuilder &at, Value k) {
      auto [even, odd] =
          widenHalves(at, source.load(at, from, add(at, part.col, k), 2 * blocks.lanes));
      store(at, even, buffer, {row, k});
      store(at, odd, buffer, {row, add(at, k, blocks.lanes)});
    });
    emitLoop(inside, halves, most, unrolled * blocks.lanes, [&](ImplicitLocOpBuilder &at, Value k) {
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

Value LeftPanels::load(ImplicitLocOpBuilder &builder, Value row, int64_t more, Value k,
                       bool isWhole) const {
  if (isInPlace()) {
    Value from = add(builder, add(builder, current.row, row), more);
    Value col = add(builder, current.col, multiply(builder, k, blocks.depth));
    if (blocks.depth == 1 || !isWhole) {
      Value element = source.load(builder, from, col, 1);
      return blocks.depth == 1 ? element : toWords(builder, element);
    }
    Value pair = asPairs(builder, source.load(builder, from, col, blocks.depth), 1);
    return vector::ExtractOp::create(builder, pair, 0);
  }
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

/// `count` elements from (row, col) on, zero where a mask is given and says so.
Value RightPanels::loadInPlace(ImplicitLocOpBuilder &builder, Value row, Value col, int64_t count,
                               Value mask) const {
  auto type = VectorType::get({count}, source.getElementType());
  if (!mask)
    return vector::LoadOp::create(builder, type, source.memref, ValueRange{row, col});
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, type, source.memref, ValueRange{row, col}, mask,
                                      zero);
}

/// Words of two bf16, one of row `row` and one of the row after it. Both are read in pieces of
/// twice as many elements as a vector has words, and shuffled into two vectors at once.
SmallVector<Value> RightPanels::loadPairs(ImplicitLocOpBuilder &builder, Value row, Value col,
                                          ArrayRef<Value> masks, bool isWhole) const {
  // Of a panel that is not whole, each vector has a mask of its own.
  int64_t vectors = masks.empty() ? 2 : 1, count = vectors * blocks.lanes;
  SmallVector<Value> pairs;
  for (int64_t first = 0; first < blocks.vectors; first += vectors) {
    Value place = add(builder, col, first * blocks.lanes);
    Value mask = masks.empty() ? Value() : masks[first];
    Value low = loadInPlace(builder, row, place, count, mask);
    Value high = isWhole ? loadInPlace(builder, add(builder, row, 1), place, count, mask)
                         : arith::ConstantOp::create(
                               builder, builder.getZeroAttr(cast<VectorType>(low.getType())));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      SmallVector<int64_t> taken;
      for (int64_t lane = 0; lane < blocks.lanes; ++lane)
        for (int64_t half : {int64_t(0), count})
          taken.push_back(half + vector * blocks.lanes + lane);
      pairs.push_back(
          asPairs(builder, vector::ShuffleOp::create(builder, low, high, taken), blocks.lanes));
    }
  }
  return pairs;
}

SmallVector<Value> RightPanels::load(ImplicitLocOpBuilder &builder, Value panel, Value k,
                                     ArrayRef<Value> masks, bool isWhole) const {
  Value row = add(builder, current.row, multiply(builder, k, blocks.depth));
  Value col = add(builder, current.col, multiply(builder, panel, blocks.getCols()));
  if (makesPairs())
    return loadPairs(builder, row, col, masks, isWhole);
  SmallVector<Value> vectors;
  if (makesHalves() && masks.empty()) {
    for (int64_t vector = 0; vector < blocks.vectors; vector += 2) {
      Value place = add(builder, col, vector * blocks.lanes);
      auto [even, odd] =
          widenHalves(builder, loadInPlace(builder, row, place, 2 * blocks.lanes, Value()));
      vectors.append({even, odd});
    }
    return vectors;
  }
  for (int64_t vector = 0; vector < blocks.vectors; ++vector) {
    int64_t first = vector * blocks.lanes;
    Value mask = masks.empty() ? Value() : masks[vector];
    vectors.push_back(
        inPlace
            ? widen(builder,
                    loadInPlace(builder, row, add(builder, col, first), blocks.lanes, mask),
                    copiedType)
            : vector::LoadOp::create(builder, VectorType::get({blocks.lanes}, copiedType), buffer,
                                     ValueRange{panel, k, createNumber(builder, first)}));
  }
  return vectors;
}

void RightPanels::prefetch(ImplicitLocOpBuilder &builder, Value panel, Value k,
                           const NextRows &next, int64_t ahead) const {
  // Without widening a panel is whole lines: rows that follow, asked for, came no earlier.
  bool isWhole = source.getElementType() == copiedType;
  if (!inPlace || (isWhole && !next.areKnown()))
    return;
  Value row = add(builder, current.row, multiply(builder, k, blocks.depth));
  Value col = add(builder, current.col, multiply(builder, panel, blocks.getCols()));
  int64_t size = countLineElements(source.getElementType());
  int64_t lines = llvm::divideCeil(blocks.getCols(), size);
  Value rowsBefore = builder.createOrFold<arith::MulIOp>(panel, source.createSize(builder, 0));
  for (int64_t more = 0; more < blocks.depth; ++more) {
    Value from = add(builder, row, more);
    Value first = multiply(builder, add(builder, rowsBefore, from), lines);
    for (int64_t line = 0; line < lines; ++line)
      next.prefetch(builder, {from, add(builder, col, line * size), add(builder, first, line)},
                    ahead);
  }
}

void RightPanels::prefetchCopied(ImplicitLocOpBuilder &builder, Value panel, Value row,
                                 int64_t rows, const NextRows &next) const {
  if (inPlace || !next.getPart() || source.getType().isDynamicDim(1))
    return;
  int64_t line = countLineElements(source.getElementType());
  Value panels =
      divide(builder, add(builder, current.cols, blocks.getCols() - 1), blocks.getCols());
  Value first = multiply(builder, panel, line), step = multiply(builder, panels, line);
  Value end = createNumber(builder, source.getType().getDimSize(1));
  Value last = subtract(builder, builder.createOrFold<memref::DimOp>(next.getPart(), 0),
                        createNumber(builder, 1));
  SmallVector<Value> places;
  for (int64_t more = 0; more < rows; ++more)
    places.push_back(builder.createOrFold<arith::MinSIOp>(add(builder, row, more), last));
  scf::ForOp::create(builder, first, end, step, ValueRange(),
                     [&](OpBuilder &inside, Location loc, Value col, ValueRange) {
                       ImplicitLocOpBuilder at(loc, inside);
                       for (Value place : places)
                         prefetchLine(at, next.getPart(), {place, col});
                       scf::YieldOp::create(inside, loc);
                     });
}
