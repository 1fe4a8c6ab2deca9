// One launch on the modelled chip: runs its kernels one after the other and sums up.
#include "attn/Simulator/Model/Session.h"
#include "Engine.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

/// The bytes of an array, counted from its first element: [begin, end).
std::pair<int64_t, int64_t> getExtent(const Array &array) {
  int64_t bytes = getBytes(*getElement(array.elementType)), begin = 0, end = bytes;
  for (auto [size, stride] : llvm::zip(array.shape, array.strides)) {
    if (size == 0)
      begin = end = 0;
    (stride < 0 ? begin : end) += (size - 1) * stride * bytes;
  }
  return {begin, std::max(begin, end)};
}

/// The arrays one after the other in GM, each at a whole line as allocators place them. L2 starts
/// without any of them.
GlobalMemory makeGlobalMemory(const Launch &launch, const Chip &chip) {
  std::vector<ByteMemory> arrays;
  std::vector<int64_t> addresses;
  TrafficCounts counts;
  int64_t next = 0;
  for (const GlobalArray &global : launch.arrays) {
    auto [begin, end] = getExtent(global.array);
    arrays.emplace_back(static_cast<uint8_t *>(global.array.data), begin, end, global.isDefined);
    addresses.push_back(next - begin);
    counts.arrays.push_back({global.name, 0, 0});
    next += llvm::alignTo(end - begin, architecture::l2LineBytes);
  }
  return {std::move(arrays), std::move(addresses), L2Cache(chip.l2Bytes, next), std::move(counts)};
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

/// Bytes of all elements of an array, whatever lies between them.
int64_t getByteSize(const Array &array) {
  int64_t elements = 1;
  for (int64_t size : array.shape)
    elements *= size;
  return elements * static_cast<int64_t>(array.elementType.getIntOrFloatBitWidth() / 8);
}

/// Adds the entries of a table up under the name of its argument.
void sumTraffic(const GlobalMemory &gm, const Launch &launch, SimulationResult &result) {
  int previous = -1;
  for (auto [traffic, global] : llvm::zip_equal(gm.counts.arrays, launch.arrays)) {
    if (global.argument != previous)
      result.traffic.push_back({StringRef(traffic.name).split('[').first.str(), 0, 0});
    previous = global.argument;
    result.traffic.back().bytesRead += traffic.bytesRead;
    result.traffic.back().bytesWritten += traffic.bytesWritten;
    result.bytesRead += traffic.bytesRead;
    result.bytesWritten += traffic.bytesWritten;
    int64_t size = getByteSize(global.array);
    result.leastBytes += std::min(traffic.bytesRead, size) + std::min(traffic.bytesWritten, size);
  }
  result.hbmBytesRead = gm.counts.linesRead * architecture::l2LineBytes;
  result.hbmBytesWritten = gm.counts.linesWritten * architecture::l2LineBytes;
}

/// Whether a run passes over iterations of loops that are in a steady state.
bool passesOver(const SimulationOptions &options) {
  return options.timingOnly && !options.everyIteration && !options.jitter &&
         options.traceCores == 0;
}

/// Adds one launch to what those before it took.
void addLaunch(const Engine &engine, Chipwide &shared, SimulationResult &result) {
  double cyclesPerMicrosecond = shared.chip.clockHz * 1e-6;
  result.cores = engine.getCoreCount();
  result.instructions += shared.instructions;
  result.productOperations += shared.products.operations;
  result.productCycles += shared.products.cycles;
  for (TraceEvent &event : shared.trace) {
    event.beginMicroseconds += result.microseconds;
    event.endMicroseconds += result.microseconds;
    result.trace.push_back(std::move(event));
  }
  for (TraceArrow &arrow : shared.arrows) {
    arrow.fromMicroseconds += result.microseconds;
    arrow.toMicroseconds += result.microseconds;
    result.arrows.push_back(std::move(arrow));
  }
  result.cycles += engine.getCycles();
  result.microseconds +=
      engine.getCycles() / cyclesPerMicrosecond + (engine.getCoreCount(CoreKind::Cube) > 0
                                                       ? shared.costs.launchCubeMicroseconds
                                                       : shared.costs.launchMicroseconds);
}

/// Runs one kernel, and hands on what it has come to.
struct Launcher {
  using Use = llvm::function_ref<void(Engine &, Chipwide &)>;

  const Session::Kernel &kernel;
  const Launch &launch;
  const Chip &chip;
  const SimulationOptions &options;
  HazardLog &log;
  GlobalMemory &gm;
  int64_t blocks;
  int64_t number;

  /// Every iteration is simulated where those that were passed over are not as the others.
  void run(Use use) {
    if (!passesOver(options)) {
      runOnce(/*mayPassOver=*/false, use);
      return;
    }
    L2Cache l2 = gm.l2;
    TrafficCounts counts = gm.counts;
    if (runOnce(/*mayPassOver=*/true, use))
      return;
    gm.l2 = std::move(l2);
    gm.counts = std::move(counts);
    runOnce(/*mayPassOver=*/false, use);
  }

private:
  /// False where it came to nothing.
  bool runOnce(bool mayPassOver, Use use) {
    Chipwide shared{kernel,
                    launch,
                    chip,
                    Costs(),
                    options,
                    log,
                    gm,
                    blocks,
                    mayPassOver,
                    gm.cycles,
                    /*skippedCycles=*/0,
                    InstructionRecorder(number, launch, options.recordInstructions),
                    {},
                    {},
                    /*instructions=*/0,
                    {}};
    Engine engine(shared);
    engine.run();
    if (shared.isLost)
      return false;
    gm.cycles += engine.getCycles();
    use(engine, shared);
    return true;
  }
};

/// What follows from the sums over all launches.
void sumUp(const Chip &chip, const SimulationOptions &options, SimulationResult &result) {
  int64_t ideal = options.idealBytes.value_or(result.leastBytes);
  double moving = ideal * 1e6 / chip.hbmBytesPerSecond;
  double multiplying =
      result.productCycles * 1e6 / std::max<double>(1, chip.cubeCores) / chip.clockHz;
  result.rooflineMicroseconds = std::max(moving, multiplying);
  result.rooflineShare = result.rooflineMicroseconds / result.microseconds;
}

} // namespace

