// The ascend dialect: types, attributes, the instruction interface and operations.
#ifndef ATTN_DIALECT_ASCEND_IR_ASCEND_H
#define ATTN_DIALECT_ASCEND_IR_ASCEND_H

#include "attn/Dialect/Ascend/IR/Access.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/Cores.h"
#include "attn/Support/IndexRanges.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn/Dialect/Ascend/IR/AscendDialect.h.inc"
#include "attn/Dialect/Ascend/IR/AscendEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/Ascend/IR/AscendAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "attn/Dialect/Ascend/IR/AscendTypes.h.inc"

namespace attn::ascend {

/// The instructions with one number of this attribute write different bytes, each time that the
/// block around all of them runs.
constexpr llvm::StringLiteral apartName = "ascend.apart";

/// The memory space of a memref type, or none where it is not one of ours.
std::optional<Space> getSpace(mlir::Type type);

/// The local memory that a space is; none for gm.
std::optional<LocalMemory> getLocalMemory(Space space);

/// The pipe as the machine tables know it; `pipe` is not `all`.
CorePipe getCorePipe(Pipe pipe);

/// The kind of core whose local memory an instruction touches.
CoreKind findCoreKind(mlir::Operation *instruction);

/// Whether local memory can hold elements of that type.
bool isElementType(mlir::Type type);

/// f32 elements of scratch that a row reduction needs for `rows` rows of `cols` elements: one value
/// per 32-byte block, then one per block of those, each row on its own so that rows do not wait for
/// each other.
int64_t getRowReduceScratchElements(int64_t rows, int64_t cols);

/// f32 elements of scratch that row-broadcast arithmetic needs for `rows` rows.
int64_t getRowBroadcastScratchElements(int64_t rows);

} // namespace attn::ascend

#include "attn/Dialect/Ascend/IR/AscendInterfaces.h.inc"

#define GET_OP_CLASSES
#include "attn/Dialect/Ascend/IR/AscendOps.h.inc"

#endif // ATTN_DIALECT_ASCEND_IR_ASCEND_H
