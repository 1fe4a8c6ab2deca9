// Rewrites of bands into tiles, one per form (tile stage). A band of m rows and K taps becomes a
// tile of K rows and m columns: a tap is then one run of elements, and what is done to each row of
// the band is done to whole taps at once.
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "BandRewriter.h"
#include "TapLoops.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

StringRef tile::getFormName(BandForm form) { return form == BandForm::Halo ? "halo" : "gathered"; }

static bool isBandOp(Operation *op) {
  return isa<BandDotOp, BandMixOp, BandSpreadOp, BandMaskOp>(op);
}

SmallVector<Operation *> tile::getBandOps(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isBandOp(op))
      ops.push_back(op);
  });
  return ops;
}

static bool isSingle(Value value) {
  auto type = dyn_cast<TileType>(value.getType());
  IntegerAttr one = getDim(value.getContext(), 1);
  return type && type.getRows() == one && type.getCols() == one;
}

static bool isOneRowOrColumn(TileType type) {
  IntegerAttr one = getDim(type.getContext(), 1);
  return type.getRows() == one || type.getCols() == one;
}

LogicalResult BandRewriter::run() {
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(rewrite(op)))
      return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  for (auto [column, row] : rows)
    if (column.use_empty())
      column.getDefiningOp()->erase();
  for (Operation *op : llvm::reverse(transposedOps))
    if (op->use_empty())
      op->erase();
  // The host has all rows in its caches, and few registers to carry several sums in.
  if (!isHost)
    joinTapLoops(tapLoops);
  return success();
}

LogicalResult BandRewriter::rewrite(Operation *op) {
  builder.setLoc(op->getLoc());
  builder.setInsertionPoint(op);
  if (auto dot = dyn_cast<BandDotOp>(op))
    return rewriteDot(dot), success();
  if (auto mask = dyn_cast<BandMaskOp>(op); mask && !mask.getTransposed())
    return rewriteMask(mask), success();
  if (auto mix = dyn_cast<BandMixOp>(op))
    return rewriteMix(mix);
  if (auto spread = dyn_cast<BandSpreadOp>(op))
    return rewriteSpread(spread);
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return bands.contains(operand); })) {
    if (isElementwise(op) && isComputedFromRows(op))
      rewriteRows(op);
    return success();
  }
  if (isElementwise(op) || isa<CastOp>(op))
    return rewriteElementwise(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return rewriteReduce(reduce);
  return op->emitOpError("cannot be done with a band: it is reduced over its taps, computed with "
                         "element by element, mixed or spread");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value BandRewriter::turn(Value tile) {
  if (Value row = rows.lookup(tile))
    return row;
  return ExtractOp::create(builder, transpose(getTileType(tile)), tile, index(0), index(0),
                           /*transposed=*/true);
}

Value BandRewriter::getBeside(Value operand) {
  if (Value band = bands.lookup(operand))
    return band;
  if (!isa<TileType>(operand.getType()))
    return operand;
  if (Value row = rows.lookup(operand))
    return row;
  if (auto splat = operand.getDefiningOp<SplatOp>(); splat && !isSingle(operand))
    return SplatOp::create(builder, transpose(getTileType(operand)), splat.getValue());
  return getTransposed(operand);
}

Value BandRewriter::getTransposed(Value tile) {
  if (isSingle(tile))
    return tile;
  if (Value made = transposes.lookup(tile))
    return made;
  TileType type = getTileType(tile);
  Operation *op = tile.getDefiningOp();
  OpBuilder::InsertionGuard guard(builder);
  if (op)
    builder.setInsertionPointAfter(op);
  Value made;
  if (auto splat = dyn_cast_if_present<SplatOp>(op)) {
    made = SplatOp::create(builder, transpose(type), splat.getValue());
  } else if (isa_and_present<RampOp>(op)) {
    made = RampOp::create(builder, transpose(type));
  } else if (isOneRowOrColumn(type)) {
    return turn(tile);
  } else if (op && isElementwise(op)) {
    auto operands = llvm::map_to_vector<3>(op->getOperands(), [&](Value operand) {
      return isa<TileType>(operand.getType()) ? getTransposed(operand) : operand;
    });
    if (!llvm::all_of(operands, [](Value operand) { return static_cast<bool>(operand); }))
      return {};
    made = builder
               .create(op->getLoc(), op->getName().getIdentifier(), operands, transpose(type),
                       op->getAttrs())
               ->getResult(0);
  } else {
    return {};
  }
  transposedOps.push_back(op);
  return transposes[tile] = made;
}

LogicalResult BandRewriter::rewriteElementwise(Operation *op) {
  SmallVector<Value, 2> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getBeside(operand));
    if (!operands.back())
      return op->emitOpError() << "computes with a band and " << operand.getType()
                               << ", which is not a band itself";
  }
  Type type = transpose(getTileType(op->getResult(0)));
  setBand(
      op,
      builder.create(op->getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs())
          ->getResult(0));
  return success();
}

