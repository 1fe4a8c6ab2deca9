// The `launch` dialect: checks of the attributes that say how a kernel is called.
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "attn/Launch/IR/LaunchDialect.cpp.inc"

using namespace mlir;
using namespace attn::launch;

void LaunchDialect::initialize() {}

static bool isPositive(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getType().isSignlessInteger(64) && number.getInt() > 0;
}

LogicalResult LaunchDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << name << "' belongs on a function";
  if (name == limitName)
    return isPositive(attribute.getValue())
               ? success()
               : op->emitError() << "'" << name << "' must be a positive i64";
  if (name == gridOfName || name == afterName)
    return isa<FlatSymbolRefAttr>(attribute.getValue())
               ? success()
               : op->emitError() << "'" << name << "' must name a kernel";
  if (name == signatureName) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    return type && isa<FunctionType>(type.getValue())
               ? success()
               : op->emitError() << "'" << name << "' must be a function type";
  }
  if (name != sizesName)
    return op->emitError() << "unknown attribute '" << name << "'";
  auto sizes = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!sizes ||
      !llvm::all_of(sizes, [](NamedAttribute size) { return isPositive(size.getValue()); }))
    return op->emitError() << "'" << name << "' must be a dictionary of positive i64 numbers";
  return success();
}

LogicalResult LaunchDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                      NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == outputName || name == workspaceName)
    return isa<UnitAttr>(attribute.getValue())
               ? success()
               : op->emitError() << "'" << name << "' is a unit attribute";
  if (name != dimsName)
    return op->emitError() << "unknown argument attribute '" << name << "'";
  auto dims = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!dims || !llvm::all_of(dims, [](Attribute dim) {
        auto text = dyn_cast<StringAttr>(dim);
        return text ? !text.empty() : isPositive(dim);
      }))
    return op->emitError() << "'" << name << "' of argument " << argIndex
                           << " must list names and positive i64 numbers";
  return success();
}
