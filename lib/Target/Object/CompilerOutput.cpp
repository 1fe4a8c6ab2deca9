// Reads the diagnostics of a compiler of clang's family.
#include "CompilerOutput.h"
#include "attn/Target/AscendC/Names.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace mlir;
using namespace attn;

namespace {

/// The places of a module's ops by their lines.
class LineTable {
public:
  explicit LineTable(ModuleOp module) : context(module.getContext()) {
    module.walk([&](Operation *op) {
      if (std::optional<ascendc::SourceLine> line = ascendc::getSourceLine(op->getLoc()))
        places.try_emplace({line->file.str(), line->line}, op->getLoc());
    });
  }

  /// An op on that line, or the beginning of the line.
  Location find(StringRef file, unsigned line) const {
    auto known = places.find({file.str(), line});
    return known != places.end() ? known->second
                                 : Location(FileLineColLoc::get(context, file, line, 1));
  }

private:
  MLIRContext *context;
  std::map<std::pair<std::string, unsigned>, Location> places;
};

} // namespace

unsigned object::emitCompilerOutput(StringRef text, StringRef compiler, ModuleOp module) {
  const llvm::Regex form("^(.+):([0-9]+):([0-9]+): (fatal error|error|warning|note): (.*)$");
  LineTable lines(module);
  unsigned errors = 0;
  std::optional<InFlightDiagnostic> last;
  SmallVector<StringRef> parts;
  for (StringRef rest = text; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    unsigned number;
    if (!form.match(line.rtrim('\r'), &parts) || parts[2].getAsInteger(10, number))
      continue;
    Location place = lines.find(parts[1], number);
    if (parts[4] == "note") {
      if (last)
        last->attachNote(place) << parts[5];
      continue;
    }
    bool isWarning = parts[4] == "warning";
    errors += !isWarning;
    last.emplace(isWarning ? emitWarning(place) : emitError(place));
    *last << compiler << ": " << parts[5];
  }
  return errors;
}
