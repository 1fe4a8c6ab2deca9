// Which buffer every tile of a kernel lives in (tile on the chip, analysis): tiles that may share
// memory are gathered into classes; a class becomes a buffer, or a part of another one.
#include "TileClasses.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Support/IntervalPacking.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// What can be assigned
//===----------------------------------------------------------------------===//

static LogicalResult verifyType(Operation *op, Type type) {
  if (isa<SoftmaxStateType>(type))
    return op->emitOpError(
        "has a softmax state, which must be lowered first by tile-decompose-softmax");
  auto tile = dyn_cast<TileType>(type);
  if (!tile)
    return success();
  if (!tile.isBound())
    return op->emitOpError() << "has " << tile
                             << ", which has an unbound block size: tile-fit-tiles must run first";
  // Keeps every byte count far from overflow.
  constexpr int64_t maxElements = int64_t(1) << 40;
  if (tile.getRowCount() > maxElements || tile.getColCount() > maxElements / tile.getRowCount())
    return op->emitOpError() << "has " << tile << ", which no memory holds";
  return success();
}

static LogicalResult verifyAssignable(func::FuncOp kernel) {
  if (kernel.isDeclaration() || !kernel.getBody().hasOneBlock())
    return kernel.emitError("a kernel must be one block, without branches");
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    if (!isa<RangeOp, GridOp, IfOp>(op) && op->getNumRegions() != 0)
      return op->emitOpError(
          "cannot be in a kernel: loops are tile.grid and tile.range, conditions tile.if");
    return failure(llvm::any_of(getDefinedValues(op), [&](Value value) {
      return failed(verifyType(op, value.getType()));
    }));
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

namespace attn::onchip {

class BufferAssigner {
public:
  BufferAssigner(func::FuncOp kernel, const ChipModel &model, BufferAssignment &result)
      : kernel(kernel), model(model), result(result), liveness(kernel, model, result.placement),
        classes(kernel, liveness) {}

  LogicalResult run();

private:
  /// Who touches a buffer.
  struct Touches {
    Operation *commonLoop;
    unsigned pipes;
  };

  size_t getBufferClass(size_t index) const;
  void touch(Value value, Operation *op, unsigned pipes);
  void touchByCopy(OpOperand &use);
  void touchAll(Value value);
  unsigned getWriters(Value value) const;
  unsigned getReaders(Operation *reader, Value value) const;
  LogicalResult verifySums();
  bool isOneOfSeveralSums(size_t index) const;
  void findTurnsOfSums();

  void makeBuffers();
  void makePlaces();
  void makeScratch();
  void addScratch(Operation *op, Value named, const ScratchNeed &need, unsigned number = 0);
  void packBuffers();
  void addInsertionStarts();
  void sortBuffers();
  Value getRepresentative(ArrayRef<Value> members) const;
  std::string getName(Value value, StringRef suffix);

  func::FuncOp kernel;
  const ChipModel &model;
  BufferAssignment &result;
  TileLiveness liveness;
  TileClasses classes;
  DenseMap<size_t, Touches> touches; // by class
  DenseMap<size_t, size_t> numbers;  // from class to buffer
  llvm::StringMap<int64_t> names;    // and the last number after each
  int64_t turnBytes = 0;             // of the slots in which sums of several products take turns
};

} // namespace attn::onchip

LogicalResult BufferAssigner::run() {
  if (failed(verifySums()))
    return failure();
  result.fusedProducts = liveness.getFusedProducts();
  result.insertions = llvm::to_vector(classes.getInsertions());
  makeBuffers();
  makePlaces();
  addInsertionStarts();
  makeScratch();
  sortBuffers();
  packBuffers();
  return success();
}

/// L0C cannot be copied: what a product adds to, and what a loop hands on, must be where the next
/// sums are.
LogicalResult BufferAssigner::verifySums() {
  const Placement &placement = result.placement;
  auto isApart = [&](Value from, Value to) {
    return placement.isSums(from) && classes.getClass(from) != classes.getClass(to);
  };
  auto refuse = [](Operation *op) {
    return op->emitOpError("goes on with sums that are used again afterwards, and cube cores "
                           "cannot copy them");
  };
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto dot = dyn_cast<DotOp>(op);
        dot && dot.getAcc() && isApart(dot.getAcc(), dot.getResult()))
      return refuse(op);
    if (auto range = dyn_cast<RangeOp>(op))
      for (auto [init, argument, next] :
           llvm::zip_equal(range.getInits(), range.getCarried(), range.getYield().getValues()))
        if (isApart(init, argument) || isApart(next, argument))
          return refuse(op);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Who touches a buffer
//===----------------------------------------------------------------------===//

/// The class of the buffer that a class lies in.
size_t BufferAssigner::getBufferClass(size_t index) const {
  while (std::optional<size_t> insertion = classes[index].insertion) {
    InsertOp insert = classes.getInsertions()[*insertion];
    index = *classes.getClass(insert.getResult());
  }
  return index;
}

/// The loop or function around an op: conditions in between change nothing about slots.
static Operation *getLoopAround(Operation *op) {
  Operation *around = op->getParentOp();
  while (isa<IfOp>(around))
    around = around->getParentOp();
  return around;
}

void BufferAssigner::touch(Value value, Operation *op, unsigned pipes) {
  std::optional<size_t> index = classes.getClass(value);
  if (!index)
    return;
  Operation *loop = getLoopAround(op);
  Touches &of = touches.try_emplace(getBufferClass(*index), Touches{loop, NoPipe}).first->second;
  of.pipes |= pipes;
  while (!of.commonLoop->isAncestor(loop))
    of.commonLoop = getLoopAround(of.commonLoop);
}

/// The pipes that write a value where it is made.
unsigned BufferAssigner::getWriters(Value value) const {
  auto op = value.getDefiningOp<OnChipOpInterface>();
  if (!op)
    return NoPipe;
  if (result.placement.isOnCube(op))
    return cast<OnCubeOpInterface>(op.getOperation()).getCubeWritingPipes();
  auto insert = dyn_cast<InsertOp>(op.getOperation());
  return insert && classes.isInPlace(insert) ? NoPipe : op.getWritingPipes(model);
}

/// The pipes that read a value where `reader` takes it.
unsigned BufferAssigner::getReaders(Operation *reader, Value value) const {
  // The products inside a loop read what its sums start from; those that are kept load it.
  if (isa<RangeOp>(reader) && result.placement.isStart(value))
    return model.keepsComposites() ? FeedPipe : ProductPipe;
  return result.placement.isOnCube(reader)
             ? cast<OnCubeOpInterface>(reader).getCubeReadingPipes(value)
             : cast<OnChipOpInterface>(reader).getReadingPipes();
}

/// What a loop or its yield hands on by a copy is read and written by the vector unit.
void BufferAssigner::touchByCopy(OpOperand &use) {
  auto range = dyn_cast<RangeOp>(use.getOwner());
  unsigned first = range ? range.getInits().getBeginOperandIndex() : 0;
  if (isa<YieldOp>(use.getOwner()))
    range = dyn_cast<RangeOp>(use.getOwner()->getParentOp());
  if (!range)
    return;
  Value argument = range.getCarried()[use.getOperandNumber() - first];
  if (classes.getClass(use.get()) == classes.getClass(argument) ||
      result.placement.isStart(use.get()))
    return;
  touch(use.get(), use.getOwner(), VectorPipe);
  touch(argument, use.getOwner(), VectorPipe);
}

/// Notes every op that touches the memory of `value`.
void BufferAssigner::touchAll(Value value) {
  Operation *op = value.getDefiningOp();
  bool isUndefined = isa_and_present<UndefinedOp>(op);
  // A carried tile is set before the loop, so its buffer belongs to what is around the loop.
  if (!isUndefined)
    touch(value, op ? op : value.getParentBlock()->getParentOp(), getWriters(value));
  liveness.forEachReader(value, [&](Operation *reader, bool) {
    bool isHandedOn = isa<RangeOp, YieldOp, InsertOp>(reader);
    if (!isHandedOn || !isUndefined)
      touch(value, reader, getReaders(reader, value));
  });
  if (!isUndefined)
    for (OpOperand &use : value.getUses())
      touchByCopy(use);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The tile that gives a buffer its name and place in the source: the one that lives longest, of
/// those that the source names where there are any.
Value BufferAssigner::getRepresentative(ArrayRef<Value> members) const {
  return *llvm::max_element(members, [&](Value a, Value b) {
    auto rank = [&](Value value) {
      Life life = classes.getLife(value);
      return std::make_tuple(isa<NameLoc>(value.getLoc()), life.end - life.begin, -life.begin);
    };
    return rank(a) < rank(b);
  });
}

/// The name of the source, or that of the op, made unique.
std::string BufferAssigner::getName(Value value, StringRef suffix) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  Operation *op = value.getDefiningOp();
  std::string base = named ? named.getName().str()
                     : op  ? op->getName().stripDialect().str()
                           : "carried";
  if (!suffix.empty())
    base += ("_" + suffix).str();
  // The number after a name goes on from the last one, so that many like names stay cheap.
  int64_t &number = names.try_emplace(base, -1).first->second;
  std::string name = ++number == 0 ? base : base + "_" + std::to_string(number);
  while (name != base && !names.try_emplace(name, 0).second)
    name = base + "_" + std::to_string(++number);
  return name;
}

/// The stages of a loop; a function has one.
static int64_t getStages(Operation *loop) {
  if (auto range = dyn_cast<RangeOp>(loop))
    return range.getStages();
  if (auto grid = dyn_cast<GridOp>(loop))
    return grid.getStages();
  return 1;
}

/// Whether a class is sums of one of several products of a staged loop: they leave L0C in turn, so
/// that each has its own place while those of another leave.
bool BufferAssigner::isOneOfSeveralSums(size_t index) const {
  if (classes[index].memory != LocalMemory::L0C)
    return false;
  Operation *loop = touches.lookup(index).commonLoop;
  return llvm::count_if(touches, [&](auto &entry) {
           return classes[entry.first].memory == LocalMemory::L0C &&
                  entry.second.commonLoop == loop;
         }) > 1;
}

/// Sums of several products of which no two are there at once take turns in two slots of L0C, if
/// that holds two of the largest (ascend-double-buffer).
void BufferAssigner::findTurnsOfSums() {
  constexpr int64_t slots = 2;
  SmallVector<size_t> sums;
  int64_t largest = 0;
  for (auto &[index, touched] : touches) {
    const TileClass &in = classes[index];
    if (in.memory != LocalMemory::L0C)
      continue;
    if (isa<func::FuncOp>(touched.commonLoop))
      return;
    sums.push_back(index);
    largest = std::max(largest, in.elements * in.elementType.getIntOrFloatBitWidth() / 8);
  }
  bool areApart = llvm::all_of(sums, [&](size_t a) {
    return llvm::all_of(sums, [&](size_t b) {
      return a == b || classes[a].occupied.stop() < classes[b].occupied.start() ||
             classes[b].occupied.stop() < classes[a].occupied.start();
    });
  });
  if (sums.size() > 1 && areApart &&
      slots * largest <= model.getChip().getUsableBytes(LocalMemory::L0C))
    turnBytes = slots * largest;
}

void BufferAssigner::makeBuffers() {
  llvm::for_each(classes.getValues(), [&](Value value) { touchAll(value); });
  findTurnsOfSums();
  for (Value value : classes.getValues()) {
    std::optional<size_t> index = classes.getClass(value);
    auto touched = index ? touches.find(*index) : touches.end();
    if (touched == touches.end() || !numbers.try_emplace(*index, result.buffers.size()).second)
      continue;
    const TileClass &in = classes[*index];
    Value named = getRepresentative(in.members);
    TileBuffer buffer{
        getName(named, ""), in.memory,      in.elementType,          in.elements,
        /*slots=*/1,        named.getLoc(), in.occupied.start() / 2, in.occupied.stop() / 2};
    auto [loop, pipes] = touched->second;
    bool hasSlots = getStages(loop) > 1 && llvm::popcount(pipes) > 1;
    if (in.memory == LocalMemory::L0C)
      hasSlots &= turnBytes == 0 && !isOneOfSeveralSums(*index);
    if (hasSlots) {
      buffer.slots = getStages(loop);
      buffer.begin = liveness.getIndex(loop);
      buffer.end = liveness.getLastIndex(loop);
    }
    result.buffers.push_back(std::move(buffer));
  }
}

void BufferAssigner::makePlaces() {
  using Place = BufferAssignment::Place;
  for (Value value : classes.getValues()) {
    std::optional<size_t> index = classes.getClass(value);
    if (liveness.isView(value))
      result.places[value] = {Place::View, 0};
    else if (index && classes[*index].insertion)
      result.places[value] = {Place::Part, *classes[*index].insertion};
    else if (index && numbers.count(*index))
      result.places[value] = {Place::Buffer, numbers[*index]};
  }
}

/// Finds the op where each part's place must be known, and lets the tiles taken from there live in
/// it.
void BufferAssigner::addInsertionStarts() {
  for (auto [number, insert] : llvm::enumerate(result.insertions)) {
    SmallVector<Value> members = classes[*classes.getClass(insert.getPart())].members;
    for (Operation *user : insert.getWhole().getUsers()) {
      auto extract = dyn_cast<ExtractOp>(user);
      if (!extract || !classes.isSamePart(extract, insert))
        continue;
      result.places[extract.getResult()] = {BufferAssignment::Place::Part, number};
      members.push_back(extract.getResult());
    }
    Value first = *llvm::min_element(
        members, [&](Value a, Value b) { return liveness.getBegin(a) < liveness.getBegin(b); });
    Operation *op = first.getDefiningOp();
    op = insert->getBlock()->findAncestorOpInBlock(op ? *op
                                                      : *first.getParentBlock()->getParentOp());
    result.insertionsFrom[op].push_back(number);
  }
}

void BufferAssigner::addScratch(Operation *op, Value named, const ScratchNeed &need,
                                unsigned number) {
  Operation *loop = getLoopAround(op);
  bool isStaged = need.isTransferred && getStages(loop) > 1;
  int64_t begin = liveness.getIndex(isStaged ? loop : op);
  int64_t end = isStaged ? liveness.getLastIndex(loop) : begin;
  result.scratch[op].push_back({need.scratch, number, result.buffers.size()});
  result.buffers.push_back({getName(named, onchip::getName(need.scratch)), need.memory,
                            need.elementType, need.elements,
                            isStaged ? getStages(loop) : need.slots, op->getLoc(), begin, end});
}

void BufferAssigner::makeScratch() {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RangeOp, YieldOp>(op)) {
      for (unsigned number : result.getSetAside(op)) {
        Value argument = isa<RangeOp>(op) ? cast<RangeOp>(op).getCarried()[number]
                                          : cast<RangeOp>(op->getParentOp()).getCarried()[number];
        auto type = cast<TileType>(argument.getType());
        addScratch(op, argument,
                   {Scratch::Aside, type.getElementType(), model.getBufferElements(type)}, number);
      }
      return;
    }
    if (op->getNumResults() == 1 && liveness.isFused(op->getResult(0)))
      return;
    auto onChip = dyn_cast<OnChipOpInterface>(op);
    if (!onChip)
      return;
    SmallVector<ScratchNeed> needs;
    if (result.placement.isOnCube(op))
      cast<OnCubeOpInterface>(op).addCubeScratch(model, result.placement, needs);
    else
      onChip.addScratch(model, liveness.getFusedProducts().lookup(op), needs);
    for (const ScratchNeed &need : needs)
      addScratch(op, op->getNumResults() ? op->getResult(0) : op->getOperand(0), need);
  });
}

