// The dialect `hacc`: registration.
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "attn/Dialect/HIVM/IR/HACCDialect.cpp.inc"
#include "attn/Dialect/HIVM/IR/HACCEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/HIVM/IR/HACCAttributes.cpp.inc"

void attn::hacc::HACCDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "attn/Dialect/HIVM/IR/HACCAttributes.cpp.inc"
      >();
}
