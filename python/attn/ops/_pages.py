"""Queries of paged attention as the rows of products, and plans as lists in memory."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from .. import _host, memory
from ..planning import PagedPlan, paged_plan
from ._lists import listed
from ._readable import is_readable

MOST_ROWS = 128
# On a chip, so many rows are one tile, so that keys and values are loaded once for all of them; beyond that tiles of
# MOST_ROWS are predicted to be faster. Above the fewest, tiles have as many rows as strips divide well: those that
# there are not cost less than short strips.
_STRIP_ROWS = MOST_ROWS // 2
_TALL_ROWS, _WIDE_TALL_ROWS, _FEW_ROWS = 4 * _STRIP_ROWS, 3 * _STRIP_ROWS, 80
# Of L1, for the pages of heads that are loaded together: keys and values twice each, and as much again for the rest.
_PAGE_SHARE = 2 * 2 * 2


class Rows:
    """How queries [B, T, Nq, D] of T new tokens become rows [B, Nkv, T * G, D], of which G heads share keys.

    With `together`, the rows of so many heads of keys follow each other: [B, Nkv / together, together * T * G, D].
    """

    def __init__(self, q, kv_heads: int, together: int = 1):
        self.batch, self.tokens, heads, self.width = q.shape
        self.kv_heads, self.group, self.together = kv_heads, heads // kv_heads, together
        count = self.tokens * self.group
        # Of all tiles, only the last may have fewer rows.
        self.tile = _host_tile(count) if q.device.type == "cpu" else _chip_tile(count, self.width, q.element_size())
        self.tiles = -(-count // max(1, self.tile))
        self.is_short = self.tiles * self.tile != count

    def of(self, tensor):
        """[B, T, Nq, ...] as [B, Nkv, T, G, ...]: a view."""
        return tensor.unflatten(2, (self.kv_heads, self.group)).transpose(1, 2)

    def merged(self, tensor):
        """[B, Nkv, T, G, ...] with the last three dims of these made one, or None where that needs a copy."""
        heads, count = self.kv_heads // self.together, self.together * self.tokens * self.group
        if self.tokens > 1 and tensor.stride(2) != self.group * tensor.stride(3):
            return None
        if self.together > 1 and self.tokens > 1 and tensor.stride(1) != self.tokens * tensor.stride(2):
            return None
        return tensor.view(self.batch, heads, count, *tensor.shape[4:])

    def readable(self, q):
        """The queries as rows, copied where they do not lie like that."""
        rows = self.of(q)
        merged = self.merged(rows)
        if merged is None:
            copy = memory.empty(rows.shape, q.dtype, q.device)
            merged = self.merged(copy.copy_(rows))
        return merged

    @contextlib.contextmanager
    def outputs(self, budget: memory.Budget, out, lse, lists: Lists):
        """What the kernel writes, by name: views of `out` [B, T, Nq, D] and `lse` [B, Nq, T], or copies for them."""
        places = dict(o=self.of(out), lse=lse.unflatten(1, (self.kv_heads, self.group)).transpose(2, 3))
        views = {name: self.merged(place) for name, place in places.items()}
        if not is_readable(out):
            views["o"] = None
        copied = [name for name, view in views.items() if view is None]
        heads, count = self.kv_heads // self.together, self.together * self.tokens * self.group
        parts = (0 if lists.merges is None else len(lists.merges), heads, count)
        with budget.take(sum(places[name].nbytes for name in copied) + 4 * math.prod(parts) * (self.width + 1)):
            for name in copied:
                views[name] = self.merged(memory.empty(places[name].shape, places[name].dtype, out.device))
            if lists.merges is not None:
                views["po"] = memory.empty((*parts, self.width), torch.float32, out.device)
                views["pl"] = memory.empty(parts, torch.float32, out.device)
            yield views
            for name in copied:
                places[name].copy_(views[name].view(places[name].shape))

    def spread_sinks(self, sinks):
        """Sinks [Nq] as those of rows, [Nkv, T * G]."""
        heads = sinks.view(self.kv_heads, 1, self.group)
        if self.tokens == 1:
            return heads[:, 0]
        copy = memory.empty((self.kv_heads, self.tokens, self.group), sinks.dtype, sinks.device)
        return copy.copy_(heads.expand(copy.shape)).view(self.kv_heads, -1)


def _host_tile(rows: int):
    """The rows of tiles for a CPU, which differ by as little as they can."""
    return -(-rows // max(1, -(-rows // MOST_ROWS)))


def _chip_tile(rows: int, width: int, item_bytes: int):
    """The rows of tiles for a chip."""
    if rows <= _FEW_ROWS:
        return rows
    most = _TALL_ROWS if item_bytes == 2 and width <= MOST_ROWS else _WIDE_TALL_ROWS
    return MOST_ROWS if rows > most else -(-rows // _STRIP_ROWS) * _STRIP_ROWS


def page_cuts(k_cache, together: int = 1):
    """Into how many parts the keys and values of a page are cut: equal ones of whole fractals, of which L1 holds two of
    each. A CPU takes whole pages, or few tokens with all heads together."""
    _, tokens, heads, width = k_cache.shape
    fractals, token_bytes = tokens // _host.FRACTAL_ROWS, width * k_cache.element_size()
    most = _host.MEMORY_BYTES["l1"] // 4
    if k_cache.device.type == "cpu":
        if together == 1:
            return 1
        token_bytes, most = heads * token_bytes, _FOLLOWED_BYTES
    fitting = (cuts for cuts in range(1, fractals + 1) if fractals % cuts == 0)
    return next(cuts for cuts in fitting if tokens // cuts * token_bytes <= most or cuts == fractals)


# The tokens that a CPU goes through with all heads: so many bytes of keys, or the fewest that a page may have. More
# tokens share what is done once for all of them, but where heads are read one after the other, a processor reads ahead
# in some dozen pages of 4 KiB at a time, and not where the rows of a head lie in more.
_FOLLOWED_BYTES = 1 << 18
# The most rows of a head for that.
_MOST_ROWS_TOGETHER = 8


def heads_together(rows: Rows, k_cache, v_cache):
    """How many heads of keys are computed together, where all of them see the same.

    A CPU takes all of them where each has few rows: it reads the tokens of a page one after the other then. Where the
    heads of a token lie apart as well, so that results do not depend on strides.

    An NPU loads 1 or 2 at a time: rows of one head that are shorter than a line of L2 take as long as a line. Two heads
    must be a small product, of the rows of one fractal, and their pages must fit L1.
    """
    _, page, heads, width = k_cache.shape
    if k_cache.device.type == "cpu":
        return heads if rows.tokens * rows.group <= _MOST_ROWS_TOGETHER else 1
    row_bytes = width * k_cache.element_size()
    near = all(cache.stride(2) == width for cache in (k_cache, v_cache))
    fits = 2 * page * row_bytes * _PAGE_SHARE <= _host.MEMORY_BYTES["l1"]
    small = 2 * rows.tile <= _host.FRACTAL_ROWS and row_bytes < _host.L2_LINE_BYTES
    return 2 if heads % 2 == 0 and near and small and fits and rows.tokens == 1 else 1


# Of the caches of a CPU, for the keys and values of a part: a quarter of the last one on many machines. A core asks for
# the next page of a head while it computes with one, so that shorter parts have more first pages, which it waits for.
_CPU_CACHE_BYTES = 8 << 20


def cached_tokens(k_cache, together: int):
    """How many tokens of all heads the caches of a CPU hold; None for an NPU, and where heads are computed together.

    What a CPU reads ahead beyond the row of a head is of the next heads: it is used only if they are computed soon.
    """
    if k_cache.device.type != "cpu" or together > 1:
        return None
    token_bytes = 2 * k_cache[0, 0].numel() * k_cache.element_size()
    return max(1, _CPU_CACHE_BYTES // token_bytes)


def paired(cache, heads: int):
    """Pages [N, S, Nkv, D] seen as [N, S, Nkv / heads, heads * D]."""
    pages, size, count, width = cache.shape
    return cache if heads == 1 else cache.view(pages, size, count // heads, heads * width)


class Lists(NamedTuple):
    """A plan as the kernel reads it: lists of int32 on a device."""

    shares: Tensor
    tasks: Tensor
    merges: Tensor | None
    run: int

    @classmethod
    def of(cls, plan: PagedPlan, device):
        shares, tasks, merges = listed(plan, device)
        return cls(shares, tasks, merges, plan.run)


def given_lists(plan: PagedPlan, device, rows: Rows, heads: int):
    """The lists of a plan that the caller has made, with so many heads of keys at a time; ValueError unless it is one
    for these rows."""
    return _checked_lists(plan, device, rows.batch, rows.kv_heads, rows.tiles, heads)


@functools.lru_cache(maxsize=64)
def _checked_lists(plan: PagedPlan, device, sequences: int, kv_heads: int, tiles: int, heads: int):
    planned = {(task.sequence, task.head, task.tile) for task in plan.tasks}
    if planned != {*itertools.product(range(sequences), range(kv_heads), range(tiles))}:
        raise ValueError(f"plan: it must be for {sequences} sequences, {kv_heads} kv_heads and {tiles} row_tiles")
    return Lists.of(plan if heads == 1 else plan.for_heads(kv_heads // heads), device)


def lists_of_lengths(lengths, device, *, block_size: int, **options):
    """The lists of a plan for lengths that the host knows: the same for as many pages."""
    pages = tuple(-(-length // block_size) for length in lengths)
    return _lists_of_pages(pages, device, block_size=block_size, **options)


@functools.lru_cache(maxsize=64)
def _lists_of_pages(pages: tuple[int, ...], device, *, block_size: int, **options):
    plan = paged_plan([count * block_size for count in pages], block_size=block_size, **options)
    return Lists.of(plan, device)


@functools.lru_cache(maxsize=64)
def lists_of_shape(sequences: int, tokens: int, device, **options):
    """The lists of a plan for sequences whose lengths only the device knows, up to so many tokens."""
    return Lists.of(paged_plan([tokens] * sequences, **options), device)
