// Rewrites of bands into tiles, one per form (tile stage). A band of m rows and K taps becomes a
// tile of K rows and m columns: a tap is then one run of elements, and what is done to each row of
// the band is done to whole taps at once.
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Taps that one trip of a loop takes on the host.
static constexpr int64_t fewestTapsOfGroup = 4, mostTapsOfGroup = 8;

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

static TileType getType(Value value) { return cast<TileType>(value.getType()); }

static TileType transpose(TileType type) {
  return TileType::get(type.getContext(), type.getCols(), type.getRows(), type.getElementType());
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

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// A window that is loaded, and the casts that lead from the load to it.
struct LoadedWindow {
  LoadOp load;
  MakeSpanOp span;
  /// The number of the load's operand that is the span.
  unsigned operand;
  SmallVector<CastOp, 1> casts;
};
} // namespace

static std::optional<LoadedWindow> matchLoad(Value window) {
  LoadedWindow matched;
  while (auto cast = window.getDefiningOp<CastOp>()) {
    matched.casts.push_back(cast);
    window = cast.getInput();
  }
  matched.load = window.getDefiningOp<LoadOp>();
  if (!matched.load)
    return std::nullopt;
  for (OpOperand &index : matched.load->getOpOperands()) {
    auto span = index.get().getDefiningOp<MakeSpanOp>();
    if (!span || !span.getFirst())
      continue;
    matched.span = span;
    matched.operand = index.getOperandNumber();
    return matched;
  }
  return std::nullopt;
}

static Value getWindow(Operation *op) {
  if (auto dot = dyn_cast<BandDotOp>(op))
    return dot.getWindow();
  if (auto mix = dyn_cast<BandMixOp>(op))
    return mix.getWindow();
  return {};
}

