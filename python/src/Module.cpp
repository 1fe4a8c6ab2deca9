// The entry of the native module attn._core: which parts it has.
#include "Diagnostics.h"
#include "JitBinding.h"
#include "KernelModule.h"
#include "SimulatorBinding.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiler of the package attn; not a public interface.";
  attn::python::bindDiagnostics(module);
  attn::python::bindKernelModule(module);
  attn::python::bindJit(module);
  attn::python::bindSimulator(module);
}
