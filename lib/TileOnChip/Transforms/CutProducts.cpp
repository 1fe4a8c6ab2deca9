// Cuts the products of a cube core into parts that are loaded one after the other, so that loads,
// products and the way out of L0C overlap (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// The next part is loaded while one is multiplied.
static constexpr int64_t partStages = 2;

namespace {

/// Cuts one product along its columns, where each part is stored by itself, or along k, where the
/// parts are summed up.
class ProductCutter {
public:
  ProductCutter(DotOp dot, int64_t size) : dot(dot), size(size), builder(dot.getLoc(), dot) {}

  void run();

private:
  /// An index list of a transfer with one dimension cut.
  struct Place {
    SmallVector<Value> indices;
    SmallVector<int64_t> kinds;
  };

  bool losesByColumns();
  template <typename Op> static bool canCut(Op op, bool alongRows);
  template <typename Op> Place cut(Op op, bool alongRows, int64_t whole, Value first);
  template <typename Op> Value countOf(Op op, bool alongRows);
  Value listRows(ListRowsOp list, Value part);
  Place cutLoad(LoadOp load, bool alongRows, Value first);
  Value loadPart(LoadOp load, bool alongRows, const Place &place);
  Value countParts(Value count, int64_t whole);
  RangeOp makeLoop(Value parts, ValueRange inits);
  void cutColumns(LoadOp right, StoreOp store);
  void cutInner(LoadOp left, LoadOp right);

  DotOp dot;
  int64_t size;
  ImplicitLocOpBuilder builder;
};

} // namespace

/// The dimension of the array that rows or columns of a tile come from.
template <typename Op> static int64_t getDimension(Op op, bool alongRows) {
  Selection selection = getSelection(op.getKinds());
  return alongRows ? selection.rowDimension : selection.colDimension;
}

/// A span that can be cut: rows that follow each other from its base on.
template <typename Op> bool ProductCutter::canCut(Op op, bool alongRows) {
  int64_t dimension = getDimension(op, alongRows);
  if (dimension < 0)
    return false;
  if (op.getKinds()[dimension] != SpanIndex)
    return true;
  Value span = getIndexOperand(op.getKinds(), op.getIndices(), dimension);
  return !cast<SpanType>(span.getType()).getFilled();
}

/// The base and the limit of a span; of a listed one, those that count entries or rows of blocks.
static std::pair<Value, Value> getBounds(ImplicitLocOpBuilder &builder, Value span) {
  if (auto list = span.getDefiningOp<ListRowsOp>())
    span = list.getSpan();
  if (auto make = span.getDefiningOp<MakeSpanOp>())
    return {make.getBase(), make.getLimit()};
  auto loop = cast<RangeOp>(cast<BlockArgument>(span).getOwner()->getParentOp());
  return {SpanBaseOp::create(builder, builder.getIndexType(), span), loop.getUpper()};
}

/// The rows that a list names for a part of its span. Parts begin where runs of the whole do.
Value ProductCutter::listRows(ListRowsOp list, Value part) {
  SmallVector<Value> indices(list.getIndices());
  indices[list.getSpanDimension()] = part;
  auto span = cast<SpanType>(part.getType());
  auto type = SpanType::get(span.getContext(), span.getSize(), /*filled=*/false, /*mapped=*/false,
                            /*listed=*/true);
  IntegerAttr step = list.getSize() ? builder.getI64IntegerAttr(list.getRun()) : IntegerAttr();
  return ListRowsOp::create(builder, type, list.getArray(), indices, list.getSize(),
                            list.getKindsAttr(), step);
}

