"""The operator paged_attention against its reference, on the CPU, and how it is called."""

import itertools
import math
import re

import pytest
import torch

import attn
import attn.ops
import references
from list_kernels import pages_of, randn
from references import DTYPES, names

F32, F16, BF16 = DTYPES


def draw(lengths, page=128, heads=(8, 2), width=64, dtype=F32):
    """q, both caches with NaN wherever nothing may be read, and the table; its unused entries name no page."""
    k, v, table = pages_of(lengths, page, heads[1], width, dtype)
    table[:, -1] = 2**31 - 1
    return randn(len(lengths), heads[0], width, dtype=dtype), k, v, table.to(torch.int32)


def check(arrays, lengths, **options):
    """Runs the operator and compares it with the reference; returns the results."""
    q = arrays[0]
    out, lse = attn.ops.paged_attention(*arrays, lengths, return_lse=True, **options)
    assert out.dtype == q.dtype and lse.dtype == torch.float32
    expected = references.paged(*arrays, lengths, q.shape[-1] ** -0.5)
    references.assert_flash(out, lse, expected, min((length for length in lengths if length), default=0))
    return out, lse


RAGGED = list(zip(
    itertools.product([16, 32, 64, 128, 256, 512], [64, 128, 256], [(8, 8), (8, 1), (32, 8), (12, 4)]),
    itertools.cycle(DTYPES),
))  # fmt: skip


@pytest.mark.parametrize("shape, dtype", RAGGED[::5], ids=str)
def test_ragged(shape, dtype):
    page, width, heads = shape
    lengths = [1, 33, page - 1, page, page + 1, 2 * page + 7, 0, 1000]
    arrays = draw(lengths, page, heads, width, dtype)
    for num_splits in (None, 1, 3):
        check(arrays, lengths, num_splits=num_splits)


