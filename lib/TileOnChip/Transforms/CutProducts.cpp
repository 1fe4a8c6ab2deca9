// Cuts the products of a cube core into parts that are loaded one after the other, so that loads,
// products and the way out of L0C overlap (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Placement.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// The next part is loaded while one is multiplied, and of parts that are summed up one more: what
/// comes before them is slowed down by the way out of L0C, and they are loaded meanwhile.
static constexpr int64_t partStages = 2, summedStages = 3;

namespace {

/// Cuts one product along its columns, where each part is stored by itself, or along k, where the
/// parts are summed up; and along its rows, where there are many.
class ProductCutter {
public:
  ProductCutter(DotOp dot, const ChipModel &model, int64_t size)
      : dot(dot), model(model), size(size), builder(dot.getLoc(), dot) {}

  void run();

private:
  /// An index list of a transfer with one dimension cut.
  struct Place {
    SmallVector<Value> indices;
    SmallVector<int64_t> kinds;
  };
  /// A part of a dimension: where it begins, how many it has at the most, and how many the whole
  /// has.
  struct Part {
    Value first;
    int64_t size;
    int64_t whole;
    /// Of the whole so many exist, where that is less than what the span says.
    Value existing = {};
  };

  int64_t getRowsOfPart();
  bool losesByColumns();
  bool hasRoomForSlots(int64_t slots, ValueRange tiles, int64_t share);
  bool isHere(LoadOp load) const {
    return load && load->hasOneUse() && load->getBlock() == dot->getBlock();
  }
  template <typename Op> static bool canCut(Op op, bool alongRows);
  template <typename Op> Place cut(Op op, bool alongRows, const Part &part);
  template <typename Op> Value countOf(Op op, bool alongRows);
  Value listRows(ListRowsOp list, Value part);
  Value loadPart(LoadOp load, bool alongRows, const Part &part);
  Value loadPart(LoadOp load, bool alongRows, const Part &part, const Place &place);
  Value takeRows(Value tile, const Part &part);
  Value countParts(Value count, int64_t whole, int64_t size);
  RangeOp makeLoop(Value parts, ValueRange inits);
  Part makePart(RangeOp loop, int64_t size, int64_t whole);
  void storePart(StoreOp store, Value sums, bool alongRows, const Part &part);
  void cutColumns(LoadOp right);
  void cutRows(LoadOp left, int64_t rowsOfPart);
  void cutInner(LoadOp left, LoadOp right);

  DotOp dot;
  const ChipModel &model;
  /// Where the product goes, if it only goes to an array.
  StoreOp store;
  int64_t size; // columns or k of a part
  ImplicitLocOpBuilder builder;
};

} // namespace

/// The rows of equal parts of the product, of which L0C has room for two: whole fractals, so that
/// an operand has all rows of each. All of its rows where it has room for these, or where there is
/// no such part.
int64_t ProductCutter::getRowsOfPart() {
  constexpr int64_t sumBytes = 4, slots = 2;
  int64_t rows = dot.getType().getRowCount();
  int64_t unit = getFractalUnit(dot.getA().getType().getElementType());
  int64_t most = model.getChip().getUsableBytes(LocalMemory::L0C) / (slots * sumBytes * size);
  for (int64_t part = llvm::alignDown(most, unit); part > 0 && rows > most; part -= unit)
    if (rows % part == 0)
      return part;
  return rows;
}

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

/// The indices of a transfer for a part of its rows or columns.
template <typename Op>
ProductCutter::Place ProductCutter::cut(Op op, bool alongRows, const Part &part) {
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
      auto limitTo = [&](Value count) {
        limit = arith::MinSIOp::create(builder, limit, add(base, count));
      };
      // The last part ends with the tile, where rows go on after it.
      if (part.whole % part.size != 0)
        limitTo(arith::ConstantIndexOp::create(builder, part.whole));
      if (part.existing)
        limitTo(part.existing);
      if (auto make = index.getDefiningOp<MakeSpanOp>(); make && make.getStep()) {
        offset = make.getOffset();
        step = make.getStep();
        isMapped = true;
      }
    } else {
      if (!base)
        base = arith::ConstantIndexOp::create(builder, 0);
      limit = add(base, part.existing ? part.existing
                                      : Value(arith::ConstantIndexOp::create(builder, part.whole)));
    }
    auto type = SpanType::get(context, getDim(context, part.size), /*filled=*/false, isMapped);
    Value span = MakeSpanOp::create(builder, type, add(base, part.first), limit,
                                    /*first=*/Value(), offset, step,
                                    /*nonempty=*/false);
    if (auto list = index ? index.getDefiningOp<ListRowsOp>() : ListRowsOp())
      span = listRows(list, span);
    place.indices.push_back(span);
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

