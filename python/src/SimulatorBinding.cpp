// The modelled chip for Python: arguments in, a report as a dictionary out; part of attn._core.
#include "SimulatorBinding.h"
#include "KernelModule.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Execution/Simulator/Simulator.h"
#include "attn/Machine/Costs.h"
#include "attn/Machine/LaunchDialect.h"
#include <pybind11/stl.h>

using namespace mlir;
using namespace attn::simulator;
namespace py = pybind11;

namespace attn::python {

namespace {

/// One array from its address, shape and strides.
Array makeArray(uintptr_t address, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                Type elementType) {
  Array array;
  array.data = reinterpret_cast<void *>(address);
  array.shape.assign(shape.begin(), shape.end());
  array.strides.assign(strides.begin(), strides.end());
  array.elementType = elementType;
  return array;
}

/// An argument of type `type`: a number, `(address, shape, strides)`, or for a table
/// `([address, …], shape, strides)` with the number of arrays first.
Argument makeArgument(py::handle value, Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    auto [address, shape, strides] =
        value.cast<std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>>>();
    return Argument::array(makeArray(address, shape, strides, memref.getElementType()));
  }
  if (auto table = dyn_cast<ascend::TableType>(type)) {
    auto [addresses, shape, strides] =
        value
            .cast<std::tuple<std::vector<uintptr_t>, std::vector<int64_t>, std::vector<int64_t>>>();
    std::vector<Array> entries;
    for (uintptr_t address : addresses)
      entries.push_back(makeArray(address, ArrayRef<int64_t>(shape).drop_front(),
                                  ArrayRef<int64_t>(strides).drop_front(),
                                  table.getElement().getElementType()));
    return Argument::table(std::move(entries));
  }
  return isa<FloatType>(type) ? Argument::scalar(value.cast<float>())
                              : Argument::scalar(value.cast<int64_t>());
}

/// The only kernel of a module.
func::FuncOp findKernel(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("ascend.kernel"))
      return function;
  return {};
}

/// The arguments in the order of the IR; scratch is made by the simulator.
std::vector<Argument> makeArguments(func::FuncOp kernel, const py::list &values) {
  std::vector<Argument> arguments;
  size_t given = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    if (kernel.getArgAttr(argument.getArgNumber(), launch::scratchName)) {
      arguments.push_back(Argument::scratch());
      continue;
    }
    if (given == values.size())
      throw py::type_error("the kernel takes more than " + std::to_string(given) + " arguments");
    arguments.push_back(makeArgument(values[given++], argument.getType()));
  }
  if (given != values.size())
    throw py::type_error("the kernel takes " + std::to_string(given) + " arguments, not " +
                         std::to_string(values.size()));
  return arguments;
}

py::dict describe(Location location, const std::string &message) {
  SourcePlace place = getSourcePlace(location);
  py::dict result;
  result["file"] = place.file;
  result["line"] = place.line;
  result["column"] = place.column;
  result["message"] = message;
  return result;
}

py::dict describe(const Hazard &hazard) {
  py::dict result = describe(hazard.location, hazard.message);
  result["kind"] = getName(hazard.kind).str();
  result["block"] = hazard.block;
  result["pipe"] = hazard.pipe;
  py::list notes;
  for (const auto &[location, text] : hazard.notes)
    notes.append(describe(location, text));
  result["notes"] = notes;
  return result;
}

py::dict describe(const SimulationResult &result, const Chip &chip) {
  py::dict report;
  py::list hazards;
  for (const Hazard &hazard : result.hazards)
    hazards.append(describe(hazard));
  report["hazards"] = hazards;
  report["blocks"] = result.blocks;
  report["cores"] = result.cores;
  report["instructions"] = result.instructions;
  report["cycles"] = result.cycles;
  report["time_us"] = result.microseconds;
  report["roofline_us"] = result.rooflineMicroseconds;
  report["roofline_share"] = result.rooflineShare;
  report["ub_bytes_used"] = result.ubBytesUsed;
  report["ub_bytes"] = result.ubBytes;
  report["gm_bytes_read"] = result.bytesRead;
  report["gm_bytes_written"] = result.bytesWritten;
  py::dict traffic, pipes;
  for (const ArrayTraffic &array : result.traffic)
    traffic[py::str(array.name)] = py::make_tuple(array.bytesRead, array.bytesWritten);
  for (const PipeUse &pipe : result.pipes)
    pipes[py::str(pipe.pipe)] = pipe.busyShare;
  report["gm"] = traffic;
  report["pipes"] = pipes;
  py::list errors;
  for (StringRef error : getKnownErrors())
    errors.append(error.str());
  report["known_error"] = errors;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printReport(result, chip, stream);
  report["text"] = text;
  return report;
}

void saveTrace(const SimulationResult &result, const std::string &path) {
  std::error_code problem;
  llvm::raw_fd_ostream stream(path, problem);
  if (problem)
    throw py::value_error("cannot write the trace '" + path + "': " + problem.message());
  writeTrace(result, stream);
}

py::dict simulateKernel(const KernelModule &module, const py::list &values, bool timingOnly,
                        bool checkEffects, std::optional<int64_t> blocks,
                        std::optional<int64_t> idealBytes,
                        const std::optional<std::string> &trace) {
  DiagnosticCollector collector(module.getContext());
  FailureOr<Chip> chip = getTargetChip(module.getModule());
  func::FuncOp kernel = findKernel(module.getModule());
  if (!kernel)
    throw py::value_error("the module has no kernel of the ascend dialect");
  if (failed(chip))
    raiseDiagnostics(collector.take());
  std::vector<Argument> arguments = makeArguments(kernel, values);
  SimulationOptions options;
  options.timingOnly = timingOnly;
  options.checkEffects = checkEffects;
  options.blocks = blocks;
  options.idealBytes = idealBytes;
  options.traceCores = trace ? chip->vectorCores : 0;
  FailureOr<SimulationResult> result = failure();
  {
    py::gil_scoped_release release;
    result = simulate(kernel, *chip, arguments, options);
  }
  if (failed(result))
    raiseDiagnostics(collector.take());
  if (trace)
    saveTrace(*result, *trace);
  return describe(*result, *chip);
}

} // namespace

void bindSimulator(py::module_ &module) {
  module.def("simulate", &simulateKernel, py::arg("module"), py::arg("arguments"), py::kw_only(),
             py::arg("timing_only") = false, py::arg("check_effects") = false,
             py::arg("blocks") = py::none(), py::arg("ideal_bytes") = py::none(),
             py::arg("trace") = py::none(),
             "Runs the kernel of a module at the stage `ascend` on the modelled chip.");
}

} // namespace attn::python
