"""Kernels that need cube and vector cores, on the CPU and on the modelled chip, against float64 on the rounded inputs."""

import pytest
import torch

import attn
import mixed_kernels as mixed

TOLERANCES = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def randn(*shape, dtype, scale=1.0):
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return (torch.randn(*shape, generator=generator) * scale).to(dtype)


def cases(dtype, m):
    """Arguments of every kernel for `m` rows."""
    return {
        "epilogue": (randn(m, 70, dtype=dtype), randn(70, 48, dtype=dtype)),
        "gemm_gelu": (randn(m, 70, dtype=dtype, scale=0.3), randn(48, 70, dtype=dtype)),
        "softmax_between": (randn(m, 32, dtype=dtype), randn(32, 80, dtype=dtype), randn(80, 64, dtype=dtype)),
        "block_attention": (
            randn(m, 64, dtype=dtype), randn(3, 80, 64, dtype=dtype), randn(3, 80, 64, dtype=dtype), 0.125
        ),
        "summed": (
            randn(m, 64, dtype=dtype), randn(3, 80, 64, dtype=dtype), randn(3, 80, 64, dtype=dtype, scale=0.1), 2, 0.125
        ),
        "prepared": (randn(m, 96, dtype=dtype), randn(96, 32, dtype=dtype, scale=0.1), randn(96, dtype=torch.float32)),
        "three_products": (randn(m, 32, dtype=dtype), randn(2, 32, 32, dtype=dtype, scale=0.1)),
        "recurrence": (randn(m, 32, dtype=dtype), randn(3, 32, 32, dtype=dtype, scale=0.2)),
    }  # fmt: skip


def check(name, arguments, result, dtype):
    wide = [value.double() if isinstance(value, torch.Tensor) else value for value in arguments]
    expected = getattr(mixed, f"ref_{name}")(*wide)
    tolerance = TOLERANCES[dtype]
    torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance)


def simulate(kernel, *arguments, **options):
    """The outputs of a run without hazards."""
    run = attn.simulate(kernel, *arguments, **options)
    assert not run.report.hazards, run.report.text
    return run.outputs


KERNELS = tuple(cases(torch.float16, 1))
DTYPES = (torch.float16, torch.bfloat16, torch.float32)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_values_on_the_cpu(name, dtype):
    for rows in (1, 17, 130):
        arguments = cases(dtype, rows)[name]
        check(name, arguments, getattr(mixed, name)(*arguments), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("rows", [1, 9, 17, 130])
@pytest.mark.parametrize("name", KERNELS)
def test_values_on_the_chip(name, rows, dtype):
    """One row (the second vector core of the group has none), a few more than one core's share, and several tiles."""
    arguments = cases(dtype, rows)[name]
    check(name, arguments, simulate(getattr(mixed, name), *arguments), dtype)


@pytest.mark.parametrize("blocks", [1, 2, 3, 8])
@pytest.mark.parametrize("preload", [0, 1, 4])
def test_distances_change_no_bit(blocks, preload):
    """Fewer iterations than the cores run apart, as many, and more, in one and in several tiles of rows."""
    arguments = cases(torch.float16, 70)["block_attention"]
    keys, values = (torch.cat([array] * 3)[:blocks] for array in arguments[1:3])
    arguments = (arguments[0], keys, values, 0.125)
    plain = simulate(mixed.block_attention, *arguments, BM=32, preload=0, lag=0)
    for lag in range(min(preload, 2) + 1):
        for slots in (0, preload + 3):
            options = dict(BM=32, preload=preload, lag=lag, slots=slots)
            assert torch.equal(plain, simulate(mixed.block_attention, *arguments, **options)), options


@pytest.mark.parametrize("preload", [0, 1, 4])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_sums_of_loops_that_exchange_tiles(count, preload):
    """No iterations, fewer than the cube core runs ahead, and more: sums begin at zero in all of them."""
    *arrays, _, scale = cases(torch.float16, 70)["summed"]
    arguments = (*arrays, count, scale)
    result = simulate(mixed.summed, *arguments, BM=32, preload=preload, lag=0)
    check("summed", arguments, result, torch.float16)
    check("summed", arguments, mixed.summed(*arguments, BM=32), torch.float16)


@pytest.mark.parametrize("stage", ["ascendc", "hivm"])
def test_sums_of_loops_that_exchange_tiles_in_texts(stage):
    *arrays, _, scale = cases(torch.bfloat16, 40)["summed"]
    arguments = (*arrays, 1, scale)
    check("summed", arguments, simulate(mixed.summed, *arguments, stage=stage), torch.bfloat16)


@pytest.mark.parametrize("strip_rows", [0, 8, 16])
@pytest.mark.parametrize("part", [0, 16, 32])
def test_strips_and_parts_change_no_bit_of_the_softmax(strip_rows, part):
    arguments = cases(torch.float16, 70)["softmax_between"]
    whole = simulate(mixed.softmax_between, *arguments, BM=32, strip_rows=0, part=0)
    cut = simulate(mixed.softmax_between, *arguments, BM=32, strip_rows=strip_rows, part=part)
    torch.testing.assert_close(cut, whole, rtol=1e-5, atol=1e-6)
    if part == 0:
        assert torch.equal(cut, whole)


def test_all_rows_on_one_core():
    a, b = randn(5, 24, 32, dtype=torch.float16), randn(32, 48, dtype=torch.float16, scale=0.1)
    result = simulate(mixed.column_sums, a, b)
    torch.testing.assert_close(result.double(), mixed.ref_column_sums(a.double(), b.double()), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("seed", range(1, 5))
def test_jitter_changes_no_bit(seed):
    arguments = cases(torch.float16, 70)["block_attention"]
    steady = simulate(mixed.block_attention, *arguments, BM=32)
    assert torch.equal(steady, simulate(mixed.block_attention, *arguments, BM=32, jitter=seed))
