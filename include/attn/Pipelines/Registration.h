// Everything a tool must register: dialects, passes and pipelines.
#ifndef ATTN_PIPELINES_REGISTRATION_H
#define ATTN_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace attn {
void registerAllDialects(mlir::DialectRegistry &registry);
void registerAllPasses();
} // namespace attn

#endif // ATTN_PIPELINES_REGISTRATION_H
