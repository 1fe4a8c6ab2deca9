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
  for (const Buffer &buffer : listing.buffers) {
    int64_t end = buffer.address + buffer.bytes;
    int64_t bytes = chip.getUsableBytes(*ascend::getLocalMemory(buffer.memory));
    if (end > bytes)
      log.add(HazardKind::Capacity, buffer.location, CorePlace(), "",
              "buffer \"" + buffer.name + "\" ends at byte " + std::to_string(end) + " of " +
                  nameOf(buffer.memory) + ", which has " + std::to_string(bytes));
  }
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
}

/// What follows from the sums over all launches.
void sumUp(const Chip &chip, const SimulationOptions &options, SimulationResult &result) {
  int64_t ideal = options.idealBytes.value_or(result.bytesRead + result.bytesWritten);
  result.rooflineMicroseconds = ideal * 1e6 / chip.hbmBytesPerSecond;
  result.rooflineShare = result.rooflineMicroseconds / result.microseconds;
}

} // namespace

Session::Session(const Chip &chip, const SimulationOptions &options, Launch launch, int64_t blocks)
    : chip(chip), options(options), launch(std::move(launch)) {
  result.blocks = blocks;
  for (const GlobalArray &global : this->launch.arrays) {
    arrays.push_back(makeMemory(global));
    traffic.push_back({global.name, 0, 0});
  }
}

Session::~Session() = default;

void Session::run(const Kernel &kernel) {
  if (!result.hazards.empty())
    return;
  HazardLog log(kernel.listing, launch, kernel.kind == ascend::KernelKind::Mixed);
  checkCapacity(kernel.listing, chip, log);
  if (result.blocks < 1 || result.blocks > chip.maxGrid)
    log.add(HazardKind::Limit, kernel.location, CorePlace(), "",
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
  for (int kind = 0; kind < coreKindCount; ++kind) {
    cores[kind] = std::max(cores[kind], engine.getCoreCount(static_cast<CoreKind>(kind)));
    for (int pipe = 0; pipe < pipeCount; ++pipe)
      busyCycles[kind][pipe] += engine.getBusyCycles(static_cast<CoreKind>(kind), pipe);
  }
  llvm::append_range(result.records, shared.recorder.take(log));
  result.hazards = log.take();
  noteMemories(kernel);
  // A launch is over before the next begins.
  arrays = std::move(shared.arrays);
  for (ByteMemory &array : arrays)
    array.history.clear();
  traffic = std::move(shared.traffic);
}

/// Compiled text declares its buffers while it runs, so that they are known afterwards only.
void Session::noteMemories(const Kernel &kernel) {
  for (const Buffer &buffer : kernel.listing.buffers) {
    int64_t &used = bytesUsed[static_cast<size_t>(*ascend::getLocalMemory(buffer.memory))];
    used = std::max(used, buffer.address + buffer.bytes);
  }
}

void Session::listUse() {
  bool areBothUsed = llvm::none_of(cores, [](int64_t count) { return count == 0; });
  for (int kind = 0; kind < coreKindCount; ++kind) {
    std::string prefix = areBothUsed ? getCoreName(static_cast<CoreKind>(kind)).str() + " " : "";
    for (int pipe = 0; pipe < pipeCount; ++pipe)
      if (double busy = busyCycles[kind][pipe]; busy > 0)
        result.pipes.push_back(
            {prefix + nameOf(static_cast<Pipe>(pipe)), busy, busy / (result.cycles * cores[kind])});
  }
  for (const LocalMemoryFacts &facts : getLocalMemories())
    if (cores[static_cast<size_t>(facts.core)] > 0)
      result.memories.push_back({facts.name.str(), bytesUsed[static_cast<size_t>(facts.memory)],
                                 chip.getUsableBytes(facts.memory)});
}

SimulationResult Session::finish() {
  if (result.microseconds > 0) { // else nothing has run
    sumTraffic(traffic, launch, result);
    sumUp(chip, options, result);
    listUse();
  }
  return std::move(result);
}
