"""Timing-only runs multiply the steady states of loops: nearly the time of a run with every iteration."""

import re
import subprocess

import pytest
import torch

import attn
import attn.language as at
import calibration
from calibration import SIMULATOR
from cube_kernels import Product, write_copies_to_l1
from kernels_dsl.paged import paged_fwd
from repository import ROOT

pytestmark = pytest.mark.skipif(not SIMULATOR.is_file(), reason="attn-sim is not built")

KERNELS = {
    "a product on one core": (Product(4096, 512, 8192, 1, 1, steps_a=1, steps_b=1, stages=1), False),
    "a product on many cores": (Product(6144, 3072, 4096, 4, 6), False),
    "a deep product": (Product(512, 1536, 262144, 4, 6), True),
}


def predict(text, arguments, *options):
    return calibration.run(text, *arguments, *options, warm_ups=0)


@pytest.mark.parametrize("name", KERNELS)
def test_products(name):
    kernel, is_shortened = KERNELS[name]
    check(kernel.write(), kernel.arguments(), is_shortened)


def test_copies():
    text = write_copies_to_l1(12288, 64, 128, 1, 1, 24)
    check(text, ["--arg=undef:12288x12288xf16", "--blocks=24"], is_shortened=False)


@pytest.mark.parametrize("cores", [1, 48])
def test_additions(cores):
    """L2 fills up on the way: what is written goes to HBM from then on."""
    check(*calibration.write_add(cores, kib=32, stages=2), is_shortened=cores == 1)


def check(text, arguments, is_shortened):
    every = predict(text, arguments, "--every-iteration")
    some = predict(text, arguments)
    assert abs(some.cycles / every.cycles - 1) <= 0.01
    for pipe, share in every.busy.items():
        assert abs(some.busy[pipe] - share) <= 1
    # Iterations that were not simulated show in the last digits.
    assert (some.cycles != every.cycles) or not is_shortened


def test_groups_of_cores():
    """Cube and vector cores that wait for each other pass over the same iterations, and what flags held them is multiplied too."""
    kernel = ROOT / "test" / "Simulator" / "IR" / "Inputs" / "mixed.mlir"
    arrays = ("3200x16xf16", "16000x16xf16", "16000x16xf16", "3200x16xf32")
    command = [SIMULATOR, kernel, "--timing-only", "--blocks=20", *(f"--arg=undef:{array}" for array in arrays)]
    figures = []
    for option in ("--every-iteration", "--warm-ups=0"):
        done = subprocess.run([*command, "--arg=workspace", "--arg=workspace", option], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cycles = float(re.search(r"device: ([\d.]+) cycles", done.stdout)[1])
        figures.append((cycles, [float(share) for share in re.findall(r"(?:held|busy) ([\d.]+)%", done.stdout)]))
    (every, shares), (some, same) = figures
    assert some != every and abs(some / every - 1) <= 0.01
    assert len(shares) == len(same) == 9 and all(abs(one - other) <= 1 for one, other in zip(shares, same))


def test_last_iterations_may_be_shorter():
    """Tasks of a plan that are parts of sequences come last. A core that was in the middle of a task has no such place in
    them: it ends, and nothing is reported of it."""
    plan = attn.paged_plan([2048] * 16, block_size=128, kv_heads=8, cores=24, row_tiles=4)
    lists = [torch.tensor(rows, dtype=torch.int32) if rows else None for rows in (plan.shares, plan.tasks, plan.merges)]
    cache, table = at.spec("256 128 8 128", at.f16), torch.arange(256, dtype=torch.int32).view(16, 16)
    arrays = at.spec("16 8 256 128", at.f16), cache, cache, table, torch.full((16,), 2048, dtype=torch.int32)
    options = dict(R=64, G=16, T=16, phases="launches", soc="Ascend910B2", timing_only=True)
    assert attn.simulate(paged_fwd, *arrays, *lists, 128**-0.5, **options).report.hazards == []