LogicalResult BandRewriter::rewriteReduce(ReduceOp op) {
  if (op.getAxis() != 1)
    return op.emitOpError("reduces a band over its rows; only its taps can be reduced");
  TileType rowType = transpose(op.getResult().getType());
  replaceByRow(op, ReduceOp::create(builder, rowType, op.getKind(), bands.lookup(op.getInput()),
                                    /*axis=*/0));
  return success();
}

/// Whether `op` computes with columns that were made from rows, and with single values.
bool BandRewriter::isComputedFromRows(Operation *op) {
  bool hasRow = llvm::any_of(op->getOperands(), [&](Value value) { return rows.contains(value); });
  return hasRow && llvm::all_of(op->getOperands(), [&](Value value) {
           return rows.contains(value) || isSingle(value);
         });
}

/// What is made of sums and maxima over taps is computed as rows too, as bands take it again.
void BandRewriter::rewriteRows(Operation *op) {
  SmallVector<Value, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rows.contains(operand) ? rows.lookup(operand) : operand);
  Type type = transpose(getTileType(op->getResult(0)));
  replaceByRow(
      op,
      builder.create(op->getLoc(), op->getName().getIdentifier(), operands, type, op->getAttrs())
          ->getResult(0));
}

/// The rows that a band op has taps for.
static Attribute getBandRows(Operation *op) {
  if (auto mask = dyn_cast<BandMaskOp>(op); mask && mask.getTransposed())
    return mask.getResult().getType().getCols();
  Value band = isa<BandMixOp, BandSpreadOp>(op) ? op->getOperand(0) : op->getResult(0);
  return cast<TileType>(band.getType()).getRows();
}

/// Taps lie in rows of the tile that a band becomes, and a row starts at a block of local memory.
/// A tile of one column has no such rows: a band takes two rows or more.
static LogicalResult requireTwoRows(func::FuncOp kernel) {
  constexpr int64_t fewest = 2;
  auto symbols = kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
  NamedAttrList ranges(symbols);
  for (Operation *op : getBandOps(kernel)) {
    Attribute rows = getBandRows(op);
    auto number = dyn_cast<IntegerAttr>(rows);
    auto symbol = dyn_cast<StringAttr>(rows);
    auto range = symbols && symbol ? symbols.getAs<AutoAttr>(symbol) : AutoAttr();
    if ((number && number.getInt() < fewest) || (range && range.getHi() < fewest))
      return op->emitOpError("has a single row; a band takes at least two rows of a tile");
    if (range && range.getLo() < fewest)
      ranges.set(symbol, AutoAttr::get(op->getContext(), fewest, range.getHi()));
  }
  if (symbols)
    kernel->setAttr("tile.symbols", ranges.getDictionary(kernel.getContext()));
  return success();
}

LogicalResult tile::rewriteBands(func::FuncOp kernel, BandForm form, bool isHost) {
  return failure(failed(requireTwoRows(kernel)) ||
                 failed(BandRewriter(kernel, form, isHost).run()));
}

FailureOr<BandForm> tile::getBandForm(func::FuncOp kernel, StringRef name) {
  if (!llvm::is_contained({"halo", "gathered", "cube"}, name))
    return kernel.emitError() << "unknown band form '" << name
                              << "'; known: auto, halo, gathered, cube";
  SmallVector<Operation *> bandOps = getBandOps(kernel);
  if (name == "cube" && !bandOps.empty())
    return bandOps.front()->emitOpError("cannot take the form cube: bands are computed by vector "
                                        "units; take halo or gathered");
  if (name == "gathered" && !bandOps.empty() && !canGather(kernel))
    return bandOps.front()->emitOpError("cannot take the form gathered: no window of the kernel is "
                                        "loaded through a span with missing rows");
  return name == "gathered" ? BandForm::Gathered : BandForm::Halo;
}