/// Orders the buffers by the time they are first used.
void BufferAssigner::sortBuffers() {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, result.buffers.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(result.buffers[a].begin, a) < std::make_pair(result.buffers[b].begin, b);
  });
  SmallVector<size_t> newNumber(order.size());
  SmallVector<TileBuffer> sorted;
  for (auto [number, old] : llvm::enumerate(order)) {
    newNumber[old] = number;
    sorted.push_back(std::move(result.buffers[old]));
  }
  result.buffers = std::move(sorted);
  for (auto &[value, place] : result.places)
    if (place.kind == BufferAssignment::Place::Buffer)
      place.index = newNumber[place.index];
  for (auto &[op, numbers] : result.scratch)
    for (auto &named : numbers)
      named.buffer = newNumber[named.buffer];
}

void BufferAssigner::packBuffers() {
  result.offsets.resize(result.buffers.size());
  for (const LocalMemoryFacts &memory : getLocalMemories()) {
    SmallVector<size_t> numbers;
    SmallVector<LiveInterval> intervals;
    for (auto [number, buffer] : llvm::enumerate(result.buffers))
      if (buffer.memory == memory.memory) {
        numbers.push_back(number);
        intervals.push_back({buffer.getBytes(), buffer.begin, buffer.end});
      }
    Packing packing = packIntervals(intervals, memory.alignment);
    for (auto [number, offset] : llvm::zip_equal(numbers, packing.offsets))
      result.offsets[number] = offset;
    if (memory.memory == LocalMemory::L0C)
      packing.bytes = std::max(packing.bytes, turnBytes);
    // A kernel without tiles takes nothing of the memory that tiles live in.
    if (!numbers.empty() || (memory.memory == tileMemory && result.buffers.empty()))
      result.memoryUse.push_back({memory.memory, packing.bytes});
  }
}

//===----------------------------------------------------------------------===//
// The assignment
//===----------------------------------------------------------------------===//

FailureOr<BufferAssignment> BufferAssignment::create(func::FuncOp kernel, const ChipModel &model) {
  if (failed(verifyAssignable(kernel)))
    return failure();
  FailureOr<Placement> placement = Placement::create(kernel, model);
  if (failed(placement))
    return failure();
  BufferAssignment assignment;
  assignment.placement = std::move(*placement);
  if (failed(BufferAssigner(kernel, model, assignment).run()))
    return failure();
  return assignment;
}
