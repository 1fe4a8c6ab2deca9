// Running kernels on the modelled chip from Python; part of attn._core.
#ifndef ATTN_PYTHON_SIMULATORBINDING_H
#define ATTN_PYTHON_SIMULATORBINDING_H

#include <pybind11/pybind11.h>

namespace attn::python {
void bindSimulator(pybind11::module_ &module);
} // namespace attn::python

#endif // ATTN_PYTHON_SIMULATORBINDING_H
