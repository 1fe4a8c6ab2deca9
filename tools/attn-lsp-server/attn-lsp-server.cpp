// attn-lsp-server: editor support for files in the tile and ascend dialects.
#include "attn/Pipelines/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
