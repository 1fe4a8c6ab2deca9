// The lines of the author's source, as far as a module has ops on them.
#ifndef ATTN_LIB_TARGET_OBJECT_LINETABLE_H
#define ATTN_LIB_TARGET_OBJECT_LINETABLE_H

#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace attn::object {

/// The places of a module's ops by their lines.
class LineTable {
public:
  explicit LineTable(mlir::ModuleOp module);

  /// An op on that line, or the beginning of the line.
  mlir::Location find(llvm::StringRef file, unsigned line) const;

private:
  mlir::MLIRContext *context;
  std::map<std::pair<std::string, unsigned>, mlir::Location> places;
};

} // namespace attn::object

#endif // ATTN_LIB_TARGET_OBJECT_LINETABLE_H
