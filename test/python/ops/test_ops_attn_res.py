"""The operator attn_res against its reference: values and all gradients, on the CPU JIT and on the modelled chip."""

import pytest
import torch

import attn.language as at
import attn.ops
import references
from attn import memory
from attn.ops import _dispatch, attention_residual
from kernels_dsl.attn_res import attn_res_bwd
from references import DTYPES, names
from stages import BOTH_STAGES, SOC, first_on_chip, on_both

EPS = 1e-6
F32, F16, BF16 = DTYPES


def draw(shape, dtype=F32, seed=0, weight_dtype=None, norm_spread=0.25, query_factor=1.0):
    """V [N, ..., D], w_query, w_norm and g [..., D], rounded to their types."""
    generator = torch.Generator().manual_seed(seed)
    random = lambda *size: torch.randn(*size, generator=generator)  # noqa: E731
    width = shape[-1]
    w_query = query_factor * (0.1 if width < 256 else 0.02) * random(width)
    w_norm = 1 + norm_spread * random(width)
    weight_dtype = weight_dtype or dtype
    return random(*shape).to(dtype), w_query.to(weight_dtype), w_norm.to(weight_dtype), random(*shape[1:]).to(dtype)


def run(V, w_query, w_norm, g, eps=EPS, **options):
    """h and the gradients of V (a tensor or a list) and of both weights."""
    blocks = [V] if isinstance(V, torch.Tensor) else V
    leaves = [tensor.detach().requires_grad_() for tensor in (*blocks, w_query, w_norm)]
    given = leaves[0] if isinstance(V, torch.Tensor) else leaves[:-2]
    h = attn.ops.attn_res(given, *leaves[-2:], eps, **options)
    *d_blocks, d_query, d_norm = torch.autograd.grad(h, leaves, g)
    return {
        "h": h.detach(),
        "dV": d_blocks[0] if isinstance(V, torch.Tensor) else torch.stack(d_blocks),
        "dw_query": d_query,
        "dw_norm": d_norm,
    }


def check(V, w_query, w_norm, g, eps=EPS, extreme=False, cancels=False, **options):
    """Runs the operator and compares everything with the reference; returns the results.

    Extreme values are allowed an error that grows with the scores. `cancels`: the gradients of the weights do, however
    many tokens there are.
    """
    stack = V if isinstance(V, torch.Tensor) else torch.stack(V)
    expected = references.attn_res(stack, w_query, w_norm, g, eps)
    results = run(V, w_query, w_norm, g, eps, **options)
    factor = 1 + expected["largest_score"] if extreme else 1.0
    references.assert_close("h", results["h"], expected["h"], references.ATTN_RES_H[stack.dtype], factor)
    references.assert_close("dV", results["dV"], expected["dV"], references.ATTN_RES_DV[stack.dtype], factor)
    few = extreme or cancels or g.numel() // g.shape[-1] < 32
    for name, weight in (("query", w_query), ("norm", w_norm)):
        # h is rounded to V's type, the result to the weight's.
        coarser = max((stack.dtype, weight.dtype), key=references.ATTN_RES_DW.get)
        references.assert_weight_gradient(
            f"dw_{name}", results[f"dw_{name}"], expected[f"dw_{name}"], expected[f"z_{name}"], coarser, few, factor
        )
    return results


def assert_same(results, others):
    for name, result in results.items():
        assert torch.equal(result, others[name]), f"{name} differs"


@pytest.fixture
def nan_filled():
    """Memory that is not written to yet holds NaN."""
    torch.set_deterministic_debug_mode("error")
    yield
    torch.set_deterministic_debug_mode("default")


# The test matrix

CORE = [(4, 2, 64, 4096), (8, 2, 64, 4096), (4, 2, 64, 8192), (3, 5, 37, 123)]


