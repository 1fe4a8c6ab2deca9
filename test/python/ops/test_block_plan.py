"""Plans of block-sparse attention: everything exactly once, balanced, the same every time. No tensors."""

import itertools
import random

import pytest

from attn import planning
from attn.planning import BlockTask, block_plan


def draw(batch, heads, tiles, most, seed=0):
    generator = random.Random(seed)
    return [[[generator.randint(0, most) for _ in range(tiles)] for _ in range(heads)] for _ in range(batch)]


def loads_of(plan):
    """How many blocks each core reads."""
    return [sum(task.end - task.first for task in plan.tasks[first:end]) for first, end in plan.shares]


def working(plan):
    """The tasks of each core without those that put it off: these have the place of the first that works, which comes
    after them and computes it again."""
    for first, end in plan.shares:
        own = list(plan.tasks[first:end])
        while len(own) > 1 and own[0] == own[1]._replace(end=own[1].first):
            own.pop(0)
        yield own


def check(plan, kept):
    """Every entry of every list is in one task; tiles that are in several have rows of merges that follow each other."""
    found = {}
    for task in itertools.chain(*working(plan)):
        found.setdefault(task[:3], []).append(task)
    places = {(b, h, x): n for b, rows in enumerate(kept) for h, row in enumerate(rows) for x, n in enumerate(row)}
    assert found.keys() == places.keys()
    merged = set()
    for place, tasks in found.items():
        ends = [0, *(task.end for task in sorted(tasks, key=lambda task: (task.first, task.end)))]
        assert sorted(task.first for task in tasks) == ends[:-1] and ends[-1] == places[place]
        rows = sorted(task.row for task in tasks)
        if len(tasks) == 1:
            assert rows == [-1]
        else:
            assert rows == list(range(rows[0], rows[0] + len(rows))) and plan.merges[rows[0]] == (*place, len(rows))
            assert not merged & {*rows}
            merged |= {*rows}
            assert all(plan.merges[row][3] == 0 for row in rows[1:])
    assert all(number == 0 for row, (*_, number) in enumerate(plan.merges) if row not in merged)


@pytest.mark.parametrize("cores", [1, 2, 20, 24])
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 7), (2, 3, 5), (1, 4, 40)], ids=str)
def test_everything_once(cores, shape):
    kept = draw(*shape, 9)
    plan = block_plan(kept, cores=cores)
    check(plan, kept)
    assert [first for first, _ in plan.shares] == [0, *(end for _, end in plan.shares)][: len(plan.shares)]
    assert plan.shares[-1][1] == len(plan.tasks) and len(plan.shares) <= cores


def test_rows_that_keep_all_do_not_wait_for_each_other():
    """The busiest core has at most a tenth more than the mean, with rows at the top that keep everything."""
    kept = [[[100] * 8 + [10] * 92 for _ in range(3)]]
    for cores in (20, 24):
        loads = loads_of(block_plan(kept, cores=cores))
        assert max(loads) <= 1.1 * sum(loads) / cores
        in_order = [sum([*itertools.chain(*kept[0])][core::cores]) for core in range(cores)]
        assert max(in_order) > 1.1 * sum(in_order) / cores, "without weights it would not be"


def test_few_tiles_are_cut():
    kept = [[[400, 100, 0]]]
    plan = block_plan(kept, cores=24)
    loads = loads_of(plan)
    assert len(loads) >= 20 and max(loads) <= 1.2 * sum(loads) / 24
    assert not block_plan(kept, cores=3).merges


def test_cores_begin_apart():
    """Of tiles that all see the same, neighbouring cores begin with others of their own."""
    plan = block_plan([[[5] * 96]], cores=24)
    own = [plan.tasks[first:end] for first, end in plan.shares]
    starts = [sorted(tasks).index(tasks[0]) for tasks in own]
    assert starts == [core % 4 for core in range(24)]


def test_cores_do_not_work_in_step():
    """Where they have much to do, neighbours have another number of tasks that see nothing before the others."""
    plan = block_plan([[[64] * 128]], cores=24, least=2)
    put_off = [end - first - len(own) for (first, end), own in zip(plan.shares, working(plan))]
    assert put_off == [core % 12 for core in range(24)]
    short = block_plan([[[16] * 96]], cores=24, least=2)
    assert len(short.tasks) == 96, "it would take longer than it gains"
    whole = block_plan([[[64] * 128]], cores=24)
    assert len(whole.tasks) == 128, "shares of threads are taken as they come"


