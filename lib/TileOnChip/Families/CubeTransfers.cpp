// Loads, stores and conversions on cube cores: into fractals of L1, and out of L0C (tile on the
// chip, family).
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Families/ArrayPlace.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Checks that a load or a store moves rows that cube cores can reach.
template <typename Op> static LogicalResult verifyRows(Op op) {
  int64_t last = op.getArray().getType().getRank() - 1;
  if (getSelection(op.getKinds()).colDimension != last)
    return op.emitOpError("moves columns of a dimension that is not contiguous, which cube cores "
                          "cannot; index the last dimension with a span or ':'");
  if (isEachRowListed(op.getKinds(), op.getIndices()))
    return op.emitOpError("moves rows that a list in memory names, which is not lowered to cube "
                          "cores");
  return success();
}

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

static Value getZero(Lowering &lowering, Type element) {
  if (auto floating = dyn_cast<FloatType>(element))
    return lowering.constant(APFloat::getZero(floating.getFloatSemantics()), floating);
  return arith::ConstantOp::create(lowering.entry, lowering.loc,
                                   lowering.builder.getIntegerAttr(element, 0));
}

namespace {

/// Writes a load of rows to L1. All that products read is written: what the array lacks of it
/// becomes zeros, so that nothing uninitialised reaches a product.
class FractalLoad {
public:
  FractalLoad(Lowering &lowering, LoadOp op)
      : lowering(lowering), op(op), type(op.getResult().getType()),
        at(*lowering.getPlacement().getPlace(op.getResult())),
        memory(lowering.getMemory(op.getResult())),
        perBlock(lowering.model.getBlockElements(type.getElementType())),
        place(lowering, op, type, /*isRun=*/false),
        cols(place.cols ? place.cols : lowering.constant(type.getColCount())),
        group(lowering.makeGroup()) {}

  LogicalResult lower() {
    if (failed(limitInner()))
      return failure();
    readRows = getRead(ProductExtents::Rows);
    readCols = getRead(ProductExtents::Cols);
    if (lowering.existingLoads) {
      place.rows = lowering.multiply(place.rows, lowering.existingLoads);
      place.endRow = lowering.multiply(place.endRow, lowering.existingLoads);
    }
    copy();
    if (at.layout == CubeLayout::Fractals)
      fillRows();
    // A row that does not exist has no columns.
    fillColumns(at.layout == CubeLayout::Row ? lowering.multiply(cols, place.rows) : cols);
    return success();
  }

private:
  /// The k of a product that takes the tile: the axis that they lie along here, and the spans that
  /// limit them.
  struct Inner {
    bool isAlongRows;
    SmallVector<Value> spans;
    bool operator==(const Inner &other) const {
      return isAlongRows == other.isAlongRows && spans.size() == other.spans.size() &&
             llvm::all_of(spans, [&](Value span) { return llvm::is_contained(other.spans, span); });
    }
  };

  SmallVector<OpOperand *> getProductUses();
  Inner getInner(OpOperand &use);
  LogicalResult limitInner();
  Value getRead(OpOperand &use, ProductExtents::Axis axis);
  Value getRead(ProductExtents::Axis axis);
  void copy();
  /// By runs of rows that follow each other.
  void copyAll(Value pitch) {
    lowering.forEachChunk(place.rows, type.getRowCount(), place.rowsPerTransfer,
                          [&](Value row, Value amount) { copyRows(row, amount, pitch); });
  }
  void copyEach() {
    lowering.forEachChunk(place.rows, type.getRowCount(), 1,
                          [&](Value row, Value amount) { copyRows(row, amount, cols); });
  }
  void copyRows(Value first, Value rows, Value pitch) {
    auto copy = lowering.create<ascend::NdToNzOp>(place.getRowMemory(memory, perBlock, first),
                                                  place.getAddress(first, rows), rows, cols, pitch,
                                                  at.rows, /*bypass_l2=*/false);
    keepApart(copy);
  }
  void fillRows();
  void fillColumns(Value present);
  void fill(Value offset, Value repeat, Value blocks) {
    auto fill = lowering.create<ascend::FillOp>(lowering.slice(memory, offset),
                                                getZero(lowering, type.getElementType()), repeat,
                                                blocks, at.rows);
    keepApart(fill);
  }
  /// Says that the copies and fills of this load write different bytes.
  void keepApart(Operation *write) {
    write->setAttr(ascend::apartName, lowering.builder.getI64IntegerAttr(group));
  }

