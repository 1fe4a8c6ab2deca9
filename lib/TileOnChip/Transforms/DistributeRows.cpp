// Gives each vector core of a group its share of the rows of every tile (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Groups.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Rows come in multiples of this, so that columns of f32 begin at whole data blocks in every part.
static constexpr int64_t rowUnit = architecture::getElementsPerBlock(4);

/// Whether an op computes each row of its result from the same rows of its operands.
static bool isRowByRow(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getAxis() == 1 || reduce.getInput().getType().getRowCount() == 1;
  if (auto extract = dyn_cast<ExtractOp>(op))
    return !extract.getTransposed() &&
           extract.getType().getRows() == extract.getInput().getType().getRows();
  if (auto insert = dyn_cast<InsertOp>(op))
    return !insert.getTransposed() &&
           insert.getPart().getType().getRows() == insert.getType().getRows();
  return isElementwise(op) ||
         isa<CastOp, SplatOp, UndefinedOp, BroadcastOp, FillColumnsOp, LoadOp, StoreOp, RampOp>(op);
}

namespace {

class RowDistributor {
public:
  explicit RowDistributor(func::FuncOp half)
      : half(half), builder(half.getLoc(), half.getContext()) {}

  void run();

private:
  int64_t getShare(int64_t rows) const {
    if (!areRowsApart || rows <= rowUnit)
      return rows;
    return llvm::alignTo(llvm::divideCeil(rows, vectorCoresPerGroup), rowUnit);
  }
  TileType getShare(TileType type) const {
    return TileType::get(type.getContext(), getDim(type.getContext(), getShare(type.getRowCount())),
                         type.getCols(), type.getElementType());
  }
  template <typename Op> void narrow(Op op, TileType type);
  void storeOnFirstCore(Operation *store);
  Value makeSpan(Value given, int64_t kind, int64_t rows);
  Value listRows(ListRowsOp list, int64_t rows);
  void shiftRamps();

  func::FuncOp half;
  ImplicitLocOpBuilder builder;
  Value subBlock;
  SmallVector<Operation *> lines; // stores of single rows to arrays of one dimension
  bool areRowsApart = true;
};

} // namespace

/// The part of the rows that this core has: of a span, of a slice or of a whole dimension.
Value RowDistributor::makeSpan(Value given, int64_t kind, int64_t rows) {
  if (auto list = given ? given.getDefiningOp<ListRowsOp>() : ListRowsOp())
    return listRows(list, rows);
  MLIRContext *context = builder.getContext();
  int64_t share = getShare(rows);
  Value offset =
      arith::MulIOp::create(builder, subBlock, arith::ConstantIndexOp::create(builder, share));
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
  // Where shares have room for more rows than there are, the last one must not reach beyond them.
  auto limitTo = [&](Value first, Value limit) -> Value {
    if (share * vectorCoresPerGroup == rows)
      return limit;
    Value end = add(first, arith::ConstantIndexOp::create(builder, rows));
    return arith::MinSIOp::create(builder, limit, end);
  };
  if (kind != SpanIndex) {
    Value first = given ? given : Value(arith::ConstantIndexOp::create(builder, 0));
    auto type = SpanType::get(context, getDim(context, share));
    return MakeSpanOp::create(builder, type, add(first, offset),
                              add(first, arith::ConstantIndexOp::create(builder, rows)));
  }
  auto of = cast<SpanType>(given.getType());
  auto type = SpanType::get(context, getDim(context, share), of.getFilled(), of.getMapped());
  if (auto make = given.getDefiningOp<MakeSpanOp>())
    return MakeSpanOp::create(builder, type, add(make.getBase(), offset),
                              limitTo(make.getBase(), make.getLimit()), make.getFirst(),
                              make.getOffset(), make.getStep(),
                              /*nonempty=*/false);
  auto loop = cast<RangeOp>(cast<BlockArgument>(given).getOwner()->getParentOp());
  Value base = SpanBaseOp::create(builder, builder.getIndexType(), given);
  return MakeSpanOp::create(builder, type, add(base, offset), limitTo(base, loop.getUpper()));
}

/// What a list names for the rows of this core.
Value RowDistributor::listRows(ListRowsOp list, int64_t rows) {
  SmallVector<Value> indices(list.getIndices());
  Value &span = indices[list.getSpanDimension()];
  span = makeSpan(span, SpanIndex, rows);
  auto of = cast<SpanType>(span.getType());
  auto type = SpanType::get(of.getContext(), of.getSize(), of.getFilled(), /*mapped=*/false,
                            /*listed=*/true);
  // A share may begin within a run of the whole.
  IntegerAttr step = list.getSize()
                         ? builder.getI64IntegerAttr(std::gcd(list.getRun(), getShare(rows)))
                         : IntegerAttr();
  return ListRowsOp::create(builder, type, list.getArray(), indices, list.getSize(),
                            list.getKindsAttr(), step);
}

