// What a launcher and a reader must know of a kernel, as lines of text above it.
#ifndef ATTN_TARGET_ASCENDC_DESCRIPTION_H
#define ATTN_TARGET_ASCENDC_DESCRIPTION_H

#include "attn/Target/AscendC/Signature.h"

namespace attn::ascendc {

/// The line that the arguments follow.
constexpr llvm::StringLiteral argumentsLine = "  arguments:";

/// Name, sizes, local memory, blocks and arguments of a kernel that uses `usedBytes` of UB.
std::vector<std::string> describeKernel(mlir::func::FuncOp kernel, const Signature &signature,
                                        int64_t usedBytes);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_DESCRIPTION_H
