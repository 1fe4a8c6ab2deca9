// The operations of the tile dialect: syntax, rules and folds.
#include "Dimension.h"
#include "ElementwiseRules.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// Index lists of loads and stores
//===----------------------------------------------------------------------===//

static ParseResult parseIndexList(OpAsmParser &parser,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                  DenseI64ArrayAttr &kinds) {
  SmallVector<int64_t> entries;
  auto parseEntry = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalColon())) {
      entries.push_back(FullIndex);
      return success();
    }
    if (parser.parseOperand(indices.emplace_back()))
      return failure();
    int64_t size = ScalarIndex;
    if (succeeded(parser.parseOptionalKeyword("span")))
      size = SpanIndex;
    else if (succeeded(parser.parseOptionalColon())) {
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseInteger(size))
        return failure();
      if (size < 1)
        return parser.emitError(loc) << "a slice takes at least one element, not " << size;
    }
    entries.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry))
    return failure();
  kinds = parser.getBuilder().getDenseI64ArrayAttr(entries);
  return success();
}

static void printIndexList(OpAsmPrinter &printer, Operation *op, OperandRange indices,
                           DenseI64ArrayAttr kinds) {
  auto operand = indices.begin();
  printer << "[";
  llvm::interleaveComma(kinds.asArrayRef(), printer, [&](int64_t kind) {
    if (kind == FullIndex || operand == indices.end()) {
      printer << ":";
      return;
    }
    printer << *operand++;
    if (kind == SpanIndex)
      printer << " span";
    else if (kind > 0)
      printer << ":" << kind;
  });
  printer << "]";
}

/// Columns follow each other in memory, and only the last of them may be missing.
static LogicalResult verifyColumns(Operation *op, SpanType span) {
  if (span && (span.getFilled() || span.getMapped() || span.getListed()))
    return op->emitOpError() << "takes its columns by " << span
                             << ": a span of columns is neither 'filled', 'mapped' nor 'listed'";
  return success();
}

/// Checks an index list against its array and gives the rows and columns it selects.
static LogicalResult inferSelection(Operation *op, ArrayType array, OperandRange indices,
                                    ArrayRef<int64_t> kinds, Attribute &rows, Attribute &cols) {
  if (static_cast<int64_t>(kinds.size()) != array.getRank())
    return op->emitOpError() << "has " << kinds.size() << " indices for an array of rank "
                             << array.getRank();
  MLIRContext *context = op->getContext();
  SmallVector<std::pair<Attribute, SpanType>> kept; // size, and its type where it is a span
  auto operand = indices.begin();
  for (auto [dimension, kind] : llvm::enumerate(kinds)) {
    int64_t size = array.getShape()[dimension];
    if (kind == FullIndex) {
      if (ShapedType::isDynamic(size))
        return op->emitOpError() << "takes all of dimension " << dimension
                                 << ", whose size is not a number: specialise it";
      kept.push_back({getDim(context, size), SpanType()});
      continue;
    }
    if (operand == indices.end())
      return op->emitOpError("has fewer index operands than its index list needs");
    Type type = (*operand++).getType();
    auto span = dyn_cast<SpanType>(type);
    if ((kind == SpanIndex) != static_cast<bool>(span))
      return op->emitOpError() << "index " << dimension << " has type " << type
                               << ", which does not fit its place in the index list";
    if (span)
      kept.push_back({span.getSize(), span});
    else if (kind > 0) {
      if (!ShapedType::isDynamic(size) && kind > size)
        return op->emitOpError() << "takes " << kind << " elements of dimension " << dimension
                                 << ", which has " << size;
      kept.push_back({getDim(context, kind), SpanType()});
    } else if (kind != ScalarIndex)
      return op->emitOpError() << "has the unknown index kind " << kind;
  }
  if (operand != indices.end())
    return op->emitOpError("has more index operands than its index list needs");
  Attribute one = getDim(context, 1);
  if (array.getTable() && kinds.front() != ScalarIndex && kinds.front() != SpanIndex)
    return op->emitOpError("must index the first dimension of a table of addresses by a scalar or "
                           "a span");
  switch (kept.size()) {
  case 0:
    rows = cols = one;
    return success();
  case 1:
    rows = kept[0].second ? kept[0].first : one;
    cols = kept[0].second ? one : kept[0].first;
    return success();
  case 2:
    rows = kept[0].first;
    cols = kept[1].first;
    return verifyColumns(op, kept[1].second);
  default:
    return op->emitOpError() << "selects " << kept.size()
                             << " dimensions; a tile has two: index the others by scalars";
  }
}

