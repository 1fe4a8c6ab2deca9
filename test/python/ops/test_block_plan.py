"""Plans of block-sparse attention: everything exactly once, balanced, the same every time. No tensors."""

import itertools
import random

import pytest

from attn.planning import block_plan


def draw(batch, heads, tiles, most, seed=0):
    generator = random.Random(seed)
    return [[[generator.randint(0, most) for _ in range(tiles)] for _ in range(heads)] for _ in range(batch)]


def loads_of(plan, kept):
    """How many blocks each core reads."""
    loads = []
    for first, end in plan.shares:
        tasks = [(kept[task.batch][task.head][task.tile], task) for task in plan.tasks[first:end]]
        loads.append(sum(n * (t.part + 1) // t.parts - n * t.part // t.parts for n, t in tasks))
    return loads


@pytest.mark.parametrize("cores", [1, 2, 20, 24])
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 7), (2, 3, 5), (1, 4, 40)], ids=str)
def test_everything_once(cores, shape):
    kept = draw(*shape, 9)
    plan = block_plan(kept, cores=cores)
    found = {}
    for task in plan.tasks:
        found.setdefault(task[:3], []).append(task)
    assert found.keys() == {(b, h, x) for b in range(shape[0]) for h in range(shape[1]) for x in range(shape[2])}
    for place, tasks in found.items():
        assert sorted(task.part for task in tasks) == list(range(tasks[0].parts)) and len(tasks) == tasks[0].parts
        rows = [task.row for task in sorted(tasks, key=lambda task: task.part)]
        if len(tasks) == 1:
            assert rows == [-1]
        else:
            assert plan.merges[rows[0] : rows[-1] + 1] == ((*place, len(rows)), *[(*place, 0)] * (len(rows) - 1))
    assert [first for first, _ in plan.shares] == [0, *(end for _, end in plan.shares)][: len(plan.shares)]
    assert plan.shares[-1][1] == len(plan.tasks) and len(plan.shares) <= cores


def test_rows_that_keep_all_do_not_wait_for_each_other():
    """The busiest core has at most a tenth more than the mean, with rows at the top that keep everything."""
    kept = [[[100] * 8 + [10] * 92 for _ in range(3)]]
    for cores in (20, 24):
        loads = loads_of(block_plan(kept, cores=cores), kept)
        assert max(loads) <= 1.1 * sum(loads) / cores
        in_order = [sum([*itertools.chain(*kept[0])][core::cores]) for core in range(cores)]
        assert max(in_order) > 1.1 * sum(in_order) / cores, "without weights it would not be"


def test_few_tiles_are_cut():
    kept = [[[400, 100, 0]]]
    plan = block_plan(kept, cores=24)
    loads = loads_of(plan, kept)
    assert len(loads) >= 20 and max(loads) <= 1.2 * sum(loads) / 24
    assert not block_plan(kept, cores=3).merges


def test_cores_begin_apart():
    """Of tiles that all see the same, neighbouring cores begin with others of their own."""
    plan = block_plan([[[5] * 96]], cores=24)
    own = [plan.tasks[first:end] for first, end in plan.shares]
    starts = [sorted(tasks).index(tasks[0]) for tasks in own]
    assert starts == [core * 4 // 24 for core in range(24)]


def test_heads_follow_each_other():
    plan = block_plan([[[7] * 30 for _ in range(4)]], cores=5)
    for first, end in plan.shares:
        heads = [task.head for task in plan.tasks[first:end]]
        assert heads == sorted(heads)


def test_equal_plans():
    kept = draw(2, 2, 9, 5)
    assert block_plan(kept, cores=24) == block_plan(kept, cores=24)


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"^cores \(0\) must be positive$"):
        block_plan([[[1]]], cores=0)
