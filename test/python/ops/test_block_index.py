"""Lists of kept blocks made from other forms of block masks."""

import math
import re
import zlib

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask

from attn import block_index


def draw_mask(*shape, share=0.5):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(len(shape))) < share


def unlist(index, columns):
    """The mask of blocks that an index means; what it lists twice or out of order is an error."""
    mask = torch.zeros(*index.shape[:-1], columns, dtype=torch.bool)
    for place in torch.cartesian_prod(*(torch.arange(size) for size in index.shape[:-1])).reshape(-1, index.dim() - 1):
        row = index[tuple(place)].tolist()
        ids = [entry for entry in row if entry >= 0]
        assert row == sorted(set(ids)) + [-1] * (len(row) - len(ids))
        mask[tuple(place)][ids] = True
    return mask


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 5), (2, 3, 1, 7), (2, 1, 3, 0)], ids=str)
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_from_mask(shape, share):
    mask = draw_mask(*shape, share=share)
    index = block_index.from_mask(mask)
    assert index.dtype == torch.int32 and index.shape == mask.shape
    assert torch.equal(unlist(index, shape[-1]), mask)


def test_from_npu_mask():
    mask = draw_mask(2, 3, 4, 5)
    assert torch.equal(block_index.from_npu_mask(mask.to(torch.int8)), block_index.from_mask(mask))


@pytest.mark.parametrize("shape", [(4, 5), (3, 6, 5)], ids=str)
@pytest.mark.parametrize("share", [0, 0.4, 1])
def test_from_csr(shape, share):
    mask = draw_mask(*shape, share=share)
    counts = mask.sum(-1)
    indptr = torch.nn.functional.pad(counts.cumsum(-1), (1, 0))
    indices = torch.full(
        (*shape[:-2], int(counts.sum((-2, -1)).max()) + 2 if len(shape) > 2 else int(counts.sum()) + 2), 99
    )
    for flat_mask, flat in zip(mask.reshape(-1, *shape[-2:]), indices.reshape(-1, indices.shape[-1])):
        ids = torch.cat([row.nonzero().flatten().flip(0) for row in flat_mask])  # in any order within a row
        flat[: len(ids)] = ids
    index = block_index.from_csr(indptr.to(torch.int32), indices)
    assert index.dtype == torch.int32 and index.shape[-1] == int(counts.max())
    assert torch.equal(unlist(index, shape[-1]), mask)


# BlockMask


