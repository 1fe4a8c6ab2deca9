"""Results over parts of the keys as one: `merge_attention`."""

import re

import pytest
import torch

import attn
import attn.ops
from list_kernels import randn


def test_layouts():
    """With as many positions as heads, shapes do not say how o lies."""
    q, k, v = (randn(2, 4, count, 16) for count in (4, 9, 9))
    parts = [(k[:, :, :5], v[:, :, :5]), (k[:, :, 5:], v[:, :, 5:])]
    expected = attn.ops.merge_attention(*(attn.ops.flash_attention(q, *part, return_lse=True) for part in parts))
    turned = [[tensor.transpose(1, 2) for tensor in (q, *part)] for part in parts]
    results = (attn.ops.flash_attention(*arrays, layout="BSND", return_lse=True) for arrays in turned)
    o, lse = attn.ops.merge_attention(*results, layout="BSND")
    assert o.transpose(1, 2).equal(expected[0]) and lse.equal(expected[1])


def test_new_tokens():
    q, cache = randn(2, 3, 4, 16), randn(2, 16, 2, 16)
    table = torch.tensor([[0], [1]], dtype=torch.int32)
    o, lse = attn.ops.paged_attention(q, cache, cache, table, [9, 5], return_lse=True)
    merged = attn.ops.merge_attention((o, lse), (o, torch.full_like(lse, -torch.inf)), layout="BSND")
    assert merged[0].equal(o) and merged[1].equal(lse)


OUT, LSE = torch.zeros(2, 3, 4, 16), torch.zeros(2, 3, 4)


@pytest.mark.parametrize("parts, layout, error, message", [
    ([], "BNSD", ValueError, "merge_attention: at least one part (o, lse) is expected"),
    ([OUT], "BNSD", TypeError, "part 0: two tensors (o, lse) are expected"),
    ([(OUT, LSE), (OUT, None)], "BNSD", TypeError, "part 1: two tensors (o, lse) are expected"),
    ([(OUT.int(), LSE)], "BNSD", TypeError, "part 0: o (torch.int32) and lse (torch.float32) must be floating-point"),
    ([(OUT, LSE), (OUT.to("meta"), LSE)], "BNSD", ValueError,
     "part 1, o: device meta does not equal cpu of the first part"),
    ([(OUT, LSE)], "BSH", ValueError, "layout (BSH) must be one of BNSD, BSND"),
    ([(OUT, LSE.transpose(1, 2))], "BNSD", ValueError,
     "part 0: o (2, 3, 4, 16) and lse (2, 4, 3) must be [..., D] and [...], and o as that of the first part "
     "(2, 3, 4, 16)"),
    ([(OUT, LSE)], "BSND", ValueError,
     "part 0: o (2, 3, 4, 16) and lse (2, 3, 4) must be [B, S, H, D] and [B, H, S], and o as that of the first part "
     "(2, 3, 4, 16)"),
    ([(OUT[0], LSE[0])], "BSND", ValueError,
     "part 0: o (3, 4, 16) and lse (3, 4) must be [B, S, H, D] and [B, H, S], and o as that of the first part "
     "(3, 4, 16)"),
])  # fmt: skip
def test_wrong_arguments(parts, layout, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.merge_attention(*parts, layout=layout)
