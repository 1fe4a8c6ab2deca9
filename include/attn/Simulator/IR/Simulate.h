// The modelled chip's front door for kernels of the ascend dialect.
#ifndef ATTN_SIMULATOR_IR_SIMULATE_H
#define ATTN_SIMULATOR_IR_SIMULATE_H

#include "attn/Simulator/Model/Simulator.h"

namespace attn::simulator {

/// Runs `kernel` (a function with `ascend.kernel`) on `chip`, and after it the kernels that
/// `launch.after` chains to it. Fails with a diagnostic where the kernel or its arguments cannot be
/// run at all; mistakes that show while running are hazards of the result.
mlir::FailureOr<SimulationResult> simulate(mlir::func::FuncOp kernel, const Chip &chip,
                                           llvm::ArrayRef<Argument> arguments,
                                           const SimulationOptions &options);

/// How many blocks a launch has: what the options say, else what the kernel's grid counts. Texts
/// printed from `kernel` ask this too: only the IR has the function that counts tiles.
mlir::FailureOr<int64_t> countBlocks(mlir::func::FuncOp kernel, llvm::ArrayRef<Argument> arguments,
                                     const SimulationOptions &options);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_IR_SIMULATE_H
