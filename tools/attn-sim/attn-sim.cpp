// attn-sim: runs chip IR on the modelled chip.
#include "attn/Execution/Simulator/Tool.h"
#include "attn/Pipelines/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerAllDialects(registry);
  return attn::simulator::runTool(argc, argv, registry);
}
