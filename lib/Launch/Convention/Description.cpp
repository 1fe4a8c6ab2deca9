// Which kernels are printed, and the lines above each: what a launcher and a reader must know of
// it.
#include "attn/Launch/Convention/Description.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/Chip.h"
#include "attn/Machine/MachineDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace attn;
using namespace attn::launch;

FailureOr<SmallVector<func::FuncOp>> attn::launch::getPrintableKernels(ModuleOp module,
                                                                       StringRef text) {
  SmallVector<func::FuncOp> kernels;
  for (Operation &op : module.getBody()->getOperations()) {
    // The grid of a kernel is counted on the host.
    if (op.hasAttr(launch::gridOfName))
      continue;
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (kernel && kernel->hasAttr("tile.kernel"))
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' must be lowered first by convert-tile-to-ascend";
    if (!kernel || !kernel->hasAttr("ascend.kernel"))
      return op.emitError() << "cannot be printed as " << text
                            << ": only functions with 'ascend.kernel' can";
    if (failed(verifyHalves(kernel)))
      return failure();
    // A half is printed with its kernel.
    if (!kernel->hasAttr(ascend::halfOfName))
      kernels.push_back(kernel);
  }
  if (kernels.empty())
    return module.emitError() << "has no kernel to print as " << text;
  return kernels;
}

static std::string describeSizes(func::FuncOp kernel) {
  auto sizes = kernel->getAttrOfType<DictionaryAttr>(launch::sizesName);
  if (!sizes)
    return "";
  SmallVector<std::string> texts;
  for (NamedAttribute size : sizes)
    texts.push_back((NameTable().add(size.getName().getValue(), "size") + " = " +
                     Twine(cast<IntegerAttr>(size.getValue()).getInt()))
                        .str());
  return llvm::join(texts, ", ");
}

/// The bytes of each memory that the kernel uses, of those that its target has.
static std::vector<std::string> describeMemories(func::FuncOp kernel) {
  std::map<LocalMemory, int64_t> used;
  if (ascend::getCoreKind(kernel) == CoreKind::Vector)
    used[LocalMemory::UB] = 0;
  for (func::FuncOp function : ascend::getFunctions(kernel))
    function.walk([&](ascend::AllocOp buffer) {
      int64_t &bytes = used[buffer.getMemory()];
      bytes = std::max(bytes, buffer.getAddress().value_or(0) + buffer.getByteSize());
    });
  std::optional<Chip> chip;
  auto module = kernel->getParentOfType<ModuleOp>();
  if (module && module->hasAttr(machine::targetName))
    if (FailureOr<Chip> target = getTargetChip(module); succeeded(target))
      chip = *target;
  std::vector<std::string> lines;
  for (auto [memory, bytes] : used) {
    StringRef name = memory == LocalMemory::UB ? "unified buffer" : getFacts(memory).name;
    std::string capacity =
        chip ? llvm::formatv(" of {0} ({1})", chip->getUsableBytes(memory), chip->name).str() : "";
    lines.push_back(llvm::formatv("{0}: {1}{2} bytes", name, bytes, capacity).str());
  }
  return lines;
}

static std::string describeParameter(func::FuncOp kernel, const Signature &signature,
                                     const Parameter &parameter) {
  const ArrayArgument &array = signature.arrays[parameter.argument];
  if (parameter.kind == Parameter::Kind::Stride)
    return (parameter.getTypeName() + ", in elements").str();
  if (parameter.kind != Parameter::Kind::Pointer)
    return parameter.getTypeName().str();
  auto sizes = llvm::map_range(array.sizes, [](StringRef size) {
    return size == blockCountText ? StringRef("blocks") : size;
  });
  std::string what = "[" + llvm::join(sizes, ", ") + "] of " + array.elementType +
                     (array.isTable ? ", a table of addresses" : "");
  if (kernel.getArgAttr(parameter.argument, launch::outputName))
    what += ", output";
  if (kernel.getArgAttr(parameter.argument, launch::workspaceName))
    what += ", workspace";
  return what;
}

std::vector<std::string> attn::launch::describeKernel(func::FuncOp kernel,
                                                      const Signature &signature) {
  std::vector<std::string> lines = {kernel.getName().str()};
  auto add = [&](const Twine &line) { lines.push_back(line.str()); };
  if (std::string sizes = describeSizes(kernel); !sizes.empty())
    add("  sizes: " + sizes);
  for (const std::string &line : describeMemories(kernel))
    add("  " + line);
  if (auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName)) {
    bool isMixed = ascend::getKernelKind(kernel) == ascend::KernelKind::Mixed;
    add("  blocks: at most " + Twine(limit.getInt()) +
        (doBlocksMeet(kernel) ? "; all must run at once, since they meet"
         : isMixed            ? "; each is a group of one cube core and two vector cores"
                              : ""));
  }
  if (auto after = kernel->getAttrOfType<FlatSymbolRefAttr>(launch::afterName))
    add("  launched after " + after.getValue() +
        ", with its arguments, workspaces and number of blocks");
  add(argumentsLine);
  for (const Parameter &parameter : signature.parameters)
    add("    " + parameter.name + ": " + describeParameter(kernel, signature, parameter));
  return lines;
}
