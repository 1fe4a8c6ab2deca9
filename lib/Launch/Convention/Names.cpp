// Identifiers for AscendC text, made from the names and positions of the source.
#include "attn/Launch/Convention/Names.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace attn;
using namespace attn::launch;

namespace {

/// Words that may not name anything of ours: those of C++, and the types and macros of the vendor's
/// headers. The calls that we print may not either.
constexpr StringLiteral reservedWords[] = {
    // C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
    "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
    "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    // Macros and types of the standard library
    "assert", "errno", "std", "size_t", "main", "NULL", "INFINITY", "NAN", "INT64_MAX", "INT64_MIN",
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "unix", "linux",
    // The device language
    "half", "bfloat16_t", "block_idx", "block_num", "pipe_t", "event_t", "aicore", "global", "gm",
    "GM_ADDR", "ASCEND_IS_AIC", "ASCEND_IS_AIV", "MASK_PLACEHOLDER", "PIPE_S", "PIPE_V", "PIPE_M",
    "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL", "EVENT_ID0", "EVENT_ID1",
    "EVENT_ID2", "EVENT_ID3", "EVENT_ID4", "EVENT_ID5", "EVENT_ID6", "EVENT_ID7",
    // AscendC
    "AscendC", "LocalTensor", "GlobalTensor", "TPosition", "HardEvent", "RoundMode", "ReduceOrder",
    "DataCopyExtParams", "DataCopyPadExtParams", "BinaryRepeatParams", "UnaryRepeatParams",
    "BrcbRepeatParams", "InitSocState", "GetBlockIdx", "GetBlockNum"};

bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> set;
    for (StringLiteral word : reservedWords)
      set.insert(word);
    for (const std::string &call : ascend::getAllCallNames())
      set.insert(call);
    return set;
  }();
  return words.contains(name);
}

/// Letters, digits and single underscores of `name`, beginning with a letter; may be empty. Names
/// with two underscores belong to the compiler.
std::string sanitise(StringRef name) {
  std::string result;
  for (char character : name) {
    bool keeps = llvm::isAlnum(character);
    if (result.empty() ? !llvm::isAlpha(character) : !keeps && result.back() == '_')
      continue;
    result += keeps ? character : '_';
  }
  return result;
}

} // namespace

bool attn::launch::isKernelName(StringRef name) {
  // The profiler's record holds 49 characters.
  constexpr size_t maxLength = 49;
  auto isWordCharacter = [](char character) {
    return llvm::isAlnum(character) || character == '_';
  };
  return !name.empty() && name.size() <= maxLength && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, isWordCharacter) && !isReserved(name);
}

std::optional<StringRef> attn::launch::getSourceName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().getValue();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getSourceName(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::optional<StringRef> name = getSourceName(part))
        return name;
  return std::nullopt;
}

std::optional<SourceLine> attn::launch::getSourceLine(Location location) {
  if (auto position = dyn_cast<FileLineColRange>(location))
    return SourceLine{position.getFilename().getValue(), position.getStartLine()};
  if (auto named = dyn_cast<NameLoc>(location))
    return getSourceLine(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return getSourceLine(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::optional<SourceLine> line = getSourceLine(part))
        return line;
  return std::nullopt;
}

std::string NameTable::add(StringRef wanted, StringRef fallback) {
  std::string base = sanitise(wanted);
  if (base.empty())
    base = fallback.str();
  std::string name = base;
  StringRef separator = base.back() == '_' ? "" : "_";
  unsigned &number = lastNumber[base];
  while (isReserved(name) || !used.insert(name).second)
    name = (base + separator + Twine(++number)).str();
  return name;
}
