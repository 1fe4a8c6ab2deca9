"""Random kernels for cube and vector cores: the same bits on the CPU, on the modelled chip and from AscendC text, and no
hazard. The first seed is printed; ATTN_MIXED_START and ATTN_MIXED_COUNT choose another and how many follow. Texts are
compiled for some of the programs only, since a C++ compiler takes a second for each.
"""

import os

import pytest
import torch

import attn
import kernel_text
from mixed_programs import MixedProgram
from sweeps import some_optimized

START = int(os.environ.get("ATTN_MIXED_START", "1"))
COUNT = int(os.environ.get("ATTN_MIXED_COUNT", "300"))
SHARD = 25
TEXT_EVERY = 15


def check(program, folder, has_text):
    """Runs a program at its stages; a failure shows it."""
    shown = f"seed {program.seed}, {program.options}\n{program.text()}"
    kernel = kernel_text.define(folder, program.text(), name="program")
    arguments, expected = program.arguments(), program.expected().float()
    try:
        assert torch.equal(kernel(*arguments), expected), f"the CPU differs: {shown}"
        for stage in ("ascend", "ascendc") if has_text else ("ascend",):
            run = attn.simulate(kernel, *arguments, stage=stage, **program.options)
            assert not run.report.hazards, f"{run.report.text}\n{stage}: {shown}"
            assert torch.equal(run.outputs, expected), f"{stage} differs: {shown}"
    except attn.CompileError as error:
        pytest.fail(f"{error}\n{shown}")


@pytest.mark.parametrize("first", some_optimized(range(START, START + COUNT, SHARD)))
def test_mixed_programs(first, tmp_path):
    print(f"seeds from {first}")
    for seed in range(first, min(first + SHARD, START + COUNT)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check(MixedProgram(seed), folder, has_text=seed % TEXT_EVERY == 0)
