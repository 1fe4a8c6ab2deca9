// The operations of the tile dialect: syntax, rules and folds.
#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
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

/// Checks an index list against its array and gives the rows and columns it selects.
static LogicalResult inferSelection(Operation *op, ArrayType array, OperandRange indices,
                                    ArrayRef<int64_t> kinds, Attribute &rows, Attribute &cols) {
  if (static_cast<int64_t>(kinds.size()) != array.getRank())
    return op->emitOpError() << "has " << kinds.size() << " indices for an array of rank "
                             << array.getRank();
  MLIRContext *context = op->getContext();
  SmallVector<std::pair<Attribute, bool>> kept; // size, and whether it is a span
  auto operand = indices.begin();
  for (auto [dimension, kind] : llvm::enumerate(kinds)) {
    int64_t size = array.getShape()[dimension];
    if (kind == FullIndex) {
      if (ShapedType::isDynamic(size))
        return op->emitOpError() << "takes all of dimension " << dimension
                                 << ", whose size is not a number: specialise it";
      kept.push_back({getDim(context, size), false});
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
      kept.push_back({span.getSize(), true});
    else if (kind > 0) {
      if (!ShapedType::isDynamic(size) && kind > size)
        return op->emitOpError() << "takes " << kind << " elements of dimension " << dimension
                                 << ", which has " << size;
      kept.push_back({getDim(context, kind), false});
    } else if (kind != ScalarIndex)
      return op->emitOpError() << "has the unknown index kind " << kind;
  }
  if (operand != indices.end())
    return op->emitOpError("has more index operands than its index list needs");
  Attribute one = getDim(context, 1);
  if (array.getTable() && kinds.front() != ScalarIndex)
    return op->emitOpError("must index the first dimension of a table of addresses by a scalar");
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
    return success();
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

LogicalResult LoadOp::verify() {
  return verifySelection(*this, getArray().getType(), getIndices(), getKinds(),
                         getResult().getType());
}

LogicalResult StoreOp::verify() {
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

static LogicalResult verifyArithmeticType(Operation *op, Type elementType) {
  if (!elementType.isF32())
    return op->emitOpError() << "computes on f32, not " << elementType << ": cast before";
  return success();
}

static LogicalResult verifyBinary(Operation *op) {
  auto lhs = cast<TileType>(op->getOperand(0).getType());
  auto rhs = cast<TileType>(op->getOperand(1).getType());
  auto result = cast<TileType>(op->getResult(0).getType());
  if (lhs.getElementType() != rhs.getElementType() ||
      lhs.getElementType() != result.getElementType())
    return op->emitOpError() << "mixes the element types of " << lhs << ", " << rhs << " and "
                             << result;
  if (failed(verifyArithmeticType(op, lhs.getElementType())))
    return failure();
  Attribute rows = broadcast(lhs.getRows(), rhs.getRows());
  Attribute cols = broadcast(lhs.getCols(), rhs.getCols());
  if (!rows || !cols)
    return op->emitOpError() << "cannot broadcast " << lhs << " and " << rhs;
  if (rows != result.getRows() || cols != result.getCols())
    return op->emitOpError() << "gives "
                             << TileType::get(op->getContext(), rows, cols, lhs.getElementType())
                             << ", not " << result;
  return success();
}

LogicalResult AddOp::verify() { return verifyBinary(*this); }
LogicalResult SubOp::verify() { return verifyBinary(*this); }
LogicalResult MulOp::verify() { return verifyBinary(*this); }
LogicalResult DivOp::verify() { return verifyBinary(*this); }
LogicalResult MaximumOp::verify() { return verifyBinary(*this); }
LogicalResult MinimumOp::verify() { return verifyBinary(*this); }

static LogicalResult verifyUnary(Operation *op) {
  return verifyArithmeticType(op, cast<TileType>(op->getOperand(0).getType()).getElementType());
}

LogicalResult ExpOp::verify() { return verifyUnary(*this); }
LogicalResult LogOp::verify() { return verifyUnary(*this); }
LogicalResult SqrtOp::verify() { return verifyUnary(*this); }
LogicalResult RsqrtOp::verify() { return verifyUnary(*this); }
LogicalResult AbsOp::verify() { return verifyUnary(*this); }

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
    APInt offsetNumber(64, 0);
    matchPattern(offset, m_ConstantInt(&offsetNumber));
    if (sizeNumber && limitNumber &&
        (offsetNumber.isNegative() ||
         offsetNumber.getSExtValue() > limitNumber.getInt() - sizeNumber.getInt()))
      return op->emitOpError() << "takes " << sizeNumber.getInt() << " " << what << " from "
                               << offsetNumber.getSExtValue() << " on of " << whole;
    return success();
  };
  return failure(failed(check("rows", part.getRows(), whole.getRows(), row)) ||
                 failed(check("columns", part.getCols(), whole.getCols(), col)));
}

LogicalResult ExtractOp::verify() {
  return verifyPart(*this, getResult().getType(), getInput().getType(), getRow(), getCol());
}

LogicalResult InsertOp::verify() {
  return verifyPart(*this, getPart().getType(), getWhole().getType(), getRow(), getCol());
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

LogicalResult SoftmaxPushOp::verify() {
  SoftmaxStateType state = getState().getType();
  TileType scores = getScores().getType(), values = getValues().getType();
  if (!scores.getElementType().isF32())
    return emitOpError() << "takes f32 scores, not " << scores.getElementType();
  if (scores.getRows() != state.getRows())
    return emitOpError() << "has scores " << scores << " for a state of other rows, " << state;
  if (values.getCols() != state.getCols())
    return emitOpError() << "has values " << values << " for a state of other columns, " << state;
  Attribute one = getDim(getContext(), 1);
  if (getPerRow() && (scores.getCols() != one || values.getRows() != state.getRows()))
    return emitOpError() << "per row needs scores m x 1 and values m x d, not " << scores << " and "
                         << values;
  if (!getPerRow() && scores.getCols() != values.getRows())
    return emitOpError() << "shared needs scores m x k and values k x d, not " << scores << " and "
                         << values;
  if (getPerRow() && !values.getElementType().isF32())
    return emitOpError() << "per row takes f32 values, not " << values.getElementType();
  return success();
}

LogicalResult SoftmaxFinishOp::verify() {
  SoftmaxStateType state = getState().getType();
  Type f32 = Float32Type::get(getContext());
  auto output = TileType::get(getContext(), state.getRows(), state.getCols(), f32);
  auto lse = TileType::get(getContext(), state.getRows(), getDim(getContext(), 1), f32);
  if (getOutput().getType() != output || getLse().getType() != lse)
    return emitOpError() << "gives " << output << " and " << lse;
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static ParseResult parseOptionalStages(OpAsmParser &parser, OperationState &result) {
  int64_t stages;
  if (failed(parser.parseOptionalKeyword("stages")))
    return success();
  if (parser.parseInteger(stages))
    return failure();
  result.addAttribute("stages", parser.getBuilder().getI64IntegerAttr(stages));
  return success();
}

static LogicalResult verifyStages(Operation *op, int64_t stages) {
  if (stages < 1 || stages > 8)
    return op->emitOpError() << "has " << stages << " stages; 1 to 8 are possible";
  return success();
}

static ParseResult parseBlockSize(OpAsmParser &parser, Attribute &block) {
  int64_t size;
  OptionalParseResult number = parser.parseOptionalInteger(size);
  if (number.has_value()) {
    block = getDim(parser.getContext(), size);
    return *number;
  }
  StringRef symbol;
  if (parser.parseKeyword(&symbol))
    return failure();
  block = StringAttr::get(parser.getContext(), symbol);
  return success();
}

static void printBlockSize(OpAsmPrinter &printer, Attribute block) {
  if (auto number = dyn_cast<IntegerAttr>(block))
    printer << number.getInt();
  else if (auto symbol = dyn_cast<StringAttr>(block))
    printer << symbol.getValue();
  else
    printer << block;
}

/// The type of a loop's argument: an index, or a span where it goes by blocks. Null for a block
/// size that is none.
static Type getIteratorType(OpAsmParser &parser, Attribute block) {
  if (!block || isa<UnitAttr>(block))
    return parser.getBuilder().getIndexType();
  SMLoc loc = parser.getCurrentLocation();
  return SpanType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), block);
}

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  SmallVector<Attribute> blocks;
  MLIRContext *context = parser.getContext();
  auto parseAxis = [&]() -> ParseResult {
    if (parser.parseOperand(extents.emplace_back()))
      return failure();
    Attribute &block = blocks.emplace_back(UnitAttr::get(context));
    return succeeded(parser.parseOptionalKeyword("by")) ? parseBlockSize(parser, block) : success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis) ||
      parser.resolveOperands(extents, IndexType::get(context), result.operands))
    return failure();
  if (arguments.size() != blocks.size())
    return parser.emitError(loc) << "a grid of " << blocks.size() << " axes has "
                                 << arguments.size() << " arguments";
  for (auto [argument, block] : llvm::zip_equal(arguments, blocks))
    if (!(argument.type = getIteratorType(parser, block)))
      return failure();
  result.addAttribute("blocks", ArrayAttr::get(context, blocks));
  if (parseOptionalStages(parser, result))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  GridOp::ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void GridOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  printer << ") in (";
  llvm::interleaveComma(llvm::zip(getExtents(), getBlocks()), printer, [&](auto axis) {
    printer << std::get<0>(axis);
    if (!isa<UnitAttr>(std::get<1>(axis))) {
      printer << " by ";
      printBlockSize(printer, std::get<1>(axis));
    }
  });
  printer << ") ";
  if (getStages() != 1)
    printer << "stages " << getStages() << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"blocks", "stages"});
}

