"""The host twin: AscendC text, compiled by clang, on the modelled chip.

Mistakes planted in the text, each of which must show, and errors at the Python line. Every kernel: test_stages.py.
"""

import pytest
import torch

import attn
import attn.language as at
import changed_text
from attn import _core, testing
from catalogue import KERNELS
from catalogue_values import make_arguments
from changed_text import EPS, FEW, LINE_OF_PRODUCT, change_text, check_mistake, scale
from kernels_dsl.attn_res import attn_res_fwd

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
    "swapped-gaps": (
        r"0,(\s+(?:#line .*\s+)?)(static_cast<uint32_t>\(\(sc_stride0 - 1\) \* 4\)),",
        r"\2,\g<1>0,",
        "copy_out",
    ),
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
    check_mistake(monkeypatch, "ascendc", MISTAKES[name])


def test_a_trace_that_differs_alone_is_wrong(monkeypatch):
    """A barrier too many changes no value and is not a hazard."""
    change_text(monkeypatch, "ascendc", r"(AscendC::PipeBarrier<PIPE_V>\(\);)", r"\1 \1")
    result = attn.verify(attn_res_fwd, *testing.attn_res_inputs(3, 21, 64, torch.float32), EPS, soc=FEW,
                         stages=("ascend", "ascendc"))  # fmt: skip
    assert all(finding.ok for finding in result.findings) and not result.hazards
    assert result.stage == "ascendc" and "ascendc: its instructions are not those of ascend" in repr(result)
    assert "pipe v, instruction" in result.trace_difference and "against 'barrier'" in result.trace_difference


# Errors at the Python line


def test_what_does_not_compile_is_an_error_at_the_python_line(monkeypatch):
    change_text(monkeypatch, "ascendc", r"AscendC::Muls\((\w+), (\w+), s,", r"AscendC::Muls(\1, \2, 1,")
    with pytest.raises(attn.CompileError) as error:
        attn.simulate(scale, torch.ones(4, 64, dtype=torch.bfloat16), 2.0, stage="ascendc")
    first = error.value.diagnostics[0]
    assert (first.file, first.line) == (changed_text.__file__, LINE_OF_PRODUCT)
    assert first.message.startswith("the text does not compile: no matching function for call to 'Muls'")


def test_what_the_chip_refuses_is_a_hazard_at_the_python_line(monkeypatch):
    change_text(monkeypatch, "ascendc", r"(AscendC::Muls\()(\w+),", r"\1\2[1],")
    _, report = attn.simulate(scale, torch.ones(4, 64, dtype=torch.bfloat16), 2.0, stage="ascendc")
    hazard = report.hazards[0]
    assert hazard.kind == "misaligned" and hazard.place[:2] == (changed_text.__file__, LINE_OF_PRODUCT)


def test_a_text_is_compiled_once(monkeypatch, tmp_path):
    """A kernel that runs again, with other values and sizes, is the same text."""
    log, clang = tmp_path / "log", tmp_path / "clang"
    clang.write_text(f'#!/bin/sh\necho "$@" >>"{log}"\nexec clang++-22 "$@"\n')
    clang.chmod(0o755)
    monkeypatch.setenv("ATTN_CLANG", str(clang))
    for rows in (9, 9, 4):
        x = torch.randn(rows, 64)
        assert torch.equal(attn.simulate(scale, x, 2.0, stage="ascendc").outputs, 2 * x)
    assert len(log.read_text().splitlines()) == 1


def test_unknown_stages_and_missing_compilers(monkeypatch):
    with pytest.raises(ValueError, match="unknown stage 'tile'; known: ascend, ascendc, hivm"):
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


def test_an_offset_as_large_as_its_tensor_shows(monkeypatch):
    """Of rows that all exist none is filled, at an offset that the text keeps inside."""
    kernel, _, constants = KERNELS["neighborhood_fwd-halo"]
    arguments = make_arguments("neighborhood_fwd-halo", "f16")
    assert not attn.simulate(kernel, **arguments, **constants, stage="ascendc").report.hazards
    change_text(monkeypatch, "ascendc", r"(load_1_begin = (\w+)) < \d+ \? \2 : \d+;", r"\1;")
    found = attn.simulate(kernel, **arguments, **constants, stage="ascendc", soc=FEW).report.hazards
    assert found and "takes byte 17920 of a tensor of 17920" in str(found[0])


def test_the_form_before_cann_8_5_computes_the_same():
    values = torch.randn(40, 64, generator=torch.Generator().manual_seed(0))
    newer, older = (
        attn.simulate(scale, values, 2.0, stage="ascendc", kernel_form=form) for form in ("attribute", "task-type")
    )
    assert torch.equal(newer.outputs, older.outputs) and not older.report.hazards
    assert "KERNEL_TASK_TYPE_DEFAULT" in scale.compile(X=at.spec("? 64", at.f32), kernel_form="task-type").ascendc
    with pytest.raises(ValueError, match="kernel_form: 'attribute' or 'task-type' is expected, not 'old'"):
        scale.compile(X=at.spec("? 64", at.f32), kernel_form="old").ascendc  # noqa: B018