bool tile::canGather(func::FuncOp kernel) {
  return llvm::any_of(getBandOps(kernel), [](Operation *op) {
    Value window = getWindow(op);
    return window && matchLoad(window);
  });
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

namespace {

class BandRewriter {
public:
  BandRewriter(func::FuncOp kernel, BandForm form, bool isHost)
      : kernel(kernel), form(form), isHost(isHost), isStraight(hasFewTaps()),
        builder(kernel.getLoc(), kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult rewrite(Operation *op);
  void rewriteDot(BandDotOp op);
  LogicalResult rewriteMix(BandMixOp op);
  LogicalResult rewriteSpread(BandSpreadOp op);
  void rewriteMask(BandMaskOp op);
  LogicalResult rewriteElementwise(Operation *op);
  LogicalResult rewriteReduce(ReduceOp op);
  bool isComputedFromRows(Operation *op);
  void rewriteRows(Operation *op);
  LogicalResult checkWeights(Operation *op, Value weights);

  Value index(int64_t number) { return arith::ConstantIndexOp::create(builder, number); }
  /// A row as a column, and the other way round.
  Value turn(Value tile);
  /// What stands for `operand` beside bands.
  Value getBeside(Value operand);
  /// A tile of rows by taps that is not a band but computed from rows, columns and numbers, as one
  /// of taps by rows; null where it is neither.
  Value getTransposed(Value tile);
  /// Whether the taps of every band are straight code, with numbers for offsets and no loop to wait
  /// for.
  bool hasFewTaps();
  using BuildTap = function_ref<Value(Value tap, Value value)>;
  /// What `build` makes of `value` for one tap after the other, from `first` up to `taps`. Many
  /// taps are a loop.
  Value forEachTap(int64_t first, int64_t taps, Value value, BuildTap build);
  /// A loop that carries `value` through `build`.
  Value makeLoop(int64_t begin, int64_t end, Value value, BuildTap build);
  /// The weights of `tap` for each row, as a column.
  Value getTapWeights(Value weights, Value tap);
  /// The rows of the window that belong to `tap`.
  Value getTapRows(Value window, TileType type, Value tap);
  Value loadTapRows(const LoadedWindow &window, TileType type, Value tap);

  /// A band with one tap is a column already.
  static bool isBand(TileType type) { return type.getCols() != getDim(type.getContext(), 1); }
  static int64_t getTaps(TileType band) { return cast<IntegerAttr>(band.getCols()).getInt(); }

  void replace(Operation *op, Value with) {
    op->getResult(0).replaceAllUsesWith(with);
    replaced.push_back(op);
  }
  /// Lets a row stand for the column that `op` gives.
  void replaceByRow(Operation *op, Value row) {
    Value column = turn(row);
    rows[column] = row;
    replace(op, column);
  }
  /// Lets `with`, taps by rows, stand for the band that `op` gives.
  void setBand(Operation *op, Value with) {
    bands[op->getResult(0)] = with;
    replaced.push_back(op);
  }

  func::FuncOp kernel;
  BandForm form;
  bool isHost;
  bool isStraight;
  ImplicitLocOpBuilder builder;
  DenseMap<Value, Value> bands;           // from rows by taps to taps by rows
  DenseMap<Value, Value> rows;            // columns that were made from a row, and that row
  DenseMap<Value, Value> transposes;      // tiles that are not bands, and their transposes
  SmallVector<Operation *> transposedOps; // what defines them, in order
  SmallVector<Operation *> replaced;      // in order
};

} // namespace

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
// Rows of a tap
//===----------------------------------------------------------------------===//

Value BandRewriter::loadTapRows(const LoadedWindow &window, TileType type, Value tap) {
  MakeSpanOp whole = window.span;
  SpanType spanType = SpanType::get(type.getContext(), type.getRows(), /*filled=*/true,
                                    whole.getResult().getType().getMapped());
  Value base = arith::AddIOp::create(builder, whole.getBase(), tap);
  Value span = MakeSpanOp::create(builder, spanType, base, whole.getLimit(), whole.getFirst(),
                                  whole.getOffset(), whole.getStep(), /*nonempty=*/false);
  Operation *load = builder.clone(*window.load);
  load->setOperand(window.operand, span);
  auto retype = [&](Operation *op) {
    op->getResult(0).setType(type.cloneWith(getType(op->getResult(0)).getElementType()));
    return op->getResult(0);
  };
  Value rows = retype(load);
  for (CastOp cast : llvm::reverse(window.casts)) {
    Operation *same = builder.clone(*cast.getOperation());
    same->setOperand(0, rows);
    rows = retype(same);
  }
  return rows;
}

Value BandRewriter::getTapRows(Value window, TileType type, Value tap) {
  if (getType(window) == type)
    return window;
  if (form == BandForm::Gathered)
    if (std::optional<LoadedWindow> loaded = matchLoad(window))
      return loadTapRows(*loaded, type, tap);
  return ExtractOp::create(builder, type, window, tap, index(0), /*transposed=*/false);
}

Value BandRewriter::getTapWeights(Value weights, Value tap) {
  if (!isBand(getType(weights)))
    return weights;
  TileType column = TileType::get(builder.getContext(), getType(weights).getRows(),
                                  getDim(builder.getContext(), 1), builder.getF32Type());
  return ExtractOp::create(builder, column, bands.lookup(weights), tap, index(0),
                           /*transposed=*/true);
}

static TileType getBandType(Operation *op) {
  return TypeSwitch<Operation *, TileType>(op)
      .Case([](BandDotOp dot) { return dot.getResult().getType(); })
      .Case<BandMixOp, BandSpreadOp>([](auto op) { return op.getWeights().getType(); })
      .Default(TileType());
}

bool BandRewriter::hasFewTaps() {
  int64_t ofKernel = 0, ofBand = 0;
  for (Operation *op : getBandOps(kernel)) {
    TileType band = getBandType(op);
    if (!band)
      continue;
    Value window = getWindow(op);
    bool loadsRows = form == BandForm::Gathered && window && matchLoad(window);
    ofKernel += getTaps(band) * (loadsRows ? 2 : 1);
    ofBand = std::max(ofBand, getTaps(band));
  }
  return ofBand <= mostStraightTaps && ofKernel <= mostStraightTapsOfKernel;
}

/// How many taps of a loop over `taps` are one trip on the host, where what they add to can stay in
/// registers from tap to tap of a trip. What is left after the last trip is compiled once more, so
/// the size that leaves the fewest is taken.
static int64_t getGroupSize(int64_t taps) {
  int64_t best = fewestTapsOfGroup;
  for (int64_t size = best + 1; size <= mostTapsOfGroup; ++size)
    if (taps % size < taps % best)
      best = size;
  return best;
}

Value BandRewriter::forEachTap(int64_t first, int64_t taps, Value value, BuildTap build) {
  int64_t next = first, count = taps - first;
  if (isStraight || count <= mostTapsOfGroup) {
    for (; next < taps; ++next)
      value = build(index(next), value);
    return value;
  }
  if (isHost) {
    int64_t size = getGroupSize(count), groups = count / size;
    value = makeLoop(0, groups, value, [&](Value group, Value carried) {
      Value tapsBefore = arith::MulIOp::create(builder, group, index(size));
      for (int64_t place = first; place < first + size; ++place)
        carried = build(arith::AddIOp::create(builder, tapsBefore, index(place)), carried);
      return carried;
    });
    next += groups * size;
  }
  if (taps - next == 1)
    return build(index(next), value);
  return next < taps ? makeLoop(next, taps, value, build) : value;
}

Value BandRewriter::makeLoop(int64_t begin, int64_t end, Value value, BuildTap build) {
  // Where each tap loads rows, the loads of the next run while those of this one are computed with.
  constexpr int64_t stages = 2;
  auto loop = RangeOp::create(builder, TypeRange(value.getType()), index(begin), index(end), value,
                              /*block=*/Attribute(), stages, /*parallel=*/false);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = loop.getBody().emplaceBlock();
  Value trip = body.addArgument(builder.getIndexType(), builder.getLoc());
  Value carried = body.addArgument(value.getType(), builder.getLoc());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, build(trip, carried));
  return loop.getResult(0);
}

void BandRewriter::rewriteDot(BandDotOp op) {
  TileType rowsType = op.getRows().getType(), band = op.getResult().getType();
  TileType column = TileType::get(band.getContext(), band.getRows(), getDim(band.getContext(), 1),
                                  band.getElementType());
  auto multiply = [&](Value tap) -> Value {
    Value window = getTapRows(op.getWindow(), rowsType, tap);
    Value products = MulOp::create(builder, rowsType, op.getRows(), window);
    return ReduceOp::create(builder, column, ReduceKind::Sum, products, /*axis=*/1);
  };
  if (!isBand(band))
    return replace(op, multiply(index(0)));
  Value scores = UndefinedOp::create(builder, transpose(band));
  setBand(op, forEachTap(0, getTaps(band), scores, [&](Value tap, Value scores) -> Value {
            Value sums = multiply(tap);
            return InsertOp::create(builder, scores.getType(), sums, scores, tap, index(0),
                                    /*transposed=*/true);
          }));
}

LogicalResult BandRewriter::checkWeights(Operation *op, Value weights) {
  if (isBand(getType(weights)) && !bands.contains(weights))
    return op->emitOpError("takes weights that are not a band: they must come from products, masks "
                           "and arithmetic on them");
  return success();
}

LogicalResult BandRewriter::rewriteMix(BandMixOp op) {
  if (failed(checkWeights(op, op.getWeights())))
    return failure();
  TileType type = op.getResult().getType();
  auto weigh = [&](Value tap) -> Value {
    Value window = getTapRows(op.getWindow(), type, tap);
    return MulOp::create(builder, type, window, getTapWeights(op.getWeights(), tap));
  };
  Value first = weigh(index(0));
  replace(op, forEachTap(1, getTaps(getType(op.getWeights())), first,
                         [&](Value tap, Value sum) -> Value {
                           Value weighted = weigh(tap);
                           return AddOp::create(builder, type, sum, weighted);
                         }));
  return success();
}

LogicalResult BandRewriter::rewriteSpread(BandSpreadOp op) {
  if (failed(checkWeights(op, op.getWeights())))
    return failure();
  TileType type = op.getRows().getType();
  auto add = [&](Value tap, Value whole) -> Value {
    Value weighted =
        MulOp::create(builder, type, op.getRows(), getTapWeights(op.getWeights(), tap));
    if (whole.getType() == type)
      return AddOp::create(builder, type, whole, weighted);
    Value col = index(0);
    Value part = ExtractOp::create(builder, type, whole, tap, col, /*transposed=*/false);
    Value sum = AddOp::create(builder, type, part, weighted);
    return InsertOp::create(builder, whole.getType(), sum, whole, tap, col, /*transposed=*/false);
  };
  replace(op, forEachTap(0, getTaps(getType(op.getWeights())), op.getInto(), add));
  return success();
}

void BandRewriter::rewriteMask(BandMaskOp op) {
  TileType band = op.getResult().getType();
  Value mask = BandMaskOp::create(builder, transpose(band), op.getWindow(), /*transposed=*/true);
  if (isBand(band))
    setBand(op, mask);
  else
    replace(op, turn(mask));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value BandRewriter::turn(Value tile) {
  if (Value row = rows.lookup(tile))
    return row;
  return ExtractOp::create(builder, transpose(getType(tile)), tile, index(0), index(0),
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
    return SplatOp::create(builder, transpose(getType(operand)), splat.getValue());
  return getTransposed(operand);
}

Value BandRewriter::getTransposed(Value tile) {
  if (isSingle(tile))
    return tile;
  if (Value made = transposes.lookup(tile))
    return made;
  TileType type = getType(tile);
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
  Type type = transpose(getType(op->getResult(0)));
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
  Type type = transpose(getType(op->getResult(0)));
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