LogicalResult GridOp::verify() {
  if (getBlocks().size() != getExtents().size() ||
      getBody().getNumArguments() != getExtents().size())
    return emitOpError("needs one block size and one argument per axis");
  if (failed(verifyStages(*this, getStages())))
    return failure();
  if (getBody().front().getTerminator()->getNumOperands() != 0)
    return emitOpError("cannot carry values: its iterations do not depend on each other");
  for (auto [block, argument] : llvm::zip_equal(getBlocks(), getBody().getArguments())) {
    if (!isa<UnitAttr, IntegerAttr, StringAttr>(block))
      return emitOpError() << "has " << block << " as a block size";
    bool isIndex = isa<UnitAttr>(block);
    auto span = dyn_cast<SpanType>(argument.getType());
    if (isIndex ? !argument.getType().isIndex() : !span || span.getSize() != block)
      return emitOpError() << "has an argument of type " << argument.getType()
                           << " that does not fit its axis";
  }
  return success();
}

YieldOp RangeOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

ParseResult RangeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1);
  OpAsmParser::UnresolvedOperand lower, upper;
  MLIRContext *context = parser.getContext();
  Type index = IndexType::get(context);
  Attribute block;
  if (parser.parseArgument(arguments[0]) || parser.parseEqual() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) ||
      parser.resolveOperand(lower, index, result.operands) ||
      parser.resolveOperand(upper, index, result.operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("by"))) {
    if (parseBlockSize(parser, block))
      return failure();
    result.addAttribute("block", block);
  }
  if (!(arguments[0].type = getIteratorType(parser, block)))
    return failure();
  auto parseCarried = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand init;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() || parser.parseOperand(init) ||
        parser.parseColonType(argument.type))
      return failure();
    result.addTypes(argument.type);
    return parser.resolveOperand(init, argument.type, result.operands);
  };
  if (succeeded(parser.parseOptionalKeyword("iter")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCarried))
    return failure();
  if (parseOptionalStages(parser, result))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("parallel")))
    result.addAttribute("parallel", parser.getBuilder().getUnitAttr());
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  RangeOp::ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void RangeOp::print(OpAsmPrinter &printer) {
  printer << " " << getInductionVar() << " = " << getLower() << " to " << getUpper();
  if (std::optional<Attribute> block = getBlock()) {
    printer << " by ";
    printBlockSize(printer, *block);
  }
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(llvm::zip(getCarried(), getInits()), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : "
              << std::get<0>(pair).getType();
    });
    printer << ")";
  }
  if (getStages() != 1)
    printer << " stages " << getStages();
  if (getParallel())
    printer << " parallel";
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"block", "stages", "parallel"});
}

LogicalResult RangeOp::verify() {
  if (std::optional<Attribute> block = getBlock(); block && !isa<IntegerAttr, StringAttr>(*block))
    return emitOpError() << "has " << *block << " as a block size";
  if (failed(verifyStages(*this, getStages())))
    return failure();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInits().size() + 1 || getNumResults() != getInits().size())
    return emitOpError("needs one argument and one result per carried value");
  auto span = dyn_cast<SpanType>(body.getArgument(0).getType());
  if (getBlock() ? !span || span.getSize() != *getBlock()
                 : !body.getArgument(0).getType().isIndex())
    return emitOpError() << "has an argument of type " << body.getArgument(0).getType()
                         << " that does not fit its range";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().getTypes() != getInits().getTypes() ||
      getResultTypes() != getInits().getTypes() ||
      TypeRange(ValueRange(getCarried())) != getInits().getTypes())
    return emitOpError("must carry, yield and return values of the same types");
  if (getParallel() && !getInits().empty())
    return emitOpError("cannot carry values in parallel");
  return success();
}

#define GET_OP_CLASSES
#include "attn/Dialect/Tile/IR/TileOps.cpp.inc"
