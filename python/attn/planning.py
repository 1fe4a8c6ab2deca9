"""Which core computes what: parts of sequences and rows of blocks, dealt to cores by how much there is to read.

A plan is made of numbers alone, on the host. The same numbers give the same plan.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import operator
from collections.abc import Sequence
from typing import NamedTuple

# Estimates, in tokens that a core reads in the same time: what a task costs besides its tokens, the barrier before
# parts are merged, and each part that is. They decide between plans that are close to each other, and nothing else.
_TASK_TOKENS = 64
_BARRIER_TOKENS = 512
_PART_TOKENS = 8
# Shorter parts than that are made only where cores would have nothing to do.
_LEAST_TOKENS = 256
# Tokens of a part where parts depend on nothing but their sequence.
_INVARIANT_TOKENS = 1024
# So much more than the mean the busiest core may have for tiles to go head after head.
_UNEVEN = 1.05
# Cores that work in step ask the cache for the same at the same time. So many neighbours begin at other times, where
# cores have at least so many parts of the least size to compute. Chosen by predicted time.
_BEGINNINGS, _LONG_LOAD = 12, 40
# From so many parts on, it pays to cut tiles that go evenly to all cores, so that these end them at other times.
_CUT_LOAD = 3 * _LONG_LOAD
# Of fewer parts a tile has too few places to be cut at.
_CUT_PARTS = 8
# What a task costs besides its blocks, and one that sees nothing, in parts of the least size.
_TASK_PARTS, _EMPTY_PARTS = 1 / 4, 1 / 27
# Numbers of parts of the longest sequence that are tried.
_TRIED_PARTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)


class Task(NamedTuple):
    """Part `part` of the `parts` of a sequence, for one head of keys and one tile of the rows of its queries; its
    result goes to row `row` of the results that are merged, or where that is -1 to the output."""

    sequence: int
    head: int
    tile: int
    part: int
    parts: int
    row: int


class PagedPlan(NamedTuple):
    """The tasks in the order of the cores that compute them."""

    tasks: tuple[Task, ...]
    # Of each core, the first of its tasks and the first that is not its own.
    shares: tuple[tuple[int, int], ...]
    # Of each row of the results that are merged: its sequence, and in the first row of a sequence how many it has.
    merges: tuple[tuple[int, int], ...]
    # How many pages each part has but the last of a sequence; 0 where the parts of a sequence are equal.
    run: int = 0
    # What it was made for: the pages of each sequence, their tokens, and the cores.
    pages: tuple[int, ...] = ()
    block_size: int = 1
    cores: int = 1

    def for_heads(self, kv_heads: int) -> PagedPlan:
        """The same parts of the sequences, for another number of heads of keys."""
        parts = {task.sequence: task.parts for task in self.tasks}
        row_tiles = 1 + max((task.tile for task in self.tasks), default=0)
        numbers = [parts[sequence] for sequence in range(len(self.pages))]
        return _deal(self.pages, numbers, self.run, self.block_size, kv_heads, row_tiles, self.cores)[1]

    def workspace_bytes(self, heads: int, width: int):
        """The bytes of partial results and log-sum-exps of so many heads of queries."""
        return 4 * heads * (width + 1) * len(self.merges)


def paged_plan(
    lengths: Sequence[int],
    *,
    block_size: int,
    kv_heads: int,
    cores: int,
    num_splits: int | None = None,
    row_tiles: int = 1,
    batch_invariant: bool = False,
    cached_tokens: int | None = None,
) -> PagedPlan:
    """Plans the decode of sequences of so many tokens, in pages of `block_size`, on so many cores.

    A sequence is cut at pages. With `num_splits` each has that many parts, or one for each page where there are fewer;
    otherwise as many as make the busiest core end first. `batch_invariant` cuts it after every so many tokens, whatever
    the other sequences and the cores are. The rows of the queries of a head are computed in `row_tiles` tiles.

    `cached_tokens` is for machines whose caches hold all heads of so many tokens: parts have no more, unless it is said
    how many there are, and the heads of a part are computed one after the other.
    """
    if min(block_size, kv_heads, cores, row_tiles) < 1:
        sizes = f"block_size ({block_size}), kv_heads ({kv_heads}), cores ({cores}) and row_tiles ({row_tiles})"
        raise ValueError(f"{sizes} must be positive")
    if num_splits is not None and batch_invariant:
        raise ValueError(f"num_splits ({num_splits}) must be None with batch_invariant, which says where to cut")
    if num_splits is not None and num_splits < 1:
        raise ValueError(f"num_splits ({num_splits}) must be positive")
    if cached_tokens is not None and cached_tokens < 1:
        raise ValueError(f"cached_tokens ({cached_tokens}) must be positive")
    try:
        lengths = [operator.index(length) for length in lengths]
    except TypeError:
        raise TypeError(f"lengths: integers are expected, not {lengths!r}") from None
    if any(length < 0 for length in lengths):
        raise ValueError(f"lengths ({min(lengths)}) must not be negative")
    pages = [-(-length // block_size) for length in lengths]
    run = max(1, _INVARIANT_TOKENS // block_size) if batch_invariant else 0
    if run:
        choices = [[max(1, -(-count // run)) for count in pages]]
    elif num_splits is not None:
        choices = [_cut(pages, num_splits)]
    else:
        choices = _choices(pages, block_size, kv_heads * row_tiles, cores)
        if cached_tokens is not None:
            span = max(1, cached_tokens // block_size)
            least = [-(-count // span) for count in pages]
            choices = [[max(both) for both in zip(parts, least)] for parts in choices]
    is_cached = cached_tokens is not None
    best: tuple[int, PagedPlan] | None = None
    for parts in choices:
        # Dealing takes long, and most choices cannot be the best.
        if best is None or _least_time(pages, parts, block_size, kv_heads, row_tiles, cores) < best[0]:
            time, plan = _deal(pages, parts, run, block_size, kv_heads, row_tiles, cores, is_cached)
            best = (time, plan) if best is None or time < best[0] else best
    assert best is not None
    return best[1]


def _cut(pages, most: int):
    return [max(1, min(most, count)) for count in pages]


def _choices(pages, block_size: int, tiles: int, cores: int):
    """Numbers of parts of each sequence, of which each is as many tasks as it has tiles, to choose from."""
    longest = max(pages, default=0)
    least = max(1, _LEAST_TOKENS // block_size)
    if sum(max(1, count // least) for count in pages) * tiles < cores:
        least = 1
    seen = []
    # The longest that go evenly to all cores may stay whole: then only what is left over is merged.
    evenly = len(pages) * tiles // cores * cores // tiles
    kept = set(sorted(range(len(pages)), key=lambda sequence: -pages[sequence])[:evenly])
    for most in _TRIED_PARTS:
        span = max(least, -(-longest // most))
        for whole in (set(), kept):
            numbers = (1 if sequence in whole else max(1, -(-count // span)) for sequence, count in enumerate(pages))
            if (parts := list(numbers)) not in seen:
                seen.append(parts)
    return seen


def _merging_time(parts, kv_heads: int, row_tiles: int, cores: int):
    merged = kv_heads * row_tiles * sum(number > 1 for number in parts)
    return _BARRIER_TOKENS + _PART_TOKENS * max(parts) * -(-merged // cores) if merged else 0


def _least_time(pages, parts, block_size: int, kv_heads: int, row_tiles: int, cores: int):
    """What the busiest core takes at least: the mean, and its longest task."""
    tokens = sum(pages) * block_size + sum(parts) * _TASK_TOKENS
    longest = max((-(-count // number) for count, number in zip(pages, parts)), default=0)
    least = max(-(-tokens * kv_heads * row_tiles // cores), longest * block_size + _TASK_TOKENS)
    return least + _merging_time(parts, kv_heads, row_tiles, cores)


def _deal(pages, parts, run: int, block_size: int, kv_heads: int, row_tiles: int, cores: int, is_cached: bool = False):
    """(Its estimated time, the plan): longest tasks first, each to the core with the least to do.

    Where `is_cached`, tasks go part after part instead.
    """
    merges: list[tuple[int, int]] = []
    costs: list[tuple[int, Task]] = []
    for sequence, (count, number) in enumerate(zip(pages, parts)):
        first = len(merges)
        if number > 1:
            merges += [(sequence, number if part == 0 else 0) for part in range(number)]
        for part in range(number):
            size = min(run, count - part * run) if run else (part + 1) * count // number - part * count // number
            row = first + part if number > 1 else -1
            cost = size * block_size + _TASK_TOKENS
            places = itertools.product(range(kv_heads), range(row_tiles))
            costs += [(-cost, Task(sequence, head, tile, part, number, row)) for head, tile in places]
    ordered = costs if is_cached else sorted(costs)
    dealt, loads = _share(ordered, min(cores, len(costs)))
    tasks, shares = list_tasks(dealt)
    time = max((load for load, _ in loads), default=0) + _merging_time(parts, kv_heads, row_tiles, cores)
    return time, PagedPlan(tasks, shares, tuple(merges), run, tuple(pages), block_size, cores)


# Block-sparse attention


class BlockTask(NamedTuple):
    """Entries `first` to `end` of the list of one tile of queries; their result goes to row `row` of the results that
    are merged, or where that is -1 to the output."""

    batch: int
    head: int
    tile: int
    first: int
    end: int
    row: int


class BlockPlan(NamedTuple):
    """The tasks in the order of the cores that compute them."""

    tasks: tuple[BlockTask, ...]
    # Of each core, the first of its tasks and the first that is not its own.
    shares: tuple[tuple[int, int], ...]
    # Of each row of the results that are merged: batch, head and tile, and in the first row of a tile how many it has.
    merges: tuple[tuple[int, int, int, int], ...]


def block_plan(kept: Sequence, *, cores: int, least: int | None = None) -> BlockPlan:
    """Plans tiles of queries that see so many blocks: kept[b][h][x], on so many cores.

    Tiles go to the core with the least to do, the longest first: head after head, so that its keys and values stay in
    the cache, unless cores would have much more to do than others. A core begins with another of its tiles than the
    core before. Where one has at least twice `least` blocks more than the mean, what cores have more is cut off the
    list of one of their tiles, in parts of at least `least` blocks for cores that have less. Without `least` lists are
    cut only where there are fewer tiles than cores.

    Where cores have much to do, they are put off by none, one or more tasks that see nothing, so that they do not work
    in step: their results are those of the task after them, which computes them again. And tiles that all see the same
    are dealt in circles then, so that each core ends its tiles at times of its own.
    """
    if cores < 1:
        raise ValueError(f"cores ({cores}) must be positive")
    if least is not None and least < 1:
        raise ValueError(f"least ({least}) must be positive")
    groups = [
        sorted((-number, BlockTask(b, h, x, 0, number, -1)) for x, number in enumerate(row))
        for b, rows in enumerate(kept)
        for h, row in enumerate(rows)
    ]
    tiles, total = sum(map(len, groups)), -sum(cost for group in groups for cost, _ in group)
    if least is None and tiles < cores:
        least = 1
    if least is not None and _suits_circles(groups, cores, least):
        dealt, merges = _deal_in_circles([task for group in groups for _, task in group], cores, least)
    else:
        dealt, longest = _share_groups(groups, cores)
        # A head may have too few tiles to even out what the heads before have left.
        if longest > _UNEVEN * total / cores:
            dealt, _ = _share_groups([sorted(itertools.chain(*groups))], cores)
        merges = () if least is None else _even_out(dealt, least)
        dealt = [_turned(own, core) for core, own in enumerate(dealt)]
    if least is not None and total >= _LONG_LOAD * least * cores:
        dealt = [put_off(own, core) for core, own in enumerate(dealt)]
    tasks, shares = list_tasks([own for own in dealt if own] or [[]])
    return BlockPlan(tasks, shares, merges)


def _suits_circles(groups, cores: int, least: int):
    """Whether tiles all see the same, and cutting more of them than have to be costs less than it gains."""
    costs = [cost for group in groups for cost, _ in group]
    if len({*costs}) != 1 or -costs[0] < _CUT_PARTS * least or len(costs) < cores:
        return False
    # Several cores of a circle are at several heads at a time, whose keys and values the cache may not have room for.
    parts = _CUT_LOAD if len(costs) % cores == 0 else _LONG_LOAD if len(groups) == 1 else math.inf
    return -sum(costs) >= parts * least * cores


def _deal_in_circles(tiles: list[BlockTask], cores: int, least: int):
    """Deals tiles that all see the same: as many in each of several circles, whose cores have shares that follow each
    other and are cut anywhere. Circles begin at other places of their first tile, so that over all cores the ends of
    tiles are spread evenly. Returns the tasks of each core and the rows of the results that are merged."""
    dealt: list[list[BlockTask]] = [[] for _ in range(cores)]
    merges: list[tuple[int, int, int, int]] = []
    circles = math.gcd(len(tiles), cores)
    for circle in range(circles):
        own, members = tiles[circle::circles], range(circle, cores, circles)
        cuts = _cut_circle(len(own), own[0].end, circle / cores, members, least)
        parts = _cut_tiles(own, cuts, merges)
        for place, task in _turn_circle(parts, cuts[0]):
            dealt[members[bisect.bisect(cuts, place) - 1]].append(task)
    return dealt, tuple(merges)


def _cut_circle(tiles: int, size: int, begin: float, members: range, least: int):
    """Where the shares of a circle of tiles of so many blocks are cut, which begin within the first tile: each core
    takes as long, with what tasks cost besides their blocks."""
    even = tiles / len(members)
    ends = [begin + even * number for number in range(len(members) + 1)]
    tasks = [math.ceil(end) - math.floor(start) for start, end in itertools.pairwise(ends)]
    costs = [
        least * (_TASK_PARTS * number + _EMPTY_PARTS * (core % _BEGINNINGS)) for number, core in zip(tasks, members)
    ]
    mean = (tiles * size + sum(costs)) / len(members)
    cuts = itertools.accumulate((mean - cost for cost in costs[:-1]), initial=begin * size)
    places = [_round_cut(cut, size, least) for cut in cuts]
    return [*places, places[0] + tiles * size]


def _turn_circle(parts: list[BlockTask], begin: int):
    """Where parts of a circle begin, and the parts, from a place on: what lies before it comes after the last tile."""
    ends = list(itertools.accumulate(task.end - task.first for task in parts))
    placed = list(zip([0, *ends], parts))
    later = [(place + ends[-1], task) for place, task in placed if place < begin]
    return placed[len(later) :] + later


def _round_cut(cut: float, size: int, least: int):
    """A place near to a cut that leaves none of both parts of a tile shorter than so many blocks."""
    tile, first = divmod(round(cut), size)
    if first < least:
        first = least if 2 * first >= least else 0
    elif size - first < least:
        first = size - least if 2 * (size - first) >= least else size
    return tile * size + first


def _cut_tiles(tiles: list[BlockTask], cuts: list[int], merges: list[tuple[int, int, int, int]]):
    """The parts of tiles of one size, one after the other; adds the rows of those that are cut to `merges`."""
    size = tiles[0].end
    total = len(tiles) * size
    edges = sorted({*range(0, total, size), *(cut % total for cut in cuts)})
    parts = []
    for number, starts in itertools.groupby(edges, key=lambda edge: edge // size):
        tile, firsts = tiles[number], [start % size for start in starts]
        rows = range(len(merges), len(merges) + len(firsts)) if len(firsts) > 1 else [-1]
        if len(firsts) > 1:
            merges += [(*tile[:3], len(firsts) if row == rows[0] else 0) for row in rows]
        for row, (first, end) in zip(rows, itertools.pairwise([*firsts, size])):
            parts.append(tile._replace(first=first, end=end, row=row))
    return parts


def _turned(own: list[BlockTask], core: int):
    """The tasks of each head from another start than on the core before, so that cores which share a cache begin and
    end tiles at other times."""
    heads = [list(tasks) for _, tasks in itertools.groupby(own, key=lambda task: task[:2])]
    turns = [core % len(tasks) for tasks in heads]
    return [task for tasks, turn in zip(heads, turns) for task in tasks[turn:] + tasks[:turn]]


def put_off(own: list[BlockTask], core: int):
    """The tasks of a core after some that see nothing, of which the core before has another number. They have the place
    of its first task, which stores there after them."""
    return [task._replace(end=task.first) for task in own[:1]] * (core % _BEGINNINGS) + own


def _even_out(dealt: list[list[BlockTask]], least: int):
    """Cuts what cores have more than the mean off their longest task, for cores that have less: parts of at least so
    many blocks. Returns the rows of the results that are merged."""
    loads = [sum(task.end - task.first for task in own) for own in dealt]
    mean = -(-sum(loads) // len(dealt))
    if max(loads) - mean < 2 * least:
        return ()
    merges: list[tuple[int, int, int, int]] = []
    takers = [core for core, load in enumerate(loads) if mean - load >= least]
    for own, load in zip(dealt, loads):
        longest = max(own, key=lambda task: task.end - task.first, default=None)
        if longest is None or load - mean < least or not takers:
            continue
        over, end, parts = min(load - mean, longest.end - least), longest.end, []
        while over >= least and takers:
            core = takers[-1]
            size = min(over, mean - loads[core])
            # What is left over must be worth a part as well.
            size = over if over - size < least else size
            parts.append((core, end - size, end))
            loads[core] += size
            over, end = over - size, end - size
            if mean - loads[core] < least:
                takers.pop()
        if not parts:
            continue
        rows = range(len(merges), len(merges) + len(parts) + 1)
        merges += [(*longest[:3], len(rows) if row == rows[0] else 0) for row in rows]
        own[own.index(longest)] = longest._replace(end=end, row=rows[0])
        for row, (core, first, last) in zip(rows[1:], reversed(parts)):
            dealt[core].append(longest._replace(first=first, end=last, row=row))
    return tuple(merges)


def _share_groups(groups, cores: int):
    """Tasks of each core, one group after the other, and the largest cost of a core."""
    dealt: list[list] = [[] for _ in range(cores)]
    loads = None
    for group in groups:
        shared, loads = _share(group, cores, loads)
        for own, new in zip(dealt, shared):
            own += new
    return dealt, max(load for load, _ in loads or [(0, 0)])


# Shares


def _share(costs, cores: int, loads=None):
    """Gives tasks, as (minus their cost, task), to the core with the least to do, one after the other.

    Returns the tasks of each core, and the heap of the costs of cores, which another group of tasks can go on from.
    """
    loads = loads or [(0, core) for core in range(cores)]
    dealt: list[list] = [[] for _ in range(cores)]
    for cost, task in costs:
        load, core = heapq.heappop(loads)
        dealt[core].append(task)
        heapq.heappush(loads, (load - cost, core))
    return dealt, loads


def list_tasks(dealt):
    """The tasks of all cores one after the other, and where those of each core begin and end."""
    ends = [0, *itertools.accumulate(len(tasks) for tasks in dealt)]
    return tuple(itertools.chain(*dealt)), tuple(itertools.pairwise(ends))
