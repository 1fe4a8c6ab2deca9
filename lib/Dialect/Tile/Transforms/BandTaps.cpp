// What bands do tap by tap: the rows of a window that belong to a tap, and straight code or loops
// over taps (tile stage).
#include "BandRewriter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

TileType tile::transpose(TileType type) {
  return TileType::get(type.getContext(), type.getCols(), type.getRows(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

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
    op->getResult(0).setType(type.cloneWith(getTileType(op->getResult(0)).getElementType()));
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
  if (getTileType(window) == type)
    return window;
  if (form == BandForm::Gathered)
    if (std::optional<LoadedWindow> loaded = matchLoad(window))
      return loadTapRows(*loaded, type, tap);
  return ExtractOp::create(builder, type, window, tap, index(0), /*transposed=*/false);
}

Value BandRewriter::getTapWeights(Value weights, Value tap) {
  if (!isBand(getTileType(weights)))
    return weights;
  TileType column = TileType::get(builder.getContext(), getTileType(weights).getRows(),
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
  if (!isLoop(count)) {
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
  tapLoops.push_back(loop);
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
  if (isBand(getTileType(weights)) && !bands.contains(weights))
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
  int64_t taps = getTaps(getTileType(op.getWeights()));
  // On the chip a loop takes all taps, as those of other bands do: they can be one.
  bool startsFromZero = !isHost && isLoop(taps);
  Value start = startsFromZero ? makeZeros(type) : weigh(index(0));
  replace(op, forEachTap(startsFromZero ? 0 : 1, taps, start, [&](Value tap, Value sum) -> Value {
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
  replace(op, forEachTap(0, getTaps(getTileType(op.getWeights())), op.getInto(), add));
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
