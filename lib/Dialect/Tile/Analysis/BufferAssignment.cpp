// Which buffer every tile of a kernel lives in (tile stage, analysis): tiles that may share memory
// are gathered into classes; a class becomes a buffer, or a part of another one.
#include "attn/Dialect/Tile/Analysis/BufferAssignment.h"
#include "TileLiveness.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "attn/Support/IntervalPacking.h"
#include "llvm/ADT/StringSet.h"
#include <limits>
#include <map>

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static TileType getTileType(Value value) { return dyn_cast<TileType>(value.getType()); }

static bool isUndefined(Value value) { return value.getDefiningOp<UndefinedOp>() != nullptr; }

//===----------------------------------------------------------------------===//
// What can be assigned
//===----------------------------------------------------------------------===//

static LogicalResult verifyType(Operation *op, Type type) {
  if (isa<SoftmaxStateType>(type))
    return op->emitOpError("has a softmax state: run tile-decompose-softmax before");
  auto tile = dyn_cast<TileType>(type);
  if (!tile)
    return success();
  if (!tile.isBound())
    return op->emitOpError() << "has " << tile
                             << ", whose sizes are no numbers yet: run tile-fit-tiles before";
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
    if (!isa<RangeOp, GridOp>(op) && op->getNumRegions() != 0)
      return op->emitOpError("cannot stand in a kernel: loops are tile.grid and tile.range");
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(verifyType(op, argument.getType())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

namespace {
enum PipeSet : unsigned { NoPipe = 0, LoadPipe = 1, VectorPipe = 2, StorePipe = 4 };
} // namespace

namespace attn::tile {

class BufferAssigner {
public:
  BufferAssigner(func::FuncOp kernel, BufferAssignment &result)
      : kernel(kernel), result(result), liveness(kernel) {}

  void run();

private:
  /// Tiles that share memory: no two of them are alive at the same time.
  struct Class {
    Type elementType;
    int64_t elements;
    std::map<int64_t, int64_t> occupied; // begin -> end, disjoint
    SmallVector<Value> members;
    std::optional<size_t> insertion; // it lies in the part that this insertion replaces
    // Who touches it; filled in at the end.
    Operation *commonLoop = nullptr;
    unsigned pipes = NoPipe;
    bool touched = false;
  };

  void addClass(Value value);
  size_t find(size_t index);
  std::optional<size_t> getClass(Value value);
  bool isFree(const Class &in, int64_t begin, int64_t end) const;
  bool merge(size_t first, size_t second);
  bool merge(Value first, Value second);

  void placeCarried(RangeOp range);
  void placePart(InsertOp insert);
  int64_t getPartFree(InsertOp insert) const;
  void placeInPlace(Operation *op);

  size_t getBufferClass(size_t index);
  void touch(Value value, Operation *op, unsigned pipes);
  void touchAll(Value value);
  unsigned getWriters(Value value);
  void makeBuffers();
  void makeScratch();
  void addScratch(Operation *op, Value named, const ScratchNeed &need);
  void addInsertionStarts();
  void sortBuffers();
  Value getRepresentative(ArrayRef<Value> members) const;
  std::string getName(Value value, StringRef suffix);
  std::pair<Operation *, int64_t> getStages(Operation *loop) const;

  func::FuncOp kernel;
  BufferAssignment &result;
  TileLiveness liveness;
  std::vector<Class> classes;
  SmallVector<size_t> parents;
  DenseMap<Value, size_t> classOf;
  SmallVector<Value> values; // in the order of writing
  llvm::StringSet<> names;
};

} // namespace attn::tile

void BufferAssigner::run() {
  SmallVector<RangeOp> ranges;
  SmallVector<InsertOp> inserts;
  SmallVector<Operation *> ops;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    if (auto range = dyn_cast<RangeOp>(op)) {
      ranges.push_back(range);
      llvm::for_each(range.getCarried(), [&](Value value) { addClass(value); });
    }
    if (auto insert = dyn_cast<InsertOp>(op))
      inserts.push_back(insert);
    llvm::for_each(op->getResults(), [&](Value value) { addClass(value); });
  });
  llvm::for_each(ranges, [&](RangeOp range) { placeCarried(range); });
  llvm::for_each(inserts, [&](InsertOp insert) { placePart(insert); });
  llvm::for_each(ops, [&](Operation *op) { placeInPlace(op); });
  result.fusedProducts = liveness.getFusedProducts();
  makeBuffers();
  addInsertionStarts();
  makeScratch();
  sortBuffers();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Whether a splat must be written to a buffer of its own: not where its users take the scalar or
/// can fill their own buffer with it.
static bool needsBuffer(SplatOp splat) {
  return llvm::any_of(splat->getUses(), [](OpOperand &use) {
    return !isa<RangeOp, YieldOp, InsertOp>(use.getOwner()) && !isScalarUse(use);
  });
}

void BufferAssigner::addClass(Value value) {
  TileType type = getTileType(value);
  if (!type)
    return;
  values.push_back(value);
  auto splat = value.getDefiningOp<SplatOp>();
  if ((splat && !needsBuffer(splat)) || liveness.isView(value) || liveness.isFused(value))
    return;
  Life life = liveness.getLife(value);
  Class single{
      type.getElementType(), getBufferElements(type), {{life.begin, life.end}}, {value}, {}};
  classOf[value] = classes.size();
  parents.push_back(classes.size());
  classes.push_back(std::move(single));
}

size_t BufferAssigner::find(size_t index) {
  while (parents[index] != index)
    index = parents[index] = parents[parents[index]];
  return index;
}

std::optional<size_t> BufferAssigner::getClass(Value value) {
  auto found = classOf.find(value);
  return found == classOf.end() ? std::nullopt : std::optional<size_t>(find(found->second));
}

bool BufferAssigner::isFree(const Class &in, int64_t begin, int64_t end) const {
  auto behind = in.occupied.upper_bound(end);
  return behind == in.occupied.begin() || std::prev(behind)->second < begin;
}

bool BufferAssigner::merge(size_t first, size_t second) {
  if (first == second)
    return true;
  if (classes[first].occupied.size() < classes[second].occupied.size())
    std::swap(first, second);
  Class &large = classes[first], &small = classes[second];
  if (large.elementType != small.elementType || large.elements != small.elements ||
      (large.insertion && small.insertion))
    return false;
  for (auto [begin, end] : small.occupied)
    if (!isFree(large, begin, end))
      return false;
  large.occupied.insert(small.occupied.begin(), small.occupied.end());
  large.members.append(small.members);
  if (small.insertion)
    large.insertion = small.insertion;
  parents[second] = first;
  small = Class();
  return true;
}

bool BufferAssigner::merge(Value first, Value second) {
  std::optional<size_t> one = getClass(first), two = getClass(second);
  return one && two && merge(*one, *two);
}

/// Argument and result of a carried tile are one buffer; its next and its initial value too, where
/// nothing else is alive in it. Otherwise they are copied there.
void BufferAssigner::placeCarried(RangeOp range) {
  for (auto [init, argument, next, output] :
       llvm::zip_equal(range.getInits(), range.getCarried(), range.getYield().getValues(),
                       range.getResults())) {
    if (!getTileType(argument))
      continue;
    merge(argument, output);
    merge(argument, next);
    merge(argument, init);
  }
}

/// From when on the part that `insert` replaces is free to be written: everything else has read it,
/// and its place is known.
int64_t BufferAssigner::getPartFree(InsertOp insert) const {
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
    bool samePart = extract.getRow() == insert.getRow() && extract.getCol() == insert.getCol() &&
                    extract.getResult().getType() == insert.getPart().getType();
    liveness.forEachReader(extract.getResult(), [&](Operation *reader, bool mayOverwrite) {
      free = std::max(free, liveness.getReadPosition(whole, reader, samePart && mayOverwrite));
    });
  }
  return free;
}

