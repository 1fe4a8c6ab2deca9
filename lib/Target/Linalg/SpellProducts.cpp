// The pass `linalg-spell-products`: products of whole tiles, for the vendor's compiler.
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
    constexpr unsigned firstDims[] = {0, 2};
    SmallVector<Value, 2> factors;
    for (auto [factor, map, firstDim] : llvm::zip(product.getDpsInputs(), maps, firstDims)) {
      FailureOr<Value> whole = getWhole(product, factor);
      if (failed(whole))
        return failure();
      bool isTurned = map.getDimPosition(0) != firstDim;
      factors.push_back(isTurned ? turnOver(builder, loc, *whole) : *whole);
    }
    Value sums = product.getDpsInits().front();
    auto part = sums.getDefiningOp<tensor::ExtractSliceOp>();
    if (part)
      sums = part.getSource();
    Value result =
        linalg::MatmulOp::create(builder, loc, sums.getType(), factors, sums).getResult(0);
    for (Operation *user : llvm::make_early_inc_range(product->getUsers()))
      if (auto back = dyn_cast<tensor::InsertSliceOp>(user); back && back.getDest() == sums) {
        back.replaceAllUsesWith(result);
        back.erase();
      }
    if (!part)
      product.getResult(0).replaceAllUsesWith(result);
    else if (!product->use_empty())
      return product.emitOpError("has a part of its sums taken on their own, for which the "
                                 "vendor's compiler has no form");
    product.erase();
    return success();
  }

  /// The tile that a factor is the first part of, with zeros in what the part leaves out.
  FailureOr<Value> getWhole(linalg::MatmulOp product, Value factor) {
    auto part = factor.getDefiningOp<tensor::ExtractSliceOp>();
    if (!part)
      return factor;
    auto tensor = part.getSource().getDefiningOp<bufferization::ToTensorOp>();
    auto buffer = tensor ? tensor.getBuffer().getDefiningOp<memref::AllocOp>() : nullptr;
    if (!buffer || !part.hasZeroOffset() || !part.hasUnitStride())
      return product.emitOpError("takes a part of a tile that was not loaded, for which the "
                                 "vendor's compiler has no form");
    if (filled.insert(buffer).second) {
      OpBuilder builder(buffer->getContext());
      builder.setInsertionPointAfter(buffer);
      Type element = buffer.getType().getElementType();
      Value zero =
          arith::ConstantOp::create(builder, buffer.getLoc(), builder.getZeroAttr(element));
      linalg::FillOp::create(builder, buffer.getLoc(), zero, buffer.getResult());
    }
    return part.getSource();
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
