// The tile dialect: registration and the attributes it puts on functions and arguments.
#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn::tile;

#include "attn/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "attn/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Tile/IR/TileAttributes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "attn/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult AutoAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t lo,
                               int64_t hi) {
  if (lo < 1 || hi < lo)
    return emitError() << "a size range needs 1 <= lo <= hi, not " << lo << " and " << hi;
  return success();
}

LogicalResult ChoiceAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                                 StringAttr, DictionaryAttr, int64_t, int64_t, int64_t,
                                 DenseBoolArrayAttr, GroupAttr, int64_t order) {
  if (order < 0)
    return emitError() << "a band has a positive number of rows of tiles, not " << order;
  return success();
}

static LogicalResult verifyKernel(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitError("'tile.kernel' belongs on a function");
  if (function.getNumResults() != 0)
    return op->emitError("a kernel returns through its output arrays, not through results");
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!isa<ArrayType, MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return op->emitError() << "argument " << index
                             << " of a kernel must be an array or a scalar, not " << type;
  return success();
}

/// What `tile-split-cores` notes on ops while it works, and which loops a mask cuts through.
static bool isOfLevels(StringRef name) {
  return llvm::is_contained({"tile.core", "tile.level", "tile.preload", "tile.lag",
                             "tile.exchanged", "tile.steady_step", "tile.settled", "tile.cut",
                             "tile.start", "tile.turn"},
                            name);
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == "tile.kernel")
    return isa<UnitAttr>(attribute.getValue()) ? verifyKernel(op)
                                               : op->emitError("'tile.kernel' is a unit attribute");
  if (name == "tile.choice")
    return isa<ChoiceAttr>(attribute.getValue()) && op->hasAttr("tile.kernel")
               ? success()
               : op->emitError("'tile.choice' is a #tile.choice of kernels");
  if (name == "tile.alternatives")
    return isa<ArrayAttr>(attribute.getValue())
               ? success()
               : op->emitError("'tile.alternatives' is a list of what was looked at");
  if (name == mixedName || name == halfOfName)
    return op->hasAttr("tile.kernel") &&
                   (name == mixedName || isa<FlatSymbolRefAttr>(attribute.getValue()))
               ? success()
               : op->emitError() << "'" << name << "' belongs on a half of a kernel";
  if (name == groupName)
    return isa<GroupAttr>(attribute.getValue()) && op->hasAttr("tile.kernel")
               ? success()
               : op->emitError("'tile.group' is a #tile.group of kernels");
  if (isOfLevels(name))
    return success();
  if (name != "tile.symbols")
    return op->emitError() << "unknown attribute '" << name << "'";
  auto symbols = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!symbols || !llvm::all_of(symbols, [](NamedAttribute symbol) {
        return isa<AutoAttr>(symbol.getValue());
      }))
    return op->emitError("'tile.symbols' must be a dictionary of #tile.auto ranges");
  return success();
}
