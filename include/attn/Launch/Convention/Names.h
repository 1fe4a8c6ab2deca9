// The names of an AscendC kernel: identifiers from the source that clash with nothing.
#ifndef ATTN_LAUNCH_CONVENTION_NAMES_H
#define ATTN_LAUNCH_CONVENTION_NAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>

namespace attn::launch {

/// Whether `name` can be the name of a kernel: an identifier that is not reserved, short enough
/// for the profiler.
bool isKernelName(llvm::StringRef name);

/// The name under which a kernel that its author calls `wanted` is compiled: `exp_kernel` for
/// `exp`, which C++, AscendC or the C library have already, and `wanted` itself elsewhere.
std::string getKernelName(llvm::StringRef wanted);

/// The name that the source gives to what is at `location`, or none.
std::optional<llvm::StringRef> getSourceName(mlir::Location location);

/// A line of the author's source.
struct SourceLine {
  llvm::StringRef file;
  unsigned line;
};
std::optional<SourceLine> getSourceLine(mlir::Location location);

/// Hands out the identifiers of one kernel.
class NameTable {
public:
  /// An unused identifier close to `wanted`; `fallback` where nothing of `wanted` can be kept.
  std::string add(llvm::StringRef wanted, llvm::StringRef fallback);

  /// Whether `name` has been handed out.
  bool contains(llvm::StringRef name) const { return used.contains(name); }

private:
  llvm::StringSet<> used;
  /// The number that was last appended to each name.
  llvm::StringMap<unsigned> lastNumber;
};

} // namespace attn::launch

#endif // ATTN_LAUNCH_CONVENTION_NAMES_H
