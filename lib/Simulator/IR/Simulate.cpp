// Runs kernels of the ascend dialect on the modelled chip: each phase becomes a scalar program.
#include "attn/Simulator/IR/Simulate.h"
#include "ScalarUnit.h"
#include "attn/Simulator/Launch/Launch.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

FailureOr<SimulationResult> simulator::simulate(func::FuncOp kernel, const Chip &chip,
                                                ArrayRef<Argument> arguments,
                                                const SimulationOptions &options) {
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  auto run = [&](func::FuncOp phase, Session &session, const Device &) -> LogicalResult {
    FailureOr<Program> program = flatten(phase, session.getLaunch());
    if (failed(program))
      return failure();
    auto start = [&](int64_t block) -> std::unique_ptr<ScalarProgram> {
      return std::make_unique<ScalarUnit>(*program, session.getLaunch(), block, *blocks,
                                          options.maxSteps);
    };
    session.run({phase.getLoc(), *program, start});
    return success();
  };
  return launchKernel(kernel, chip, arguments, *blocks, options, run);
}
