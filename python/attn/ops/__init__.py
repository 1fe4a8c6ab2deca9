"""Operators for PyTorch: the kernels as `torch.library` operators, with autograd and fake tensors.

    h = attn.ops.attn_res(V, w_query, w_norm)
    o = attn.ops.neighborhood_attention(q, k, v, kernel_size=7, dilation=2)

`attn.nn` has modules on top of them.
"""

from .attention_residual import attn_res
from .neighborhood import neighborhood_attention

__all__ = ["attn_res", "neighborhood_attention"]
