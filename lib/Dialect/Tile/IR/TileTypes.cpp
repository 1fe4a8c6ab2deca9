// The types of the tile dialect: syntax and rules.
#include "Dimension.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn::tile;

#define GET_TYPEDEF_CLASSES
#include "attn/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "attn/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

IntegerAttr attn::tile::getDim(MLIRContext *context, int64_t size) {
  return IntegerAttr::get(IntegerType::get(context, 64), size);
}

//===----------------------------------------------------------------------===//
// Dimensions: a number, a symbol or their sum
//===----------------------------------------------------------------------===//

ParseResult attn::tile::parseDim(AsmParser &parser, Attribute &dim) {
  int64_t size;
  OptionalParseResult number = parser.parseOptionalInteger(size);
  if (number.has_value()) {
    dim = getDim(parser.getContext(), size);
    return *number;
  }
  StringRef symbol;
  if (parser.parseKeyword(&symbol))
    return failure();
  dim = StringAttr::get(parser.getContext(), symbol);
  if (failed(parser.parseOptionalPlus()))
    return success();
  int64_t more;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(more))
    return failure();
  dim = SumAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                            cast<StringAttr>(dim), more);
  return success(dim != nullptr);
}

void attn::tile::printDim(AsmPrinter &printer, Attribute dim) {
  if (auto number = dyn_cast<IntegerAttr>(dim))
    printer << number.getInt();
  else if (auto symbol = dyn_cast<StringAttr>(dim))
    printer << symbol.getValue();
  else if (auto sum = dyn_cast_or_null<SumAttr>(dim))
    printer << sum.getSymbol().getValue() << " + " << sum.getMore();
  else
    printer << dim;
}

Attribute attn::tile::addToDim(Attribute dim, int64_t more) {
  if (auto number = dyn_cast<IntegerAttr>(dim))
    return getDim(dim.getContext(), number.getInt() + more);
  auto sum = dyn_cast<SumAttr>(dim);
  auto symbol = sum ? sum.getSymbol() : cast<StringAttr>(dim);
  int64_t total = more + (sum ? sum.getMore() : 0);
  return total == 0 ? Attribute(symbol) : SumAttr::get(dim.getContext(), symbol, total);
}

LogicalResult SumAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                              int64_t more) {
  constexpr int64_t mostMore = int64_t(1) << 16;
  if (more < 1 || more > mostMore)
    return emitError() << "a dimension is at most " << mostMore
                       << " more than its symbol, and at least 1, not " << more;
  return success();
}

LogicalResult attn::tile::verifyDim(function_ref<InFlightDiagnostic()> emitError, Attribute dim) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(dim)) {
    // The limit keeps every product of two dimensions and an element size from overflowing.
    constexpr int64_t maxDim = int64_t(1) << 28;
    if (number.getType().isSignlessInteger(64) && number.getInt() > 0 && number.getInt() <= maxDim)
      return success();
    return emitError() << "a tile dimension is a number from 1 to " << maxDim << ", not " << number;
  }
  auto sum = dyn_cast_or_null<SumAttr>(dim);
  auto symbol = sum ? sum.getSymbol() : dyn_cast_or_null<StringAttr>(dim);
  if (!symbol)
    return emitError() << "a tile dimension is a number or a symbol";
  StringRef name = symbol.getValue();
  bool holds = !name.empty() && llvm::isUpper(name.front()) && llvm::all_of(name, [](char letter) {
    return llvm::isUpper(letter) || llvm::isDigit(letter) || letter == '_';
  });
  if (!holds)
    return emitError() << "the symbol '" << name
                       << "' must consist of capital letters, digits and underscores";
  return success();
}

static bool isElementType(Type type) {
  return type && (type.isF32() || type.isF16() || type.isBF16() || type.isSignlessInteger(8) ||
                  type.isSignlessInteger(32));
}

bool attn::tile::isIndexElement(Type type) {
  return type.isUnsignedInteger(16) || type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

//===----------------------------------------------------------------------===//
// Array
//===----------------------------------------------------------------------===//

Type ArrayType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  bool table = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("table"))
      return {};
    table = true;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType,
                    table);
}

