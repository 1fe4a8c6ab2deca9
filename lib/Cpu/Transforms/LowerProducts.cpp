// The pass `jit-lower-products`: products of matrices as register tiles over copied panels. CPU
// stage, on buffers.
#include "NextIteration.h"
#include "ProductContext.h"
#include "ProductDots.h"
#include "ProductPanels.h"
#include "SeenColumns.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

namespace attn {
#define GEN_PASS_DEF_LOWERPRODUCTSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::jit;

namespace {

/// Steps of k that are written out, so that counting them costs little.
constexpr int64_t unrolledSteps = 4;

/// Rows of a right operand that is read where it lies, at a time: so many lie in pages that the
/// processor finds quickly, and are followed by it, even where each is in one of its own.
constexpr int64_t rowsInPlace = 32;

/// Emits one product: `c += a * b`.
class ProductEmitter {
public:
  ProductEmitter(linalg::MatmulOp op, const ProductBlocks &blocks)
      : blocks(blocks), a{op.getInputs()[0], isTransposed(op, 0)},
        b{op.getInputs()[1], isTransposed(op, 1)}, c{op.getOutputs()[0]},
        hasFewRows(countTileRows(c.memref) <= blocks.fewRows),
        areDots(ProductDots::canEmit(a, b, c, hasFewRows)), left(a, blocks, c.getElementType()),
        right(b, blocks, c.getElementType(), readsRightInPlace()),
        mostInner(readsRightInPlace() ? rowsInPlace : blocks.mostInner) {
    if (areDots) {
      left.setHalves(takesHalves());
      return;
    }
    resultOffset = findSeenResult(op);
    if (!a.transposed && hasVectors(a) && sumsAtOnce())
      leftOffset = findSeenLeft(op);
  }

  /// Whether a mask leaves out a part of it.
  bool isCut() const { return resultOffset || leftOffset; }

  /// The buffers that it copies to; null for none.
  /// Sums along k read the left operand where it lies, unless it has to be widened: that is done
  /// once.
  MemRefType getLeftType() const {
    bool isWidened = a.getElementType() != c.getElementType() && blocks.depth == 1;
    bool isRead = areDots && (!isWidened || !fits());
    return isRead ? MemRefType() : left.getBufferType();
  }
  MemRefType getRightType() const { return areDots ? MemRefType() : right.getBufferType(); }
  void setBuffers(Value leftBuffer, Value rightBuffer) {
    left.setBuffer(leftBuffer);
    right.setBuffer(rightBuffer);
  }

  /// Whether the sums of each part of the result are complete after one part of k.
  bool sumsAtOnce() const { return areDots || hasAtMost(1, mostInner); }

  /// Whether the left operand is copied, all of it at once.
  bool copiesLeftAtOnce() const { return getLeftType() && fits() && sumsAtOnce(); }

  /// Copies the left operand here; only where it is copied at once.
  void copyLeft(ImplicitLocOpBuilder &builder) {
    Value zero = createNumber(builder, 0);
    left.copy(builder, {zero, zero, a.createSize(builder, 0), a.createSize(builder, 1)});
    isLeftCopied = true;
  }

  /// Takes the place of `fill`, which sets to zero what the product is added to: whatever the
  /// product does not write is still set. Only for products that sum at once.
  void replaceFill(linalg::FillOp fill, ImplicitLocOpBuilder &builder) {
    startsAtZero = true;
    Value filled = fill.getOutputs()[0];
    Value isWritten;
    auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
      Value holds = builder.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
      isWritten = isWritten ? builder.createOrFold<arith::AndIOp>(isWritten, holds) : holds;
    };
    require(arith::CmpIPredicate::ne, a.createSize(builder, 1), createNumber(builder, 0));
    for (int64_t dim : {0, 1})
      require(arith::CmpIPredicate::eq, c.createSize(builder, dim),
              builder.createOrFold<memref::DimOp>(filled, dim));
    if (matchPattern(isWritten, m_One()))
      return fill.erase();
    auto choice = scf::IfOp::create(builder, isWritten, /*withElseRegion=*/true);
    fill->moveBefore(choice.elseYield());
  }