/// The result of an insertion is the buffer of the whole. The part is computed inside it where the
/// part is one run of elements and nothing else needs what stood there before.
void BufferAssigner::placePart(InsertOp insert) {
  Value part = insert.getPart();
  bool inWhole = merge(insert.getWhole(), insert.getResult());
  std::optional<size_t> own = getClass(part);
  int64_t position = 2 * liveness.getIndex(insert) + 1;
  if (!inWhole || !own || part.getParentBlock() != insert->getBlock() ||
      liveness.getLife(part).end > position ||
      !isContiguousPart(insert.getPart().getType(), insert.getWhole().getType(), insert.getRow(),
                        insert.getCol()))
    return;
  Class region{classes[*own].elementType, classes[*own].elements, {}, {}, result.insertions.size()};
  region.occupied[0] = getPartFree(insert);
  region.occupied[position + 1] = std::numeric_limits<int64_t>::max();
  parents.push_back(classes.size());
  classes.push_back(std::move(region));
  if (!merge(parents.back(), *own)) {
    parents.pop_back();
    classes.pop_back();
    return;
  }
  result.insertions.push_back(insert);
}

void BufferAssigner::placeInPlace(Operation *op) {
  if (!isBinary(op) && !isUnary(op))
    return;
  std::optional<size_t> own = getClass(op->getResult(0));
  if (!own)
    return;
  auto product = liveness.getFusedProducts().lookup(op);
  SmallVector<size_t, 2> candidates;
  for (OpOperand &use : op->getOpOperands()) {
    if (product && use.get() == product.getResult())
      continue;
    std::optional<size_t> operand = mayWriteOver(use) ? getClass(use.get()) : std::nullopt;
    if (operand == own)
      return;
    if (operand)
      candidates.push_back(*operand);
  }
  for (size_t candidate : candidates)
    if (merge(*own, candidate))
      return;
}

