// Checks and packs the arguments of a compiled kernel, and launches its blocks.
#include "attn/Cpu/Runtime/Kernel.h"
#include "ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>

using namespace attn::host;

/// Blocks per thread: enough that a thread which was held up leaves its blocks to the others, and
/// that the last blocks take little time where some take longer than others, as of a causal kernel.
static constexpr int64_t blocksPerThread = 16;

Kernel::Kernel(const Image &image) : code(image), parameters(image.parameters), limit(image.limit) {
  for (uint64_t entry : image.phases)
    phases.push_back(reinterpret_cast<KernelEntry>(code.getByte(entry)));
  if (image.grid)
    grid = reinterpret_cast<HostEntry>(code.getByte(*image.grid));
  for (uint64_t entry : image.launchChecks)
    launchChecks.push_back(reinterpret_cast<HostEntry>(code.getByte(entry)));
  for (const Parameter &parameter : parameters)
    if (parameter.bytes == 0)
      throw std::invalid_argument("a compiled kernel is malformed: an argument has no bytes");
}

//===----------------------------------------------------------------------===//
// Packing arguments
//===----------------------------------------------------------------------===//

[[noreturn]] static void refuse(size_t number, const std::string &problem) {
  throw std::invalid_argument("argument " + std::to_string(number) + " " + problem);
}

/// Checks the sizes and strides of an array or of a table's entries.
static void checkShape(size_t number, const Parameter &parameter, const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &strides) {
  if (shape.size() != parameter.shape.size() || strides.size() != shape.size())
    refuse(number, "has " + std::to_string(shape.size()) + " sizes and " +
                       std::to_string(strides.size()) + " strides; the kernel takes " +
                       std::to_string(parameter.shape.size()) + " of each");
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
    int64_t size = shape[dimension], expected = parameter.shape[dimension];
    if (size < 0 || (expected >= 0 && size != expected))
      refuse(number, "has size " + std::to_string(size) + " in dimension " +
                         std::to_string(dimension) + "; the kernel takes " +
                         (expected >= 0 ? std::to_string(expected) : "any from 0"));
  }
  if (!isEmpty && !shape.empty() && shape.back() > 1 && strides.back() != 1)
    refuse(number, "is not contiguous in its last dimension: its stride is " +
                       std::to_string(strides.back()));
}

static void checkAddress(size_t number, const Parameter &parameter, uint64_t address) {
  if (address % parameter.bytes != 0)
    refuse(number,
           "is not aligned to its elements of " + std::to_string(parameter.bytes) + " bytes");
}

/// The bits of a number in the type of the parameter.
static uint64_t packScalar(size_t number, const Parameter &parameter, const Argument &argument) {
  const int64_t *integer = std::get_if<int64_t>(&argument);
  if (parameter.isFloat) {
    if (parameter.bytes != 4)
      refuse(number, "is a scalar of a type that cannot be passed");
    float value = integer ? static_cast<float>(*integer) : std::get<double>(argument);
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(value));
    return word;
  }
  if (!integer)
    refuse(number, "is a floating-point number; the kernel takes an integer");
  if (parameter.bytes == 4 && *integer != static_cast<int32_t>(*integer))
    refuse(number, "does not fit 32 bits");
  return static_cast<uint64_t>(*integer);
}

static const char *getName(Parameter::Kind kind) {
  static constexpr const char *names[] = {"an array", "a table of arrays", "a scalar"};
  return names[kind];
}

static Parameter::Kind getKind(const Argument &argument) {
  if (std::holds_alternative<Array>(argument))
    return Parameter::ArrayKind;
  return std::holds_alternative<Table>(argument) ? Parameter::TableKind : Parameter::ScalarKind;
}

/// A memref's words: its address twice, an offset, sizes and strides.
static void addMemRef(std::vector<uint64_t> &words, uint64_t address,
                      const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  words.insert(words.end(), {address, address, 0});
  words.insert(words.end(), shape.begin(), shape.end());
  words.insert(words.end(), strides.begin(), strides.end());
}

static void checkCount(size_t number, int64_t count, int64_t expected) {
  if (expected >= 0 && count != expected)
    refuse(number, "has " + std::to_string(count) + " entries; the kernel takes " +
                       std::to_string(expected));
}

static void packTable(size_t number, const Parameter &parameter, const Table &table,
                      std::vector<uint64_t> &words) {
  auto count = static_cast<int64_t>(table.addresses.size());
  checkCount(number, count, parameter.count);
  checkShape(number, parameter, table.shape, table.strides);
  for (uint64_t address : table.addresses)
    checkAddress(number, parameter, address);
  addMemRef(words, reinterpret_cast<uint64_t>(table.addresses.data()), {count}, {1});
  addMemRef(words, 0, table.shape, table.strides);
}