@pytest.mark.parametrize("sequences, heads, length", [
    (1, (32, 8), 128), (4, (32, 8), 512), (2, (8, 8), 256), (1, (32, 8), 2048), (1, (32, 8), 4096), (4, (64, 8), 1024),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [F16, BF16], ids=names)
def test_shapes_of_servers(sequences, heads, length, dtype):
    check(draw([length] * sequences, 128, heads, 128, dtype), [length] * sequences)


def test_splits_agree():
    lengths = [1000, 77, 300]
    arrays = draw(lengths, 32)
    whole = check(arrays, lengths, num_splits=1)
    for num_splits in (2, 5, 24, 1000):
        cut = check(arrays, lengths, num_splits=num_splits)
        for one, other in zip(whole, cut):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


# Tables


def test_pages_may_be_shared_and_named_again():
    lengths = [256, 300, 64]
    q, k, v, table = draw(lengths, 64)
    table[1, :4] = table[0, :4]  # a shared prefix
    check((q, k, v, table), lengths)
    table[:, :5] = table[0, 0]
    check((q, k, v, table), [256, 256, 64])


def test_order_of_pages_changes_no_bit():
    lengths = [500, 130]
    q, k, v, table = draw(lengths, 64)
    out = attn.ops.paged_attention(q, k, v, table, lengths)
    order = torch.randperm(len(k), generator=torch.Generator().manual_seed(3))
    renamed = table.clone()
    used = (table >= 0) & (table < len(k))
    renamed[used] = torch.argsort(order)[table[used].long()].int()
    assert torch.equal(out, attn.ops.paged_attention(q, k[order], v[order], renamed, lengths))


@pytest.mark.parametrize("lengths", [[0, 100, 5], [0, 0]], ids=str)
@pytest.mark.parametrize("num_splits", [None, 1, 4])
def test_sequences_without_tokens(lengths, num_splits):
    arrays = draw(lengths, 16)
    out = torch.full_like(arrays[0], torch.nan)
    result, lse = attn.ops.paged_attention(*arrays, lengths, num_splits=num_splits, return_lse=True, out=out)
    assert result is out
    for sequence, length in enumerate(lengths):
        if length == 0:
            assert torch.equal(out[sequence], torch.zeros_like(out[sequence]))
            assert torch.equal(lse[sequence], torch.full_like(lse[sequence], -torch.inf))
    assert not out.isnan().any()


# Log-sum-exps


def test_zero_queries():
    lengths = [1, 40, 1000]
    q, k, v, table = draw(lengths, 32)
    _, lse = attn.ops.paged_attention(torch.zeros_like(q), k, v, table, lengths, return_lse=True)
    expected = torch.tensor([[math.log(length)] * q.shape[1] for length in lengths])
    torch.testing.assert_close(lse, expected, rtol=1e-5, atol=1e-5)


def test_prefix_and_suffix_merge_to_the_whole():
    q, k, v, table = draw([640], 64)
    whole = attn.ops.paged_attention(q, k, v, table, [640], return_lse=True)
    parts = [
        attn.ops.paged_attention(q, k, v, table[:, first:].contiguous(), [length], return_lse=True)
        for first, length in ((0, 256), (4, 384))
    ]
    o, lse = attn.ops.merge_attention(*parts)
    torch.testing.assert_close(o, whole[0], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(lse, whole[1], rtol=1e-5, atol=1e-5)


def test_merged_parts_of_nothing_count_nothing():
    o, lse = torch.randn(2, 3, 4), torch.randn(2, 3)
    nothing = torch.full_like(o, torch.nan), torch.full_like(lse, -torch.inf)
    merged = attn.ops.merge_attention((o, lse), nothing)
    torch.testing.assert_close(merged[0], o)
    torch.testing.assert_close(merged[1], lse)
    empty = attn.ops.merge_attention(nothing, nothing)
    assert torch.equal(empty[0], torch.zeros_like(o)) and torch.equal(empty[1], nothing[1])


# Forms


@pytest.mark.parametrize("heads", [(4, 4), (64, 1)], ids=names)
def test_sizes_of_groups(heads):
    lengths = [70, 5]
    check(draw(lengths, 16, heads), lengths)


def test_strides():
    lengths = [200, 17]
    q, k, v, table = draw(lengths, 32)
    expected = attn.ops.paged_attention(q, k, v, table, lengths)
    by_heads = [cache.transpose(1, 2).contiguous().transpose(1, 2) for cache in (k, v)]
    assert torch.equal(expected, attn.ops.paged_attention(q, *by_heads, table, lengths))
    wide = torch.full((*k.shape[:3], 100), torch.nan)
    wide[..., 3:67] = k
    assert torch.equal(expected, attn.ops.paged_attention(q, wide[..., 3:67], v, table, lengths))
    out = torch.empty(2, 64, 8).transpose(1, 2)
    assert torch.equal(expected, attn.ops.paged_attention(q, k, v, table, lengths, out=out))


@pytest.mark.parametrize("lengths", [[200, 17], torch.tensor([200, 17]), torch.tensor([200, 17], dtype=torch.int32)])
def test_lengths(lengths):
    arrays = draw([200, 17], 32)
    assert torch.equal(attn.ops.paged_attention(*arrays, lengths), attn.ops.paged_attention(*arrays, [200, 17]))


def test_runs_are_equal():
    lengths = [1000, 7]
    arrays = draw(lengths, 16, dtype=BF16)
    first, again = (attn.ops.paged_attention(*arrays, lengths, return_lse=True) for _ in range(2))
    assert all(map(torch.equal, first, again))


def test_no_sequences():
    arrays = draw([40], 16)
    empty = attn.ops.paged_attention(arrays[0][:0], *arrays[1:3], arrays[3][:0], [])
    assert empty.shape == (0, 8, 64)


# Calls

Q, CACHE, TABLE = torch.zeros(2, 4, 32), torch.zeros(5, 16, 2, 32), torch.zeros(2, 3, dtype=torch.int32)


@pytest.mark.parametrize("change, error, message", [
    (dict(q=Q[0]), ValueError,
     "q (4, 32), k_cache (5, 16, 2, 32), v_cache (5, 16, 2, 32) must be [B, Nq, D] and [nblk, bs, Nkv, D]"),
    (dict(v_cache=CACHE[:4]), ValueError, "q (2, 4, 32), k_cache (5, 16, 2, 32), v_cache (4, 16, 2, 32): the caches must "
     "have one shape, and the D of q"),
    (dict(q=Q.half()), TypeError,
     "q torch.float16, k_cache torch.float32, v_cache torch.float32 must have the same type"),
    (dict(q=Q.double()), TypeError,
     "q: torch.float64 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(q=Q[:, :3]), ValueError, "Nq (3) must be a multiple of Nkv (2), at most 128 times as large"),
    (dict(q=Q[..., :8], k_cache=CACHE[..., :8], v_cache=CACHE[..., :8]), ValueError,
     "D (8) must be a multiple of 16 up to 256"),
    (dict(k_cache=CACHE[:, :8], v_cache=CACHE[:, :8]), ValueError, "bs (8) must be a multiple of 16 up to 512"),
    (dict(block_table=TABLE.long()), TypeError, "block_table: a tensor of torch.int32 [B, maxblk] is expected"),
    (dict(block_table=TABLE[:1]), ValueError, "block_table (1, 3) must have a row for each of 2 sequences"),
    (dict(block_table=TABLE.to("meta")), ValueError, "block_table: device meta does not equal cpu of q"),
    (dict(context_lens=[1]), ValueError, "context_lens ([1]) must be 2 integers"),
    (dict(context_lens=torch.ones(2)), ValueError, "context_lens (torch.float32 (2,)) must be integers [2]"),
    (dict(context_lens=[0, 49]), ValueError, "context_lens[1] (49) must be 0 to 48"),
    (dict(context_lens=[-1, 0]), ValueError, "context_lens[0] (-1) must be 0 to 48"),
    (dict(block_table=TABLE + 5), ValueError, "block_table[0, 0] (5) must be 0 to 4"),
    (dict(num_splits=0), ValueError, "num_splits (0) must be a positive integer or None"),
    (dict(out=Q[:1]), ValueError, "out must be a tensor of torch.float32 (2, 4, 32), as q"),
    (dict(scale=math.nan), ValueError, "scale (nan) must be finite"),
    (dict(scale="1"), TypeError, "scale: a number is expected, not '1'"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    arguments = dict(q=Q, k_cache=CACHE, v_cache=CACHE, block_table=TABLE, context_lens=[3, 20])
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.paged_attention(**{**arguments, **change})


def test_unchecked_entries_touch_nothing_outside(monkeypatch):
    monkeypatch.setattr(attn.config, "check_index", False)
    with pytest.raises(attn.OutOfBoundsError, match='array "k"'):
        attn.ops.paged_attention(Q, CACHE, CACHE, TABLE + 7, [3, 20])


def test_opcheck():
    q, k, v, table = draw([40, 3], 16)
    lengths = torch.tensor([40, 3], dtype=torch.int32)
    out, lse = torch.empty_like(q), torch.empty(q.shape[:2])
    torch.library.opcheck(torch.ops.attn.paged, (out, lse, q, k, v, table, lengths, 0.2, 2))


def test_compiled_graphs():
    lengths = torch.tensor([40, 3], dtype=torch.int32)

    def attend(q, k, v, table):
        return attn.ops.paged_attention(2 * q, k, v, table, lengths, return_lse=True)

    arrays = draw([40, 3], 16)
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True)
    assert all(map(torch.equal, compiled(*arrays), attend(*arrays)))
