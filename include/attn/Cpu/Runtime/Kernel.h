// Runs compiled kernels on the CPU: maps an image, checks and packs arguments, launches blocks.
// Neither LLVM nor MLIR is needed for it, so a kernel that is compiled already starts without them.
#ifndef ATTN_CPU_RUNTIME_KERNEL_H
#define ATTN_CPU_RUNTIME_KERNEL_H

#include "attn/Cpu/Runtime/Image.h"
#include <array>
#include <exception>
#include <variant>

namespace attn::host {

/// Blocks of a kernel with several phases, at most. What its blocks sum up, it adds in a fixed
/// order, so their number must not depend on the threads: a shape gives the same bits on any number
/// of them.
inline constexpr int64_t blocksWithPhases = 64;

/// A tensor in memory; strides are in elements, the last one 1.
struct Array {
  uint64_t address = 0;
  std::vector<int64_t> shape, strides;
};

/// Equal tensors in memory, given by their addresses; shape and strides are those of each.
struct Table {
  std::vector<uint64_t> addresses;
  std::vector<int64_t> shape, strides;
};

/// An argument of a kernel as its author wrote it: a number for a scalar.
using Argument = std::variant<Array, Table, double, int64_t>;

/// The pages that an image is mapped to; unmapped at the end.
class MappedImage {
public:
  /// Throws std::invalid_argument for an image that is not well formed.
  explicit MappedImage(const Image &image);
  MappedImage(const MappedImage &) = delete;
  MappedImage &operator=(const MappedImage &) = delete;
  ~MappedImage();

  char *getByte(uint64_t offset) const { return begin + offset; }

private:
  char *begin = nullptr;
  uint64_t size = 0;
};

/// What a block writes where a check stops it: the number of the check, from 1 on, and numbers of
/// its own; 0 where nothing stopped it.
using BlockReport = std::array<int64_t, maxReportWords>;

/// A check that did not hold.
class Violation : public std::exception {
public:
  explicit Violation(const BlockReport &report) : report(report) {}
  const char *what() const noexcept override { return "a check of a kernel does not hold"; }

  BlockReport report;
};

/// A compiled kernel with all its phases. What does not fit it throws std::invalid_argument, what
/// its checks find a `Violation`.
class Kernel {
public:
  explicit Kernel(const Image &image);

  /// How many blocks are launched; arrays of workspace need that many rows.
  int64_t countBlocks(const std::vector<Argument> &arguments, unsigned threads) const;

private:
  friend class Launch;
  using KernelEntry = void (*)(const uint64_t *words, int64_t block, int64_t count,
                               int64_t *report);
  using HostEntry = int64_t (*)(const uint64_t *words, int64_t block, int64_t count,
                                int64_t *report);
  using Words = std::vector<uint64_t>; // the arguments as entries take them

  /// `starts` takes the first word of each argument.
  Words pack(const std::vector<Argument> &arguments, std::vector<size_t> *starts = nullptr) const;
  int64_t countBlocks(const Words &words, unsigned threads) const;
  /// Runs all blocks, phase by phase, and returns when they are done. Of several blocks that checks
  /// stop, the first counts: what it reports depends on neither the threads nor their number.
  void run(const Words &words, unsigned threads) const;
  void runPhase(KernelEntry phase, const Words &words, int64_t blocks, unsigned threads) const;

  MappedImage code;
  std::vector<Parameter> parameters;
  std::vector<KernelEntry> phases;
  std::vector<HostEntry> launchChecks;
  HostEntry grid = nullptr; // null for a kernel without a grid
  int64_t limit = 0;        // of blocks, or 0
};

/// The address of an array, or those of the entries of a table.
using Addresses = std::variant<uint64_t, std::vector<uint64_t>>;

/// Launches of a kernel that differ in addresses and in floating-point numbers only: all else is
/// checked and packed once. May be run by several threads at a time.
class Launch {
public:
  /// What `arguments` have as addresses and floating-point numbers does not count. The kernel must
  /// outlive the launches.
  Launch(const Kernel &kernel, const std::vector<Argument> &arguments);

  /// Takes the addresses of arrays and tables, and the floating-point numbers, in the order of the
  /// arguments. Throws as kernels do.
  void run(const std::vector<Addresses> &addresses, const std::vector<double> &floats,
           unsigned threads) const;

private:
  const Kernel &kernel;
  std::vector<uint64_t> words;
  /// The arguments that differ: their numbers, and their first words.
  struct Place {
    size_t argument, word;
  };
  std::vector<Place> arrays, floats;
};

/// Asks the system to back memory that has not been touched yet by huge pages, if it is large: the
/// first write to each page of a large output can cost more than computing it.
void preferHugePages(uint64_t address, uint64_t bytes);

} // namespace attn::host

#endif // ATTN_CPU_RUNTIME_KERNEL_H