@pytest.mark.optimized
@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("shape", CORE, ids=names)
def test_core(shape, dtype):
    check(*draw(shape, dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_core_on_the_chip(chip, dtype):
    check(*draw((3, 5, 37, 123), dtype))
    assert [kernel for kernel, _ in chip.runs] == ["attn_res_fwd", "attn_res_bwd"]


@pytest.mark.parametrize("norm_spread", [0.0, 0.25])
@BOTH_STAGES
def test_list_equals_stack(stage, norm_spread):
    for shape in [(4, 2, 64, 512), (8, 2, 32, 256)][: 1 if stage == "ascend" else 2]:
        V, *rest = draw(shape, norm_spread=norm_spread)
        assert_same(check([block.clone() for block in V], *rest), check(V, *rest))


@BOTH_STAGES
def test_number_of_blocks(stage, nan_filled, subtests):
    for count in first_on_chip(stage, 33, 1, 3, 32, 64):
        with subtests.test(count=count):
            check(*draw((count, 1, 17, 256), F16))


@pytest.mark.parametrize("form", ["streaming", "resident"])
@BOTH_STAGES
def test_one_block_is_exact(stage, form):
    V, w_query, w_norm, g = draw((1, 1, 17, 256), BF16)
    results = run(V, w_query, w_norm, g, form=form)
    exact = {"h": V[0], "dV": g[None], "dw_query": torch.zeros_like(w_query), "dw_norm": torch.zeros_like(w_norm)}
    assert_same(results, exact)


WIDTHS = [17, 1, 15, 16, 123, 1024, 1025, 2048, 2049, 8192, 16384]


@pytest.mark.sweep
@pytest.mark.parametrize("stage, width", on_both(*WIDTHS), indirect=["stage"])
def test_width(stage, width):
    check(*draw((2, 3, width), BF16))


@pytest.mark.parametrize("dtype", [F32, F16], ids=names)
@pytest.mark.parametrize("width", [1, 123, 2048, 2049, 16384])
def test_width_of_other_types(width, dtype):
    check(*draw((2, 3, width), dtype))


@BOTH_STAGES
def test_tokens(stage, subtests):
    for tokens in first_on_chip(stage, 41, 1, 39, 40, 511, 2049, 65535, 65536):
        with subtests.test(tokens=tokens):
            check(*draw((2, tokens, 16)))


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@BOTH_STAGES
def test_nothing_is_written_after_the_outputs(stage, dtype, monkeypatch):
    """Rows of 123 elements are padded on the chip, never in memory: guard words after h and dV stay."""
    guarded = []

    def with_guard(shape, order, dtype, device):
        plain = empty_in_order(shape, order, dtype, device)
        filled = torch.full((plain.numel() + 64,), -7.0, dtype=dtype)
        guarded.append(filled)
        return filled.as_strided(plain.shape, plain.stride())

    empty_in_order = attention_residual.empty_in_order
    monkeypatch.setattr(attention_residual, "empty_in_order", with_guard)
    check(*draw((3, 5, 123), dtype))
    assert len(guarded) == 5  # h, lse, scores, norms; dV
    for filled in guarded:
        assert bool((filled[-64:] == -7.0).all()) and bool((filled[:-64] != -7.0).all())


LAYOUTS = {
    "transposed batch": lambda V: V.transpose(1, 2).contiguous().transpose(1, 2),
    "stride 2 in D": lambda V: torch.stack([V, -V], -1)[..., 0],
    "transposed D": lambda V: V.mT.contiguous().mT,
    "expanded over N": lambda V: V[:1].expand(V.shape),
    "expanded over batch": lambda V: V[:, :1].expand(V.shape),
    "slice with offset": lambda V: torch.cat([V, V, V], 2)[:, :, 3 : 3 + V.shape[2]],
    "wider rows": lambda V: torch.cat([V, V], -1)[..., 5 : 5 + V.shape[-1]],
}


@BOTH_STAGES
def test_layout(stage, subtests):
    V, w_query, w_norm, g = draw((3, 2, 19, 64))
    for layout, change in first_on_chip(stage, *LAYOUTS.items()):
        cancels = layout == "expanded over N"  # equal blocks weigh the same, whatever the query
        with subtests.test(layout=layout):
            check(change(V), w_query, w_norm, g, cancels=cancels)
        if stage == "ascend":
            continue
        with subtests.test(layout=layout, mixed=True):
            check(change(V), w_query, w_norm, torch.tensor(0.5).expand(g.shape), cancels=cancels)
            check(list(change(V)), w_query, w_norm, g, cancels=cancels)
            check(V, w_query, w_norm, change(g.expand(V.shape).clone())[0])
            check(V, change(w_query.expand(V.shape).clone())[0, 0, 0], w_norm, g)


@BOTH_STAGES
def test_gradient_of_a_sum(stage):
    V, w_query, w_norm, _ = draw((3, 2, 19, 64))
    V.requires_grad_()
    attn.ops.attn_res(V, w_query, w_norm).sum().backward()
    expected = references.attn_res(V.detach(), w_query, w_norm, torch.ones(2, 19, 64), EPS)
    references.assert_close("dV", V.grad, expected["dV"], references.ATTN_RES_DV[F32])


def test_blocks_of_a_list_with_unequal_strides():
    V, w_query, w_norm, g = draw((3, 2, 19, 64))
    blocks = [V[0], V[1].transpose(0, 1).contiguous().transpose(0, 1), torch.stack([V[2], V[2]], -1)[..., 0]]
    results, others = check(blocks, w_query, w_norm, g), check(list(V), w_query, w_norm, g)
    assert torch.equal(results["h"], others["h"]) and torch.equal(results["dV"], others["dV"])


@BOTH_STAGES
def test_repeated_backward(stage):
    """Three gradients on one graph, two of them views of one storage at different offsets."""
    V, w_query, w_norm, g = draw((3, 7, 64))
    storage = torch.randn(2 * g.numel(), generator=torch.Generator().manual_seed(5))
    leaves = [tensor.requires_grad_() for tensor in (V, w_query, w_norm)]
    h = attn.ops.attn_res(*leaves)
    for grad in (g, storage[: g.numel()].view_as(g), storage[g.numel() :].view_as(g)):
        dV, d_query, d_norm = torch.autograd.grad(h, leaves, grad, retain_graph=True)
        expected = references.attn_res(*(leaf.detach() for leaf in leaves), grad, EPS)
        references.assert_close("dV", dV, expected["dV"], references.ATTN_RES_DV[F32])
        references.assert_weight_gradient("dw_query", d_query, expected["dw_query"], expected["z_query"], F32, True)
        references.assert_weight_gradient("dw_norm", d_norm, expected["dw_norm"], expected["z_norm"], F32, True)


def large_query(dtype):
    return draw((3, 9, 256), dtype, query_factor=100.0)


def zero_rows(dtype):
    V, *rest = draw((3, 9, 256), dtype)
    V[:, ::3], V[1] = 0.0, 0.0
    return V, *rest


def large_rows(dtype):
    V, w_query, w_norm, g = draw((3, 9, 256), dtype)
    V[1] = 6e4 * torch.sign(V[1].float()).to(dtype)
    return V, w_query, w_norm, g / 1024


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@BOTH_STAGES
def test_extreme_values(stage, dtype, subtests):
    for make in (large_query, zero_rows, *([large_rows] if dtype == F16 else [])):
        for eps in (1e-6, 1e-5):
            with subtests.test(make=make.__name__, eps=eps):
                results = check(*make(dtype), eps, extreme=True)
                assert all(bool(result.isfinite().all()) for result in results.values())


@pytest.mark.parametrize("dtype, weight_dtype", [(BF16, F32), (F32, BF16), (F16, BF16)], ids=names)
@BOTH_STAGES
def test_mixed_types(stage, dtype, weight_dtype):
    results = check(*draw((4, 37, 320), dtype, weight_dtype=weight_dtype))
    assert results["dV"].dtype == dtype and results["dw_query"].dtype == results["dw_norm"].dtype == weight_dtype


def test_weights_of_different_types():
    V, w_query, w_norm, g = draw((4, 37, 320))
    results = check(V, w_query.to(F16), w_norm, g)
    assert results["dw_query"].dtype == F16 and results["dw_norm"].dtype == F32


def test_gradcheck():
    """The formulas hold against differences in float64, and the kernels against differences in f32."""
    V, w_query, w_norm, _ = draw((3, 2, 5), torch.float64)
    leaves = [tensor.requires_grad_() for tensor in (V, w_query, w_norm)]
    assert torch.autograd.gradcheck(references.AttnRes.apply, (*leaves, EPS))
    singles = [leaf.detach().float().requires_grad_() for leaf in leaves]
    assert torch.autograd.gradcheck(attn.ops.attn_res, (*singles, EPS), eps=1e-2, atol=1e-3, rtol=1e-3)


@BOTH_STAGES
def test_kernels_against_the_formulas(stage):
    """The function that `test_gradcheck` holds against differences, in float64."""
    V, w_query, w_norm, g = draw((3, 2, 5))
    leaves = [tensor.double().requires_grad_() for tensor in (V, w_query, w_norm)]
    h = references.AttnRes.apply(*leaves, EPS)
    results, exact = run(V, w_query, w_norm, g), [h, *torch.autograd.grad(h, leaves, g.double())]
    for (name, result), expected in zip(results.items(), exact, strict=True):
        references.assert_close(name, result, expected.detach(), (2e-5, 1e-5))


@pytest.mark.parametrize("form", attention_residual.FORMS)
@BOTH_STAGES
def test_forms(stage, form):
    shape = (5, 37, 256)
    for dtype in (F32, BF16) if stage == "jit" else (BF16,):
        check(*draw(shape, dtype), form=form)
        V, *rest = draw(shape, dtype)
        assert_same(run(list(V), *rest, form=form), run(V, *rest, form=form))


@BOTH_STAGES
def test_exact_delta(stage):
    """A second read of V spares the weights the error of the rounded h: 1.5e-3 and more becomes less than 1e-5."""
    V, w_query, w_norm, g = draw((6, 67, 512), BF16, weight_dtype=F32)
    expected = references.attn_res(V, w_query, w_norm, g, EPS)

    def error(**options):
        result = run(V, w_query, w_norm, g, **options)["dw_query"].double()
        return float((result - expected["dw_query"]).norm() / expected["dw_query"].norm())

    assert error(form="streaming", exact_delta=True) < 1e-5 < 5e-4 < error(form="streaming")
    assert error(form="resident") < 1e-5 and error(form="two-read") < 1e-5


@BOTH_STAGES
def test_round_key(stage):
    """Keys are rounded to the type of w_norm twice, as some implementations do, before they are scored."""
    V, w_query, w_norm, _ = draw((5, 23, 256), BF16)
    values = V.float()
    norms = (values.square().mean(-1, keepdim=True) + EPS).rsqrt()
    keys = (values * norms).to(BF16) * w_norm
    weights = torch.softmax((keys.double() * w_query.double()).sum(-1), 0)
    expected = (weights.unsqueeze(-1) * V.double()).sum(0)
    h = attn.ops.attn_res(V, w_query, w_norm, round_key=True)
    references.assert_close("h", h, expected, references.ATTN_RES_H[BF16])
    assert not torch.equal(h, attn.ops.attn_res(V, w_query, w_norm))


# Mistakes of others


@pytest.mark.parametrize("form", ["streaming", "resident"])
@BOTH_STAGES
def test_runs_are_bitwise_equal(stage, form):
    """Weights are f32: a narrower type would hide the order in which their gradients were summed."""
    shape, more_runs = ((7, 145, 1000), 4) if stage == "jit" else ((3, 145, 123), 1)
    inputs = draw(shape, BF16, weight_dtype=F32)
    first = run(*inputs, form=form)
    for _ in range(more_runs):
        assert_same(run(*inputs, form=form), first)


@pytest.mark.parametrize("width", [2048, 2049])
def test_keys_are_not_rounded(width):
    """Whatever the width is. To round keys to the type of the weights would be an error beyond the tolerance of V."""
    check(*draw((3, 5, width), weight_dtype=BF16))


@pytest.mark.parametrize("tokens", [65535, 65536])
def test_the_launch_does_not_grow_with_the_tokens(tokens):
    """The chip's backward launches a block per core, however many tokens there are."""
    values, row, weight = at.spec(f"2 {tokens} 16", at.f32), at.spec(f"{tokens} 16", at.f32), at.spec("16", at.f32)
    lse, scores = at.spec(str(tokens), at.f32), at.spec(f"{tokens} 2", at.f32)
    arguments = (row, values, weight, weight, row, lse, scores, scores)
    report = attn.simulate(attn_res_bwd, *arguments, soc=SOC, timing_only=True, BT=1).report
    assert report.blocks == 40 and not report.hazards


@BOTH_STAGES
def test_rows_past_two_to_the_31(stage):
    """Offsets are 64-bit: the last row of V lies more than 2**31 elements after the first."""
    V, w_query, w_norm, g = draw((2, 3, 16), BF16)
    far = torch.empty(2**31 + 4096, dtype=BF16).as_strided(V.shape, (2**31, 32, 1))
    far.copy_(V)
    far_g = torch.empty(2**31 + 4096, dtype=BF16).as_strided(g.shape, (2**30, 1))
    far_g.copy_(g)
    assert_same(check(far, w_query, w_norm, far_g), check(V, w_query, w_norm, g))


def test_no_copies_for_odd_widths():
    """D = 123: workspace is what sums the gradients of the weights, nothing else."""
    V, w_query, w_norm, g = draw((3, 5, 37, 123))
    memory.reset_peak_workspace()
    attn.ops.attn_res(V, w_query, w_norm)
    assert memory.peak_workspace() == 0
    run(V, w_query, w_norm, g)
    assert 0 < memory.peak_workspace() <= _dispatch.accumulator_bytes(123)
    assert memory.peak_workspace() % (123 * 4) == 0


def test_frozen_weights_have_no_sum(chip):
    V, w_query, w_norm, g = draw((3, 37, 64))
    V.requires_grad_()
    attn.ops.attn_res(V, w_query, w_norm).backward(g)
    assert w_query.grad is None and w_norm.grad is None
    (report,) = chip.reports("attn_res_bwd")
    assert set(report.traffic) >= {"V", "dV"} and not {"G", "dwq", "dwn"} & set(report.traffic)


def test_frozen_blocks_have_no_gradient(chip):
    V, w_query, w_norm, g = draw((3, 37, 64))
    w_query.requires_grad_()
    attn.ops.attn_res(V, w_query, w_norm).backward(g)
    assert V.grad is None and w_norm.grad is None and w_query.grad is not None
    (report,) = chip.reports("attn_res_bwd")
    assert "dV" not in report.traffic and "G" in report.traffic


@pytest.mark.parametrize("form", ["resident", "streaming"])
def test_blocks_are_read_once(chip, form):
    """At D = 4096 both passes read V once, up to two per cent."""
    V, w_query, w_norm, g = draw((8, 80, 4096), BF16)
    check(V, w_query, w_norm, g, form=form)
    ideal = V.numel() * V.element_size()
    for name in ("attn_res_fwd", "attn_res_bwd"):
        (report,) = chip.reports(name)
        assert ideal <= report.traffic["V"][0] <= 1.02 * ideal
