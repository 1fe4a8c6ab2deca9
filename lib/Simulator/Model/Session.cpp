// One launch on the modelled chip: runs its kernels one after the other and sums up.
#include "attn/Simulator/Model/Session.h"
#include "Engine.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

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

void checkCapacity(const Listing &listing, const Chip &chip, HazardLog &log) {
  for (const Buffer &buffer : listing.buffers)
    if (buffer.address + buffer.bytes > chip.getUsableBytes(LocalMemory::UB))
      log.add(HazardKind::Capacity, buffer.location, 0, "",
              "buffer \"" + buffer.name + "\" ends at byte " +
                  std::to_string(buffer.address + buffer.bytes) + " of ub, which has " +
                  std::to_string(chip.getUsableBytes(LocalMemory::UB)));
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

} // namespace

Session::Session(const Chip &chip, const SimulationOptions &options, Launch launch, int64_t blocks)
    : chip(chip), options(options), launch(std::move(launch)) {
  result.blocks = blocks;
  result.ubBytes = chip.getUsableBytes(LocalMemory::UB);
  for (const GlobalArray &global : this->launch.arrays) {
    arrays.push_back(makeMemory(global));
    traffic.push_back({global.name, 0, 0});
  }
}

Session::~Session() = default;

void Session::run(const Kernel &kernel) {
  if (!result.hazards.empty())
    return;
  HazardLog log(kernel.listing, launch);
  checkCapacity(kernel.listing, chip, log);
  if (result.blocks < 1 || result.blocks > chip.maxGrid)
    log.add(HazardKind::Limit, kernel.location, 0, "",
            "the grid has " + std::to_string(result.blocks) + " blocks; 1 to " +
                std::to_string(chip.maxGrid) + " are possible");
  result.hazards = log.take();
  if (!result.hazards.empty())
    return;
  Chipwide shared{kernel,
                  launch,
                  chip,
                  Costs(),
                  options,
                  log,
                  std::move(arrays),
                  result.blocks,
                  std::move(traffic),
                  InstructionRecorder(launches++, launch, options.recordInstructions),
                  {}};
  Engine engine(shared);
  engine.run();
  addLaunch(engine, shared, result);
  result.hazards = log.take();
  llvm::append_range(result.records, shared.recorder.take());
  // Compiled text declares its buffers while it runs.
  for (const Buffer &buffer : kernel.listing.buffers)
    result.ubBytesUsed = std::max(result.ubBytesUsed, buffer.address + buffer.bytes);
  // A launch is over before the next begins.
  arrays = std::move(shared.arrays);
  for (ByteMemory &array : arrays)
    array.history.clear();
  traffic = std::move(shared.traffic);
}

SimulationResult Session::finish() {
  if (result.microseconds > 0) { // else nothing has run
    sumTraffic(traffic, launch, result);
    sumUp(chip, options, result);
  }
  return std::move(result);
}
