"""The operator flash_attention against its reference, on the CPU, and how it is called."""

import math
import re

import numpy as np
import pytest
import torch

import attn
import attn.ops
import references
from attn import memory
from references import DTYPES, names
from sweeps import some_optimized

pytestmark = pytest.mark.optimized

F32, F16, BF16 = DTYPES
LENGTHS = [1, 2, 15, 16, 17, 127, 128, 129, 300, 1000, 2500]


def draw(queries, keys, heads=(1, 1), width=128, values=None, dtype=F32, batch=1, seed=0):
    """q, k and v, rounded to their type."""
    generator = torch.Generator().manual_seed(seed)
    shapes = [(heads[0], queries, width), (heads[1], keys, width), (heads[1], keys, values or width)]
    return [torch.randn(batch, *shape, generator=generator).to(dtype) for shape in shapes]


def check(q, k, v, scale=None):
    """Runs the operator and compares it with the reference; returns the results."""
    o, lse = attn.ops.flash_attention(q, k, v, scale, return_lse=True)
    assert o.dtype == q.dtype and lse.dtype == torch.float32
    expected = references.flash(q, k, v, q.shape[-1] ** -0.5 if scale is None else scale)
    references.assert_flash(o, lse, expected, k.shape[2])
    return o, lse


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(length, dtype):
    check(*draw(length, length, dtype=dtype))


@pytest.mark.parametrize("queries, keys", [(1, 300), (300, 1), (17, 129), (129, 17), (128, 1000)])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_other_numbers_of_keys(queries, keys, dtype):
    check(*draw(queries, keys, dtype=dtype, width=64))


@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (8, 1)], ids=names)
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_heads(heads, dtype):
    check(*draw(100, 130, heads, 32, dtype=dtype, batch=2))


@pytest.mark.parametrize("width, values", [(16, 16), (48, 80), (256, 256), (64, 128), (128, 16)])
@pytest.mark.parametrize("dtype", some_optimized(DTYPES, 3), ids=names)
def test_widths(width, values, dtype):
    check(*draw(70, 150, (2, 1), width, values, dtype))


@pytest.mark.parametrize("scale", [0, 1, -0.5, 1e-3])
def test_scale(scale):
    check(*draw(50, 60, width=32), scale=scale)


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_large_scores(dtype):
    """Scores of about -18,000 and +18,000."""
    q, k, v = draw(20, 40, dtype=dtype)
    q[:], k[:] = 40.0, -40.0
    k[:, :, 7] = 40.0
    o, lse = check(q, k, v)
    references.assert_close("o", o, v[:, :, 7:8].expand_as(o), (0, 0))
    assert lse.min() > 18_000


@pytest.mark.parametrize("keys", [1, 300, 4096])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_zero_input(keys, dtype):
    q, k, v = (torch.zeros_like(tensor) for tensor in draw(20, keys, dtype=dtype))
    o, lse = attn.ops.flash_attention(q, k, v, return_lse=True)
    assert torch.equal(o, q)
    references.assert_close("lse", lse, torch.full_like(lse, math.log(keys)), references.FLASH_LSE)


def test_runs_are_equal():
    q, k, v = draw(300, 300, (4, 2), dtype=BF16)
    first, again = (attn.ops.flash_attention(q, k, v, return_lse=True) for _ in range(2))
    assert all(map(torch.equal, first, again))


# Options

