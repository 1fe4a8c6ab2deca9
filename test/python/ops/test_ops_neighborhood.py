"""The operator neighborhood_attention against its reference: values and all gradients, on the JIT and on the chip."""

import math

import pytest
import torch

import attn.language as at
import attn.ops
import references
from attn.ops import _dispatch, neighborhood
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
from references import DTYPES, names
from stages import BOTH_STAGES, SOC, first_on_chip, on_both

F32, F16, BF16 = DTYPES


def draw(shape, dtype=F32, seed=0):
    """q, k, v and g [B, H, S, D], rounded to their type."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator).to(dtype) for _ in range(4)]


def run(q, k, v, g, g_lse=None, **options):
    """o, lse and all gradients."""
    leaves = [tensor.detach().requires_grad_() for tensor in (q, k, v)]
    o, lse = attn.ops.neighborhood_attention(*leaves, return_lse=True, **options)
    outputs, gradients = ([o], [g]) if g_lse is None else ([o, lse], [g, g_lse])
    dq, dk, dv = torch.autograd.grad(outputs, leaves, gradients)
    return {"o": o.detach(), "lse": lse.detach(), "dq": dq, "dk": dk, "dv": dv}


def check(q, k, v, g, g_lse=None, path=None, **options):
    """Runs the operator and compares everything with the reference; returns the results."""
    results = run(q, k, v, g, g_lse, path=path, **options)
    assert_close(results, references.neighborhood(q, k, v, g, g_lse=g_lse, **options), q, options.get("scale"))
    return results


def assert_close(results, expected, q, scale=None):
    width, dtype = q.shape[-1], q.dtype
    steep = max(1.0, abs(width**-0.5 if scale is None else scale) * math.sqrt(width))
    atol, rtol = references.NEIGHBORHOOD_GRADIENT[dtype]
    references.assert_close("o", results["o"], expected["o"], references.NEIGHBORHOOD_O[dtype])
    references.assert_close("lse", results["lse"], expected["lse"], references.NEIGHBORHOOD_LSE)
    for name in ("dq", "dk"):
        references.assert_close(name, results[name], expected[name], (atol * steep, rtol))
    references.assert_close("dv", results["dv"], expected["dv"], (atol, rtol))


def assert_same(results, others):
    for name, result in results.items():
        assert torch.equal(result, others[name]), f"{name} differs"


# The test matrix

FUNCTION = [(2, 4, 32, 32, 7), (1, 8, 24, 16, 5), (2, 6, 16, 64, 9), (1, 2, 48, 128, 3)]


@pytest.mark.optimized
@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("stage, case", on_both(*FUNCTION), indirect=["stage"], ids=names)
def test_function(stage, case, dilation, dtype):
    *shape, kernel_size = case
    check(*draw(shape, dtype), kernel_size=kernel_size, dilation=dilation)


def test_defaults():
    q, k, v, g = draw((2, 4, 32, 32))
    expected = references.neighborhood(q, k, v, g, 7, 1, 32**-0.5)
    o = attn.ops.neighborhood_attention(q, k, v)
    references.assert_close("o", o, expected["o"], references.NEIGHBORHOOD_O[F32])


@pytest.mark.parametrize("stage, kernel_size", on_both(3, 5, 7, 9), indirect=["stage"])
def test_window(stage, kernel_size, subtests):
    for dilation in (1, 2, 3):
        with subtests.test(dilation=dilation):
            check(*draw((1, 2, 24, 16)), kernel_size=kernel_size, dilation=dilation)


@pytest.mark.parametrize("stage, shape", on_both((2, 4, 32, 32), (1, 8, 16, 64)), indirect=["stage"], ids=names)
def test_scale(stage, shape, subtests):
    for scale in (0.5, 0, -1):
        with subtests.test(scale=scale):
            check(*draw(shape), scale=scale)


@pytest.mark.optimized
@pytest.mark.sweep
@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize("path", [None, *neighborhood.PATHS])
@BOTH_STAGES
def test_long_gradients(stage, path, dilation, subtests):
    for length in first_on_chip(stage, 511, 512, 2048, 2049, 4096):
        with subtests.test(length=length):
            check(*draw((1, 2, length, 64)), path=path, dilation=dilation)


@pytest.mark.parametrize("kernel_size", [7, 1, 31])
@BOTH_STAGES
def test_odd_lengths(stage, kernel_size, subtests):
    for length in first_on_chip(stage, 97, 1, 5, 1009):
        with subtests.test(length=length):
            check(*draw((1, 2, length, 16)), kernel_size=kernel_size)


WIDE = [(70, 41, 2, dtype) for dtype in DTYPES] + [(1, 41, 1, F32), (50, 7, 1, F32)]


@pytest.mark.parametrize("length, kernel_size, dilation, dtype", WIDE, ids=names)
def test_backward_of_wide_windows(length, kernel_size, dilation, dtype, chip, monkeypatch):
    """By two kernels: what queries sum over their keys, then what keys sum over their queries."""
    monkeypatch.setattr(_dispatch, "_is_walked", lambda *_: False)
    g_lse = torch.randn(1, 2, length, generator=torch.Generator().manual_seed(1))
    check(*draw((1, 2, length, 64), dtype), g_lse, kernel_size=kernel_size, dilation=dilation)


def test_where_wide_windows_begin():
    """On a CPU, and for the gradient of q alone, one kernel takes every window."""
    rows = torch.empty(1, 1, 8, 64, device="meta")
    assert _dispatch._is_walked(rows, 97, wants_keys=True)
    assert not _dispatch._is_walked(rows, 129, wants_keys=True)
    assert _dispatch._is_walked(rows, 129, wants_keys=False)
    assert _dispatch._is_walked(torch.empty(1, 1, 8, 64), 129, wants_keys=True)


FAR = [(5, 5), (5, 4), (5, 6), (1, 1), (1, 2), (2, 1), (97, 96), (97, 97), (97, 1000)]


@BOTH_STAGES
def test_wide_dilation(stage, subtests):
    """Where no neighbour exists, o is v exactly."""
    for length, dilation in first_on_chip(stage, *FAR):
        with subtests.test(length=length, dilation=dilation):
            q, k, v, g = draw((1, 2, length, 16))
            results = check(q, k, v, g, dilation=dilation)
            if dilation >= length:
                assert torch.equal(results["o"], v)


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_a_window_of_one_is_v(dtype):
    q, k, v, g = draw((1, 2, 33, 16), dtype)
    results = check(q, k, v, g, kernel_size=1, dilation=2)
    assert torch.equal(results["o"], v)


@pytest.mark.parametrize("stage, width", on_both(80, 1, 16, 123, 128, 256), indirect=["stage"])
def test_width(stage, width):
    check(*draw((1, 2, 37, width)))


@pytest.mark.parametrize("dtype, dilation", [(F32, 1), (F16, 1), (BF16, 2)], ids=names)
@BOTH_STAGES
def test_nothing_is_written_after_the_outputs(stage, dtype, dilation, monkeypatch):
    """Rows of 123 elements are padded on the chip, never in memory: guard words after every output stay."""
    guarded = []

    def with_guard(shape, order, dtype, device):
        plain = empty_in_order(shape, order, dtype, device)
        memory = torch.full((plain.numel() + 64,), -7.0, dtype=dtype)
        guarded.append(memory)
        return memory.as_strided(plain.shape, plain.stride())

    empty_in_order = neighborhood.empty_in_order
    monkeypatch.setattr(neighborhood, "empty_in_order", with_guard)
    check(*draw((1, 2, 21, 123), dtype), dilation=dilation)
    assert len(guarded) == 5  # o, lse; dq, dk, dv
    for memory in guarded:
        assert bool((memory[-64:] == -7.0).all()) and bool((memory[:-64] != -7.0).all())


def scattered(tensor):
    """The same values at other places: heads beside each other, as projections write them."""
    return tensor.transpose(1, 2).contiguous().transpose(1, 2)


LAYOUTS = {
    "heads inside": scattered,
    "slice with offset": lambda t: torch.cat([t, t], 2)[:, :, 3 : 3 + t.shape[2]],
    "wider rows": lambda t: torch.cat([t, t], 3)[..., 5 : 5 + t.shape[3]],
    "expanded over heads": lambda t: t[:, :1].expand(t.shape),
    "expanded over positions": lambda t: t[:, :, :1].expand(t.shape),
    "expanded over batch": lambda t: t[:1].expand(t.shape),
    "stride 2 in D": lambda t: torch.stack([t, -t], -1)[..., 0],
    "positions inside": lambda t: t.mT.contiguous().mT,
}


@pytest.mark.parametrize("dilation", [1, 2])
@BOTH_STAGES
def test_layout(stage, dilation, subtests):
    arrays = q, k, v, g = draw((2, 3, 29, 16))
    for layout, change in first_on_chip(stage, *LAYOUTS.items()):
        with subtests.test(layout=layout):
            check(*map(change, arrays), dilation=dilation)
        if stage == "ascend":
            continue
        with subtests.test(layout=layout, mixed=True):
            check(change(q), k, change(v), g, dilation=dilation)
            check(q, change(k), v, change(g), dilation=dilation)
            check(change(q), k, v, torch.tensor(0.5).expand(g.shape), dilation=dilation)


def test_o_takes_the_order_of_q():
    q, k, v, _ = draw((2, 3, 29, 16))
    o = attn.ops.neighborhood_attention(scattered(q), k, v)
    assert o.stride() == scattered(q).stride()
    assert torch.equal(o, attn.ops.neighborhood_attention(q, k, v))


@BOTH_STAGES
def test_repeated_backward(stage):
    """Three gradients on one graph, two of them views of one storage at different offsets."""
    q, k, v, g = draw((1, 2, 37, 16))
    storage = torch.randn(2 * g.numel(), generator=torch.Generator().manual_seed(5))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    o, lse = attn.ops.neighborhood_attention(*leaves, return_lse=True)
    for grad in (g, storage[: g.numel()].view_as(g), storage[g.numel() :].view_as(g)):
        gradients = torch.autograd.grad(o, leaves, grad, retain_graph=True)
        results = dict(zip(("o", "lse", "dq", "dk", "dv"), (o.detach(), lse.detach(), *gradients)))
        assert_close(results, references.neighborhood(*(leaf.detach() for leaf in leaves), grad), q)


@pytest.mark.parametrize("path", neighborhood.PATHS)
@BOTH_STAGES
def test_runs_are_bitwise_equal(stage, path):
    shape, more_runs = ((2, 3, 301, 64), 4) if stage == "jit" else ((1, 2, 101, 16), 1)
    inputs = draw(shape)
    first = run(*inputs, path=path, dilation=3)
    for _ in range(more_runs):
        assert_same(run(*inputs, path=path, dilation=3), first)


def test_gradcheck():
    """The formulas hold against differences in float64, and the kernels against differences in f32."""
    arrays = [tensor.double().requires_grad_() for tensor in draw((1, 2, 9, 4))[:3]]
    options = (5, 2, 0.5)
    assert torch.autograd.gradcheck(references.Neighborhood.apply, (*arrays, *options))
    singles = [tensor.detach().float().requires_grad_() for tensor in arrays]
    ours = lambda *given: attn.ops.neighborhood_attention(*given, *options, return_lse=True)  # noqa: E731
    assert torch.autograd.gradcheck(ours, singles, eps=1e-2, atol=1e-3, rtol=1e-3)


@BOTH_STAGES
def test_kernels_against_the_formulas(stage):
    """The function that `test_gradcheck` holds against differences, in float64."""
    q, k, v, g = draw((1, 2, 9, 4))
    g_lse = torch.randn(1, 2, 9, generator=torch.Generator().manual_seed(9))
    leaves = [tensor.double().requires_grad_() for tensor in (q, k, v)]
    outputs = references.Neighborhood.apply(*leaves, 5, 2, 0.5)
    exact = [*outputs, *torch.autograd.grad(outputs, leaves, [g.double(), g_lse.double()])]
    results = run(q, k, v, g, g_lse, kernel_size=5, dilation=2, scale=0.5)
    for (name, result), expected in zip(results.items(), exact, strict=True):
        references.assert_close(name, result, expected.detach(), (2e-5, 1e-5))


# Mistakes of others


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@BOTH_STAGES
def test_log_sum_exps_are_differentiable(stage, dtype):
    q, k, v, g = draw((2, 3, 37, 16), dtype)
    g_lse = torch.randn(2, 3, 37, generator=torch.Generator().manual_seed(9))
    check(q, k, v, g, g_lse, dilation=2)
    if stage == "jit":
        check(q, k, v, g, torch.tensor(0.5).expand(g_lse.shape), dilation=2)


def test_only_log_sum_exps():
    q, k, v, g = draw((2, 3, 37, 16))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    attn.ops.neighborhood_attention(*leaves, return_lse=True)[1].sum().backward()
    plain = [tensor.detach() for tensor in leaves]
    expected = references.neighborhood(*plain, torch.zeros_like(g), g_lse=torch.ones(2, 3, 37))
    for leaf, name in zip(leaves, ("dq", "dk", "dv")):
        references.assert_close(name, leaf.grad, expected[name], references.NEIGHBORHOOD_GRADIENT[F32])
    assert not v.grad.any()


@BOTH_STAGES
def test_products_do_not_overflow_in_f16(stage):
    """300 * 300 is beyond f16, but scores are f32."""
    q, k, v, g = draw((1, 2, 37, 16), F16)
    q[..., 0] = k[..., 0] = 300.0
    results = run(q, k, v, g, scale=1e-4)
    assert all(bool(result.isfinite().all()) for result in results.values())
    expected = references.neighborhood(q, k, v, g, scale=1e-4)
    references.assert_close("o", results["o"], expected["o"], references.NEIGHBORHOOD_O[F16])
    for name in ("dq", "dk", "dv"):
        references.assert_close(name, results[name], expected[name], references.NEIGHBORHOOD_GRADIENT[F16])


@pytest.mark.parametrize("shape", [(1, 65535, 8, 16), (65536, 1, 8, 16), (8, 8, 2048, 16)], ids=names)
def test_many_tiles(shape):
    """More heads, or more tiles, than a launch may have blocks. The heads repeat, and so must the results."""
    few = draw((1, 32, *shape[2:]))
    heads = [tensor.repeat(1, math.ceil(shape[0] * shape[1] / 32), 1, 1) for tensor in few]
    many = [tensor[:, : shape[0] * shape[1]].view(shape) for tensor in heads]
    expected, results = check(*few, kernel_size=3), run(*many, kernel_size=3)
    for name, result in results.items():
        flat = result.flatten(0, 1)
        for start in range(0, len(flat), 32):
            assert torch.equal(flat[start : start + 32], expected[name][0][: len(flat) - start]), name


@pytest.mark.parametrize("shape", [(1, 65536, 8, 16), (8, 8, 2048, 16)], ids=names)
def test_the_launch_does_not_grow_with_the_tiles(shape):
    """The chip's forward and backward launch a block per core, however many heads and tiles there are."""
    array, lse = at.spec(" ".join(map(str, shape)), at.f32), at.spec(" ".join(map(str, shape[:3])), at.f32)
    options = dict(W=3, dilated=False, soc=SOC, timing_only=True, BM=8)
    for report in (
        attn.simulate(neighborhood_fwd, array, array, array, 0.25, 1, **options).report,
        attn.simulate(neighborhood_bwd, array, array, array, array, lse, 0.25, 1, **options, RUN=64).report,
    ):
        assert report.blocks == 40 and not report.hazards


@BOTH_STAGES
def test_rows_past_two_to_the_31(stage):
    """Offsets are 64-bit: the last rows lie more than 2**31 elements after the first."""
    near = draw((2, 1, 5, 16), BF16)

    def move(tensor, strides):
        far = torch.empty(2**31 + 4096, dtype=BF16).as_strided(tensor.shape, strides)
        return far.copy_(tensor)

    q, k, v, g = near
    by_batch, by_row = (2**31, 2**31, 32, 1), (256, 2**29, 2**29, 1)
    far = move(q, by_batch), move(k, by_row), move(v, by_batch), move(g, by_row)
    assert_same(check(*far, kernel_size=3), check(*near, kernel_size=3))
