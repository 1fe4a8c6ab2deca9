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
    original = verification._Call.run

    def run(call, name):
        made = original(call, name)
        if name == stage:
            made.outputs[output][index] = value
        return made

    monkeypatch.setattr(verification._Call, "run", run)


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32])
def test_unwritten_elements_show_without_a_reference(dtype):
    result = attn.verify(half_written, torch.zeros(7, 40, dtype=dtype))
    assert result.stage == "jit" and result.first is None
    assert [(found.stage, found.output, found.index, found.count) for found in result.unwritten] == [
        ("jit", "Y", (5, 0), 80),
        ("ascend", "Y", (5, 0), 80),
    ]
    assert repr(result).splitlines() == [
        "half_written, jit, ascend: jit is the first that is wrong",
        "  jit: Y[5, 0] is never written, nor are 79 more of 280",
        "  ascend: Y[5, 0] is never written, nor are 79 more of 280",
    ]


@attn.kernel
def never_written(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y, Z = at.empty("T D", X.dtype), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :]
    return Y, Z


def test_an_output_that_is_never_written():
    with pytest.raises(attn.VerificationError, match="\n  jit: Z is never written\n  ascend: Z is never written\n"):
        attn.verify(never_written, ramp(7, 40)).check()


@pytest.mark.parametrize("fill", verification._FILLS)
def test_elements_with_the_bits_of_unwritten_ones_are_written(fill):
    bits = torch.full((7, 40), fill[4], dtype=torch.int32)
    assert [found.output for found in attn.verify(never_written, bits.view(torch.float32)).unwritten] == ["Z", "Z"]


