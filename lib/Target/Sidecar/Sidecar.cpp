// Puts the sidecar of a kernel together: docs/Sidecar.md describes its form.
#include "attn/Target/Sidecar/Sidecar.h"
#include "Formula.h"
#include "LayoutDescription.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Chip.h"
#include "attn/Machine/Groups.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace attn;
using namespace attn::sidecar;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// The only kernel of the module that follows no other.
FailureOr<func::FuncOp> findKernel(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr("tile.kernel"))
      return function.emitError() << "kernel '" << function.getName()
                                  << "' must be lowered first by convert-tile-to-ascend";
    if (!function->hasAttr("ascend.kernel"))
      continue;
    if (failed(launch::verifyHalves(function)))
      return failure();
    if (!function->hasAttr(launch::afterName) && !function->hasAttr(ascend::halfOfName))
      kernels.push_back(function);
  }
  if (kernels.size() == 1)
    return kernels.front();
  InFlightDiagnostic diagnostic =
      module.emitError() << "a sidecar describes one kernel, but the module has " << kernels.size();
  for (func::FuncOp kernel : kernels)
    diagnostic.attachNote(kernel.getLoc()) << "'" << kernel.getName() << "'";
  return diagnostic;
}

/// Identifies what was compiled: the chip IR without positions in the source.
std::string hashModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  std::array<uint8_t, 32> hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return "sha256:" + llvm::toHex(hash, /*LowerCase=*/true);
}

class SidecarBuilder {
public:
  SidecarBuilder(ModuleOp module, func::FuncOp kernel, const Chip &chip)
      : module(module), kernel(kernel), chip(chip), phases(launch::getPhases(kernel)),
        parameters(kernel) {
    for (func::FuncOp phase : phases) {
      doCoresSignal |= launch::doCoresSignal(phase);
      hasGroups |= ascend::getKernelKind(phase) == ascend::KernelKind::Mixed;
    }
  }

  FailureOr<Object> build() {
    FailureOr<Object> routes = describeRoutes();
    FailureOr<Object> grid = describeGrid();
    FailureOr<Array> launches = describeLaunches();
    FailureOr<Array> workspaces = parameters.describeWorkspaces();
    if (failed(routes) || failed(grid) || failed(launches) || failed(workspaces))
      return failure();
    return Object{{"schema", "attn-sidecar"},
                  {"version", formVersion},
                  {"compiler", Object{{"name", "attn"}, {"version", ATTN_VERSION}}},
                  {"source", hashModule(module)},
                  {"name", kernel.getName().str()},
                  {"target", describeTarget(*grid->getInteger("limit"))},
                  {"sizes", describeSizes()},
                  {"parameters", parameters.describe()},
                  {"routes", std::move(*routes)},
                  {"workspaces", std::move(*workspaces)},
                  {"grid", std::move(*grid)},
                  {"launches", std::move(*launches)},
                  {"call", nullptr},
                  {"object", nullptr},
                  {"predicted", nullptr}};
  }

private:
  /// Later phases take the arguments of the first, which are laid out alike: their order follows
  /// from the types.
  FailureOr<Object> describeRoutes() {
    for (func::FuncOp phase : phases)
      if (phase.getFunctionType() != kernel.getFunctionType() ||
          phase.getAllArgAttrs() != kernel.getAllArgAttrs())
        return phase.emitError() << "must take the arguments of '" << kernel.getName()
                                 << "', after which it is launched";
    launch::NameTable names;
    names.add(kernel.getName(), "");
    FailureOr<launch::Signature> signature = launch::getSignature(kernel, names);
    if (failed(signature))
      return failure();
    Object routes;
    for (Route route : {Route::AscendC, Route::HIVM})
      routes[spellRoute(route)] =
          describeLayout(launch::layOutArguments(*signature, route, doCoresSignal), parameters);
    return routes;
  }

  FailureOr<Object> describeGrid() {
    int64_t limit = chip.maxGrid;
    for (func::FuncOp phase : phases)
      if (auto own = phase->getAttrOfType<IntegerAttr>(launch::limitName))
        limit = std::min(limit, own.getInt());
    // Blocks that meet must all run at once, and groups have no other cores to wait for.
    int64_t cores = hasGroups ? chip.cubeCores : chip.vectorCores;
    if (doCoresSignal && limit > cores)
      return kernel.emitError() << "may be launched on " << limit << " blocks, which "
                                << (hasGroups ? "are groups" : "meet") << ", but '" << chip.name
                                << "' has " << cores << (hasGroups ? " groups" : " vector cores");
    llvm::json::Value tiles = 1;
    if (func::FuncOp counter = launch::getCounter(kernel)) {
      if (counter.getArgumentTypes() != kernel.getArgumentTypes())
        return counter.emitError()
               << "must take the arguments of '" << kernel.getName() << "', whose tiles it counts";
      FailureOr<llvm::json::Value> formula = makeFormula(counter, parameters);
      if (failed(formula))
        return failure();
      tiles = std::move(*formula);
    } else if (kernel->hasAttr(launch::limitName)) {
      tiles = limit;
    }
    return Object{{"tiles", std::move(tiles)},
                  {"limit", limit},
                  {"all_at_once", doCoresSignal},
                  {"groups", hasGroups}};
  }

