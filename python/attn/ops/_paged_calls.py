"""How checked calls of paged attention reach the kernel: its options and its plan, and calls that are made again."""

from __future__ import annotations

from typing import NamedTuple

import torch

from .. import config, memory
from .._host import find_wrong_page
from ..call.planning import Plan
from . import _dispatch
from ._lists import core_count
from ._pages import Lists, Rows, cached_tokens, lists_of_lengths, lists_of_shape, page_cuts
from ._readable import unreadable


def kernel_options(rows: Rows, loaded: int, k_cache, scale: float, left: int, softcap: float):
    """What the kernel takes beside arrays and a plan; so many heads are `loaded` at a time."""
    options = dict(scale=scale, left=left, softcap=softcap, R=rows.tile, G=rows.group, T=rows.tokens, heads=loaded)
    return dict(options, inner=rows.together, short=rows.is_short, cuts=page_cuts(k_cache, rows.together))


def plan_lists(
    rows: Rows, heads: int, k_cache, block_table, context_lens, kept, left: int, num_splits, batch_invariant: bool
):
    """The lists of a plan: by the lengths where the host has them, else by what the table has room for."""
    page = k_cache.shape[1]
    options = dict(
        block_size=page, kv_heads=rows.kv_heads // heads, cores=core_count(block_table.device), num_splits=num_splits,
        row_tiles=rows.tiles, batch_invariant=batch_invariant, cached_tokens=cached_tokens(k_cache, rows.together),
    )  # fmt: skip
    seen = most_seen(left, rows.tokens, page)
    if context_lens.device.type != "cpu":
        room = block_table.shape[1] * page
        return lists_of_shape(rows.batch, room if seen is None else min(room, seen), block_table.device, **options)
    if kept is not None and kept.device.type == "cpu":
        lengths = [page * max(counts) for counts in kept.tolist()]
    else:
        lengths = context_lens.tolist() if seen is None else context_lens.clamp(max=seen).tolist()
    return lists_of_lengths(lengths, block_table.device, **options)


def most_seen(left: int, tokens: int, page: int):
    """The most tokens that new ones see by their window, which may begin within a page; None where that is all."""
    return None if left < 0 else left + tokens + page


# So many plans of one call are kept.
_MOST_PLANS = 100


class _Planned(NamedTuple):
    """How a call is launched with so many pages of each sequence."""

    plan: Plan
    lists: Lists
    # What the plan takes between arrays and outputs.
    others: tuple


class Repeat:
    """A call on a CPU that is made again, with one new token for each sequence that sees all others.

    Only addresses and elements of its tensors are new, and how many pages sequences have.
    """

    def __init__(self, queries, k_cache, heads: int, numbers, cuts, return_lse: bool):
        self._rows, self._heads, self._cuts = Rows(queries, k_cache.shape[2], heads), heads, cuts
        self._options = kernel_options(self._rows, 1, k_cache, *numbers)
        self._return_lse = return_lse
        # By the number of cores and those of pages.
        self._planned: dict[tuple[int, ...], _Planned] = {}

    @staticmethod
    def suits(q, k_cache, v_cache, block_table, lengths):
        """Whether a call with these arrays can be made again: the kernel reads them where they are."""
        arrays = q, k_cache, v_cache, block_table, lengths
        is_there = all(array.numel() for array in arrays)
        return is_there and q.dim() == 3 and lengths.dtype == torch.int32 and not unreadable(arrays)

    def run(self, q, k_cache, v_cache, table, lengths):
        """What the call returns; None where it must be made as the first one was, which says what is wrong."""
        numbers, (blocks, size) = lengths.tolist(), k_cache.shape[:2]
        if config.check_index and not _are_there(numbers, table, size, blocks):
            return None
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        lse = torch.empty((*q.shape[:2], 1), dtype=torch.float32, device=q.device)
        key = (core_count(q.device), *[-(-number // size) for number in numbers])
        planned = self._planned.get(key)
        if planned is None:
            planned = self._plan(key, q, k_cache, v_cache, table, lengths, out, lse)
        arrays = table, lengths, q, k_cache, v_cache, *planned.others
        if planned.lists.merges is None:
            planned.plan.run((*arrays, out, lse))
        else:
            with self._outputs(out, lse, planned.lists) as outputs:
                planned.plan.run((*arrays, *outputs.values()))
        return (out, lse[..., 0]) if self._return_lse else out

    def _plan(self, key, q, k_cache, v_cache, table, lengths, out, lse):
        if len(self._planned) >= _MOST_PLANS:
            self._planned.clear()
        left = self._options["left"]
        lists = plan_lists(self._rows, self._heads, k_cache, table, lengths, None, left, *self._cuts)
        arrays = dict(table=table, lens=lengths, q=self._rows.readable(q.unsqueeze(1)), k=k_cache, v=v_cache)
        with self._outputs(out, lse, lists) as outputs:
            plan, values = _dispatch.plan_paged(arrays, lists, self._options, outputs)
            others = values[len(arrays) : len(values) - len(outputs)]
        return self._planned.setdefault(key, _Planned(plan, lists, others))

    def _outputs(self, out, lse, lists: Lists):
        budget = memory.Budget("paged_attention", memory.FORWARD_PERCENT, out.device)
        return self._rows.outputs(budget, out.unsqueeze(1), lse, lists)


def _are_there(lengths, table, size: int, blocks: int):
    """Whether the table has room for all lengths, and names a block for each of their pages."""
    if min(lengths) < 0 or max(lengths) > table.shape[1] * size:
        return False
    return find_wrong_page(table.data_ptr(), table.stride(), lengths, size, blocks) is None
