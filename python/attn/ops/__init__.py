"""Operators for PyTorch: the kernels as `torch.library` operators, with autograd and fake tensors.

    h = attn.ops.attn_res(V, w_query, w_norm)
    o = attn.ops.neighborhood_attention(q, k, v, kernel_size=7, dilation=2)
    o = attn.ops.flash_attention(q, k, v)
    o = attn.ops.block_sparse_attention(q, k, v, block_index, (128, 128))
    o = attn.ops.paged_attention(q, k_cache, v_cache, block_table, context_lens)

`attn.nn` has modules on top of them.
"""

from .attention_residual import attn_res
from .block_sparse import block_sparse_attention
from .flash import flash_attention
from .merging import merge_attention
from .neighborhood import neighborhood_attention
from .paged import paged_attention

__all__ = [
    "attn_res",
    "block_sparse_attention",
    "flash_attention",
    "merge_attention",
    "neighborhood_attention",
    "paged_attention",
]
