"""Calls of an operator on a CPU that are made again with tensors of the same form.

Such a call need not be checked again, nor go through PyTorch's dispatcher. After a step of decode, which reads more
than the caches of a processor hold, both take several times as long as they do otherwise.
"""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

# What is included in dispatching where nothing looks at operators.
_USUAL_KEYS = (
    torch._C.DispatchKeySet(torch._C.DispatchKey.BackendSelect)
    | torch._C.DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)
).raw_repr()

# What a form may have beside tensors.
_NUMBERS = (type(None), bool, int, float)


def form_of(tensors, *numbers):
    """What decides how a call on a CPU is made: all of its tensors but addresses and elements, and its numbers with
    their types, as 1 is not True. None where they are something else, and where the call must go through the
    dispatcher: for a graph, a transform, a mode, a tracer, a profiler, or derivatives."""
    if torch.compiler.is_compiling() or _is_observed():
        return None
    forms: list = []
    for tensor in tensors:
        if type(tensor) is not torch.Tensor or not tensor.is_cpu or tensor.requires_grad or tensor.is_neg():
            return None
        forms.append((tensor.dtype, tensor.shape, tensor.stride()))
    kinds = [*map(type, numbers)]
    return (*forms, *numbers, *kinds) if all(kind in _NUMBERS for kind in kinds) else None


def _is_observed():
    """Whether something other than its implementation may have to do with an operator that is called now."""
    keys = torch._C._dispatch_tls_local_include_set().raw_repr()
    return (
        keys & ~_USUAL_KEYS != 0
        or forward_ad._current_level >= 0
        or torch._C._len_torch_function_stack() > 0
        or torch._C._autograd._profiler_enabled()
    )