  /// A panel of the right operand stays in the nearest cache while the rows of the left one, which
  /// fit the next, go by.
  void emit(ImplicitLocOpBuilder &builder) {
    nextRows = NextRows(builder, b.memref);
    if (areDots)
      return emitDots(builder);
    Value zero = createNumber(builder, 0);
    if (leftOffset)
      isShort = createZeroCheck(builder, a, leftOffset, blocks.lanes);
    Value rows = a.createSize(builder, 0), inner = a.createSize(builder, 1),
          cols = b.createSize(builder, 1);
    forEachBlock(builder, cols, blocks.mostCols,
                 [&](ImplicitLocOpBuilder &inCols, Value col, Value partCols) {
                   forEachBlock(inCols, inner, mostInner,
                                [&](ImplicitLocOpBuilder &inInner, Value k, Value partInner) {
                                  right.copy(inInner, {k, col, partInner, partCols});
                                  forEachBlock(
                                      inInner, rows, blocks.mostRows,
                                      [&](ImplicitLocOpBuilder &inRows, Value row, Value partRows) {
                                        if (!isLeftCopied)
                                          left.copy(inRows, {row, k, partRows, partInner});
                                        emitPanels(inRows, {row, col, partRows, partCols},
                                                   Steps(inRows, partInner, blocks), zero);
                                      });
                                });
                 });
  }

private:
  void emitDots(ImplicitLocOpBuilder &builder) {
    bool isCopied = getLeftType() != nullptr;
    if (isCopied && !isLeftCopied)
      copyLeft(builder);
    ProductDots(a, b, c, isCopied ? left.getBuffer() : Value(), nextRows, takesHalves(), blocks)
        .emit(builder, startsAtZero);
  }

  /// Whether sums along k take the even and the odd elements of lines apart: both operands are
  /// bf16, of which the left one is copied so.
  bool takesHalves() const {
    return areDots && getLeftType() && blocks.depth == 1 && a.getElementType().isBF16() &&
           b.getElementType().isBF16();
  }

  /// Whether rows of the right operand are used where they lie, since few rows of the left one use
  /// them.
  bool readsRightInPlace() const { return hasFewRows && hasVectors(b); }

  /// Whether the buffer for copies holds all of the left operand.
  bool fits() const {
    return (hasFewRows || hasAtMost(0, blocks.mostRows)) && hasAtMost(1, blocks.mostInner);
  }

  /// Whether the left operand never has more rows (0) or columns (1) than `most`: those of the tile
  /// that the result or it is a part of, or by how its size is computed.
  bool hasAtMost(int64_t dimension, int64_t most) const {
    if (dimension == 0 && countTileRows(c.memref) <= most)
      return true;
    dimension = a.transposed ? 1 - dimension : dimension;
    auto whole = cast<MemRefType>(getWhole(a.memref).getType());
    if (whole.getRank() == 2 && !whole.isDynamicDim(dimension) &&
        whole.getDimSize(dimension) <= most)
      return true;
    ValueBoundsConstraintSet::Variable size(a.memref, dimension);
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, size, /*stopCondition=*/nullptr, /*closedUB=*/true);
    return succeeded(bound) && *bound <= most;
  }

  /// Whether vectors of columns of a right operand follow each other in memory.
  static bool hasVectors(const Matrix &matrix) {
    auto [strides, offset] = matrix.getType().getStridesAndOffset();
    return !matrix.transposed && strides.back() == 1;
  }

  using BlockBody = function_ref<void(ImplicitLocOpBuilder &, Value, Value)>;

  /// Calls `body` with the begin and the size of each part of at most `most`.
  static void forEachBlock(ImplicitLocOpBuilder &builder, Value size, int64_t most,
                           BlockBody body) {
    emitLoop(builder, createNumber(builder, 0), size, most,
             [&](ImplicitLocOpBuilder &inside, Value begin) {
               Value rest = subtract(inside, size, begin);
               body(inside, begin,
                    inside.createOrFold<arith::MinSIOp>(rest, createNumber(inside, most)));
             });
  }

  /// All register tiles of a part of the result, each summed over the steps of k.
  void emitPanels(ImplicitLocOpBuilder &builder, const MatrixPart &part, const Steps &steps,
                  Value zero) {
    int64_t width = blocks.getCols();
    Value whole = roundDown(builder, part.cols, width);
    std::optional<int64_t> end = getConstantIntValue(whole);
    if (nextRows.areGiven() && end) {
      // Few rows leave little to do in a panel.
      for (int64_t col = 0; col < *end; col += width)
        emitRows(builder, part, steps, createNumber(builder, col), /*isWhole=*/true);
    } else {
      emitLoop(builder, zero, whole, width, [&](ImplicitLocOpBuilder &inside, Value col) {
        emitRows(inside, part, steps, col, /*isWhole=*/true);
      });
    }
    // At most one panel is left.
    emitLoop(builder, whole, part.cols, width, [&](ImplicitLocOpBuilder &inside, Value col) {
      emitRows(inside, part, steps, col, /*isWhole=*/false);
    });
  }