/// The indices of a transfer for the part that begins at `first`.
template <typename Op>
ProductCutter::Place ProductCutter::cut(Op op, bool alongRows, int64_t whole, Value first) {
  Place place;
  place.kinds.assign(op.getKinds().begin(), op.getKinds().end());
  int64_t cutDimension = getDimension(op, alongRows);
  MLIRContext *context = builder.getContext();
  for (int64_t dimension = 0, end = place.kinds.size(); dimension < end; ++dimension) {
    Value index = getIndexOperand(op.getKinds(), op.getIndices(), dimension);
    if (dimension != cutDimension) {
      if (index)
        place.indices.push_back(index);
      continue;
    }
    auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
    Value base = index, limit, offset, step;
    bool isMapped = false;
    if (place.kinds[dimension] == SpanIndex) {
      std::tie(base, limit) = getBounds(builder, index);
      // The last part ends with the tile, where rows go on after it.
      if (whole % size != 0)
        limit = arith::MinSIOp::create(builder, limit,
                                       add(base, arith::ConstantIndexOp::create(builder, whole)));
      if (auto make = index.getDefiningOp<MakeSpanOp>(); make && make.getStep()) {
        offset = make.getOffset();
        step = make.getStep();
        isMapped = true;
      }
    } else {
      if (!base)
        base = arith::ConstantIndexOp::create(builder, 0);
      limit = add(base, arith::ConstantIndexOp::create(builder, whole));
    }
    auto type = SpanType::get(context, getDim(context, size), /*filled=*/false, isMapped);
    Value part = MakeSpanOp::create(builder, type, add(base, first), limit,
                                    /*first=*/Value(), offset, step,
                                    /*nonempty=*/false);
    if (auto list = index ? index.getDefiningOp<ListRowsOp>() : ListRowsOp())
      part = listRows(list, part);
    place.indices.push_back(part);
    place.kinds[dimension] = SpanIndex;
  }
  return place;
}

/// How many rows or columns a transfer moves at the most; null where that is the size of the tile.
template <typename Op> Value ProductCutter::countOf(Op op, bool alongRows) {
  int64_t dimension = getDimension(op, alongRows);
  if (op.getKinds()[dimension] != SpanIndex)
    return {};
  auto [base, limit] =
      getBounds(builder, getIndexOperand(op.getKinds(), op.getIndices(), dimension));
  return arith::SubIOp::create(builder, limit, base);
}

Value ProductCutter::countParts(Value count, int64_t whole) {
  Value most = arith::ConstantIndexOp::create(builder, llvm::divideCeil(whole, size));
  if (!count)
    return most;
  Value parts =
      arith::CeilDivSIOp::create(builder, count, arith::ConstantIndexOp::create(builder, size));
  // Without any, the one part is empty, as the product would be that is not cut: a loop that surely
  // runs needs no flags for when it does not.
  parts = arith::MaxSIOp::create(builder, parts, arith::ConstantIndexOp::create(builder, 1));
  return arith::MinSIOp::create(builder, parts, most);
}

ProductCutter::Place ProductCutter::cutLoad(LoadOp load, bool alongRows, Value first) {
  TileType type = load.getResult().getType();
  return cut(load, alongRows, alongRows ? type.getRowCount() : type.getColCount(), first);
}

Value ProductCutter::loadPart(LoadOp load, bool alongRows, const Place &place) {
  TileType type = load.getResult().getType();
  Attribute part = getDim(builder.getContext(), size);
  auto partType = TileType::get(builder.getContext(), alongRows ? part : type.getRows(),
                                alongRows ? type.getCols() : part, type.getElementType());
  return LoadOp::create(builder, load.getLoc(), partType, load.getArray(), place.indices,
                        builder.getDenseI64ArrayAttr(place.kinds), load.getBounded());
}

RangeOp ProductCutter::makeLoop(Value parts, ValueRange inits) {
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  auto loop = RangeOp::create(builder, inits.getTypes(), zero, parts, inits, Attribute(),
                              builder.getI64IntegerAttr(partStages), UnitAttr());
  Block *body = builder.createBlock(&loop.getBody());
  body->addArgument(builder.getIndexType(), loop.getLoc());
  for (Value init : inits)
    body->addArgument(init.getType(), init.getLoc());
  return loop;
}

