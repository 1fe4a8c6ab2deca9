// Kernels that run on the CPU, for Python; part of attn._core.
#ifndef ATTN_PYTHON_JITBINDING_H
#define ATTN_PYTHON_JITBINDING_H

#include <pybind11/pybind11.h>

namespace attn::python {

void bindJit(pybind11::module_ &module);

} // namespace attn::python

#endif // ATTN_PYTHON_JITBINDING_H
