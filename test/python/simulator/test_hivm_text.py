"""HIVM text on the modelled chip: mistakes planted in it show, at the Python line. Every kernel: test_stages.py."""

import pytest
import torch

import attn
import attn.language as at
import changed_text
from attn import compiler, testing
from changed_text import EPS, FEW, LINE_OF_PRODUCT, change_text, check_mistake, scale
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

VALUE = r"%[\w.-]+"

# Mistakes that an exporter might make: what to change, to what, and what must be said.
MISTAKES = {
    "op": (r"hivm\.hir\.vmax ", "hivm.hir.vmin ", "is"),
    "operands": (rf"(hivm\.hir\.vsub ins\()({VALUE}), ({VALUE})", r"\1\3, \2", "is"),
    "scalar": (r"arith\.constant 7\.8125", "arith.constant 7.75", "is"),
    "reduction": (r"vreduce <sum>", "vreduce <max>", "is"),
    "rounding": (rf"(vcast ins\({VALUE} : memref<\w+xf32.* round_mode = <)rint", r"\1trunc", "is"),
    "count": (
        r"( *hivm\.hir\.vexp ins\()(%st_max)( : )memref<8xf32, #ub>\) outs\(%st_max : memref<8xf32, #ub>\)",
        r"%half = memref.subview \2[0] [4] [1] : memref<8xf32, #ub> to memref<4xf32, strided<[1]>, #ub>\n"
        r"\1%half\3memref<4xf32, strided<[1]>, #ub>) outs(%half : memref<4xf32, strided<[1]>, #ub>)",
        "is",
    ),
    "rows": (
        rf"(reinterpret_cast %V to .*?sizes: \[){VALUE}",
        r"\1%c2",
        "moves 2 rows of 128 in gm and 8 rows of 128 in ub",
    ),
    "offset": (r"arith\.constant (\d{5}) : i64", "arith.constant 64 : i64", ""),
    "beyond": (r"arith\.constant (\d{5}) : i64", "arith.constant 196256 : i64", "out of bounds"),
    "stride": (r"(reinterpret_cast %V to .*?strides: \[)%V_stride1[\w.-]*", r"\g<1>%c1", ""),
    "missing-wait": (r"^ *hivm\.hir\.wait_flag.*\n", "", "flag"),
    "missing-set": (r"^ *hivm\.hir\.set_flag.*\n", "", "deadlock"),
    "event": (r"(set_flag\[<PIPE_MTE2>, <PIPE_V>, )<EVENT_ID\d>", r"\1<EVENT_ID6>", "event"),
    "missing-barrier": (r"^ *hivm\.hir\.pipe_barrier\[<PIPE_V>\].*\n", "", "race"),
    "last-barrier": (r"^ *hivm\.hir\.pipe_barrier\[<PIPE_ALL>\].*\n(?= *return)", "", "outstanding"),
    "missing-scratch": (r"(vmul .*?) temp_buffer\(.*?\)(?= broadcast)", r"\1", "without a temp_buffer"),
    "scratch-in-use": (
        r"(vreduce .*? temp_buffer\()%\d+ : memref<512xf32, ",
        r"\1%u : memref<128xf32, ",
        "uninitialised",
    ),
    "mask": (r"^ *hivm\.hir\.set_mask_norm.*\n", "", "comes before set_mask_norm"),
    "block": (r"= hivm\.hir\.get_block_idx -> i64", "= arith.constant 0 : i64", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_text_shows(monkeypatch, name):
    check_mistake(monkeypatch, "hivm", MISTAKES[name])


# Mistakes in the meeting of blocks.
MEETING = {
    "not-raised": (r"^ *hivm\.hir\.sync_block_set.*\n", "", "which this one has not raised"),
    "not-waited-for": (r"^ *hivm\.hir\.sync_block_wait.*\n", "", "flag 9 between cores is raised"),
    "other-flag": (r"(sync_block_wait.* flag = )9", r"\g<1>8", "waits for flag 8"),
    "stores-under-way": (
        r"^ *hivm\.hir\.pipe_barrier\[<PIPE_ALL>\].*\n(?= *hivm\.hir\.sync_block_set)",
        "",
        "under way",
    ),
    "no-base": (r"^ *hivm\.hir\.set_ffts_base_addr.*\n", "", "set_ffts_base_addr"),
}


@pytest.mark.parametrize("name", MEETING)
def test_a_mistake_in_the_meeting_shows(monkeypatch, name):
    pattern, replacement, said = MEETING[name]
    change_text(monkeypatch, "hivm", pattern, replacement)
    V, wq, wn = testing.attn_res_inputs(3, 21, 64, torch.float32)
    h, *saved = attn_res_fwd(V, wq, wn, EPS)
    simulated = attn.simulate(
        attn_res_bwd, torch.ones(21, 64), V, wq, wn, h, *saved, phases="barrier", soc=FEW, stage="hivm"
    )
    assert any(said in hazard.message for hazard in simulated.report.hazards), simulated.report.hazards


def test_what_the_chip_refuses_is_a_hazard_at_the_python_line(monkeypatch):
    change_text(monkeypatch, "hivm", r"arith\.constant 32768 : i64", "arith.constant 32772 : i64")
    _, report = attn.simulate(scale, torch.ones(4, 64, dtype=torch.bfloat16), 2.0, stage="hivm")
    hazard = report.hazards[0]
    assert hazard.kind == "misaligned" and hazard.place[:2] == (changed_text.__file__, LINE_OF_PRODUCT)


def test_text_that_is_none_is_refused(monkeypatch):
    monkeypatch.setattr(
        compiler.Artefact, "hivm", property(lambda artefact: "module { func.func @scale() { return } }")
    )
    with pytest.raises(attn.CompileError, match="the text has no kernel 'scale'"):
        attn.simulate(scale, torch.ones(4, 64), 2.0, stage="hivm")
    monkeypatch.setattr(compiler.Artefact, "hivm", property(lambda artefact: "module {"))
    with pytest.raises(attn.CompileError):
        attn.simulate(scale, torch.ones(4, 64), 2.0, stage="hivm")


def test_time_alone_needs_no_values():
    timed = attn.simulate(scale, at.spec("4 64", at.f32), 2.0, stage="hivm", timing_only=True)
    assert timed.outputs is None and timed.report.time_us > 0
