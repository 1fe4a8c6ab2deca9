// Which tiles of a kernel share memory (tile on the chip, analysis): every tile starts as a class
// of its own; classes whose tiles are never alive at the same time are joined where that saves a
// copy or a buffer.
#include "TileClasses.h"
#include "attn/TileOnChip/Families/Elementwise.h"
#include "attn/TileOnChip/Families/Parts.h"
#include "attn/TileOnChip/OnChipOpInterface.h"
#include <limits>

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

TileClasses::TileClasses(func::FuncOp kernel, const TileLiveness &liveness) : liveness(liveness) {
  SmallVector<RangeOp> ranges;
  SmallVector<InsertOp> inserts;
  SmallVector<Operation *> ops;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    if (auto range = dyn_cast<RangeOp>(op)) {
      ranges.push_back(range);
      llvm::for_each(range.getCarried(), [&](Value value) { add(value); });
    }
    if (auto insert = dyn_cast<InsertOp>(op))
      inserts.push_back(insert);
    llvm::for_each(op->getResults(), [&](Value value) { add(value); });
  });
  llvm::for_each(ranges, [&](RangeOp range) { placeCarried(range); });
  llvm::for_each(inserts, [&](InsertOp insert) { placePart(insert); });
  llvm::for_each(ops, [&](Operation *op) { placeInPlace(op); });
}

/// Whether a splat must be written to a buffer of its own: not where its users take the scalar or
/// can fill their own buffer with it.
static bool needsBuffer(SplatOp splat) {
  return llvm::any_of(splat->getUses(), [](OpOperand &use) {
    return !isa<RangeOp, YieldOp, InsertOp>(use.getOwner()) && !isScalarUse(use);
  });
}

void TileClasses::add(Value value) {
  auto type = dyn_cast<TileType>(value.getType());
  if (!type)
    return;
  values.push_back(value);
  auto splat = value.getDefiningOp<SplatOp>();
  const Placement &placement = liveness.getPlacement();
  if ((splat && !needsBuffer(splat)) || (placement.isStart(value) && !placement.getPlace(value)) ||
      liveness.isView(value) || liveness.isFused(value))
    return;
  Life life = lives[value] = liveness.getLife(value);
  std::optional<CubePlace> place = placement.getPlace(value);
  TileClass single{place ? place->memory : tileMemory,
                   type.getElementType(),
                   place ? place->elements : liveness.getModel().getBufferElements(type),
                   TileClass::Intervals(allocator),
                   {value}};
  single.occupied.insert(life.begin, life.end, true);
  classOf[value] = classes.size();
  parents.push_back(classes.size());
  classes.push_back(std::move(single));
}

size_t TileClasses::find(size_t index) const {
  while (parents[index] != index)
    index = parents[index] = parents[parents[index]];
  return index;
}

std::optional<size_t> TileClasses::getClass(Value value) const {
  auto found = classOf.find(value);
  return found == classOf.end() ? std::nullopt : std::optional<size_t>(find(found->second));
}

bool TileClasses::merge(size_t first, size_t second) {
  if (first == second)
    return true;
  if (classes[first].getIntervalCount() < classes[second].getIntervalCount())
    std::swap(first, second);
  TileClass &large = classes[first], &small = classes[second];
  if (large.memory != small.memory || large.elementType != small.elementType ||
      large.elements != small.elements || (large.insertion && small.insertion))
    return false;
  for (auto life = small.occupied.begin(); life.valid(); ++life)
    if (large.occupied.overlaps(life.start(), life.stop()))
      return false;
  for (auto life = small.occupied.begin(); life.valid(); ++life)
    large.occupied.insert(life.start(), life.stop(), true);
  large.members.append(small.members);
  if (small.insertion)
    large.insertion = small.insertion;
  parents[second] = first;
  small.occupied.clear();
  small.members.clear();
  return true;
}

bool TileClasses::merge(Value first, Value second) {
  std::optional<size_t> one = getClass(first), two = getClass(second);
  return one && two && merge(*one, *two);
}

