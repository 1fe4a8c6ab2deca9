// The pass `linalg-spell-products`: products of whole tiles, for the vendor's compiler.
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_SPELLPRODUCTSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

struct SpellProducts : attn::impl::SpellProductsPassBase<SpellProducts> {
  void runOnOperation() override {
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp product) { products.push_back(product); });
    for (linalg::MatmulOp product : products)
      if (failed(spell(product)))
        return signalPassFailure();
  }

private:
  LogicalResult spell(linalg::MatmulOp product) {
    OpBuilder builder(product);
    Location loc = product.getLoc();
    SmallVector<AffineMap> maps = product.getIndexingMapsArray();
    // Dimensions of the loops are m, n and k.
    constexpr unsigned firstDims[] = {0, 2}, innerDim = 2;
    SmallVector<Value, 2> factors;
    for (auto [factor, map, firstDim] : llvm::zip(product.getDpsInputs(), maps, firstDims)) {
      unsigned inner = map.getDimPosition(0) == innerDim ? 0 : 1;
      FailureOr<Value> whole = getWhole(product, factor, inner);
      if (failed(whole))
        return failure();
      bool isTurned = map.getDimPosition(0) != firstDim;
      factors.push_back(isTurned ? turnOver(builder, loc, *whole) : *whole);
    }
    Value sums = product.getDpsInits().front();
    auto part = sums.getDefiningOp<tensor::ExtractSliceOp>();
    if (part)
      sums = part.getSource();
    auto getShape = [](Value tile) { return cast<RankedTensorType>(tile.getType()).getShape(); };
    ArrayRef<int64_t> left = getShape(factors[0]), right = getShape(factors[1]);
    if (left[1] != right[0] || getShape(sums) != ArrayRef<int64_t>{left[0], right[1]})
      return product.emitOpError("is of parts whose tiles do not fit each other, for which the "
                                 "vendor's compiler has no form");
    Value result =
        linalg::MatmulOp::create(builder, loc, sums.getType(), factors, sums).getResult(0);
    for (Operation *user : llvm::make_early_inc_range(product->getUsers()))
      if (auto back = dyn_cast<tensor::InsertSliceOp>(user); back && back.getDest() == sums) {
        back.replaceAllUsesWith(result);
        back.erase();
      }
    if (part && !product->use_empty())
      result = tensor::ExtractSliceOp::create(builder, loc, part.getType(), result,
                                              part.getMixedOffsets(), part.getMixedSizes(),
                                              part.getMixedStrides());
    product.getResult(0).replaceAllUsesWith(result);
    product.erase();
    return success();
  }

  /// The tile that a factor is the first part of, with zeros in what the part leaves out along the
  /// dimension that is summed over. In the other one, what is left out makes sums that nothing may
  /// look at.
  FailureOr<Value> getWhole(linalg::MatmulOp product, Value factor, unsigned inner) {
    auto part = factor.getDefiningOp<tensor::ExtractSliceOp>();
    if (!part)
      return factor;
    if (!part.hasZeroOffset() || !part.hasUnitStride() || part.getDroppedDims().any())
      return product.emitOpError("takes a part of a tile that does not begin where the tile does, "
                                 "for which the vendor's compiler has no form");
    OpFoldResult size = part.getMixedSizes()[inner];
    bool hasAll = getConstantIntValue(size) == part.getSourceType().getDimSize(inner);
    auto tensor = part.getSource().getDefiningOp<bufferization::ToTensorOp>();
    auto buffer = tensor ? tensor.getBuffer().getDefiningOp<memref::AllocOp>() : nullptr;
    if (buffer && (hasAll || isLoadedUpTo(buffer, inner, size)))
      beginAsZeros(buffer);
    else if (!hasAll)
      return keepFirst(product, part.getSource(), inner, size);
    return part.getSource();
  }

  /// Whether no more of a buffer was loaded along a dimension than `size`: a kernel may also take
  /// the first part of what was loaded.
  static bool isLoadedUpTo(memref::AllocOp buffer, unsigned dimension, OpFoldResult size) {
    return llvm::any_of(buffer->getUsers(), [&](Operation *user) {
      auto loaded = dyn_cast<memref::SubViewOp>(user);
      return loaded && loaded.getMixedSizes()[dimension] == size;
    });
  }

  /// What is loaded to a buffer need not fill it.
  void beginAsZeros(memref::AllocOp buffer) {
    if (!filled.insert(buffer).second)
      return;
    OpBuilder builder(buffer->getContext());
    builder.setInsertionPointAfter(buffer);
    Type element = buffer.getType().getElementType();
    Value zero = arith::ConstantOp::create(builder, buffer.getLoc(), builder.getZeroAttr(element));
    linalg::FillOp::create(builder, buffer.getLoc(), zero, buffer.getResult());
  }

  /// A tile with zeros from place `size` of a dimension on.
  static Value keepFirst(linalg::MatmulOp product, Value tile, unsigned dimension,
                         OpFoldResult size) {
    OpBuilder builder(product);
    Location loc = product.getLoc();
    auto type = cast<RankedTensorType>(tile.getType());
    Type word = builder.getI32Type();
    Value limit = arith::IndexCastOp::create(builder, loc, word,
                                             getValueOrCreateConstantIndexOp(builder, loc, size));
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.getElementType()));
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, type, tile, empty, maps, iterators,
               [&](OpBuilder &body, Location at, ValueRange arguments) {
                 Value place = arith::IndexCastOp::create(
                     body, at, word, linalg::IndexOp::create(body, at, dimension));
                 Value exists =
                     arith::CmpIOp::create(body, at, arith::CmpIPredicate::slt, place, limit);
                 Value kept = arith::SelectOp::create(body, at, exists, arguments[0], zero);
                 linalg::YieldOp::create(body, at, kept);
               })
        .getResult(0);
  }

  static Value turnOver(OpBuilder &builder, Location loc, Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, {type.getDimSize(1), type.getDimSize(0)},
                                          type.getElementType());
    return linalg::TransposeOp::create(builder, loc, tile, empty, ArrayRef<int64_t>{1, 0})
        .getResult()
        .front();
  }

  /// Buffers that begin as zeros.
  DenseSet<Operation *> filled;
};

} // namespace
