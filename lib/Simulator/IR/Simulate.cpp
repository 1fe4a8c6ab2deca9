// Runs kernels of the ascend dialect on the modelled chip: each phase becomes a scalar program.
#include "attn/Simulator/IR/Simulate.h"
#include "ScalarUnit.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Simulator/Launch/Launch.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

/// The function that the cube cores of `phase` run: none in kernels without them. Fails where a
/// mixed kernel has no such half that takes its arguments.
static FailureOr<func::FuncOp> findCubeFunction(func::FuncOp phase) {
  switch (ascend::getKernelKind(phase)) {
  case ascend::KernelKind::Vector:
  case ascend::KernelKind::MeetingVector:
    return func::FuncOp();
  case ascend::KernelKind::Cube:
    return phase;
  case ascend::KernelKind::Mixed:
    break;
  }
  func::FuncOp half = ascend::getCubeHalf(phase);
  if (phase->hasAttr(ascend::halfOfName))
    return phase.emitError("is half of a kernel and cannot run on its own");
  if (!half)
    return phase.emitError() << "is a mixed kernel without a cube half: no kernel has '"
                             << ascend::halfOfName << " = @" << phase.getName() << "'";
  if (half.getArgumentTypes() != phase.getArgumentTypes())
    return half.emitError() << "must take the arguments of '" << phase.getName()
                            << "', half of which it is";
  return half;
}

FailureOr<SimulationResult> simulator::simulate(func::FuncOp kernel, const Chip &chip,
                                                ArrayRef<Argument> arguments,
                                                const SimulationOptions &options) {
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (failed(blocks))
    return failure();
  auto run = [&](func::FuncOp phase, Session &session, const Device &) -> LogicalResult {
    FailureOr<func::FuncOp> cubeFunction = findCubeFunction(phase);
    if (failed(cubeFunction))
      return failure();
    // Both halves have one numbering, so that hazards can name instructions of either.
    Listing listing;
    if (options.checkEffects)
      listing.ranges = IndexRanges(phase->getParentOp());
    FailureOr<Program> program = flatten(phase, session.getLaunch(), listing), cubeProgram;
    if (*cubeFunction)
      cubeProgram =
          *cubeFunction == phase ? program : flatten(*cubeFunction, session.getLaunch(), listing);
    if (failed(program) || (*cubeFunction && failed(cubeProgram)))
      return failure();
    WrittenRows written;
    auto start = [&](const CorePlace &place) -> std::unique_ptr<ScalarProgram> {
      return std::make_unique<ScalarUnit>(place.kind == CoreKind::Cube ? *cubeProgram : *program,
                                          listing, session.getLaunch(), place, *blocks,
                                          options.maxSteps, written);
    };
    session.run({phase.getLoc(), ascend::getKernelKind(phase), listing, start});
    return success();
  };
  return launchKernel(kernel, chip, arguments, *blocks, options, run);
}
