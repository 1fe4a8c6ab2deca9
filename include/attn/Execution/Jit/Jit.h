// Runs kernels on the CPU: compiles the LLVM dialect in memory and spreads the blocks of a launch
// over threads.
#ifndef ATTN_EXECUTION_JIT_JIT_H
#define ATTN_EXECUTION_JIT_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace attn::jit {

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

/// One argument of an entry, read back from its `launch.signature`.
struct Parameter {
  enum Kind { ArrayKind, TableKind, ScalarKind } kind;
  std::vector<int64_t>
      shape;          // of an array or of each entry of a table; negative where any size is taken
  int64_t count = -1; // entries of a table, or negative
  unsigned bytes = 0; // of an element or of the scalar
  bool isFloat = false;
};

/// A compiled kernel with all its phases. May be run by several threads at a time.
class Kernel {
public:
  /// Compiles `name`, or the only kernel of a module in the LLVM dialect that `jit-add-entries`
  /// gave entries. Kernels that `launch.after` chains to it are its later phases.
  static llvm::Expected<std::unique_ptr<Kernel>> compile(mlir::ModuleOp module,
                                                         llvm::StringRef name = "");
  ~Kernel();

  /// How many blocks `run` launches; arrays of workspace need that many rows.
  llvm::Expected<int64_t> countBlocks(llvm::ArrayRef<Argument> arguments, unsigned threads) const;

  /// Runs all blocks, phase by phase, and returns when they are done. Arguments that do not fit the
  /// signature are an error.
  llvm::Error run(llvm::ArrayRef<Argument> arguments, unsigned threads) const;

private:
  using KernelEntry = void (*)(const uint64_t *words, int64_t block, int64_t count);
  using GridEntry = int64_t (*)(const uint64_t *words, int64_t block, int64_t count);
  struct Call; // the arguments as words

  Kernel() = default;
  llvm::Error pack(llvm::ArrayRef<Argument> arguments, Call &call) const;
  int64_t countBlocks(const Call &call, unsigned threads) const;

  std::unique_ptr<llvm::orc::LLJIT> engine;
  std::vector<Parameter> parameters;
  std::vector<KernelEntry> phases;
  GridEntry grid = nullptr; // null for a kernel without a grid
  int64_t limit = 0;        // of blocks, or 0
};

/// Asks the system to back memory that nobody has touched yet by huge pages, if it is large: the
/// first write to each page of a large output can cost more than computing it.
void preferHugePages(uint64_t address, uint64_t bytes);

/// The optimised LLVM IR of a module in the LLVM dialect, as text.
llvm::Expected<std::string> printLLVM(mlir::ModuleOp module);

} // namespace attn::jit

#endif // ATTN_EXECUTION_JIT_JIT_H
