// The loops and conditions of the tile dialect: syntax, rules and what they tell upstream analyses.
#include "Dimension.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Machine/Architecture.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace attn::tile;

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
  if (stages < 1 || stages > attn::architecture::eventIds)
    return op->emitOpError() << "has " << stages << " stages; 1 to " << attn::architecture::eventIds
                             << " are possible";
  return success();
}

/// The type of a loop's argument: an index, or a span where it goes by blocks. Null for a block
/// size that is none.
static Type getIteratorType(OpAsmParser &parser, Attribute block) {
  if (!block || isa<UnitAttr>(block))
    return parser.getBuilder().getIndexType();
  SMLoc loc = parser.getCurrentLocation();
  return SpanType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), block);
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

ParseResult GridOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  SmallVector<Attribute> blocks;
  MLIRContext *context = parser.getContext();
  auto parseAxis = [&]() -> ParseResult {
    if (parser.parseOperand(extents.emplace_back()))
      return failure();
    Attribute &block = blocks.emplace_back(UnitAttr::get(context));
    return succeeded(parser.parseOptionalKeyword("by")) ? parseDim(parser, block) : success();
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
  for (auto [argument, block] : llvm::zip_equal(arguments, blocks)) {
    argument.type = getIteratorType(parser, block);
    if (!argument.type)
      return failure();
  }
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
      printDim(printer, std::get<1>(axis));
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
    if (!isa<UnitAttr, IntegerAttr, StringAttr, SumAttr>(block))
      return emitOpError() << "has " << block << " as a block size";
    bool isIndex = isa<UnitAttr>(block);
    auto span = dyn_cast<SpanType>(argument.getType());
    if (isIndex ? !argument.getType().isIndex() : !span || span.getSize() != block)
      return emitOpError() << "has an argument of type " << argument.getType()
                           << " that does not fit its axis";
  }
  return success();
}

/// One entry for each axis that goes one by one.
template <typename T>
static SmallVector<T> collectAxes(GridOp grid, function_ref<T(unsigned)> get) {
  SmallVector<T> entries;
  for (auto [axis, block] : llvm::enumerate(grid.getBlocks()))
    if (isa<UnitAttr>(block))
      entries.push_back(get(axis));
  return entries;
}

/// The same number for each axis that goes one by one.
static SmallVector<OpFoldResult> collectNumbers(GridOp grid, int64_t number) {
  return collectAxes<OpFoldResult>(
      grid, [&](unsigned) { return Builder(grid.getContext()).getIndexAttr(number); });
}

SmallVector<Region *> GridOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> GridOp::getLoopInductionVars() {
  return collectAxes<Value>(*this, [&](unsigned axis) { return getBody().getArgument(axis); });
}

std::optional<SmallVector<OpFoldResult>> GridOp::getLoopLowerBounds() {
  return collectNumbers(*this, 0);
}

std::optional<SmallVector<OpFoldResult>> GridOp::getLoopUpperBounds() {
  return collectAxes<OpFoldResult>(*this, [&](unsigned axis) { return getExtents()[axis]; });
}

std::optional<SmallVector<OpFoldResult>> GridOp::getLoopSteps() { return collectNumbers(*this, 1); }

/// Before and after each iteration, there may be one more or none.
void GridOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody()));
  regions.push_back(RegionSuccessor(getOperation(), getOperation()->getResults()));
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

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
    if (parseDim(parser, block))
      return failure();
    result.addAttribute("block", block);
  }
  arguments[0].type = getIteratorType(parser, block);
  if (!arguments[0].type)
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
    printDim(printer, *block);
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
  if (std::optional<Attribute> block = getBlock();
      block && !isa<IntegerAttr, StringAttr, SumAttr>(*block))
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
  return success();
}

/// Whatever is asked of the one axis, nothing where it goes by blocks.
static std::optional<SmallVector<OpFoldResult>> getOfAxis(RangeOp range, OpFoldResult answer) {
  return range.getBlock() ? SmallVector<OpFoldResult>() : SmallVector<OpFoldResult>{answer};
}

SmallVector<Region *> RangeOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> RangeOp::getLoopInductionVars() {
  return getBlock() ? SmallVector<Value>() : SmallVector<Value>{getInductionVar()};
}

std::optional<SmallVector<OpFoldResult>> RangeOp::getLoopLowerBounds() {
  return getOfAxis(*this, getLower());
}

std::optional<SmallVector<OpFoldResult>> RangeOp::getLoopUpperBounds() {
  return getOfAxis(*this, getUpper());
}

std::optional<SmallVector<OpFoldResult>> RangeOp::getLoopSteps() {
  return getOfAxis(*this, Builder(getContext()).getIndexAttr(1));
}

MutableArrayRef<OpOperand> RangeOp::getInitsMutable() { return getInitArgsMutable(); }

Block::BlockArgListType RangeOp::getRegionIterArgs() { return getCarried(); }

std::optional<MutableArrayRef<OpOperand>> RangeOp::getYieldedValuesMutable() {
  return getYield().getValuesMutable();
}

std::optional<ResultRange> RangeOp::getLoopResults() { return getResults(); }

OperandRange RangeOp::getEntrySuccessorOperands(RegionSuccessor) { return getInitArgs(); }

/// Before and after each iteration, there may be one more or none.
void RangeOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody(), getCarried()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  for (Region *body : {&getThenBody(), &getElseBody()})
    if (!body->empty() && body->front().getTerminator()->getNumOperands() != 0)
      return emitOpError("cannot hand on values: what its bodies compute, they store");
  return success();
}

/// One of the bodies, or none where there is no other, and then what follows.
void IfOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent()) {
    regions.push_back(RegionSuccessor(&getThenBody()));
    if (!getElseBody().empty()) {
      regions.push_back(RegionSuccessor(&getElseBody()));
      return;
    }
  }
  regions.push_back(RegionSuccessor(getOperation(), getOperation()->getResults()));
}

//===----------------------------------------------------------------------===//
// Groups of cores
//===----------------------------------------------------------------------===//

static LogicalResult verifyFlag(Operation *op, int64_t flag) {
  if (flag >= 0 && flag < attn::architecture::crossFlags)
    return success();
  return op->emitOpError() << "has the flag " << flag << "; there are "
                           << attn::architecture::crossFlags << " between cube and vector cores";
}

LogicalResult SignalOp::verify() { return verifyFlag(*this, getFlag()); }

LogicalResult AwaitOp::verify() { return verifyFlag(*this, getFlag()); }