@pytest.mark.parametrize("name, mask_mod, lengths, causal", [
    ("causal", lambda b, h, i, j: i >= j, (300, 300), True),
    ("more keys", lambda b, h, i, j: i + 100 >= j, (200, 300), True),
    ("everything", lambda b, h, i, j: i >= 0, (300, 260), False),
    ("nothing", lambda b, h, i, j: i < 0, (300, 260), False),
    ("blocks", lambda b, h, i, j: (i // 128 + j // 128 + h) % 2 == 0, (384, 512), False),
    ("causal blocks", lambda b, h, i, j: (i >= j) & ((i // 128 + j // 128) % 2 == b), (512, 512), True),
])  # fmt: skip
def test_from_block_mask(name, mask_mod, lengths, causal):
    """What the index and the flag mean together is what the mask says, element by element."""
    queries, keys = lengths
    index = block_index.from_block_mask(create_block_mask(mask_mod, 2, 3, queries, keys, device="cpu"))
    assert index.block_shape == (128, 128)
    assert index.causal == causal
    b, h, i, j = torch.meshgrid(*(torch.arange(size) for size in (2, 3, queries, keys)), indexing="ij")
    kept = unlist(index.block_index, math.ceil(keys / 128))[b, h, i // 128, j // 128]
    if index.causal:
        kept &= j <= i + keys - queries
    assert torch.equal(kept, mask_mod(b, h, i, j))


@pytest.mark.parametrize("mask_mod, message", [
    (lambda b, h, i, j: (i >= j) & (i - j < 40), "block [0, 0] of batch 0 and head 0 is neither whole nor causal"),
    (lambda b, h, i, j: (h == 0) | (i >= j + 1), "block [0, 0] of batch 0 and head 1 is neither whole nor causal"),
    (lambda b, h, i, j: (i >= j) | (j >= 128), "block [0, 1] of batch 0 and head 0 is whole, while others are causal"),
])  # fmt: skip
def test_other_block_masks_are_refused(mask_mod, message):
    mask = create_block_mask(mask_mod, 1, 2, 256, 256, device="cpu")
    with pytest.raises(NotImplementedError, match=f"^{re.escape('mask: ' + message)}$"):
        block_index.from_block_mask(mask)


# Benchmarks


def crc(index):
    return f"{zlib.crc32((index & block_index.PAD_U16).to(torch.uint16).numpy().astype('<u2').tobytes()):08x}"


@pytest.mark.parametrize("length, block_shape, sparsity, frame, expected", [
    (1024, (128, 128), 0.5, (0, 0, 0, 0), "53b2c1b1"),
    (2500, (128, 128), 0.5, (2, 1, 3, 1), "71cc3844"),
    (10000, (128, 512), 0.9, (0, 0, 0, 0), "fa05bcca"),
    (118806, (128, 512), 0.5, (8, 1, 29, 1), "cbfe5256"),
])  # fmt: skip
def test_random_index(length, block_shape, sparsity, frame, expected):
    """As every machine draws it: checksums of the specification."""
    assert crc(block_index.random_index(length, length, block_shape, sparsity, frame)) == expected


def test_frames_that_do_not_fit():
    with pytest.raises(ValueError, match=r"^frame \(5, 0, 0, 0\) is larger than the 4 x 4 blocks$"):
        block_index.random_index(512, 512, (128, 128), 0.5, (5, 0, 0, 0))
    with pytest.raises(ValueError, match=r"^frame \(2, 1, 0, 0\) keeps 12 of 16 blocks, more than 0.5$"):
        block_index.random_index(512, 512, (128, 128), 0.5, (2, 1, 0, 0))


# Calls

X = torch.zeros(2, 3, 4, 5)


@pytest.mark.parametrize("call, error, message", [
    (lambda: block_index.from_mask(X), TypeError,
     "mask: a tensor of torch.bool [..., R, C] is expected, not torch.float32 (2, 3, 4, 5)"),
    (lambda: block_index.from_mask([True]), TypeError, "mask: a tensor of torch.bool [..., R, C] is expected, not list"),
    (lambda: block_index.from_npu_mask(X.bool()), TypeError,
     "mask: a tensor of torch.int8 [B, N, R, C] is expected, not torch.bool (2, 3, 4, 5)"),
    (lambda: block_index.from_npu_mask(X.to(torch.int8) + 2), ValueError,
     "mask: 2 at [0, 0, 0, 0] is neither 0 nor 1"),
    (lambda: block_index.from_csr(X, X.int()), TypeError,
     "indptr: a tensor of torch.int32 or int64 is expected, not torch.float32 (2, 3, 4, 5)"),
    (lambda: block_index.from_csr(X.int()[0], X.int()), ValueError,
     "indptr (3, 4, 5) and indices (2, 3, 4, 5) must be [..., R + 1] and [..., NNZ]"),
    (lambda: block_index.from_csr(torch.tensor([0, 3, 2]), torch.arange(5)), ValueError,
     "indptr must ascend from 0 to at most 5, the number of indices"),
    (lambda: block_index.from_csr(torch.tensor([0, 6]), torch.arange(5)), ValueError,
     "indptr must ascend from 0 to at most 5, the number of indices"),
    (lambda: block_index.from_block_mask(X), TypeError, "mask: a BlockMask is expected, not Tensor"),
])  # fmt: skip
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