  Lowering &lowering;
  LoadOp op;
  TileType type;
  CubePlace at;
  Value memory;
  int64_t perBlock;
  ArrayPlace place;
  Value cols;
  /// Rows and columns that products read.
  Value readRows, readCols;
  /// The number of what keeps apart.
  int64_t group;
};

} // namespace

/// Where products take the tile, or columns of it.
SmallVector<OpOperand *> FractalLoad::getProductUses() {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses()) {
    if (isa<DotOp>(use.getOwner()))
      uses.push_back(&use);
    if (auto extract = dyn_cast<ExtractOp>(use.getOwner()))
      for (OpOperand &part : extract->getUses())
        uses.push_back(&part);
  }
  return uses;
}

FractalLoad::Inner FractalLoad::getInner(OpOperand &use) {
  auto dot = cast<DotOp>(use.getOwner());
  bool isLeft = use.getOperandNumber() == dot.getAMutable().getOperandNumber();
  return {isLeft ? dot.getTransposeA() : !dot.getTransposeB(),
          lowering.getRowLimits().getInnerSpans(dot)};
}

/// A product sums over the k that both of its operands have. What one lacks is left out of the
/// other as well, so that zeros meet zeros there.
LogicalResult FractalLoad::limitInner() {
  SmallVector<Inner> inners =
      llvm::map_to_vector(getProductUses(), [&](OpOperand *use) { return getInner(*use); });
  const RowLimits &limits = lowering.getRowLimits();
  auto isKnown = [&](Value span) { return lowering.spans.contains(span); };
  // What is left out for one product is left out for all.
  bool areAlike = llvm::all_equal(inners) && llvm::all_of(op->getUsers(), llvm::IsaPred<DotOp>);
  bool isAlone = areAlike && op->hasOneUse();
  for (const Inner &inner : inners) {
    ArrayRef<Value> own =
        inner.isAlongRows ? limits.getSpans(op.getResult()) : limits.getColumnSpans(op.getResult());
    if (inner.spans.size() == own.size())
      continue;
    auto isOwn = [&](Value span) {
      return llvm::any_of(own, [&](Value other) { return haveAsManyRows(span, other); });
    };
    if (!isAlone && llvm::all_of(inner.spans, isOwn))
      continue;
    if (!areAlike || !llvm::all_of(inner.spans, isKnown))
      return op.emitOpError("is multiplied by an operand that has fewer k, and by others or before "
                            "it is known how many; load both operands by the same span");
    if (inner.isAlongRows)
      place.limit(lowering.getLimit(inner.spans, type.getRowCount()), type);
    else
      cols =
          lowering.create<arith::MinSIOp>(cols, lowering.getLimit(inner.spans, type.getColCount()));
    return success();
  }
  return success();
}

/// How much of the tile a product reads along an axis: along k what both operands have, along the
/// other what is computed of the sums.
Value FractalLoad::getRead(OpOperand &use, ProductExtents::Axis axis) {
  auto dot = cast<DotOp>(use.getOwner());
  bool isLeft = use.getOperandNumber() == dot.getAMutable().getOperandNumber();
  bool isTurned = isLeft ? dot.getTransposeA() : dot.getTransposeB();
  ProductExtents::Axis outer = isLeft == isTurned ? ProductExtents::Cols : ProductExtents::Rows;
  if (axis == outer)
    return lowering.getExtent(dot.getResult(),
                              isLeft ? ProductExtents::Rows : ProductExtents::Cols);
  SmallVector<Value> spans = lowering.getRowLimits().getInnerSpans(dot);
  int64_t room = axis == ProductExtents::Rows ? at.rows : at.cols;
  if (spans.empty())
    return lowering.constant(room);
  return lowering.getWholeFractals(lowering.getLimit(spans, room), type.getElementType());
}

/// How much of the tile is read along an axis, in whole fractals; all of it where it is read in
/// several ways.
Value FractalLoad::getRead(ProductExtents::Axis axis) {
  Value read;
  for (OpOperand &use : op->getUses()) {
    Value next = isa<DotOp>(use.getOwner()) ? getRead(use, axis) : Value();
    if (!next || (read && next != read))
      return lowering.constant(axis == ProductExtents::Rows ? at.rows : at.cols);
    read = next;
  }
  return read;
}

