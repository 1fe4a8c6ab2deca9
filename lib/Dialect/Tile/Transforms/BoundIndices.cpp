// tile-bound-indices: brings every index that depends on memory inside its array (tile stage,
// before the chip and before texts).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/MemoryIndices.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_BOUNDINDICESPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// One dimension of an array, accessed by an operand of an op.
struct Access {
  OpOperand *index;
  Value array;
  int64_t dimension;
  /// As in the op's `kinds`: a single index, a span, or the size of a slice.
  int64_t kind;

  Operation *getOp() const { return index->getOwner(); }
};

/// What the caller calls the size of a dimension; null where it has no name.
Attribute getLimit(Value array, int64_t dimension) {
  auto argument = dyn_cast<BlockArgument>(array);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  auto names = function
                   ? function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), launch::dimsName)
                   : ArrayAttr();
  return names && dimension < static_cast<int64_t>(names.size()) ? names[dimension] : Attribute();
}

SmallVector<Access> getAccesses(Operation *op) {
  SmallVector<Access> accesses;
  auto addSelected = [&](auto transfer) {
    unsigned operand = transfer.getIndicesMutable()[0].getOperandNumber();
    for (auto [dimension, kind] : llvm::enumerate(transfer.getKinds()))
      if (kind != FullIndex)
        accesses.push_back({&op->getOpOperand(operand++), transfer.getArray(),
                            static_cast<int64_t>(dimension), kind});
  };
  // Entries of a list of blocks are bounded where they are read: the span counts rows of blocks.
  auto isRowOfBlocks = [&](const Access &access) {
    auto list = dyn_cast<ListRowsOp>(op);
    return list && list.getSize() && access.kind == SpanIndex;
  };
  if (auto load = dyn_cast<LoadOp>(op); load && !load.getIndices().empty())
    addSelected(load);
  if (auto store = dyn_cast<StoreOp>(op); store && !store.getIndices().empty())
    addSelected(store);
  if (auto list = dyn_cast<ListRowsOp>(op)) {
    addSelected(list);
    llvm::erase_if(accesses, isRowOfBlocks);
  }
  if (auto load = dyn_cast<LoadIndexOp>(op))
    for (auto [dimension, index] : llvm::enumerate(load.getIndicesMutable()))
      accesses.push_back({&index, load.getArray(), static_cast<int64_t>(dimension), ScalarIndex});
  return accesses;
}

/// Whether `end` is never more than a dimension has, by the names of sizes alone.
bool isAtMost(Value end, Attribute limit) {
  Attribute name = getSizeName(end);
  auto number = dyn_cast_if_present<IntegerAttr>(name),
       most = dyn_cast_if_present<IntegerAttr>(limit);
  if (limit && (number && most ? number.getInt() <= most.getInt() : name == limit))
    return true;
  if (number && number.getInt() <= 0)
    return true;
  if (auto bound = end.getDefiningOp<BoundIndexOp>())
    return bound.getKind() == BoundKind::End &&
           (getLimit(bound.getArray(), bound.getDimension()) == limit ||
            isAtMost(bound.getIndex(), limit));
  if (auto larger = end.getDefiningOp<arith::MaxSIOp>())
    return isAtMost(larger.getLhs(), limit) && isAtMost(larger.getRhs(), limit);
  auto smaller = end.getDefiningOp<arith::MinSIOp>();
  return smaller && (isAtMost(smaller.getLhs(), limit) || isAtMost(smaller.getRhs(), limit));
}

/// Bounds the indices of one kernel.
class IndexBounder {
public:
  explicit IndexBounder(func::FuncOp kernel)
      : kernel(kernel), indices(kernel),
        numbers(kernel, MemoryIndices::Sources::MemoryAndArguments) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      for (const Access &access : getAccesses(op)) {
        if ((indices.contains(access.index->get()) || isListed(access)) && failed(bound(access)))
          return failure();
        // A loop by a number of the call ends as well.
        if (RangeOp range = getOwnLoop(access); range && numbers.contains(access.index->get()))
          boundLoop(access, range);
      }
    return success();
  }

  int64_t getCount() const { return count; }

