// The order of passes on the way of a tile kernel to the LLVM dialect of the host.
#include "attn/Pipelines/CpuLowering.h"
#include "attn/Conversion/TileToLinalg/Passes.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

attn::CpuLoweringOptions attn::getHostLoweringOptions() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  CpuLoweringOptions options;
  options.lanes = features.lookup("avx512f") ? 16 : features.lookup("avx") ? 8 : 4;
  options.scales = features.lookup("avx512f");
  options.pairs = features.lookup("avx512bf16");
  // Every host but an old x86 converts f16 itself.
  options.expandF16 = features.contains("f16c") && !features.lookup("f16c");
  return options;
}

void attn::CpuLoweringOptions::setLanes(int64_t number) {
  scales &= number == lanes;
  pairs &= number == lanes;
  lanes = number;
}

/// Few sweeps over few buffers, still on tensors.
static void buildTensorPasses(OpPassManager &functions) {
  functions.addPass(attn::createForwardLoadsPass());
  functions.addPass(attn::createUnrollCarriedLoopsPass());
  functions.addPass(attn::createFuseElementwisePass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(attn::createGatherUpdatesPass());
  functions.addPass(attn::createFuseBandProductsPass());
  functions.addPass(attn::createLimitReductionsPass());
  functions.addPass(attn::createFuseSiblingsPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(attn::createWriteToArraysPass());
  functions.addPass(attn::createReuseDestinationsPass());
}

static void buildBufferization(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferAlignment = 64;
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  // Equal views become one, so that a copy of a part onto itself is seen and goes away.
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
}

static void buildVectorPasses(OpPassManager &functions, const attn::CpuLoweringOptions &options) {
  attn::LowerProductsPassOptions products;
  products.lanes = options.lanes;
  products.pairs = options.pairs;
  attn::OrderReadsPassOptions reads;
  reads.pairs = options.pairs;
  functions.addPass(attn::createOrderReadsPass(reads));
  functions.addPass(attn::createLowerProductsPass(products));
  functions.addPass(attn::createPlaceBuffersPass());
  attn::VectorizeRowsPassOptions rows;
  rows.lanes = options.lanes;
  functions.addPass(attn::createVectorizeRowsPass(rows));
  attn::ExpandExponentialsPassOptions exponentials;
  exponentials.scales = options.scales;
  functions.addPass(attn::createExpandExponentialsPass(exponentials));
  attn::ExpandNarrowFloatsPassOptions floats;
  floats.expandF16 = options.expandF16;
  functions.addPass(attn::createExpandNarrowFloatsPass(floats));
  functions.addPass(createCSEPass());
}

void attn::buildCpuLoweringPipeline(OpPassManager &manager, const CpuLoweringOptions &options) {
  manager.addPass(createJoinPartsPass());
  ConvertTileToLinalgPassOptions conversion;
  conversion.checkCounts = options.bounds;
  manager.addPass(createConvertTileToLinalgPass(conversion));
  manager.addPass(createCanonicalizerPass());
  if (options.bounds)
    manager.addNestedPass<func::FuncOp>(createCheckBoundsPass());
  buildTensorPasses(manager.nest<func::FuncOp>());
  buildBufferization(manager);
  buildVectorPasses(manager.nest<func::FuncOp>(), options);
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createCheckLaunchPass());
  manager.addPass(createAddEntriesPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createLowerChecksPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void attn::registerCpuLoweringExtensions(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
}