/// Argument and result of a carried tile are one buffer; its next and its initial value too, where
/// nothing else is alive in it. Otherwise they are copied there.
void TileClasses::placeCarried(RangeOp range) {
  for (auto [init, argument, next, output] :
       llvm::zip_equal(range.getInits(), range.getCarried(), range.getYield().getValues(),
                       range.getResults())) {
    if (!isa<TileType>(argument.getType()))
      continue;
    merge(argument, output);
    merge(argument, next);
    merge(argument, init);
  }
}

/// From when on the part that `insert` replaces is free to be written: everything else has read it,
/// and its place is known.
int64_t TileClasses::getPartFree(InsertOp insert) const {
  Value whole = insert.getWhole();
  int64_t free = liveness.getBegin(whole);
  for (Value offset : {insert.getRow(), insert.getCol()})
    if (Operation *op = offset.getDefiningOp(); op && op->getBlock() == insert->getBlock())
      free = std::max(free, 2 * liveness.getIndex(op) + 1);
  for (Operation *user : whole.getUsers()) {
    auto extract = dyn_cast<ExtractOp>(user);
    if (user == insert)
      continue;
    if (!extract || !liveness.isView(extract.getResult())) {
      free = std::max(free, liveness.getReadPosition(whole, user, /*mayOverwrite=*/false));
      continue;
    }
    bool samePart = isSamePart(extract, insert);
    liveness.forEachReader(extract.getResult(), [&](Operation *reader, bool mayOverwrite) {
      free = std::max(free, liveness.getReadPosition(whole, reader, samePart && mayOverwrite));
    });
  }
  return free;
}

/// The result of an insertion is the buffer of the whole. The part is computed inside it where the
/// part is one run of elements and nothing else needs what stood there before.
void TileClasses::placePart(InsertOp insert) {
  Value part = insert.getPart();
  bool inWhole = merge(insert.getWhole(), insert.getResult());
  std::optional<size_t> own = getClass(part);
  int64_t position = 2 * liveness.getIndex(insert) + 1;
  if (!inWhole || !own || part.getParentBlock() != insert->getBlock() ||
      getLife(part).end > position || getPartForm(insert, liveness.getModel()) != PartForm::InPlace)
    return;
  TileClass region{classes[*own].memory,
                   classes[*own].elementType,
                   classes[*own].elements,
                   TileClass::Intervals(allocator),
                   {},
                   insertions.size()};
  region.occupied.insert(0, getPartFree(insert), true);
  region.occupied.insert(position + 1, std::numeric_limits<int64_t>::max(), true);
  parents.push_back(classes.size());
  classes.push_back(std::move(region));
  if (!merge(parents.back(), *own)) {
    parents.pop_back();
    classes.pop_back();
    return;
  }
  insertions.push_back(insert);
}

void TileClasses::placeInPlace(Operation *op) {
  auto onChip = dyn_cast<OnChipOpInterface>(op);
  if (!onChip || op->getNumResults() != 1)
    return;
  std::optional<size_t> own = getClass(op->getResult(0));
  if (!own)
    return;
  auto product = liveness.getFusedProducts().lookup(op);
  SmallVector<size_t, 2> candidates;
  for (OpOperand &use : op->getOpOperands()) {
    if (product && use.get() == product.getResult())
      continue;
    std::optional<size_t> operand = onChip.mayWriteOver(use) ? getClass(use.get()) : std::nullopt;
    if (operand == own)
      return;
    if (operand)
      candidates.push_back(*operand);
  }
  for (size_t candidate : candidates)
    if (merge(*own, candidate))
      return;
}

bool TileClasses::isInPlace(InsertOp insert) const {
  std::optional<size_t> part = getClass(insert.getPart());
  return part && classes[*part].insertion && insertions[*classes[*part].insertion] == insert;
}

bool TileClasses::isSamePart(ExtractOp extract, InsertOp insert) const {
  return extract.getInput() == insert.getWhole() && extract->getBlock() == insert->getBlock() &&
         extract.getRow() == insert.getRow() && extract.getCol() == insert.getCol() &&
         extract.getResult().getType() == insert.getPart().getType() &&
         extract.getTransposed() == insert.getTransposed() && liveness.isView(extract.getResult());
}
