// attn-sim: runs chip IR, or emitted AscendC or HIVM, on the modelled chip.
#include "attn/Execution/HIVM/HIVMText.h"
#include "attn/Execution/Simulator/Tool.h"
#include "attn/Execution/Twin/Twin.h"
#include "attn/Pipelines/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerAllDialects(registry);
  return attn::simulator::runTool(argc, argv, registry,
                                  {attn::twin::runText, attn::hivm::simulateKernel});
}