/// The numbers of rows go on from core to core.
void RowDistributor::shiftRamps() {
  SmallVector<RampOp> ramps;
  half.walk([&](RampOp ramp) {
    if (ramp.getType().getRowCount() > 1)
      ramps.push_back(ramp);
  });
  for (RampOp ramp : ramps) {
    builder.setLoc(ramp.getLoc());
    builder.setInsertionPointAfter(ramp);
    TileType type = ramp.getType();
    Value share = arith::ConstantIndexOp::create(builder, getShare(type.getRowCount()));
    Value first = arith::IndexCastOp::create(builder, builder.getI64Type(),
                                             arith::MulIOp::create(builder, subBlock, share));
    Value real = arith::SIToFPOp::create(builder, type.getElementType(), first);
    IntegerAttr one = getDim(type.getContext(), 1);
    Value number = SplatOp::create(
        builder, TileType::get(type.getContext(), one, one, type.getElementType()), real);
    auto sum = AddOp::create(builder, type, ramp.getResult(), number);
    ramp.getResult().replaceAllUsesExcept(sum.getResult(), sum);
  }
}

/// Lets a transfer move the rows of this core.
template <typename Op> void RowDistributor::narrow(Op op, TileType type) {
  builder.setLoc(op.getLoc());
  builder.setInsertionPoint(op);
  SmallVector<int64_t> kinds(op.getKinds());
  int64_t row = getSelection(kinds).rowDimension;
  int64_t rows = type.getRowCount();
  bool isStore = isa<StoreOp>(op.getOperation());
  if (rows == 1 && !isStore)
    return;
  // A single row is the same on all cores, and the first one stores it.
  if (rows == 1 && row < 0) {
    auto *scalar = llvm::find(kinds, ScalarIndex);
    if (scalar == kinds.end()) {
      lines.push_back(op);
      return;
    }
    row = scalar - kinds.begin();
  }
  SmallVector<Value> indices;
  for (auto [dimension, kind] : llvm::enumerate(kinds)) {
    Value index = getIndexOperand(op.getKinds(), op.getIndices(), dimension);
    if (static_cast<int64_t>(dimension) == row) {
      index = makeSpan(index, kind, rows);
      kinds[dimension] = SpanIndex;
    }
    if (index)
      indices.push_back(index);
  }
  op.getIndicesMutable().assign(indices);
  op.setKinds(kinds);
}

/// Lets the first core alone store a row to an array of one dimension.
void RowDistributor::storeOnFirstCore(Operation *store) {
  builder.setLoc(store->getLoc());
  builder.setInsertionPoint(store);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, subBlock,
                                        arith::ConstantIndexOp::create(builder, 0));
  auto choice = IfOp::create(builder, isFirst);
  if (Attribute level = store->getAttr(levelName))
    choice->setAttr(levelName, level);
  builder.createBlock(&choice.getThenBody());
  store->moveBefore(YieldOp::create(builder));
}

void RowDistributor::run() {
  half.walk([&](Operation *op) {
    auto isTall = [](Value value) {
      auto type = dyn_cast<TileType>(value.getType());
      return type && type.getRowCount() > 1;
    };
    bool hasRows =
        llvm::any_of(op->getOperands(), isTall) || llvm::any_of(op->getResults(), isTall);
    if (hasRows && op->getNumRegions() == 0 && !isa<YieldOp>(op))
      areRowsApart &= isRowByRow(op);
  });
  builder.setInsertionPointToStart(&half.getBody().front());
  subBlock = SubBlockIdOp::create(builder, builder.getIndexType());
  half.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      narrow(load, load.getResult().getType());
    if (auto store = dyn_cast<StoreOp>(op))
      narrow(store, store.getValue().getType());
  });
  llvm::for_each(lines, [&](Operation *store) { storeOnFirstCore(store); });
  shiftRamps();
  half.walk([&](Operation *op) {
    auto retype = [&](Value value) {
      if (auto type = dyn_cast<TileType>(value.getType()))
        value.setType(getShare(type));
    };
    llvm::for_each(op->getResults(), retype);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), retype);
  });
}

void onchip::distributeRows(func::FuncOp vectorHalf) { RowDistributor(vectorHalf).run(); }
