// What is asked about the buffers of a kernel's tiles (tile on the chip, analysis).
#include "attn/TileOnChip/BufferAssignment.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

ArrayRef<size_t> BufferAssignment::getInsertionsFrom(Operation *op) const {
  auto found = insertionsFrom.find(op);
  return found == insertionsFrom.end() ? ArrayRef<size_t>() : ArrayRef<size_t>(found->second);
}

int64_t BufferAssignment::getBytes(LocalMemory memory) const {
  for (const MemoryUse &use : memoryUse)
    if (use.memory == memory)
      return use.bytes;
  return 0;
}

bool BufferAssignment::fits(const Chip &chip) const {
  return llvm::all_of(memoryUse, [&](const MemoryUse &use) {
    return use.bytes <= chip.getUsableBytes(use.memory);
  });
}

size_t BufferAssignment::getScratch(Operation *op, Scratch wanted, unsigned number) const {
  if (auto found = scratch.find(op); found != scratch.end())
    for (const NamedScratch &named : found->second)
      if (named.scratch == wanted && named.number == number)
        return named.buffer;
  llvm::report_fatal_error(Twine(op->getName().getStringRef()) + " takes the scratch '" +
                           getName(wanted) + "', which was not counted");
}

std::optional<size_t> BufferAssignment::getBuffer(Value value) const {
  while (true) {
    Place place = getPlace(value);
    switch (place.kind) {
    case Place::None:
      return std::nullopt;
    case Place::Buffer:
      return place.index;
    case Place::Part:
      value = getInsertion(place.index).getResult();
      break;
    case Place::View:
      if (placement.isOnTheWay(value))
        value = placement.getOutput(value).sums;
      else if (auto extract = value.getDefiningOp<ExtractOp>())
        value = extract.getInput();
      else
        value = value.getDefiningOp<BroadcastOp>().getRow();
      break;
    }
  }
}

SmallVector<unsigned> BufferAssignment::getSetAside(Operation *op) const {
  auto range = isa<RangeOp>(op) ? cast<RangeOp>(op) : dyn_cast<RangeOp>(op->getParentOp());
  if (!range)
    return {};
  ValueRange sources =
      isa<RangeOp>(op) ? ValueRange(range.getInits()) : ValueRange(op->getOperands());
  llvm::SmallDenseSet<size_t> overwritten;
  auto isCopied = [&](unsigned number) {
    Value argument = range.getCarried()[number];
    return isa<TileType>(argument.getType()) && !placement.isStart(sources[number]) &&
           getPlace(argument) != getPlace(sources[number]);
  };
  for (unsigned number = 0; number < sources.size(); ++number)
    if (isCopied(number))
      overwritten.insert(*getBuffer(range.getCarried()[number]));
  SmallVector<unsigned> aside;
  for (unsigned number = 0; number < sources.size(); ++number)
    if (std::optional<size_t> source = getBuffer(sources[number]);
        isCopied(number) && source && overwritten.contains(*source))
      aside.push_back(number);
  return aside;
}
