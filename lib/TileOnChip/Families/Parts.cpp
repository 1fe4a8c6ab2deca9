// Splats, undefined tiles and parts of tiles on the chip: form, scratch, cost and instructions
// (tile on the chip, family).
#include "attn/TileOnChip/Families/Parts.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/IndexBound.h"
#include "attn/TileOnChip/Families/Columns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Whether `size` elements from `offset` on can be worked on in whole units of `unit` without
/// touching what lies after them: they are whole units themselves, or the last of the `limit`
/// elements.
static bool isWholeRun(Value offset, int64_t size, int64_t limit, int64_t unit) {
  std::optional<int64_t> start = getConstantIntValue(offset);
  return size == limit || size % unit == 0 ||
         (start && *start % unit == 0 && *start == limit - size);
}

/// A part as the tile that it is.
static PartForm getStraightForm(TileType part, TileType whole, Value row, Value col,
                                const ChipModel &model) {
  int64_t blockElements = model.getBlockElements(whole.getElementType());
  if (isColumn(whole)) {
    if (isMultipleOf(row, blockElements) &&
        isWholeRun(row, part.getRowCount(), whole.getRowCount(), blockElements))
      return PartForm::InPlace;
    return isa<FloatType>(whole.getElementType()) ? PartForm::Blocks : PartForm::Unsupported;
  }
  // Rows start at a data block, so only the column counts.
  auto isWholeIn = [&](int64_t unit) {
    return isWholeRun(col, part.getColCount(), whole.getColCount(), unit);
  };
  if (!isMultipleOf(col, blockElements) || !isWholeIn(blockElements) ||
      (isColumn(part) && part.getRowCount() > 1))
    return PartForm::Unsupported;
  if (part.getColCount() == whole.getColCount())
    return PartForm::InPlace;
  // A row by itself is worked on where it is, in whole row units; of others data blocks are copied.
  return part.getRowCount() == 1 && isWholeIn(model.getRowUnit()) ? PartForm::InPlace
                                                                  : PartForm::Rows;
}

/// A row that is seen as a column, or a column that is seen as a row; `part` in the order of the
/// whole. Both hold their elements contiguously, but a row is worked on in whole row units.
static PartForm getTransposedForm(TileType part, TileType whole, Value row, Value col,
                                  const ChipModel &model) {
  bool isF32 = whole.getElementType().isF32();
  int64_t blockElements = model.getBlockElements(whole.getElementType());
  if (isColumn(whole)) {
    if (!isMultipleOf(row, blockElements))
      return isa<FloatType>(whole.getElementType()) ? PartForm::Blocks : PartForm::Unsupported;
    if (part.getRowCount() % model.getRowUnit() == 0)
      return PartForm::InPlace;
    return isF32 ? PartForm::Elements : PartForm::Unsupported;
  }
  bool isRow = part.getRowCount() == 1 && isMultipleOf(col, blockElements);
  bool isSafe =
      isF32 || isWholeRun(col, part.getColCount(), whole.getColCount(), model.getRowUnit());
  return isRow && isSafe ? PartForm::InPlace : PartForm::Unsupported;
}

template <typename Op> static PartForm getForm(Op op, TileType whole, const ChipModel &model) {
  TileType part = op.getPartType();
  return op.getTransposed() ? getTransposedForm(part, whole, op.getRow(), op.getCol(), model)
                            : getStraightForm(part, whole, op.getRow(), op.getCol(), model);
}

PartForm onchip::getPartForm(ExtractOp op, const ChipModel &model) {
  return getForm(op, op.getInput().getType(), model);
}
PartForm onchip::getPartForm(InsertOp op, const ChipModel &model) {
  return getForm(op, op.getWhole().getType(), model);
}

/// The elements of a part that lies in one run.
static int64_t getRunElements(TileType part) { return part.getRowCount() * part.getColCount(); }