void ArrayType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << (getTable() ? ", table>" : ">");
}

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType, bool table) {
  if (shape.empty())
    return emitError() << "an array has at least one dimension";
  constexpr int64_t maxSize = int64_t(1) << 40;
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) && (size <= 0 || size > maxSize))
      return emitError() << "an array's dimension must be '?' or a number from 1 to " << maxSize
                         << ", not " << size;
  if (!isElementType(elementType) && !isIndexElement(elementType))
    return emitError() << "an array holds f32, f16, bf16, i8, i32, ui16 or i64, not "
                       << elementType;
  if (table && shape.size() < 2)
    return emitError() << "a table of addresses needs a dimension after the first";
  return success();
}

//===----------------------------------------------------------------------===//
// Span
//===----------------------------------------------------------------------===//

Type SpanType::parse(AsmParser &parser) {
  Attribute size;
  bool filled = false, mapped = false, listed = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseDim(parser, size))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc wordLoc = parser.getCurrentLocation();
    if (!filled && !mapped && !listed && succeeded(parser.parseOptionalKeyword("filled")))
      filled = true;
    else if (!mapped && !listed && succeeded(parser.parseOptionalKeyword("mapped")))
      mapped = true;
    else if (!mapped && !listed && succeeded(parser.parseOptionalKeyword("listed")))
      listed = true;
    else
      return parser.emitError(wordLoc, "expected 'filled', 'mapped' or 'listed'"), Type();
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), size, filled,
                    mapped, listed);
}

void SpanType::print(AsmPrinter &printer) const {
  printer << "<";
  printDim(printer, getSize());
  printer << (getFilled() ? ", filled" : "") << (getMapped() ? ", mapped" : "")
          << (getListed() ? ", listed" : "") << ">";
}

LogicalResult SpanType::verify(function_ref<InFlightDiagnostic()> emitError, Attribute size, bool,
                               bool, bool) {
  return verifyDim(emitError, size);
}

//===----------------------------------------------------------------------===//
// Tile and softmax state
//===----------------------------------------------------------------------===//

static ParseResult parseDims(AsmParser &parser, Attribute &rows, Attribute &cols) {
  return failure(parser.parseLess() || parseDim(parser, rows) || parser.parseKeyword("x") ||
                 parseDim(parser, cols));
}

static void printDims(AsmPrinter &printer, Attribute rows, Attribute cols) {
  printer << "<";
  printDim(printer, rows);
  printer << " x ";
  printDim(printer, cols);
}

Type TileType::parse(AsmParser &parser) {
  Attribute rows, cols;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDims(parser, rows, cols) || parser.parseKeyword("x") || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), rows, cols,
                    elementType);
}

void TileType::print(AsmPrinter &printer) const {
  printDims(printer, getRows(), getCols());
  printer << " x " << getElementType() << ">";
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError, Attribute rows,
                               Attribute cols, Type elementType) {
  if (failed(verifyDim(emitError, rows)) || failed(verifyDim(emitError, cols)))
    return failure();
  if (!isElementType(elementType))
    return emitError() << "a tile holds f32, f16, bf16, i8 or i32, not " << elementType;
  return success();
}

bool TileType::isBound() const {
  return isa<IntegerAttr>(getRows()) && isa<IntegerAttr>(getCols());
}

int64_t TileType::getRowCount() const { return cast<IntegerAttr>(getRows()).getInt(); }

int64_t TileType::getColCount() const { return cast<IntegerAttr>(getCols()).getInt(); }

Type SoftmaxStateType::parse(AsmParser &parser) {
  Attribute rows, cols;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDims(parser, rows, cols) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), rows, cols);
}

void SoftmaxStateType::print(AsmPrinter &printer) const {
  printDims(printer, getRows(), getCols());
  printer << ">";
}

LogicalResult SoftmaxStateType::verify(function_ref<InFlightDiagnostic()> emitError, Attribute rows,
                                       Attribute cols) {
  return failure(failed(verifyDim(emitError, rows)) || failed(verifyDim(emitError, cols)));
}
