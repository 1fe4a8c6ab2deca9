"""Plans of paged decode: everything exactly once, balanced, the same every time. No tensors."""

import itertools
import random
import re

import pytest
import torch

import attn


def spans(plan, lengths, block_size):
    """The pages that each task reads, by (sequence, head)."""
    found: dict[tuple, list] = {}
    for task in plan.tasks:
        pages = -(-lengths[task.sequence] // block_size)
        first, end = (pages * (task.part + step) // task.parts for step in (0, 1))
        found.setdefault((task.sequence, task.head), []).append((first, end, task))
    return found


def check(plan, lengths, block_size, kv_heads, cores, num_splits=None):
    found = spans(plan, lengths, block_size)
    assert found.keys() == {(b, h) for b in range(len(lengths)) for h in range(kv_heads)}
    for (sequence, _), parts in found.items():
        parts.sort(key=lambda part: part[2].part)
        pages = -(-lengths[sequence] // block_size)
        assert [task.part for _, _, task in parts] == list(range(parts[0][2].parts))
        assert parts[0][0] == 0 and parts[-1][1] == pages
        assert all(end == first for (_, end, _), (first, _, _) in itertools.pairwise(parts))
        assert max(end - first for first, end, _ in parts) - min(end - first for first, end, _ in parts) <= 1
        if num_splits is not None:
            assert len(parts) == max(1, min(num_splits, pages))
        rows = [task.row for _, _, task in parts]
        if len(parts) == 1:
            assert rows == [-1]
        else:
            assert rows == list(range(rows[0], rows[0] + len(rows)))
            assert plan.merges[rows[0] : rows[-1] + 1] == ((sequence, len(rows)), *[(sequence, 0)] * (len(rows) - 1))
    split = {sequence: parts[0][2].parts for (sequence, _), parts in found.items() if len(parts) > 1}
    assert len(plan.merges) == sum(split.values())
    assert len(plan.shares) == min(cores, len(plan.tasks))
    assert [first for first, _ in plan.shares] == [0, *(end for _, end in plan.shares)][: len(plan.shares)]
    assert plan.shares[-1][1] == len(plan.tasks) if plan.shares else not plan.tasks


@pytest.mark.parametrize("cores", [1, 2, 20, 24])
@pytest.mark.parametrize("num_splits", [None, 1, 3, 24])
def test_everything_once(cores, num_splits):
    generator = random.Random(cores)
    for _ in range(12):
        count, block_size, kv_heads = (
            generator.randint(1, 60),
            generator.choice([16, 128, 512]),
            generator.choice([1, 2, 8]),
        )
        lengths = [generator.choice([0, 1, 33, generator.randint(0, 9000)]) for _ in range(count)]
        plan = attn.paged_plan(lengths, block_size=block_size, kv_heads=kv_heads, cores=cores, num_splits=num_splits)
        check(plan, lengths, block_size, kv_heads, cores, num_splits)


def test_large_batches():
    generator = random.Random(7)
    lengths = [generator.randint(0, 8192) for _ in range(300)]
    check(attn.paged_plan(lengths, block_size=128, kv_heads=8, cores=24), lengths, 128, 8, 24)


@pytest.mark.parametrize("lengths, kv_heads", [
    ([8192], 1), ([4096], 8), ([33, 8100, 8150], 1), ([100, 200, 30_000, 50], 2),
])  # fmt: skip
@pytest.mark.parametrize("cores", [20, 24])
def test_balance(lengths, kv_heads, cores):
    """The busiest core has at most a tenth more than the mean and a page."""
    plan = attn.paged_plan(lengths, block_size=128, kv_heads=kv_heads, cores=cores)
    loads = [0] * cores
    for core, (first, end) in enumerate(plan.shares):
        for task in plan.tasks[first:end]:
            pages = -(-lengths[task.sequence] // 128)
            loads[core] += pages * (task.part + 1) // task.parts - pages * task.part // task.parts
    assert max(loads) <= 1.1 * sum(loads) / cores + 1


def test_no_split_where_tasks_balance():
    assert attn.paged_plan([2048] * 24, block_size=128, kv_heads=8, cores=24).merges == ()


def test_workspace():
    """Bytes of the specification: 256 sequences of 8,192 tokens in 22 parts, 16 heads that share one, 128 columns."""
    plan = attn.paged_plan([8192] * 256, block_size=128, kv_heads=1, cores=24, num_splits=22)
    assert plan.workspace_bytes(16, 128) == 46_137_344 + 360_448
    whole = attn.paged_plan([8192] * 256, block_size=128, kv_heads=1, cores=24, num_splits=1)
    assert whole.workspace_bytes(16, 128) == 0


def test_plans_for_pairs_of_heads():
    """The same parts, dealt again: a plan of half as many heads is that of the pairs."""
    for options in (dict(), dict(num_splits=3), dict(batch_invariant=True)):
        lengths = [5000, 1, 0, 777, 2100]
        plan = attn.paged_plan(lengths, block_size=32, kv_heads=8, cores=24, **options)
        pairs = plan.for_heads(4)
        assert pairs.merges == plan.merges and pairs.for_heads(8) == plan
        if not plan.run:
            check(pairs, lengths, 32, 4, 24)
        assert len(pairs.tasks) == len(plan.tasks) // 2


def test_equal_plans():
    lengths = [5000, 1, 0, 777, 777, 5000]
    first, again = (attn.paged_plan(lengths, block_size=32, kv_heads=2, cores=24) for _ in range(2))
    assert first == again


def test_heads_of_a_part_follow_each_other():
    """Where caches hold so many tokens, no part has more, and a core has the heads of one part after the other."""
    lengths = [4096, 130, 0, 900]
    for cores in (1, 2):
        plan = attn.paged_plan(lengths, block_size=128, kv_heads=8, cores=cores, cached_tokens=512)
        check(plan, lengths, 128, 8, cores)
        assert all(end - first <= 4 for parts in spans(plan, lengths, 128).values() for first, end, _ in parts)
        for first, end in plan.shares:
            places = [(task.sequence, task.part) for task in plan.tasks[first:end]]
            assert places == sorted(places)
    whole = attn.paged_plan(lengths, block_size=128, kv_heads=8, cores=1, cached_tokens=512, num_splits=1)
    assert whole.merges == ()


@pytest.mark.parametrize("change, message", [
    (dict(num_splits=0), r"num_splits \(0\) must be positive"),
    (dict(cores=0), r"block_size \(128\), kv_heads \(1\), cores \(0\) and row_tiles \(1\) must be positive"),
    (dict(cached_tokens=0), r"cached_tokens \(0\) must be positive"),
    (dict(lengths=[5, -1]), r"lengths \(-1\) must not be negative"),
])  # fmt: skip
def test_wrong_arguments(change, message):
    arguments = {**dict(lengths=[5], block_size=128, kv_heads=1, cores=24), **change}
    with pytest.raises(ValueError, match=f"^{message}$"):
        attn.paged_plan(arguments.pop("lengths"), **arguments)


def test_lengths_are_integers():
    """Those of a tensor become numbers: plans are compared, and kept by their lengths."""
    sizes = dict(block_size=16, kv_heads=2, cores=2)
    assert attn.paged_plan(torch.tensor([40, 5]), **sizes) == attn.paged_plan([40, 5], **sizes)
    for lengths in (5, [5.5]):
        with pytest.raises(TypeError, match=f"^lengths: integers are expected, not {re.escape(repr(lengths))}$"):
            attn.paged_plan(lengths, **sizes)


def test_only_what_is_left_over_is_split():
    """Of equal sequences, those that go evenly to all cores stay whole."""
    lengths, kv_heads, cores = [2048] * 32, 4, 24
    plan = attn.paged_plan(lengths, block_size=128, kv_heads=kv_heads, cores=cores)
    check(plan, lengths, 128, kv_heads, cores)
    whole = [task for task in plan.tasks if task.parts == 1]
    assert len(whole) == len(lengths) * kv_heads // cores * cores