static LogicalResult verifySelection(Operation *op, ArrayType array, OperandRange indices,
                                     ArrayRef<int64_t> kinds, TileType tile) {
  Attribute rows, cols;
  if (failed(inferSelection(op, array, indices, kinds, rows, cols)))
    return failure();
  auto expected = TileType::get(op->getContext(), rows, cols, array.getElementType());
  if (tile != expected)
    return op->emitOpError() << "selects " << expected << ", not " << tile;
  return success();
}

/// Only rows that memory lists have to be brought inside by the access itself.
template <typename Op> static LogicalResult verifyBounded(Op op) {
  bool isListed = llvm::any_of(op.getIndices(), [](Value index) {
    auto span = dyn_cast<SpanType>(index.getType());
    return span && span.getListed();
  });
  if (op.getBounded() && !isListed)
    return op.emitOpError("is 'bounded', but takes no rows of a list");
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyBounded(*this)))
    return failure();
  return verifySelection(*this, getArray().getType(), getIndices(), getKinds(),
                         getResult().getType());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyBounded(*this)))
    return failure();
  return verifySelection(*this, getArray().getType(), getIndices(), getKinds(),
                         getValue().getType());
}

LogicalResult DimOp::verify() {
  if (getDimension() < 0 || getDimension() >= getArray().getType().getRank())
    return emitOpError() << "asks for dimension " << getDimension() << " of an array of rank "
                         << getArray().getType().getRank();
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t size = getArray().getType().getShape()[getDimension()];
  if (ShapedType::isDynamic(size))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), size);
}

//===----------------------------------------------------------------------===//
// Spans and sizes
//===----------------------------------------------------------------------===//

bool MakeSpanOp::isWhole() {
  auto size = dyn_cast<IntegerAttr>(getType().getSize());
  if (!size || getFirst())
    return false;
  std::optional<int64_t> base = getConstantIntValue(getBase()),
                         limit = getConstantIntValue(getLimit());
  if (base && limit)
    return *limit - *base >= size.getInt();
  auto sum = getLimit().getDefiningOp<arith::AddIOp>();
  if (!sum || !llvm::is_contained(sum->getOperands(), getBase()))
    return false;
  std::optional<int64_t> more =
      getConstantIntValue(sum.getLhs() == getBase() ? sum.getRhs() : sum.getLhs());
  return more && *more >= size.getInt();
}

LogicalResult MakeSpanOp::verify() {
  SpanType type = getResult().getType();
  if (type.getFilled() != static_cast<bool>(getFirst()))
    return emitOpError("has the index that rows start 'from' where its type is 'filled', and only "
                       "there");
  if (type.getMapped() != static_cast<bool>(getStep()))
    return emitOpError("has a 'map' where its type is 'mapped', and only there");
  if (type.getListed())
    return emitOpError("cannot make a 'listed' span: tile.list_rows does");
  return success();
}

OpFoldResult SpanBaseOp::fold(FoldAdaptor) {
  auto make = getSpan().getDefiningOp<MakeSpanOp>();
  return make ? make.getBase() : Value();
}

LogicalResult ListRowsOp::verify() {
  ArrayType array = getArray().getType();
  if (array.getTable() || !isIndexElement(array.getElementType()))
    return emitOpError() << "reads a list of ui16, i32 or i64, not " << array;
  if (static_cast<int64_t>(getKinds().size()) != array.getRank() ||
      getKinds().size() != getIndices().size() || llvm::count(getKinds(), SpanIndex) != 1 ||
      llvm::count(getKinds(), ScalarIndex) != array.getRank() - 1)
    return emitOpError() << "takes one span of " << array << ", and indices for all else";
  for (auto [index, kind] : llvm::zip_equal(getIndices(), getKinds()))
    if ((kind == SpanIndex) != isa<SpanType>(index.getType()))
      return emitOpError() << "has the index " << index.getType()
                           << ", which does not fit its place in the index list";
  auto span = cast<SpanType>(getSpan().getType());
  if (span.getMapped() || span.getListed())
    return emitOpError() << "takes " << span << ", whose rows do not follow each other";
  if (static_cast<bool>(getSize()) != getStep().has_value() || getStep().value_or(1) < 1)
    return emitOpError("has a positive 'step' where it has the size of blocks, and only there");
  if (getSize() && span.getFilled())
    return emitOpError() << "takes " << span << ", of which blocks cannot lack the first rows";
  auto expected = SpanType::get(getContext(), span.getSize(), span.getFilled(), /*mapped=*/false,
                                /*listed=*/true);
  if (getType() != expected)
    return emitOpError() << "gives " << expected << ", not " << getType();
  return success();
}

int64_t ListRowsOp::getSpanDimension() {
  return std::distance(getKinds().begin(), llvm::find(getKinds(), SpanIndex));
}

Value ListRowsOp::getSpan() { return getIndices()[getSpanDimension()]; }

int64_t ListRowsOp::getRun() {
  auto size = cast<IntegerAttr>(getType().getSize());
  return std::gcd(getStep().value_or(1), size.getInt());
}

