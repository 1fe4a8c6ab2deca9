"""Kernels of cube and vector cores together, written as chip IR: every stage on shaken schedules, and what the vendor's tools say.

Nothing runs on a device: HIVM text is what bishengir-opt 1.2.0 converts.
"""

import functools
import re

import pytest
import torch

from attn import _core as core
from hivm_vendor import DEVICE, bishengir_opt, check_halves
from repository import ROOT

INPUTS = ROOT / "test" / "Simulator" / "IR" / "Inputs"
SEEDS = range(20)


def chip_text(stage: str):
    return (INPUTS / ("mixed-composite.mlir" if stage == "hivm" else "mixed.mlir")).read_text()


@functools.cache
def module(stage: str):
    return core.Module.parse(chip_text(stage))


@functools.cache
def text(stage: str):
    if stage == "ascend":
        return ""
    return module(stage).emit_hivm(locations=False) if stage == "hivm" else module(stage).emit_ascendc()


def operands(rows: int, keys: int):
    generator = torch.Generator().manual_seed(rows)
    q, k, v = (torch.randint(-2, 3, (n, 16), generator=generator).half() for n in (rows, keys, keys))
    return [q, k, v, torch.full((rows, 16), torch.nan)]


def simulate(kernel, arrays: list, stage: str, printed: str, **options):
    places = [(t.data_ptr(), tuple(t.shape), tuple(t.stride())) for t in arrays]
    return core.simulate(kernel, places, stage=stage, text=printed, **options)


@pytest.mark.sweep
@pytest.mark.parametrize("stage", ["ascend", "ascendc", "hivm"])
@pytest.mark.parametrize("rows, keys", [(32, 16), (96, 80), (704, 48)])
def test_values_on_shaken_schedules(stage, rows, keys):
    times = set()
    for seed in [None, *SEEDS]:
        q, k, v, o = arrays = operands(rows, keys)
        report = simulate(module(stage), arrays, stage, text(stage), jitter=seed)
        assert report["hazards"] == [], (stage, seed)
        assert o.double().equal(2 * (q.double() @ k.double().T) @ v.double()), (stage, seed)
        times.add(report["time_us"])
    assert len(times) == 1 + len(SEEDS)


def test_one_seed_is_one_schedule():
    first, again = (simulate(module("ascend"), operands(96, 80), "ascend", "", jitter=3) for _ in range(2))
    assert first["time_us"] == again["time_us"]


def removals():
    """The kernel without one of its flags between cores, each in turn."""
    lines = chip_text("ascend").splitlines(keepends=True)
    for number, line in enumerate(lines):
        if "ascend.cross_" in line:
            yield pytest.param("".join(lines[:number] + lines[number + 1 :]), id=f"{line.split()[0]}-{number + 1}")


@pytest.mark.parametrize("changed", list(removals()))
def test_every_flag_is_needed(changed):
    for seed in (None, 1, 2):
        report = simulate(core.Module.parse(changed), operands(96, 80), "ascend", "", jitter=seed)
        assert report["hazards"], seed


def test_halves_are_taken_by_the_vendor(tmp_path):
    """Converted with our plan and flags, each call with a template of as many parameters, and nothing left over."""
    ours = text("hivm")
    converted = check_halves(ours, "weighted", tmp_path)
    assert len(re.findall(r"sync_block_set\[<CUBE>, <PIPE_FIX>, <PIPE_S>\] flag = 0", converted)) == 2


def test_task_type_is_the_vendors():
    alone = "module { func.func @weighted() attributes {hacc.entry, hivm.func_core_type = #hivm.func_core_type<MIX>} { return } }"
    task = re.compile(r"@weighted_infer_task_type_function\(\) -> i8 .*\n.* = (arith\.constant .*)")
    theirs = bishengir_opt(alone, DEVICE, "--hivm-insert-infer-task-type-func")
    assert task.findall(text("hivm")) == task.findall(theirs) != []
