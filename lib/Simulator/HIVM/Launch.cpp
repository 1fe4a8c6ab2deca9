// Launches of HIVM text: what its parameters get, and the ways to ask for one.
#include "attn/Simulator/Launch/Launch.h"
#include "CheckForm.h"
#include "Program.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Simulator/HIVM/HIVMText.h"
#include "attn/Simulator/IR/Simulate.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;
using namespace attn::simulator;

static LogicalResult checkOptions(const SimulationOptions &options, Location location) {
  if (options.checkEffects)
    return emitError(location) << "text has no interface that its effects could be compared with";
  return success();
}

/// What each parameter gets: those that the launcher adds are between the others.
static FailureOr<SmallVector<Scalar>> addHidden(func::FuncOp entry,
                                                ArrayRef<TextArgument> arguments) {
  SmallVector<Scalar> all;
  for (BlockArgument parameter : entry.getArguments()) {
    if (entry.getArgAttr(parameter.getArgNumber(), "hacc.arg_type")) {
      all.push_back({flagBase, 0});
      continue;
    }
    if (arguments.empty())
      return entry.emitError("takes more arguments than are given");
    using Kind = TextArgument::Kind;
    Kind given = arguments.front().kind;
    if ((given == Kind::Real) != parameter.getType().isF32() ||
        (given == Kind::Address) != isa<MemRefType>(parameter.getType()))
      return entry.emitError() << "argument " << parameter.getArgNumber() << " is of type "
                               << parameter.getType() << ", and something else is given";
    all.push_back(arguments.front().value);
    arguments = arguments.drop_front();
  }
  if (!arguments.empty())
    return entry.emitError("takes fewer arguments than are given");
  return all;
}

/// The other half of a mixed kernel, by the vendor's names; null for other kernels.
static FailureOr<func::FuncOp> findOtherHalf(func::FuncOp entry) {
  if (!entry->hasAttr("hivm.part_of_mix"))
    return func::FuncOp();
  StringRef name = entry.getName();
  StringRef suffix = isForCubes(entry) ? "_mix_aic" : "_mix_aiv";
  std::string other =
      (name.drop_back(suffix.size()) + (isForCubes(entry) ? "_mix_aiv" : "_mix_aic")).str();
  auto found = entry->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(other);
  if (!name.ends_with(suffix) || !found || !isKernel(found) ||
      isForCubes(found) == isForCubes(entry) ||
      found.getArgumentTypes() != entry.getArgumentTypes())
    return entry.emitError("is half of a mixed kernel, whose other half is not there");
  return found;
}

/// Runs one kernel of text in a session.
static LogicalResult runKernel(Session &session, func::FuncOp entry,
                               ArrayRef<TextArgument> arguments, const Device &device,
                               const Chip &chip, const SimulationOptions &options) {
  FailureOr<func::FuncOp> other = findOtherHalf(entry);
  if (failed(other) || failed(checkForm(entry)) || (*other && failed(checkForm(*other))))
    return failure();
  FailureOr<SmallVector<Scalar>> all = addHidden(entry, arguments);
  if (failed(all))
    return failure();
  bool isCube = isForCubes(entry);
  Kernel kernel{isCube ? *other : entry,
                isCube ? entry : *other,
                std::move(*all),
                device.getMemory(),
                chip,
                session.getBlocks(),
                options.maxSteps,
                {},
                {},
                {}};
  auto start = [&](const CorePlace &place) -> std::unique_ptr<ScalarProgram> {
    return std::make_unique<Program>(kernel, place);
  };
  // The program checks by itself that blocks meet by a flag that the launcher has given them.
  auto kind = *other   ? ascend::KernelKind::Mixed
              : isCube ? ascend::KernelKind::Cube
                       : ascend::KernelKind::MeetingVector;
  session.run({entry.getLoc(), kind, kernel.listing, start});
  return success();
}

FailureOr<SimulationResult> hivm::simulateText(func::FuncOp kernel, StringRef text,
                                               const Chip &chip, ArrayRef<Argument> arguments,
                                               const SimulationOptions &options) {
  if (failed(checkOptions(options, kernel.getLoc())))
    return failure();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, kernel.getContext());
  FailureOr<int64_t> blocks = countBlocks(kernel, arguments, options);
  if (!module || failed(blocks))
    return failure();
  auto run = [&](func::FuncOp phase, Session &session, const Device &device) -> LogicalResult {
    bool isMixed = ascend::getKernelKind(phase) == ascend::KernelKind::Mixed;
    auto entry = module->lookupSymbol<func::FuncOp>(
        (phase.getSymName() + (isMixed ? "_mix_aiv" : "")).str());
    if (!entry || !isKernel(entry))
      return phase.emitError() << "the text has no kernel '" << phase.getSymName() << "'";
    FailureOr<SmallVector<TextArgument>> listed = listArguments(phase, session.getLaunch(), device);
    if (failed(listed))
      return failure();
    return runKernel(session, entry, *listed, device, chip, options);
  };
  return launchKernel(kernel, chip, arguments, *blocks, options, run);
}

FailureOr<SimulationResult> hivm::simulateKernel(func::FuncOp entry, const Chip &chip,
                                                 ArrayRef<Argument> arguments,
                                                 const SimulationOptions &options) {
  if (failed(checkOptions(options, entry.getLoc())))
    return failure();
  return launchText(chip, arguments, options, entry.getLoc(),
                    [&](Session &session, ArrayRef<TextArgument> parameters, const Device &device) {
                      return runKernel(session, entry, parameters, device, chip, options);
                    });
}
