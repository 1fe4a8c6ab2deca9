"""What the operators say to transforms of PyTorch that they do not support."""

import pytest
import torch

import attn
import attn.ops

X, W = torch.ones(2, 2, 5, 16), torch.ones(16)
CACHE, TABLE = torch.ones(2, 16, 5, 16), torch.zeros(2, 1, dtype=torch.int32)

CALLS = dict(
    attn_res=lambda x: attn.ops.attn_res(x, W, W),
    neighborhood_attention=lambda x: attn.ops.neighborhood_attention(x, x, x),
    flash_attention=lambda x: attn.ops.flash_attention(x, x, x),
    block_sparse_attention=lambda x: attn.ops.block_sparse_attention(x, x, x),
    paged_attention=lambda x: attn.ops.paged_attention(x, CACHE, CACHE, TABLE, [3, 2]),
)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_in_forward_mode_are_refused(name):
    """PyTorch takes the tangents of an operator without a rule for them to be 0."""
    with pytest.raises(NotImplementedError, match=f"^{name}: derivatives in forward mode are not supported$"):
        torch.func.jvp(CALLS[name], (X,), (X,))
