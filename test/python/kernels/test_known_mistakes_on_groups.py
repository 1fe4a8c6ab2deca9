"""Mistakes of block-sparse and paged attention that show on the modelled chip, put in on purpose: each must be noticed by the
test that stands against it (docs/Ops.md lists which).

A guard is a test of test_lists_on_groups.py, called as it stands; it must fail, and say what is wrong.
"""

from types import SimpleNamespace

import pytest
import test_lists_on_groups as groups

import attn
import references
from attn import planning
from attn.ops import _pages
from attn.simulation import Simulation
from planting import Planter, notices


@pytest.fixture
def plant(monkeypatch, tmp_path):
    return Planter(monkeypatch, tmp_path, (groups,))


# Block-sparse attention


def test_tiles_without_weights(plant, tmp_path):
    def in_order(right, costs, cores, loads=None):
        ordered = sorted(task for _, task in costs)
        return [ordered[core::cores] for core in range(cores)], [(0, core) for core in range(cores)]

    plant.function(planning, "_share", in_order)
    with notices("^cores are busy for"):
        groups.test_cores_are_busy_alike(tmp_path)


def test_gaps_start_a_product(plant, tmp_path):
    tiles = "at.blocks(index[b, h, r, :], bk, BN, step=128, start=lo"
    plant.kernel("block_sparse_fwd", tiles, tiles.replace("BN", "128"))
    with notices(r"^assert 7 == "):
        groups.test_tiles_are_as_wide_as_blocks_fill_them(tmp_path, 512)


# Paged attention, in parts

SCORES, WEIGHTED = 0, 2
"""Flags of a group: scores are there, and values that were weighted."""


def test_one_flag_for_two_things(plant):
    """Scores of two tiles are computed ahead, and values are added one tile later: the flags come in another order than
    they are waited for."""
    plant.chip_ir(rf"(cross_\w+ .*)flag {WEIGHTED}\b", rf"\1flag {SCORES}")
    with notices("kind='race'"):
        groups.test_jitter_changes_no_bit(1, dict(preload=2, lag=1))


@pytest.mark.parametrize("pipe, earlier", [("fix", "m"), ("mte3", "v")])
def test_signals_before_memory_is_written(plant, pipe, earlier):
    """A flag that does not wait for the pipe which stores what it stands for."""
    plant.chip_ir(rf"cross_set +{pipe} ", f"cross_set {earlier} ")
    with notices("kind='race'"):
        groups.test_jitter_changes_no_bit(1, {})


def test_merging_without_waiting(plant):
    """No barrier before parts are merged: such a kernel is refused."""
    plant.kernel("paged_fwd", "        at.phase()\n", "")
    with notices("needs at.phase"):
        groups.test_jitter_changes_no_bit(1, {})


def plant_rows(plant, rows: int):
    """Tasks of so many heads of queries, whatever shares a head of keys."""

    class Cut(_pages.Rows):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.tile, self.tiles = rows, self.tokens * self.group // rows

    plant.patch.setattr("attn.ops.paged.Rows", Cut)


@pytest.mark.parametrize("group, rows", [(4, 1), (16, 8)])
def test_groups_cut_between_heads(plant, group, rows):
    plant_rows(plant, rows)
    with notices(f"^k is read {group // rows}.00 times"):
        groups.test_keys_are_read_once_for_each_group(plant.patch, group)


def test_products_of_one_row(plant):
    plant.chip_ir(r"(ascend\.mmad .*) m\(%\w+\)", r"\1 m(%c1)")
    with notices("has one row"):
        groups.test_keys_are_read_once_for_each_group(plant.patch, 4)


@pytest.mark.parametrize("num_splits", [1, 2])
def test_a_stand_in_that_ignores_the_tiling(plant, num_splits):
    """A loop over heads and tokens in the place of the generated kernel."""

    def loop(_, kernel, q, k, v, table, lens, shares, tasks, merges, scale, outputs, **options):
        out, lse = references.paged(q.flatten(1, 2).unsqueeze(1), k, v, table, lens.tolist(), scale)
        outputs["o"].copy_(out.view(q.shape))
        return Simulation((outputs["o"], lse), SimpleNamespace(hazards=[]))

    plant.function(attn, "simulate", loop)
    with notices("^assert"):
        groups.test_what_no_task_names_is_not_computed("ascend", num_splits)
