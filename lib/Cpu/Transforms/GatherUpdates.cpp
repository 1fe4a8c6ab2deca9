// The pass `jit-gather-updates`: one sweep for many shifted additions to one tile. CPU stage, on
// tensors.
#include "ShiftedUpdates.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace attn {
#define GEN_PASS_DEF_GATHERUPDATESPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn::jit;
using linalg::GenericOp;
using tensor::ExtractSliceOp;
using tensor::InsertSliceOp;

namespace {

/// Up to so many updates, rows that not all of them reach become one sum each; the number of terms
/// grows with the square.
constexpr size_t maxUpdatesPerRow = 8;

/// Some rows of a tile, one after the other.
struct RowRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  RowRange intersect(RowRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
};

/// Replaces a chain of updates. Rows of the result that all of them reach are one sum of as many
/// shifted rows; the few before and after those are sums of fewer, or updated one by one.
class Gatherer {
public:
  Gatherer(RewriterBase &rewriter, Location loc, ArrayRef<Update> chain)
      : builder(loc, rewriter), chain(chain), element(rewriter.getF32Type()) {
    auto type = cast<RankedTensorType>(chain.front().rows.getType());
    rowCount = type.getDimSize(0);
    colCount = type.getDimSize(1);
    full = getReach(chain.front());
    for (const Update &update : chain)
      full = full.intersect(getReach(update));
    rows = createWideRows(builder, chain.front().rows);
  }

  /// Replaces what is read of the result of the last update.
  void replace(RewriterBase &rewriter) {
    InsertSliceOp last = chain.back().insert;
    SmallVector<ExtractSliceOp> parts;
    if (!collectParts(last, parts)) {
      rewriter.replaceOp(last, createRows({0, last.getType().getDimSize(0)}));
      return;
    }
    // Parts that are read apart are computed apart, so that one may be computed where it is stored.
    for (ExtractSliceOp part : parts) {
      GenericOp narrowing = findNarrowing(part);
      if (narrowing)
        element = cast<RankedTensorType>(narrowing.getResultTypes()[0]).getElementType();
      rewriter.replaceOp(narrowing ? narrowing : part.getOperation(), createRows(getRange(part)));
      element = builder.getF32Type();
    }
  }

private:
  static RowRange getRange(ExtractSliceOp part) {
    int64_t begin = part.getStaticOffsets()[0];
    return {begin, begin + part.getType().getDimSize(0)};
  }

  /// The rows of the result that an update adds to.
  RowRange getReach(const Update &update) const {
    return {update.offset, update.offset + rowCount};
  }

  /// Whether only rows of the result are read that do not overlap; collects them.
  static bool collectParts(InsertSliceOp result, SmallVectorImpl<ExtractSliceOp> &parts) {
    for (Operation *user : result->getUsers()) {
      auto part = dyn_cast<ExtractSliceOp>(user);
      if (!part || !getRowOffset(part.getStaticOffsets(), part.getStaticStrides(), part.getType(),
                                 result.getType()))
        return false;
      parts.push_back(part);
    }
    llvm::sort(parts, [](ExtractSliceOp one, ExtractSliceOp other) {
      return getRange(one).begin < getRange(other).begin;
    });
    for (size_t number = 1; number < parts.size(); ++number)
      if (getRange(parts[number - 1]).end > getRange(parts[number]).begin)
        return false;
    return true;
  }

