// Reads the diagnostics of a compiler of clang's family.
#include "attn/Support/CompilerOutput.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

unsigned attn::emitCompilerOutput(StringRef text, StringRef prefix,
                                  function_ref<Location(StringRef file, unsigned line)> locate) {
  const llvm::Regex form("^(.+):([0-9]+):[0-9]+: (fatal error|error|warning|note): (.*)$");
  unsigned errors = 0;
  std::optional<InFlightDiagnostic> last;
  SmallVector<StringRef> parts;
  for (StringRef rest = text; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    unsigned number;
    if (!form.match(line.rtrim('\r'), &parts) || parts[2].getAsInteger(10, number))
      continue;
    Location place = locate(parts[1], number);
    if (parts[3] == "note") {
      if (last)
        last->attachNote(place) << parts[4];
      continue;
    }
    bool isWarning = parts[3] == "warning";
    errors += !isWarning;
    // The one before is reported as it ends, before this one begins.
    last.reset();
    last.emplace(isWarning ? emitWarning(place) : emitError(place));
    *last << prefix << parts[4];
  }
  return errors;
}
