"""Mistakes of block-sparse and paged attention, put in on purpose: each must be noticed by the test that stands against it.

The rows are those of docs/Ops.md. As in test_known_mistakes.py, a guard is a test of another file, called as it stands.
Those that run on the modelled chip are in test_known_mistakes_on_groups.py.
"""

import pytest
import test_block_plan as block_plans
import test_ops_block_sparse as block_sparse
import test_ops_paged as paged
import test_paged_plan as paged_plans
import torch

from attn import planning
from attn.ops import _pages
from attn.ops import block_sparse as block_sparse_operator
from planting import Planter, notices
from references import DTYPES

F32, F16, BF16 = DTYPES
ROWS = dict(too_few=0, out_of_range=1, twice=3)  # of block_sparse.test_wrong_arguments


@pytest.fixture
def plant(monkeypatch, tmp_path):
    return Planter(monkeypatch, tmp_path, ())


def run_wrong_arguments(tests, row: int):
    """One of the cases of `test_wrong_arguments`."""
    (mark,) = (mark for mark in tests.test_wrong_arguments.pytestmark if mark.name == "parametrize")
    change, error, message = mark.args[1][row]
    tests.test_wrong_arguments(change, error, message)


# Block-sparse attention


@pytest.mark.parametrize("guard", [
    lambda: block_sparse.test_grouped_heads_in_batches((4, 2)),
    lambda: block_sparse.test_lengths([363, 363], [463, 463], False),
    block_sparse.test_long_sequences,
], ids=["batches and groups", "lengths", "long sequences"])  # fmt: skip
def test_index_ignored(plant, guard):
    plant.function(block_sparse_operator, "_read_index", lambda right, _, *others: right(None, *others))
    with notices("^o is off|not close"):
        guard()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_wrong_lists_accepted(plant, row):
    def accept(right, block_index, q, keys, block_shape):
        rows = -(-q.shape[2] // block_shape[0])
        return block_index[:, :, [min(row, block_index.shape[2] - 1) for row in range(rows)]]

    plant.function(block_sparse_operator, "_read_index", accept)
    # A list that names more rows than there are is seen by the kernel, if nothing looks at it before.
    with notices("DID NOT RAISE|out of bounds"):
        run_wrong_arguments(block_sparse, ROWS[row])


def test_empty_rows_never_written(plant):
    def left_out(right, kept, **options):
        plan = right(kept, **options)
        tasks = [task for task in plan.tasks if kept[task.batch][task.head][task.tile]]
        return plan._replace(tasks=tuple(tasks), shares=((0, len(tasks)),))

    plant.function(block_sparse_operator, "block_plan", left_out)
    plant.function(
        block_sparse_operator, "make_outputs", lambda right, *tensors: [t.fill_(7.0) for t in right(*tensors)]
    )
    with notices("^o is off"):
        block_sparse.test_rows_without_blocks()


def test_excluded_scores_too_high(plant):
    scores = "scale * (queries @ k[b, h * Hk // H, j, :].T)"
    plant.kernel("block_sparse_fwd", f"st.push({scores}, ", f"st.push(at.maximum({scores}, -10000.0), ")
    with notices("not close"):
        block_sparse.test_very_negative_scores()


def test_sums_in_f16(plant):
    def rounded(right, q, *others):
        o, lse = right(q, *others)
        return o, lse.half().float()

    plant.function(torch.ops.attn, "block_sparse", rounded)
    with notices("not close"):
        block_sparse.test_many_keys_are_summed_in_f32()


def test_output_like_q(plant):
    plant.function(block_sparse_operator, "make_outputs", lambda right, q, v: right(q, q))
    with notices("o: an array .* is expected"):
        block_sparse.test_widths(64, 128)


def test_tiles_without_weights(plant):
    def in_order(right, costs, cores, loads=None):
        return [[task for _, task in costs[core::cores]] for core in range(cores)], [(0, core) for core in range(cores)]

    plant.function(planning, "_share", in_order)
    with notices("assert"):
        block_plans.test_rows_that_keep_all_do_not_wait_for_each_other()


# Paged attention


def test_workspace_without_the_batch(plant):
    def one_sequence(plan, heads, width):
        return 4 * heads * (width + 1) * max(parts for _, parts in plan.merges)

    plant.patch.setattr(planning.PagedPlan, "workspace_bytes", one_sequence)
    with notices("46137344|46497792"):
        paged_plans.test_workspace()


def test_wide_rows_without_a_kernel(plant):
    def nothing(right, *arguments):
        return None if arguments[2].shape[-1] == 256 else right(*arguments)

    plant.function(torch.ops.attn, "paged", nothing)
    with notices("^o is"):
        paged.test_ragged((128, 256, (8, 1)), F32)


def plant_plan(plant, change):
    """Has plans changed that are made for lengths; none that were kept are used, and none of these is kept."""
    plant.patch.setattr(_pages, "_lists_of_pages", _pages._lists_of_pages.__wrapped__)
    plant.function(_pages, "paged_plan", change)


def test_part_never_written(plant):
    def without_last(right, *lengths, **options):
        plan = right(*lengths, **options)
        tasks = [task for task in plan.tasks if task.parts == 1 or task.part < task.parts - 1]
        return plan._replace(tasks=tuple(tasks), shares=((0, len(tasks)),))

    plant_plan(plant, without_last)
    with notices("^o is"):
        paged.test_parts_are_written_before_they_are_read(plant.patch)


def test_empty_sequences_left_out(plant):
    def without_empty(right, lengths, **options):
        plan = right(lengths, **options)
        tasks = [task for task in plan.tasks if lengths[task.sequence]]
        return plan._replace(tasks=tuple(tasks), shares=((0, len(tasks)),))

    plant_plan(plant, without_empty)
    with notices("assert"):
        paged.test_sequences_without_tokens([0, 100, 5], 1)


def test_sequences_never_cut(plant):
    plant.function(planning, "_choices", lambda right, pages, *others: [[1] * len(pages)])
    with notices("assert"):
        paged_plans.test_balance([100, 200, 30_000, 50], 2, 24)


def test_absent_arguments_reach_the_kernel(plant):
    """A placeholder for sinks, which counts; with sinks, heads are computed one by one."""

    def placeholder(right, out, lse, q, k, v, table, lengths, pages, sinks, *others):
        return right(out, lse, q, k, v, table, lengths, pages, torch.zeros(q.shape[2]), *others[:-1], 1)

    plant.function(torch.ops.attn, "paged", placeholder)
    with notices("^(o|lse) is"):
        paged.test_sizes_of_groups((4, 4))


def test_lengths_of_whole_pages(plant):
    plant.kernel("paged_fwd", ", base=base, limit=length - p * S)", ", base=base)")
    with notices("^(o|lse) is"):
        paged.test_sizes_of_groups((4, 4))
