// Running kernels on the modelled chip from Python; part of attn._core.
#include "SimulatorBinding.h"
#include "KernelModule.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Machine/Costs.h"
#include "attn/Simulator/AscendC/Twin.h"
#include "attn/Simulator/HIVM/HIVMText.h"
#include "attn/Simulator/IR/Simulate.h"
#include <pybind11/stl.h>

using namespace mlir;
using namespace attn::simulator;
namespace py = pybind11;

namespace attn::python {

namespace {

/// The only kernel of a module, its first phase; null, with a diagnostic, where there is none or
/// several.
func::FuncOp findKernel(ModuleOp module) {
  func::FuncOp kernel;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("ascend.kernel") || function->hasAttr(launch::afterName) ||
        function->hasAttr(ascend::halfOfName))
      continue;
    if (kernel)
      return function.emitError("the module has several kernels"), nullptr;
    kernel = function;
  }
  if (!kernel)
    module.emitError("the module has no kernel at the stage 'ascend'");
  return kernel;
}

/// The array type of an argument: of the array itself, or of a table's entries.
Type getElementType(Type type) {
  if (auto table = dyn_cast<ascend::TableType>(type))
    type = table.getElement();
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? memref.getElementType() : Type();
}

/// An array is (address, shape, strides); a list of tensors is ([address, ...], shape, strides),
/// with the length of the list as first size.
Argument toArgument(const py::handle &value, Type type) {
  if (py::isinstance<py::float_>(value))
    return Argument::scalar(value.cast<float>());
  if (py::isinstance<py::int_>(value))
    return type.isF32() ? Argument::scalar(value.cast<float>())
                        : Argument::scalar(value.cast<int64_t>());
  auto parts = py::isinstance<py::tuple>(value) ? value.cast<py::tuple>() : py::tuple();
  if (parts.size() != 3)
    throw py::type_error("an argument is a number or (address, shape, strides)");
  auto shape = parts[1].cast<std::vector<int64_t>>(),
       strides = parts[2].cast<std::vector<int64_t>>();
  auto makeArray = [&](uint64_t address, size_t skipped) {
    Array array;
    array.data = reinterpret_cast<void *>(address);
    array.shape.assign(shape.begin() + skipped, shape.end());
    array.strides.assign(strides.begin() + skipped, strides.end());
    array.elementType = getElementType(type);
    return array;
  };
  if (py::isinstance<py::int_>(parts[0]))
    return Argument::array(makeArray(parts[0].cast<uint64_t>(), 0));
  if (shape.empty() || shape.size() != strides.size())
    throw py::value_error(
        "a list of tensors has its length as first size, and as many strides as sizes");
  std::vector<Array> entries;
  for (uint64_t address : parts[0].cast<std::vector<uint64_t>>())
    entries.push_back(makeArray(address, 1));
  return Argument::table(std::move(entries));
}

/// The caller's arguments, and the workspaces that follow them.
std::vector<Argument> toArguments(func::FuncOp kernel, const py::sequence &values) {
  std::vector<Argument> arguments;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (kernel.getArgAttr(index, launch::workspaceName))
      arguments.push_back(Argument::workspace());
    else if (index < values.size())
      arguments.push_back(toArgument(values[index], type));
  }
  return arguments;
}

py::dict toPython(const Hazard &hazard) {
  auto place = [](Location location) {
    SourcePlace found = getSourcePlace(location);
    return py::make_tuple(found.file, found.line, found.column);
  };
  py::dict result;
  result["kind"] = getName(hazard.kind).str();
  result["message"] = hazard.message;
  result["place"] = place(hazard.location);
  result["block"] = hazard.block;
  result["pipe"] = hazard.pipe;
  py::list notes;
  for (const auto &[location, text] : hazard.notes)
    notes.append(py::make_tuple(place(location), text));
  result["notes"] = notes;
  return result;
}

/// What each pipe did, held for comparisons: it has a line per instruction.
struct Records {
  std::vector<PipeRecord> pipes;
};

py::dict toPython(const SimulationResult &simulated, const Chip &chip) {
  py::dict result;
  py::list hazards;
  for (const Hazard &hazard : simulated.hazards)
    hazards.append(toPython(hazard));
  result["hazards"] = hazards;
  result["blocks"] = simulated.blocks;
  result["cores"] = simulated.cores;
  result["instructions"] = simulated.instructions;
  result["time_us"] = simulated.microseconds;
  result["roofline_us"] = simulated.rooflineMicroseconds;
  result["roofline_share"] = simulated.rooflineShare;
  result["ub_bytes"] = simulated.getBytesUsed(LocalMemory::UB);
  result["gm_bytes_read"] = simulated.bytesRead;
  result["gm_bytes_written"] = simulated.bytesWritten;
  py::dict traffic, pipes, held;
  for (const ArrayTraffic &array : simulated.traffic)
    traffic[array.name.c_str()] = py::make_tuple(array.bytesRead, array.bytesWritten);
  for (const PipeUse &use : simulated.pipes)
    pipes[use.pipe.c_str()] = use.busyShare;
  result["traffic"] = traffic;
  result["pipes"] = pipes;
  for (const HeldUse &use : simulated.held)
    held[use.cores.c_str()] = use.share;
  result["held"] = held;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printReport(simulated, chip, stream);
  result["text"] = text;
  py::list errors;
  for (StringRef known : getKnownErrors())
    errors.append(known.str());
  result["known_errors"] = errors;
  return result;
}

