// attn-sim: runs chip IR, or emitted AscendC or HIVM, on the modelled chip.
#include "attn/Pipelines/Registration.h"
#include "attn/Simulator/Tool/Tool.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerAllDialects(registry);
  return attn::simulator::runTool(argc, argv, registry);
}
