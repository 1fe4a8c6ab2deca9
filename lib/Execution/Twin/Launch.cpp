// Launches of compiled text: where arrays lie on the device, and the block of arguments.
#include "TextKernel.h"
#include "attn/Execution/Twin/Twin.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Target/AscendC/Signature.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::twin;
using namespace attn::simulator;

namespace {

/// Arrays on the device lie apart, so that what runs out of one is in none.
constexpr uint64_t firstAddress = uint64_t(1) << 40;
constexpr uint64_t addressGap = uint64_t(1) << 20;

/// The argument block of a kernel, filled from the front.
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

/// The arrays and tables of a launch in the memory of the device. Arrays are found by their number
/// in the launch: two arguments may be the same memory here, and are two arrays there.
class Device {
public:
  explicit Device(const Launch &launch) {
    for (auto [index, global] : llvm::enumerate(launch.arrays))
      addresses.push_back(
          place(getExtent(global.array), static_cast<uint8_t *>(global.array.data), index));
    for (const BoundArgument &argument : launch.arguments) {
      tables.emplace_back();
      tableAddresses.push_back(0);
      if (!argument.isTable)
        continue;
      for (int entry = 0; entry < argument.arrayCount; ++entry)
        tables.back().push_back(addresses[argument.firstArray + entry]);
      tableAddresses.back() =
          place(tables.back().size() * sizeof(uint64_t),
                reinterpret_cast<const uint8_t *>(tables.back().data()), /*array=*/-1);
    }
  }

  /// What a kernel gets for an argument that it takes by its address.
  uint64_t getAddress(const Launch &launch, int argument) const {
    const BoundArgument &bound = launch.arguments[argument];
    return bound.isTable ? tableAddresses[argument] : addresses[bound.firstArray];
  }

  ArrayRef<DeviceMemory> getMemory() const { return memory; }

private:
  static uint64_t getExtent(const Array &array) {
    uint64_t last = 0;
    for (auto [size, stride] : llvm::zip(array.shape, array.strides)) {
      if (size == 0)
        return 0;
      last += (size - 1) * stride;
    }
    return (last + 1) * getBytes(*getElement(array.elementType));
  }

  uint64_t place(uint64_t bytes, const uint8_t *data, int array) {
    uint64_t address = next;
    next = llvm::alignTo(next + bytes + addressGap, addressGap);
    memory.push_back({address, bytes, data, array});
    return address;
  }

  uint64_t next = firstAddress;
  std::vector<uint64_t> addresses, tableAddresses;
  std::vector<std::vector<uint64_t>> tables;
  std::vector<DeviceMemory> memory;
};

/// Checks what a caller passes by bytes against what the kernel takes.
LogicalResult checkArguments(const attn_twin::Kernel &kernel, size_t bytes, Location location) {
  // The end of the block may be rounded up to the alignment of a pointer.
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
  auto start = [&](int64_t block) { return text.start(block); };
  session.run({location, text.getListing(), start});
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

/// The argument block of `kernel` as its signature orders it.
static FailureOr<ArgumentBlock> pack(func::FuncOp kernel, const Launch &launch,
                                     const Device &device) {
  ascendc::NameTable names;
  FailureOr<ascendc::Signature> signature = ascendc::getSignature(kernel, names);
  if (failed(signature))
    return failure();
  ArgumentBlock block;
  for (const ascendc::Parameter &parameter : signature->parameters) {
    const BoundArgument &bound = launch.arguments[parameter.argument];
    using Kind = ascendc::Parameter::Kind;
    if (parameter.kind == Kind::Pointer) {
      block.add(device.getAddress(launch, parameter.argument));
      continue;
    }
    if (parameter.kind == Kind::Scalar) {
      if (parameter.type == "float")
        block.add(bound.scalar.real);
      else if (parameter.type == "int32_t")
        block.add(static_cast<int32_t>(bound.scalar.integer));
      else
        block.add(bound.scalar.integer);
      continue;
    }
    if (bound.isTable && parameter.dimension == 0) {
      block.add(static_cast<int64_t>(bound.arrayCount));
      continue;
    }
    const Array &array = launch.arrays[bound.firstArray].array;
    unsigned dimension = parameter.dimension - (bound.isTable ? 1 : 0);
    block.add(parameter.kind == Kind::Size ? array.shape[dimension] : array.strides[dimension]);
  }
  return block;
}

FailureOr<SimulationResult> twin::simulateText(func::FuncOp kernel, const Library &library,
                                               const Chip &chip, ArrayRef<Argument> arguments,
                                               const SimulationOptions &options) {
  FailureOr<SmallVector<func::FuncOp>> phases = getPhases(kernel);
  if (failed(phases) || failed(checkOptions(options, kernel.getLoc())))
    return failure();
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  FailureOr<Launch> launch = bindArguments(kernel, arguments, *blocks, /*needsData=*/true);
  if (failed(launch))
    return failure();
  Session session(chip, options, std::move(*launch), *blocks);
  Device device(session.getLaunch());
  for (func::FuncOp phase : *phases) {
    std::string problem;
    const attn_twin::Kernel *compiled = library.find(phase.getSymName(), problem);
    if (!compiled)
      return phase.emitError() << problem;
    FailureOr<ArgumentBlock> block = pack(phase, session.getLaunch(), device);
    if (failed(block) || failed(runKernel(session, *compiled, block->get(), device.getMemory(),
                                          chip, options, phase.getLoc())))
      return failure();
  }
  return session.finish();
}

//===----------------------------------------------------------------------===//
// By the parameters of the text
//===----------------------------------------------------------------------===//

/// The launch that arguments in the order of the text's parameters make.
static FailureOr<Launch> makeLaunch(ArrayRef<Argument> arguments, Location location) {
  Launch launch;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    BoundArgument bound;
    bound.scalar = {argument.integer, argument.real};
    bound.isTable = argument.kind == Argument::Kind::Table;
    if (argument.kind == Argument::Kind::Scratch)
      return emitError(location) << "argument " << index
                                 << " is scratch, whose size the text does not tell: give an array";
    if (!argument.arrays.empty()) {
      bound.firstArray = launch.arrays.size();
      bound.arrayCount = argument.arrays.size();
    }
    for (auto [entry, array] : llvm::enumerate(argument.arrays)) {
      std::string name = "argument " + std::to_string(index);
      if (bound.isTable)
        name += "[" + std::to_string(entry) + "]";
      launch.arrays.push_back({name, array, argument.isDefined, static_cast<int>(index)});
    }
    launch.arguments.push_back(bound);
  }
  return launch;
}

FailureOr<SimulationResult> twin::simulateText(StringRef name, const Library &library,
                                               const Chip &chip, ArrayRef<Argument> arguments,
                                               const SimulationOptions &options,
                                               Location location) {
  std::string problem;
  const attn_twin::Kernel *kernel = library.find(name, problem);
  if (!kernel)
    return emitError(location) << problem;
  FailureOr<Launch> launch = makeLaunch(arguments, location);
  if (failed(launch) || failed(checkOptions(options, location)))
    return failure();
  Session session(chip, options, std::move(*launch), options.blocks.value_or(1));
  Device device(session.getLaunch());
  ArgumentBlock block;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (argument.kind == Argument::Kind::Real)
      block.add(argument.real);
    else if (argument.kind == Argument::Kind::Integer)
      block.add(argument.integer);
    else
      block.add(device.getAddress(session.getLaunch(), index));
  }
  if (failed(runKernel(session, *kernel, block.get(), device.getMemory(), chip, options, location)))
    return failure();
  return session.finish();
}
