// Writes the lines of an AscendC file: indentation, `#line` directives, comments with the author's
// lines, and statements broken into lines that can be read.
#include "CodeWriter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn::ascendc;
using namespace attn::launch;

static constexpr size_t maxColumns = 120;

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

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// `line` as the text of a `//` comment of at most `width` characters. Compilers warn of characters
/// that are invalid or change the direction of text, so others than ASCII become question marks;
/// a backslash at the end, or the trigraph for it, would take the next line into the comment.
static std::string makeComment(StringRef line, size_t width) {
  std::string text;
  for (char character : line.trim()) {
    bool isContinued = (static_cast<unsigned char>(character) & 0xC0) == 0x80;
    if (!isContinued)
      text += llvm::isPrint(character) ? character : llvm::isSpace(character) ? ' ' : '?';
  }
  constexpr StringLiteral dots = "...";
  bool isCut = text.size() > width;
  if (isCut)
    text.resize(width - dots.size());
  StringRef kept = text;
  while (kept.consume_back("\\") || kept.consume_back("\?\?/") || kept != kept.rtrim())
    kept = kept.rtrim();
  return (kept + (isCut ? dots : "")).str();
}

void CodeWriter::writeComment(const SourceLine &source) {
  if (shown && shown->line == source.line && shown->file == source.file)
    return;
  shown = source;
  auto file = sources.find(source.file.str());
  if (file == sources.end() || source.line > file->second.size())
    return;
  // Deep in loops a comment keeps room to say something.
  size_t indentation = std::min<size_t>(2 * depth, maxColumns / 2);
  constexpr StringLiteral begin = "// ";
  std::string text =
      makeComment(file->second[source.line - 1], maxColumns - indentation - begin.size());
  if (!text.empty())
    os.indent(indentation) << begin << text << '\n';
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// Where `text` is best broken so that at most `width` characters come before: after the last comma
/// that is in the fewest brackets, or else in the same way at a space. No break comes before
/// `first`.
static size_t findBreak(StringRef text, size_t first, size_t width) {
  size_t best = first;
  int bestRank = std::numeric_limits<int>::max(), brackets = 0;
  for (auto [at, character] : llvm::enumerate(text.take_front(width))) {
    // Operators have spaces around them, the brackets of template arguments have none before.
    bool isInSpaces = at > 0 && text[at - 1] == ' ';
    if (StringRef("([{").contains(character) || (character == '<' && !isInSpaces))
      ++brackets;
    if (StringRef(")]}").contains(character) || (character == '>' && !isInSpaces))
      --brackets;
    if (character != ' ' || at < first || at == 0)
      continue;
    constexpr int afterAllCommas = 1000;
    int rank = brackets + (text[at - 1] == ',' ? 0 : afterAllCommas);
    if (rank <= bestRank) {
      bestRank = rank;
      best = at + 1;
    }
  }
  return best;
}

void CodeWriter::writeLines(StringRef directive, StringRef text, size_t firstBreak) {
  size_t indentation = text.empty() ? 0 : 2 * depth;
  while (true) {
    os << directive;
    size_t width = maxColumns - std::min(indentation, maxColumns);
    size_t end = text.size() > width ? findBreak(text, firstBreak, width) : text.size();
    // What has no place to break stays whole.
    end = end == 0 ? text.size() : end;
    os.indent(indentation) << text.take_front(end).rtrim() << '\n';
    text = text.drop_front(end);
    if (text.empty())
      return;
    indentation = 2 * depth + 4;
    firstBreak = 0;
  }
}

void CodeWriter::writeStatement(Location location, const Twine &text) {
  if (std::optional<SourceLine> source = getSourceLine(location); source && source->line != 0)
    writeComment(*source);
  writeDeclaration(location, text);
}

void CodeWriter::writeDeclaration(Location location, const Twine &text, size_t firstBreak) {
  std::optional<SourceLine> source = lineDirectives ? getSourceLine(location) : std::nullopt;
  std::string directive;
  // Line 0 stands for an unknown line, which the language does not allow in a directive.
  if (source && source->line != 0) {
    llvm::raw_string_ostream stream(directive);
    stream << "#line " << source->line << ' ';
    writeString(stream, source->file);
    stream << '\n';
  }
  writeLines(directive, text.str(), firstBreak);
}

void CodeWriter::writeLine(const Twine &text) { writeLines("", text.str(), /*firstBreak=*/0); }