private:
  static bool isListed(const Access &access) {
    auto span = dyn_cast<SpanType>(access.index->get().getType());
    return span && span.getListed();
  }

  /// The loop around an access that takes the loop's own index; null where that is another one.
  static RangeOp getOwnLoop(const Access &access) {
    auto range = dyn_cast<RangeOp>(access.getOp()->getParentOp());
    bool isOwn = range && access.kind <= 0 && access.index->get() == range.getInductionVar();
    return isOwn ? range : RangeOp();
  }

  LogicalResult bound(const Access &access) {
    Value index = access.index->get();
    // Rows of a list are known where they are moved.
    if (isListed(access)) {
      ++count;
      if (auto load = dyn_cast<LoadOp>(access.getOp()))
        load.setBounded(true);
      else
        cast<StoreOp>(access.getOp()).setBounded(true);
      return success();
    }
    // A loop is bounded once, where all its iterations access the array.
    if (getOwnLoop(access))
      return success();
    auto range = dyn_cast<RangeOp>(access.getOp()->getParentOp());
    if (range && access.kind == ScalarIndex && boundJoined(access, range))
      return success();
    if (access.kind == SpanIndex)
      return boundSpan(access);
    OpBuilder builder(access.getOp());
    if (access.kind == ScalarIndex) {
      access.index->set(create(builder, access, BoundKind::Index, index));
      return success();
    }
    access.index->set(boundSlice(builder, access));
    return success();
  }

  void boundLoop(const Access &access, RangeOp range) {
    OpBuilder builder(range);
    if (numbers.contains(range.getLower()))
      range.getLowerMutable().assign(create(builder, access, BoundKind::First, range.getLower()));
    if (!isAtMost(range.getUpper(), getLimit(access.array, access.dimension)))
      range.getUpperMutable().assign(create(builder, access, BoundKind::End, range.getUpper()));
  }

  /// A loop over n times m iterations that takes index i / m in iteration i goes over n of them.
  bool boundJoined(const Access &access, RangeOp range) {
    auto quotient = access.index->get().getDefiningOp<arith::FloorDivSIOp>();
    auto product = range.getUpper().getDefiningOp<arith::MulIOp>();
    if (!quotient || !product || quotient.getLhs() != range.getInductionVar() ||
        product.getRhs() != quotient.getRhs() || getFoldedConstant(range.getLower()) != 0)
      return false;
    if (isAtMost(product.getLhs(), getLimit(access.array, access.dimension)))
      return true;
    OpBuilder builder(range);
    Value count = create(builder, access, BoundKind::End, product.getLhs());
    range.getUpperMutable().assign(
        arith::MulIOp::create(builder, product.getLoc(), count, product.getRhs()));
    return true;
  }

  /// The start of a slice: its end is at most that of the dimension.
  Value boundSlice(OpBuilder &builder, const Access &access) {
    Location loc = access.getOp()->getLoc();
    Value size = arith::ConstantIndexOp::create(builder, loc, access.kind);
    Value end = arith::AddIOp::create(builder, loc, access.index->get(), size);
    end = create(builder, access, BoundKind::End, end);
    Value start = arith::SubIOp::create(builder, loc, end, size);
    return create(builder, access, BoundKind::First, start);
  }

  LogicalResult boundSpan(const Access &access) {
    Value span = access.index->get();
    auto made = span.getDefiningOp<MakeSpanOp>();
    // A span that other accesses share goes on for them as it is, unless all of them come by.
    if (made && made->getBlock() == access.getOp()->getBlock())
      return boundMade(access, made);
    OpBuilder builder(access.getOp());
    MakeSpanOp own = made ? cast<MakeSpanOp>(builder.clone(*made)) : copyOfLoop(builder, access);
    access.index->set(own.getResult());
    return boundMade(access, own);
  }

  /// The span of a loop by a block size, for one access.
  static MakeSpanOp copyOfLoop(OpBuilder &builder, const Access &access) {
    Value span = access.index->get();
    auto range = cast<RangeOp>(cast<BlockArgument>(span).getOwner()->getParentOp());
    Location loc = access.getOp()->getLoc();
    Value base = SpanBaseOp::create(builder, loc, builder.getIndexType(), span);
    return MakeSpanOp::create(builder, loc, span.getType(), base, range.getUpper());
  }

  LogicalResult boundMade(const Access &access, MakeSpanOp span) {
    if (span.getStep())
      return access.getOp()->emitOpError(
          "takes rows of a mapped span by numbers from memory, which cannot be kept inside arrays");
    OpBuilder builder(span);
    auto isBounded = [](Value index) {
      auto bound = index.getDefiningOp<BoundIndexOp>();
      return bound && bound.getKind() == BoundKind::First;
    };
    if (Value first = span.getFirst(); first && !isBounded(first))
      span.getFirstMutable().assign(create(builder, access, BoundKind::First, first));
    else if (!first && !isBounded(span.getBase()) && indices.contains(span.getBase()))
      span.getBaseMutable().assign(create(builder, access, BoundKind::First, span.getBase()));
    if (isAtMost(span.getLimit(), getLimit(access.array, access.dimension)))
      return success();
    limitTiles(access, span);
    // Only what the span reaches counts.
    Location loc = access.getOp()->getLoc();
    auto size = cast<IntegerAttr>(span.getResult().getType().getSize());
    Value rows = arith::ConstantIndexOp::create(builder, loc, size.getInt());
    Value reach = arith::AddIOp::create(builder, loc, span.getBase(), rows);
    Value end = arith::MinSIOp::create(builder, loc, span.getLimit(), reach);
    span.getLimitMutable().assign(create(builder, access, BoundKind::End, end));
    // Where the limit was moved, the promise that rows exist may not hold.
    span.setNonempty(false);
    return success();
  }

  /// Of a loop over several tiles for each entry of a list, an entry has no more tiles than the
  /// dimension they are of. The accesses themselves say where there are more.
  void limitTiles(const Access &access, MakeSpanOp span) {
    auto range = dyn_cast<RangeOp>(span->getParentOp());
    auto all = range ? range.getUpper().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    auto tiles = all ? all.getRhs().getDefiningOp<arith::CeilDivSIOp>() : arith::CeilDivSIOp();
    if (!tiles || !isTileOfEntry(span, range) || getFoldedConstant(tiles.getLhs()) ||
        isAtMost(tiles.getLhs(), getLimit(access.array, access.dimension)))
      return;
    OpBuilder builder(tiles);
    Value size = DimOp::create(builder, tiles.getLoc(), builder.getIndexType(), access.array,
                               access.dimension);
    tiles.getLhsMutable().assign(
        arith::MinSIOp::create(builder, tiles.getLoc(), tiles.getLhs(), size));
  }

  /// Whether a span begins at the base of an entry plus the sizes of the entry's tiles before it.
  static bool isTileOfEntry(MakeSpanOp span, RangeOp range) {
    Value begin = span.getBase();
    if (auto bound = begin.getDefiningOp<BoundIndexOp>())
      begin = bound.getIndex();
    auto base = begin.getDefiningOp<arith::AddIOp>();
    auto before = base ? base.getRhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    auto number = before ? before.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
    return number && number.getLhs() == range.getInductionVar();
  }

  Value create(OpBuilder &builder, const Access &access, BoundKind kind, Value index) {
    ++count;
    return BoundIndexOp::create(builder, access.getOp()->getLoc(), builder.getIndexType(), kind,
                                index, access.array, access.dimension);
  }

  func::FuncOp kernel;
  MemoryIndices indices, numbers;
  int64_t count = 0;
};

struct BoundIndices : attn::impl::BoundIndicesPassBase<BoundIndices> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels) {
      IndexBounder bounder(kernel);
      if (failed(bounder.run()))
        return signalPassFailure();
      indicesBounded += bounder.getCount();
    }
  }
};

} // namespace