@pytest.mark.parametrize("tiles, size", [(128, 64), (64, 32), (31, 400), (24, 300), (192, 96)])
def test_tiles_end_apart(tiles, size):
    """Tiles of one head that all see the same and are many: no two cores end all of theirs at the same time, and what
    tasks cost besides their blocks is evened out."""
    kept = [[[size] * tiles]]
    plan = block_plan(kept, cores=24, least=2)
    check(plan, kept)
    own = list(working(plan))
    assert all(task.end - task.first >= 2 for tasks in own for task in tasks) and len(plan.merges) <= 3 * 24
    costs = [sum(task.end - task.first for task in tasks) + len(tasks) / 2 for tasks in own]
    assert max(costs) - min(costs) <= 4
    # The parts of a tile that are left when its core goes on to the next one.
    ends = {
        tuple(sum(task.end - task.first for task in tasks[: number + 1]) % size for number in range(len(tasks)))
        for tasks in own
    }
    assert len(ends) >= 20


def test_tiles_that_go_evenly_are_cut_where_it_pays():
    """A launch that merges is more than what it gains, unless there is much to do. With several heads tiles that are
    left over are cut as others are: cores of a circle would be at several heads at a time."""
    assert not block_plan([[[48] * 96]], cores=24, least=2).merges
    assert block_plan([[[96] * 192]], cores=24, least=2).merges
    kept = [[[32] * 64 for _ in range(3)]]
    plan = block_plan(kept, cores=24, least=2)
    check(plan, kept)
    assert plan.merges
    for tasks in working(plan):  # a tile of the first head ends with its other part
        heads = [task.head for task in tasks]
        assert heads[:-1] == sorted(heads[:-1])
    uneven = block_plan([[[64] * 64 for _ in range(5)]], cores=24, least=2)
    check(uneven, [[[64] * 64 for _ in range(5)]])
    assert len(uneven.merges) <= 2 * 24
    for tasks in working(uneven):
        heads = [task.head for task in tasks if task.row < 0]
        assert heads == sorted(heads)


def test_circles_of_any_size():
    """Everything once, and no part shorter than asked, whatever tiles, cores and the least part are."""
    generator = random.Random(0)
    for _ in range(300):
        cores, least = generator.randint(1, 30), generator.randint(1, 9)
        size, tiles = generator.randint(2 * least, 12 * least), generator.randint(cores, 9 * cores)
        kept = [[[size] * tiles]]
        dealt, merges = planning._deal_in_circles([BlockTask(0, 0, x, 0, size, -1) for x in range(tiles)], cores, least)
        tasks, shares = planning.list_tasks(dealt)
        check(planning.BlockPlan(tasks, shares, merges), kept)
        assert all(task.end - task.first >= least for task in tasks)


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
    with pytest.raises(ValueError, match=r"^least \(0\) must be positive$"):
        block_plan([[[1]]], cores=1, least=0)


def test_what_is_left_over_is_cut():
    """Of tiles that do not go evenly to all cores, those that are left over are computed in parts."""
    kept = [[[64] * 128]]
    whole, plan = block_plan(kept, cores=24), block_plan(kept, cores=24, least=2)
    check(plan, kept)
    assert max(loads_of(whole)) == 6 * 64 and not whole.merges
    assert max(loads_of(plan)) <= 1.01 * 128 * 64 / 24
    assert all(task.end - task.first >= 2 for own in working(plan) for task in own) and len(plan.merges) <= 2 * 24


@pytest.mark.parametrize("least", [1, 3, 100])
def test_parts_are_not_shorter_than_asked(least):
    for seed in range(20):
        kept = draw(1, 3, 20, 40, seed)
        plan = block_plan(kept, cores=24, least=least)
        check(plan, kept)
        assert all(task.end - task.first >= least for own in working(plan) for task in own if task.row >= 0)
        assert max(loads_of(plan)) <= max(loads_of(block_plan(kept, cores=24)))
