// How the instructions of cube cores are spelled in HIVM.
#include "KernelExporter.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

LogicalResult KernelExporter::write(ascend::NdToNzOp op) {
  return op.emitOpError("cannot be printed as HIVM");
}
LogicalResult KernelExporter::write(ascend::FixOutOp op) {
  return op.emitOpError("cannot be printed as HIVM");
}
LogicalResult KernelExporter::write(ascend::MatmulOp op) {
  return op.emitOpError("cannot be printed as HIVM");
}