/// Says why a part cannot be reached.
static LogicalResult emitUnreachable(Operation *op, TileType part, TileType whole,
                                     const ChipModel &model) {
  int64_t bytes = model.getChip().blockBytes;
  bool isTaken = isa<ExtractOp>(op);
  auto size = [](TileType type) {
    return (Twine("[") + Twine(type.getRowCount()) + ", " + Twine(type.getColCount()) + "]").str();
  };
  return op->emitError() << "on the chip a part of a tile begins at a known multiple of " << bytes
                         << " bytes, and has whole " << bytes
                         << "-byte blocks or reaches the end, unlike " << size(part) << " of "
                         << size(whole) << " in " << whole.getElementType() << "; "
                         << (isTaken ? "load it from the array by itself, such as X[t, 3:5]"
                                     : "store it to the array by itself, such as Y[t, 3:5] = x");
}

//===----------------------------------------------------------------------===//
// Scratch and cost
//===----------------------------------------------------------------------===//

/// One data block per element of a column, as many as the chip spreads at once.
static ScratchNeed getSpreadBlocks(Scratch scratch, TileType type, const ChipModel &model) {
  return {scratch, Float32Type::get(type.getContext()),
          model.getBroadcastScratch(getRunElements(type))};
}

/// Some parts are worked on in place; others are copied.
static OpCost getPartCost(TileType part, PartForm form, const ChipModel &model,
                          const CostModel &costs) {
  OpCost cost;
  if (form == PartForm::Blocks)
    cost.vectorCycles = costs.getCycles(VectorFamily::WholeReduce, 2, getRunElements(part));
  else if (form != PartForm::InPlace)
    cost.vectorCycles =
        costs.getCycles(VectorFamily::Duplicate, form == PartForm::Rows ? part.getRowCount() : 1,
                        model.getRepeats(part));
  return cost;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The elements of the data blocks that a row of a part lies in: those after it belong to others.
static int64_t getRowBlocks(TileType part, const ChipModel &model) {
  return llvm::alignTo(part.getColCount(), model.getBlockElements(part.getElementType()));
}

/// Copies the rows of `part` between two buffers with pitches of their own.
static void copyRows(Lowering &lowering, Value dst, int64_t dstPitch, Value src, int64_t srcPitch,
                     Value part) {
  TileType type = getTileType(part);
  lowering.forEachChunk(lowering.getRows(part), type.getRowCount(), 1, [&](Value row, Value) {
    lowering.create<ascend::CopyOp>(lowering.slice(dst, lowering.scale(row, dstPitch)),
                                    lowering.slice(src, lowering.scale(row, srcPitch)),
                                    lowering.constant(getRowBlocks(type, lowering.model)));
  });
}

/// Copies single elements, by arithmetic that changes nothing.
static void copyElements(Lowering &lowering, Value dst, Value src, TileType part) {
  lowering.emitScalar(ascend::ScalarKind::Muls, dst, src, lowering.constant(1.0f),
                      lowering.constant(getRunElements(part)));
}

/// Gathers a column of f32 that was widened before, through `wide` where `dst` is narrower.
static void gatherNarrow(Lowering &lowering, Operation *op, Value dst, Value wide, Value blocks,
                         int64_t elements) {
  bool isNarrow = !cast<MemRefType>(dst.getType()).getElementType().isF32();
  gatherColumn(lowering, op, isNarrow ? wide : dst, blocks, lowering.constant(elements), elements,
               lowering.model.getBlockLanes());
  if (isNarrow)
    lowering.emitCast(ascend::RoundMode::Rint, dst, wide, lowering.constant(elements));
}

/// The whole is spread to one data block per element, and the blocks of the part are gathered.
static void extractThroughBlocks(Lowering &lowering, ExtractOp op, Value dst) {
  TileType whole = op.getInput().getType();
  bool isNarrow = !whole.getElementType().isF32();
  Value blocks = lowering.getScratch(op, Scratch::Blocks);
  Value wide = isNarrow ? lowering.getScratch(op, Scratch::Wide) : Value();
  Value column = widen(lowering, lowering.getMemory(op.getInput()), wide, whole.getRowCount());
  spreadColumn(lowering, op, blocks, column, lowering.constant(whole.getRowCount()),
               whole.getRowCount());
  Value row = lowering.scalars.lookup(op.getRow());
  gatherNarrow(lowering, op, dst, wide,
               lowering.slice(blocks, lowering.scale(row, lowering.model.getBlockLanes())),
               getRunElements(op.getResult().getType()));
}

/// Whole and part are spread, the blocks of the part are copied over those of the whole, and all
/// are gathered again.
static void insertThroughBlocks(Lowering &lowering, InsertOp op, Value dst) {
  TileType whole = op.getWhole().getType();
  bool isNarrow = !whole.getElementType().isF32();
  int64_t perBlock = lowering.model.getBlockLanes();
  int64_t wholeElements = whole.getRowCount(), elements = getRunElements(op.getPart().getType());
  Value blocks = lowering.getScratch(op, Scratch::Blocks);
  Value partBlocks = lowering.getScratch(op, Scratch::PartBlocks);
  Value wide = isNarrow ? lowering.getScratch(op, Scratch::Wide) : Value();
  Value widePart = isNarrow ? lowering.getScratch(op, Scratch::WidePart) : Value();
  spreadColumn(lowering, op, blocks, widen(lowering, dst, wide, wholeElements),
               lowering.constant(wholeElements), wholeElements);
  Value part = lowering.getMemory(op.getPart());
  if (auto splat = op.getPart().getDefiningOp<SplatOp>()) {
    // A splat has no memory: it fills that of a column first.
    part = isNarrow ? lowering.getScratch(op, Scratch::Part) : partBlocks;
    lowering.emitDuplicate(part, lowering.scalars.lookup(splat.getValue()),
                           lowering.constant(isNarrow ? elements : elements * perBlock));
  }
  if (part != partBlocks)
    spreadColumn(lowering, op, partBlocks, widen(lowering, part, widePart, elements),
                 lowering.constant(elements), elements);
  Value row = lowering.scalars.lookup(op.getRow());
  lowering.create<ascend::CopyOp>(lowering.slice(blocks, lowering.scale(row, perBlock)), partBlocks,
                                  lowering.constant(elements * perBlock));
  gatherNarrow(lowering, op, dst, wide, blocks, wholeElements);
}

/// Writes the part of an insertion into `dst`, where its whole lies.
static void insertPart(Lowering &lowering, InsertOp op, PartForm form, Value dst) {
  if (form == PartForm::Blocks)
    return insertThroughBlocks(lowering, op, dst);
  const ChipModel &model = lowering.model;
  TileType part = op.getPart().getType(), whole = op.getWhole().getType();
  Value to = lowering.getPart(dst, whole, lowering.scalars.lookup(op.getRow()),
                              lowering.scalars.lookup(op.getCol()));
  auto splat = op.getPart().getDefiningOp<SplatOp>();
  Value scalar = splat ? lowering.scalars.lookup(splat.getValue()) : Value();
  if (form == PartForm::InPlace)
    lowering.copyTile(to, op.getPart());
  else if (form == PartForm::Elements && splat)
    lowering.emitDuplicate(to, scalar, lowering.constant(getRunElements(part)));
  else if (form == PartForm::Elements)
    copyElements(lowering, to, lowering.getMemory(op.getPart()), part);
  else if (splat)
    lowering.forEachChunk(
        lowering.getRows(op.getPart()), part.getRowCount(), 1, [&](Value row, Value) {
          lowering.emitDuplicate(lowering.slice(to, lowering.scale(row, model.getPitch(whole))),
                                 scalar, lowering.constant(getRowBlocks(part, model)));
        });
  else
    copyRows(lowering, to, model.getPitch(whole), lowering.getMemory(op.getPart()),
             model.getPitch(part), op.getPart());
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

struct SplatOnChip : OnChipOpInterface::ExternalModel<SplatOnChip, SplatOp> {
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    TileType type = getTileType(op->getResult(0));
    if (getRunElements(type) != 1)
      cost.vectorCycles = costs.getCycles(VectorFamily::Duplicate, 1, model.getRepeats(type));
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    if (Value memory = lowering.getMemory(op->getResult(0)))
      lowering.copyTile(memory, op->getResult(0));
    return success();
  }
};

struct UndefinedOnChip : OnChipOpInterface::ExternalModel<UndefinedOnChip, UndefinedOp> {
  unsigned getWritingPipes(Operation *, const ChipModel &) const { return NoPipe; }
  LogicalResult lower(Operation *, Lowering &) const { return success(); }
};

struct ExtractOnChip : OnChipOpInterface::ExternalModel<ExtractOnChip, ExtractOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto extract = cast<ExtractOp>(op);
    if (getPartForm(extract, model) != PartForm::Blocks)
      return;
    TileType whole = extract.getInput().getType();
    needs.push_back(getSpreadBlocks(Scratch::Blocks, whole, model));
    if (!whole.getElementType().isF32())
      needs.push_back(getWideColumn(Scratch::Wide, whole, model));
    if (model.keepsComposites())
      needs.push_back(getCompositeColumn(whole, model));
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    auto extract = cast<ExtractOp>(op);
    return getPartCost(extract.getResult().getType(), getPartForm(extract, model), model, costs);
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto extract = cast<ExtractOp>(op);
    const ChipModel &model = lowering.model;
    TileType part = extract.getResult().getType(), whole = extract.getInput().getType();
    PartForm form = getPartForm(extract, model);
    if (form == PartForm::Unsupported)
      return emitUnreachable(op, extract.getPartType(), whole, model);
    lowering.limitRows(extract.getResult());
    BufferAssignment::Place place = lowering.assignment.getPlace(extract.getResult());
    // A view of what an insertion replaces; other extracts are copied to where they are inserted.
    if (place.kind == BufferAssignment::Place::Part && form == PartForm::InPlace)
      return success();
    Value memory = lowering.getMemory(extract.getInput());
    if (!memory)
      return success(); // a part of nothing, which nothing reads
    Value dst = lowering.getMemory(extract.getResult());
    if (form == PartForm::Blocks) {
      extractThroughBlocks(lowering, extract, dst);
      return success();
    }
    Value src = lowering.getPart(memory, whole, lowering.scalars.lookup(extract.getRow()),
                                 lowering.scalars.lookup(extract.getCol()));
    if (place.kind == BufferAssignment::Place::View)
      lowering.setView(extract.getResult(), src);
    else if (form == PartForm::Elements)
      copyElements(lowering, dst, src, part);
    else
      copyRows(lowering, dst, model.getPitch(part), src, model.getPitch(whole),
               extract.getResult());
    return success();
  }
};

