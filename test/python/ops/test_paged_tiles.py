"""How many rows the tiles of paged attention have, and into how many parts an NPU cuts pages."""

import pytest
import torch

import attn.language as at
from attn.ops._pages import Rows, page_cuts
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