  /// The operation that only makes a part narrower, where nothing else reads the part; or null.
  static GenericOp findNarrowing(ExtractSliceOp part) {
    auto op = part->hasOneUse() ? dyn_cast<GenericOp>(*part->getUsers().begin()) : GenericOp();
    if (!op || op.getNumDpsInputs() != 1 || op.getNumResults() != 1 ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
      return {};
    auto cast = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
    return cast && cast.getIn() == op.getRegionInputArgs().front() ? op : GenericOp();
  }

  /// Rows of the result, of the type `element`.
  Value createRows(RowRange range) {
    SmallVector<RowRange> pieces = split(range);
    if (pieces.size() == 1)
      return createPiece(range, createEmpty(range.size(), element));
    Value tile = createEmpty(range.size(), element);
    for (RowRange piece : pieces) {
      int64_t at = piece.begin - range.begin;
      tile = createInsert(createPiece(piece, createSlice(tile, at, piece.size())), tile, at);
    }
    return tile;
  }

  /// The rows that all updates reach, and those before and after.
  SmallVector<RowRange> split(RowRange range) const {
    RowRange middle = range.intersect(full);
    if (middle.size() == 0)
      middle = {range.end, range.end};
    SmallVector<RowRange> pieces;
    auto add = [&](RowRange piece, int64_t step) {
      for (; piece.begin < piece.end; piece.begin += step)
        pieces.push_back({piece.begin, std::min(piece.begin + step, piece.end)});
    };
    int64_t outer = chain.size() <= maxUpdatesPerRow ? 1 : range.size();
    add({range.begin, middle.begin}, outer);
    add(middle, range.size());
    add({middle.end, range.end}, outer);
    return pieces;
  }

  Value createPiece(RowRange piece, Value place) {
    SmallVector<const Update *> reaching;
    for (const Update &update : chain) {
      int64_t reached = piece.intersect(getReach(update)).size();
      if (reached > 0 && reached < piece.size())
        return createNarrow(createUpdates(piece));
      if (reached > 0)
        reaching.push_back(&update);
    }
    return createSum(piece, reaching, place);
  }

  /// Rows that all of the updates reach, computed into `place`.
  Value createSum(RowRange range, ArrayRef<const Update *> updates, Value place) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    Value start = createStart(range);
    bool addsToStart = updates.empty() || !isZeros(start);
    if (addsToStart) {
      inputs.push_back(start);
      maps.push_back(getIdentity());
    }
    for (const Update *update : updates) {
      inputs.append({createShiftedRows(*update, range), createColumn(*update, range)});
      maps.append({getIdentity(), getColumnMap()});
    }
    return createSweep(inputs, maps, place, [&](OpBuilder &body, Location loc, ValueRange values) {
      Value total = addsToStart ? values.front() : Value();
      values = values.drop_front(addsToStart ? 1 : 0);
      for (size_t term = 0; term < updates.size(); ++term) {
        Value product = arith::MulFOp::create(body, loc, values[2 * term], values[2 * term + 1]);
        total = total ? arith::AddFOp::create(body, loc, total, product).getResult() : product;
      }
      return createNarrow(body, loc, total);
    });
  }

  /// Rows that not all updates reach.
  Value createUpdates(RowRange range) {
    Value tile = createStart(range);
    for (const Update &update : chain) {
      RowRange reached = range.intersect(getReach(update));
      if (reached.size() == 0)
        continue;
      int64_t at = reached.begin - range.begin;
      Value part = createSlice(tile, at, reached.size());
      SmallVector<Value> inputs = {part, createShiftedRows(update, reached),
                                   createColumn(update, reached)};
      Value sum = createSweep(
          inputs, {getIdentity(), getIdentity(), getColumnMap()}, createEmpty(reached.size()),
          [](OpBuilder &body, Location loc, ValueRange values) -> Value {
            return arith::AddFOp::create(body, loc, values[0],
                                         arith::MulFOp::create(body, loc, values[1], values[2]));
          });
      tile = createInsert(sum, tile, at);
    }
    return tile;
  }

  Value createNarrow(OpBuilder &body, Location loc, Value value) const {
    return element.isF32() ? value : arith::TruncFOp::create(body, loc, element, value).getResult();
  }

  Value createNarrow(Value tile) {
    if (element.isF32())
      return tile;
    int64_t count = cast<RankedTensorType>(tile.getType()).getDimSize(0);
    return createSweep(tile, getIdentity(), createEmpty(count, element),
                       [&](OpBuilder &body, Location loc, ValueRange values) {
                         return createNarrow(body, loc, values[0]);
                       });
  }

