"""Dense attention on the modelled chip, with all of its options: cube and vector cores together, against float64."""

import math

import pytest
import torch

import attn
import attn.language as at
import references
from kernels_dsl.flash import flash_fwd
from references import DTYPES

F32, F16, BF16 = DTYPES
SMALL = dict(BM=32, BN=32)


def draw(queries, keys, heads=(1, 1), width=64, values=None, dtype=F16, q_lens=None, kv_lens=None):
    """q, k and v, with NaN after the rows that exist and after the lengths; one batch entry for each length."""
    generator = torch.Generator().manual_seed(queries + keys)
    lengths = {"q": q_lens, "k": kv_lens, "v": kv_lens}
    shapes = {"q": (heads[0], queries, width), "k": (heads[1], keys, width), "v": (heads[1], keys, values or width)}
    batch = len(q_lens or kv_lens or [0])
    arrays = []
    for name, (count, rows, cols) in shapes.items():
        whole = torch.full((batch, count, rows + 9, cols), math.nan, dtype=dtype)
        whole[:, :, :rows] = torch.randn(batch, count, rows, cols, generator=generator)
        for entry, length in enumerate(lengths[name] or ()):
            whole[entry, :, length:] = math.nan
        arrays.append(whole[:, :, :rows])
    return arrays


def simulate(q, k, v, stage="ascend", **options):
    """The outputs of a run without hazards."""
    run = attn.simulate(flash_fwd, q, k, v, q.shape[3] ** -0.5, stage=stage, **options)
    assert not run.report.hazards, run.report.text
    return run.outputs


def check(arrays, stage="ascend", sizes=SMALL, **options):
    """Runs the kernel and compares it with the reference."""
    o, lse = simulate(*arrays, stage=stage, **sizes, **options)
    expected = references.flash(*arrays, arrays[0].shape[3] ** -0.5, **options)
    # With options, rows may have any number of keys.
    references.assert_flash(o, lse, expected, keys=1 if options else arrays[1].shape[2])
    return o, lse


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 127, 128, 129, 300, 1000])
def test_lengths(length):
    for dtype in DTYPES:
        check(draw(length, length, dtype=dtype), sizes=dict(BM=64, BN=128))


@pytest.mark.parametrize("queries, keys, heads", [(1, 70, (1, 1)), (70, 1, (4, 2)), (33, 45, (8, 1))])
def test_other_numbers_of_keys_and_heads(queries, keys, heads):
    check(draw(queries, keys, heads, dtype=BF16))


@pytest.mark.parametrize("width, values", [(16, 16), (48, 80), (256, 256), (64, 256), (256, 16)])
def test_widths(width, values):
    for dtype in (F32, BF16):
        check(draw(40, 70, width=width, values=values, dtype=dtype))


@pytest.mark.parametrize("sizes", [dict(BM=24, BN=48), dict(BM=16, BN=16), dict(BM=48, BN=512, part=128)], ids=str)
def test_sizes(sizes):
    """Also rows that do not come in equal shares, and a product whose columns are cut where its k are in parts."""
    check(draw(100, 130, values=256), sizes=sizes)


@pytest.mark.parametrize("queries", [129, 257, 400])
@pytest.mark.parametrize("stage", ["ascend", "ascendc"])
def test_many_rows(queries, stage):
    """Products of more rows than L0C takes twice are cut along them; one tile has rows for the first part only."""
    check(draw(queries, 700, width=16), stage, dict(BM=256, BN=512))


@pytest.mark.parametrize("rows", [144, 176, 192, 240])
def test_many_rows_in_equal_parts(rows):
    """Parts have whole fractals, so that a product never takes rows that its operand does not have."""
    check(draw(rows + 50, 300, width=16), sizes=dict(BM=rows, BN=256))


@pytest.mark.parametrize("name", ["causal", "window"])
def test_many_rows_with_masks(name):
    options = {"causal": dict(right=0), "window": dict(left=150, right=0)}[name]
    arrays = draw(300, 700, width=16, dtype=BF16)
    plain = check(arrays, sizes=dict(BM=256, BN=256), **options)
    for seed in range(3):
        assert all(map(torch.equal, plain, simulate(*arrays, **options, BM=256, BN=256, jitter=seed))), seed


def test_chosen_sizes():
    check(draw(200, 300, width=128, dtype=BF16), sizes={})


