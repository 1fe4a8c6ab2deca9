// Writes the lines of an AscendC file: indentation, `#line` directives, comments with the author's
// lines, and statements broken into lines that can be read.
#ifndef ATTN_TARGET_ASCENDC_CODEWRITER_H
#define ATTN_TARGET_ASCENDC_CODEWRITER_H

#include "attn/Launch/Convention/Names.h"
#include "attn/Target/AscendC/EmitAscendC.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace attn::ascendc {

class CodeWriter {
public:
  CodeWriter(llvm::raw_ostream &os, const AscendCOptions &options)
      : os(os), lineDirectives(options.lineDirectives), sources(options.sources) {}

  /// A statement that comes from `location`, below the author's line where it is another one than
  /// that of the statement before.
  void writeStatement(mlir::Location location, const llvm::Twine &text);

  /// A line that comes from `location`, after a `#line` directive that says so. Each has its own:
  /// compilers count on from a directive, and one source line makes many statements. Long text is
  /// broken, at the earliest after `firstBreak` characters.
  void writeDeclaration(mlir::Location location, const llvm::Twine &text, size_t firstBreak = 0);

  /// A line that comes from no particular place of the source.
  void writeLine(const llvm::Twine &text);

  void indent() { ++depth; }
  void outdent() { --depth; }

private:
  void writeComment(const launch::SourceLine &source);
  void writeLines(llvm::StringRef directive, llvm::StringRef text, size_t firstBreak);

  llvm::raw_ostream &os;
  bool lineDirectives;
  const SourceLines &sources;
  /// The line of the last comment.
  std::optional<launch::SourceLine> shown;
  unsigned depth = 0;
};

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_CODEWRITER_H
