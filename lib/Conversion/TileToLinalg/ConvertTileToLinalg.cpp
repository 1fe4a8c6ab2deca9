// The pass `convert-tile-to-linalg`: from the tile dialect to linalg on tensors, the first step of
// running on a CPU.
#include "Patterns.h"
#include "attn/Conversion/TileToLinalg/Passes.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_CONVERTTILETOLINALGPASS
#include "attn/Conversion/TileToLinalg/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// The memref of an array with the given sizes: strides are known at run time, the last one is 1.
/// An array of words of 64 bits has a layout even where it needs none: a table of addresses has
/// not.
MemRefType getMemRefType(ArrayRef<int64_t> shape, Type elementType) {
  if (shape.size() < 2 && !elementType.isInteger(64))
    return MemRefType::get(shape, elementType);
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(shape, elementType,
                         StridedLayoutAttr::get(elementType.getContext(), /*offset=*/0, strides));
}

struct TileTypeConverter : TypeConverter {
  TileTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](ArrayType array, SmallVectorImpl<Type> &results) {
      ArrayRef<int64_t> shape = array.getShape();
      if (array.getTable()) {
        results.push_back(
            MemRefType::get({shape.front()}, IntegerType::get(array.getContext(), 64)));
        shape = shape.drop_front();
      }
      // Memrefs and arithmetic know integers without a sign; each read says what they are.
      Type element = array.getElementType();
      if (element.isUnsignedInteger())
        element = IntegerType::get(array.getContext(), element.getIntOrFloatBitWidth());
      results.push_back(getMemRefType(shape, element));
      return success();
    });
    addConversion([](TileType tile) -> Type {
      if (!tile.isBound())
        return {};
      return RankedTensorType::get({tile.getRowCount(), tile.getColCount()}, tile.getElementType());
    });
    addConversion([](SpanType span, SmallVectorImpl<Type> &results) {
      // As in `SpanParts`.
      size_t count = 2 + (span.getFilled() ? 1 : 0) + (span.getMapped() ? 2 : 0);
      results.append(count, IndexType::get(span.getContext()));
      return success();
    });
    addConversion([](SoftmaxStateType) -> Type { return {}; });
    // For reductions and products, which read spans without having them as operands.
    addSourceMaterialization([](OpBuilder &builder, SpanType span, ValueRange parts, Location loc) {
      return UnrealizedConversionCastOp::create(builder, loc, span, parts).getResult(0);
    });
  }
};

LogicalResult verifyDim(Location loc, Attribute dim) {
  auto sum = dyn_cast<SumAttr>(dim);
  auto symbol = sum ? sum.getSymbol() : dyn_cast<StringAttr>(dim);
  if (!symbol)
    return success();
  return emitError(loc) << "unbound block size '" << symbol.getValue()
                        << "': tile-fit-tiles must run first";
}

LogicalResult verifyType(Location loc, Type type) {
  if (isa<SoftmaxStateType>(type))
    return emitError(loc, "a softmax state must be lowered first by tile-decompose-softmax");
  if (auto tile = dyn_cast<TileType>(type))
    return failure(failed(verifyDim(loc, tile.getRows())) ||
                   failed(verifyDim(loc, tile.getCols())));
  auto span = dyn_cast<SpanType>(type);
  return span ? verifyDim(loc, span.getSize()) : success();
}

/// The pass that removes ops of this kind, with their name; nothing where none has to.
std::pair<StringRef, StringRef> getRemovingPass(Operation *op) {
  return TypeSwitch<Operation *, std::pair<StringRef, StringRef>>(op)
      .Case<GridOp>([](auto) { return std::pair("a grid", "tile-clamp-grid"); })
      .Case<AccumulateOp>([](auto) { return std::pair("an accumulation", "tile-clamp-grid"); })
      .Case<PhaseOp>([](auto) { return std::pair("a phase", "tile-split-phases"); })
      .Case<BandDotOp, BandMixOp, BandSpreadOp>(
          [](auto) { return std::pair("a band", "tile-lower-band-gather"); })
      .Default([](auto) { return std::pair("", ""); });
}

/// Says which pass should have run, for what the earlier stage left behind.
LogicalResult verifyOp(Operation *op) {
  if (auto [what, pass] = getRemovingPass(op); !pass.empty())
    return op->emitError() << what << " must be lowered first by " << pass;
  if (auto size = dyn_cast<SizeOp>(op))
    return verifyDim(op->getLoc(), size.getDim());
  for (Value value : getDefinedValues(op))
    if (failed(verifyType(value.getLoc(), value.getType())))
      return failure();
  if (isa<BlockIdOp, BlockCountOp>(op)) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || !isKernel(function))
      return op->emitOpError("is outside a kernel; only kernels run as blocks");
  }
  return success();
}

LogicalResult verifyStage(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return failed(verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

ValidParts findValidParts(ModuleOp module) {
  ValidParts parts;
  module.walk([&](func::FuncOp function) {
    RowLimits limits(function);
    function.walk([&](ReduceOp reduce) {
      llvm::append_range(parts[reduce].inner, reduce.getAxis() == 0
                                                  ? limits.getSpans(reduce.getInput())
                                                  : limits.getColumnSpans(reduce.getInput()));
    });
    function.walk([&](DotOp dot) {
      ValidSpans &spans = parts[dot];
      llvm::append_range(spans.rows, limits.getLeftRowSpans(dot));
      llvm::append_range(spans.cols, limits.getRightColumnSpans(dot));
      spans.inner = limits.getInnerSpans(dot);
    });
  });
  return parts;
}

struct ConvertTileToLinalgPass : attn::impl::ConvertTileToLinalgPassBase<ConvertTileToLinalgPass> {
  using ConvertTileToLinalgPassBase::ConvertTileToLinalgPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyStage(module)))
      return signalPassFailure();
    ValidParts validParts = findValidParts(module);

    TileTypeConverter converter;
    ConversionTarget target(getContext());
    target.addIllegalDialect<TileDialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      auto function = dyn_cast<func::FuncOp>(op);
      return function
                 ? converter.isSignatureLegal(function.getFunctionType()) && !isKernel(function)
                 : converter.isLegal(op);
    });
    RewritePatternSet patterns(&getContext());
    populateArrayPatterns(converter, patterns);
    populateIndexPatterns(converter, checkCounts, patterns);
    populateMaskPatterns(converter, patterns);
    populateValuePatterns(converter, validParts, patterns);
    populateProductPatterns(converter, validParts, patterns);
    populateControlPatterns(converter, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    SmallVector<UnrealizedConversionCastOp> casts;
    module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }
};

} // namespace
