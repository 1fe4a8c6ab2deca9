"""Paged decode attention: `paged_attention`, and how its arrays reach the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .. import config, memory
from ..planning import paged_plan
from . import _dispatch
from ._attention import check_scale, check_width
from ._readable import DEVICES, check_device, check_dtype, readable, writable

_MOST_PAGE = 512
_MOST_ROWS = 128
_PAGE_STEP = 16
_INTEGERS = (torch.int32, torch.int64)


def paged_attention(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_table: Tensor,
    context_lens: Tensor | Sequence[int],
    scale: float | None = None,
    num_splits: int | None = None,
    return_lse: bool = False,
    out: Tensor | None = None,
):
    """Attention of the newest token of each sequence over its keys and values, which lie in pages.

    q is [B, Nq, D], the caches are [nblk, bs, Nkv, D], all of one type. Page p of sequence b is block
    `block_table[b, p]` of the caches; of it the first `context_lens[b]` tokens count, and nothing beyond them is read.
    Nq is a multiple of Nkv, and Nq / Nkv heads of queries share one of keys. `scale` is D ** -0.5 unless given. Returns
    out [B, Nq, D], which is `out` where it is given, and with `return_lse` also the log-sum-exps of the scores [B, Nq]
    in f32, natural logarithms. A sequence without tokens gives 0 and -inf.

    Long sequences are cut into parts that several cores compute; `num_splits` says into how many, at most as many as
    there are pages.
    """
    _check_arrays(q, k_cache, v_cache, block_table)
    lengths = _read_lengths(context_lens, q.shape[0])
    if num_splits is not None and (not isinstance(num_splits, int) or isinstance(num_splits, bool) or num_splits < 1):
        raise ValueError(f"num_splits ({num_splits}) must be a positive integer or None")
    if config.check_index:
        _check_entries(block_table, lengths, k_cache.shape[0], k_cache.shape[1])
    if out is None:
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    else:
        _check_out(out, q)
    lse = torch.empty(q.shape[:2], dtype=torch.float32, device=q.device)
    torch.ops.attn.paged(
        out, lse, q, k_cache, v_cache, block_table, lengths, check_scale(scale, q.shape[-1]), num_splits
    )
    return (out, lse) if return_lse else out


def _check_arrays(q, k_cache, v_cache, block_table):
    caches = dict(k_cache=k_cache, v_cache=v_cache)
    for name, tensor in dict(q=q, **caches).items():
        check_dtype(name, tensor)
    shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in dict(q=q, **caches).items())
    if q.dim() != 3 or any(tensor.dim() != 4 for tensor in caches.values()):
        raise ValueError(f"{shapes} must be [B, Nq, D] and [nblk, bs, Nkv, D]")
    if not q.dtype == k_cache.dtype == v_cache.dtype:
        raise TypeError(f"q {q.dtype}, k_cache {k_cache.dtype}, v_cache {v_cache.dtype} must have the same type")
    if k_cache.shape != v_cache.shape or q.shape[2] != k_cache.shape[3]:
        raise ValueError(f"{shapes}: the caches must have one shape, and the D of q")
    for name, tensor in (*caches.items(), ("block_table", block_table)):
        if isinstance(tensor, Tensor):
            check_device(name, tensor, "q", q)
    heads, kv_heads, width, size = q.shape[1], k_cache.shape[2], q.shape[2], k_cache.shape[1]
    if kv_heads == 0 or heads % kv_heads or heads // kv_heads > _MOST_ROWS:
        raise ValueError(f"Nq ({heads}) must be a multiple of Nkv ({kv_heads}), at most {_MOST_ROWS} times as large")
    check_width("D", width)
    if not 0 < size <= _MOST_PAGE or size % _PAGE_STEP:
        raise ValueError(f"bs ({size}) must be a multiple of {_PAGE_STEP} up to {_MOST_PAGE}")
    if not isinstance(block_table, Tensor) or block_table.dtype != torch.int32 or block_table.dim() != 2:
        raise TypeError("block_table: a tensor of torch.int32 [B, maxblk] is expected")
    if block_table.shape[0] != q.shape[0]:
        raise ValueError(f"block_table {tuple(block_table.shape)} must have a row for each of {q.shape[0]} sequences")


def _read_lengths(context_lens, sequences: int):
    """The lengths as a tensor of int32, on the device that they are given on."""
    if isinstance(context_lens, Tensor):
        if context_lens.dtype not in _INTEGERS or context_lens.shape != (sequences,):
            raise ValueError(
                f"context_lens ({context_lens.dtype} {tuple(context_lens.shape)}) must be integers [{sequences}]"
            )
        return context_lens.to(torch.int32)
    lengths = list(context_lens)
    if len(lengths) != sequences or any(not isinstance(length, int) for length in lengths):
        raise ValueError(f"context_lens ({context_lens}) must be {sequences} integers")
    return torch.tensor(lengths, dtype=torch.int32)


def _check_entries(block_table, lengths, pages: int, size: int):
    """ValueError for the first length or block that does not exist; entries beyond a length may be anything."""
    if torch.compiler.is_compiling():  # no numbers are there to be looked at
        return
    limit = block_table.shape[1] * size
    for sequence, length in enumerate(lengths.tolist()):
        if not 0 <= length <= limit:
            raise ValueError(f"context_lens[{sequence}] ({length}) must be 0 to {limit}")
    used = torch.arange(block_table.shape[1]) * size < lengths[:, None]
    wrong = (used & ((block_table < 0) | (block_table >= pages))).nonzero()
    if len(wrong):
        sequence, position = wrong[0].tolist()
        entry = int(block_table[sequence, position])
        raise ValueError(f"block_table[{sequence}, {position}] ({entry}) must be 0 to {pages - 1}")


def _check_out(out, q):
    if not isinstance(out, Tensor) or out.shape != q.shape or out.dtype != q.dtype:
        raise ValueError(f"out must be a tensor of {q.dtype} {tuple(q.shape)}, as q")
    check_device("out", out, "q", q)


# The operator


@torch.library.custom_op(
    "attn::paged",
    mutates_args=("out", "lse"),
    schema="(Tensor(a!) out, Tensor(b!) lse, Tensor q, Tensor k_cache, Tensor v_cache, Tensor block_table, "
    "Tensor context_lens, float scale, int? num_splits) -> ()",
    device_types=DEVICES,
)
def _forward(out, lse, q, k_cache, v_cache, block_table, context_lens, scale, num_splits):
    if q.device.type != "cpu":
        raise NotImplementedError("paged_attention: tensors of an NPU are not supported yet")
    if not q.numel():
        return
    kv_heads, page = k_cache.shape[2], k_cache.shape[1]
    plan = paged_plan(
        context_lens.tolist(), block_size=page, kv_heads=kv_heads, cores=torch.get_num_threads(), num_splits=num_splits
    )
    budget = memory.Budget("paged_attention", memory.FORWARD_PERCENT, q.device)
    with (
        budget.take(plan.workspace_bytes(q.shape[1], q.shape[2])),
        readable(budget, q, k_cache, v_cache) as (queries, keys, values),
        writable(budget, out) as result,
    ):
        _dispatch.paged_forward(queries, keys, values, block_table, context_lens, plan, scale, (result, lse))


@_forward.register_fake
def _(out, lse, q, k_cache, v_cache, block_table, context_lens, scale, num_splits):
    return None
