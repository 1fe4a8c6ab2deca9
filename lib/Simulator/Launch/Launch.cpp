// The launch path that the front doors of the modelled chip share: phases, arguments, a session.
#include "attn/Simulator/Launch/Launch.h"
#include "attn/Launch/IR/LaunchOrder.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

/// The kernel and its later phases, in the order of their launches. Fails where one cannot be run
/// on the arguments of the first.
static FailureOr<SmallVector<func::FuncOp>> getPhases(func::FuncOp kernel) {
  SmallVector<func::FuncOp> phases = launch::getPhases(kernel);
  for (func::FuncOp phase : phases) {
    if (!phase->hasAttr("ascend.kernel"))
      return phase.emitError("is not a kernel of the ascend dialect");
    if (phase.getArgumentTypes() != kernel.getArgumentTypes())
      return phase.emitError() << "must take the arguments of '" << kernel.getSymName()
                               << "', which it follows";
  }
  return phases;
}

FailureOr<SimulationResult> simulator::launchKernel(func::FuncOp kernel, const Chip &chip,
                                                    ArrayRef<Argument> arguments, int64_t blocks,
                                                    const SimulationOptions &options,
                                                    RunPhase run) {
  FailureOr<SmallVector<func::FuncOp>> phases = getPhases(kernel);
  if (failed(phases))
    return failure();
  if (chip.isHost)
    return kernel.emitError("cannot be simulated on the chip 'host': name an Ascend chip");
  FailureOr<Launch> launch = bindArguments(kernel, arguments, blocks, !options.timingOnly);
  if (failed(launch))
    return failure();
  Session session(chip, options, std::move(*launch), blocks);
  Device device(session.getLaunch());
  for (func::FuncOp phase : *phases)
    if (failed(run(phase, session, device)))
      return failure();
  return session.finish();
}

FailureOr<SimulationResult> simulator::launchText(const Chip &chip, ArrayRef<Argument> arguments,
                                                  const SimulationOptions &options,
                                                  Location location, RunText run) {
  FailureOr<Launch> launch = bindParameters(arguments, location);
  if (failed(launch))
    return failure();
  Session session(chip, options, std::move(*launch), options.blocks.value_or(1));
  Device device(session.getLaunch());
  if (failed(run(session, listArguments(arguments, session.getLaunch(), device), device)))
    return failure();
  return session.finish();
}
