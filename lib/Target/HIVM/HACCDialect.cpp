// The dialect `hacc`: registration.
#include "attn/Target/HIVM/HIVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "attn/Target/HIVM/HACCDialect.cpp.inc"
#include "attn/Target/HIVM/HACCEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Target/HIVM/HACCAttributes.cpp.inc"

void attn::hacc::HACCDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Target/HIVM/HACCAttributes.cpp.inc"
      >();
}
