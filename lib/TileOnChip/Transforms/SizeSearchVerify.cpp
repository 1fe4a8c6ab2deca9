// Checks that sizes can be found for a kernel at all (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/Transforms/SizeSearch.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// No local memory holds a tile of more elements; sizes below cannot overflow.
static constexpr int64_t maxElements = int64_t(1) << 40;

/// Whether the numbers among the dimensions of a tile are so large that nothing could hold it.
static bool isBeyondMemory(TileType type) {
  auto getNumber = [](Attribute dim) {
    auto number = dyn_cast<IntegerAttr>(dim);
    return number ? number.getInt() : SearchSpace::maxRows;
  };
  return getNumber(type.getRows()) > maxElements / getNumber(type.getCols());
}

/// Every symbol of the kernel is declared, and no tile is beyond all memory.
LogicalResult SizeSearch::verifyTypes() {
  auto symbols = space.kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
  auto checkSymbols = [&](Operation *op, auto typeOrDim) {
    LogicalResult result = success();
    typeOrDim.walk([&](StringAttr symbol) {
      if (succeeded(result) && (!symbols || !symbols.contains(symbol)))
        result = op->emitOpError() << "has the size '" << symbol.getValue()
                                   << "', which 'tile.symbols' does not declare";
    });
    return result;
  };
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    if (auto tile = dyn_cast<TileType>(type); tile && isBeyondMemory(tile))
      return op->emitOpError() << "has " << tile << ", which no memory holds";
    return isa<TileType, SpanType>(type) ? checkSymbols(op, type) : success();
  };
  WalkResult result = space.kernel.walk([&](Operation *op) -> WalkResult {
    if (auto size = dyn_cast<SizeOp>(op); size && failed(checkSymbols(op, size.getDim())))
      return WalkResult::interrupt();
    return failure(llvm::any_of(getDefinedValues(op),
                                [&](Value value) { return failed(check(op, value.getType())); }));
  });
  return failure(result.wasInterrupted());
}

/// Strips that were asked for must be possible.
LogicalResult SizeSearch::verifyStrips() {
  if (space.strips < 0 || space.strips % space.getMinStripColumns() != 0)
    return space.kernel.emitError()
           << "strips of " << space.strips << " columns were asked for; they have a multiple of "
           << space.getMinStripColumns();
  if (space.mustHaveStrips() && !space.findKeepableRows())
    return space.kernel.emitError()
           << "strips of " << space.strips << " columns were asked for, but "
           << space.getReasonAgainstStrips();
  return success();
}

LogicalResult SizeSearch::verify() {
  auto symbols = space.kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
  for (NamedAttribute symbol : symbols ? symbols.getValue() : ArrayRef<NamedAttribute>())
    if (cast<AutoAttr>(symbol.getValue()).getLo() > SearchSpace::maxRows)
      return space.kernel.emitError()
             << "the size '" << symbol.getName().getValue() << "' begins at "
             << cast<AutoAttr>(symbol.getValue()).getLo() << ", beyond " << SearchSpace::maxRows;
  if (failed(verifyTypes()))
    return failure();
  for (const BoundSize &bound : space.given) {
    auto range = symbols ? symbols.getAs<AutoAttr>(bound.symbol) : AutoAttr();
    if (range && (bound.size < range.getLo() || bound.size > range.getHi()))
      return space.kernel.emitError()
             << bound.symbol.getValue() << " = " << bound.size
             << " was asked for, but its range is " << range.getLo() << " to " << range.getHi();
  }
  return verifyStrips();
}