struct InsertOnChip : OnChipOpInterface::ExternalModel<InsertOnChip, InsertOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto insert = cast<InsertOp>(op);
    if (getPartForm(insert, model) != PartForm::Blocks)
      return;
    TileType whole = insert.getWhole().getType(), part = insert.getPart().getType();
    needs.push_back(getSpreadBlocks(Scratch::Blocks, whole, model));
    needs.push_back(getSpreadBlocks(Scratch::PartBlocks, part, model));
    if (!whole.getElementType().isF32()) {
      needs.push_back(getWideColumn(Scratch::Wide, whole, model));
      needs.push_back(getWideColumn(Scratch::WidePart, part, model));
      if (isSplat(insert.getPart()))
        needs.push_back({Scratch::Part, part.getElementType(), model.getBufferElements(part)});
    }
    if (model.keepsComposites())
      needs.push_back(getCompositeColumn(whole, model));
  }
  /// The whole is handed on.
  unsigned getReadingPipes(Operation *) const { return NoPipe; }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    auto insert = cast<InsertOp>(op);
    return getPartCost(insert.getPart().getType(), getPartForm(insert, model), model, costs);
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto insert = cast<InsertOp>(op);
    const BufferAssignment &assignment = lowering.assignment;
    PartForm form = getPartForm(insert, lowering.model);
    if (form == PartForm::Unsupported)
      return emitUnreachable(op, insert.getPartType(), insert.getWhole().getType(), lowering.model);
    lowering.limitRows(insert.getResult());
    Value dst = lowering.getMemory(insert.getResult());
    if (assignment.getPlace(insert.getWhole()) != assignment.getPlace(insert.getResult()))
      lowering.copyTile(dst, insert.getWhole());
    BufferAssignment::Place place = assignment.getPlace(insert.getPart());
    if (place.kind == BufferAssignment::Place::Part &&
        assignment.getInsertion(place.index) == insert)
      return success();
    insertPart(lowering, insert, form, dst);
    return success();
  }
};

} // namespace

void onchip::registerParts(MLIRContext *context) {
  SplatOp::attachInterface<SplatOnChip>(*context);
  UndefinedOp::attachInterface<UndefinedOnChip>(*context);
  ExtractOp::attachInterface<ExtractOnChip>(*context);
  InsertOp::attachInterface<InsertOnChip>(*context);
}
