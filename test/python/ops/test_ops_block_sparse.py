"""The operator block_sparse_attention against its reference, on the CPU, and how it is called."""

import itertools
import math
import re

import pytest
import torch
from torch._subclasses import FakeTensorMode

import attn
import attn.ops
import references
from attn import block_index
from references import DTYPES, names

pytestmark = pytest.mark.optimized

F32, F16, BF16 = DTYPES
SHAPES = list(itertools.product([128, 256, 512, 1024], repeat=2))


def draw(queries, keys=None, heads=(1, 1), width=128, values=None, dtype=BF16, batch=1, seed=0):
    """q, k and v, rounded to their type."""
    generator = torch.Generator().manual_seed(seed)
    keys = queries if keys is None else keys
    shapes = [(heads[0], queries, width), (heads[1], keys, width), (heads[1], keys, values or width)]
    return [torch.randn(batch, *shape, generator=generator).to(dtype) for shape in shapes]


def draw_mask(q, k, block_shape, share=0.5, seed=0):
    """A random mask of blocks [B, H, R, C]."""
    size = (*q.shape[:2], -(-q.shape[2] // block_shape[0]), -(-k.shape[2] // block_shape[1]))
    return torch.rand(size, generator=torch.Generator().manual_seed(seed)) < share


def check(q, k, v, mask, block_shape, index=None, **options):
    """Runs the operator with the lists of a mask and compares it with the reference; returns the results."""
    index = block_index.from_mask(mask) if index is None else index
    o, lse = attn.ops.block_sparse_attention(q, k, v, index, block_shape, return_lse=True, **options)
    assert o.dtype == q.dtype and lse.dtype == torch.float32
    lengths = dict(q_lens=options.get("actual_seq_lengths"), kv_lens=options.get("actual_seq_lengths_kv"))
    *expected, fewest = references.block_sparse(
        q, k, v, mask, block_shape, q.shape[-1] ** -0.5, options.get("causal", False), **lengths
    )
    references.assert_flash(o, lse, expected, fewest)
    return o, lse


# Dense


@pytest.mark.parametrize("length", [1, 2, 127, 129, 300, 1000, 1025])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_dense(length, dtype):
    q, k, v = draw(length, dtype=dtype)
    block_shape = SHAPES[length % 16]
    o, lse = check(q, k, v, draw_mask(q, k, block_shape, 1), block_shape)
    without = attn.ops.block_sparse_attention(q, k, v, None, block_shape, return_lse=True)
    assert torch.equal(o, without[0]) and torch.equal(lse, without[1])


@pytest.mark.parametrize("queries, keys", [(1, 300), (300, 1), (129, 700), (1000, 130)])
def test_other_numbers_of_keys(queries, keys):
    q, k, v = draw(queries, keys)
    check(q, k, v, draw_mask(q, k, (128, 128), 1), (128, 128))


# Sparse


@pytest.mark.parametrize("block_shape", SHAPES, ids=names)
def test_block_shapes(block_shape):
    q, k, v = draw(1300, heads=(2, 2), width=64)
    check(q, k, v, draw_mask(q, k, block_shape, 0.1 + 0.05 * SHAPES.index(block_shape)), block_shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_types(dtype):
    q, k, v = draw(1024, heads=(3, 3), dtype=dtype)
    for block_shape in ((128, 128), (128, 512), (256, 128)):
        check(q, k, v, draw_mask(q, k, block_shape), block_shape)


def test_frames():
    """The lists of benchmarks, with columns that all rows keep and rows that keep all."""
    q, k, v = draw(1024, width=64)
    for tenth in range(0, 8, 2):
        index = block_index.random_index(1024, 1024, (128, 128), tenth / 10, (1, 0, 1, 0))
        mask = (index[..., None] == torch.arange(8)).any(-2)
        check(q, k, v, mask[None, None], (128, 128), index[None])


def test_one_block_per_row():
    q, k, v = draw(300, 513, width=64)
    for block in range(5):
        mask = torch.zeros(1, 1, 3, 5, dtype=torch.bool)
        mask[..., block] = True
        check(q, k, v, mask, (128, 128))  # the last block has one key


def test_rows_without_blocks():
    q, k, v = draw(600, heads=(3, 3), width=64, dtype=F32)
    mask = draw_mask(q, k, (128, 128))
    mask[:, 0, 2] = False
    mask[:, 1] = False
    o, lse = check(q, k, v, mask, (128, 128))
    assert torch.equal(o[:, 1], torch.zeros_like(o[:, 1])) and (lse[:, 1] == -torch.inf).all()
    nothing = attn.ops.block_sparse_attention(q, k, v, block_index.from_mask(mask & False), return_lse=True)
    assert torch.equal(nothing[0], torch.zeros_like(o)) and (nothing[1] == -torch.inf).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_zero_input(dtype):
    q, k, v = (torch.zeros_like(tensor) for tensor in draw(1024, dtype=dtype))
    _, lse = attn.ops.block_sparse_attention(q, k, v, return_lse=True)
    torch.testing.assert_close(lse, torch.full_like(lse, math.log(1024)), rtol=1e-5, atol=1e-5)
    index = torch.tensor([[[[0, 3, 5]]]], dtype=torch.int32).expand(1, 1, 8, 3)
    _, lse = attn.ops.block_sparse_attention(q, k, v, index, return_lse=True)
    torch.testing.assert_close(lse, torch.full_like(lse, math.log(3 * 128)), rtol=1e-5, atol=1e-5)


def test_many_keys_are_summed_in_f32():
    """Sums of f16 would end at 2,048."""
    q, k, v = (torch.zeros_like(tensor) for tensor in draw(128, 16384, width=16, dtype=F16))
    _, lse = attn.ops.block_sparse_attention(q, k, v, return_lse=True)
    torch.testing.assert_close(lse, torch.full_like(lse, math.log(16384)), rtol=0, atol=1e-4)


def test_long_sequences():
    """Rows of a long sequence see what their lists name, whether lengths are given or not."""
    q, k, v = draw(8192, width=32)
    index = block_index.random_index(8192, 8192, (128, 128), 0.5)[None, None]
    whole = attn.ops.block_sparse_attention(q, k, v, index)
    again = attn.ops.block_sparse_attention(q, k, v, index, actual_seq_lengths=[8192], actual_seq_lengths_kv=[8192])
    torch.testing.assert_close(whole, again)
    mask = (index[..., None] == torch.arange(64)).any(-2)
    for row in (0, 31, 63):
        rows = slice(row * 128, row * 128 + 128)
        expected, *_ = references.block_sparse(q[:, :, rows], k, v, mask[:, :, row : row + 1], (128, 128), 32**-0.5)
        references.assert_close("o", whole[:, :, rows], expected, references.FLASH_O[BF16])


def test_very_negative_scores():
    """Columns that do not exist take no weight, however low the scores of the others are."""
    q, k, v = draw(1000, dtype=F32)
    q[:], k[:] = 40.0, -40.0
    _, lse = attn.ops.block_sparse_attention(q, k, v, return_lse=True)
    expected = -1600 * 128**0.5 + math.log(1000)
    torch.testing.assert_close(lse, torch.full_like(lse, expected), rtol=1e-5, atol=1e-5)


def test_ones():
    q, k, v = (torch.ones_like(tensor) for tensor in draw(512, dtype=F32))
    o, lse = attn.ops.block_sparse_attention(q, k, v, return_lse=True)
    torch.testing.assert_close(o, torch.ones_like(o))
    torch.testing.assert_close(lse, torch.full_like(lse, 17.5520), rtol=0, atol=1e-4)


# Batches, heads, lengths


@pytest.mark.parametrize("heads", [(4, 1), (4, 2), (8, 2)], ids=names)
def test_grouped_heads_in_batches(heads):
    q, k, v = draw(400, heads=heads, width=32, batch=2)
    o, _ = check(q, k, v, draw_mask(q, k, (128, 128)), (128, 128))
    assert not torch.equal(o[0], o[1])


@pytest.mark.parametrize("q_lens, kv_lens", [([363, 363], [463, 463]), ([0, 1], [500, 1]), ([400, 137], [0, 499])])
@pytest.mark.parametrize("causal", [False, True])
def test_lengths(q_lens, kv_lens, causal):
    """Nothing of keys and values beyond their lengths counts, not even NaN."""
    q, k, v = draw(400, 500, (4, 2), 32, batch=2)
    for b, length in enumerate(kv_lens):
        k[b, :, length:], v[b, :, length:] = torch.nan, torch.nan
    options = dict(actual_seq_lengths=q_lens, actual_seq_lengths_kv=kv_lens, causal=causal)
    for share in (0.6, 1):
        check(q, k, v, draw_mask(q, k, (128, 128), share), (128, 128), **options)


@pytest.mark.parametrize("queries, keys", [(500, 500), (200, 500), (500, 200)])
@pytest.mark.parametrize("share", [0.5, 1])
def test_causal(queries, keys, share):
    q, k, v = draw(queries, keys, (2, 2), 64, dtype=F32)
    check(q, k, v, draw_mask(q, k, (128, 256), share), (128, 256), causal=True)


# Forms


def test_layouts():
    q, k, v = draw(300, 400, (4, 2), 64, batch=2)
    mask = draw_mask(q, k, (128, 128))
    o, lse = check(q, k, v, mask, (128, 128))
    turned = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
    index = block_index.from_mask(mask)
    o_turned, lse_turned = attn.ops.block_sparse_attention(*turned, index, layout="BSND", return_lse=True)
    assert o_turned.is_contiguous() and torch.equal(o_turned.transpose(1, 2), o) and torch.equal(lse, lse_turned)


def test_strides():
    q, k, v = draw(300, heads=(2, 2), width=64, dtype=F32)
    index = block_index.from_mask(draw_mask(q, k, (128, 128)))
    expected = attn.ops.block_sparse_attention(q, k, v, index)
    wide = torch.full((1, 2, 310, 80), torch.nan)
    wide[:, :, 4:304, 5:69] = k
    column = v.transpose(2, 3).contiguous().transpose(2, 3)
    spread = index.repeat_interleave(2, -1)[..., ::2]
    result = attn.ops.block_sparse_attention(q, wide[:, :, 4:304, 5:69], column, spread)
    assert torch.equal(result, expected)


def test_spellings_of_an_index():
    q, k, v = draw(500, heads=(2, 2), width=64, batch=2)
    mask = draw_mask(q, k, (128, 128))
    mask[1] = mask[0]
    index = block_index.from_mask(mask)
    expected, _ = check(q, k, v, mask, (128, 128))
    longest = int(mask.sum(-1).max())
    forms = [
        (index & block_index.PAD_U16).to(torch.uint16), index & block_index.PAD_U16, index[0], index[..., :longest],
        torch.nn.functional.pad(index, (0, 9), value=-1),
    ]  # fmt: skip
    for form in forms:
        assert torch.equal(attn.ops.block_sparse_attention(q, k, v, form), expected)


@pytest.mark.parametrize("width, values", [(64, 128), (128, 64), (256, 256), (16, 48)])
def test_widths(width, values):
    q, k, v = draw(300, heads=(2, 1), width=width, values=values)
    check(q, k, v, draw_mask(q, k, (128, 128)), (128, 128))


def test_halves_of_a_mask_merge_to_the_whole():
    q, k, v = draw(700, heads=(2, 2), dtype=F32)
    mask = draw_mask(q, k, (128, 128), 0.8)
    whole = check(q, k, v, mask, (128, 128))
    half = draw_mask(q, k, (128, 128), 0.5, seed=1)
    parts = [check(q, k, v, mask & chosen, (128, 128)) for chosen in (half, ~half)]
    for merged, expected in zip(attn.ops.merge_attention(*parts), whole):
        torch.testing.assert_close(merged, expected, rtol=1e-5, atol=1e-5)


def test_runs_are_equal():
    q, k, v = draw(700, heads=(2, 1))
    index = block_index.from_mask(draw_mask(q, k, (128, 128)))
    first, again = (attn.ops.block_sparse_attention(q, k, v, index, return_lse=True) for _ in range(2))
    assert all(map(torch.equal, first, again))


def test_flex_attention():
    """A mask of flex_attention gives what flex_attention computes with it."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = draw(300, heads=(2, 2), width=64, dtype=F32)
    mask = create_block_mask(lambda b, h, i, j: i >= j, 1, 2, 300, 300, device="cpu")
    o = attn.ops.block_sparse_attention(q, k, v, **block_index.from_block_mask(mask)._asdict())
    torch.testing.assert_close(o, flex_attention(q, k, v, block_mask=mask), rtol=1e-4, atol=1e-5)


# Calls

X = torch.zeros(2, 4, 300, 32)
INDEX = block_index.from_mask(torch.ones(2, 4, 3, 3, dtype=torch.bool))


def with_entries(*row):
    index = torch.full((2, 4, 3, 3), -1, dtype=torch.int32)
    index[1, 2, 0, : len(row)] = torch.tensor(row, dtype=torch.int32)
    return index


@pytest.mark.parametrize("change, error, message", [
    (dict(block_index=INDEX[:, :, :2]), ValueError, "block_index (2, 4, 2, 3) must be [2, 4, 3, W] or [4, 3, W]: 3 blocks of "
     "128 queries"),
    (dict(block_index=with_entries(1, 3, 2)), ValueError,
     "block_index: 3 (batch 1, head 2, row 0, position 1) must be 0 to 2"),
    (dict(block_index=with_entries(-5)), ValueError,
     "block_index: -5 (batch 1, head 2, row 0, position 0) must be 0 to 2"),
    (dict(block_index=with_entries(2, 2)), ValueError,
     "block_index: 2 (batch 1, head 2, row 0, position 1) must be above the entry before it"),
    (dict(block_index=with_entries(2, 1)), ValueError,
     "block_index: 1 (batch 1, head 2, row 0, position 1) must be above the entry before it"),
    (dict(block_index=with_entries(0, -1, 2)), ValueError,
     "block_index: 2 (batch 1, head 2, row 0, position 2) follows padding"),
    (dict(block_index=with_entries(0, -1, 2)[1]), ValueError,
     "block_index: 2 (head 2, row 0, position 2) follows padding"),
    (dict(block_index=INDEX.long()), TypeError,
     "block_index: a tensor of torch.uint16 or torch.int32 is expected, not torch.int64"),
    (dict(block_index=INDEX.to("meta")), ValueError, "block_index: device meta does not equal cpu of q"),
    (dict(block_shape=(128, 100)), ValueError, "block_shape ((128, 100)) must be two of 128, 256, 512, 1024"),
    (dict(block_shape=(128.0, 128)), ValueError, "block_shape ((128.0, 128)) must be two of 128, 256, 512, 1024"),
    (dict(block_shape=128), ValueError, "block_shape (128) must be two of 128, 256, 512, 1024"),
    (dict(actual_seq_lengths=[1, 2, 3]), ValueError,
     "actual_seq_lengths (3,) must have one number, or one for each of 2 batch entries"),
    (dict(actual_seq_lengths=[1.5]), TypeError, "actual_seq_lengths: integers are expected, not [1.5]"),
    (dict(actual_seq_lengths=[301]), ValueError, "actual_seq_lengths[0] (301) must be 0 to 300"),
    (dict(actual_seq_lengths_kv=[0, -1]), ValueError, "actual_seq_lengths_kv[1] (-1) must be 0 to 300"),
    (dict(actual_seq_lengths_kv=torch.ones(2)), TypeError,
     "actual_seq_lengths_kv: torch.float32 is not supported; known: torch.int32, torch.int64"),
    (dict(layout="SBH"), ValueError, "layout (SBH) must be one of BNSD, BSND"),
    (dict(k=X[:, :3], v=X[:, :3]), ValueError, "q (2, 4, 300, 32), k (2, 3, 300, 32), v (2, 3, 300, 32): the heads of q (4) "
     "must be a multiple of those of k and v (3)"),
    (dict(v=X.half()), TypeError, "q torch.float32, k torch.float32, v torch.float16 must have the same type"),
    (dict(scale=math.inf), ValueError, "scale (inf) must be finite"),
    (dict(scale=1e39), ValueError, "scale (1e+39) must be a number of f32, at most 3.403e+38"),
    (dict(causal=None), TypeError, "causal: True or False is expected, not None"),
    (dict(return_lse=1), TypeError, "return_lse: True or False is expected, not 1"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.block_sparse_attention(**{**dict(q=X, k=X, v=X, block_index=INDEX), **change})


def test_unchecked_entries_touch_nothing_outside(monkeypatch):
    monkeypatch.setattr(attn.config, "check_index", False)
    o = attn.ops.block_sparse_attention(X, X, X, with_entries(1, 30_000, -9))
    assert torch.equal(o, X)


def test_one_result_without_the_log_sum_exp():
    assert isinstance(attn.ops.block_sparse_attention(X, X, X, INDEX), torch.Tensor)


def test_gradients_are_refused():
    q, k, v = (tensor.requires_grad_() for tensor in draw(5, 7, width=16, dtype=F32))
    with pytest.raises(NotImplementedError, match="block_sparse_attention: gradients are not supported"):
        attn.ops.block_sparse_attention(q, k, v).sum().backward()


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_fake_tensors(device):
    """Nothing is looked at where there are no numbers."""
    q, k, v = draw(200, 300, (4, 2), 32, 48)
    arrays = (q, k, v, block_index.from_mask(draw_mask(q, k, (128, 128))), torch.tensor([150]))
    with FakeTensorMode() as mode:
        *arrays, lengths = (mode.from_tensor(array).to(device) for array in arrays)
        o = attn.ops.block_sparse_attention(*arrays, actual_seq_lengths_kv=lengths)
    assert o.shape == (1, 4, 200, 48) and o.device.type == device


def test_opcheck():
    q, k, v = draw(200, 300, (4, 2), 32, 48)
    index = block_index.from_mask(draw_mask(q, k, (128, 128)))
    lengths = torch.tensor([150], dtype=torch.int32)
    torch.library.opcheck(torch.ops.attn.block_sparse, (q, k, v, index, lengths, lengths, [128, 128], 0.2, True))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_graphs(dynamic):
    def attend(q, k, v, index):
        return attn.ops.block_sparse_attention(2 * q, k, v, index, return_lse=True)

    q, k, v = draw(200, 300, (4, 2), 32)
    arrays = (q, k, v, block_index.from_mask(draw_mask(q, k, (128, 128))))
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True, dynamic=dynamic)
    assert all(map(torch.equal, compiled(*arrays), attend(*arrays)))
