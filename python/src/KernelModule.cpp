// Parsing, transforming and printing kernels for Python; part of attn._core.
#include "KernelModule.h"
#include "Interruption.h"
#include "attn/Dialect/Tile/Analysis/Exactness.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Launch/Convention/Names.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/Chip.h"
#include "attn/Pipelines/Registration.h"
#include "attn/Target/HIVM/EmitHIVM.h"
#include "attn/Target/Object/BuildObject.h"
#include "attn/Target/Sidecar/Sidecar.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <pybind11/stl.h>

using namespace mlir;
namespace py = pybind11;

namespace attn::python {

/// The dialects of the project, registered once per process.
static const DialectRegistry &getRegistry() {
  static const DialectRegistry &registry = *[] {
    auto *made = new DialectRegistry;
    registerAllDialects(*made);
    registerAllPasses();
    return made;
  }();
  return registry;
}

/// Compiles kernels whose names are taken under others, at every stage and for every target.
static void nameKernels(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    std::string name = launch::getKernelName(kernel.getName());
    if (kernel->hasAttr("tile.kernel") && name != kernel.getName() && !symbols.lookup(name))
      (void)symbols.rename(kernel, name);
  }
}

std::shared_ptr<KernelModule> KernelModule::parse(const std::string &text,
                                                  const std::optional<std::string> &soc) {
  // One kernel is too small a unit for the context's threads: starting them costs more than they
  // save.
  std::shared_ptr<KernelModule> kernel(new KernelModule(
      std::make_unique<MLIRContext>(getRegistry(), MLIRContext::Threading::DISABLED)));
  // Positions are those of the source; the op itself would only repeat what the message says.
  kernel->getContext()->printOpOnDiagnostic(false);
  DiagnosticCollector collector(kernel->getContext());
  kernel->module =
      parseSourceString<ModuleOp>(text, ParserConfig(kernel->getContext()), "<tile IR>");
  if (!kernel->module || (soc && failed(setTargetChip(*kernel->module, *soc))))
    raiseDiagnostics(collector.take());
  nameKernels(*kernel->module);
  return kernel;
}

std::vector<DiagnosticRecord> KernelModule::run(const std::string &pipeline) {
  auto [succeeded, said] = runInterruptibly(
      [self = shared_from_this(), pipeline] { return self->runPipeline(pipeline); },
      [&] { isCancelled = true; });
  if (!succeeded)
    raiseDiagnostics(std::move(said));
  return std::move(said);
}

std::pair<bool, std::vector<DiagnosticRecord>>
KernelModule::runPipeline(const std::string &pipeline) {
  DiagnosticCollector collector(getContext());
  // Once it is cancelled, what is left of the pipeline is skipped.
  getContext()->registerActionHandler(
      [this](llvm::function_ref<void()> work, const tracing::Action &) {
        if (!isCancelled)
          work();
      });
  PassManager passes(getContext(), ModuleOp::getOperationName());
  // Ops are verified once, at the end of the pipeline. After each pass, as attn-opt does where
  // passes are tested, it takes up to a seventh of the time of a kernel.
  passes.enableVerifier(false);
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  bool succeeded = false;
  if (failed(parsePassPipeline(pipeline, passes, stream)))
    emitError(UnknownLoc::get(getContext())) << "pipeline '" << pipeline << "': " << complaint;
  else
    succeeded = mlir::succeeded(passes.run(*module)) && mlir::succeeded(verify(*module));
  return {succeeded, collector.take()};
}

std::string KernelModule::text(bool debugInfo, bool generic) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  // Names of the source, where locations carry them, make the text readable.
  flags.printNameLocAsPrefix();
  flags.enableDebugInfo(debugInfo);
  flags.printGenericOpForm(generic);
  getModule()->print(stream, flags);
  return text;
}

std::vector<std::string> KernelModule::getSourceFiles() const {
  return ascendc::getSourceFiles(getModule());
}

std::string KernelModule::emitAscendC(const std::string &kernelForm,
                                      const ascendc::SourceLines &sources) const {
  ascendc::AscendCOptions options;
  options.sources = sources;
  if (kernelForm == "task-type")
    options.kernelForm = ascendc::KernelForm::TaskType;
  else if (kernelForm != "attribute")
    throw py::value_error("kernel_form: 'attribute' or 'task-type' is expected, not '" +
                          kernelForm + "'");
  DiagnosticCollector collector(getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(ascendc::emitAscendC(getModule(), stream, options)))
    raiseDiagnostics(collector.take());
  return text;
}

std::string KernelModule::emitHIVM(bool locations) const {
  DiagnosticCollector collector(getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(hivm::emitHIVM(getModule(), stream, hivm::HIVMOptions{locations})))
    raiseDiagnostics(collector.take());
  return text;
}

std::string KernelModule::emitSidecar() const {
  DiagnosticCollector collector(getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(sidecar::emitSidecar(getModule(), stream)))
    raiseDiagnostics(collector.take());
  return text;
}

std::vector<DiagnosticRecord> KernelModule::buildObject(const std::string &output, bool shared,
                                                        const std::string &via,
                                                        const std::string &compiler,
                                                        const std::string &call) const {
  DiagnosticCollector collector(getContext());
  object::BuildOptions options;
  options.output = output;
  options.form = shared ? object::Form::Shared : object::Form::Object;
  options.compiler = compiler;
  Location unknown = UnknownLoc::get(getContext());
  llvm::Expected<llvm::json::Value> section = llvm::json::parse(call);
  std::optional<sidecar::Route> route = sidecar::parseRoute(via);
  if (!section)
    emitError(unknown) << "the section 'call' is not JSON: " << llvm::toString(section.takeError());
  else if (!route)
    emitError(unknown) << "unknown way '" << via << "' of objects; known: ascendc, hivm";
  if (section && route) {
    options.call = *section;
    options.route = *route;
    if (succeeded(object::buildObject(getModule(), options)))
      return collector.take();
  }
  raiseDiagnostics(collector.take());
}

