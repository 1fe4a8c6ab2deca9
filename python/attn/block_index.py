"""Lists of kept blocks, for `attn.ops.block_sparse_attention`, from other forms of block masks.

An index is [..., R, W]: a row of it lists the blocks of keys that a block of queries sees, ascending, and is padded
with -1. `from_mask`, `from_npu_mask` and `from_csr` make one from a mask of blocks, `from_block_mask` from a mask of
`torch.nn.attention.flex_attention`, and `random_index` for benchmarks.
"""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import torch
from torch import Tensor

PAD = -1
# How 16 bits spell the padding; an int32 index may use it as well.
PAD_U16 = 0xFFFF


class BlockIndex(NamedTuple):
    """What a mask says, by the names of the operator: `block_sparse_attention(q, k, v, **index._asdict())`."""

    block_index: Tensor
    block_shape: tuple[int, int]
    causal: bool


def from_mask(mask: Tensor):
    """From a mask [..., R, C] of bool: which blocks of keys each block of queries sees."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.dim() < 2:
        raise TypeError(f"mask: a tensor of torch.bool [..., R, C] is expected, not {_describe(mask)}")
    columns = torch.arange(mask.shape[-1], dtype=torch.int32, device=mask.device)
    # Kept ids are below all others, so that sorting brings them to the front in their order.
    beyond = mask.shape[-1]
    ids = torch.where(mask, columns, beyond).sort(-1).values
    return torch.where(ids < beyond, ids, PAD).to(torch.int32)


def from_npu_mask(mask: Tensor):
    """From the mask of `torch_npu.npu_block_sparse_attention`: int8 [B, N, R, C], 1 for what is seen."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.int8 or mask.dim() != 4:
        raise TypeError(f"mask: a tensor of torch.int8 [B, N, R, C] is expected, not {_describe(mask)}")
    strange = ((mask != 0) & (mask != 1)).nonzero()
    if len(strange):
        place = strange[0].tolist()
        raise ValueError(f"mask: {int(mask[tuple(place)])} at {place} is neither 0 nor 1")
    return from_mask(mask.bool())


def from_csr(indptr: Tensor, indices: Tensor):
    """From lists one after the other: row r has `indices[indptr[r]:indptr[r + 1]]`.

    `indptr` is [..., R + 1] and `indices` [..., NNZ], with the same leading dimensions. Ids may be in any order.
    """
    for name, tensor in (("indptr", indptr), ("indices", indices)):
        if not isinstance(tensor, Tensor) or tensor.dtype not in (torch.int32, torch.int64) or tensor.dim() < 1:
            raise TypeError(f"{name}: a tensor of torch.int32 or int64 is expected, not {_describe(tensor)}")
    if indptr.shape[:-1] != indices.shape[:-1] or indptr.shape[-1] == 0:
        raise ValueError(
            f"indptr {tuple(indptr.shape)} and indices {tuple(indices.shape)} must be [..., R + 1] and [..., NNZ]"
        )
    counts = indptr.diff(dim=-1)
    if (
        bool((counts < 0).any())
        or bool((indptr[..., 0] != 0).any())
        or bool((indptr[..., -1] > indices.shape[-1]).any())
    ):
        raise ValueError(f"indptr must ascend from 0 to at most {indices.shape[-1]}, the number of indices")
    width = int(counts.max()) if counts.numel() else 0
    places = indptr[..., :-1, None] + torch.arange(width, device=indptr.device)
    listed = torch.arange(width, device=indptr.device) < counts[..., None]
    flat = torch.where(listed, places, 0).flatten(-2).long()
    last = torch.iinfo(torch.int32).max
    ids = indices.gather(-1, flat).unflatten(-1, places.shape[-2:]) if width else places
    ids = torch.where(listed, ids, last).sort(-1).values
    return torch.where(ids != last, ids, PAD).to(torch.int32)


# BlockMask