static ParseResult parseDimension(OpAsmParser &parser, Attribute &dim) {
  return parseDim(parser, dim);
}

static void printDimension(OpAsmPrinter &printer, Operation *, Attribute dim) {
  printDim(printer, dim);
}

LogicalResult SizeOp::verify() {
  return verifyDim([&] { return emitOpError(); }, getDim());
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  auto number = dyn_cast<IntegerAttr>(getDim());
  return number ? IntegerAttr::get(IndexType::get(getContext()), number.getInt()) : IntegerAttr();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError() << "fills " << getResult().getType() << " with a scalar of type "
                         << getValue().getType();
  return success();
}

LogicalResult CastOp::verify() {
  TileType from = getInput().getType(), to = getResult().getType();
  if (from.getRows() != to.getRows() || from.getCols() != to.getCols())
    return emitOpError() << "changes the shape of " << from << " to " << to;
  return success();
}

static bool isExactWidening(Type from, Type to) {
  return (from.isF16() || from.isBF16()) && to.isF32();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  auto producer = getInput().getDefiningOp<CastOp>();
  if (producer && producer.getInput().getType() == getResult().getType() &&
      isExactWidening(producer.getInput().getType().getElementType(),
                      producer.getResult().getType().getElementType()))
    return producer.getInput();
  return {};
}

/// The broadcast of two dimensions, or null where they do not fit.
static Attribute broadcast(Attribute a, Attribute b) {
  auto isOne = [](Attribute dim) {
    auto number = dyn_cast<IntegerAttr>(dim);
    return number && number.getInt() == 1;
  };
  if (a == b || isOne(b))
    return a;
  return isOne(a) ? b : Attribute();
}

LogicalResult tile::verifyArithmeticType(Operation *op, Type elementType) {
  if (!elementType.isF32())
    return op->emitOpError() << "computes on f32, not " << elementType << ": cast before";
  return success();
}

LogicalResult tile::verifyElementwise(Operation *op) {
  auto types =
      llvm::map_to_vector<3>(op->getOperandTypes(), [](Type type) { return cast<TileType>(type); });
  auto result = cast<TileType>(op->getResult(0).getType());
  auto list = [&](StringRef last) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (auto [number, type] : llvm::enumerate(types))
      stream << (number == 0 ? "" : number + 1 == types.size() ? last : ", ") << type;
    return text;
  };
  for (TileType type : types)
    if (type.getElementType() != result.getElementType())
      return op->emitOpError() << "mixes the element types of " << list(", ") << " and " << result;
  if (failed(verifyArithmeticType(op, result.getElementType())))
    return failure();
  Attribute rows = types[0].getRows(), cols = types[0].getCols();
  for (TileType type : ArrayRef(types).drop_front()) {
    rows = rows ? broadcast(rows, type.getRows()) : rows;
    cols = cols ? broadcast(cols, type.getCols()) : cols;
  }
  if (!rows || !cols)
    return op->emitOpError() << "cannot broadcast " << list(" and ");
  if (rows != result.getRows() || cols != result.getCols())
    return op->emitOpError() << "gives "
                             << TileType::get(op->getContext(), rows, cols, result.getElementType())
                             << ", not " << result;
  return success();
}

LogicalResult AddOp::verify() { return verifyElementwise(*this); }
LogicalResult SubOp::verify() { return verifyElementwise(*this); }
LogicalResult MulOp::verify() { return verifyElementwise(*this); }
LogicalResult DivOp::verify() { return verifyElementwise(*this); }
LogicalResult MaximumOp::verify() { return verifyElementwise(*this); }
LogicalResult MinimumOp::verify() { return verifyElementwise(*this); }

static LogicalResult verifyUnary(Operation *op) {
  return verifyArithmeticType(op, cast<TileType>(op->getOperand(0).getType()).getElementType());
}

LogicalResult ExpOp::verify() { return verifyUnary(*this); }
LogicalResult LogOp::verify() { return verifyUnary(*this); }
LogicalResult SqrtOp::verify() { return verifyUnary(*this); }
LogicalResult RsqrtOp::verify() { return verifyUnary(*this); }
LogicalResult AbsOp::verify() { return verifyUnary(*this); }
LogicalResult LeakyReluOp::verify() { return verifyUnary(*this); }

LogicalResult ReduceOp::verify() {
  TileType from = getInput().getType(), to = getResult().getType();
  if (getAxis() != 0 && getAxis() != 1)
    return emitOpError() << "reduces axis " << getAxis() << "; a tile has axes 0 and 1";
  Attribute one = getDim(getContext(), 1);
  auto expected = TileType::get(getContext(), getAxis() == 0 ? one : from.getRows(),
                                getAxis() == 1 ? one : from.getCols(), from.getElementType());
  if (to != expected)
    return emitOpError() << "gives " << expected << ", not " << to;
  return verifyArithmeticType(*this, from.getElementType());
}

