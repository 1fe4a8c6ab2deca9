// The arguments of a kernel as its author knows them: arrays with their contracts, and numbers.
#ifndef ATTN_TARGET_SIDECAR_PARAMETERS_H
#define ATTN_TARGET_SIDECAR_PARAMETERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/JSON.h"

namespace attn::sidecar {

/// A type as the sidecar spells it: f32, bf16, i64, u16; `index` is i64.
std::string spellType(mlir::Type type);

/// The arguments of one kernel. Names are those of the source, made unique where they are not.
class Parameters {
public:
  explicit Parameters(mlir::func::FuncOp kernel);

  const std::string &getName(unsigned argument) const { return names[argument]; }
  bool isTable(unsigned argument) const;
  bool isWorkspace(unsigned argument) const;

  /// The array of an argument, or of the entries of a table; null for numbers.
  mlir::MemRefType getArray(unsigned argument) const;

  /// The size of a dimension as a formula; the entries of a table are its first dimension.
  llvm::json::Value getSize(unsigned argument, unsigned dimension) const;

  /// All of them, in the order of the kernel.
  llvm::json::Array describe() const;

  /// The workspaces that a launch needs, with their bytes as formulas; a diagnostic where a size is
  /// not known to the caller.
  mlir::FailureOr<llvm::json::Array> describeWorkspaces() const;

private:
  llvm::SmallVector<int64_t> getShape(unsigned argument) const;
  llvm::json::Value getDim(unsigned argument, unsigned dimension) const;
  llvm::json::Object describeArray(unsigned argument) const;

  mutable mlir::func::FuncOp kernel; // ops are handles, whose accessors are not const
  std::vector<std::string> names;
};

} // namespace attn::sidecar

#endif // ATTN_TARGET_SIDECAR_PARAMETERS_H
