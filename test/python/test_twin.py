"""The host twin: what the compiler prints, compiled by clang, does on the modelled chip what the chip IR does.

Every kernel in every form and type; mistakes planted in the text, each of which must show.
"""

import re

import attn
import attn.language as at
import pytest
import references
import torch
from attn import _core, compiler, testing
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

STAGES = ("jit", "chip", "ascendc")
EPS = 1e-6
SMALL = "Ascend910B4:ub_bytes=8192,vector_cores=3"
FEW = "Ascend910B4:vector_cores=3"


# Every kernel


FORWARD = {
    "tail": (5, 25, 123, SMALL, {}),
    "online": (4, 9, 64, FEW, {"softmax": "online"}),
    "reload": (4, 9, 64, FEW, {"softmax": "two-phase-reload"}),
    "strips": (4, 9, 300, SMALL, {}),
    "resident": (3, 9, 64, FEW, {"form": "resident", "NMAX": 4}),
    "rounded-key": (3, 9, 64, FEW, {"round_key": True}),
}


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", FORWARD)
def test_attn_res_forward(name, dtype):
    blocks, tokens, width, soc, options = FORWARD[name]
    inputs = testing.attn_res_inputs(blocks, tokens, width, dtype)
    rounds = "round_key" in options
    result = attn.verify(
        attn_res_fwd, *inputs, EPS, **options, soc=soc, stages=STAGES,
        reference=None if rounds else lambda V, wq, wn, eps, **_: testing.attn_res_reference(V, wq, wn, eps),
        tolerance={"h": testing.ATTN_RES_H_TOLERANCE[dtype]},
    ).check()  # fmt: skip
    assert result.runs["ascendc"].report.instructions == result.runs["chip"].report.instructions > 0


BACKWARD = {
    "phases-meet": (5, 25, 123, SMALL, {"phases": "barrier"}),
    "phases-are-launches": (5, 25, 123, SMALL, {"phases": "launches"}),
    "values-only": (3, 9, 64, FEW, {"want_dw": False}),
    "exact": (3, 9, 64, FEW, {"exact_delta": True}),
    "resident": (3, 9, 64, FEW, {"form": "resident", "NMAX": 4}),
}


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", BACKWARD)
def test_attn_res_backward(name, dtype):
    blocks, tokens, width, soc, options = BACKWARD[name]
    V, wq, wn = testing.attn_res_inputs(blocks, tokens, width, dtype)
    g = torch.randn(tokens, width, generator=torch.Generator().manual_seed(1)).to(dtype)
    h, lse, scores, norms = testing.attn_res_reference(V, wq, wn, EPS)
    saved = {"lse": lse.float(), "sc": scores.float().contiguous(), "rs": norms.float().contiguous()}
    reads_h = "exact_delta" not in options and "form" not in options
    expected = references.attn_res(V, wq, wn, g, EPS)

    def reference(**_):
        want_dw = options.get("want_dw", True)
        return expected["dV"], *((expected["dw_query"], expected["dw_norm"]) if want_dw else (None, None))

    weights = {f"dw{part}": (references.ATTN_RES_DW[dtype] * expected[f"dw_{word}"].norm(), 0.0)
               for part, word in (("q", "query"), ("n", "norm"))}  # fmt: skip
    attn.verify(
        attn_res_bwd, dh=g, V=V, wq=wq, wn=wn, h=h.to(dtype) if reads_h else None, **saved, **options, soc=soc,
        stages=STAGES, reference=reference, tolerance={"dV": references.ATTN_RES_DV[dtype], **weights},
    ).check()  # fmt: skip


def test_lists_of_tensors():
    values, *weights = testing.attn_res_inputs(3, 21, 64, torch.float16)

    def reference(V, wq, wn, eps):
        return testing.attn_res_reference(torch.stack(V), wq, wn, eps)

    tolerance = {"h": testing.ATTN_RES_H_TOLERANCE[torch.float16]}
    attn.verify(
        attn_res_fwd, list(values), *weights, EPS, soc=FEW, stages=STAGES, reference=reference, tolerance=tolerance
    ).check()


BANDS = {
    "plain": (60, 16, 3, 1, FEW, {}),
    "dilated": (61, 24, 5, 2, FEW, {}),
    "gathered": (60, 16, 3, 2, FEW, {"band": "gathered"}),
    "tight": (45, 80, 3, 2, "Ascend910B4:ub_bytes=48000,vector_cores=3", {}),
}


