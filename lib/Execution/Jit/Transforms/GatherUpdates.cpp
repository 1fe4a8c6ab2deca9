// The pass `jit-gather-updates`: one sweep for many shifted additions to one tile. CPU stage, on
// tensors.
#include "BandWeights.h"
#include "attn/Execution/Jit/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_GATHERUPDATESPASS
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;
using tensor::ExtractSliceOp;
using tensor::InsertSliceOp;

namespace {

/// One addition: `rows[r, :] * weights[weightRow, r]` is added to row `offset + r` of `whole`.
struct Update {
  InsertSliceOp insert;
  Value whole, rows, weights;
  int64_t offset = 0, weightRow = 0;
};

/// The offset of a part that takes all columns of some rows of its whole, or nothing.
std::optional<int64_t> getRowOffset(ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
                                    RankedTensorType part, RankedTensorType whole) {
  if (part.getRank() != 2 || whole.getRank() != 2 || ShapedType::isDynamic(offsets[0]) ||
      offsets[1] != 0 || llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) ||
      part.getDimSize(1) != whole.getDimSize(1) || !part.hasStaticShape())
    return std::nullopt;
  return offsets[0];
}

/// Reads `column` as the weights of a slot, one for each of the band's rows.
bool findWeights(Value column, Update &update) {
  std::optional<attn::jit::BandWeights> found = attn::jit::findBandWeights(column);
  if (!found || cast<RankedTensorType>(found->band.getType()).getDimSize(1) !=
                    cast<RankedTensorType>(column.getType()).getDimSize(0))
    return false;
  update.weights = found->band;
  update.weightRow = found->slot;
  return true;
}

/// Whether `value` is `argument`, or that widened to f32.
bool reads(Value value, BlockArgument argument) {
  if (auto widen = value.getDefiningOp<arith::ExtFOp>())
    value = widen.getIn();
  return value == argument;
}

/// Whether the operation gives `part + rows * column`; fills in what it reads.
bool matchSum(GenericOp op, Value part, Update &update) {
  if (op.getNumLoops() != 2 || op.getNumReductionLoops() > 0 || op.getNumResults() != 1 ||
      op.getNumDpsInputs() != 3 || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  BlockArgument partIn, rowsIn, columnIn;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isIdentity = op.getMatchingIndexingMap(input).isIdentity();
    if (input->get() == part && isIdentity)
      partIn = argument;
    else if (isIdentity) {
      rowsIn = argument;
      update.rows = input->get();
    } else {
      columnIn = argument;
      if (!findWeights(input->get(), update))
        return false;
    }
  }
  if (!partIn || !rowsIn || !columnIn)
    return false;
  bool partFirst = add.getLhs() == partIn;
  auto product = (partFirst ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || (!partFirst && add.getRhs() != partIn))
    return false;
  Value lhs = product.getLhs(), rhs = product.getRhs();
  return (reads(lhs, rowsIn) && rhs == columnIn) || (reads(rhs, rowsIn) && lhs == columnIn);
}

std::optional<Update> matchUpdate(InsertSliceOp insert) {
  auto op = insert.getSource().getDefiningOp<GenericOp>();
  std::optional<int64_t> offset = getRowOffset(insert.getStaticOffsets(), insert.getStaticStrides(),
                                               insert.getSourceType(), insert.getDestType());
  if (!op || !op->hasOneUse() || !offset)
    return std::nullopt;
  Update update;
  update.insert = insert;
  update.whole = insert.getDest();
  update.offset = *offset;
  for (Value input : op.getInputs()) {
    auto part = input.getDefiningOp<ExtractSliceOp>();
    if (part && part.getSource() == update.whole && part.getType() == insert.getSourceType() &&
        part->hasOneUse() && part.getStaticOffsets() == insert.getStaticOffsets() &&
        part.getStaticStrides() == insert.getStaticStrides() && matchSum(op, part, update))
      return update;
  }
  return std::nullopt;
}