Session::Session(const Chip &chip, const SimulationOptions &options, Launch launch, int64_t blocks)
    : chip(chip), options(options), launch(std::move(launch)),
      gm(std::make_unique<GlobalMemory>(makeGlobalMemory(this->launch, chip))) {
  result.blocks = blocks;
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
  Launcher launcher{kernel, launch, chip, options, log, *gm, result.blocks, launches};
  for (int64_t warmUp = 0; options.timingOnly && warmUp < options.warmUps; ++warmUp) {
    TrafficCounts counted = gm->counts;
    launcher.run([](Engine &, Chipwide &) {});
    gm->counts = std::move(counted);
  }
  launcher.run([&](Engine &engine, Chipwide &shared) {
    addLaunch(engine, shared, result);
    for (int kind = 0; kind < coreKindCount; ++kind) {
      cores[kind] = std::max(cores[kind], engine.getCoreCount(static_cast<CoreKind>(kind)));
      heldCycles[kind] += engine.getHeldCycles(static_cast<CoreKind>(kind));
      for (int pipe = 0; pipe < pipeCount; ++pipe)
        busyCycles[kind][pipe] += engine.getBusyCycles(static_cast<CoreKind>(kind), pipe);
    }
    llvm::append_range(result.records, shared.recorder.take(log));
  });
  ++launches;
  result.hazards = log.take();
  noteMemories(kernel);
  // A launch is over before the next begins.
  for (ByteMemory &array : gm->arrays)
    array.history.clear();
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
    if (double held = heldCycles[kind]; held > 0)
      result.held.push_back({getCoreName(static_cast<CoreKind>(kind)).str(), held,
                             held / (result.cycles * cores[kind])});
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
    sumTraffic(*gm, launch, result);
    sumUp(chip, options, result);
    listUse();
  }
  return std::move(result);
}
