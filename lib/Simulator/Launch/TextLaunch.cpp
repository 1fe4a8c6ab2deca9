// Launches of emitted text: where arrays lie on the device, and what the text's parameters get.
#include "attn/Simulator/Launch/TextLaunch.h"
#include "attn/Launch/Convention/Signature.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Arrays on the device lie apart, so that what runs out of one is in none.
static constexpr uint64_t firstAddress = uint64_t(1) << 40;
static constexpr uint64_t addressGap = uint64_t(1) << 20;

const DeviceMemory *simulator::findMemory(ArrayRef<DeviceMemory> memory, uint64_t address) {
  const DeviceMemory *found = llvm::find_if(
      memory, [&](const DeviceMemory &region) { return address - region.address < region.bytes; });
  return found == memory.end() ? nullptr : found;
}

static uint64_t getExtent(const Array &array) {
  uint64_t last = 0;
  for (auto [size, stride] : llvm::zip(array.shape, array.strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return (last + 1) * getBytes(*getElement(array.elementType));
}

Device::Device(const Launch &launch) : next(firstAddress) {
  for (auto [index, global] : llvm::enumerate(launch.arrays))
    addresses.push_back(place(getExtent(global.array), static_cast<uint8_t *>(global.array.data),
                              index, /*isWritten=*/!global.isDefined));
  for (const BoundArgument &argument : launch.arguments) {
    tables.emplace_back();
    tableAddresses.push_back(0);
    if (!argument.isTable)
      continue;
    for (int entry = 0; entry < argument.arrayCount; ++entry)
      tables.back().push_back(addresses[argument.firstArray + entry]);
    tableAddresses.back() =
        place(tables.back().size() * sizeof(uint64_t),
              reinterpret_cast<const uint8_t *>(tables.back().data()), /*array=*/-1,
              /*isWritten=*/false);
  }
}

uint64_t Device::place(uint64_t bytes, const uint8_t *data, int array, bool isWritten) {
  uint64_t address = next;
  next = llvm::alignTo(next + bytes + addressGap, addressGap);
  memory.push_back({address, bytes, data, array, isWritten});
  return address;
}

uint64_t Device::getAddress(const Launch &launch, int argument) const {
  const BoundArgument &bound = launch.arguments[argument];
  return bound.isTable ? tableAddresses[argument] : addresses[bound.firstArray];
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static TextArgument makeInteger(int64_t value) {
  return {TextArgument::Kind::Int64, Scalar{value, 0}};
}
static TextArgument makeAddress(uint64_t address) {
  return {TextArgument::Kind::Address, Scalar{static_cast<int64_t>(address), 0}};
}

FailureOr<SmallVector<TextArgument>>
simulator::listArguments(func::FuncOp kernel, const Launch &launch, const Device &device) {
  launch::NameTable names;
  FailureOr<launch::Signature> signature = launch::getSignature(kernel, names);
  if (failed(signature))
    return failure();
  auto get = [&](const launch::Parameter &parameter) -> TextArgument {
    using Kind = launch::Parameter::Kind;
    const BoundArgument &bound = launch.arguments[parameter.argument];
    if (parameter.kind == Kind::Pointer)
      return makeAddress(device.getAddress(launch, parameter.argument));
    if (parameter.kind == Kind::Scalar && parameter.type.isF32())
      return {TextArgument::Kind::Real, bound.scalar};
    if (parameter.kind == Kind::Scalar && parameter.type.isInteger(32))
      return {TextArgument::Kind::Int32, bound.scalar};
    if (parameter.kind == Kind::Scalar)
      return makeInteger(bound.scalar.integer);
    if (bound.isTable && parameter.dimension == 0)
      return makeInteger(bound.arrayCount);
    const Array &array = launch.arrays[bound.firstArray].array;
    unsigned dimension = parameter.dimension - (bound.isTable ? 1 : 0);
    return makeInteger(parameter.kind == Kind::Size ? array.shape[dimension]
                                                    : array.strides[dimension]);
  };
  return llvm::map_to_vector(signature->parameters, get);
}

FailureOr<Launch> simulator::bindParameters(ArrayRef<Argument> arguments, Location location) {
  Launch launch;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    BoundArgument bound;
    bound.scalar = {argument.integer, argument.real};
    bound.isTable = argument.kind == Argument::Kind::Table;
    if (argument.kind == Argument::Kind::Workspace)
      return emitError(location)
             << "argument " << index
             << " is a workspace, whose size the text does not tell: give an array";
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

SmallVector<TextArgument> simulator::listArguments(ArrayRef<Argument> arguments,
                                                   const Launch &launch, const Device &device) {
  SmallVector<TextArgument> listed;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (argument.kind == Argument::Kind::Real)
      listed.push_back({TextArgument::Kind::Real, Scalar{0, argument.real}});
    else if (argument.kind == Argument::Kind::Integer)
      listed.push_back(makeInteger(argument.integer));
    else
      listed.push_back(makeAddress(device.getAddress(launch, index)));
  }
  return listed;
}