SINKS = torch.tensor([-1.0, 2.0])
OPTIONS = {
    "causal": (dict(causal=True), dict(right=0)),
    "left": (dict(window=(9, -1)), dict(left=9)),
    "window": (dict(window=(20, 3)), dict(left=20, right=3)),
    "causal-window": (dict(causal=True, window=(20, 3)), dict(left=20, right=0)),
    "softcap": (dict(softcap=2.0), dict(softcap=2.0)),
    "sinks": (dict(sinks=SINKS), dict(sinks=SINKS)),
    "keys": (dict(actual_seq_lengths_kv=[70, 0, 1]), dict(kv_lens=[70, 0, 1])),
    "queries": (dict(actual_seq_lengths=[20, 0, 60]), dict(q_lens=[20, 0, 60])),
    "all": (
        dict(causal=True, window=(7, 0), softcap=3.0, sinks=SINKS, actual_seq_lengths=[60, 9, 1],
             actual_seq_lengths_kv=torch.tensor([33, 70, 0])),
        dict(left=7, right=0, softcap=3.0, sinks=SINKS, q_lens=[60, 9, 1], kv_lens=[33, 70, 0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", some_optimized([F32, BF16], 2), ids=names)
@pytest.mark.parametrize("name", OPTIONS)
def test_options(name, dtype):
    """With NaN after the lengths, which nothing reads."""
    given, expected = OPTIONS[name]
    q, k, v = draw(60, 70, (2, 1), 32, dtype=dtype, batch=3)
    for entry in range(3):
        q[entry, :, expected.get("q_lens", [60] * 3)[entry] :] = torch.nan
        for tensor in (k, v):
            tensor[entry, :, expected.get("kv_lens", [70] * 3)[entry] :] = torch.nan
    o, lse = attn.ops.flash_attention(q, k, v, **given, return_lse=True)
    references.assert_flash(o, lse, references.flash(q, k, v, 32**-0.5, **expected), keys=1)


@pytest.mark.parametrize("queries, keys", [(80, 20), (20, 80), (300, 300)])
def test_causal_of_other_numbers_of_keys(queries, keys):
    """The last key belongs to the last query, so that more queries than keys leave the first ones without any."""
    q, k, v = draw(queries, keys, width=32)
    o, lse = attn.ops.flash_attention(q, k, v, causal=True, return_lse=True)
    references.assert_flash(o, lse, references.flash(q, k, v, 32**-0.5, right=0), keys=1)
    empty = max(0, queries - keys)
    assert not o[:, :, :empty].any() and (lse[:, :, :empty] == -torch.inf).all()


def test_lengths_beyond_the_keys_are_reported():
    """By the operator where the host can look at them, else by the kernel."""
    q, k, v = draw(20, 30, width=32)
    with pytest.raises(ValueError, match=r"^actual_seq_lengths_kv\[0\] \(31\) must be 0 to 30$"):
        attn.ops.flash_attention(q, k, v, actual_seq_lengths_kv=torch.tensor([31]))
    with pytest.raises(attn.OutOfBoundsError):
        torch.ops.attn.flash(q, k, v, 1.0, kv_lens=torch.tensor([31], dtype=torch.int32))


def test_one_length_for_all_entries():
    q, k, v = draw(20, 30, width=32, batch=2)
    expected = attn.ops.flash_attention(q, k, v, actual_seq_lengths_kv=[7, 7])
    for length in (7, [7], np.int64(7), np.array([7, 7])):
        assert attn.ops.flash_attention(q, k, v, actual_seq_lengths_kv=length).equal(expected)
    with pytest.raises(TypeError, match=r"^actual_seq_lengths_kv: integers are expected, not 7.5$"):
        attn.ops.flash_attention(q, k, v, actual_seq_lengths_kv=7.5)


# Layouts and strides


def test_layouts():
    q, k, v = draw(60, 70, (4, 2), 64, batch=2)
    o, lse = attn.ops.flash_attention(q, k, v, return_lse=True)
    turned = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
    o_turned, lse_turned = attn.ops.flash_attention(*turned, layout="BSND", return_lse=True)
    assert o_turned.shape == (2, 60, 4, 64) and o_turned.is_contiguous()
    assert torch.equal(o_turned.transpose(1, 2), o) and torch.equal(lse, lse_turned)


def test_strides():
    """Slices, expanded arrays and arrays whose last dimension is not contiguous, with NaN around what is read."""
    q, k, v = draw(60, 70, (2, 2), 64, batch=3)
    o, lse = attn.ops.flash_attention(q, k, v, return_lse=True)
    wide = torch.full((3, 2, 75, 80), torch.nan)
    wide[:, :, 2:72, 3:67] = k
    column = v.transpose(2, 3).contiguous().transpose(2, 3)
    o_other, lse_other = attn.ops.flash_attention(q, wide[:, :, 2:72, 3:67], column, return_lse=True)
    assert torch.equal(o, o_other) and torch.equal(lse, lse_other)
    same = attn.ops.flash_attention(q, k[:1].expand_as(k), v)
    assert torch.equal(same, attn.ops.flash_attention(q, k[:1].expand_as(k).contiguous(), v))


def test_copies_stay_within_the_limit():
    q, k, v = (tensor.transpose(2, 3).contiguous().transpose(2, 3) for tensor in draw(64, 64, width=64, batch=4))
    one = 3 * 64 * 64 * 4
    expected = attn.ops.flash_attention(q, k, v)
    memory.reset_peak_workspace()
    with attn.memory_limit(2 * one * 100 // memory.FORWARD_PERCENT + 100):
        assert torch.equal(attn.ops.flash_attention(q, k, v), expected)
    assert memory.peak_workspace() == 2 * one
    with attn.memory_limit(one), pytest.raises(MemoryError, match="flash_attention: its smallest part needs"):
        attn.ops.flash_attention(q, k, v)


# Empty arrays


def test_no_keys():
    q, k, v = draw(5, 0, (4, 2), 32)
    o, lse = attn.ops.flash_attention(q, k, v, return_lse=True)
    assert torch.equal(o, torch.zeros(1, 4, 5, 32)) and torch.equal(lse, torch.full((1, 4, 5), -torch.inf))
    sinks = torch.arange(4.0)
    o, lse = attn.ops.flash_attention(q, k, v, sinks=sinks, return_lse=True)
    assert not o.any() and torch.equal(lse, sinks[None, :, None].expand(1, 4, 5))


@pytest.mark.parametrize("shape", [(0, 2, 5), (2, 2, 0)], ids=names)
def test_no_queries(shape):
    q, k = torch.zeros(*shape, 32), torch.zeros(shape[0], 2, 7, 32)
    o, lse = attn.ops.flash_attention(q, k, k, return_lse=True)
    assert o.shape == q.shape and lse.shape == shape


# Calls

X = torch.zeros(2, 4, 5, 32)


@pytest.mark.parametrize("change, error, message", [
    (dict(window=3), TypeError, "window: two integers are expected, not 3"),
    (dict(window=(1, 0.5)), TypeError, "window: two integers are expected, not (1, 0.5)"),
    (dict(window=(-2, 0)), ValueError, "window (-2, 0) must have numbers of keys, or -1 for all"),
    (dict(softcap="1"), TypeError, "softcap: a number is expected, not '1'"),
    (dict(softcap=-1.0), ValueError, "softcap (-1.0) must not be negative"),
    (dict(sinks=X[0, 0, 0, :4].half()), TypeError, "sinks: a tensor of torch.float32 is expected"),
    (dict(sinks=X[0, 0, 0]), ValueError, "sinks (32,) must have one number for each of the 4 heads of q"),
    (dict(actual_seq_lengths=X), TypeError,
     "actual_seq_lengths: torch.float32 is not supported; known: torch.int32, torch.int64"),
    (dict(actual_seq_lengths=[1, 6]), ValueError, "actual_seq_lengths[1] (6) must be 0 to 5"),
    (dict(actual_seq_lengths_kv=[1, 2, 3]), ValueError,
     "actual_seq_lengths_kv (3,) must have one number, or one for each of 2 batch entries"),
    (dict(layout="SBH"), ValueError, "layout (SBH) must be one of BNSD, BSND"),
    (dict(q=X[0]), ValueError,
     "q (4, 5, 32), k (2, 4, 5, 32), v (2, 4, 5, 32) must have 4 dimensions, those of BNSD"),
    (dict(k=X[:1]), ValueError, "q (2, 4, 5, 32), k (1, 4, 5, 32), v (2, 4, 5, 32) must agree in B, k and v in heads "
     "and positions, q and k in D"),
    (dict(k=X[:, :3], v=X[:, :3]), ValueError, "q (2, 4, 5, 32), k (2, 3, 5, 32), v (2, 3, 5, 32): the heads of q (4) "
     "must be a multiple of those of k and v (3)"),
    (dict(q=X[..., :8], k=X[..., :8]), ValueError, "D (8) must be a multiple of 16 up to 256"),
    (dict(v=torch.zeros(2, 4, 5, 272)), ValueError, "Dv (272) must be a multiple of 16 up to 256"),
    (dict(q=X.double()), TypeError,
     "q: torch.float64 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(v=X.half()), TypeError, "q torch.float32, k torch.float32, v torch.float16 must have the same type"),
    (dict(k=None), TypeError, "k: a tensor is expected, not NoneType"),
    (dict(v=X.to("meta")), ValueError, "v: device meta does not equal cpu of q"),
    (dict(scale=math.inf), ValueError, "scale (inf) must be finite"),
    (dict(scale=1e39), ValueError, "scale (1e+39) must be a number of f32, at most 3.403e+38"),
    (dict(scale=10**400), ValueError, "scale (an integer of 1329 bits) must be a number of f32, at most 3.403e+38"),
    (dict(softcap=2e38), ValueError, "softcap (2e+38) must be 0 for none, or 5.877e-39 to 1.701e+38"),
    (dict(softcap=1e-40), ValueError, "softcap (1e-40) must be 0 for none, or 5.877e-39 to 1.701e+38"),
    (dict(causal=1.5), TypeError, "causal: True or False is expected, not 1.5"),
    (dict(return_lse="x"), TypeError, "return_lse: True or False is expected, not 'x'"),
    (dict(q=X._neg_view()), ValueError, "q: a view that negates other memory: call on q.resolve_neg()"),
    (dict(scale="1"), TypeError, "scale: a number is expected, not '1'"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.flash_attention(**{**dict(q=X, k=X, v=X), **change})


def test_gradients_are_refused():
    q, k, v = (tensor.requires_grad_() for tensor in draw(5, 7, width=16))
    with pytest.raises(NotImplementedError, match="flash_attention: gradients are not supported"):
        attn.ops.flash_attention(q, k, v).sum().backward()


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_opcheck(dtype):
    torch.library.opcheck(torch.ops.attn.flash, (*draw(17, 33, (4, 2), 32, 48, dtype), 0.2))


def test_opcheck_of_options():
    lengths = [torch.tensor([17], dtype=torch.int32), torch.tensor([30], dtype=torch.int32)]
    arguments = (*draw(17, 33, (4, 2), 32), 0.2, 5, 0, 3.0, torch.zeros(4), *lengths)
    torch.library.opcheck(torch.ops.attn.flash, arguments)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_graphs(dynamic):
    def attend(q, k, v, sinks=None, lengths=None):
        options = dict(sinks=sinks, actual_seq_lengths_kv=lengths, return_lse=True)
        return attn.ops.flash_attention(2 * q, k, v, causal=sinks is not None, **options)

    torch._dynamo.reset()  # graphs of other tests count against its limit
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True, dynamic=dynamic)
    q, k, v = draw(17, 33, (4, 2), 32)
    lengths = [5] * len(q)
    for others in ((), (torch.ones(4),), (None, lengths), (None, torch.tensor(lengths))):
        assert all(map(torch.equal, compiled(q, k, v, *others), attend(q, k, v, *others)))
    q, k, v = draw(5, 9, (4, 2), 32)
    assert all(map(torch.equal, compiled(q, k, v), attend(q, k, v)))