//===----------------------------------------------------------------------===//
// Who touches a buffer
//===----------------------------------------------------------------------===//

/// The class of the buffer that a class lies in.
size_t BufferAssigner::getBufferClass(size_t index) {
  while (classes[index].insertion)
    index = *getClass(result.insertions[*classes[index].insertion].getResult());
  return index;
}

void BufferAssigner::touch(Value value, Operation *op, unsigned pipes) {
  std::optional<size_t> index = getClass(value);
  if (!index)
    return;
  Class &buffer = classes[getBufferClass(*index)];
  buffer.pipes |= pipes;
  Operation *loop = op->getParentOp();
  if (!buffer.touched) {
    buffer.touched = true;
    buffer.commonLoop = loop;
  }
  while (!buffer.commonLoop->isAncestor(loop))
    buffer.commonLoop = buffer.commonLoop->getParentOp();
}

/// The pipes that write a value where it is made.
unsigned BufferAssigner::getWriters(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_if_present<LoadOp>(op))
    return getSelection(load).form == TransferForm::StridedColumn ? VectorPipe : LoadPipe;
  if (auto insert = dyn_cast_if_present<InsertOp>(op)) {
    std::optional<size_t> part = getClass(insert.getPart());
    bool inPlace =
        part && classes[*part].insertion && result.insertions[*classes[*part].insertion] == insert;
    return inPlace ? NoPipe : VectorPipe;
  }
  return op && !isa<RangeOp, UndefinedOp>(op) ? VectorPipe : NoPipe;
}