def from_block_mask(mask):
    """From a `torch.nn.attention.flex_attention.BlockMask`.

    Blocks that it computes with its `mask_mod` must be whole, empty, or what a causal mask leaves of them: each is
    evaluated. Any other mask raises `NotImplementedError`; nothing of it is ignored.
    """
    from torch.nn.attention.flex_attention import BlockMask

    if not isinstance(mask, BlockMask):
        raise TypeError(f"mask: a BlockMask is expected, not {type(mask).__name__}")
    queries, keys = mask.seq_lengths
    kept = torch.zeros(mask.kv_indices.shape, dtype=torch.bool, device=mask.kv_indices.device)
    if mask.full_kv_indices is not None:
        _set_listed(kept, mask.full_kv_num_blocks, mask.full_kv_indices)
    partial = torch.zeros_like(kept)
    _set_listed(partial, mask.kv_num_blocks, mask.kv_indices)
    cut = []
    for place in partial.nonzero().tolist():
        allowed, causal = _evaluate(mask, place, queries, keys)
        if bool(allowed.all()):
            kept[tuple(place)] = True
        elif torch.equal(allowed, causal):
            cut.append(place)
        elif bool(allowed.any()):
            raise NotImplementedError(
                f"mask: block {place[2:]} of batch {place[0]} and head {place[1]} is neither whole nor causal"
            )
    if cut:
        _check_below_diagonal(kept, mask.BLOCK_SIZE, queries, keys)
    for place in cut:
        kept[tuple(place)] = True
    return BlockIndex(from_mask(kept), tuple(mask.BLOCK_SIZE), bool(cut))


def _set_listed(kept: Tensor, counts: Tensor, indices: Tensor):
    """Sets those blocks that the first ids of each row name."""
    listed = torch.arange(indices.shape[-1], device=indices.device) < counts[..., None]
    kept.scatter_(-1, indices.long(), listed)


def _evaluate(mask, place, queries: int, keys: int):
    """Which scores of a block its `mask_mod` takes, and which a causal mask would."""
    batch, head, row, column = place
    rows, columns = mask.BLOCK_SIZE
    device = mask.kv_indices.device
    i = torch.arange(row * rows, min((row + 1) * rows, queries), device=device)[:, None]
    j = torch.arange(column * columns, min((column + 1) * columns, keys), device=device)[None, :]
    allowed = mask.mask_mod(torch.tensor(batch, device=device), torch.tensor(head, device=device), i, j)
    causal = j <= i + (keys - queries)
    return allowed.expand(causal.shape), causal


def _check_below_diagonal(kept: Tensor, block_shape, queries: int, keys: int):
    """A causal kernel masks all blocks, so whole ones must lie below its diagonal."""
    rows, columns = block_shape
    first = torch.arange(kept.shape[-2], device=kept.device)[:, None] * rows
    last = ((torch.arange(kept.shape[-1], device=kept.device)[None, :] + 1) * columns).clamp(max=keys) - 1
    above = (kept & (last > first + (keys - queries))).nonzero()
    if len(above):
        batch, head, row, column = above[0].tolist()
        raise NotImplementedError(
            f"mask: block [{row}, {column}] of batch {batch} and head {head} is whole, while others are causal"
        )


# Benchmarks


def random_index(
    queries: int,
    keys: int,
    block_shape: tuple[int, int],
    sparsity: float,
    frame: tuple[int, int, int, int] = (0, 0, 0, 0),
    batch: int = 0,
    head: int = 0,
):
    """A random index [R, C] of one head that leaves out `sparsity` of all blocks; the same numbers on every machine.

    `frame` is how many columns of blocks on the left and right every row keeps, and how many rows of blocks at the top
    and bottom keep all; they count as kept. Raises ValueError where the frame alone keeps more.
    """
    rows, columns = math.ceil(queries / block_shape[0]), math.ceil(keys / block_shape[1])
    left, right, top, bottom = frame
    if min(frame) < 0 or max(left, right) > columns or max(top, bottom) > rows:
        raise ValueError(f"frame {frame} is larger than the {rows} x {columns} blocks")
    forced = sorted({*range(left), *range(columns - right, columns)})
    dense = {*range(top), *range(rows - bottom, rows)}
    others = rows - len(dense)
    framed = len(forced) * others + columns * len(dense)
    if rows * columns and framed / (rows * columns) > 1.0 - sparsity:
        raise ValueError(f"frame {frame} keeps {framed} of {rows * columns} blocks, more than {1.0 - sparsity}")
    drawn = math.ceil((math.floor(rows * columns * (1.0 - sparsity)) - framed) / others) if others else 0
    free = [column for column in range(columns) if column not in forced]
    generator = random.Random(1234 + batch + head)
    index = torch.full((rows, columns), PAD, dtype=torch.int32, device="cpu")
    for row in range(rows):
        chosen = generator.sample(free, drawn) if row not in dense and drawn > 0 else []
        ids = range(columns) if row in dense else sorted([*forced, *chosen])
        index[row, : len(ids)] = torch.tensor(list(ids), dtype=torch.int32, device="cpu")
    return index


def _describe(value):
    return f"{value.dtype} {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
