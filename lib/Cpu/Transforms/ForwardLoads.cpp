// The pass `jit-forward-loads`: removes the copies of loads that may read the array itself. CPU
// stage, on tensors.
#include "WholeRows.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace attn {
#define GEN_PASS_DEF_FORWARDLOADSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whether anything may write through the memref or a view of it.
bool isWritten(Value memref) {
  return llvm::any_of(memref.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return llvm::any_of(user->getResults(), isWritten);
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return use.get() == copy.getTarget();
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(user))
      return tensor.getWritable();
    return !isa<memref::DimOp, memref::LoadOp, memref::ExtractStridedMetadataOp>(user);
  });
}

/// The function argument that a memref is a view of, or null.
BlockArgument findArgument(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

/// The copy that fills the buffer of a load, where nothing else uses that buffer; otherwise null.
memref::CopyOp findOnlyCopy(bufferization::ToTensorOp load) {
  auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
  if (!buffer || !buffer.getResult().hasNUses(2))
    return {};
  for (Operation *user : buffer->getUsers()) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    auto source = copy ? dyn_cast<MemRefType>(copy.getSource().getType()) : MemRefType();
    if (source && copy.getTarget() == buffer.getResult() &&
        source.getShape() == buffer.getType().getShape() && copy->getBlock() == load->getBlock() &&
        copy->isBeforeInBlock(load))
      return copy;
  }
  return {};
}

/// A load that fills part of its buffer: rows of an array, and zeros where there are none.
struct PartialLoad {
  memref::SubViewOp source;        // the rows of the array, as many as exist
  Value rows;                      // their number
  SmallVector<Operation *> writes; // what fills the buffer, in order
};

/// The only size of a part that is not a number; null where there are none or several.
Value findOnlyDynamicSize(memref::SubViewOp part) {
  return part.getSizes().size() == 1 ? part.getSizes().front() : Value();
}

/// How a load fills its buffer, where it copies rows of an array once and sets others to a number;
/// otherwise nothing.
std::optional<PartialLoad> findPartialLoad(bufferization::ToTensorOp load) {
  auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
  if (!buffer || buffer.getType().getRank() != 2)
    return std::nullopt;
  PartialLoad result;
  for (Operation *user : buffer->getUsers()) {
    if (user == load)
      continue;
    auto part = dyn_cast<memref::SubViewOp>(user);
    if (!part || !part->hasOneUse())
      return std::nullopt;
    Operation *write = *part->getUsers().begin();
    auto copy = dyn_cast<memref::CopyOp>(write);
    bool isFill = isa<linalg::FillOp>(write), isCopy = copy && copy.getTarget() == part.getResult();
    if ((!isFill && !isCopy) || (isCopy && result.source) ||
        write->getBlock() != load->getBlock() || !write->isBeforeInBlock(load))
      return std::nullopt;
    if (isCopy)
      result.source = copy.getSource().getDefiningOp<memref::SubViewOp>();
    if (isCopy && !result.source)
      return std::nullopt;
    result.writes.append({part, write});
  }
  if (!result.source)
    return std::nullopt;
  // A column is too small to matter.
  MemRefType type = result.source.getType(), whole = buffer.getType();
  result.rows = findOnlyDynamicSize(result.source);
  if (!result.rows || type.getRank() != 2 || !type.isDynamicDim(0) ||
      type.getDimSize(1) != whole.getDimSize(1) || whole.getDimSize(1) == 1)
    return std::nullopt;
  llvm::sort(result.writes,
             [](Operation *one, Operation *other) { return one->isBeforeInBlock(other); });
  return result;
}

/// Reads the array itself where all rows exist, and the buffer only where some do not.
void forwardWhole(bufferization::ToTensorOp load, const PartialLoad &partial) {
  auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
  ImplicitLocOpBuilder builder(load.getLoc(), load);
  Value isWhole = attn::jit::createIsWhole(builder, partial.rows, buffer.getType());
  Value lacksRows = attn::jit::createNot(builder, isWhole);
  auto fill = scf::IfOp::create(builder, lacksRows, /*withElseRegion=*/false);
  for (Operation *write : partial.writes)
    write->moveBefore(fill.thenBlock()->getTerminator());
  Value view = attn::jit::createWholeView(builder, partial.source, buffer.getType());
  load.getBufferMutable().assign(attn::jit::createChoice(builder, isWhole, view, buffer));
  load.setWritable(false);
}