/// Runs the kernel's chip IR, or the text of a stage that was printed from it.
FailureOr<SimulationResult> simulateStage(func::FuncOp kernel, const std::string &stage,
                                          const std::string &text, const Chip &chip,
                                          ArrayRef<Argument> arguments,
                                          const SimulationOptions &options) {
  if (stage == "ascend")
    return simulate(kernel, chip, arguments, options);
  if (stage == "hivm")
    return hivm::simulateText(kernel, text, chip, arguments, options);
  FailureOr<std::string> clang = twin::findClang("", kernel.getLoc());
  if (failed(clang))
    return failure();
  FailureOr<std::shared_ptr<twin::Library>> library =
      twin::Library::obtain(text, *clang, kernel.getContext());
  if (failed(library))
    return failure();
  return twin::simulateText(kernel, **library, chip, arguments, options);
}

py::dict simulateModule(const KernelModule &module, const py::sequence &values, bool timingOnly,
                        std::optional<int64_t> idealBytes, bool checkEffects,
                        const std::string &trace, const std::string &stage, const std::string &text,
                        bool record, std::optional<uint64_t> jitter, int64_t warmUps,
                        std::optional<int64_t> blocks) {
  DiagnosticCollector collector(module.getContext());
  func::FuncOp kernel = findKernel(module.getModule());
  FailureOr<Chip> chip = getTargetChip(module.getModule());
  if (!kernel || failed(chip))
    raiseDiagnostics(collector.take());
  SimulationOptions options;
  options.timingOnly = timingOnly;
  options.idealBytes = idealBytes;
  options.checkEffects = checkEffects;
  options.jitter = jitter;
  options.warmUps = warmUps;
  options.blocks = blocks;
  options.traceCores = trace.empty() ? 0 : chip->cubeCores + chip->vectorCores;
  options.recordInstructions = record;
  std::vector<Argument> arguments = toArguments(kernel, values);
  FailureOr<SimulationResult> result = [&] {
    py::gil_scoped_release release;
    return simulateStage(kernel, stage, text, *chip, arguments, options);
  }();
  if (failed(result))
    raiseDiagnostics(collector.take());
  if (!trace.empty()) {
    std::error_code error;
    llvm::raw_fd_ostream file(trace, error);
    if (error)
      throw py::value_error("cannot write the trace to '" + trace + "': " + error.message());
    writeTrace(*result, trace, file);
  }
  py::dict made = toPython(*result, *chip);
  made["records"] = record ? py::cast(Records{std::move(result->records)}) : py::none();
  return made;
}

void compileText(const std::string &text, const std::string &library) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DiagnosticCollector collector(&context);
  LogicalResult made = [&]() -> LogicalResult {
    py::gil_scoped_release release;
    FailureOr<std::string> clang = twin::findClang("", UnknownLoc::get(&context));
    return failed(clang) ? failure() : twin::compileText(text, library, *clang, &context);
  }();
  if (failed(made))
    raiseDiagnostics(collector.take());
}

} // namespace

void bindSimulator(py::module_ &module) {
  module.def("simulate", &simulateModule, py::arg("module"), py::arg("arguments"),
             py::arg("timing_only") = false, py::arg("ideal_bytes") = py::none(),
             py::arg("check_effects") = false, py::arg("trace") = "", py::arg("stage") = "ascend",
             py::arg("text") = "", py::arg("record") = false, py::arg("jitter") = py::none(),
             py::arg("warm_ups") = 0, py::arg("blocks") = py::none());
  module.def("compile_text", &compileText, py::arg("text"), py::arg("library"));
  py::class_<Records>(module, "Records")
      .def("difference",
           [](const Records &records, const Records &other) {
             return compareRecords(records.pipes, other.pipes);
           })
      .def("__str__",
           [](const Records &records) {
             SimulationResult held;
             held.records = records.pipes;
             std::string text;
             llvm::raw_string_ostream stream(text);
             writeRecords(held, stream);
             return text;
           })
      .def("__repr__",
           [](const Records &records) {
             return "<attn records of " + std::to_string(records.pipes.size()) + " pipes>";
           })
      .def_property_readonly("pipes", [](const Records &records) {
        py::list pipes;
        for (const PipeRecord &record : records.pipes)
          pipes.append(py::make_tuple(record.kernel, record.block, record.pipe, record.lines));
        return pipes;
      });
}

} // namespace attn::python
