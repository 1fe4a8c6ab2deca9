// Counts the blocks of a launch by running the function that counts the tiles of the kernel's grid.
#include "ScalarUnit.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Simulator/IR/Simulate.h"
#include "attn/Simulator/Launch/Launch.h"

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
  Listing listing;
  FailureOr<Program> program = flatten(grid, *launch, listing);
  if (failed(program))
    return failure();
  if (program->results.size() != 1 || !grid.getResultTypes()[0].isIndex())
    return grid.emitError("must give one index, the number of tiles");
  WrittenRows written;
  ScalarUnit unit(*program, listing, *launch, CorePlace(), /*blocks=*/1, options.maxSteps, written);
  Issued next;
  switch (unit.run(next)) {
  case ScalarUnit::Stop::Issue:
    return emitError(next.instruction->location)
           << next.instruction->name << " cannot run in a function that counts tiles";
  case ScalarUnit::Stop::Failed:
  case ScalarUnit::Stop::Noticed:
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
  if (*tiles > options.maxTiles)
    return kernel.emitError() << "has " << *tiles << " tiles in its grid; the modelled chip runs "
                              << "at most " << options.maxTiles;
  return std::max<int64_t>(1, limit ? std::min(limit.getInt(), *tiles) : *tiles);
}
