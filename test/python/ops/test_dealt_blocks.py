"""Plans of block-sparse attention that a device makes from its own counts: everything once, balanced, without hazards."""

import itertools
import random

import pytest
import test_block_plan
import torch

import attn
from attn.planning import BlockPlan, BlockTask
from kernels_dsl.lists import deal_blocks


def read_plan(shares, tasks, merges, *_):
    """The plan without the tasks that no core has."""
    own = [tasks[first:end].tolist() for first, end in shares.tolist()]
    ends = [0, *itertools.accumulate(map(len, own))]
    rows = tuple(map(tuple, merges.tolist()))
    return BlockPlan(tuple(map(BlockTask._make, itertools.chain(*own))), tuple(itertools.pairwise(ends)), rows)


def deal(kept, cores: int, run=deal_blocks):
    """The plan that the kernel makes, checked."""
    counts = torch.tensor(kept, dtype=torch.int32)
    _, heads, tiles = counts.shape
    room = torch.zeros(counts.numel() + 2 * cores, dtype=torch.int32)
    plan = read_plan(*run(counts.view(-1), room, heads, tiles, NC=cores, NP=2 * cores))
    test_block_plan.check(plan, kept)
    return plan


def simulate(*arguments, **options):
    result = attn.simulate(deal_blocks, *arguments, **options)
    assert not result.report.hazards, result.report.text
    return result.outputs


@pytest.mark.parametrize("cores", [20, 24])
@pytest.mark.parametrize("kind", ["nothing", "equal", "random", "few", "long"])
def test_everything_once(cores, kind):
    """Tiles without blocks, tiles that several cores share, and fewer tiles than cores."""
    generator = random.Random(cores)
    number = dict(
        nothing=lambda: 0, equal=lambda: 7, random=lambda: generator.randint(0, 50),
        few=lambda: generator.choice([0, 0, 0, 900]), long=lambda: 3000,
    )[kind]  # fmt: skip
    for batch, heads, tiles in ((1, 1, 1), (1, 1, 2), (2, 1, 3), (1, 2, 15), (2, 3, 100)):
        deal([[[number() for _ in range(tiles)] for _ in range(heads)] for _ in range(batch)], cores)


@pytest.mark.parametrize("cores", [20, 24])
def test_balance(cores):
    """The busiest core has at most a tenth more than the mean: rows at the top that keep everything, and few tiles."""
    for kept in ([[[100] * 8 + [10] * 92 for _ in range(3)]], [[[400, 100, 0]]]):
        loads = test_block_plan.loads_of(deal(kept, cores))
        assert max(loads) <= 1.1 * sum(loads) / cores


@pytest.mark.parametrize("kept", [[[[100] * 2 + [10] * 28] * 2], [[[40, 9, 0]]]], ids=["tiles", "parts"])
def test_on_the_modelled_chip(kept):
    assert deal(kept, 24, simulate) == deal(kept, 24)