Kernel::Words Kernel::pack(const std::vector<Argument> &arguments,
                           std::vector<size_t> *starts) const {
  if (arguments.size() != parameters.size())
    throw std::invalid_argument("the kernel takes " + std::to_string(parameters.size()) +
                                " arguments, not " + std::to_string(arguments.size()));
  Words words;
  for (size_t number = 0; number < arguments.size(); ++number) {
    const Parameter &parameter = parameters[number];
    const Argument &argument = arguments[number];
    if (starts)
      starts->push_back(words.size());
    if (getKind(argument) != parameter.kind)
      refuse(number, std::string("is ") + getName(getKind(argument)) + "; the kernel takes " +
                         getName(parameter.kind));
    if (const Array *array = std::get_if<Array>(&argument)) {
      checkShape(number, parameter, array->shape, array->strides);
      checkAddress(number, parameter, array->address);
      addMemRef(words, array->address, array->shape, array->strides);
    } else if (const Table *table = std::get_if<Table>(&argument)) {
      packTable(number, parameter, *table, words);
    } else {
      words.push_back(packScalar(number, parameter, argument));
    }
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Tiles of a grid, at most: more are a mistake, and their shares could not be computed.
static constexpr int64_t maxTiles = int64_t(1) << 30;

/// What a function for the host returns, unless a check stops it.
template <typename Entry> static int64_t callOnHost(Entry entry, const uint64_t *words) {
  BlockReport report;
  report[0] = 0;
  int64_t result = entry(words, 0, 0, report.data());
  if (report[0] != 0)
    throw Violation(report);
  return result;
}

int64_t Kernel::countBlocks(const Words &words, unsigned threads) const {
  int64_t tiles = grid ? callOnHost(grid, words.data()) : 1;
  if (tiles > maxTiles)
    throw std::invalid_argument("the grid has " + std::to_string(tiles) + " tiles; at most " +
                                std::to_string(maxTiles) + " are possible");
  int64_t most =
      phases.size() > 1 ? blocksWithPhases : std::max<int64_t>(threads, 1) * blocksPerThread;
  int64_t blocks = std::min(tiles, most);
  return std::max<int64_t>(limit > 0 ? std::min(blocks, limit) : blocks, 0);
}

int64_t Kernel::countBlocks(const std::vector<Argument> &arguments, unsigned threads) const {
  return countBlocks(pack(arguments), threads);
}

void Kernel::run(const Words &words, unsigned threads) const {
  int64_t blocks = countBlocks(words, threads);
  if (blocks == 0)
    return;
  for (HostEntry check : launchChecks)
    callOnHost(check, words.data());
  for (KernelEntry phase : phases)
    runPhase(phase, words, blocks, threads);
}

void Kernel::runPhase(KernelEntry phase, const Words &words, int64_t blocks,
                      unsigned threads) const {
  std::atomic<int64_t> firstStopped = blocks;
  std::mutex mutex;
  BlockReport firstReport;
  runOnThreads(blocks, threads, [&](int64_t block) {
    if (block > firstStopped.load(std::memory_order_relaxed))
      return; // its results are lost already, and its report does not count
    BlockReport report;
    report[0] = 0;
    phase(words.data(), block, blocks, report.data());
    if (report[0] == 0)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    if (block < firstStopped) {
      firstStopped = block;
      firstReport = report;
    }
  });
  if (firstStopped < blocks)
    throw Violation(firstReport);
}

//===----------------------------------------------------------------------===//
// Launching again
//===----------------------------------------------------------------------===//

Launch::Launch(const Kernel &kernel, const std::vector<Argument> &arguments) : kernel(kernel) {
  std::vector<size_t> starts;
  words = kernel.pack(arguments, &starts);
  for (size_t number = 0; number < arguments.size(); ++number) {
    Place place = {number, starts[number]};
    if (std::holds_alternative<double>(arguments[number]))
      floats.push_back(place);
    else if (!std::holds_alternative<int64_t>(arguments[number]))
      arrays.push_back(place);
  }
}

void Launch::run(const std::vector<Addresses> &addresses, const std::vector<double> &numbers,
                 unsigned threads) const {
  if (addresses.size() != arrays.size() || numbers.size() != floats.size())
    throw std::invalid_argument("the launch takes " + std::to_string(arrays.size()) +
                                " addresses and " + std::to_string(floats.size()) +
                                " floating-point numbers, not " + std::to_string(addresses.size()) +
                                " and " + std::to_string(numbers.size()));
  std::vector<uint64_t> own = words;
  for (size_t number = 0; number < arrays.size(); ++number) {
    auto [argument, word] = arrays[number];
    const Parameter &parameter = kernel.parameters[argument];
    uint64_t address = 0;
    if (const auto *entries = std::get_if<std::vector<uint64_t>>(&addresses[number])) {
      if (parameter.kind != Parameter::TableKind)
        refuse(argument, "is a table of arrays; the kernel takes an array");
      // The number of entries follows the address twice and an offset.
      checkCount(argument, static_cast<int64_t>(entries->size()),
                 static_cast<int64_t>(words[word + 3]));
      for (uint64_t entry : *entries)
        checkAddress(argument, parameter, entry);
      address = reinterpret_cast<uint64_t>(entries->data());
    } else {
      if (parameter.kind != Parameter::ArrayKind)
        refuse(argument, "is an array; the kernel takes a table of arrays");
      address = std::get<uint64_t>(addresses[number]);
      checkAddress(argument, parameter, address);
    }
    own[word] = own[word + 1] = address;
  }
  for (size_t number = 0; number < floats.size(); ++number) {
    auto [argument, word] = floats[number];
    own[word] = packScalar(argument, kernel.parameters[argument], numbers[number]);
  }
  kernel.run(own, threads);
}
