// Writes the lines of an AscendC file: indentation and `#line` directives.
#ifndef ATTN_TARGET_ASCENDC_CODEWRITER_H
#define ATTN_TARGET_ASCENDC_CODEWRITER_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace attn::ascendc {

class CodeWriter {
public:
  CodeWriter(llvm::raw_ostream &os, bool lineDirectives) : os(os), lineDirectives(lineDirectives) {}

  /// A line that comes from `location`, after a `#line` directive that says so. Each statement has
  /// its own: compilers count on from a directive, and one source line makes many statements.
  void writeStatement(mlir::Location location, const llvm::Twine &text);

  /// A line that comes from no particular place of the source.
  void writeLine(const llvm::Twine &text);

  void indent() { ++depth; }
  void outdent() { --depth; }

private:
  llvm::raw_ostream &os;
  bool lineDirectives;
  unsigned depth = 0;
};

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_CODEWRITER_H