/// One copy for all rows, where they are near enough to each other: mostly that is only known when
/// the kernel runs.
void FractalLoad::copy() {
  if (type.getRowCount() == 1)
    return copyAll(place.pitch);
  if (place.rowsPerTransfer == 1)
    return copyEach();
  Value most = lowering.constant(architecture::maxNdPitch);
  if (std::optional<int64_t> pitch = getConstantIntValue(place.pitch))
    return *pitch <= architecture::maxNdPitch ? copyAll(place.pitch) : copyEach();
  Value isNear = lowering.create<arith::CmpIOp>(arith::CmpIPredicate::ule, place.pitch, most);
  // What holds under the condition is said again, for those who look at the copy alone.
  lowering.writeIf(
      isNear, [&] { copyAll(lowering.create<arith::MinUIOp>(place.pitch, most)); },
      [&] { copyEach(); });
}

/// The rows that each column block lacks before and after those that exist, of the column blocks
/// that are not lacking as a whole.
void FractalLoad::fillRows() {
  Value none = lowering.constant(int64_t(0)), end = place.rows;
  if (Value first = place.firstRow) {
    lowering.writeIf(lowering.create<arith::CmpIOp>(arith::CmpIPredicate::slt, none, first),
                     [&] { fill(none, lowering.divideCeil(cols, perBlock), first); });
    end = lowering.max(first, place.endRow);
  }
  lowering.ifLess(end, readRows, [&] {
    fill(lowering.scale(end, perBlock), lowering.divideCeil(cols, perBlock),
         lowering.subtract(readRows, end));
  });
}

/// The column blocks after `present` columns: the last of these is filled up by its copy.
void FractalLoad::fillColumns(Value present) {
  Value first = lowering.divideCeil(present, perBlock);
  Value blocks = lowering.divideCeil(readCols, perBlock);
  lowering.ifLess(first, blocks, [&] {
    fill(lowering.scale(first, at.rows * perBlock), lowering.subtract(blocks, first), readRows);
  });
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// What the way out of L0C to `type` multiplies with; null where it does not multiply.
static FloatAttr getScale(Lowering &lowering, const SumsOutput &output, Type type) {
  bool isPlain = type == getTileType(output.sums).getElementType() ||
                 (getTileType(output.sums).getElementType().isF32() && isa<FloatType>(type));
  return isPlain ? FloatAttr() : lowering.builder.getF32FloatAttr(output.scale);
}

/// The rows that the products of sums have computed; null where these are all.
static Value getComputed(Lowering &lowering, Value sums) {
  Value rows = lowering.getExtent(sums, ProductExtents::Rows);
  bool isAll = isConstantIntValue(rows, lowering.getPlacement().getPlace(sums)->rows);
  return isAll ? Value() : rows;
}

static double getBytes(TileType type) {
  return type.getRowCount() * type.getColCount() * getElementBytes(type);
}

namespace {

struct LoadOnCube : OnCubeOpInterface::ExternalModel<LoadOnCube, LoadOp> {
  unsigned getCubeWritingPipes(Operation *) const { return LoadPipe; }
  OpCost getCubeCost(Operation *op, const ChipModel &, const Placement &,
                     const CostModel &costs) const {
    TileType type = cast<LoadOp>(op).getResult().getType();
    return costs.getFractalLoad(type.getRowCount(), getBytes(type));
  }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    auto load = cast<LoadOp>(op);
    if (failed(verifyRows(load)))
      return failure();
    return FractalLoad(lowering, load).lower();
  }
};

/// The rows and columns of L0C that exist go straight to the array.
struct StoreOnCube : OnCubeOpInterface::ExternalModel<StoreOnCube, StoreOp> {
  unsigned getCubeReadingPipes(Operation *, Value) const { return StorePipe; }
  OpCost getCubeCost(Operation *op, const ChipModel &, const Placement &,
                     const CostModel &costs) const {
    TileType type = cast<StoreOp>(op).getValue().getType();
    return costs.getOutput(type.getRowCount(), getBytes(type));
  }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    auto store = cast<StoreOp>(op);
    if (failed(verifyRows(store)))
      return failure();
    TileType type = store.getValue().getType();
    const Placement &placement = lowering.getPlacement();
    SumsOutput output = placement.getOutput(store.getValue());
    const RowLimits &limits = lowering.getRowLimits();
    ArrayPlace place(lowering, store, type, /*isRun=*/false);
    if (ArrayRef<Value> spans = limits.getSpans(store.getValue()); !spans.empty())
      place.limit(lowering.getLimit(spans, type.getRowCount()), type);
    Value cols = place.cols ? place.cols : lowering.constant(type.getColCount());
    ArrayRef<Value> colSpans = limits.getColumnSpans(store.getValue());
    if (Value existing = lowering.getLimit(colSpans, type.getColCount());
        !colSpans.empty() && existing != cols)
      cols = lowering.create<arith::MinSIOp>(cols, existing);
    if (lowering.existingStores)
      place.rows = lowering.multiply(place.rows, lowering.existingStores);
    int64_t room = placement.getPlace(output.sums)->rows;
    Value computed = getComputed(lowering, output.sums);
    Value memory = lowering.getMemory(output.sums);
    lowering.forEachChunk(place.rows, type.getRowCount(),
                          std::min(place.rowsPerTransfer, architecture::maxFixRows),
                          [&](Value first, Value rows) {
                            lowering.create<ascend::FixOutOp>(
                                place.getAddress(first, rows),
                                place.getRowMemory(memory, architecture::fractalRows, first), rows,
                                cols, place.pitch, computed, room, /*nz=*/false, output.isRectified,
                                getScale(lowering, output, type.getElementType()));
                          });
    return success();
  }
};

