// The launch path of the modelled chip, shared by its front doors: chip IR, AscendC text and HIVM
// text.
#ifndef ATTN_SIMULATOR_LAUNCH_LAUNCH_H
#define ATTN_SIMULATOR_LAUNCH_LAUNCH_H

#include "attn/Simulator/Launch/TextLaunch.h"

namespace attn::simulator {

/// Matches `arguments` with those of `kernel`; workspaces are made for `blocks` blocks.
mlir::FailureOr<Launch> bindArguments(mlir::func::FuncOp kernel, llvm::ArrayRef<Argument> arguments,
                                      int64_t blocks, bool needsData);

/// Runs one phase of a kernel in a session whose arrays lie on `device`.
using RunPhase = llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp phase, Session &session,
                                                        const Device &device)>;

/// Launches the chip IR `kernel` and its later phases as `blocks` blocks; `run` takes each phase
/// through the front door it came from. Fails with a diagnostic where the kernel or its arguments
/// cannot be run at all; mistakes that show while running are hazards of the result.
mlir::FailureOr<SimulationResult> launchKernel(mlir::func::FuncOp kernel, const Chip &chip,
                                               llvm::ArrayRef<Argument> arguments, int64_t blocks,
                                               const SimulationOptions &options, RunPhase run);

/// Runs one kernel of text on the values of its parameters.
using RunText = llvm::function_ref<mlir::LogicalResult(
    Session &session, llvm::ArrayRef<TextArgument> parameters, const Device &device)>;

/// Launches a kernel of text without its chip IR: `arguments` are in the order of its parameters.
mlir::FailureOr<SimulationResult> launchText(const Chip &chip, llvm::ArrayRef<Argument> arguments,
                                             const SimulationOptions &options,
                                             mlir::Location location, RunText run);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_LAUNCH_LAUNCH_H