def band_inputs(positions, width, dtype):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, 2, positions, width, generator=generator).to(dtype) for _ in range(4)]


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", BANDS)
def test_neighborhood_forward(name, dtype):
    positions, width, window, dilation, soc, options = BANDS[name]
    q, k, v, _ = band_inputs(positions, width, dtype)

    def reference(q, k, v, scale, dilation, W, dilated):
        return references.neighborhood_forward(q, k, v, W, dilation, scale)

    attn.verify(
        neighborhood_fwd, q, k, v, 0.5, dilation, W=window, dilated=dilation != 1, **options, soc=soc, stages=STAGES,
        reference=reference, tolerance={"o": references.NEIGHBORHOOD_O[dtype]},
    ).check()  # fmt: skip


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", ["plain", "dilated", "tight"])
def test_neighborhood_backward(name, dtype):
    positions, width, window, dilation, soc, options = BANDS[name]
    q, k, v, g = band_inputs(positions, width, dtype)
    expected = references.neighborhood(q, k, v, g, window, dilation, 0.5)
    attn.verify(
        neighborhood_bwd, g, q, k, v, expected["lse"].float(), 0.5, dilation, W=window, dilated=dilation != 1,
        BM=16, RUN=64, **options, soc=soc, stages=STAGES,
        reference=lambda *_, **__: (expected["dq"], expected["dk"], expected["dv"]),
        tolerance=references.NEIGHBORHOOD_GRADIENT[dtype],
    ).check()  # fmt: skip


# Mistakes in the text


def change_text(monkeypatch, pattern, replacement, occurrence=0):
    """Every kernel's text has one place changed: the match of a pattern with that number."""

    def change(text):
        matches = list(re.finditer(pattern, text))
        assert matches, f"nothing to change: {pattern}"
        match = matches[occurrence]
        return text[: match.start()] + match.expand(replacement) + text[match.end() :]

    original = compiler.Artefact.ascendc.fget
    monkeypatch.setattr(compiler.Artefact, "ascendc", property(lambda artefact: change(original(artefact))))


