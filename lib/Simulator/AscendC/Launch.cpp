// Launches of compiled text: its packed arguments, and the ways to ask for one.
#include "attn/Simulator/Launch/Launch.h"
#include "TextKernel.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Simulator/AscendC/Twin.h"
#include "attn/Simulator/IR/Simulate.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::twin;
using namespace attn::simulator;

namespace {

/// The packed arguments of a kernel, filled from the front.
class ArgumentBlock {
public:
  template <typename T> void add(T value) {
    bytes.resize(llvm::alignTo(bytes.size(), std::max<size_t>(4, alignof(T))));
    size_t offset = bytes.size();
    bytes.resize(offset + sizeof(T));
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }
  ArrayRef<uint8_t> get() const { return bytes; }

private:
  std::vector<uint8_t> bytes;
};

/// Checks what a caller passes by bytes against what the kernel takes.
LogicalResult checkArguments(const attn_twin::Kernel &kernel, size_t bytes, Location location) {
  // Their end may be rounded up to the alignment of a pointer.
  if (bytes >= kernel.argumentBytes && bytes <= llvm::alignTo(kernel.argumentBytes, 8))
    return success();
  return emitError(location) << "the kernel takes " << kernel.argumentBytes
                             << " bytes of arguments, not " << bytes;
}

LogicalResult checkOptions(const SimulationOptions &options, Location location) {
  if (options.timingOnly)
    return emitError(location) << "text runs with values only: addresses are among them";
  if (options.checkEffects)
    return emitError(location) << "text has no interface that its effects could be compared with";
  return success();
}

/// Runs one kernel of text in a session.
LogicalResult runKernel(Session &session, const attn_twin::Kernel &kernel,
                        ArrayRef<uint8_t> arguments, ArrayRef<DeviceMemory> memory,
                        const Chip &chip, const SimulationOptions &options, Location location) {
  if (failed(checkArguments(kernel, arguments.size(), location)))
    return failure();
  TextKernel text(kernel, arguments, memory, chip, session.getBlocks(), options.maxSteps,
                  location.getContext());
  auto start = [&](const CorePlace &place) { return text.start(place); };
  session.run({location, text.getKind(), text.getListing(), start});
  return success();
}

} // namespace

FailureOr<Chip> twin::parseChip(StringRef soc, MLIRContext *context) {
  context->loadDialect<machine::MachineDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  if (failed(setTargetChip(*module, soc.empty() ? "Ascend910B4" : soc)))
    return failure();
  FailureOr<Chip> chip = getTargetChip(*module);
  if (succeeded(chip) && chip->isHost)
    return emitError(module->getLoc()) << "text cannot run on the chip 'host': name an Ascend chip";
  return chip;
}

//===----------------------------------------------------------------------===//
// By bytes
//===----------------------------------------------------------------------===//

FailureOr<SimulationResult> twin::launch(const attn_twin::Kernel &kernel, const Chip &chip,
                                         int64_t blocks, ArrayRef<uint8_t> arguments,
                                         ArrayRef<Region> regions, const SimulationOptions &options,
                                         Location location) {
  if (failed(checkOptions(options, location)))
    return failure();
  Launch launch;
  std::vector<DeviceMemory> memory;
  Type byte = IntegerType::get(location.getContext(), 8);
  for (const Region &region : regions) {
    int index = launch.arrays.size();
    Array array = {region.data, {static_cast<int64_t>(region.bytes)}, {1}, byte};
    launch.arrays.push_back({region.name, std::move(array), region.isDefined, index});
    memory.push_back({region.address, region.bytes, region.data, index});
  }
  Session session(chip, options, std::move(launch), blocks);
  if (failed(runKernel(session, kernel, arguments, memory, chip, options, location)))
    return failure();
  return session.finish();
}

//===----------------------------------------------------------------------===//
// By the arguments of the IR
//===----------------------------------------------------------------------===//

/// The packed arguments of a text's parameters.
static ArgumentBlock pack(ArrayRef<TextArgument> arguments) {
  ArgumentBlock block;
  for (const TextArgument &argument : arguments) {
    if (argument.kind == TextArgument::Kind::Real)
      block.add(argument.value.real);
    else if (argument.kind == TextArgument::Kind::Int32)
      block.add(static_cast<int32_t>(argument.value.integer));
    else
      block.add(argument.value.integer);
  }
  return block;
}

FailureOr<SimulationResult> twin::simulateText(func::FuncOp kernel, const Library &library,
                                               const Chip &chip, ArrayRef<Argument> arguments,
                                               const SimulationOptions &options) {
  if (failed(checkOptions(options, kernel.getLoc())))
    return failure();
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  auto run = [&](func::FuncOp phase, Session &session, const Device &device) -> LogicalResult {
    std::string problem;
    const attn_twin::Kernel *compiled = library.find(phase.getSymName(), problem);
    if (!compiled)
      return phase.emitError() << problem;
    FailureOr<SmallVector<TextArgument>> listed = listArguments(phase, session.getLaunch(), device);
    if (failed(listed))
      return failure();
    return runKernel(session, *compiled, pack(*listed).get(), device.getMemory(), chip, options,
                     phase.getLoc());
  };
  return launchKernel(kernel, chip, arguments, *blocks, options, run);
}

//===----------------------------------------------------------------------===//
// By the parameters of the text
//===----------------------------------------------------------------------===//

FailureOr<SimulationResult> twin::simulateText(StringRef name, const Library &library,
                                               const Chip &chip, ArrayRef<Argument> arguments,
                                               const SimulationOptions &options,
                                               Location location) {
  std::string problem;
  const attn_twin::Kernel *kernel = library.find(name, problem);
  if (!kernel)
    return emitError(location) << problem;
  if (failed(checkOptions(options, location)))
    return failure();
  return launchText(chip, arguments, options, location,
                    [&](Session &session, ArrayRef<TextArgument> parameters, const Device &device) {
                      return runKernel(session, *kernel, pack(parameters).get(), device.getMemory(),
                                       chip, options, location);
                    });
}
