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


def count_listed(lists: Tensor, size: int, total: int, lens: Tensor | None):
    """How many entries of each list [B, H, R, W] name a block of `size` among the first lens[b], or all `total`.

    Where the lists are on an NPU it is counted there; then entries that are not in their order count as well.
    """
    if lists.device.type != "cpu":
        return _count_on_device(lists, size, total, lens)
    limit = torch.full((lists.shape[0],), total) if lens is None else lens
    blocks = ((limit + size - 1) // size).view(-1, 1, 1, 1)
    ids = lists.to(torch.int32)
    kept = (ids >= 0) & (ids < blocks)
    return kept.to(torch.int32).cumprod(-1).sum(-1, dtype=torch.int32)


def _count_on_device(lists: Tensor, size: int, total: int, lens: Tensor | None):
    """By a kernel, which takes integers of 32 bits."""
    once = lists
    for dim in range(lists.dim() - 1):  # lists that are the same in memory are copied once
        if lists.stride(dim) == 0:
            once = once.narrow(dim, 0, 1)
    ids = memory.empty(once.shape, torch.int32, lists.device).copy_(once).expand(lists.shape)
    counts = memory.empty(lists.shape[:-1], torch.int32, lists.device)
    _dispatch.count_listed(ids, size, total, lens, counts)
    return counts


# Plans


def listed(plan, device):
    """Shares, tasks and merges of a plan as tensors of int32 on a device; None for what there is not."""

    def tensor(rows):
        return torch.tensor(rows, dtype=torch.int32).to(device) if rows else None

    return tensor(plan.shares), tensor(plan.tasks), tensor(plan.merges)


class BlockLists(NamedTuple):
    """A plan of tiles as the kernel of block-sparse attention reads it."""

    shares: Tensor
    tasks: Tensor
    merges: Tensor | None

    @classmethod
    def of(cls, plan: BlockPlan, device):
        return cls(*listed(plan, device))


def core_count(device):
    """How many cores share the tasks of a launch: groups of a chip, or threads."""
    if device.type == "cpu":
        return torch.get_num_threads()
    from ..runtime import environment

    return environment.acl().group_count(device.index)
