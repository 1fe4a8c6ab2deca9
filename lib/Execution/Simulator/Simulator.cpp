// Runs a kernel on the modelled chip: counts its blocks, binds its arguments, simulates, sums up.
#include "attn/Execution/Simulator/Simulator.h"
#include "ScalarUnit.h"
#include "attn/Machine/LaunchOrder.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

/// Tiles of the grid, by running the function that counts them.
FailureOr<int64_t> countTiles(func::FuncOp grid, ArrayRef<Argument> arguments,
                              const SimulationOptions &options) {
  FailureOr<Launch> launch = bindArguments(grid, arguments, /*blocks=*/1, /*needsData=*/false);
  if (failed(launch))
    return failure();
  FailureOr<Program> program = flatten(grid, *launch);
  if (failed(program))
    return failure();
  if (program->results.size() != 1 || !grid.getResultTypes()[0].isIndex())
    return grid.emitError("must give one index, the number of tiles");
  ScalarUnit unit(*program, *launch, /*block=*/0, /*blocks=*/1, options.maxSteps);
  Issued next;
  switch (unit.run(next)) {
  case ScalarUnit::Stop::Issue:
    return emitError(next.instruction->location)
           << next.instruction->name << " cannot run in a function that counts tiles";
  case ScalarUnit::Stop::Failed:
    return emitError(unit.getFailure().location) << unit.getFailure().message;
  case ScalarUnit::Stop::Finished:
    return unit.getResult(0);
  }
  llvm_unreachable("all stops are listed");
}

} // namespace

FailureOr<int64_t> simulator::countBlocks(func::FuncOp kernel, ArrayRef<Argument> arguments,
                                          const SimulationOptions &options) {
  if (options.blocks)
    return *options.blocks;
  func::FuncOp grid = launch::getCounter(kernel);
  auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName);
  if (!grid)
    return limit ? limit.getInt() : 1;
  FailureOr<int64_t> tiles = countTiles(grid, arguments, options);
  if (failed(tiles))
    return failure();
  return std::max<int64_t>(1, limit ? std::min(limit.getInt(), *tiles) : *tiles);
}

FailureOr<SmallVector<func::FuncOp>> simulator::getPhases(func::FuncOp kernel) {
  SmallVector<func::FuncOp> phases = launch::getPhases(kernel);
  for (func::FuncOp phase : phases) {
    if (!phase->hasAttr("ascend.kernel"))
      return phase.emitError("is no kernel of the ascend dialect");
    if (phase.getArgumentTypes() != kernel.getArgumentTypes())
      return phase.emitError() << "must take the arguments of '" << kernel.getSymName()
                               << "', which it follows";
  }
  return phases;
}

FailureOr<SimulationResult> simulator::simulate(func::FuncOp kernel, const Chip &chip,
                                                ArrayRef<Argument> arguments,
                                                const SimulationOptions &options) {
  FailureOr<SmallVector<func::FuncOp>> phases = getPhases(kernel);
  if (failed(phases))
    return failure();
  if (chip.isHost)
    return kernel.emitError("cannot be simulated on the chip 'host': name an Ascend chip");
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  FailureOr<Launch> launch = bindArguments(kernel, arguments, *blocks, !options.timingOnly);
  if (failed(launch))
    return failure();
  Session session(chip, options, std::move(*launch), *blocks);
  for (func::FuncOp phase : *phases) {
    FailureOr<Program> program = flatten(phase, session.getLaunch());
    if (failed(program))
      return failure();
    auto start = [&](int64_t block) -> std::unique_ptr<ScalarProgram> {
      return std::make_unique<ScalarUnit>(*program, session.getLaunch(), block, *blocks,
                                          options.maxSteps);
    };
    session.run({phase.getLoc(), *program, start});
  }
  return session.finish();
}
