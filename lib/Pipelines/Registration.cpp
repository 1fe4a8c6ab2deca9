// Registers the dialects and passes of the project, and those of MLIR that it lowers to.
#include "attn/Pipelines/Registration.h"
#include "attn/Conversion/AscendToHIVM/Passes.h"
#include "attn/Conversion/TileToAscend/Passes.h"
#include "attn/Conversion/TileToLinalg/Passes.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Pipelines/CpuLowering.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Target/Linalg/Passes.h"
#include "attn/TileOnChip/OnChipOpInterface.h"
#include "attn/TileOnChip/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void attn::registerAllDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, ascend::AscendDialect, machine::MachineDialect,
                  launch::LaunchDialect, cpu::CpuDialect, hivm::HIVMDialect, hacc::HACCDialect,
                  arith::ArithDialect, func::FuncDialect, memref::MemRefDialect, scf::SCFDialect>();
  registry.insert<affine::AffineDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, tensor::TensorDialect, vector::VectorDialect>();
  registerCpuLoweringExtensions(registry);
  onchip::registerOnChipModels(registry);
}

void attn::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  arith::registerArithIntRangeOptsPass();
  registerTilePasses();
  registerTileOnChipPasses();
  registerAscendPasses();
  registerTileToAscendPasses();
  registerAscendToHIVMPasses();
  registerTileToLinalgPasses();
  registerTargetLinalgPasses();
  registerPipelines();
  registerJitPasses();
}
