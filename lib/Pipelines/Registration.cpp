// Registers the dialects and passes of the project, and those of MLIR that it lowers to.
#include "attn/Pipelines/Registration.h"
#include "attn/Conversion/TileToAscend/Passes.h"
#include "attn/Conversion/TileToLinalg/Passes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Machine/LaunchDialect.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Pipelines/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void attn::registerAllDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, ascend::AscendDialect, machine::MachineDialect,
                  launch::LaunchDialect, arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                  scf::SCFDialect>();
}

void attn::registerAllPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerTilePasses();
  registerAscendPasses();
  registerTileToAscendPasses();
  registerTileToLinalgPasses();
  registerPipelines();
}