@pytest.mark.parametrize("dtype, stage", [(at.f32, "ascendc"), (at.f16, "hivm")], ids=str)
def test_chosen_sizes_have_room(dtype, stage):
    """Wide rows fill L1 or UB: what loops load is then not kept from loop to loop."""
    x = attn.spec("? ? ? 128", dtype)
    assert "flash_fwd" in flash_fwd.prepare(q=x, k=x, v=x, scale=0.1).ir(stage)


def test_large_scores_and_zero_input():
    q, k, v = draw(20, 40, width=128)
    q[:], k[:] = 40.0, -40.0
    k[:, :, 7] = 40.0
    o, lse = check((q, k, v))
    assert torch.equal(o, v[:, :, 7:8].expand_as(o)) and lse.min() > 18_000
    o, lse = simulate(torch.zeros_like(q), torch.zeros_like(k), v * 0, **SMALL)
    references.assert_close("lse", lse, torch.full_like(lse, math.log(40)), references.FLASH_LSE)
    assert not o.any()


# Options

SINKS = torch.tensor([-1.0, 2.0])
OPTIONS = {
    "causal": dict(right=0),
    "left": dict(left=5),
    "window": dict(left=20, right=3),
    "narrow": dict(left=0, right=0),
    "softcap": dict(softcap=2.0),
    "sinks": dict(sinks=SINKS),
    "keys": dict(kv_lens=[45, 0, 1]),
    "queries": dict(q_lens=[20, 0, 37]),
    "ragged": dict(q_lens=[37, 30, 1], kv_lens=[0, 45, 33], right=0),
    "all": dict(q_lens=[20, 37], kv_lens=[33, 9], left=7, right=0, softcap=2.0, sinks=SINKS),
}


def ragged(options, dtype=F16):
    """The arrays for some options, and these as the kernel takes them."""
    lengths = {name: options[name] for name in ("q_lens", "kv_lens") if name in options}
    given = {name: torch.tensor(list_, dtype=torch.int32) for name, list_ in lengths.items()}
    return draw(37, 45, (2, 1), 32, dtype=dtype, **lengths), {**options, **given}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    for dtype in (F32, BF16):
        arrays, options = ragged(OPTIONS[name], dtype)
        check(arrays, sizes=dict(BM=16, BN=16), **options)


@pytest.mark.parametrize("queries, keys", [(80, 20), (20, 80)])
def test_causal_of_other_numbers_of_keys(queries, keys):
    """The last key belongs to the last query, so that more queries than keys leave the first ones without any."""
    o, lse = check(draw(queries, keys), right=0)
    empty = max(0, queries - keys)
    assert not o[:, :, :empty].any() and (lse[:, :, :empty] == -torch.inf).all()


@pytest.mark.parametrize("stage", ["ascendc", "hivm"])
@pytest.mark.parametrize("name", [None, "causal", "all"])
def test_texts(name, stage):
    arrays, options = ragged(OPTIONS[name] if name else {})
    check(arrays, stage, dict(BM=16, BN=16), **options)


# Schedules


@pytest.mark.parametrize("name, seeds", [(None, 20), ("causal", 5)])
def test_schedules_change_no_bit(name, seeds):
    """How far cores run apart, how many slots there are, and how long things take."""
    arrays, options = ragged(OPTIONS[name] if name else {})
    sizes = dict(BM=16, BN=16, preload=0, lag=0)
    plain = simulate(*arrays, **options, **sizes)
    for preload in range(5):
        for slots in (0, preload + 2):
            sizes.update(preload=preload, lag=min(preload, 2), slots=slots)
            assert all(map(torch.equal, plain, simulate(*arrays, **options, **sizes))), sizes
    for seed in range(seeds):
        assert all(map(torch.equal, plain, simulate(*arrays, **options, BM=16, BN=16, jitter=seed))), seed


@pytest.mark.parametrize("mask", [dict(right=0), dict(left=512, right=0)], ids=["causal", "window"])
def test_tiles_of_masks_are_not_higher_than_pays(mask):
    """Where each row has an edge of its own, higher tiles cut through more tiles of keys: those that are chosen are predicted
    faster than the highest that there are."""
    arrays = [at.spec("1 1 4096 128", at.f16)] * 3
    options = dict(soc="Ascend910B2", timing_only=True, **mask)
    chosen, highest = (attn.simulate(flash_fwd, *arrays, 0.1, **sizes, **options) for sizes in ({}, dict(BM=256)))
    assert chosen.report.time_us < highest.report.time_us
