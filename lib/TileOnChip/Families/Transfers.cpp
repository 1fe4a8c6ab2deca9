// Loads and stores on the chip: rows with padding, and columns gathered one element per row; form,
// scratch, cost and instructions (tile on the chip, family).
#include "attn/TileOnChip/Families/Transfers.h"
#include "ListedRows.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Families/ArrayPlace.h"
#include "attn/TileOnChip/Families/Columns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

template <typename Op> static TransferForm getForm(Op op, TileType type) {
  ArrayRef<int64_t> kinds = op.getKinds();
  Selection selection = getSelection(kinds);
  int64_t last = op.getArray().getType().getRank() - 1;
  if (isColumn(type) && type.getRowCount() > 1) {
    Value span = getRowSpan(kinds, op.getIndices());
    auto spanType = span ? cast<SpanType>(span.getType()) : SpanType();
    // A transfer to local memory starts at a data block, which the first row that exists need not.
    bool isRun = selection.colDimension < 0 && selection.rowDimension == last && spanType &&
                 !spanType.getMapped() && !spanType.getFilled() && !spanType.getListed();
    return isRun ? TransferForm::ContiguousColumn : TransferForm::StridedColumn;
  }
  bool isContiguous = selection.colDimension == last;
  return type.getColCount() == 1 || isContiguous ? TransferForm::Rows : TransferForm::Unsupported;
}

TransferForm onchip::getTransferForm(LoadOp op) { return getForm(op, op.getResult().getType()); }
TransferForm onchip::getTransferForm(StoreOp op) { return getForm(op, op.getValue().getType()); }

/// Where composites are kept, transfers fill the data block that a row ends in, and rows may have
/// one more of padding: whether this load's have.
static bool hasUnfilledBlock(LoadOp op, const ChipModel &model) {
  TileType type = op.getResult().getType();
  int64_t perBlock = model.getBlockElements(type.getElementType());
  return model.keepsComposites() && !isColumn(type) &&
         model.getPitch(type) - llvm::alignTo(type.getColCount(), perBlock) != 0;
}

/// Whether the vector unit writes zeros to the tile of a load: for rows that its span lacks, or
/// after short rows.
static bool isFilled(LoadOp op, const ChipModel &model) {
  Value span = getRowSpan(op.getKinds(), op.getIndices());
  return getColumnSpan(op.getKinds(), op.getIndices()) ||
         (span && (cast<SpanType>(span.getType()).getFilled() || model.keepsComposites())) ||
         hasUnfilledBlock(op, model);
}

/// Whether a strided column goes between memory and data blocks as f32: composites take f32 only,
/// and the chip, which gathers by adding, cannot add bf16.
static bool isWidened(LoadOp op, const ChipModel &model) {
  Type element = op.getResult().getType().getElementType();
  return element.isBF16() || (model.keepsComposites() && !element.isF32());
}
static bool isWidened(StoreOp op, const ChipModel &model) {
  return model.keepsComposites() && !op.getValue().getType().getElementType().isF32();
}

