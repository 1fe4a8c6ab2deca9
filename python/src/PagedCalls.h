// Calls of `attn.ops.paged_attention` on a CPU that are made again.
#ifndef ATTN_PYTHON_PAGEDCALLS_H
#define ATTN_PYTHON_PAGEDCALLS_H

#include <pybind11/pybind11.h>

/// Binds `PagedCalls` and `PagedCall`.
void bindPagedCalls(pybind11::module_ &module);

#endif // ATTN_PYTHON_PAGEDCALLS_H
