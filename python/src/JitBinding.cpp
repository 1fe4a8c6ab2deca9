// Compiles kernels for the CPU, for Python; part of attn._core.
#include "JitBinding.h"
#include "Interruption.h"
#include "KernelModule.h"
#include "attn/Cpu/Compiler/Jit.h"
#include <pybind11/stl.h>

using namespace attn::jit;
namespace py = pybind11;

namespace attn::python {

namespace {

template <typename T> T take(llvm::Expected<T> value) {
  if (!value)
    throw py::value_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

/// The description of a compiled kernel, as JSON, and its code; or what was said where there is
/// none.
struct Compiled {
  std::string description, code;
  std::vector<DiagnosticRecord> failure;
};

Compiled compileModule(const KernelModule &module, const std::string &name, bool optimize) {
  DiagnosticCollector collector(module.getContext());
  llvm::Expected<host::Image> image = compile(module.getModule(), name, optimize);
  if (image)
    return {describe(*image), std::move(image->bytes), {}};
  std::vector<DiagnosticRecord> records = collector.take();
  DiagnosticRecord &record = records.emplace_back();
  record.severity = "error";
  record.message = llvm::toString(image.takeError());
  return {"", "", std::move(records)};
}

std::string printLLVMOf(const KernelModule &module) { return take(printLLVM(module.getModule())); }

} // namespace

void bindJit(py::module_ &module) {
  using Release = py::call_guard<py::gil_scoped_release>;
  module.def(
      "jit_compile",
      [](const std::shared_ptr<KernelModule> &kernel, const std::string &name, bool optimize) {
        Compiled compiled;
        {
          py::gil_scoped_release release;
          compiled = runInterruptibly(
              [kernel, name, optimize] { return compileModule(*kernel, name, optimize); }, [] {});
        }
        if (!compiled.failure.empty())
          raiseDiagnostics(std::move(compiled.failure));
        return py::make_tuple(compiled.description, py::bytes(compiled.code));
      },
      py::arg("module"), py::arg("name") = "", py::arg("optimize") = true);
  module.def("print_llvm", &printLLVMOf, py::arg("module"), Release());
}

} // namespace attn::python
