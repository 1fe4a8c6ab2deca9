"""How many rows the tiles of paged attention have, into how many parts pages are cut, and which heads are computed together."""

import functools

import pytest
import torch

import attn.language as at
import attn.ops
from attn.ops import paged
from attn.ops._pages import Rows, heads_together, page_cuts
from kernels_dsl.paged import paged_fwd

F16, F32 = torch.float16, torch.float32


@pytest.mark.parametrize("device, tokens, group, width, dtype, tile, tiles", [
    ("meta", 1, 4, 128, F16, 4, 1),
    ("meta", 5, 16, 128, F16, 80, 1),
    ("meta", 7, 16, 128, F16, 128, 1),  # strips of its 56 rows for each vector core would be short
    ("meta", 11, 16, 128, F16, 192, 1),
    ("meta", 16, 16, 128, F16, 256, 1),
    ("meta", 16, 16, 128, F32, 128, 2),
    ("meta", 11, 16, 256, F16, 192, 1),
    ("meta", 16, 32, 128, F16, 128, 4),
    ("cpu", 7, 16, 128, F16, 112, 1),
    ("cpu", 11, 16, 128, F32, 88, 2),
    ("cpu", 13, 10, 128, F32, 65, 2),
])  # fmt: skip
def test_rows_of_tiles(device, tokens, group, width, dtype, tile, tiles):
    rows = Rows(torch.empty(1, tokens, 2 * group, width, dtype=dtype, device=device), 2)
    assert (rows.tile, rows.tiles, rows.is_short) == (tile, tiles, tile * tiles != tokens * group)


@pytest.mark.parametrize("device, page, width, dtype, cuts", [
    ("meta", 128, 128, F16, 1),
    ("meta", 512, 128, F16, 1),
    ("meta", 512, 256, F16, 2),
    ("meta", 512, 256, F32, 4),
    ("meta", 384, 256, F32, 3),
    ("meta", 496, 256, F32, 31),  # nothing but fractals divides it
    ("cpu", 512, 256, F32, 1),
])  # fmt: skip
def test_cuts_of_pages(device, page, width, dtype, cuts):
    assert page_cuts(torch.empty(2, page, 1, width, dtype=dtype, device=device)) == cuts


@pytest.mark.parametrize("heads, page, dtype, cuts", [
    (8, 128, F32, 2),  # 64 tokens of 4 KiB
    (8, 128, F16, 1),
    (16, 128, F16, 2),
    (2, 128, F32, 1),
    (1, 128, F32, 1),
    (128, 128, F32, 8),  # as few as there are fractals
    (32, 48, F32, 3),
])  # fmt: skip
def test_tokens_that_a_cpu_goes_through_with_all_heads(heads, page, dtype, cuts):
    assert page_cuts(torch.empty(2, page, heads, 128, dtype=dtype), heads) == cuts


def test_heads_that_a_cpu_computes_together():
    def count(group, tokens=1):
        cache = torch.empty(2, 16, 4, 16)
        return heads_together(Rows(torch.empty(1, tokens, 4 * group, 16), 4), cache, cache)

    assert count(group=4) == count(group=4, tokens=2) == 4
    assert count(group=16) == count(group=4, tokens=3) == 1  # many rows use what is copied


@pytest.mark.parametrize("dtype, tolerance", [(F32, 1e-5), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("heads, kv_heads, tokens", [(32, 8, 1), (5, 5, 1), (6, 2, 2), (16, 2, 1)])
def test_heads_together_and_one_by_one(monkeypatch, dtype, tolerance, heads, kv_heads, tokens):
    """The same up to the order of sums, with lengths that end anywhere in a span and in parts that are merged."""
    generator = torch.Generator().manual_seed(heads)
    q = torch.randn(4, tokens, heads, 48, generator=generator).to(dtype)
    keys, values = (torch.randn(20, 64, kv_heads, 48, generator=generator).to(dtype) for _ in range(2))
    table = torch.randperm(20, generator=generator).view(4, 5).int()
    call = functools.partial(attn.ops.paged_attention, q, keys, values, table, [0, 17, 130, 320], return_lse=True)
    for options in ({}, dict(num_splits=3), dict(softcap=2.0)):
        together = call(**options)
        with monkeypatch.context() as patch:
            patch.setattr(paged, "heads_together", lambda *_: 1)
            one_by_one = call(**options)
        torch.testing.assert_close(together, one_by_one, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("tokens, group", [(1, 1), (1, 64), (16, 16)])
@pytest.mark.parametrize("page", [16, 384, 512])
@pytest.mark.parametrize("width", [16, 256])
@pytest.mark.parametrize("dtype", [F16, F32])
def test_kernels_fit(tokens, group, page, width, dtype):
    """Also where parts are merged: whatever is accepted can be compiled."""
    rows = Rows(torch.empty(1, tokens, group, width, dtype=dtype, device="meta"), 1)
    kind, lists = {F16: at.f16, F32: at.f32}[dtype], lambda text: at.spec(text, at.i32)
    cache = at.spec(f"8 {page} 1 {width}", kind)
    artefact = paged_fwd.compile(
        soc="Ascend910B2", q=at.spec(f"1 1 {tokens * group} {width}", kind), k=cache, v=cache, table=lists("1 8"),
        lens=lists("1"), shares=lists("8 2"), tasks=lists("8 6"), merges=lists("8 2"), scale=1.0, R=rows.tile, G=group,
        T=tokens, short=rows.is_short, cuts=page_cuts(torch.empty(1, page, 1, width, dtype=dtype, device="meta")),
        phases="launches",
    )  # fmt: skip
    assert "paged_fwd_phase1" in artefact.ir("ascendc")