  /// The register tiles of one panel: as many rows as registers hold, or as there are where they
  /// are few, and what is left. Four rows have as many sums as multiplications are under way, fewer
  /// have not: where two or three would be left, one tile more is taken by fours. Copies of a
  /// transposed operand are panels, whose ends tiles of two rows, or of as many as there are, never
  /// cross.
  void emitRows(ImplicitLocOpBuilder &builder, const MatrixPart &part, const Steps &steps,
                Value col, bool isWhole) {
    bool takesFours = !hasFewRows && !a.transposed;
    int64_t most = blocks.rows, next = takesFours ? 4 : 2;
    Value done = findFirstRow(builder, part, col, most);
    for (int64_t rows : {most, next, int64_t(1)}) {
      Value end = add(builder, done, roundDown(builder, subtract(builder, part.rows, done), rows));
      if (takesFours && rows == most)
        end = leaveFours(builder, part.rows, end);
      emitLoop(builder, done, end, rows, [&](ImplicitLocOpBuilder &inside, Value row) {
        emitTile(inside, part, steps, row, col, rows, isWhole);
      });
      done = end;
    }
  }

  /// The first row of a part that sees a column, rounded down to a tile of rows.
  Value findFirstRow(ImplicitLocOpBuilder &builder, const MatrixPart &part, Value col,
                     int64_t rows) {
    Value zero = createNumber(builder, 0);
    if (!resultOffset)
      return zero;
    Value first = subtract(builder, add(builder, part.col, col), resultOffset);
    first = subtract(builder, add(builder, first, 1), part.row);
    first = builder.createOrFold<arith::MaxSIOp>(first, zero);
    return roundDown(builder, builder.createOrFold<arith::MinSIOp>(first, part.rows), rows);
  }

  /// The steps of k that a tile of rows sees, of `all`.
  Steps countSeenSteps(ImplicitLocOpBuilder &builder, const MatrixPart &part, Value row,
                       int64_t rows, const Steps &all) {
    if (!leftOffset)
      return all;
    Value last = add(builder, add(builder, part.row, row), rows - 1);
    Value seen = roundUpSeen(builder, add(builder, last, leftOffset), blocks.lanes);
    seen = divide(builder, seen, blocks.depth);
    auto limit = [&](Value steps) {
      return builder.createOrFold<arith::SelectOp>(
          isShort, builder.createOrFold<arith::MinSIOp>(seen, steps), steps);
    };
    return {limit(all.all), limit(all.whole)};
  }

