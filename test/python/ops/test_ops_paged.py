"""The operator paged_attention against its reference, on the CPU, and how it is called."""

import itertools
import math
import re

import pytest
import torch
from torch._subclasses import FakeTensorMode

import attn
import attn.ops
import references
from attn import memory
from attn.ops import _dispatch
from list_kernels import pages_of, randn
from references import DTYPES, names
from sweeps import some_optimized

pytestmark = pytest.mark.optimized

F32, F16, BF16 = DTYPES


def draw(lengths, page=128, heads=(8, 2), width=64, dtype=F32, tokens=None):
    """q, both caches with NaN wherever nothing may be read, and the table; its unused entries name no page."""
    k, v, table = pages_of(lengths, page, heads[1], width, dtype)
    table[:, -1] = 2**31 - 1
    shape = (len(lengths), heads[0], width) if tokens is None else (len(lengths), tokens, heads[0], width)
    return randn(*shape, dtype=dtype), k, v, table.to(torch.int32)


def reference(arrays, lengths, **options):
    """What the operator should give with the options that change it."""
    known = {name: options[name] for name in ("window", "softcap", "sinks", "page_index") if name in options}
    return references.paged(*arrays, lengths, arrays[0].shape[-1] ** -0.5, **known)


def check(arrays, lengths, expected=None, **options):
    """Runs the operator and compares it with the reference, which may be known already; returns the results."""
    q = arrays[0]
    options.setdefault("out", torch.full_like(q, torch.nan))
    out, lse = attn.ops.paged_attention(*arrays, lengths, return_lse=True, **options)
    assert out.dtype == q.dtype and lse.dtype == torch.float32
    expected = expected or reference(arrays, lengths, **options)
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
    expected = reference(arrays, lengths)
    for num_splits in (None, 1, 3):
        check(arrays, lengths, expected, num_splits=num_splits)


