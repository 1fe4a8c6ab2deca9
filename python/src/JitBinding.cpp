// Kernels that run on the CPU, for Python: compiles a module and calls it; part of attn._core.
#include "JitBinding.h"
#include "KernelModule.h"
#include "attn/Execution/Jit/Jit.h"
#include <pybind11/stl.h>

using namespace attn::jit;
namespace py = pybind11;

namespace attn::python {

namespace {

std::vector<int64_t> toNumbers(const py::handle &sequence) {
  return sequence.cast<std::vector<int64_t>>();
}

/// An array is (address, shape, strides); a list of tensors is ([address, ...], shape, strides),
/// with the length of the list as first size.
Argument toArgument(const py::handle &value) {
  if (py::isinstance<py::float_>(value))
    return value.cast<double>();
  if (py::isinstance<py::int_>(value))
    return value.cast<int64_t>();
  auto parts = py::isinstance<py::tuple>(value) ? value.cast<py::tuple>() : py::tuple();
  if (parts.size() != 3)
    throw py::type_error("an argument is a number or (address, shape, strides)");
  std::vector<int64_t> shape = toNumbers(parts[1]), strides = toNumbers(parts[2]);
  if (py::isinstance<py::int_>(parts[0]))
    return Array{parts[0].cast<uint64_t>(), shape, strides};
  auto addresses = parts[0].cast<std::vector<uint64_t>>();
  if (shape.empty() || strides.empty() || shape[0] != static_cast<int64_t>(addresses.size()))
    throw py::value_error("the first size of a list of tensors is its length");
  shape.erase(shape.begin());
  strides.erase(strides.begin());
  return Table{std::move(addresses), shape, strides};
}

std::vector<Argument> toArguments(const py::sequence &values) {
  std::vector<Argument> arguments;
  for (py::handle value : values)
    arguments.push_back(toArgument(value));
  return arguments;
}

template <typename T> T take(llvm::Expected<T> value) {
  if (!value)
    throw py::value_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

std::unique_ptr<Kernel> compile(const KernelModule &module, const std::string &name) {
  DiagnosticCollector collector(module.getContext());
  llvm::Expected<std::unique_ptr<Kernel>> kernel = Kernel::compile(module.getModule(), name);
  if (!kernel) {
    std::vector<DiagnosticRecord> records = collector.take();
    DiagnosticRecord &record = records.emplace_back();
    record.severity = "error";
    record.message = llvm::toString(kernel.takeError());
    raiseDiagnostics(std::move(records));
  }
  return std::move(*kernel);
}

std::string printLLVMOf(const KernelModule &module) { return take(printLLVM(module.getModule())); }

void run(const Kernel &kernel, const py::sequence &values, unsigned threads) {
  std::vector<Argument> arguments = toArguments(values);
  std::string problem;
  {
    py::gil_scoped_release release;
    if (llvm::Error error = kernel.run(arguments, threads))
      problem = llvm::toString(std::move(error));
  }
  if (!problem.empty())
    throw py::value_error(problem);
}

} // namespace

void bindJit(py::module_ &module) {
  using release = py::call_guard<py::gil_scoped_release>;
  py::class_<Kernel>(module, "JitKernel")
      .def("run", &run, py::arg("arguments"), py::arg("threads"))
      .def(
          "count_blocks",
          [](const Kernel &kernel, const py::sequence &values, unsigned threads) {
            return take(kernel.countBlocks(toArguments(values), threads));
          },
          py::arg("arguments"), py::arg("threads"));
  module.attr("BLOCKS_WITH_PHASES") = blocksWithPhases;
  module.def("jit_compile", &compile, py::arg("module"), py::arg("name") = "", release());
  module.def("prefer_huge_pages", &preferHugePages, py::arg("address"), py::arg("bytes"));
  module.def("print_llvm", &printLLVMOf, py::arg("module"), release());
}

} // namespace attn::python