  /// `end`, or one tile before it where two or three of all rows follow it.
  Value leaveFours(ImplicitLocOpBuilder &builder, Value all, Value end) {
    auto compare = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
      return builder.createOrFold<arith::CmpIOp>(predicate, lhs, createNumber(builder, rhs));
    };
    // Two are subtracted, so that none and one become the largest numbers there are.
    Value rest = subtract(builder, subtract(builder, all, end), createNumber(builder, 2));
    Value pays = builder.createOrFold<arith::AndIOp>(compare(arith::CmpIPredicate::ult, rest, 2),
                                                     compare(arith::CmpIPredicate::ne, end, 0));
    return builder.createOrFold<arith::SelectOp>(
        pays, subtract(builder, end, createNumber(builder, blocks.rows)), end);
  }

  /// One register tile, whose first element is (row, col) of the part.
  void emitTile(ImplicitLocOpBuilder &builder, const MatrixPart &part, const Steps &all, Value row,
                Value col, int64_t rows, bool isWhole) {
    SmallVector<Value> masks;
    Value exist = subtract(builder, part.cols, col);
    for (int64_t vector = 0; vector < blocks.vectors && !isWhole; ++vector)
      masks.push_back(createMask(builder, exist, vector * blocks.lanes, blocks.lanes));
    SmallVector<SmallVector<Value>> places;
    for (int64_t number = 0; number < rows * blocks.vectors; ++number) {
      Value tileRow = add(builder, part.row, add(builder, row, number / blocks.vectors));
      Value tileCol =
          add(builder, add(builder, part.col, col), number % blocks.vectors * blocks.lanes);
      places.push_back({tileRow, tileCol});
    }
    SmallVector<Value> sums;
    for (auto [number, place] : llvm::enumerate(places))
      sums.push_back(loadSum(builder, place, isWhole ? Value() : masks[number % blocks.vectors]));
    bool inHalves = isWhole && right.makesHalves();
    if (inHalves && !startsAtZero)
      exchange(builder, sums, deinterleave);
    Value panel = divide(builder, col, blocks.getCols());
    right.prefetchCopied(builder, panel, add(builder, part.row, row), rows, nextRows);
    Steps steps = countSeenSteps(builder, part, row, rows, all);
    sums = emitSteps(builder, steps, std::move(sums),
                     [&](ImplicitLocOpBuilder &inside, Value k, bool isWholeStep,
                         MutableArrayRef<Value> values) {
                       emitStep(inside, row, panel, k, rows, masks, isWholeStep, values);
                     });
    if (inHalves)
      exchange(builder, sums, interleave);
    for (auto [number, place] : llvm::enumerate(places))
      storeSum(builder, sums[number], place, isWhole ? Value() : masks[number % blocks.vectors]);
  }

  /// Two vectors at a time: columns in their order, or the even and the odd ones of both.
  static void exchange(ImplicitLocOpBuilder &builder, MutableArrayRef<Value> sums,
                       decltype(interleave) order) {
    for (size_t number = 0; number < sums.size(); number += 2)
      std::tie(sums[number], sums[number + 1]) = order(builder, sums[number], sums[number + 1]);
  }

  Value loadSum(ImplicitLocOpBuilder &builder, ValueRange place, Value mask) {
    auto type = VectorType::get({blocks.lanes}, c.getElementType());
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
    if (startsAtZero)
      return zero;
    if (!mask)
      return vector::LoadOp::create(builder, type, c.memref, place);
    return vector::MaskedLoadOp::create(builder, type, c.memref, place, mask, zero);
  }

  void storeSum(ImplicitLocOpBuilder &builder, Value sum, ValueRange place, Value mask) {
    if (mask)
      vector::MaskedStoreOp::create(builder, c.memref, place, mask, sum);
    else
      vector::StoreOp::create(builder, sum, c.memref, place);
  }

  using StepBody = function_ref<void(ImplicitLocOpBuilder &, Value, bool, MutableArrayRef<Value>)>;

  /// The loop over k, several steps at a time, which carries the sums in registers.
  SmallVector<Value> emitSteps(ImplicitLocOpBuilder &builder, const Steps &all,
                               SmallVector<Value> sums, StepBody body) {
    Value begin = createNumber(builder, 0);
    int64_t written = readsRightInPlace() ? 2 : unrolledSteps;
    Value main = roundDown(builder, all.whole, written);
    for (auto [end, steps, isWhole] :
         {std::tuple(main, written, true), std::tuple(all.whole, int64_t(1), true),
          std::tuple(all.all, int64_t(1), false)}) {
      std::optional<int64_t> first = getConstantIntValue(begin), last = getConstantIntValue(end);
      if (begin == end || (first && first == last))
        continue;
      auto emitBody = [&, steps = steps, isWhole = isWhole](ImplicitLocOpBuilder &at, Value k) {
        for (int64_t step = 0; step < steps; ++step)
          body(at, add(at, k, step), isWhole, sums);
      };
      if (first && last && *last - *first == steps) {
        emitBody(builder, begin);
      } else {
        auto loop =
            scf::ForOp::create(builder, begin, end, createNumber(builder, steps), sums,
                               [&](OpBuilder &inside, Location loc, Value k, ValueRange carried) {
                                 ImplicitLocOpBuilder at(loc, inside);
                                 sums.assign(carried.begin(), carried.end());
                                 emitBody(at, k);
                                 scf::YieldOp::create(inside, loc, sums);
                               });
        sums.assign(loop.result_begin(), loop.result_end());
      }
      begin = end;
    }
    return sums;
  }

  /// Adds the products of one k to the sums.
  void emitStep(ImplicitLocOpBuilder &builder, Value row, Value panel, Value k, int64_t rows,
                ArrayRef<Value> masks, bool isWhole, MutableArrayRef<Value> sums) {
    right.prefetch(builder, panel, k, nextRows, rowsInPlace);
    SmallVector<Value> factors = right.load(builder, panel, k, masks, isWhole);
    for (int64_t more = 0; more < rows; ++more) {
      Value spread = spreadLeft(builder, row, more, k, isWhole, factors[0].getType());
      for (auto [vector, factor] : llvm::enumerate(factors)) {
        Value &sum = sums[more * blocks.vectors + vector];
        sum = createSum(builder, spread, factor, sum, blocks);
      }
    }
  }

  /// An element of the left operand in all lanes. The few that a product has whose right operand is
  /// read ahead are spread once, for all panels of a block.
  Value spreadLeft(ImplicitLocOpBuilder &builder, Value row, int64_t more, Value k, bool isWhole,
                   Type type) {
    std::optional<int64_t> rowNumber = getConstantIntValue(row), number = getConstantIntValue(k);
    auto create = [&]() -> Value {
      return vector::BroadcastOp::create(builder, type, left.load(builder, row, more, k, isWhole));
    };
    if (!nextRows.areGiven() || !rowNumber || !number)
      return create();
    Value &known = spread[{builder.getBlock(), *rowNumber + more, *number}];
    return known ? known : known = create();
  }

  const ProductBlocks &blocks;
  bool startsAtZero = false, isLeftCopied = false;
  Matrix a, b, c;
  /// Whether the right operand is read where it lies, and whether both are read along k.
  bool hasFewRows, areDots;
  LeftPanels left;
  RightPanels right;
  /// How many of k are summed at a time.
  int64_t mostInner;
  /// What is asked for while the right operand is read.
  NextRows nextRows;
  /// Elements of the left operand in all lanes, by block, row and step of k.
  DenseMap<std::tuple<Block *, int64_t, int64_t>, Value> spread;
  /// Where a mask leaves to row `r` its first `r + offset` columns: of the result, and of the left
  /// operand. The others of the latter take no steps where `isShort`, since they are zero.
  Value resultOffset, leftOffset, isShort;
};

