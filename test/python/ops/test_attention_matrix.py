"""The test matrices of block-sparse and paged attention on the CPU: a few cases of each group, or with ATTN_WHOLE_MATRIX=1,
as `make stress` sets it, all of them.

The reference is float64 over the kept tokens, for all blocks of queries of short sequences and for some of long ones.
"""

import itertools
import math

import pytest
import test_ops_paged as paged
import torch
from test_ops_block_sparse import SHAPES, draw

import attn.ops
import predicted_attention
import references
from attn import block_index
from references import DTYPES
from sweeps import WHOLE

pytestmark = pytest.mark.optimized

F32, F16, BF16 = DTYPES
MOST_ROWS = 6
"""So many blocks of queries of each head are compared."""


def some(cases, count: int):
    """All cases, or so many of them, evenly apart."""
    cases = list(cases)
    return cases if WHOLE else cases[len(cases) // (2 * count) :: max(1, len(cases) // count)][:count]


# Block-sparse attention


def compare(q, k, v, index, block_shape, out, lse):
    """Some blocks of queries with the reference; index is [N, R, W]."""
    for head, lists in enumerate(index):
        step = max(1, len(lists) // MOST_ROWS)
        for row in sorted({*range(0, len(lists), step), len(lists) - 1}):
            ids = lists[row][lists[row] >= 0].long()
            tokens = (ids[:, None] * block_shape[1] + torch.arange(block_shape[1])).flatten()
            tokens = tokens[tokens < k.shape[2]]
            rows = slice(row * block_shape[0], (row + 1) * block_shape[0])
            one = [q[:, head : head + 1, rows], *(tensor[:, head : head + 1, tokens] for tensor in (k, v))]
            expected = references.flash(*one, q.shape[-1] ** -0.5)
            result = out[:, head : head + 1, rows], lse[:, head : head + 1, rows]
            references.assert_flash(*result, expected, len(tokens))


def run_lists(queries, heads, block_shape, dtype, sparsity=0.0, frame=(0, 0, 0, 0), width=128):
    q, k, v = draw(queries, heads=(heads, heads), width=width, dtype=dtype)
    lists = [block_index.random_index(queries, queries, block_shape, sparsity, frame, head=h) for h in range(heads)]
    index = torch.stack(lists)
    out, lse = attn.ops.block_sparse_attention(q, k, v, index, block_shape, return_lse=True)
    compare(q, k, v, index, block_shape, out, lse)
    return (q, k, v), (out, lse)


def small_frame(block_shape):
    sizes = (128, 256, 512, 1024)
    left, top = (2, 1, 1, 1)[sizes.index(block_shape[1])], (3, 2, 1, 1)[sizes.index(block_shape[0])]
    return left, 1, top, 1


def has_cells(queries, block_shape, sparsity, frame):
    """Whether there is a cell to draw beside the frame, which must be smaller than the grid."""
    rows, columns = (-(-queries // size) for size in block_shape)
    left, right, top, bottom = frame
    if left + right > columns or top + bottom > rows:
        return False
    forced = (left + right) * (rows - top - bottom) + columns * (top + bottom)
    return math.floor(rows * columns * (1.0 - sparsity)) - forced >= 1


DENSE = list(itertools.product(SHAPES, [1, 2, 127, 129, 300, 1000, 1025, 2500]))


@pytest.mark.parametrize("case, dtype", some(zip(DENSE, itertools.cycle(DTYPES)), 4), ids=str)
def test_dense(case, dtype):
    block_shape, length = case
    arrays, listed = run_lists(length, 1, block_shape, dtype)
    without = attn.ops.block_sparse_attention(*arrays, None, block_shape, return_lse=True)
    assert all(map(torch.equal, listed, without))


LENGTHS = [512, 1024, 2500, *([4096] if WHOLE else [])]
SPARSE = itertools.product(SHAPES, [1, 2, 3, 4], LENGTHS, [0.3, 0.5, 0.7, 0.9])


@pytest.mark.parametrize("block_shape, heads, length, sparsity", some(
    (case for case in SPARSE if has_cells(case[2], case[0], case[3], (0, 0, 0, 0))), 4), ids=str)  # fmt: skip
def test_sparse(block_shape, heads, length, sparsity):
    run_lists(length, heads, block_shape, BF16, sparsity)


@pytest.mark.parametrize("dtype, block_shape", some(
    itertools.product([F16, F32], [(128, 128), (128, 512), (256, 1024)]), 2), ids=str)  # fmt: skip
def test_sparse_in_other_types(dtype, block_shape):
    run_lists(2500, 2, block_shape, dtype, 0.5)


FRAMES = itertools.product([(128, 128), (128, 512), (512, 128), (1024, 1024)], range(10), [False, True])


@pytest.mark.parametrize("block_shape, tenth, framed", some(FRAMES, 2), ids=str)
def test_frames(block_shape, tenth, framed):
    frame = small_frame(block_shape) if framed else (0, 0, 0, 0)
    if not has_cells(4096, block_shape, tenth / 10, frame):
        pytest.skip("nothing is drawn beside the frame")
    run_lists(4096, 1, block_shape, BF16, tenth / 10, frame)


@pytest.mark.parametrize("block_shape, dtype, length", some(
    itertools.product(SHAPES, DTYPES, [512, 1024, 4096, 16384]), 3), ids=str)  # fmt: skip
def test_zero_input(block_shape, dtype, length):
    """One head of 16 columns: scores are 0 whatever the width is."""
    q, k, v = (torch.zeros_like(tensor) for tensor in draw(128, length, width=16, dtype=dtype))
    _, lse = attn.ops.block_sparse_attention(q, k, v, None, block_shape, return_lse=True)
    torch.testing.assert_close(lse, torch.full_like(lse, math.log(length)), rtol=1e-5, atol=1e-5)
    every_other = torch.arange(0, -(-length // block_shape[1]), 2, dtype=torch.int32)
    kept = sum(min(block_shape[1], length - int(block) * block_shape[1]) for block in every_other)
    _, lse = attn.ops.block_sparse_attention(q, k, v, every_other.view(1, 1, -1), block_shape, return_lse=True)
    torch.testing.assert_close(lse, torch.full_like(lse, math.log(kept)), rtol=1e-5, atol=1e-5)


NIGHTLY = itertools.product([(128, 128), (128, 512), (512, 128), (1024, 1024)], [0.0, 0.5, 0.9])


@pytest.mark.skipif(not WHOLE, reason="takes minutes")
@pytest.mark.parametrize("block_shape, sparsity", [*NIGHTLY], ids=str)
def test_long_sequences(block_shape, sparsity):
    run_lists(24000, 1, block_shape, BF16, sparsity)


@pytest.mark.skipif(not WHOLE, reason="takes half a minute")
@pytest.mark.parametrize("length, heads, block_shape, sparsity", [
    (16384, 1, (128, 128), 0.0), (16384, 1, (128, 128), 0.5), (16384, 1, (128, 512), 0.9),
])  # fmt: skip
def test_time_by_classes_of_tiles(length, heads, block_shape, sparsity):
    """The predicted time of long sequences, from samples, is that of the whole launch."""
    case = predicted_attention.Lists(length, heads, block_shape, sparsity)
    whole = predicted_attention.predict_lists(case).time_us
    rates = predicted_attention.measure_rates(case)
    assert predicted_attention.predict_by_classes(case, rates) == pytest.approx(whole, rel=0.02)


# Paged attention


@pytest.mark.skipif(not WHOLE, reason="some of them are in test_ops_paged.py")
@pytest.mark.parametrize("shape, dtype", paged.RAGGED, ids=str)
def test_ragged(shape, dtype):
    paged.test_ragged(shape, dtype)


PUBLIC = [
    (1, (32, 8), 128), (4, (32, 8), 512), (2, (8, 8), 256), (8, (32, 8), 1024), (1, (32, 8), 2048), (4, (64, 8), 1024),
    *((1, (32, 8), length) for length in (4096, 6144, 8192, 16384)), (2, (32, 8), 4096), (2, (32, 8), 8192),
]  # fmt: skip


@pytest.mark.skipif(not WHOLE, reason="some of them are in test_ops_paged.py")
@pytest.mark.parametrize("shape, dtype", [*itertools.product(PUBLIC, [F16, BF16])], ids=str)
def test_public_shapes(shape, dtype):
    sequences, heads, length = shape
    paged.test_shapes_of_servers(sequences, heads, length, dtype)


SERVING = [
    (256, (16, 1), 128, 128, [8192]), (256, (16, 1), 128, 128, [33, 8100, 8150]), (64, (64, 1), 64, 128, [1000, 4000]),
    (64, (64, 1), 64, 256, [777, 2048]),
]  # fmt: skip


@pytest.mark.parametrize("sequences, heads, page, width, cycle", SERVING if WHOLE else SERVING[2:3], ids=str)
@pytest.mark.parametrize("num_splits", [None, 22] if WHOLE else [None])
def test_serving(sequences, heads, page, width, cycle, num_splits):
    """Few pages in memory, which the tables of many sequences name again and again; some sequences are compared."""
    lengths = [cycle[number % len(cycle)] for number in range(sequences)]
    caches = [paged.randn(40, page, heads[1], width, dtype=BF16, seed=seed) for seed in (1, 2)]
    shape = (sequences, -(-max(lengths) // page))
    table = torch.randint(0, 40, shape, generator=torch.Generator().manual_seed(0), dtype=torch.int32)
    q = paged.randn(sequences, heads[0], width, dtype=BF16)
    out, lse = attn.ops.paged_attention(q, *caches, table, lengths, num_splits=num_splits, return_lse=True)
    chosen = [0, 1, 2, sequences // 2, sequences - 1]
    few = [lengths[number] for number in chosen]
    expected = references.paged(q[chosen], *caches, table[chosen], few, width**-0.5)
    references.assert_flash(out[chosen], lse[chosen], expected, min(few))


def test_rows_of_pages_far_apart():
    """Rows of a page that are 65,536 elements apart."""
    lengths = [18, 3]
    paged.check(paged.draw(lengths, 16, (256, 256), 256, BF16), lengths)