Value ProductCutter::countParts(Value count, int64_t whole, int64_t size) {
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

Value ProductCutter::loadPart(LoadOp load, bool alongRows, const Part &part) {
  return loadPart(load, alongRows, part, cut(load, alongRows, part));
}

Value ProductCutter::loadPart(LoadOp load, bool alongRows, const Part &part, const Place &place) {
  TileType type = load.getResult().getType();
  Attribute dim = getDim(builder.getContext(), part.size);
  auto partType = TileType::get(builder.getContext(), alongRows ? dim : type.getRows(),
                                alongRows ? type.getCols() : dim, type.getElementType());
  return LoadOp::create(builder, load.getLoc(), partType, load.getArray(), place.indices,
                        builder.getDenseI64ArrayAttr(place.kinds), load.getBounded());
}

/// Rows of a tile that stays in L1 for several parts.
Value ProductCutter::takeRows(Value tile, const Part &part) {
  auto type = cast<TileType>(tile.getType());
  auto partType = TileType::get(type.getContext(), getDim(type.getContext(), part.size),
                                type.getCols(), type.getElementType());
  return ExtractOp::create(builder, partType, tile, part.first,
                           arith::ConstantIndexOp::create(builder, 0), /*transposed=*/false);
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

/// The part that an iteration of a loop over parts works on.
ProductCutter::Part ProductCutter::makePart(RangeOp loop, int64_t size, int64_t whole) {
  Value first = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      arith::ConstantIndexOp::create(builder, size));
  return {first, size, whole};
}

/// Stores a part of the product instead of all of it.
void ProductCutter::storePart(StoreOp whole, Value sums, bool alongRows, const Part &part) {
  Place place = cut(whole, alongRows, part);
  store = StoreOp::create(builder, whole.getLoc(), sums, whole.getArray(), place.indices,
                          builder.getDenseI64ArrayAttr(place.kinds));
  YieldOp::create(builder);
  whole.erase();
}

void ProductCutter::cutColumns(LoadOp right) {
  bool alongRows = dot.getTransposeB();
  DotOp whole = dot;
  TileType type = whole.getType();
  builder.setInsertionPoint(store);
  RangeOp loop = makeLoop(countParts(countOf(right, alongRows), type.getColCount(), size), {});
  Part part = makePart(loop, size, type.getColCount());
  Value columns = loadPart(right, alongRows, part);
  auto partType = TileType::get(builder.getContext(), type.getRows(),
                                getDim(builder.getContext(), size), type.getElementType());
  dot = DotOp::create(builder, partType, whole.getA(), columns, Value(), whole.getTransposeA(),
                      whole.getTransposeB());
  storePart(store, dot, /*alongRows=*/false, part);
  whole.erase();
  right.erase();
}

/// The right operand stays in L1 for all rows.
void ProductCutter::cutRows(LoadOp left, int64_t rowsOfPart) {
  DotOp whole = dot;
  TileType type = whole.getType();
  bool isLoadedForIt = isHere(left) && canCut(left, /*alongRows=*/true);
  builder.setInsertionPoint(store);
  Value parts = countParts(countOf(store, /*alongRows=*/true), type.getRowCount(), rowsOfPart);
  RangeOp loop = makeLoop(parts, {});
  Part part = makePart(loop, rowsOfPart, type.getRowCount());
  Value rows =
      isLoadedForIt ? loadPart(left, /*alongRows=*/true, part) : takeRows(whole.getA(), part);
  auto partType = TileType::get(builder.getContext(), getDim(builder.getContext(), rowsOfPart),
                                type.getCols(), type.getElementType());
  dot = DotOp::create(builder, partType, rows, whole.getB(), Value(), /*transpose_a=*/false,
                      whole.getTransposeB());
  storePart(store, dot, /*alongRows=*/true, part);
  whole.erase();
  if (isLoadedForIt)
    left.erase();
}

/// Whether so many slots for each of the tiles take at most one of so many shares of L1.
bool ProductCutter::hasRoomForSlots(int64_t slots, ValueRange tiles, int64_t share) {
  int64_t bytes = 0;
  for (Value tile : tiles) {
    TileType type = getTileType(tile);
    bytes += type.getRowCount() * type.getColCount() * getElementBytes(type);
  }
  return share * slots * bytes <= model.getChip().getUsableBytes(LocalMemory::L1);
}

void ProductCutter::cutInner(LoadOp left, LoadOp right) {
  bool leftRows = dot.getTransposeA(), rightRows = !dot.getTransposeB();
  TileType type = dot.getType();
  int64_t whole = cast<IntegerAttr>(dot.getLeftInner()).getInt();
  builder.setInsertionPoint(dot);
  Value count = countOf(left, leftRows);
  if (Value other = countOf(right, rightRows))
    count = count ? Value(arith::MinSIOp::create(builder, count, other)) : other;
  Type sum = type.getElementType();
  TypedAttr zero = builder.getZeroAttr(sum);
  Value start = SplatOp::create(builder, type, arith::ConstantOp::create(builder, zero));
  RangeOp loop = makeLoop(countParts(count, whole, size), start);
  Part part = makePart(loop, size, whole);
  Value a, b;
  if (isHere(right)) {
    // Each part has the k that both have, so both spans are made before either is loaded.
    Place leftPlace = cut(left, leftRows, part), rightPlace = cut(right, rightRows, part);
    a = loadPart(left, leftRows, part, leftPlace);
    b = loadPart(right, rightRows, part, rightPlace);
    if (!model.keepsComposites() && hasRoomForSlots(summedStages, {a, b}, /*share=*/2))
      loop.setStages(summedStages);
  } else {
    // What the right operand lacks are zeros there, so the left one says how many there are.
    part.existing = count;
    a = loadPart(left, leftRows, part);
    b = takeRows(dot.getB(), part);
  }
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
  if (dot.getAcc() || !isHere(right))
    return;
  store = dot->hasOneUse() ? dyn_cast<StoreOp>(*dot->user_begin()) : StoreOp();
  if (store && store->getBlock() != dot->getBlock())
    store = {};
  int64_t rowsOfPart = getRowsOfPart();
  // A product that is kept takes its operands as they were loaded.
  bool isTall = store && left && !model.keepsComposites() && !dot.getTransposeA() &&
                rowsOfPart < dot.getType().getRowCount() && canCut(store, /*alongRows=*/true);
  if (store && !losesByColumns() && dot.getType().getColCount() > size &&
      canCut(right, dot.getTransposeB()) && canCut(store, /*alongRows=*/false)) {
    cutColumns(right);
    if (isTall)
      cutRows(left, rowsOfPart);
    return;
  }
  if (isTall) {
    // The right operand stays for all rows and is loaded again only after other products: where it
    // is large, a second slot for it would take the room of the parts.
    auto around = dyn_cast<RangeOp>(dot->getParentOp());
    if (around && !around.getParallel() && !hasRoomForSlots(partStages, dot.getB(), /*share=*/4))
      around.setStages(1);
    cutRows(left, rowsOfPart);
    left = dot.getA().getDefiningOp<LoadOp>();
  }
  int64_t inner = cast<IntegerAttr>(dot.getLeftInner()).getInt();
  bool isRightCut = isHere(right) ? canCut(right, !dot.getTransposeB()) : !dot.getTransposeB();
  if (inner > size && isHere(left) && canCut(left, dot.getTransposeA()) && isRightCut)
    cutInner(left, right);
}

void onchip::cutProducts(func::FuncOp cubeHalf, const ChipModel &model, int64_t size) {
  SmallVector<DotOp> dots;
  cubeHalf.walk([&](DotOp dot) { dots.push_back(dot); });
  for (DotOp dot : dots)
    ProductCutter(dot, model, size).run();
}