# Mistakes that an emitter might make: what to change, to what, and what must be said.
MISTAKES = {
    "count": (r"(AscendC::Mul\(.*), (\d+)\);", r"\1, 8);", "binary mul"),
    "scalar": (r"AscendC::Muls\((.*), (\S+)f, ", r"AscendC::Muls(\1, 1.5f, ", "is"),
    "call": (r"AscendC::Max\(", "AscendC::Min(", "binary max"),
    "operands": (r"AscendC::Sub\((\w+), (\w+), (\w+),", r"AscendC::Sub(\1, \3, \2,", "binary sub"),
    "address": (r"(TPosition::VECCALC, )(\d+),", r"\g<1>160000,", "ub"),
    "mask": (r"(WholeReduceSum\(.*?, )(\d+), (\d+)", r"\g<1>8, \3", "whole_reduce"),
    "swapped-strides": (r"(BinaryRepeatParams\{1, 1, )0, 16, 16, 1\}", r"\g<1>1, 16, 16, 0}", "strides(1, 1, 0"),
    "rows": (r"(DataCopyExtParams\{)static_cast<uint16_t>\(.*?\), ", r"\g<1>1, ", "copy_in"),
    "row-bytes": (r"(DataCopyPad\(\w+, .*?DataCopyExtParams\{.*?, )(\d+), ", r"\g<1>32, ", "copy_in"),
    "gap-in-gm": (r"static_cast<uint32_t>\(\(V_stride1 - 128\) \* 2\)", "64", "copy_in"),
    "swapped-gaps": (r"0, (static_cast<uint32_t>\(\(sc_stride0 - 1\) \* 4\)), 0\}", r"\1, 0, 0}", "copy_out"),
    "rounding": (r"CAST_RINT", "CAST_TRUNC", "cast rint"),
    "missing-wait": (r"AscendC::WaitFlag<\S+>\(.*?\);", ";", "flag"),
    "missing-set": (r"AscendC::SetFlag<\S+>\(.*?\);", ";", "deadlock"),
    "event": (r"(SetFlag<AscendC::HardEvent::MTE2_V>\()(\d)\)", r"\g<1>5)", "event"),
    "missing-barrier": (r"AscendC::PipeBarrier<PIPE_V>\(\);", ";", "race"),
    "last-barrier": (r"AscendC::PipeBarrier<PIPE_ALL>\(\);\n\}", ";\n}", "outstanding"),
    "block": (r"AscendC::GetBlockIdx\(\)", "0", "block 1"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_text_shows(monkeypatch, name):
    pattern, replacement, said = MISTAKES[name]
    change_text(monkeypatch, pattern, replacement)
    inputs = testing.attn_res_inputs(3, 21, 128, torch.bfloat16)
    result = attn.verify(attn_res_fwd, *inputs, EPS, BT=8, soc=FEW, stages=("chip", "ascendc"))
    assert not result.ok and result.stage == "ascendc", repr(result)
    assert said in repr(result)


def test_a_trace_that_differs_alone_is_wrong(monkeypatch):
    """A barrier too many changes no value and is no hazard."""
    change_text(monkeypatch, r"(AscendC::PipeBarrier<PIPE_V>\(\);)", r"\1 \1")
    result = attn.verify(attn_res_fwd, *testing.attn_res_inputs(3, 21, 64, torch.float32), EPS, soc=FEW,
                         stages=("chip", "ascendc"))  # fmt: skip
    assert all(finding.ok for finding in result.findings) and not result.hazards
    assert result.stage == "ascendc" and "ascendc: its instructions are not those of chip" in repr(result)
    assert "pipe v, instruction" in result.trace_difference and "against 'barrier'" in result.trace_difference


# Errors at the Python line


@attn.kernel
def scale(X: at.Tensor["T D"], s: float, BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :].to(at.f32) * s
    return Y


LINE_OF_PRODUCT = scale._function.__code__.co_firstlineno + 4


def test_what_does_not_compile_is_an_error_at_the_python_line(monkeypatch):
    change_text(monkeypatch, r"AscendC::Muls\((\w+), (\w+), s,", r"AscendC::Muls(\1, \2, 1,")
    with pytest.raises(attn.CompileError) as error:
        attn.simulate(scale, torch.ones(4, 64, dtype=torch.bfloat16), 2.0, stage="ascendc")
    first = error.value.diagnostics[0]
    assert (first.file, first.line) == (__file__, LINE_OF_PRODUCT)
    assert first.message.startswith("the text does not compile: no matching function for call to 'Muls'")


def test_what_the_chip_refuses_is_a_hazard_at_the_python_line(monkeypatch):
    change_text(monkeypatch, r"(AscendC::Muls\()(\w+),", r"\1\2[1],")
    _, report = attn.simulate(scale, torch.ones(4, 64, dtype=torch.bfloat16), 2.0, stage="ascendc")
    hazard = report.hazards[0]
    assert hazard.kind == "misaligned" and hazard.place[:2] == (__file__, LINE_OF_PRODUCT)


def test_unknown_stages_and_missing_compilers(monkeypatch):
    with pytest.raises(ValueError, match="runs the stages ascend and ascendc, not 'tile'"):
        attn.simulate(scale, torch.ones(4, 64), 2.0, stage="tile")
    with pytest.raises(attn.CompileError, match="text runs with values only"):
        attn.simulate(scale, at.spec("4 64", at.f32), 2.0, stage="ascendc", timing_only=True)
    monkeypatch.setenv("ATTN_CLANG", "no-such-compiler")
    with pytest.raises(attn.CompileError, match="no C\\+\\+ compiler 'no-such-compiler'"):
        attn.simulate(scale, torch.ones(4, 64), 2.0, stage="ascendc")


def test_records_tell_what_each_pipe_did():
    _, report = attn.simulate(scale, torch.ones(4, 64), 2.0, record=True)
    pipes = {(kernel, block, pipe): lines for kernel, block, pipe, lines in report.records.pipes}
    assert any(line.startswith("copy_in f32 f32 rows(") for line in pipes[0, 0, "mte2"])
    assert any(line.startswith("scalar muls f32 f32 count(") for line in pipes[0, 0, "v"])
    assert attn.simulate(scale, torch.ones(4, 64), 2.0).report.records is None


def test_text_can_be_compiled_alone(tmp_path):
    text = scale.compile(X=at.spec("? 64", at.f32)).ascendc
    _core.compile_text(text, str(tmp_path / "scale.so"))
    assert (tmp_path / "scale.so").read_bytes().startswith(b"\x7fELF")
    with pytest.raises(_core.DiagnosticError):
        _core.compile_text("int x;", str(tmp_path / "none.so"))
    assert not (tmp_path / "none.so").exists()