@attn.kernel
def squares(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", at.f16)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        Y[t, :] = x * x
    return Y


def test_infinity_is_judged_by_the_type_of_the_output():
    values = torch.tensor([[3.0, 255.9, 256.0, 1e10, 1e30]])
    result = attn.verify(squares, values, reference=lambda X: X * X).check()
    assert result.runs["ascend"].outputs.tolist()[0][2:] == [torch.inf] * 3
    result = attn.verify(squares, values, reference=lambda X: -X * X)
    assert result.first.comparison.wrong == 5


@pytest.mark.parametrize("got, expected, holds", [
    (torch.inf, 65520.0, True),  # the least that f16 rounds to infinity
    (torch.inf, 65500.0, True),  # within its bound of that
    (torch.inf, 65000.0, False),
    (-torch.inf, 65520.0, False),
    (65504.0, 1e6, False),  # saturated
    (torch.inf, torch.inf, True),
    (torch.inf, torch.nan, False),
])  # fmt: skip
def test_infinity_in_f16(got, expected, holds):
    result, reference = torch.tensor([got]).half(), torch.tensor([expected], dtype=torch.float64)
    assert testing.compare(result, reference, verification.TOLERANCE["torch.float16"]).holds is holds


@attn.kernel
def too_wide(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t, c in at.grid(at.tiles(T, BT), at.cdiv(D, 64)):
        Y[t, c * 64 : c * 64 + 64] = X[t, c * 64 : c * 64 + 64]
    return Y


def test_the_chip_runs_first(monkeypatch):
    """What leaves its arrays on the chip does not run in this process."""
    monkeypatch.setattr(type(too_wide), "launch", None)
    result = attn.verify(too_wide, ramp(7, 100))
    assert result.stage == "ascend" and {hazard.kind for hazard in result.hazards} == {"out of bounds"}
    assert "jit: not run, as the modelled chip reports memory outside of the kernel's arrays" in repr(result)
    line = too_wide.__wrapped__.__code__.co_firstlineno + 4
    assert all(hazard.place[:2] == (__file__, line) for hazard in result.hazards)


@attn.kernel
def first_columns(X: at.Tensor["T D"], k: int, BT: at.Auto(1, 64)):
    Y = at.empty("T 8", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t.shift(0 // k), 0:8]
    return Y


@pytest.mark.parametrize("columns, divisor, kinds", [(4, 1, ["limit", "out of bounds"]), (8, 0, ["scalar unit"] * 2)])
def test_what_stops_the_cpu_is_reported(columns, divisor, kinds):
    """The chip's transfers find rows that overlap before they look where they end; a division is found by both."""
    given = dict(reference=lambda X, k: torch.zeros(7, 8), stages=("ascend", "jit"))
    result = attn.verify(first_columns, ramp(7, columns), divisor, **given)
    assert result.stage == "ascend" and [run.hazards[0].kind for run in result.runs.values()] == kinds
    assert f"jit: {__file__}:" in repr(result) and not [found for found in result.findings if found.stage == "jit"]
    with pytest.raises(attn.VerificationError):
        result.check()


def test_one_stage_without_a_reference():
    result = attn.verify(half_written, ramp(5, 40), stages=("ascend",)).check()
    assert "all that was compared agrees" in repr(result)
    assert "Y is not compared: no other stage ran, so give a reference" in repr(result)


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


@pytest.mark.parametrize("change, error, message", [
    (dict(reference=3), TypeError, "reference: a function is expected, not int"),
    (dict(reference=lambda X, s: X), ValueError, "reference: 2 results are expected (Y, M), not Tensor"),
    (dict(reference=lambda X, s: (X,)), ValueError, "reference: 2 results are expected (Y, M), not 1 results"),
    (dict(reference=lambda X, s: (X, 1.0)), TypeError, "reference: a tensor is expected for 'M', not float"),
    (dict(reference=lambda X, s: (X, X.sum(1, keepdim=True))), ValueError,
     "reference: 'M' has the shape (7, 1), not (7,)"),
    (dict(reference=lambda X: X), TypeError,
     "reference: too many positional arguments; it is given what the kernel is: 2 in order"),
    (dict(stages="jit"), TypeError, "stages: several are expected, such as ('jit',), not 'jit'"),
    (dict(tolerance="x"), TypeError, "tolerance: a pair (atol, rtol) is expected, not 'x'"),
    (dict(tolerance=1e-3), TypeError, "tolerance: a pair (atol, rtol) is expected, not 0.001"),
    (dict(tolerance={"Y": (1.0, "x")}), TypeError, "tolerance: a pair (atol, rtol) is expected, not (1.0, 'x')"),
    (dict(tolerance={"Z": (1.0, 1.0)}), ValueError, "tolerance: 'Z' is not an output; known: Y, M"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.verify(scale, ramp(7, 40), 3.0, **{"reference": scale_reference, **change})


@attn.kernel
def doubled(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * 2
    return Y


def test_two_results_for_one():
    with pytest.raises(ValueError, match=r"^reference: Y is expected, as the kernel returns it, not Y\[0\], Y\[1\]$"):
        attn.verify(doubled, ramp(7, 40), reference=lambda X: (X, X))


@pytest.mark.parametrize("caller", ["verify", "simulate", "dump"])
def test_a_function_is_no_kernel(caller):
    with pytest.raises(TypeError, match=f"^attn.{caller} takes a kernel, a function under @attn.kernel, not function$"):
        getattr(attn, caller)(scale_reference)


def test_results_of_another_shape_are_not_compared():
    with pytest.raises(ValueError, match=r"^the result has shape \(7,\), its reference \(7, 1\)$"):
        testing.compare(torch.zeros(7), torch.zeros(7, 1), (0.0, 0.0))


def test_records_and_traces_have_a_text(tmp_path):
    trace = tmp_path / "trace.txt"
    report = attn.simulate(scale, ramp(7, 40), 3.0, record=True, trace=str(trace)).report
    text = str(report.records)
    assert "kernel 0, block 0, pipe v\n  set_flag" in text and "\n  copy_out f32 f32 rows(1, 7) " in text
    assert repr(report.records) == f"<attn records of {len(report.records.pipes)} pipes>"
    lines = trace.read_text().splitlines()
    code = scale.__wrapped__.__code__
    assert re.fullmatch(rf" +[\d.]+ to +[\d.]+ us  core 0 +mte2 +copy_in +{code.co_filename}:\d+:\d+", lines[0])
    begins = [float(line.split()[0]) for line in lines]
    assert begins == sorted(begins) and len(begins) > 3


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