/// The copy of a load that fills a part of its buffer, where every user takes exactly that part;
/// otherwise null. Products do so.
memref::CopyOp findCopyOfUsedPart(bufferization::ToTensorOp load) {
  auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
  if (!buffer || !buffer.getResult().hasNUses(2) || load->use_empty())
    return {};
  for (Operation *user : buffer->getUsers()) {
    auto part = dyn_cast<memref::SubViewOp>(user);
    if (!part || !part->hasOneUse())
      continue;
    auto copy = dyn_cast<memref::CopyOp>(*part->getUsers().begin());
    bool isUsedPart = copy && copy.getTarget() == part.getResult() &&
                      isa<MemRefType>(copy.getSource().getType()) &&
                      copy->getBlock() == load->getBlock() && copy->isBeforeInBlock(load) &&
                      llvm::all_of(load->getUsers(), [&](Operation *taker) {
                        auto slice = dyn_cast<tensor::ExtractSliceOp>(taker);
                        return slice && slice.getType().getRank() == 2 &&
                               slice.getMixedOffsets() == part.getMixedOffsets() &&
                               slice.getMixedSizes() == part.getMixedSizes() &&
                               slice.getMixedStrides() == part.getMixedStrides();
                      });
    if (isUsedPart)
      return copy;
  }
  return {};
}

/// Lets the users of a part of a load read the array.
void forwardPart(bufferization::ToTensorOp load, memref::CopyOp copy) {
  OpBuilder builder(load);
  for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
    auto slice = cast<tensor::ExtractSliceOp>(user);
    Value source = copy.getSource();
    auto type = cast<MemRefType>(source.getType());
    auto known = MemRefType::get(slice.getType().getShape(), type.getElementType(),
                                 type.getLayout(), type.getMemorySpace());
    if (known != type)
      source = memref::CastOp::create(builder, load.getLoc(), known, source);
    Value part = bufferization::ToTensorOp::create(builder, load.getLoc(), slice.getType(), source,
                                                   /*restrict=*/true, /*writable=*/false);
    slice.replaceAllUsesWith(part);
    slice.erase();
  }
  Operation *buffer = load.getBuffer().getDefiningOp();
  Operation *part = copy.getTarget().getDefiningOp();
  for (Operation *op : {load.getOperation(), copy.getOperation(), part, buffer})
    op->erase();
}

struct ForwardLoadsPass : attn::impl::ForwardLoadsPassBase<ForwardLoadsPass> {
  void runOnOperation() override {
    SmallVector<bufferization::ToTensorOp> loads;
    getOperation().walk([&](bufferization::ToTensorOp load) { loads.push_back(load); });
    for (bufferization::ToTensorOp load : loads)
      forward(load);
  }

private:
  void forward(bufferization::ToTensorOp load) {
    if (memref::CopyOp copy = findOnlyCopy(load); copy && mayReadDirectly(copy.getSource())) {
      Operation *buffer = load.getBuffer().getDefiningOp();
      load.getBufferMutable().assign(copy.getSource());
      load.setWritable(false);
      copy.erase();
      buffer->erase();
      ++forwarded;
    } else if (memref::CopyOp part = findCopyOfUsedPart(load);
               part && mayReadDirectly(part.getSource())) {
      forwardPart(load, part);
      ++forwarded;
    } else if (std::optional<PartialLoad> partial = findPartialLoad(load);
               partial && mayReadDirectly(partial->source)) {
      forwardWhole(load, *partial);
      ++chosen;
    } else {
      ++kept;
    }
  }

  /// Whether the memref is a view of an argument that nothing writes.
  bool mayReadDirectly(Value memref) {
    BlockArgument argument = findArgument(memref);
    if (!argument)
      return false;
    auto [entry, isNew] = written.try_emplace(argument, false);
    if (isNew)
      entry->second = isWritten(argument);
    return !entry->second;
  }

  DenseMap<Value, bool> written;
};

} // namespace
