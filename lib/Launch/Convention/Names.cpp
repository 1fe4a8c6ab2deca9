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
    "BrcbRepeatParams", "TransDataTo5HDParams", "InitSocState", "GetBlockIdx", "GetBlockNum",
    "GetSubBlockIdx"};

/// Functions and variables of the C library: headers of debug builds declare them, and a kernel of
/// that name is a second declaration with other parameters. Variables may have these names.
constexpr StringLiteral libraryNames[] = {
    // Mathematics; each has forms that end in f and l.
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "drem", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "finite",
    "floor", "fma", "fmax", "fmin", "fmod", "frexp", "gamma", "hypot", "ilogb", "isinf", "isnan",
    "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2",
    "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter", "nexttoward", "pow",
    "remainder", "remquo", "rint", "round", "roundeven", "scalb", "scalbln", "scalbn",
    "significand", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1",
    "yn",
    // stdlib.h and ctype.h
    "abort", "abs", "alloca", "atexit", "atof", "atoi", "atol", "bsearch", "calloc", "div",
    "drand48", "exit", "free", "getenv", "isalnum", "isalpha", "isblank", "iscntrl", "isdigit",
    "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "labs", "ldiv",
    "llabs", "lldiv", "malloc", "mktemp", "putenv", "qsort", "rand", "random", "realloc",
    "realpath", "setenv", "srand", "srandom", "strtod", "strtof", "strtol", "system", "tolower",
    "toupper", "valloc",
    // string.h
    "basename", "bcmp", "bcopy", "bzero", "ffs", "index", "memccpy", "memchr", "memcmp", "memcpy",
    "memmem", "memmove", "mempcpy", "memset", "rindex", "stpcpy", "strcat", "strchr", "strcmp",
    "strcpy", "strdup", "strlen", "strncpy", "strstr", "strtok", "swab",
    // stdio.h
    "fclose", "fflush", "fgetc", "fgets", "fopen", "fprintf", "fputc", "fputs", "fread", "fscanf",
    "fseek", "ftell", "fwrite", "getc", "getchar", "getline", "perror", "popen", "printf", "putc",
    "putchar", "puts", "remove", "rename", "rewind", "scanf", "setbuf", "snprintf", "sprintf",
    "sscanf", "stderr", "stdin", "stdout", "tmpfile", "tmpnam", "ungetc", "vprintf",
    // The system
    "accept", "access", "acct", "alarm", "bind", "brk", "chdir", "chmod", "chown", "chroot",
    "clock", "clone", "close", "connect", "creat", "daemon", "daylight", "dup", "dup2", "environ",
    "execv", "fchmod", "fcntl", "fork", "fstat", "fsync", "ftruncate", "getopt", "getpid", "getw",
    "gmtime", "ioctl", "kill", "link", "listen", "localtime", "lockf", "longjmp", "lseek", "lstat",
    "madvise", "mincore", "mkdir", "mknod", "mktime", "mlock", "mmap", "mount", "mprotect",
    "mremap", "msync", "munmap", "nanosleep", "nice", "open", "optarg", "optind", "pause", "pipe",
    "poll", "ppoll", "pread", "profil", "pselect", "pwrite", "raise", "read", "readlink", "recv",
    "revoke", "rmdir", "sbrk", "select", "send", "setjmp", "shutdown", "sigaction", "signal",
    "sleep", "socket", "splice", "stat", "sync", "syscall", "tee", "time", "times", "timezone",
    "truncate", "tzname", "tzset", "umask", "unlink", "unshare", "usleep", "vfork", "wait",
    "waitpid", "write"};

bool isLibraryName(StringRef name) {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> set;
    for (StringLiteral known : libraryNames)
      set.insert(known);
    return set;
  }();
  return names.contains(name) ||
         ((name.ends_with("f") || name.ends_with("l")) && names.contains(name.drop_back()));
}

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

std::string attn::launch::getKernelName(StringRef wanted) {
  return isReserved(wanted) || isLibraryName(wanted) ? (wanted + "_kernel").str() : wanted.str();
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
