"""Block-sparse attention: `block_sparse_attention`, and how its arrays and lists reach the kernel."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import Tensor

from .. import config, memory
from ..block_index import PAD, PAD_U16
from ..planning import block_plan
from . import _dispatch
from ._attention import (
    check_arrays,
    check_flag,
    check_layout,
    check_scale,
    make_outputs,
    read_lengths,
    write_unseen,
)
from ._lists import BlockLists, Tiles, check_lists, core_count, count_listed
from ._readable import DEVICES, check_device, has_values, readable, refuse_transforms

BLOCK_SIZES = (128, 256, 512, 1024)
_MOST_BLOCKS = PAD_U16  # ids are below it
_INDEX_TYPES = (torch.uint16, torch.int32)
_SHARES_PER_THREAD = 8
# Blocks where every query sees all keys, or all up to its own, on an NPU: tiles as high and as wide as there are divide
# them, and few keys are in a block that a mask cuts through.
_DENSE_SHAPE, _CAUSAL_SHAPE = (1024, 512), (1024, 128)
# Keys of a part of a list, for which a further launch pays by predicted time.
_LEAST_KEYS = 1024


def block_sparse_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_index: Tensor | None = None,
    block_shape: tuple[int, int] = (128, 128),
    scale: float | None = None,
    causal: bool = False,
    layout: str = "BNSD",
    actual_seq_lengths: Tensor | Sequence[int] | int | None = None,
    actual_seq_lengths_kv: Tensor | Sequence[int] | int | None = None,
    return_lse: bool = False,
):
    """Softmax attention in which each block of queries sees a listed set of key blocks.

    Arrays, heads, layouts and results are those of `flash_attention`. `block_shape` is (BQ, BKV), each of 128, 256, 512
    and 1024. `block_index` is [B, H, R, W], or [H, R, W] for all of the batch, in uint16 or int32, with R = ceil(Sq /
    BQ): row r lists the blocks of keys that queries r * BQ to (r + 1) * BQ see, strictly ascending, and is padded with
    0xFFFF (int32: or -1). Without it every query sees all keys. `attn.block_index` makes lists from masks.

    The lengths, one or one for each batch entry, say how many queries and keys exist; nothing of keys and values beyond
    them counts. With `causal` the last query that exists sees up to the last key, and each before it one less.
    Queries without keys give 0 and, in the log-sum-exp, -inf.
    """
    check_layout(layout)
    check_flag("causal", causal)
    check_flag("return_lse", return_lse)
    check_arrays(q, k, v, layout)
    if layout == "BSND":
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    _check_blocks(block_shape, k.shape[2])
    q_lens = read_lengths("actual_seq_lengths", actual_seq_lengths, q.shape[2], q)
    kv_lens = read_lengths("actual_seq_lengths_kv", actual_seq_lengths_kv, k.shape[2], q)
    index = _read_index(block_index, q, k.shape[2], block_shape)
    if index is None and q.device.type != "cpu":
        block_shape = dense_shape(causal)
    refuse_transforms("block_sparse_attention", q, k, v)
    o, lse = torch.ops.attn.block_sparse(
        q, k, v, index, q_lens, kv_lens, list(block_shape), check_scale(scale, q.shape[-1]), causal
    )
    o = o.transpose(1, 2) if layout == "BSND" else o
    return (o, lse) if return_lse else o


def _check_blocks(block_shape, keys: int):
    is_pair = isinstance(block_shape, (tuple, list)) and len(block_shape) == 2
    if not is_pair or not all(isinstance(size, int) and size in BLOCK_SIZES for size in block_shape):
        raise ValueError(f"block_shape ({block_shape}) must be two of {', '.join(map(str, BLOCK_SIZES))}")
    if -(-keys // block_shape[1]) > _MOST_BLOCKS:
        raise ValueError(f"k has {keys} positions, more than {_MOST_BLOCKS} blocks of {block_shape[1]}")


def _read_index(block_index, q, keys: int, block_shape):
    """The index as [B, H, R, W], checked; None where every list has all blocks, as far as that is looked for."""
    batch, heads, queries = q.shape[:3]
    rows, columns = -(-queries // block_shape[0]), -(-keys // block_shape[1])
    if block_index is None:
        return None
    if not isinstance(block_index, Tensor) or block_index.dtype not in _INDEX_TYPES:
        what = block_index.dtype if isinstance(block_index, Tensor) else type(block_index).__name__
        raise TypeError(f"block_index: a tensor of torch.uint16 or torch.int32 is expected, not {what}")
    if block_index.device.type != "cpu":
        check_device("block_index", block_index, "q", q)
    expected = (batch, heads, rows) if block_index.dim() == 4 else (heads, rows)
    if block_index.dim() not in (3, 4) or tuple(block_index.shape[:-1]) != expected:
        raise ValueError(
            f"block_index {tuple(block_index.shape)} must be [{batch}, {heads}, {rows}, W] or [{heads}, {rows}, W]: "
            f"{rows} blocks of {block_shape[0]} queries"
        )
    if config.check_index and has_values(block_index):
        dims = ("batch", "head", "row", "position")[-block_index.dim() :]
        check_lists("block_index", block_index, columns, dims)
    if q.device.type != "cpu" and _lists_all(block_index, columns):
        return None
    return block_index.expand(batch, heads, rows, block_index.shape[-1])


def _lists_all(block_index, columns: int):
    """Whether every list of an index on the host names all blocks: ids ascend."""
    if block_index.device.type != "cpu" or not has_values(block_index) or not 0 < columns <= block_index.shape[-1]:
        return False
    return bool((block_index[..., columns - 1].to(torch.int32) == columns - 1).all())


@functools.lru_cache(maxsize=16)
def _every(columns: int, device):
    """All blocks, or where there are none padding."""
    blocks = range(columns) if columns else [PAD]
    return torch.tensor(blocks, dtype=torch.int32, device="cpu").to(device)


# The operator


@torch.library.custom_op(
    "attn::block_sparse",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, Tensor? index, Tensor? q_lens, Tensor? kv_lens, int[] block_shape, "
    "float scale, bool causal) -> (Tensor o, Tensor lse)",
    device_types=DEVICES,
)
def _forward(q, k, v, index, q_lens, kv_lens, block_shape, scale, causal):
    o, lse = make_outputs(q, v)
    if not q.numel():
        return o, lse
    if not k.numel() or (index is not None and not index.numel()):
        write_unseen(o, lse)
        return o, lse
    attend(q, k, v, index, (q_lens, kv_lens), tuple(block_shape), scale, causal, (o, lse))
    return o, lse


def dense_shape(causal: bool):
    """Queries and keys of a block where lists name all of them."""
    return _CAUSAL_SHAPE if causal else _DENSE_SHAPE


def attend_densely(q, k, v, scale: float, causal: bool, outputs):
    """Every query sees all keys, or those up to its own, on an NPU; `outputs`: o and lse."""
    attend(q, k, v, None, (None, None), dense_shape(causal), scale, causal, outputs)


def attend(q, k, v, index, lengths, block_shape, scale: float, causal: bool, outputs):
    """`index` [B, H, R, W], None for all blocks; `lengths` of queries and of keys; `outputs`: o and lse."""
    rows = _count_rows(q, v, block_shape[0], causal)
    counts, lists, seen = _plan(q, k, index, lengths, block_shape, causal, rows)
    if index is None:
        index = _every(-(-k.shape[2] // block_shape[1]), q.device).expand(*_lists_of(q, block_shape), -1)
    q_lens, kv_lens = (None if lens is None else lens.to(q.device) for lens in lengths)
    parts = 0 if lists.merges is None else len(lists.merges)
    budget = memory.Budget("block_sparse_attention", memory.FORWARD_PERCENT, q.device)
    with (
        readable(budget, q, k, v, index.to(q.device)) as (queries, keys, values, blocks),
        budget.take(4 * parts * rows * (v.shape[-1] + 1)),
    ):
        results = dict(zip(("o", "lse"), outputs))
        if parts:
            results["po"] = memory.empty((parts, rows, v.shape[-1]), torch.float32, q.device)
            results["pl"] = memory.empty((parts, rows), torch.float32, q.device)
        arrays = dict(q=queries, k=keys, v=values, index=blocks, q_lens=q_lens, kv_lens=kv_lens)
        arrays.update(counts=counts if causal else None)
        options = dict(bq=block_shape[0], bk=block_shape[1], scale=scale, causal=causal, BM=rows)
        _dispatch.block_sparse_forward(arrays, lists._asdict(), options, results, seen)


def _lists_of(q, block_shape):
    """Batch, heads and blocks of queries: what there is a list for."""
    return *q.shape[:2], -(-q.shape[2] // block_shape[0])


def _count_rows(q, v, block_queries: int, causal: bool):
    """The queries of a tile."""
    if q.device.type != "cpu" and not causal and block_queries % _dispatch.TALL_ROWS == 0:
        tiles = q.shape[0] * q.shape[1] * -(-q.shape[2] // _dispatch.TALL_ROWS)
        if _dispatch.has_tall_rows(q.shape[-1] + v.shape[-1], q.element_size(), tiles, core_count(q.device)):
            return _dispatch.TALL_ROWS
    return _dispatch.block_sparse_rows(q.shape[-1], v.shape[-1])


def _plan(q, k, index, lengths, block_shape, causal: bool, rows: int):
    """How many blocks each tile of queries sees, the lists of a plan by that, and how many keys a tile sees on the
    average: None where only the device knows the index or the lengths, which then makes the plan."""
    tiles, lists = Tiles(rows, block_shape[0] // rows, q.shape[2], causal, None), _lists_of(q, block_shape)
    if index is None and lengths == (None, None):
        return _plan_densely(lists, block_shape[1], k.shape[2], tiles, core_count(q.device), q.device)
    if index is None:
        index = _every(-(-k.shape[2] // block_shape[1]), torch.device("cpu")).expand(*lists, -1)
    known = [tensor for tensor in (index, *lengths) if tensor is not None]
    if any(tensor.device.type != "cpu" for tensor in known):
        index, *lengths = (None if x is None else x.to(q.device) for x in (index, *lengths))
    counts = count_listed(index, block_shape[1], k.shape[2], lengths[1], tiles._replace(lens=lengths[0]))
    if counts.device.type != "cpu":
        return counts, BlockLists.dealt(counts), None
    return _deal(counts, block_shape[1], core_count(q.device), q.device)


@functools.lru_cache(maxsize=64)
def _plan_densely(lists, size: int, keys: int, tiles: Tiles, cores: int, device):
    """The same for lists of all blocks: made once, so that nothing is copied to the device later."""
    index = _every(-(-keys // size), torch.device("cpu")).expand(*lists, -1)
    return _deal(count_listed(index, size, keys, None, tiles), size, cores, device)


def _deal(counts, size: int, cores: int, device):
    """What `_plan` gives, from counts on the host."""
    least: int | None = max(1, _LEAST_KEYS // size)
    if device.type == "cpu":  # threads take shares as they come: with several for each, none waits long for the last
        cores, least = max(cores, min(counts.numel(), cores * _SHARES_PER_THREAD)), None
    plan = block_plan(counts.tolist(), cores=cores, least=least)
    return counts.to(device), BlockLists.of(plan, device), size * float(counts.float().mean())


@_forward.register_fake
def _(q, k, v, index, q_lens, kv_lens, block_shape, scale, causal):
    return make_outputs(q, v)


def _refuse(ctx, *_):
    raise NotImplementedError("block_sparse_attention: gradients are not supported")


_forward.register_autograd(_refuse)