@pytest.mark.parametrize("sequences, heads, length", [
    (1, (32, 8), 128), (4, (32, 8), 512), (2, (8, 8), 256), (1, (32, 8), 2048), (1, (32, 8), 4096), (4, (64, 8), 1024),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [F16, BF16], ids=names)
def test_shapes_of_servers(sequences, heads, length, dtype):
    check(draw([length] * sequences, 128, heads, 128, dtype), [length] * sequences)


def test_splits_agree():
    lengths = [1000, 77, 300]
    arrays = draw(lengths, 32)
    expected = reference(arrays, lengths)
    whole = check(arrays, lengths, expected, num_splits=1)
    for num_splits in (2, 5, 24, 1000):
        cut = check(arrays, lengths, expected, num_splits=num_splits)
        for one, other in zip(whole, cut):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def test_parts_are_written_before_they_are_read(monkeypatch):
    """The first call ever, with a workspace of NaN."""
    monkeypatch.setattr(memory, "empty", lambda shape, dtype, device: torch.full(shape, torch.nan, dtype=dtype))
    for tokens, lengths in ((None, [400, 0, 130]), (2, [70, 0, 130])):
        arrays = draw(lengths, 16, tokens=tokens)
        expected = reference(arrays, lengths)
        for num_splits in range(1, 25) if tokens is None else (1, 3, 24):
            check(arrays, lengths, expected, num_splits=num_splits)


def test_workspace_is_exact(monkeypatch):
    """Bytes of the specification: 256 sequences of 8,192 tokens in 22 parts, 16 heads that share one, 128 columns."""
    taken = []

    def empty(shape, dtype, device):
        taken.append(4 * math.prod(shape))
        return torch.empty(shape, dtype=dtype, device=device)

    monkeypatch.setattr(memory, "empty", empty)
    monkeypatch.setattr(_dispatch, "paged_forward", lambda *_: None)
    q, cache = torch.zeros(256, 16, 128), torch.zeros(1, 128, 1, 128)
    arrays = q, cache, cache, torch.zeros(256, 64, dtype=torch.int32), [8192] * 256
    attn.ops.paged_attention(*arrays, num_splits=22, return_lse=True)
    assert taken == [46_137_344, 360_448]
    attn.ops.paged_attention(*arrays, num_splits=1, return_lse=True)
    assert len(taken) == 2


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


# Several tokens, windows, caps, sinks, kept pages


@pytest.mark.parametrize("tokens, heads, dtype", some_optimized([
    (16, (64, 2), BF16), (1, (8, 2), F32), (2, (8, 8), BF16), (16, (8, 1), F32), (5, (12, 4), F16), (3, (128, 1), F32),
], 3), ids=str)  # fmt: skip
def test_new_tokens(tokens, heads, dtype):
    """Each sees those up to itself, also where there are fewer tokens than new ones, and rows of several tiles."""
    lengths = [70, 200, 0, 3]
    arrays = draw(lengths, 32, heads, dtype=dtype, tokens=tokens)
    for num_splits in (1, 3):
        out, lse = check(arrays, lengths, num_splits=num_splits)
        assert out.shape == arrays[0].shape and lse.shape == (4, heads[0], tokens)


@pytest.mark.parametrize("options", [
    dict(window=(20, 0)), dict(window=(40, 0), num_splits=3), dict(softcap=2.0), dict(sinks=True),
    dict(sinks=True, num_splits=4), dict(window=(33, -1), softcap=5.0, sinks=True, num_splits=2),
    dict(pages=True), dict(pages=True, num_splits=3), dict(pages=True, window=(50, 0), sinks=True),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("tokens", some_optimized([None, 4], 2))
def test_options(options, tokens):
    lengths = [100, 0, 77, 160]
    arrays = draw(lengths, 32, tokens=tokens)
    options = dict(options)
    if options.pop("sinks", False):
        options["sinks"] = randn(8, seed=5)
    if options.pop("pages", False):
        options["page_index"] = KEPT
    check(arrays, lengths, **options)


# Of four sequences of up to six pages and two heads: some, all, none, and pages beyond the length.
KEPT = torch.tensor([
    [[0, 2, 3, -1], [3, -1, -1, -1]], [[0, 1, -1, -1], [-1, -1, -1, -1]], [[0, 1, 2, -1], [1, 4, 5, -1]],
    [[1, 3, 4, -1], [0, 1, 2, 4]],
], dtype=torch.int32)  # fmt: skip


def test_batches_do_not_change_bits():
    lengths = [2500, 130, 1024, 7]
    q, k, v, table = draw(lengths, 32)
    together = attn.ops.paged_attention(q, k, v, table, lengths, batch_invariant=True, return_lse=True)
    for b, length in enumerate(lengths):
        alone = attn.ops.paged_attention(
            q[b : b + 1], k, v, table[b : b + 1].contiguous(), [length], batch_invariant=True, return_lse=True
        )
        assert all(torch.equal(whole[b : b + 1], part) for whole, part in zip(together, alone))
    check((q, k, v, table), lengths, batch_invariant=True)


def test_plans_are_made_once():
    lengths = [300, 40]
    arrays = draw([300, 300], 32)
    plan = attn.paged_plan([300, 300], block_size=32, kv_heads=2, cores=3, num_splits=4)
    workspace = attn.Workspace()
    check(arrays, lengths, plan=plan, workspace=workspace)
    taken = workspace.bytes
    assert taken >= plan.workspace_bytes(8, 64)
    check(arrays, lengths, plan=plan, workspace=workspace)
    assert workspace.bytes == taken
    with pytest.raises(ValueError, match="plan: it must be for 2 sequences, 2 kv_heads and 1 row_tiles"):
        attn.ops.paged_attention(*arrays, lengths, plan=attn.paged_plan([5], block_size=32, kv_heads=2, cores=1))


def test_plans_for_shorter_sequences():
    """A plan that cuts after so many tokens, whatever the batch is, has room for so many parts of each sequence."""
    lengths = [300, 2500]
    arrays = draw(lengths, 32)
    sizes = dict(block_size=32, kv_heads=2, cores=3, batch_invariant=True)
    check(arrays, lengths, plan=attn.paged_plan([1024, 3000], **sizes))
    shorter = attn.paged_plan([300, 1500], **sizes)
    check(arrays, [300, 2048], plan=shorter)
    message = "plan: it cuts sequence 1 into 2 parts of 1024 tokens, but context_lens[1] is 2500"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        attn.ops.paged_attention(*arrays, lengths, plan=shorter)
    check(arrays, lengths, plan=shorter, window=(1500, 0))


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


def test_no_heads():
    q, k, v, table = draw([40], 16)
    out, lse = attn.ops.paged_attention(q[:, :0], k, v, table, [40], return_lse=True)
    assert out.shape == (1, 0, 64) and lse.shape == (1, 0)


def test_windows_beyond_all_numbers():
    arrays = draw([40, 3], 16)
    assert attn.ops.paged_attention(*arrays, [40, 3], window=(2**70, 0)).equal(
        attn.ops.paged_attention(*arrays, [40, 3])
    )


def test_strides_of_lists():
    """What is not contiguous in its last dimension is copied, whatever argument it is."""
    q, k, v, table = draw([40, 30, 3], 16)
    pages = torch.tensor([0, 1], dtype=torch.int32).expand(3, 2, 2).contiguous()
    pages[2, :, 1] = -1
    lists = (table, torch.tensor([40, 30, 3], dtype=torch.int32), pages, torch.arange(8.0))
    spread = [torch.stack([tensor, tensor], -1)[..., 0] for tensor in lists]
    results = []
    for blocks, lengths, index, sinks in (lists, spread):
        results.append(attn.ops.paged_attention(q, k, v, blocks, lengths, page_index=index, sinks=sinks))
    assert spread[0].stride(-1) == 2 and results[0].equal(results[1])


# Calls

Q, CACHE, TABLE = torch.zeros(2, 4, 32), torch.zeros(5, 16, 2, 32), torch.zeros(2, 3, dtype=torch.int32)


@pytest.mark.parametrize("change, error, message", [
    (dict(q=Q[0]), ValueError,
     "q (4, 32), k_cache (5, 16, 2, 32), v_cache (5, 16, 2, 32) must be [B, Nq, D] or [B, T, Nq, D], and "
     "[nblk, bs, Nkv, D]"),
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
    (dict(context_lens=3), TypeError, "context_lens: integers are expected, not 3"),
    (dict(context_lens=[3, 2.0]), TypeError, "context_lens: integers are expected, not [3, 2.0]"),
    (dict(context_lens=torch.ones(2, dtype=torch.int32, device="meta")), ValueError,
     "context_lens: device meta does not equal cpu of q"),
    (dict(context_lens=torch.tensor([3, 2**32 + 3])), ValueError, "context_lens[1] (4294967299) must be 0 to 48"),
    (dict(context_lens=[3, 2**40]), ValueError, "context_lens[1] (1099511627776) must be 0 to 48"),
    (dict(context_lens=[0, 49]), ValueError, "context_lens[1] (49) must be 0 to 48"),
    (dict(context_lens=[-1, 0]), ValueError, "context_lens[0] (-1) must be 0 to 48"),
    (dict(block_table=TABLE + 5), ValueError, "block_table[0, 0] (5) must be 0 to 4"),
    (dict(num_splits=0), ValueError, "num_splits (0) must be a positive integer or None"),
    (dict(out=Q[:1]), ValueError, "out must be a tensor of torch.float32 (2, 4, 32), as q"),
    (dict(out=Q[:, :1].expand(2, 4, 32)), ValueError,
     "out: elements of an output share memory; the strides are (128, 0, 1)"),
    (dict(out=torch.zeros(2, 4, 32).requires_grad_()), ValueError,
     "out: the tensor requires grad, and what is written to it has none: give out.detach()"),
    (dict(return_lse="x"), TypeError, "return_lse: True or False is expected, not 'x'"),
    (dict(batch_invariant=1), TypeError, "batch_invariant: True or False is expected, not 1"),
    (dict(q=torch.zeros(2, 17, 4, 32)), ValueError, "T (17) must be 1 to 16 new tokens"),
    (dict(page_index=TABLE), ValueError, "page_index (2, 3) must be [2, 2, W]"),
    (dict(page_index=TABLE.long()), TypeError, "page_index: a tensor of torch.int32 is expected"),
    (dict(page_index=TABLE[:, None].expand(2, 2, 3) + 4), ValueError,
     "page_index: 4 (sequence 0, head 0, position 0) must be 0 to 2"),
    (dict(page_index=TABLE[:, None].expand(2, 2, 3)), ValueError,
     "page_index: 0 (sequence 0, head 0, position 1) must be above the entry before it"),
    (dict(sinks=torch.zeros(3)), ValueError, "sinks (3,) must have one number for each of the 4 heads of q"),
    (dict(softcap=-1.0), ValueError, "softcap (-1.0) must not be negative"),
    (dict(window=5), TypeError, "window: two integers are expected, not 5"),
    (dict(num_splits=2, batch_invariant=True), ValueError,
     "num_splits (2) must be None with batch_invariant, which says where to cut"),
    (dict(workspace=3), TypeError, "workspace: an attn.Workspace is expected, not int"),
    (dict(plan=3), TypeError, "plan: one of attn.paged_plan is expected, not int"),
    (dict(plan=3, num_splits=2), ValueError, "num_splits and batch_invariant are of the plan where one is given"),
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


def test_gradients_are_refused():
    """As those of the other operators: in the backward, not left out."""
    arrays = draw([40, 3], 16)
    queries = arrays[0].clone().requires_grad_()
    buffer = torch.zeros(3, *arrays[0].shape[1:])
    for out in (None, buffer[1:]):
        for result in attn.ops.paged_attention(queries, *arrays[1:], [40, 3], out=out, return_lse=True):
            with pytest.raises(NotImplementedError, match="^paged_attention: gradients are not supported$"):
                result.sum().backward()
    with torch.no_grad():
        assert not attn.ops.paged_attention(queries, *arrays[1:], [40, 3]).requires_grad


def test_outputs_in_place_of_queries():
    """Each tile of queries is read before it is written; other memory of arguments is refused."""
    arrays = draw([40, 3], 16)
    expected = attn.ops.paged_attention(*arrays, [40, 3], num_splits=2)
    queries = arrays[0].clone()
    assert attn.ops.paged_attention(queries, *arrays[1:], [40, 3], num_splits=2, out=queries).equal(expected)
    rows = torch.zeros(3, 8, 64)
    with pytest.raises(ValueError, match="^out: the output shares memory with 'q'; give it memory of its own$"):
        attn.ops.paged_attention(rows[:2], *arrays[1:], [40, 3], out=rows[1:])


@pytest.mark.parametrize("lengths", [[40, 3], torch.tensor([40, 3])], ids=["list", "tensor"])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_fake_tensors(device, lengths):
    """Nothing is looked at where there are no numbers."""
    arrays = (*draw([40, 3], 16), torch.zeros(2, 2, 1, dtype=torch.int32))
    with FakeTensorMode() as mode:
        *arrays, pages = (mode.from_tensor(array).to(device) for array in arrays)
        lengths = mode.from_tensor(lengths).to(device) if isinstance(lengths, torch.Tensor) else lengths
        out, lse = attn.ops.paged_attention(*arrays, lengths, page_index=pages, return_lse=True)
    assert out.shape == (2, 8, 64) and lse.shape == (2, 8) and out.device.type == device


def test_opcheck():
    q, k, v, table = draw([40, 3], 16)
    lengths = torch.tensor([40, 3], dtype=torch.int32)
    out, lse = torch.empty(2, 1, 8, 64), torch.empty(2, 8, 1)
    arrays = (out, lse, q[:, None], k, v, table, lengths, None, torch.zeros(8))
    torch.library.opcheck(torch.ops.attn.paged, (*arrays, 0.2, 5, 0.0, 2, False, None, None, None, 0, 1))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("workspace", [None, attn.Workspace()], ids=["", "workspace"])
def test_compiled_graphs(dynamic, workspace):
    lengths = torch.tensor([40, 3], dtype=torch.int32)

    def attend(q, k, v, table):
        return attn.ops.paged_attention(2 * q, k, v, table, lengths, return_lse=True, workspace=workspace)

    arrays = draw([40, 3], 16)
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True, dynamic=dynamic)
    assert all(map(torch.equal, compiled(*arrays), attend(*arrays)))
