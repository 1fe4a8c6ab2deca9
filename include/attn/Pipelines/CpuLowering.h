// The way of a tile kernel to the LLVM dialect of the host.
#ifndef ATTN_PIPELINES_CPULOWERING_H
#define ATTN_PIPELINES_CPULOWERING_H

#include <cstdint>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace attn {

/// What the lowering must know of the host, and of what is asked for.
struct CpuLoweringOptions {
  int64_t lanes = 8;      // f32 elements of a vector register
  bool scales = false;    // whether vectors are multiplied by powers of two in one instruction
  bool pairs = false;     // whether there are instructions that multiply pairs of bf16
  bool expandF16 = false; // whether there are no instructions that convert f16
  bool bounds = true;     // whether accesses and divisions are checked

  /// Lets vectors have so many f32 elements, without what only the host's own are good for.
  void setLanes(int64_t number);
};

/// Of the machine that this runs on.
CpuLoweringOptions getHostLoweringOptions();

/// From clamped, bound and decomposed tile kernels to the LLVM dialect, with entries for the
/// runtime.
void buildCpuLoweringPipeline(mlir::OpPassManager &manager, const CpuLoweringOptions &options);

/// The interfaces of upstream dialects that the lowering needs.
void registerCpuLoweringExtensions(mlir::DialectRegistry &registry);

} // namespace attn

#endif // ATTN_PIPELINES_CPULOWERING_H
