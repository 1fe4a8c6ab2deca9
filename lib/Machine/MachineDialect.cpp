// The `machine` dialect: parsing, printing and checking of the target attribute.
#include "attn/Machine/MachineDialect.h"
#include "attn/Machine/Chip.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "attn/Machine/MachineDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Machine/MachineAttributes.cpp.inc"

using namespace mlir;
using namespace attn::machine;

void MachineDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Machine/MachineAttributes.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 DictionaryAttr overrides) {
  return attn::resolveChip(name.getValue(), overrides, emitError);
}

LogicalResult MachineDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != machine::targetName)
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue()
                           << "': the machine dialect has only 'machine.target'";
  if (!isa<TargetAttr>(attribute.getValue()))
    return op->emitError() << "'machine.target' must be a #machine.target<\"name\">";
  if (!isa<ModuleOp>(op))
    return op->emitError() << "'machine.target' belongs on a module";
  return success();
}