  /// The rows before the first update.
  Value createStart(RowRange range) {
    Value tile = chain.front().whole;
    while (auto insert = tile.getDefiningOp<InsertSliceOp>()) {
      std::optional<int64_t> offset =
          getRowOffset(insert.getStaticOffsets(), insert.getStaticStrides(), insert.getSourceType(),
                       insert.getDestType());
      if (!offset)
        break;
      RowRange inserted = {*offset, *offset + insert.getSourceType().getDimSize(0)};
      int64_t common = range.intersect(inserted).size();
      if (common > 0 && common < range.size())
        break;
      tile = common > 0 ? insert.getSource() : insert.getDest();
      if (common > 0)
        range = {range.begin - *offset, range.end - *offset};
    }
    if (isZeros(tile))
      return createZeros(range.size());
    bool isWhole = cast<RankedTensorType>(tile.getType()).getDimSize(0) == range.size();
    return isWhole ? tile : createSlice(tile, range.begin, range.size());
  }

  static bool isZeros(Value tile) {
    auto fill = tile.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.getInputs().front(), m_PosZeroFloat());
  }

  Value createZeros(int64_t count) {
    Value zero = arith::ConstantOp::create(builder, builder.getF32FloatAttr(0.0f));
    return linalg::FillOp::create(builder, zero, createEmpty(count)).getResult(0);
  }

  /// What an update adds to rows that it reaches, but for the weights.
  Value createShiftedRows(const Update &update, RowRange range) {
    return createSlice(rows, range.begin - update.offset, range.size());
  }

  /// The weights of what an update adds to rows that it reaches.
  Value createColumn(const Update &update, RowRange range) {
    Type type = builder.getF32Type();
    auto flat = RankedTensorType::get({range.size()}, type);
    Value slice = ExtractSliceOp::create(builder, flat, update.weights,
                                         getIndices(update.weightRow, range.begin - update.offset),
                                         getIndices(1, range.size()), getIndices(1, 1));
    SmallVector<ReassociationIndices> both = {{0, 1}};
    return tensor::ExpandShapeOp::create(builder, RankedTensorType::get({range.size(), 1}, type),
                                         slice, both);
  }

  AffineMap getIdentity() { return builder.getMultiDimIdentityMap(2); }
  AffineMap getColumnMap() {
    return AffineMap::get(2, 0, {builder.getAffineDimExpr(0), builder.getAffineConstantExpr(0)},
                          builder.getContext());
  }

  /// An elementwise operation that writes what `compute` makes of its inputs to `place`.
  Value createSweep(ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value place,
                    function_ref<Value(OpBuilder &, Location, ValueRange)> compute) {
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(getIdentity());
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    auto sweep = GenericOp::create(builder, place.getType(), inputs, place, maps, iterators,
                                   [&](OpBuilder &body, Location loc, ValueRange arguments) {
                                     linalg::YieldOp::create(
                                         body, loc, compute(body, loc, arguments.drop_back()));
                                   });
    return sweep.getResult(0);
  }

  SmallVector<OpFoldResult> getIndices(int64_t first, int64_t second) {
    return {builder.getIndexAttr(first), builder.getIndexAttr(second)};
  }

  Value createSlice(Value tile, int64_t row, int64_t count) {
    return ExtractSliceOp::create(builder, tile, getIndices(row, 0), getIndices(count, colCount),
                                  getIndices(1, 1));
  }

  Value createInsert(Value part, Value tile, int64_t row) {
    int64_t count = cast<RankedTensorType>(part.getType()).getDimSize(0);
    return InsertSliceOp::create(builder, part, tile, getIndices(row, 0),
                                 getIndices(count, colCount), getIndices(1, 1));
  }

  Value createEmpty(int64_t count, Type type) {
    return tensor::EmptyOp::create(builder, ArrayRef{count, colCount}, type);
  }
  Value createEmpty(int64_t count) { return createEmpty(count, builder.getF32Type()); }

  ImplicitLocOpBuilder builder;
  ArrayRef<Update> chain;
  Type element; // of the rows that are made
  int64_t rowCount, colCount;
  RowRange full; // rows of the result that all updates reach
  Value rows;    // of f32
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
      SmallVector<Update> chain = collectUpdates(insert);
      for (const Update &update : chain)
        done.insert(update.insert);
      // Additions to the same place need no shifts: they are one sweep already.
      bool isShifted = llvm::any_of(
          chain, [&](const Update &update) { return update.offset != chain.front().offset; });
      if (!isShifted)
        continue;
      rewriter.setInsertionPoint(insert);
      Gatherer(rewriter, insert.getLoc(), chain).replace(rewriter);
      ++gathered;
    }
  }
};

} // namespace