/// The scratch of a strided column: one data block for each of `rows`, and what it takes to fill or
/// gather them.
static void addColumnScratch(TileType type, int64_t rows, bool isWide, const ChipModel &model,
                             SmallVectorImpl<ScratchNeed> &needs) {
  int64_t elements = rows * model.getBlockElements(type.getElementType());
  needs.push_back({Scratch::Blocks, type.getElementType(), elements, /*isTransferred=*/true});
  if (isWide) {
    needs.push_back({Scratch::WideBlocks, Float32Type::get(type.getContext()), elements});
    needs.push_back(getWideColumn(Scratch::WideColumn, type, model));
  }
  if (model.keepsComposites())
    needs.push_back(getCompositeColumn(type, model));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {

/// Writes one load.
class LoadLowering {
public:
  LoadLowering(Lowering &lowering, LoadOp op, TransferForm form)
      : lowering(lowering), op(op), type(op.getResult().getType()), form(form),
        place(lowering, op, type, form == TransferForm::ContiguousColumn) {}

  LogicalResult lower();

private:
  void loadRows();
  /// Moves rows of `length` elements and pads each by `rightPad`.
  void copyRows(Value length, int64_t rightPad);
  void fillColumns();
  void fillBlocks(Value reached);
  void loadContiguousColumn();
  LogicalResult loadStridedColumn();
  /// Whether rows that are not in the array must be filled.
  bool mustFill() {
    return place.firstRow ||
           (lowering.model.keepsComposites() && lowering.getLimit(op.getResult()));
  }
  void fillMissing(Value buffer, int64_t pitch);
  void fillLastBlocks();
  Value getZero() {
    auto element = dyn_cast<FloatType>(type.getElementType());
    return element ? lowering.constant(APFloat::getZero(element.getFloatSemantics()), element)
                   : lowering.word(0);
  }
  /// Elements of padding that, with the hardware's own filling up to the next data block, cover
  /// what a row leaves of its pitch. Templates have no padding beyond that.
  int64_t getRightPad() const {
    int64_t perBlock = lowering.model.getBlockElements(type.getElementType());
    int64_t cols = type.getColCount();
    int64_t missing = isColumn(type) ? 0 : lowering.model.getPitch(type) - cols;
    int64_t most =
        lowering.model.keepsComposites() ? llvm::alignTo(cols, perBlock) - cols : perBlock;
    return std::min(missing, most);
  }

  Lowering &lowering;
  LoadOp op;
  TileType type;
  TransferForm form;
  ArrayPlace place;
};

} // namespace

LogicalResult LoadLowering::lower() {
  lowering.limitRows(op.getResult());
  Type element = type.getElementType();
  if (mustFill() && !isa<FloatType>(element) && !element.isInteger(32))
    return op.emitOpError() << "cannot fill missing rows of " << element;
  if (place.cols && !isa<FloatType>(element) && !element.isInteger(32))
    return op.emitOpError() << "cannot fill missing columns of " << element;
  if (form == TransferForm::StridedColumn)
    return loadStridedColumn();
  if (form == TransferForm::ContiguousColumn)
    loadContiguousColumn();
  else
    loadRows();
  return success();
}

void LoadLowering::loadRows() {
  auto loadWhole = [&] { copyRows(lowering.constant(type.getColCount()), getRightPad()); };
  // One element of padding fills the data block that a row ends in, whatever its length. A length
  // that is known may need none, and templates then have none.
  if (place.cols) {
    std::optional<int64_t> known = getConstantIntValue(place.cols);
    bool endsBlock = known && *known % lowering.model.getBlockElements(type.getElementType()) == 0;
    lowering.ifLess(
        place.cols, type.getColCount(), [&] { copyRows(place.cols, endsBlock ? 0 : 1); },
        loadWhole);
    fillColumns();
  } else {
    loadWhole();
  }
  fillMissing(lowering.getMemory(op.getResult()), lowering.model.getPitch(type));
  fillLastBlocks();
}

void LoadLowering::copyRows(Value length, int64_t rightPad) {
  if (place.isListed() && mayFormRuns(type))
    return copyRuns(lowering, op, place, length, rightPad);
  Value memory = lowering.getMemory(op.getResult());
  int64_t rows = type.getRowCount();
  int64_t pitch = llvm::alignTo(type.getColCount(), lowering.model.getRowUnit());
  lowering.forEachChunk(place.rows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    Value to = rows == 1 ? memory : place.getRowMemory(memory, pitch, first);
    lowering.create<ascend::CopyInOp>(to, place.getAddress(first, amount), amount, length,
                                      place.pitch, pitch, rightPad);
  });
}

/// Writes zeros to the data blocks that the rows of a transfer do not reach, if there are any. That
/// has a condition of its own: inside the one around the transfer, the vector unit would wait for
/// it there and once more for the other way after it.
void LoadLowering::fillColumns() {
  const ChipModel &model = lowering.model;
  int64_t perBlock = model.getBlockElements(type.getElementType()), cols = type.getColCount();
  int64_t rowBlocks = model.getPitch(type) / perBlock;
  Value reached = lowering.divideCeil(place.cols, perBlock);
  auto fill = [&] { fillBlocks(reached); };
  // Blocks after those of a whole row are padding, which the transfer of a whole row fills.
  if (llvm::divideCeil(cols, perBlock) == static_cast<uint64_t>(rowBlocks))
    lowering.ifLess(reached, rowBlocks, fill);
  else
    lowering.ifLess(place.cols, cols, fill);
}

