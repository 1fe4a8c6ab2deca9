// The chips the compiler knows, as one table of facts with units and sources.
#ifndef ATTN_MACHINE_CHIP_H
#define ATTN_MACHINE_CHIP_H

#include "attn/Machine/Cores.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>
#include <string>

namespace attn {

/// One chip. Every member is described, with its unit and source, in ChipFacts.def.
struct Chip {
  std::string name;
  /// The machine the CPU JIT runs on: it has no pipes, and its "UB" is the cache share of a tile.
  bool isHost = false;
#define ATTN_CHIP_FACT(member, key, unit, source) int64_t member = 0;
#include "attn/Machine/ChipFacts.def"
  /// Usable bytes of each local memory, in the order of Memories.def.
  std::array<int64_t, localMemoryCount> memoryBytes = {};

  int64_t getUsableBytes(LocalMemory memory) const {
    return memoryBytes[static_cast<size_t>(memory)];
  }
};

/// A fact of `chip`, for listings.
struct ChipFact {
  std::string key;
  int64_t value;
  llvm::StringRef unit;
  llvm::StringRef source;
};
llvm::SmallVector<ChipFact> getFacts(const Chip &chip);

/// The names `lookupChip` takes, in the order of the table.
llvm::SmallVector<llvm::StringRef> getKnownChipNames();

/// The names of the chips that run what was compiled for `chip`: those of its architecture with at
/// least so many vector cores.
llvm::SmallVector<llvm::StringRef> getCompatibleChipNames(const Chip &chip, int64_t vectorCores);

/// The chip of that name as CANN spells it ("Ascend910B4"), its short form ("910B4"), or "host".
/// Unknown names, and dies without a published clock, give an error through `emitError`.
mlir::FailureOr<Chip> lookupChip(llvm::StringRef name,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The chip `name` with single facts replaced by `overrides` (key of ChipFacts.def, or of
/// Memories.def with "_bytes" appended, to integer).
mlir::FailureOr<Chip> resolveChip(llvm::StringRef name, mlir::DictionaryAttr overrides,
                                  llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The chip that the module carries as `machine.target`, or an error at the module that says how to
/// declare one.
mlir::FailureOr<Chip> getTargetChip(mlir::ModuleOp module);

/// Sets the module's target from "name" or "name:key=value,key=value".
mlir::LogicalResult setTargetChip(mlir::ModuleOp module, llvm::StringRef description);

} // namespace attn

#endif // ATTN_MACHINE_CHIP_H
