// What a search over choices looked at (tile on the chip).
#include "attn/TileOnChip/Transforms/SearchRecord.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;

size_t SearchRecord::add(Alternative alternative) {
  alternatives.push_back(std::move(alternative));
  return alternatives.size() - 1;
}

void SearchRecord::take(size_t number) {
  taken = number;
  const CostEstimate &best = alternatives[number].cost;
  for (auto [index, other] : llvm::enumerate(alternatives)) {
    if (index == number || !other.refused.empty())
      continue;
    if (other.cost.cycles > best.cycles)
      other.refused = "slower";
    else if (other.cost.gmBytes > best.gmBytes)
      other.refused = "moves more bytes";
    else
      other.refused = "no better";
  }
}

/// The values of one alternative by column.
static llvm::StringMap<std::string> getCells(const Alternative &alternative, bool isTaken) {
  llvm::StringMap<std::string> cells;
  for (auto &[axis, value] : alternative.values)
    cells[axis] = value;
  for (auto &[memory, bytes] : alternative.bytes)
    cells["bytes of " + memory] = std::to_string(bytes);
  cells["cycles"] = std::to_string(static_cast<int64_t>(alternative.cost.cycles));
  cells["bytes moved"] = std::to_string(static_cast<int64_t>(alternative.cost.gmBytes));
  cells[""] = isTaken ? "->" : "";
  cells["verdict"] = isTaken ? "taken" : alternative.refused;
  return cells;
}

void SearchRecord::print(raw_ostream &os, StringRef shape) const {
  SmallVector<std::string> columns = {""};
  auto addColumn = [&](const std::string &column) {
    if (!llvm::is_contained(columns, column))
      columns.push_back(column);
  };
  for (const Alternative &alternative : alternatives)
    for (auto &[axis, value] : alternative.values)
      addColumn(axis);
  for (const Alternative &alternative : alternatives)
    for (auto &[memory, bytes] : alternative.bytes)
      addColumn("bytes of " + memory);
  columns.append({"cycles", "bytes moved", "verdict"});
  SmallVector<llvm::StringMap<std::string>> rows;
  for (auto [index, alternative] : llvm::enumerate(alternatives))
    rows.push_back(getCells(alternative, taken == index));
  os << "alternatives, estimated for " << shape << ":";
  auto printRow = [&](function_ref<StringRef(const std::string &)> getCell) {
    os << "\n";
    for (const std::string &column : columns) {
      size_t width = column.size();
      for (const auto &row : rows)
        width = std::max(width, row.lookup(column).size());
      StringRef cell = getCell(column);
      os << (column.empty() ? "" : "  ") << cell;
      // The last column is not padded.
      if (column != columns.back())
        os.indent(width - cell.size());
    }
  };
  printRow([](const std::string &column) { return StringRef(column); });
  for (const auto &row : rows)
    printRow([&](const std::string &column) {
      auto found = row.find(column);
      return found == row.end() ? StringRef() : StringRef(found->second);
    });
}

ArrayAttr SearchRecord::getAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<Attribute> rows;
  for (auto [index, alternative] : llvm::enumerate(alternatives)) {
    NamedAttrList bytes, row;
    // The order of the axes counts, and a dictionary has none.
    SmallVector<Attribute> values;
    for (auto &[axis, value] : alternative.values)
      values.push_back(builder.getStrArrayAttr({axis, value}));
    for (auto &[memory, count] : alternative.bytes)
      bytes.set(memory, builder.getI64IntegerAttr(count));
    row.set("choice", builder.getArrayAttr(values));
    row.set("bytes", bytes.getDictionary(context));
    row.set("cycles", builder.getI64IntegerAttr(static_cast<int64_t>(alternative.cost.cycles)));
    row.set("moved", builder.getI64IntegerAttr(static_cast<int64_t>(alternative.cost.gmBytes)));
    row.set("refused", builder.getStringAttr(alternative.refused));
    row.set("taken", builder.getBoolAttr(taken == index));
    rows.push_back(row.getDictionary(context));
  }
  return builder.getArrayAttr(rows);
}