/// The updates that follow each other on one tile with the same rows and weights, up to `last`.
SmallVector<Update> collectChain(InsertSliceOp last) {
  SmallVector<Update> chain;
  for (InsertSliceOp insert = last; insert;) {
    std::optional<Update> update = matchUpdate(insert);
    if (!update ||
        (!chain.empty() &&
         (update->rows != chain.back().rows || update->weights != chain.back().weights ||
          insert.getSourceType() != last.getSourceType() || !insert.getResult().hasNUses(2))))
      break;
    chain.push_back(*update);
    insert = update->whole.getDefiningOp<InsertSliceOp>();
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Replaces a chain of updates. Row j of the result adds up what is shifted to it, so every shift
/// of the rows and the weights is read; zeros before and behind them stand for what is not there.
class Gatherer {
public:
  Gatherer(RewriterBase &rewriter, Location loc, ArrayRef<Update> chain)
      : builder(loc, rewriter), chain(chain) {
    auto type = cast<RankedTensorType>(chain.front().rows.getType());
    rowCount = type.getDimSize(0);
    colCount = type.getDimSize(1);
    int64_t wholeRows = cast<RankedTensorType>(chain.front().whole.getType()).getDimSize(0);
    for (const Update &update : chain)
      padding = std::max({padding, update.offset, wholeRows - rowCount - update.offset});
  }

  /// Replaces what is read of the result of the last update.
  void replace(RewriterBase &rewriter) {
    rows = createPaddedRows();
    weights = createPaddedWeights();
    InsertSliceOp last = chain.back().insert;
    SmallVector<ExtractSliceOp> parts;
    if (!collectParts(last, parts)) {
      rewriter.replaceOp(last, createSum(0, last.getType().getDimSize(0)));
      return;
    }
    // Parts that are read apart are computed apart, so that one may be computed where it is stored.
    for (ExtractSliceOp part : parts)
      rewriter.replaceOp(part, createSum(part.getStaticOffsets()[0], part.getType().getDimSize(0)));
  }

private:
  /// Whether only rows of the result are read that do not overlap; collects them.
  static bool collectParts(InsertSliceOp result, SmallVectorImpl<ExtractSliceOp> &parts) {
    for (Operation *user : result->getUsers()) {
      auto part = dyn_cast<ExtractSliceOp>(user);
      if (!part || !getRowOffset(part.getStaticOffsets(), part.getStaticStrides(), part.getType(),
                                 result.getType()))
        return false;
      parts.push_back(part);
    }
    auto getBegin = [](ExtractSliceOp part) { return part.getStaticOffsets()[0]; };
    llvm::sort(parts, [&](ExtractSliceOp one, ExtractSliceOp other) {
      return getBegin(one) < getBegin(other);
    });
    for (size_t number = 1; number < parts.size(); ++number) {
      ExtractSliceOp before = parts[number - 1];
      if (getBegin(before) + before.getType().getDimSize(0) > getBegin(parts[number]))
        return false;
    }
    return true;
  }

  /// Rows [from, from + count) of the result.
  Value createSum(int64_t from, int64_t count) {
    Value whole = chain.front().whole;
    bool isWhole = cast<RankedTensorType>(whole.getType()).getDimSize(0) == count;
    Value part = isWhole ? whole : createSlice(whole, from, 0, count, colCount);
    AffineMap identity = builder.getMultiDimIdentityMap(2);
    AffineMap column =
        AffineMap::get(2, 0, {builder.getAffineDimExpr(0), builder.getAffineConstantExpr(0)},
                       builder.getContext());
    SmallVector<Value> inputs = {part};
    SmallVector<AffineMap> maps = {identity};
    for (const Update &update : chain) {
      int64_t shifted = padding + from - update.offset;
      inputs.push_back(createSlice(rows, shifted, 0, count, colCount));
      inputs.push_back(createColumn(update.weightRow, shifted, count));
      maps.append({identity, column});
    }
    maps.push_back(identity);
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    auto addTerms = [&](OpBuilder &body, Location loc, ValueRange arguments) {
      Value total = arguments.front();
      for (size_t term = 0; term < chain.size(); ++term) {
        Value product =
            arith::MulFOp::create(body, loc, arguments[2 * term + 1], arguments[2 * term + 2]);
        total = arith::AddFOp::create(body, loc, total, product);
      }
      linalg::YieldOp::create(body, loc, total);
    };
    return GenericOp::create(builder, part.getType(), inputs, createEmpty(count, colCount), maps,
                             iterators, addTerms)
        .getResult(0);
  }

  SmallVector<OpFoldResult> getIndices(int64_t first, int64_t second) {
    return {builder.getIndexAttr(first), builder.getIndexAttr(second)};
  }
  Value createSlice(Value whole, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    return ExtractSliceOp::create(builder, whole, getIndices(row, col), getIndices(rows, cols),
                                  getIndices(1, 1));
  }
  Value createInsert(Value part, Value whole, int64_t row, int64_t col) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    return InsertSliceOp::create(builder, part, whole, getIndices(row, col),
                                 getIndices(shape[0], shape[1]), getIndices(1, 1));
  }
  Value createEmpty(int64_t rows, int64_t cols) {
    return tensor::EmptyOp::create(builder, ArrayRef<int64_t>{rows, cols}, builder.getF32Type());
  }
  Value createZeros(Value place) {
    Value zero = arith::ConstantOp::create(builder, builder.getF32FloatAttr(0.0f));
    return linalg::FillOp::create(builder, zero, place).getResult(0);
  }

  /// Rows of zeros, the rows as f32, and as many zeros again.
  Value createPaddedRows() {
    Value padded = createEmpty(rowCount + 2 * padding, colCount);
    Value part = createSlice(padded, padding, 0, rowCount, colCount);
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    auto widened =
        GenericOp::create(builder, part.getType(), chain.front().rows, part, maps, iterators,
                          [&](OpBuilder &body, Location loc, ValueRange arguments) {
                            Value value = arguments[0];
                            if (!value.getType().isF32())
                              value = arith::ExtFOp::create(body, loc, body.getF32Type(), value);
                            linalg::YieldOp::create(body, loc, value);
                          });
    // The rows come first: two tiles that begin with the same zeros would be taken for one.
    padded = createInsert(widened.getResult(0), padded, padding, 0);
    for (int64_t row : {int64_t(0), padding + rowCount}) {
      Value zeros = createZeros(createSlice(padded, row, 0, padding, colCount));
      padded = createInsert(zeros, padded, row, 0);
    }
    return padded;
  }

  Value createPaddedWeights() {
    Value band = chain.front().weights;
    int64_t slots = cast<RankedTensorType>(band.getType()).getDimSize(0);
    Value zeros = createZeros(createEmpty(slots, rowCount + 2 * padding));
    return createInsert(band, zeros, 0, padding);
  }

  Value createColumn(int64_t slot, int64_t from, int64_t count) {
    Type type = builder.getF32Type();
    auto flat = RankedTensorType::get({count}, type);
    Value slice = ExtractSliceOp::create(builder, flat, weights, getIndices(slot, from),
                                         getIndices(1, count), getIndices(1, 1));
    SmallVector<ReassociationIndices> both = {{0, 1}};
    return tensor::ExpandShapeOp::create(builder, RankedTensorType::get({count, 1}, type), slice,
                                         both);
  }

  ImplicitLocOpBuilder builder;
  ArrayRef<Update> chain;
  int64_t rowCount, colCount;
  int64_t padding = 0; // rows of zeros on each side, as many as any shift needs
  Value rows, weights; // padded
};

struct GatherUpdatesPass : attn::impl::GatherUpdatesPassBase<GatherUpdatesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<InsertSliceOp> inserts;
    getOperation().walk([&](InsertSliceOp insert) { inserts.push_back(insert); });
    DenseSet<Operation *> done;
    for (InsertSliceOp insert : llvm::reverse(inserts)) {
      if (done.contains(insert))
        continue;
      SmallVector<Update> chain = collectChain(insert);
      for (const Update &update : chain)
        done.insert(update.insert);
      // Additions to the same place need no shifts: they are one sweep already.
      bool isShifted = llvm::any_of(
          chain, [&](const Update &update) { return update.offset != chain.front().offset; });
      if (!isShifted)
        continue;
      rewriter.setInsertionPoint(insert);
      Gatherer(rewriter, insert.getLoc(), chain).replace(rewriter);
    }
  }
};

} // namespace