  FailureOr<Array> describeLaunches() {
    Array launches;
    for (func::FuncOp phase : phases) {
      FailureOr<Object> memory = describeMemory(phase);
      if (failed(memory) || failed(launch::verifyKernelName(phase)))
        return failure();
      bool signals = launch::doCoresSignal(phase);
      CoreKind core = ascend::getCoreKind(phase);
      bool isMixed = ascend::getKernelKind(phase) == ascend::KernelKind::Mixed;
      int64_t cubes = isMixed || core == CoreKind::Cube ? 1 : 0;
      int64_t vectors = isMixed ? vectorCoresPerGroup : 1 - cubes;
      launches.push_back(Object{{"symbol", phase.getName().str()},
                                {"kind", signals ? "mix" : getCoreName(core)},
                                {"ratio", Array{cubes, vectors}},
                                {"cross_core_sync", signals},
                                {"memory", std::move(*memory)}});
    }
    return launches;
  }

  /// Of each memory of its cores, the bytes that a kernel may use and does use.
  FailureOr<Object> describeMemory(func::FuncOp phase) {
    Object usable, used;
    int64_t buffers = 0;
    for (func::FuncOp function : ascend::getFunctions(phase))
      if (failed(addMemory(function, usable, used, buffers)))
        return failure();
    const LocalMemoryFacts &ub = getFacts(LocalMemory::UB);
    bool takesLibraryUB =
        used.getInteger(ub.name).value_or(0) > ub.usableBytes - architecture::libraryBytesOfUB;
    return Object{{"bytes", std::move(usable)},
                  {"bytes_used", std::move(used)},
                  {"takes_library_ub", takesLibraryUB},
                  {"buffers", buffers}};
  }

  LogicalResult addMemory(func::FuncOp function, Object &usable, Object &used, int64_t &buffers) {
    CoreKind core = ascend::getCoreKind(function);
    for (const LocalMemoryFacts &memory : getLocalMemories())
      if (memory.core == core) {
        usable[memory.name] = chip.getUsableBytes(memory.memory);
        used[memory.name] = 0;
      }
    WalkResult result = function.walk([&](ascend::AllocOp alloc) -> WalkResult {
      const LocalMemoryFacts &memory = getFacts(alloc.getMemory());
      if (!alloc.getAddress())
        return alloc.emitOpError("has no address: ascend-plan-memory must run first");
      if (memory.core != core)
        return alloc.emitOpError() << "lies in " << memory.name << ", which " << getCoreName(core)
                                   << " cores do not have";
      used[memory.name] = std::max<int64_t>(*used.getInteger(memory.name),
                                            *alloc.getAddress() + alloc.getByteSize());
      ++buffers;
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  Object describeTarget(int64_t limit) {
    Array accepted;
    // Groups have two vector cores each.
    int64_t cores = hasGroups ? limit * vectorCoresPerGroup : doCoresSignal ? limit : 1;
    for (StringRef name : getCompatibleChipNames(chip, cores))
      accepted.push_back(name.str());
    return Object{{"arch", "dav-2201"},
                  {"soc", chip.name},
                  {"accepts", std::move(accepted)},
                  {"cube_cores", chip.cubeCores},
                  {"vector_cores", chip.vectorCores}};
  }

  Object describeSizes() {
    Object sizes;
    if (auto chosen = kernel->getAttrOfType<DictionaryAttr>(launch::sizesName))
      for (NamedAttribute size : chosen)
        sizes[size.getName().str()] = cast<IntegerAttr>(size.getValue()).getInt();
    return sizes;
  }

  ModuleOp module;
  func::FuncOp kernel;
  const Chip &chip;
  SmallVector<func::FuncOp> phases;
  Parameters parameters;
  bool doCoresSignal = false;
  /// Its blocks are groups of cores.
  bool hasGroups = false;
};

} // namespace

StringRef sidecar::spellRoute(Route route) { return route == Route::HIVM ? "hivm" : "ascendc"; }

std::optional<Route> sidecar::parseRoute(StringRef name) {
  for (Route route : {Route::AscendC, Route::HIVM})
    if (name == spellRoute(route))
      return route;
  return std::nullopt;
}

FailureOr<Object> sidecar::makeSidecar(ModuleOp module) {
  FailureOr<func::FuncOp> kernel = findKernel(module);
  if (failed(kernel))
    return failure();
  FailureOr<Chip> chip = getTargetChip(module);
  if (failed(chip))
    return failure();
  if (chip->isHost)
    return kernel->emitError() << "is for a chip with pipes, but the module's target is '"
                               << chip->name << "'";
  return SidecarBuilder(module, *kernel, *chip).build();
}

LogicalResult sidecar::emitSidecar(ModuleOp module, raw_ostream &os) {
  FailureOr<Object> made = makeSidecar(module);
  if (failed(made))
    return failure();
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(*made))) << "\n";
  return success();
}