/// Writes zeros from a data block of each row on: a row at a time, or a data block of all rows at a
/// time, whatever is less.
void LoadLowering::fillBlocks(Value reached) {
  const ChipModel &model = lowering.model;
  const Chip &chip = model.getChip();
  int64_t perBlock = model.getBlockElements(type.getElementType()), pitch = model.getPitch(type);
  int64_t rows = type.getRowCount(), rowBlocks = pitch / perBlock;
  Value buffer = lowering.getMemory(op.getResult()), zero = getZero();
  Value memory =
      rows == 1 ? buffer : place.getRowMemory(buffer, pitch, lowering.constant(int64_t(0)));
  // Rows and data blocks are different bytes, in all trips.
  IntegerAttr group = lowering.builder.getI64IntegerAttr(lowering.makeGroup());
  if (rows <= rowBlocks || rowBlocks > chip.maxRepeatStride) {
    Value start = lowering.scale(reached, perBlock);
    lowering.forEachChunk(place.rows, rows, 1, [&](Value row, Value) {
      Value offset = lowering.add(lowering.scale(row, pitch), start);
      auto fill = lowering.create<ascend::DuplicateOp>(
          lowering.slice(memory, offset), zero, lowering.subtract(lowering.constant(pitch), start),
          IntegerAttr(), DenseI64ArrayAttr());
      if (auto loop = scf::getForInductionVarOwner(row)) {
        fill->setAttr(ascend::apartName, group);
        loop->setAttr(ascend::apartName, group);
      }
    });
    return;
  }
  auto loop = lowering.create<scf::ForOp>(reached, lowering.constant(rowBlocks),
                                          lowering.constant(int64_t(1)));
  loop->setAttr(ascend::apartName, group);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value blocks = lowering.slice(memory, lowering.scale(loop.getInductionVar(), perBlock));
  lowering.forEachChunk(place.rows, rows, chip.maxRepeats, [&](Value first, Value amount) {
    auto fill = lowering.create<ascend::DuplicateOp>(
        lowering.slice(blocks, lowering.scale(first, pitch)), zero, amount,
        lowering.builder.getI64IntegerAttr(perBlock),
        lowering.builder.getDenseI64ArrayAttr({1, rowBlocks}));
    fill->setAttr(ascend::apartName, group);
  });
}

/// The vector unit fills after the transfer, so that transfers need not wait for it and run ahead;
/// mostly there is nothing to fill.
void LoadLowering::fillMissing(Value buffer, int64_t pitch) {
  if (!mustFill())
    return;
  Value zero = getZero(), rows = lowering.constant(type.getRowCount());
  if (type.getRowCount() == 1)
    return lowering.emitDuplicate(buffer, zero,
                                  lowering.scale(lowering.subtract(rows, place.rows), pitch));
  if (place.firstRow)
    lowering.emitDuplicate(buffer, zero, lowering.scale(place.firstRow, pitch));
  lowering.emitDuplicate(lowering.slice(buffer, lowering.scale(place.endRow, pitch)), zero,
                         lowering.scale(lowering.subtract(rows, place.endRow), pitch));
}

/// Writes zeros to the last data block of each row's padding, which the transfer leaves: one repeat
/// per row, or where rows are further apart than a repeat reaches, one instruction per row.
void LoadLowering::fillLastBlocks() {
  const ChipModel &model = lowering.model;
  if (!hasUnfilledBlock(op, model))
    return;
  int64_t perBlock = model.getBlockLanes(), pitch = model.getPitch(type);
  int64_t first = llvm::alignTo(type.getColCount(), perBlock), rowBlocks = pitch / perBlock;
  const Chip &chip = model.getChip();
  bool reachesNextRow = rowBlocks <= chip.maxRepeatStride;
  lowering.forEachChunk(
      lowering.constant(type.getRowCount()), type.getRowCount(),
      reachesNextRow ? chip.maxRepeats : 1, [&](Value row, Value amount) {
        Value offset = lowering.add(lowering.scale(row, pitch), lowering.constant(first));
        Value blocks = lowering.slice(lowering.getMemory(op.getResult()), offset);
        Value zero = getZero();
        if (!reachesNextRow)
          return lowering.emitDuplicate(blocks, zero, lowering.constant(pitch - first));
        lowering.create<ascend::DuplicateOp>(blocks, zero, amount,
                                             lowering.builder.getI64IntegerAttr(pitch - first),
                                             lowering.builder.getDenseI64ArrayAttr({1, rowBlocks}));
      });
}

/// What a run does not reach cannot be filled after it, where it may end inside a data block: the
/// column is filled before.
void LoadLowering::loadContiguousColumn() {
  int64_t elements = lowering.model.getBufferElements(type);
  Value memory = lowering.getMemory(op.getResult());
  if (mustFill())
    lowering.emitDuplicate(memory, getZero(), lowering.constant(elements));
  lowering.create<ascend::CopyInOp>(memory,
                                    place.getAddress(lowering.constant(int64_t(0)), place.rows),
                                    lowering.constant(int64_t(1)), place.rows, place.rows, elements,
                                    /*right_pad=*/0);
}

