"""How checked calls of paged attention reach the kernel: its options and its plan, and calls that are made again."""

from __future__ import annotations

import functools
from typing import NamedTuple

import torch

from .. import config, memory
from .._host import PagedCall, PagedCalls, Violation
from ..call.layout import address_of
from ..call.planning import Plan
from . import _dispatch
from ._lists import core_count
from ._pages import Lists, Rows, cached_tokens, lists_of_lengths, lists_of_shape, page_cuts
from ._readable import unreadable
from ._repeats import PLAIN_NUMBERS


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


# Calls that are made again

# The arrays of a call, in this order, which is that of roles in `PagedCall.keep`; outputs follow.
_ARRAYS = ("q", "k", "v", "table", "lens")
_OUTPUTS = ("o", "lse")
# So many plans of one call are kept.
_MOST_PLANS = 100


class _Planned(NamedTuple):
    """How a call is launched with so many pages of each sequence."""

    plan: Plan
    lists: Lists
    # What the plan takes between arrays and outputs.
    others: tuple
    # What `PagedCall.keep` takes after numbers of threads and pages; None where it cannot be launched natively.
    native: tuple | None


_calls = PagedCalls(torch.Tensor, torch.empty_like, functools.partial(torch.empty, dtype=torch.float32, device="cpu"))


def call_again(arrays: tuple, numbers: tuple):
    """What a call on a CPU returns that was made before, with other addresses and elements of its arrays (q, keys,
    values, table and lengths); None where it must be made as the first one was, which also says what is wrong."""
    try:
        return _calls.run(arrays, numbers, torch.get_num_threads(), config.check_index)
    except Violation:
        return None


def keep(arrays: tuple, numbers: tuple, repeat: Repeat):
    """Has calls of this form made by `call_again` from now on."""
    if all(type(number) in PLAIN_NUMBERS for number in numbers):
        _calls.add(arrays, numbers, repeat, repeat.returns_lse)
        _dispatch.keep_paged_calls(_calls)


class Repeat:
    """A call on a CPU that is made again, with one new token for each sequence that sees all others.

    Only addresses and elements of its arrays are new, and how many pages sequences have. What has no parts to be merged
    is launched natively once it is planned.
    """

    def __init__(self, queries, k_cache, heads: int, numbers, cuts, returns_lse: bool):
        self._rows, self._heads, self._cuts = Rows(queries, k_cache.shape[2], heads), heads, cuts
        self._options = kernel_options(self._rows, 1, k_cache, *numbers)
        self.returns_lse = returns_lse
        # By the number of cores and those of pages.
        self._planned: dict[tuple[int, ...], _Planned] = {}

    @staticmethod
    def suits(q, k_cache, v_cache, block_table, lengths):
        """Whether a call with these arrays can be made again: the kernel reads them where they are."""
        arrays = q, k_cache, v_cache, block_table, lengths
        if not all(isinstance(array, torch.Tensor) and array.device.type == "cpu" for array in arrays):
            return False
        is_there = all(array.numel() for array in arrays)
        return is_there and q.dim() == 3 and lengths.dtype == torch.int32 and not unreadable(arrays)

    def __call__(self, native: PagedCall, q, k_cache, v_cache, table, lengths):
        """What the call returns, with lengths and a table that were looked through; tells `native` how to launch it."""
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        lse = torch.empty((*q.shape[:2], 1), dtype=torch.float32, device=q.device)
        key = (core_count(q.device), *[-(-number // k_cache.shape[1]) for number in lengths.tolist()])
        planned = self._planned.get(key)
        if planned is None:
            planned = self._plan(key, q, k_cache, v_cache, table, lengths, out, lse)
        if planned.native is not None:
            native.keep(key[0], key[1:], *planned.native)
        arrays = self._rows.readable(q.unsqueeze(1)), k_cache, v_cache, table, lengths
        with self._outputs(out, lse, planned.lists) as outputs:
            planned.plan.run((*arrays, *planned.others, *outputs.values()))
        return (out, lse[..., 0]) if self.returns_lse else out

    def _plan(self, key, q, k_cache, v_cache, table, lengths, out, lse):
        if len(self._planned) >= _MOST_PLANS:
            self._planned.clear()
        left = self._options["left"]
        lists = plan_lists(self._rows, self._heads, k_cache, table, lengths, None, left, *self._cuts)
        arrays = dict(zip(_ARRAYS, (self._rows.readable(q.unsqueeze(1)), k_cache, v_cache, table, lengths)))
        with self._outputs(out, lse, lists) as outputs:
            plan, values = _dispatch.plan_paged(arrays, lists, self._options, outputs)
            others = values[len(arrays) : len(values) - len(outputs)]
            names = [*arrays, *[None] * len(others), *outputs]
        native = _native(plan, values, names, others) if lists.merges is None and q.is_contiguous() else None
        return self._planned.setdefault(key, _Planned(plan, lists, others, native))

    def _outputs(self, out, lse, lists: Lists):
        budget = memory.Budget("paged_attention", memory.FORWARD_PERCENT, out.device)
        return self._rows.outputs(budget, out.unsqueeze(1), lse, lists)


def _native(plan: Plan, values: tuple, names: list, others: tuple):
    """How a call is launched natively: `names` are those of values that calls have, and `others` the values that all
    calls share. None where a call is more than a launch."""
    found = plan.find_launch(values)
    if found is None or found[0].native is None:
        return None
    launch, places, floats = found
    roles = {name: role for role, name in enumerate((*_ARRAYS, *_OUTPUTS))}
    sources = [(roles.get(names[place]), address_of(values[place])) for place in places]
    return launch.native, sources, [*map(float, floats)], (launch, others)