/// Checks a part against the whole: same element type, and inside where the numbers tell.
static LogicalResult verifyPart(Operation *op, TileType part, TileType whole, Value row,
                                Value col) {
  if (part.getElementType() != whole.getElementType())
    return op->emitOpError() << "mixes the element types of " << part << " and " << whole;
  auto check = [&](StringRef what, Attribute size, Attribute limit, Value offset) -> LogicalResult {
    auto sizeNumber = dyn_cast<IntegerAttr>(size), limitNumber = dyn_cast<IntegerAttr>(limit);
    int64_t offsetNumber = getConstantIntValue(offset).value_or(0);
    if (sizeNumber && limitNumber &&
        (offsetNumber < 0 || offsetNumber > limitNumber.getInt() - sizeNumber.getInt()))
      return op->emitOpError() << "takes " << sizeNumber.getInt() << " " << what << " from "
                               << offsetNumber << " on of " << whole;
    return success();
  };
  return failure(failed(check("rows", part.getRows(), whole.getRows(), row)) ||
                 failed(check("columns", part.getCols(), whole.getCols(), col)));
}

/// A column as a row, and a row as a column, where `transposed`.
TileType tile::transposeIf(TileType part, bool transposed) {
  return transposed ? TileType::get(part.getContext(), part.getCols(), part.getRows(),
                                    part.getElementType())
                    : part;
}

TileType ExtractOp::getPartType() { return transposeIf(getResult().getType(), getTransposed()); }
TileType InsertOp::getPartType() { return transposeIf(getPart().getType(), getTransposed()); }

static LogicalResult verifyTransposed(Operation *op, TileType part, bool transposed) {
  Attribute one = getDim(op->getContext(), 1);
  if (transposed && part.getRows() != one && part.getCols() != one)
    return op->emitOpError() << "can only transpose a row or a column, not " << part;
  return success();
}

LogicalResult ExtractOp::verify() {
  if (failed(verifyTransposed(*this, getResult().getType(), getTransposed())))
    return failure();
  return verifyPart(*this, getPartType(), getInput().getType(), getRow(), getCol());
}

LogicalResult InsertOp::verify() {
  if (failed(verifyTransposed(*this, getPart().getType(), getTransposed())))
    return failure();
  return verifyPart(*this, getPartType(), getWhole().getType(), getRow(), getCol());
}

//===----------------------------------------------------------------------===//
// Across blocks
//===----------------------------------------------------------------------===//

LogicalResult AccumulateOp::verify() {
  TileType value = getValue().getType();
  ArrayType array = getArray().getType();
  auto cols = dyn_cast<IntegerAttr>(value.getCols());
  if (!value.getElementType().isF32() || value.getRows() != getDim(getContext(), 1) || !cols)
    return emitOpError() << "adds a single row of f32, not " << value;
  if (array.getRank() != 2 || array.getTable() || !array.getElementType().isF32() ||
      array.getShape()[1] != cols.getInt())
    return emitOpError() << "needs an array of f32 with a row of " << cols.getInt()
                         << " columns per block, not " << array;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The types of a product: an accumulator has that of the result.
static ParseResult parseProductTypes(OpAsmParser &parser,
                                     std::optional<OpAsmParser::UnresolvedOperand> acc, Type &a,
                                     Type &b, Type &accType, Type &result) {
  auto parseTile = [&](Type &type) -> ParseResult {
    TileType tile;
    if (parser.parseCustomTypeWithFallback(tile))
      return failure();
    type = tile;
    return success();
  };
  if (parseTile(a) || parser.parseComma() || parseTile(b) || parser.parseArrow() ||
      parseTile(result))
    return failure();
  if (acc)
    accType = result;
  return success();
}

static void printProductTypes(OpAsmPrinter &printer, Operation *, Value, Type a, Type b, Type,
                              Type result) {
  printer.printStrippedAttrOrType(cast<TileType>(a));
  printer << ", ";
  printer.printStrippedAttrOrType(cast<TileType>(b));
  printer << " -> ";
  printer.printStrippedAttrOrType(cast<TileType>(result));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static ParseResult parsePushForm(OpAsmParser &parser, BoolAttr &perRow) {
  StringRef form;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&form))
    return failure();
  if (form != "per_row" && form != "shared")
    return parser.emitError(loc, "expected 'per_row' or 'shared'");
  perRow = parser.getBuilder().getBoolAttr(form == "per_row");
  return success();
}

static void printPushForm(OpAsmPrinter &printer, Operation *, BoolAttr perRow) {
  printer << (perRow.getValue() ? "per_row" : "shared");
}

#define GET_OP_CLASSES
#include "attn/Dialect/Tile/IR/TileOps.cpp.inc"
