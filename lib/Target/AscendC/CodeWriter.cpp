// Writes the lines of an AscendC file: indentation and `#line` directives.
#include "CodeWriter.h"
#include "attn/Launch/Convention/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn::ascendc;
using namespace attn::launch;

/// Writes `text` as a C string literal, whatever bytes it holds.
static void writeString(llvm::raw_ostream &os, StringRef text) {
  os << '"';
  for (char character : text) {
    auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\')
      os << '\\' << character;
    else if (llvm::isPrint(character))
      os << character;
    else // Three octal digits end by themselves; hexadecimal escapes swallow what follows.
      os << '\\' << char('0' + (byte >> 6)) << char('0' + (byte >> 3 & 7))
         << char('0' + (byte & 7));
  }
  os << '"';
}

void CodeWriter::writeStatement(Location location, const Twine &text) {
  std::optional<SourceLine> source = lineDirectives ? getSourceLine(location) : std::nullopt;
  // Line 0 stands for an unknown line, which the language does not allow in a directive.
  if (source && source->line != 0) {
    os << "#line " << source->line << ' ';
    writeString(os, source->file);
    os << '\n';
  }
  writeLine(text);
}

void CodeWriter::writeLine(const Twine &text) {
  std::string line = text.str();
  if (!line.empty())
    os.indent(2 * depth) << line;
  os << '\n';
}
