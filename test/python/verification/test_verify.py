"""attn.verify: it must find planted errors, and name the stage, the output, the element and the line of each."""

import re

import pytest
import torch

import attn
import attn.language as at
from attn import compiler, testing, verification
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd


@attn.kernel
def scale(X: at.Tensor["T D"], s: float, BT: at.Auto(1, 64)):
    Y, M = at.empty("T D", X.dtype), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        Y[t, :] = (x + 0.40625) * s
        M[t] = at.sum(x, 1)
    return Y, M


@attn.kernel
def half_written(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(5, BT)):
        Y[t, :] = X[t, :]
    return Y


def scale_reference(X, s):
    assert X.dtype == torch.float64
    return (X + 0.40625) * s, X.sum(1)


def ramp(rows, cols, dtype=torch.float32):
    return torch.linspace(-1, 1, rows * cols).view(rows, cols).to(dtype)


def change_chip_ir(monkeypatch, change):
    """Every kernel's chip IR goes through `change`, a function of its text."""
    original = compiler.Artefact.module

    def module(artefact, stage):
        made = original(artefact, stage)
        return compiler.parse(change(made.text(debug_info=True)), None) if stage == "ascend" else made

    monkeypatch.setattr(compiler.Artefact, "module", module)


def replace_once(old, new):
    def change(text):
        assert text.count(old) == 1, text
        return text.replace(old, new)

    return change


# What holds


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_right_kernel(dtype):
    inputs = testing.attn_res_inputs(3, 21, 64, dtype)
    tolerance = {"h": testing.ATTN_RES_H_TOLERANCE[dtype]}
    result = attn.verify(attn_res_fwd, *inputs, 1e-6, reference=testing.attn_res_reference, tolerance=tolerance)
    assert result.check() is result and result.ok and result.stage is None and result.first is None
    assert len(result.findings) == 8 and result.unchecked == {} and list(result.runs) == ["jit", "ascend"]
    assert repr(result).startswith("attn_res_fwd, jit, ascend: all agree\n")


def test_without_a_reference_exact_outputs_are_compared_and_others_named():
    result = attn.verify(scale, ramp(7, 40), 3.0).check()
    assert [(finding.stage, finding.output) for finding in result.findings] == [("ascend", "Y")]
    assert result.unchecked == {"M": "tile.reduce sum"}
    assert "M is not compared: it goes through tile.reduce sum, so give a reference" in repr(result)


def test_lists_options_and_block_sizes():
    values, *weights = testing.attn_res_inputs(3, 21, 64, torch.float32)

    def reference(V, wq, wn, eps):
        return testing.attn_res_reference(torch.stack(V), wq, wn, eps)

    given = dict(wn=weights[1], eps=1e-6, BT=4, softmax="online")
    attn.verify(attn_res_fwd, list(values), weights[0], reference=reference, **given).check()


def test_outputs_that_are_lists_or_none():
    values, *weights = testing.attn_res_inputs(3, 21, 64, torch.float32)
    saved = attn_res_fwd(values, *weights, 1e-6)
    gradient = torch.randn(21, 64, generator=torch.Generator().manual_seed(1))

    def reference(dh, V, wq, wn, h, lse, sc, rs, want_dw):
        blocks = torch.stack(V).requires_grad_()
        testing.attn_res_reference(blocks, wq, wn, 1e-6)[0].backward(dh)
        return list(blocks.grad), None, None

    result = attn.verify(
        attn_res_bwd, gradient, list(values), *weights, *saved, want_dw=False,
        reference=reference, tolerance={"dV": (2e-5, 1e-5)},
    ).check()  # fmt: skip
    assert [finding.output for finding in result.findings] == ["dV[0]", "dV[1]", "dV[2]"] * 2


# What does not


def test_a_wrong_constant_on_the_chip(monkeypatch):
    change_chip_ir(monkeypatch, replace_once("4.062500e-01", "4.062510e-01"))
    result = attn.verify(scale, ramp(7, 40), 3.0, reference=scale_reference, tolerance=(1e-6, 1e-6))
    assert not result.ok and result.stage == "ascend"
    first = result.first
    element = first.comparison.first_wrong
    assert (first.stage, first.output, first.against) == ("ascend", "Y", "float64 reference")
    assert element.index == (0, 0) and element.bound == pytest.approx(1e-6 * (1 + abs(element.expected)))
    assert element.got == pytest.approx(element.expected + 3e-7 * 10)
    with pytest.raises(attn.VerificationError, match=r"ascend: Y\[0, 0\] is -1\.78\d+, expected -1\.78125 within"):
        result.check()


def test_a_wrong_constant_shows_without_a_reference(monkeypatch):
    change_chip_ir(monkeypatch, replace_once("4.062500e-01", "0.406250029802322387695"))  # the next f32
    result = attn.verify(scale, ramp(7, 40), 3.0)
    assert result.stage == "ascend" and result.first.against == "jit"
    assert re.search(r"ascend: Y\[\d+, \d+\] is .* bit for bit \(jit\); \d+ wrong", repr(result))