std::map<std::string, int64_t> KernelModule::getSizes() const {
  std::map<std::string, int64_t> sizes;
  getModule()->walk([&](func::FuncOp function) {
    if (auto chosen = function->getAttrOfType<DictionaryAttr>(launch::sizesName))
      for (NamedAttribute size : chosen)
        sizes[size.getName().str()] = cast<IntegerAttr>(size.getValue()).getInt();
  });
  return sizes;
}

py::list KernelModule::getAlternatives() const {
  py::list rows;
  getModule()->walk([&](func::FuncOp function) {
    auto alternatives = function->getAttrOfType<ArrayAttr>("tile.alternatives");
    // Later phases carry the list of the first.
    if (!alternatives || function->hasAttr(launch::afterName))
      return;
    for (auto row : alternatives.getAsRange<DictionaryAttr>()) {
      py::dict choice, bytes, entry;
      for (auto axis : row.getAs<ArrayAttr>("choice").getAsRange<ArrayAttr>())
        choice[py::str(cast<StringAttr>(axis[0]).str())] = cast<StringAttr>(axis[1]).str();
      for (NamedAttribute memory : row.getAs<DictionaryAttr>("bytes"))
        bytes[py::str(memory.getName().str())] = cast<IntegerAttr>(memory.getValue()).getInt();
      entry["choice"] = choice;
      entry["bytes"] = bytes;
      entry["cycles"] = row.getAs<IntegerAttr>("cycles").getInt();
      entry["moved"] = row.getAs<IntegerAttr>("moved").getInt();
      entry["refused"] = row.getAs<StringAttr>("refused").str();
      entry["taken"] = row.getAs<BoolAttr>("taken").getValue();
      rows.append(entry);
    }
  });
  return rows;
}

/// The element type of an array at any stage, as text.
static std::string printElementType(Type type) {
  Type element = type;
  if (auto array = dyn_cast<tile::ArrayType>(type))
    element = array.getElementType();
  else if (auto memref = dyn_cast<MemRefType>(type))
    element = memref.getElementType();
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::vector<std::pair<std::vector<KernelModule::Dimension>, std::string>>
KernelModule::getWorkspaces() const {
  std::vector<std::pair<std::vector<Dimension>, std::string>> workspaces;
  getModule()->walk([&](func::FuncOp function) {
    // Later phases take the same workspaces.
    if (function->hasAttr(launch::gridOfName) || function->hasAttr(launch::afterName))
      return;
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      auto dims = function.getArgAttrOfType<ArrayAttr>(index, launch::dimsName);
      if (!dims || !function.getArgAttr(index, launch::workspaceName))
        continue;
      std::vector<Dimension> shape;
      for (Attribute dim : dims) {
        auto name = dyn_cast<StringAttr>(dim);
        shape.push_back(name ? Dimension(name.str()) : Dimension(cast<IntegerAttr>(dim).getInt()));
      }
      workspaces.push_back({shape, printElementType(function.getArgumentTypes()[index])});
    }
  });
  return workspaces;
}

std::vector<std::optional<std::string>> KernelModule::getInexactOutputs() const {
  std::vector<std::optional<std::string>> causes;
  getModule()->walk([&](func::FuncOp kernel) {
    if (!kernel->hasAttr("tile.kernel"))
      return;
    tile::Exactness exactness(kernel);
    for (BlockArgument argument : kernel.getArguments())
      if (kernel.getArgAttr(argument.getArgNumber(), launch::outputName)) {
        Operation *cause = exactness.getCause(argument);
        causes.push_back(cause ? std::optional(tile::describeCause(cause)) : std::nullopt);
      }
  });
  return causes;
}

void bindKernelModule(py::module_ &module) {
  using Release = py::call_guard<py::gil_scoped_release>;
  py::class_<KernelModule, std::shared_ptr<KernelModule>>(module, "Module")
      .def_static("parse", &KernelModule::parse, py::arg("text"), py::arg("soc") = py::none(),
                  Release())
      .def("run", &KernelModule::run, py::arg("pipeline"), Release())
      .def("text", &KernelModule::text, py::arg("debug_info") = false, py::arg("generic") = false,
           Release())
      .def("emit_ascendc", &KernelModule::emitAscendC, py::arg("kernel_form") = "attribute",
           py::arg("sources") = ascendc::SourceLines(), Release())
      .def("emit_hivm", &KernelModule::emitHIVM, py::arg("locations") = true, Release())
      .def("emit_sidecar", &KernelModule::emitSidecar, Release())
      .def("build_object", &KernelModule::buildObject, py::arg("output"), py::arg("shared"),
           py::arg("via"), py::arg("compiler"), py::arg("call"), Release())
      .def("__str__", [](const KernelModule &kernel) { return kernel.text(/*debugInfo=*/false); })
      .def_property_readonly("source_files", &KernelModule::getSourceFiles)
      .def_property_readonly("sizes", &KernelModule::getSizes)
      .def_property_readonly("alternatives", &KernelModule::getAlternatives)
      .def_property_readonly("workspaces", &KernelModule::getWorkspaces)
      .def_property_readonly("inexact_outputs", &KernelModule::getInexactOutputs);
}

} // namespace attn::python
