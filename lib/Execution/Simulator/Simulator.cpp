// Runs a kernel on the modelled chip: counts its blocks, binds its arguments, simulates, sums up.
#include "attn/Execution/Simulator/Simulator.h"
#include "Engine.h"
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
    return next.instruction->op->emitOpError("cannot run in a function that counts tiles");
  case ScalarUnit::Stop::Failed:
    return unit.getErrorOp()->emitOpError(unit.getError());
  case ScalarUnit::Stop::Finished:
    return unit.getResult(0);
  }
  llvm_unreachable("all stops are listed");
}

FailureOr<int64_t> countBlocks(func::FuncOp kernel, ArrayRef<Argument> arguments,
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

/// An array's bytes as a memory of the chip.
ByteMemory makeMemory(const GlobalArray &global) {
  int64_t bytes = getBytes(*getElement(global.array.elementType)), begin = 0, end = bytes;
  for (auto [size, stride] : llvm::zip(global.array.shape, global.array.strides)) {
    if (size == 0)
      begin = end = 0;
    (stride < 0 ? begin : end) += (size - 1) * stride * bytes;
  }
  return ByteMemory(static_cast<uint8_t *>(global.array.data), begin, std::max(begin, end),
                    global.isDefined);
}

void checkCapacity(const Program &program, const Chip &chip, HazardLog &log) {
  for (const Buffer &buffer : program.buffers)
    if (buffer.address + buffer.bytes > chip.ubBytes)
      log.add(HazardKind::Capacity, buffer.location, 0, "",
              "buffer \"" + buffer.name + "\" ends at byte " +
                  std::to_string(buffer.address + buffer.bytes) + " of ub, which has " +
                  std::to_string(chip.ubBytes));
}

/// Adds the entries of a table up under the name of its argument.
void sumTraffic(ArrayRef<ArrayTraffic> arrays, const Launch &launch, SimulationResult &result) {
  int previous = -1;
  for (auto [traffic, global] : llvm::zip_equal(arrays, launch.arrays)) {
    if (global.argument != previous)
      result.traffic.push_back({StringRef(traffic.name).split('[').first.str(), 0, 0});
    previous = global.argument;
    result.traffic.back().bytesRead += traffic.bytesRead;
    result.traffic.back().bytesWritten += traffic.bytesWritten;
    result.bytesRead += traffic.bytesRead;
    result.bytesWritten += traffic.bytesWritten;
  }
}

/// Adds one launch to what those before it took.
void addLaunch(const Engine &engine, Chipwide &shared, SimulationResult &result) {
  double cyclesPerMicrosecond = shared.chip.clockHz * 1e-6;
  result.cores = engine.getCoreCount();
  result.instructions += shared.instructions;
  for (TraceEvent &event : shared.trace) {
    event.beginMicroseconds += result.microseconds;
    event.endMicroseconds += result.microseconds;
    result.trace.push_back(std::move(event));
  }
  result.cycles += engine.getCycles();
  result.microseconds +=
      engine.getCycles() / cyclesPerMicrosecond + shared.costs.launchMicroseconds;
  result.pipes.resize(pipeCount);
  for (int pipe = 0; pipe < pipeCount; ++pipe)
    result.pipes[pipe].busyCycles += engine.getBusyCycles(pipe);
}

/// What follows from the sums over all launches.
void sumUp(const Chip &chip, const SimulationOptions &options, SimulationResult &result) {
  double coreCycles = result.cycles * std::max<int64_t>(1, result.cores);
  for (auto [pipe, use] : llvm::enumerate(result.pipes))
    use = {nameOf(static_cast<Pipe>(pipe)), use.busyCycles, use.busyCycles / coreCycles};
  llvm::erase_if(result.pipes, [](const PipeUse &use) { return use.busyCycles <= 0; });
  int64_t ideal = options.idealBytes.value_or(result.bytesRead + result.bytesWritten);
  result.rooflineMicroseconds = ideal * 1e6 / chip.hbmBytesPerSecond;
  result.rooflineShare = result.rooflineMicroseconds / result.microseconds;
}

/// One kernel after the other on the arrays of one launch.
class Simulation {
public:
  Simulation(const Chip &chip, const SimulationOptions &options, Launch launch, int64_t blocks)
      : chip(chip), options(options), launch(std::move(launch)), blocks(blocks) {
    result.blocks = blocks;
    result.ubBytes = chip.ubBytes;
    for (const GlobalArray &global : this->launch.arrays) {
      arrays.push_back(makeMemory(global));
      traffic.push_back({global.name, 0, 0});
    }
  }

  /// Runs a kernel, unless hazards of those before leave nothing to see.
  LogicalResult run(func::FuncOp kernel) {
    if (!result.hazards.empty())
      return success();
    FailureOr<Program> program = flatten(kernel, launch);
    if (failed(program))
      return failure();
    for (const Buffer &buffer : program->buffers)
      result.ubBytesUsed = std::max(result.ubBytesUsed, buffer.address + buffer.bytes);
    HazardLog log(*program, launch);
    checkCapacity(*program, chip, log);
    if (blocks < 1 || blocks > chip.maxGrid)
      log.add(HazardKind::Limit, kernel.getLoc(), 0, "",
              "the grid has " + std::to_string(blocks) + " blocks; 1 to " +
                  std::to_string(chip.maxGrid) + " are possible");
    result.hazards = log.take();
    if (!result.hazards.empty())
      return success();
    Chipwide shared{
        *program,           launch, chip, Costs(), options, log, std::move(arrays), blocks,
        std::move(traffic), {}};
    Engine engine(shared);
    engine.run();
    addLaunch(engine, shared, result);
    result.hazards = log.take();
    // A launch is over before the next begins.
    arrays = std::move(shared.arrays);
    for (ByteMemory &array : arrays)
      array.history.clear();
    traffic = std::move(shared.traffic);
    return success();
  }

  SimulationResult finish() {
    if (result.microseconds > 0) { // else nothing has run
      sumTraffic(traffic, launch, result);
      sumUp(chip, options, result);
    }
    return std::move(result);
  }

private:
  const Chip &chip;
  const SimulationOptions &options;
  Launch launch;
  int64_t blocks;
  std::vector<ByteMemory> arrays;
  std::vector<ArrayTraffic> traffic;
  SimulationResult result;
};

} // namespace

FailureOr<SimulationResult> simulator::simulate(func::FuncOp kernel, const Chip &chip,
                                                ArrayRef<Argument> arguments,
                                                const SimulationOptions &options) {
  SmallVector<func::FuncOp> phases = launch::getPhases(kernel);
  for (func::FuncOp phase : phases) {
    if (!phase->hasAttr("ascend.kernel"))
      return phase.emitError("is no kernel of the ascend dialect");
    if (phase.getArgumentTypes() != kernel.getArgumentTypes())
      return phase.emitError() << "must take the arguments of '" << kernel.getSymName()
                               << "', which it follows";
  }
  if (chip.isHost)
    return kernel.emitError("cannot be simulated on the chip 'host': name an Ascend chip");
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  FailureOr<Launch> launch = bindArguments(kernel, arguments, *blocks, !options.timingOnly);
  if (failed(launch))
    return failure();
  Simulation simulation(chip, options, std::move(*launch), *blocks);
  for (func::FuncOp phase : phases)
    if (failed(simulation.run(phase)))
      return failure();
  return simulation.finish();
}