struct LowerProductsPass : attn::impl::LowerProductsPassBase<LowerProductsPass> {
  using LowerProductsPassBase::LowerProductsPassBase;

  void runOnOperation() override {
    if (lanes < 2 || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("lanes must be a power of two, and at least 2");
      return signalPassFailure();
    }
    leftBuffers.clear();
    rightBuffers.clear();
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp product) { products.push_back(product); });
    for (linalg::MatmulOp product : products)
      if (failed(lower(product)))
        return signalPassFailure();
    getOperation().walk([](cpu::ReadAheadOp ahead) {
      ahead.getResult().replaceAllUsesWith(ahead.getPart());
      ahead.erase();
    });
  }

private:
  LogicalResult lower(linalg::MatmulOp product) {
    if (!product.hasPureBufferSemantics())
      return product.emitOpError("cannot be lowered before bufferization");
    if (!isPlain(product))
      return product.emitOpError("broadcasts an operand, which kernels never do");
    if (absorbSum(product))
      ++absorbed;
    ProductBlocks blocks = chooseBlocks(product, lanes, pairs);
    if (blocks.depth == 1)
      widenLeft(product);
    else
      ++paired;
    ProductEmitter emitter(product, blocks);
    scf::ForOp loop = emitter.copiesLeftAtOnce() ? findLoopWithFixedLeft(product) : scf::ForOp();
    // A copy that outlives the product is not shared with others.
    DenseMap<Type, Value> ownBuffers;
    emitter.setBuffers(getBuffer(emitter.getLeftType(), loop ? ownBuffers : leftBuffers),
                       getBuffer(emitter.getRightType(), rightBuffers));
    ImplicitLocOpBuilder builder(product.getLoc(), product);
    if (loop) {
      builder.setInsertionPoint(loop);
      emitter.copyLeft(builder);
      builder.setInsertionPoint(product);
    }
    linalg::FillOp fill = emitter.sumsAtOnce() ? findFill(product) : linalg::FillOp();
    if (fill) {
      emitter.replaceFill(fill, builder);
      ++fromZero;
    }
    emitter.emit(builder);
    if (emitter.isCut())
      ++cut;
    product.erase();
    ++lowered;
    return success();
  }

  /// Products run one after the other: those of one function share buffers of a type.
  Value getBuffer(MemRefType type, DenseMap<Type, Value> &buffers) {
    if (!type)
      return {};
    Value &buffer = buffers[type];
    if (!buffer) {
      OpBuilder builder = OpBuilder::atBlockBegin(&getOperation().getBody().front());
      buffer = memref::AllocOp::create(builder, getOperation().getLoc(), type);
    }
    return buffer;
  }

  DenseMap<Type, Value> leftBuffers, rightBuffers;
};

} // namespace
