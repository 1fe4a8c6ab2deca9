// HIVM text on the modelled chip: the third front door of the simulator. It reads what the vendor's
// tools read, and shares nothing with the exporter that prints it.
#ifndef ATTN_SIMULATOR_HIVM_HIVMTEXT_H
#define ATTN_SIMULATOR_HIVM_HIVMTEXT_H

#include "attn/Simulator/Model/Simulator.h"

namespace attn::hivm {

/// Whether a function is a kernel of HIVM text.
bool isKernel(mlir::func::FuncOp function);

/// Whether cube cores run the kernel, or the half of a mixed one.
bool isForCubes(mlir::func::FuncOp entry);

/// Runs `text`, which was printed from the module of `kernel`, on the arguments of `kernel`: what
/// `simulator::simulate` does with the chip IR.
mlir::FailureOr<simulator::SimulationResult>
simulateText(mlir::func::FuncOp kernel, llvm::StringRef text, const Chip &chip,
             llvm::ArrayRef<simulator::Argument> arguments,
             const simulator::SimulationOptions &options);

/// Runs a kernel of HIVM text on arguments in the order of its parameters, without those that the
/// launcher adds: arrays and tables where it takes memory.
mlir::FailureOr<simulator::SimulationResult>
simulateKernel(mlir::func::FuncOp entry, const Chip &chip,
               llvm::ArrayRef<simulator::Argument> arguments,
               const simulator::SimulationOptions &options);

} // namespace attn::hivm

#endif // ATTN_SIMULATOR_HIVM_HIVMTEXT_H
