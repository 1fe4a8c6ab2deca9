"""Lists of blocks and pages, ascending and padded at their end: checks of them, and how many entries each has."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .. import memory
from ..block_index import PAD_U16
from ..planning import BlockPlan
from . import _dispatch


def check_lists(name: str, lists: Tensor, blocks: int, dims):
    """ValueError for the first entry that names nothing, is not above the one before it, or comes after the padding.

    `dims` are what the dimensions of the lists are called.
    """
    ids = lists.cpu().to(torch.int32)
    if ids.shape[-1] == 0:
        return
    padding = (ids == PAD_U16) | (ids == -1)
    outside = ~padding & ((ids < 0) | (ids >= blocks))
    before, follows = ids[..., :-1], torch.zeros_like(padding)
    follows[..., 1:] = ~padding[..., 1:] & padding[..., :-1]
    unordered = torch.zeros_like(padding)
    unordered[..., 1:] = ~padding[..., 1:] & ~padding[..., :-1] & (ids[..., 1:] <= before)
    reasons = [
        (outside, f"must be 0 to {blocks - 1}"),
        (follows, "follows padding"),
        (unordered, "must be above the entry before it"),
    ]
    for wrong, reason in reasons:
        places = wrong.nonzero()
        if len(places):
            place = places[0].tolist()
            at = ", ".join(f"{dim} {number}" for dim, number in zip(dims, place, strict=True))
            raise ValueError(f"{name}: {int(ids[tuple(place)])} ({at}) {reason}")


class Tiles(NamedTuple):
    """The queries that lists are of: `per_list` tiles of so many `rows` for each list, of `queries` in all.

    Causal, a tile sees keys up to its last query, and the last of `lens` queries sees the last key.
    """

    rows: int
    per_list: int
    queries: int
    causal: bool
    lens: Tensor | None


def count_listed(lists: Tensor, size: int, total: int, lens: Tensor | None, tiles: Tiles | None = None):
    """How many entries of each list [B, H, R, W] name a block of `size` among the first lens[b], or all `total`: [B, H,
    R], or [B, H, X] for X tiles.

    Where the lists are on an NPU it is counted there; then entries that are not in their order count as well.
    """
    count = _count_on_host if lists.device.type == "cpu" else _count_on_device
    return count(lists, size, total, lens, tiles or Tiles(1, 1, lists.shape[2], False, None))


def _once(lists: Tensor):
    """Lists that are the same in memory, one time each."""
    for dim in range(lists.dim() - 1):
        if lists.stride(dim) == 0:
            lists = lists.narrow(dim, 0, 1)
    return lists


def _count_on_host(lists: Tensor, size: int, total: int, lens: Tensor | None, tiles: Tiles):
    batch, heads, rows, _ = lists.shape
    ids = _once(lists).to(torch.int32)
    limit = torch.full((1,), total, device="cpu") if lens is None else lens
    kept = (ids >= 0) & (ids < (-(-limit // size)).view(-1, 1, 1, 1))
    counts = kept.to(torch.int32).cumprod(-1).sum(-1, dtype=torch.int32)
    counts = counts.expand(batch, heads, rows).repeat_interleave(tiles.per_list, -1)
    if tiles.causal:
        queries = tiles.queries if tiles.lens is None else tiles.lens.view(-1, 1)
        ends = torch.arange(1, rows * tiles.per_list + 1, device="cpu") * tiles.rows + (limit.view(-1, 1) - queries)
        blocks = (-(-ends.clamp(min=0) // size)).to(torch.int32)
        places = (-1, 1, *((1, rows * tiles.per_list) if ids.shape[2] == 1 else (rows, tiles.per_list)))
        lead = max(len(ids), len(blocks)), *ids.shape[1:3]
        ids = torch.where(ids < 0, PAD_U16, ids).expand(*lead, -1).contiguous()
        blocks = blocks.view(places).expand(*lead, -1).contiguous()
        counts = counts.minimum(torch.searchsorted(ids, blocks, out_int32=True).flatten(2))
    return counts[..., : -(-tiles.queries // tiles.rows)].contiguous()


def _count_on_device(lists: Tensor, size: int, total: int, lens: Tensor | None, tiles: Tiles):
    """By a kernel, which takes integers of 32 bits."""
    once, (batch, heads, rows, _) = _once(lists), lists.shape
    ids = memory.empty(once.shape, torch.int32, lists.device).copy_(once).expand(lists.shape)
    counts = memory.empty((batch, heads, rows, tiles.per_list), torch.int32, lists.device)
    _dispatch.count_listed(ids, size, total, lens, tiles, counts)
    counts, needed = counts.view(batch, heads, -1), -(-tiles.queries // tiles.rows)
    if counts.shape[2] == needed:
        return counts
    return memory.empty((batch, heads, needed), torch.int32, lists.device).copy_(counts[..., :needed])


# Plans


def listed(plan, device):
    """Shares, tasks and merges of a plan as tensors of int32 on a device; None for what there is not."""

    def tensor(rows):
        return torch.tensor(rows, dtype=torch.int32, device="cpu").to(device) if rows else None

    return tensor(plan.shares), tensor(plan.tasks), tensor(plan.merges)


class BlockLists(NamedTuple):
    """A plan of tiles as the kernel of block-sparse attention reads it."""

    shares: Tensor
    tasks: Tensor
    merges: Tensor | None

    @classmethod
    def of(cls, plan: BlockPlan, device):
        return cls(*listed(plan, device))

    @classmethod
    def dealt(cls, counts: Tensor):
        """A plan by counts [B, H, X] that only the device knows, made there: cores get as many blocks."""
        cores, tiles, device = core_count(counts.device), counts.numel(), counts.device
        rows = dict(shares=(cores, 2), tasks=(tiles + 2 * cores, 6), merges=(2 * cores, 4))
        made = {name: memory.empty(shape, torch.int32, device) for name, shape in rows.items()}
        numbers = [memory.empty((size,), torch.int32, device) for size in (tiles, 2 * cores)]
        _dispatch.deal_blocks(counts, cores, dict(made, before=numbers[0], starts=numbers[1]))
        return cls(**made)


def core_count(device):
    """How many cores share the tasks of a launch: groups of a chip, or threads."""
    if device.type == "cpu":
        return torch.get_num_threads()
    from ..runtime import environment

    return environment.acl().group_count(device.index)
