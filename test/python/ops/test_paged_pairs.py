"""Which heads of keys of paged attention an NPU loads together."""

import pytest
import torch

from attn.ops._pages import Rows, heads_together, paired


def make(heads=(32, 8), page=128, width=128, dtype=torch.float16, tokens=1):
    q = torch.empty(2, tokens, heads[0], width, dtype=dtype, device="meta")
    return Rows(q, heads[1]), torch.empty(4, page, heads[1], width, dtype=dtype, device="meta")


@pytest.mark.parametrize(
    "options, heads",
    [
        (dict(), 2),
        (dict(width=64), 2),
        (dict(width=256), 1),  # rows of one head are whole lines
        (dict(dtype=torch.float32), 1),
        (dict(page=256), 1),  # pages of two heads do not fit L1 twice
        (dict(heads=(24, 3)), 1),
        (dict(heads=(128, 8)), 1),  # two groups of 16 rows are two row blocks
        (dict(tokens=2), 1),
    ],
)
def test_short_rows_are_loaded_in_pairs(options, heads):
    rows, cache = make(**options)
    assert heads_together(rows, cache, cache) == heads
    _, page, count, width = cache.shape
    assert paired(cache, heads).shape == (4, page, count // heads, heads * width)


def test_heads_that_are_apart_are_not():
    rows, cache = make()
    apart = torch.empty(4, 128, 16, 128, dtype=torch.float16, device="meta")[:, :, ::2]
    assert heads_together(rows, cache, apart) == 1