/// Notes every op that touches the memory of `value`.
void BufferAssigner::touchAll(Value value) {
  Operation *op = value.getDefiningOp();
  // A carried tile is set before the loop, so its buffer belongs to what is around the loop.
  if (!op)
    op = value.getParentBlock()->getParentOp();
  if (!isa<UndefinedOp>(op))
    touch(value, op, getWriters(value));
  liveness.forEachReader(value, [&](Operation *reader, bool) {
    if (auto store = dyn_cast<StoreOp>(reader))
      return touch(value, reader,
                   getSelection(store).form == TransferForm::StridedColumn ? VectorPipe
                                                                           : StorePipe);
    bool isHandedOn = isa<RangeOp, YieldOp, InsertOp>(reader);
    if (isHandedOn && isUndefined(value))
      return;
    touch(value, reader, isHandedOn ? NoPipe : VectorPipe);
  });
  // What is handed on by a copy is read and written by the vector unit.
  for (OpOperand &use : value.getUses()) {
    auto range = dyn_cast<RangeOp>(use.getOwner());
    auto yield = dyn_cast<YieldOp>(use.getOwner());
    if (yield)
      range = dyn_cast<RangeOp>(yield->getParentOp());
    if (!range)
      continue;
    unsigned number =
        use.getOperandNumber() - (yield ? 0 : range.getInits().getBeginOperandIndex());
    Value argument = range.getCarried()[number];
    if (getClass(value) == getClass(argument) || isUndefined(value))
      continue;
    touch(value, use.getOwner(), VectorPipe);
    touch(argument, use.getOwner(), VectorPipe);
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The tile that gives a buffer its name and place in the source: the one that lives longest, of
/// those that the source names where there are any.
Value BufferAssigner::getRepresentative(ArrayRef<Value> members) const {
  return *llvm::max_element(members, [&](Value a, Value b) {
    auto rank = [&](Value value) {
      Life life = liveness.getLife(value);
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
  std::string name = base;
  for (int64_t number = 1; !names.insert(name).second; ++number)
    name = base + "_" + std::to_string(number);
  return name;
}

/// The loop and its stages; a function has none.
std::pair<Operation *, int64_t> BufferAssigner::getStages(Operation *loop) const {
  if (auto range = dyn_cast<RangeOp>(loop))
    return {loop, range.getStages()};
  if (auto grid = dyn_cast<GridOp>(loop))
    return {loop, grid.getStages()};
  return {loop, 1};
}

void BufferAssigner::makeBuffers() {
  llvm::for_each(values, [&](Value value) { touchAll(value); });
  DenseMap<size_t, size_t> numbers;
  for (Value value : values) {
    std::optional<size_t> index = getClass(value);
    if (!index || classes[*index].insertion || !classes[*index].touched || numbers.count(*index))
      continue;
    Class &in = classes[*index];
    Value named = getRepresentative(in.members);
    TileBuffer buffer{getName(named, ""),
                      in.elementType,
                      in.elements,
                      1,
                      named.getLoc(),
                      in.occupied.begin()->first / 2,
                      in.occupied.rbegin()->second / 2};
    auto [loop, stages] = getStages(in.commonLoop);
    bool isHandedOver = (in.pipes & (LoadPipe | StorePipe)) && (in.pipes & (in.pipes - 1));
    if (stages > 1 && isHandedOver) {
      buffer.slots = stages;
      buffer.begin = liveness.getIndex(loop);
      buffer.end = liveness.getLastIndex(loop);
    }
    numbers[*index] = result.buffers.size();
    result.buffers.push_back(std::move(buffer));
  }
  using Place = BufferAssignment::Place;
  for (Value value : values) {
    std::optional<size_t> index = getClass(value);
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
    SmallVector<Value> members = classes[*getClass(insert.getPart())].members;
    for (Operation *user : insert.getWhole().getUsers()) {
      auto extract = dyn_cast<ExtractOp>(user);
      if (!extract || !liveness.isView(extract.getResult()) ||
          extract.getRow() != insert.getRow() || extract.getCol() != insert.getCol() ||
          extract->getBlock() != insert->getBlock() ||
          extract.getResult().getType() != insert.getPart().getType())
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

void BufferAssigner::addScratch(Operation *op, Value named, const ScratchNeed &need) {
  auto [loop, stages] = getStages(op->getParentOp());
  bool isStaged = need.isTransferred && stages > 1;
  int64_t begin = liveness.getIndex(isStaged ? loop : op);
  int64_t end = isStaged ? liveness.getLastIndex(loop) : begin;
  result.scratch[op].push_back(result.buffers.size());
  result.buffers.push_back({getName(named, need.purpose), need.elementType, need.elements,
                            isStaged ? stages : 1, op->getLoc(), begin, end});
}

void BufferAssigner::makeScratch() {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RangeOp, YieldOp>(op)) {
      for (unsigned number : result.getSetAside(op)) {
        Value argument = isa<RangeOp>(op) ? cast<RangeOp>(op).getCarried()[number]
                                          : cast<RangeOp>(op->getParentOp()).getCarried()[number];
        TileType type = getTileType(argument);
        addScratch(op, argument, {"aside", type.getElementType(), getBufferElements(type)});
      }
      return;
    }
    if (op->getNumResults() == 1 && liveness.isFused(op->getResult(0)))
      return;
    auto product = liveness.getFusedProducts().lookup(op);
    for (const ScratchNeed &need : getScratchNeeds(op, product))
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
    for (size_t &number : numbers)
      number = newNumber[number];
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

FailureOr<BufferAssignment> BufferAssignment::create(func::FuncOp kernel) {
  if (failed(verifyAssignable(kernel)))
    return failure();
  BufferAssignment assignment;
  BufferAssigner(kernel, assignment).run();
  return assignment;
}

template <typename Map> static ArrayRef<size_t> lookupList(const Map &map, Operation *op) {
  auto found = map.find(op);
  return found == map.end() ? ArrayRef<size_t>() : ArrayRef<size_t>(found->second);
}

ArrayRef<size_t> BufferAssignment::getInsertionsFrom(Operation *op) const {
  return lookupList(insertionsFrom, op);
}

ArrayRef<size_t> BufferAssignment::getScratch(Operation *op) const {
  return lookupList(scratch, op);
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
      value = value.getDefiningOp<ExtractOp>().getInput();
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
    return isa<TileType>(argument.getType()) && getPlace(argument) != getPlace(sources[number]);
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

int64_t BufferAssignment::getPackedBytes() const {
  constexpr int64_t blockBytes = 32;
  SmallVector<LiveInterval> intervals = llvm::map_to_vector(buffers, [](const TileBuffer &buffer) {
    return LiveInterval{buffer.getBytes(), buffer.begin, buffer.end};
  });
  return packIntervals(intervals, blockBytes).bytes;
}