/// A conversion of sums: written where they become an operand, else done by who takes them out.
template <typename Op>
struct ConversionOnCube : OnCubeOpInterface::ExternalModel<ConversionOnCube<Op>, Op> {
  unsigned getCubeWritingPipes(Operation *) const { return StorePipe; }
  unsigned getCubeReadingPipes(Operation *, Value) const { return StorePipe; }
  OpCost getCubeCost(Operation *op, const ChipModel &, const Placement &placement,
                     const CostModel &costs) const {
    std::optional<CubePlace> to = placement.getPlace(op->getResult(0));
    return to ? costs.getOutputToL1(to->elements) : OpCost();
  }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    const Placement &placement = lowering.getPlacement();
    std::optional<CubePlace> to = placement.getPlace(op->getResult(0));
    if (!to)
      return success();
    SumsOutput output = placement.getOutput(op->getResult(0));
    Type element = getTileType(op->getResult(0)).getElementType();
    lowering.create<ascend::FixOutOp>(
        lowering.getMemory(op->getResult(0)), lowering.getMemory(output.sums),
        lowering.getExtent(output.sums, ProductExtents::Rows),
        lowering.getExtent(output.sums, ProductExtents::Cols), lowering.constant(to->rows),
        getComputed(lowering, output.sums), placement.getPlace(output.sums)->rows, /*nz=*/true,
        output.isRectified, getScale(lowering, output, element));
    return success();
  }
};

/// Zeros that are multiplied are written to L1; those that sums start from, or that they are
/// compared with, are not written.
struct SplatOnCube : OnCubeOpInterface::ExternalModel<SplatOnCube, SplatOp> {
  unsigned getCubeWritingPipes(Operation *) const { return LoadPipe; }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    Value zeros = op->getResult(0);
    std::optional<CubePlace> place = lowering.getPlacement().getPlace(zeros);
    if (!place)
      return success();
    Type element = getTileType(zeros).getElementType();
    int64_t blocks = place->elements / lowering.model.getBlockElements(element);
    lowering.create<ascend::FillOp>(lowering.getMemory(zeros), getZero(lowering, element),
                                    lowering.constant(int64_t(1)), lowering.constant(blocks),
                                    blocks);
    return success();
  }
};

} // namespace

void onchip::registerCubeTransfers(MLIRContext *context) {
  LoadOp::attachInterface<LoadOnCube>(*context);
  StoreOp::attachInterface<StoreOnCube>(*context);
  tile::CastOp::attachInterface<ConversionOnCube<tile::CastOp>>(*context);
  MaximumOp::attachInterface<ConversionOnCube<MaximumOp>>(*context);
  MulOp::attachInterface<ConversionOnCube<MulOp>>(*context);
  SplatOp::attachInterface<SplatOnCube>(*context);
}