LogicalResult LoadLowering::loadStridedColumn() {
  if (!isa<FloatType>(type.getElementType()))
    return op.emitOpError() << "cannot gather a column of " << type.getElementType();
  if (!lowering.getRowLimits().getColumnSpans(op.getResult()).empty())
    return op.emitOpError("gathers the one column of a span that may be empty");
  int64_t perBlock = lowering.model.getBlockElements(type.getElementType());
  int64_t rows = type.getRowCount();
  Value column = lowering.getMemory(op.getResult());
  Value blocks = lowering.getScratch(op, Scratch::Blocks);
  lowering.forEachChunk(place.rows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    lowering.create<ascend::CopyInOp>(
        place.getRowMemory(blocks, perBlock, first), place.getAddress(first, amount), amount,
        lowering.constant(int64_t(1)), place.pitch, perBlock, perBlock - 1);
  });
  fillMissing(blocks, perBlock);
  Value gathered = mustFill() ? lowering.constant(rows) : place.rows;
  if (!isWidened(op, lowering.model)) {
    gatherColumn(lowering, op, column, blocks, gathered, rows, perBlock);
    return success();
  }
  Value wideBlocks = lowering.getScratch(op, Scratch::WideBlocks);
  Value wideColumn = lowering.getScratch(op, Scratch::WideColumn);
  lowering.emitCast(ascend::RoundMode::None, wideBlocks, blocks,
                    lowering.scale(gathered, perBlock));
  gatherColumn(lowering, op, wideColumn, wideBlocks, gathered, rows, perBlock);
  lowering.emitCast(ascend::RoundMode::Rint, column, wideColumn, gathered);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// How many columns of each row are stored: those that both the value and its place have.
static Value getStoredColumns(Lowering &lowering, StoreOp op, const ArrayPlace &place) {
  int64_t cols = op.getValue().getType().getColCount();
  ArrayRef<Value> limits = lowering.getRowLimits().getColumnSpans(op.getValue());
  Value stored = place.cols ? place.cols : lowering.constant(cols);
  if (limits.empty())
    return stored;
  Value limit = lowering.getLimit(limits, cols);
  return limit == stored ? stored : lowering.create<arith::MinSIOp>(stored, limit).getResult();
}

static LogicalResult storeStridedColumn(Lowering &lowering, StoreOp op, const ArrayPlace &place) {
  TileType type = op.getValue().getType();
  bool isWide = isWidened(op, lowering.model);
  if (isWide && !isa<FloatType>(type.getElementType()))
    return op.emitOpError() << "cannot store a column of " << type.getElementType()
                            << " to rows of an array in HIVM, which spreads floats only";
  int64_t perBlock = lowering.model.getBlockElements(type.getElementType());
  int64_t rows = type.getRowCount();
  Value storedRows = lowering.multiply(place.rows, getStoredColumns(lowering, op, place));
  Value blocks = lowering.getScratch(op, Scratch::Blocks);
  Value column = lowering.getMemory(op.getValue());
  if (isWide) {
    Value wideBlocks = lowering.getScratch(op, Scratch::WideBlocks);
    Value wideColumn = lowering.getScratch(op, Scratch::WideColumn);
    spreadByComposite(lowering, op, wideBlocks, widen(lowering, column, wideColumn, rows), rows,
                      perBlock);
    lowering.emitCast(ascend::RoundMode::Rint, blocks, wideBlocks,
                      lowering.constant(rows * perBlock));
  } else {
    spreadColumn(lowering, op, blocks, column, place.endRow, rows);
  }
  lowering.forEachChunk(storedRows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    lowering.create<ascend::CopyOutOp>(place.getAddress(first, amount),
                                       place.getRowMemory(blocks, perBlock, first), amount,
                                       lowering.constant(int64_t(1)), place.pitch, perBlock);
  });
  return success();
}

static void storeRows(Lowering &lowering, StoreOp op, const ArrayPlace &place) {
  TileType type = op.getValue().getType();
  Value cols = getStoredColumns(lowering, op, place);
  Value memory = lowering.getMemory(op.getValue());
  int64_t rows = type.getRowCount();
  int64_t pitch = llvm::alignTo(type.getColCount(), lowering.model.getRowUnit());
  lowering.forEachChunk(place.rows, rows, place.rowsPerTransfer, [&](Value first, Value amount) {
    Value from = rows == 1 ? memory : place.getRowMemory(memory, pitch, first);
    lowering.create<ascend::CopyOutOp>(place.getAddress(first, amount), from, amount, cols,
                                       place.pitch, pitch);
  });
}