def plant(monkeypatch, stage, output, index, value):
    original = verification._run

    def run(*arguments):
        made = original(*arguments)
        if arguments[-1] == stage:
            made.outputs[output][index] = value
        return made

    monkeypatch.setattr(verification, "_run", run)


def test_the_first_stage_and_element_are_named(monkeypatch):
    plant(monkeypatch, "jit", 1, 4, 7.5)
    plant(monkeypatch, "ascend", 0, (2, 3), float("nan"))
    result = attn.verify(scale, ramp(7, 40), 3.0, reference=scale_reference)
    element = result.first.comparison.first_wrong
    assert (result.stage, result.first.output, element.index, element.got) == ("jit", "M", (4,), 7.5)
    assert "scale, jit, ascend: jit is the first that is wrong\n  jit: M[4] is 7.5, expected " in repr(result)
    assert "\n  ascend: Y[2, 3] is nan, expected " in repr(result)


def test_elements_that_nobody_writes():
    result = attn.verify(half_written, ramp(7, 40), reference=lambda X: X)
    element = result.first.comparison.first_wrong
    assert result.stage == "jit" and element.index == (5, 0) and element.got != element.got
    assert not torch.are_deterministic_algorithms_enabled()


def test_hazards_have_their_line(monkeypatch):
    change_chip_ir(monkeypatch, lambda text: re.sub(r"\n\s*ascend\.(set|wait)_flag\s+v to\s+mte3[^\n]*", "", text))
    result = attn.verify(scale, ramp(7, 40), 3.0, reference=scale_reference)
    line = scale.__wrapped__.__code__.co_firstlineno + 5
    assert result.stage == "ascend" and {hazard.kind for hazard in result.hazards} >= {"race"}
    assert any(hazard.place[:2] == (__file__, line) for hazard in result.hazards)
    assert "Y[t, :] = (x + 0.40625) * s\n" in repr(result)
    with pytest.raises(attn.VerificationError, match="race"):
        result.check()


def test_the_bound_may_differ_from_element_to_element():
    def reference(X, s):
        expected = scale_reference(X, s)
        expected[1][3] += 0.5
        return expected

    bound = torch.full((7,), 1e-4, dtype=torch.float64)
    result = attn.verify(scale, ramp(7, 40), 3.0, reference=reference, tolerance={"M": (bound, 0.0)})
    assert result.first.comparison.first_wrong.index == (3,) and result.first.comparison.wrong == 1
    bound[3] = 1.0
    attn.verify(scale, ramp(7, 40), 3.0, reference=reference, tolerance={"M": (bound, 0.0)}).check()


@pytest.mark.parametrize("stages, message", [
    (("jit", "device"), "unknown stage 'device'; known: jit, ascend, ascendc, hivm"),
    ((), "no stage is given; known: jit, ascend, ascendc, hivm"),
])  # fmt: skip
def test_unknown_stages(stages, message):
    with pytest.raises(ValueError, match=message):
        attn.verify(scale, ramp(7, 40), 3.0, stages=stages)


def test_a_reference_of_another_shape():
    with pytest.raises(ValueError, match=r"the result has shape \(7,\), its reference \(7, 1\)"):
        attn.verify(scale, ramp(7, 40), 3.0, reference=lambda X, s: (X, X.sum(1, keepdim=True)))


# Which outputs are exact


@attn.kernel
def many_ways(X: at.Tensor["N T D"], w: at.Tensor["D"], BT: at.Auto(1, 64)):
    A, B, C = at.empty("T D", at.f32), at.empty("T D", at.f32), at.empty("T D", at.f16)
    E, F, G = at.empty("T", at.f32), at.empty("T D", at.f32), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        exact, summed, late = at.full((BT, D), 0.0), at.full((BT, 1), 0.0), at.full((BT, D), 1.0)
        rounds = at.full((BT, D), 0.0)
        for n in at.range(N):
            x = X[n, t, :].to(at.f32)
            rounds = at.maximum(rounds, late)
            late = late * (x + at.max(summed, 0))
            exact = exact + x * w[:]
            summed = summed + at.sum(x, 1)
        A[t, :] = at.rsqrt(at.abs(exact) + 1.0)
        B[t, :] = late
        C[t, :] = exact
        E[t] = at.max(exact, 1)
        F[t, :] = rounds
        G[t] = at.max(at.exp(exact), 1)
    return A, B, C, E, F, G


def test_sums_taint_what_depends_on_them_also_through_loops():
    artefact = many_ways.compile(X=at.spec("? ? 64", at.f32), w=at.spec("64", at.f32))
    summed = "tile.reduce sum"
    assert artefact.module("source").inexact_outputs == [None, summed, None, None, summed, "tile.exp"]


def test_exact_outputs_are_bit_equal():
    inputs = torch.randn(3, 11, 64, generator=torch.Generator().manual_seed(0)), ramp(1, 64)[0]
    result = attn.verify(many_ways, *inputs).check()
    assert [finding.output for finding in result.findings] == ["A", "C", "E"]
