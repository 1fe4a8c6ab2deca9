// The `cpu` dialect: registration and rules of its ops.
#include "attn/Cpu/IR/Cpu.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace attn::cpu;

#include "attn/Cpu/IR/CpuDialect.cpp.inc"

#define GET_OP_CLASSES
#include "attn/Cpu/IR/CpuOps.cpp.inc"

void CpuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "attn/Cpu/IR/CpuOps.cpp.inc"
      >();
}

Value CheckAccessOp::getViewSource() { return getArray(); }

LogicalResult CheckAccessOp::verify() {
  int64_t rank = cast<MemRefType>(getArray().getType()).getRank();
  if (static_cast<int64_t>(getOffsets().size()) != rank)
    return emitOpError() << "has " << getOffsets().size() << " offsets for an array of rank "
                         << rank;
  return success();
}

Value ReadAheadOp::getViewSource() { return getPart(); }

LogicalResult ReadAheadOp::verify() {
  auto type = cast<MemRefType>(getPart().getType());
  if (type.getRank() != 2)
    return emitOpError() << "reads " << type << ", which does not have rows and columns";
  if (getLater() && cast<MemRefType>(getLater().getType()).getShape() != type.getShape())
    return emitOpError() << "asks for " << getLater().getType() << " while it reads " << type;
  return success();
}
