"""Which calls of an operator on a CPU can be made again without what the first one of their form was made with.

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

# What tells calls apart beside tensors, by type and value.
PLAIN_NUMBERS = (type(None), bool, int, float)


def is_plain_call():
    """Whether an operator that is called now need not go through the dispatcher, by all but its arguments: not for a
    graph, a transform, a mode, a tracer or a profiler."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._dispatch_tls_local_include_set().raw_repr() & ~_USUAL_KEYS != 0
        or forward_ad._current_level >= 0
        or torch._C._len_torch_function_stack() > 0
        or torch._C._autograd._profiler_enabled()
    )