static void storeContiguousColumn(Lowering &lowering, StoreOp op, const ArrayPlace &place) {
  TileType type = op.getValue().getType();
  int64_t perBlock = lowering.model.getBlockElements(type.getElementType());
  lowering.create<ascend::CopyOutOp>(place.getAddress(lowering.constant(int64_t(0)), place.rows),
                                     lowering.getMemory(op.getValue()),
                                     lowering.constant(int64_t(1)), place.rows, place.rows,
                                     llvm::alignTo(type.getRowCount(), perBlock));
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Whether the cores of a group pass tiles on to each other through an array.
static bool isExchanged(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  auto kernel = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  auto dims = kernel ? kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), launch::dimsName)
                     : ArrayAttr();
  return dims && llvm::is_contained(dims, StringAttr::get(array.getContext(), launch::groupsDim));
}

static OpCost getTransferCost(Value array, TileType type, TransferForm form, bool isLoad,
                              const ChipModel &model, const CostModel &costs) {
  double bytes = type.getRowCount() * type.getColCount() * getElementBytes(type);
  int64_t rows = form == TransferForm::ContiguousColumn ? 1 : type.getRowCount();
  // HBM moves whole data blocks, however little of one is wanted. What cores of a group exchange
  // stays in L2.
  double moved = isExchanged(array) ? 0
                 : form == TransferForm::StridedColumn
                     ? type.getRowCount() * model.getChip().blockBytes
                     : bytes;
  return costs.getTransfer(isLoad, rows, bytes, moved);
}

namespace {

struct LoadOnChip : OnChipOpInterface::ExternalModel<LoadOnChip, LoadOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto load = cast<LoadOp>(op);
    TileType type = load.getResult().getType();
    if (getTransferForm(load) == TransferForm::StridedColumn)
      addColumnScratch(type, type.getRowCount(), isWidened(load, model), model, needs);
  }
  unsigned getWritingPipes(Operation *op, const ChipModel &model) const {
    auto load = cast<LoadOp>(op);
    if (getTransferForm(load) == TransferForm::StridedColumn)
      return VectorPipe;
    return isFilled(load, model) ? LoadPipe | VectorPipe : LoadPipe;
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    auto load = cast<LoadOp>(op);
    return getTransferCost(load.getArray(), load.getResult().getType(), getTransferForm(load),
                           /*isLoad=*/true, model, costs);
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto load = cast<LoadOp>(op);
    TransferForm form = getTransferForm(load);
    if (form == TransferForm::Unsupported)
      return load.emitOpError("takes its columns from a dimension that is not contiguous");
    return LoadLowering(lowering, load, form).lower();
  }
};

struct StoreOnChip : OnChipOpInterface::ExternalModel<StoreOnChip, StoreOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto store = cast<StoreOp>(op);
    TileType type = store.getValue().getType();
    if (getTransferForm(store) == TransferForm::StridedColumn)
      addColumnScratch(type, llvm::alignTo(type.getRowCount(), model.getRepeatBlocks()),
                       isWidened(store, model), model, needs);
  }
  unsigned getReadingPipes(Operation *op) const {
    return getTransferForm(cast<StoreOp>(op)) == TransferForm::StridedColumn ? VectorPipe
                                                                             : StorePipe;
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    auto store = cast<StoreOp>(op);
    return getTransferCost(store.getArray(), store.getValue().getType(), getTransferForm(store),
                           /*isLoad=*/false, model, costs);
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto store = cast<StoreOp>(op);
    TransferForm form = getTransferForm(store);
    if (form == TransferForm::Unsupported)
      return store.emitOpError("puts its columns to a dimension that is not contiguous");
    TileType type = store.getValue().getType();
    ArrayPlace place(lowering, store, type, form == TransferForm::ContiguousColumn);
    place.limit(lowering.getLimit(store.getValue()), type);
    if (form == TransferForm::StridedColumn)
      return storeStridedColumn(lowering, store, place);
    if (form == TransferForm::ContiguousColumn)
      storeContiguousColumn(lowering, store, place);
    else
      storeRows(lowering, store, place);
    return success();
  }
};

} // namespace

void onchip::registerTransfers(MLIRContext *context) {
  LoadOp::attachInterface<LoadOnChip>(*context);
  StoreOp::attachInterface<StoreOnChip>(*context);
}
