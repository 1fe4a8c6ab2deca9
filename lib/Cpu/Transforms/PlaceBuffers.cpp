// The pass `jit-place-buffers`: allocates every buffer once, at the start of its function. CPU
// stage, on buffers.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace attn {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whole cache lines, and whole vectors of any width.
constexpr int64_t bufferAlignmentBytes = 64;

/// What a size is at the most, by how the rows and columns that exist are counted; none where that
/// does not say. Bounds by `ValueBoundsOpInterface` know nothing of the minima and maxima of arith.
std::optional<int64_t> getMost(Value size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return number;
  std::optional<int64_t> most;
  auto limit = [&](std::optional<int64_t> other) {
    if (other)
      most = std::min(most.value_or(*other), *other);
  };
  if (auto least = size.getDefiningOp<affine::AffineMinOp>())
    for (AffineExpr expr : least.getMap().getResults())
      if (auto number = dyn_cast<AffineConstantExpr>(expr))
        limit(number.getValue());
  if (auto least = size.getDefiningOp<arith::MinSIOp>()) {
    limit(getMost(least.getLhs()));
    limit(getMost(least.getRhs()));
  }
  if (auto greater = size.getDefiningOp<arith::MaxSIOp>()) {
    std::optional<int64_t> one = getMost(greater.getLhs()), other = getMost(greater.getRhs());
    if (one && other)
      most = std::max(*one, *other);
  }
  return most;
}

/// Makes a buffer whose sizes are known only when the kernel runs the beginning of one that is as
/// large as it can be. Such are copies of the rows that exist.
void boundSizes(memref::AllocOp buffer) {
  MemRefType type = buffer.getType();
  SmallVector<int64_t> shape(type.getShape());
  auto dynamic = buffer.getDynamicSizes().begin();
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    std::optional<int64_t> most = getMost(*dynamic++);
    if (!most)
      return;
    size = *most;
  }
  ImplicitLocOpBuilder builder(buffer.getLoc(), buffer);
  auto whole = memref::AllocOp::create(builder, MemRefType::get(shape, type.getElementType()),
                                       buffer.getAlignmentAttr());
  SmallVector<OpFoldResult> sizes = buffer.getMixedSizes(), strides(sizes.size());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    auto create = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), number);
    };
    if (dim > 0)
      stride = getAsOpFoldResult(
          builder.createOrFold<arith::MulIOp>(create(stride), create(sizes[dim])));
  }
  Value part =
      memref::ReinterpretCastOp::create(builder, whole, builder.getIndexAttr(0), sizes, strides);
  buffer.getResult().replaceAllUsesWith(memref::CastOp::create(builder, type, part));
  buffer.erase();
}

/// Whether a buffer can be made anywhere in the function: nothing but numbers decides its size.
bool isFixed(memref::AllocOp buffer) {
  MemRefType type = buffer.getType();
  return type.hasStaticShape() && type.getLayout().isIdentity() && buffer->getNumOperands() == 0 &&
         type.getElementType().isIntOrIndexOrFloat();
}

/// Of a buffer, or more than any machine has where numbers do not suffice.
uint64_t getBytes(MemRefType type) {
  Type element = type.getElementType();
  uint64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  uint64_t bytes = llvm::divideCeil(bits, 8);
  for (int64_t size : type.getShape())
    bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(size));
  return bytes;
}

struct PlaceBuffersPass : attn::impl::PlaceBuffersPassBase<PlaceBuffersPass> {
  using PlaceBuffersPassBase::PlaceBuffersPassBase;

  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp buffer) {
      if (!buffer.getDynamicSizes().empty() && buffer.getType().getLayout().isIdentity())
        boundSizes(buffer);
    });
    SmallVector<memref::AllocOp> buffers;
    if (failed(collect(buffers)))
      return signalPassFailure();
    uint64_t needed = 0;
    for (memref::AllocOp buffer : buffers) {
      needed = llvm::SaturatingAdd(needed, getBytes(buffer.getType()));
      if (needed > static_cast<uint64_t>(mostBytes)) {
        buffer.emitError() << "the tiles of a block need " << needed << " bytes or more; at most "
                           << mostBytes.getValue() << " are possible";
        return signalPassFailure();
      }
    }
    bytes += needed;
    for (memref::AllocOp buffer : buffers)
      place(buffer);
  }

private:
  LogicalResult collect(SmallVectorImpl<memref::AllocOp> &buffers) {
    WalkResult result = getOperation().walk([&](Operation *op) {
      auto buffer = dyn_cast<memref::AllocOp>(op);
      if (buffer && !isFixed(buffer)) {
        buffer.emitOpError("has a size that is not a number; only fixed sizes can be placed");
        return WalkResult::interrupt();
      }
      if (isa<scf::YieldOp>(op) && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>)) {
        op->emitOpError("hands on a buffer: jit-reuse-destinations must run before bufferization");
        return WalkResult::interrupt();
      }
      if (buffer)
        buffers.push_back(buffer);
      return WalkResult::advance();
    });
    if (!buffers.empty() && !llvm::hasSingleElement(getOperation().getBody()))
      return getOperation().emitOpError("has several blocks; buffers are placed before control "
                                        "flow is lowered");
    return failure(result.wasInterrupted());
  }

  void place(memref::AllocOp buffer) {
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    Block &entry = getOperation().getBody().front();
    OpBuilder builder(&getContext());
    buffer.setAlignment(bufferAlignmentBytes);
    if (getBytes(buffer.getType()) > static_cast<uint64_t>(stackBytes)) {
      buffer->moveBefore(&entry, entry.begin());
      builder.setInsertionPoint(entry.getTerminator());
      memref::DeallocOp::create(builder, buffer.getLoc(), buffer);
      ++onHeap;
      return;
    }
    builder.setInsertionPointToStart(&entry);
    auto place = memref::AllocaOp::create(builder, buffer.getLoc(), buffer.getType(),
                                          buffer.getAlignmentAttr());
    buffer.getResult().replaceAllUsesWith(place);
    buffer.erase();
    ++onStack;
  }
};

} // namespace
