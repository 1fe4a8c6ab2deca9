// The lines of the author's source, as far as a module has ops on them.
#include "LineTable.h"
#include "attn/Launch/Convention/Names.h"

using namespace mlir;
using namespace attn;
using namespace attn::object;

LineTable::LineTable(ModuleOp module) : context(module.getContext()) {
  module.walk([&](Operation *op) {
    if (std::optional<launch::SourceLine> line = launch::getSourceLine(op->getLoc()))
      places.try_emplace({line->file.str(), line->line}, op->getLoc());
  });
}

Location LineTable::find(StringRef file, unsigned line) const {
  auto known = places.find({file.str(), line});
  return known != places.end() ? known->second
                               : Location(FileLineColLoc::get(context, file, line, 1));
}