void ProductCutter::cutColumns(LoadOp right, StoreOp store) {
  bool alongRows = dot.getTransposeB();
  TileType type = dot.getType();
  builder.setInsertionPoint(store);
  RangeOp loop = makeLoop(countParts(countOf(right, alongRows), type.getColCount()), {});
  Value first = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      arith::ConstantIndexOp::create(builder, size));
  Value part = loadPart(right, alongRows, cutLoad(right, alongRows, first));
  auto partType = TileType::get(builder.getContext(), type.getRows(),
                                getDim(builder.getContext(), size), type.getElementType());
  Value product = DotOp::create(builder, partType, dot.getA(), part, Value(), dot.getTransposeA(),
                                dot.getTransposeB());
  Place place = cut(store, /*alongRows=*/false, type.getColCount(), first);
  StoreOp::create(builder, store.getLoc(), product, store.getArray(), place.indices,
                  builder.getDenseI64ArrayAttr(place.kinds));
  YieldOp::create(builder);
  store.erase();
  dot.erase();
  right.erase();
}

void ProductCutter::cutInner(LoadOp left, LoadOp right) {
  bool leftRows = dot.getTransposeA(), rightRows = !dot.getTransposeB();
  TileType type = dot.getType();
  int64_t whole = cast<IntegerAttr>(dot.getLeftInner()).getInt();
  Value count = countOf(left, leftRows);
  if (Value other = countOf(right, rightRows))
    count = count ? Value(arith::MinSIOp::create(builder, count, other)) : other;
  Value parts = countParts(count, whole);
  Type sum = type.getElementType();
  TypedAttr zero = builder.getZeroAttr(sum);
  Value start = SplatOp::create(builder, type, arith::ConstantOp::create(builder, zero));
  RangeOp loop = makeLoop(parts, start);
  Value first = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      arith::ConstantIndexOp::create(builder, size));
  // Each part has the k that both have, so both spans are made before either is loaded.
  Place leftPlace = cutLoad(left, leftRows, first), rightPlace = cutLoad(right, rightRows, first);
  Value a = loadPart(left, leftRows, leftPlace), b = loadPart(right, rightRows, rightPlace);
  Value next = DotOp::create(builder, type, a, b, loop.getCarried().front(), dot.getTransposeA(),
                             dot.getTransposeB());
  YieldOp::create(builder, next);
  dot.getResult().replaceAllUsesWith(loop.getResult(0));
  dot.erase();
  for (LoadOp load : {left, right})
    if (load->use_empty())
      load.erase();
}

/// Whether parts along the columns would be loaded by rows that are shorter than what memory gives
/// at a time, for sums that are small enough to leave L0C as a whole.
bool ProductCutter::losesByColumns() {
  int64_t rowBytes = size * dot.getB().getType().getElementType().getIntOrFloatBitWidth() / 8;
  return !dot.getTransposeB() && rowBytes < architecture::l2LineBytes &&
         dot.getType().getRowCount() <= architecture::fractalRows;
}

void ProductCutter::run() {
  auto left = dot.getA().getDefiningOp<LoadOp>(), right = dot.getB().getDefiningOp<LoadOp>();
  auto isHere = [&](LoadOp load) {
    return load && load->hasOneUse() && load->getBlock() == dot->getBlock();
  };
  if (dot.getAcc() || !isHere(right))
    return;
  int64_t inner = cast<IntegerAttr>(dot.getLeftInner()).getInt();
  auto store = dot->hasOneUse() ? dyn_cast<StoreOp>(*dot->user_begin()) : StoreOp();
  if (store && !losesByColumns() && dot.getType().getColCount() > size &&
      store->getBlock() == dot->getBlock() && canCut(right, dot.getTransposeB()) &&
      canCut(store, /*alongRows=*/false))
    return cutColumns(right, store);
  if (inner > size && isHere(left) && canCut(left, dot.getTransposeA()) &&
      canCut(right, !dot.getTransposeB()))
    cutInner(left, right);
}

void onchip::cutProducts(func::FuncOp cubeHalf, int64_t size) {
  SmallVector<DotOp> dots;
  cubeHalf.walk([&](DotOp dot) { dots.push_back(dot); });
  for (DotOp dot : dots)
    ProductCutter(dot, size).run();
}
