"""Calls of paged_attention on the CPU that are made again: what they must not leave out."""

import gc
import weakref

import pytest
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

import attn
import attn.ops
from attn import _host, memory
from attn.ops import _paged_calls, paged
from attn.ops._paged_calls import Repeat
from kernels_dsl.paged import paged_fwd
from list_kernels import pages_of, randn

LENGTHS = [70, 0, 33, 129]


def draw(lengths=LENGTHS, dtype=torch.float32, heads=(4, 2)):
    k, v, table = pages_of(lengths, 16, heads[1], 32, dtype)
    return randn(len(lengths), heads[0], 32, dtype=dtype), k, v, table.to(torch.int32), torch.tensor(lengths).int()


def is_repeated(monkeypatch, call):
    """Whether a call leaves out what the first one of its form did, and its result."""
    checked = []
    with monkeypatch.context() as patch:
        refuse = paged.refuse_transforms
        patch.setattr(paged, "refuse_transforms", lambda *a, **o: (checked.append(1), refuse(*a, **o)))
        result = call()
    return not checked, result


def assert_same(results, expected):
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape and result.dtype == wanted.dtype
        assert result.equal(wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("options", [{}, dict(num_splits=3), dict(batch_invariant=True), dict(softcap=2.0, scale=0.5)])
def test_repeated_calls_give_the_same(monkeypatch, options, dtype):
    """With other tensors, other lengths, and with other numbers of pages; parts are merged with `num_splits`."""
    first, (q, k, v, table, lengths) = draw(dtype=dtype), draw(dtype=dtype)
    attn.ops.paged_attention(*first, return_lse=True, **options)
    for change in (0, -1, -20):
        others = 2 * q, k + 1, v - 1, table, (lengths + change).clamp(0)
        repeated, results = is_repeated(
            monkeypatch, lambda others=others: attn.ops.paged_attention(*others, return_lse=True, **options)
        )
        assert repeated
        # With a list of lengths it is a call like the first one.
        listed = (*others[:4], others[4].tolist())
        assert_same(results, attn.ops.paged_attention(*listed, return_lse=True, **options))


def test_without_log_sum_exps(monkeypatch):
    arrays = draw()
    expected = attn.ops.paged_attention(*arrays)
    repeated, result = is_repeated(monkeypatch, lambda: attn.ops.paged_attention(*arrays))
    assert repeated and result.equal(expected)


@pytest.mark.parametrize("change", [
    lambda q, k, v, table, lengths: (q[:, :, :16], k[..., :16], v[..., :16], table, lengths),
    lambda q, k, v, table, lengths: (q, k, v, table, lengths.long()),
    lambda q, k, v, table, lengths: (q[:2], k, v, table[:2], lengths[:2]),
    lambda q, k, v, table, lengths: (q.transpose(1, 2).contiguous().transpose(1, 2), k, v, table, lengths),
    lambda q, k, v, table, lengths: (q, k.transpose(1, 2).contiguous().transpose(1, 2), v, table, lengths),
    lambda q, k, v, table, lengths: (q, k, v, torch.cat([table, table], 1)[:, : table.shape[1]], lengths),
    lambda q, k, v, table, lengths: (q[:, None], k, v, table, lengths),
])  # fmt: skip
def test_other_forms_are_calls_of_their_own(change):
    arrays = draw()
    attn.ops.paged_attention(*arrays)
    others = change(*arrays)
    for _ in range(2):  # these may be made again as well
        result = attn.ops.paged_attention(*others)
        assert result.equal(attn.ops.paged_attention(*others[:4], others[4].tolist()))


def test_what_is_wrong_is_found_again():
    q, k, v, table, lengths = draw()
    attn.ops.paged_attention(q, k, v, table, lengths)
    wrong = table.clone()
    wrong[2, 1] = 99
    with pytest.raises(ValueError, match=r"^block_table\[2, 1\] \(99\) must be 0 to "):
        attn.ops.paged_attention(q, k, v, wrong, lengths)
    with pytest.raises(ValueError, match=r"^context_lens\[0\] \(1000\) must be 0 to "):
        attn.ops.paged_attention(q, k, v, table, torch.tensor([1000, 0, 33, 129]).int())
    with pytest.raises(ValueError, match=r"^context_lens\[1\] \(-1\) must be 0 to "):
        attn.ops.paged_attention(q, k, v, table, torch.tensor([70, -1, 33, 129]).int())
    complex_keys = torch.complex(torch.zeros_like(k), k)
    negated = complex_keys.conj().imag
    assert negated.is_neg() and negated.shape == k.shape
    with pytest.raises(ValueError, match="^k_cache: "):
        attn.ops.paged_attention(q, negated, v, table, lengths)


@pytest.mark.parametrize("first, second, error", [
    (dict(num_splits=1), dict(num_splits=True), "num_splits"),
    (dict(return_lse=True), dict(return_lse=1), "return_lse"),
    (dict(scale=1), dict(scale=True), "scale"),
    (dict(scale=1.0), dict(scale=[1.0]), "scale"),
    (dict(softcap=None), dict(softcap=False), "softcap"),
])  # fmt: skip
def test_numbers_of_another_type_are_no_repeat(first, second, error):
    arrays = draw()
    attn.ops.paged_attention(*arrays, **first)
    with pytest.raises((TypeError, ValueError), match=f"^{error}"):
        attn.ops.paged_attention(*arrays, **second)


def test_without_checks_of_the_index(monkeypatch):
    arrays = draw()
    expected = attn.ops.paged_attention(*arrays)
    monkeypatch.setattr(attn.config, "check_index", False)
    assert attn.ops.paged_attention(*arrays).equal(expected)


def test_who_looks_at_operators_sees_them():
    names = []

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            names.append(str(function))
            return function(*arguments, **(options or {}))

    arrays = draw()
    expected = attn.ops.paged_attention(*arrays)
    with Seen():
        assert attn.ops.paged_attention(*arrays).equal(expected)
    assert "attn.paged.default" in names
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        attn.ops.paged_attention(*arrays)
    assert "attn::paged" in {event.name for event in profiler.events()}


def test_derivatives_are_refused_again():
    q, k, v, table, lengths = draw()
    attn.ops.paged_attention(q, k, v, table, lengths)
    attend = lambda q: attn.ops.paged_attention(q, k, v, table, lengths)  # noqa: E731
    for wrong in (
        lambda: torch.func.jvp(attend, (q,), (q,)),
        lambda: torch.func.grad(lambda q: attend(q).sum())(q),
        lambda: torch.vmap(attend)(torch.stack([q, q])),
        lambda: attend(q.clone().requires_grad_()).sum().backward(),
    ):
        with pytest.raises(NotImplementedError, match="^paged_attention: "):
            wrong()


def test_only_the_first_with_so_many_pages_is_planned(monkeypatch):
    """Also where log-sum-exps are not returned, which are written all the same; not where parts are merged."""
    made = []
    make = Repeat.__call__
    monkeypatch.setattr(Repeat, "__call__", lambda *given: (made.append(1), make(*given))[1])
    paged_fwd.forget()
    for options in ({}, dict(return_lse=True), dict(num_splits=3)):
        arrays = draw()
        attn.ops.paged_attention(*arrays, **options)
        counts = []
        for change in (0, -1, 0, -40, -40, -1):
            made.clear()
            changed = (*arrays[:4], (arrays[4] + change).clamp(0))
            attn.ops.paged_attention(*changed, **options)
            counts.append(len(made))
        assert counts == ([1, 1, 0, 1, 0, 0] if "num_splits" not in options else [1] * 6)


def test_tensors_of_a_call_are_not_kept():
    arrays = draw()
    for _ in range(3):
        attn.ops.paged_attention(*arrays)
    kept = [weakref.ref(array) for array in arrays]
    del arrays
    assert [reference() for reference in kept] == [None] * 5


def test_forgotten_calls_are_not_kept():
    gc.collect()
    for options in ({}, dict(num_splits=2)):
        arrays = draw()
        for _ in range(3):
            attn.ops.paged_attention(*arrays, **options)
    paged_fwd.forget()
    gc.collect()
    assert not [kept for kept in gc.get_objects() if type(kept) is Repeat]


def test_calls_whose_numbers_always_differ_are_not_all_kept():
    paged_fwd.forget()
    arrays = draw()
    for step in range(40):
        attn.ops.paged_attention(*arrays, scale=1.0 + step)
    gc.collect()
    assert len([kept for kept in gc.get_objects() if type(kept) is Repeat]) <= 16


def test_queries_apart_and_tensors_of_zeros():
    q, k, v, table, lengths = draw()
    apart = torch.stack([q, q], 1)[:, 0]
    assert not apart.is_contiguous()
    expected = attn.ops.paged_attention(q, k, v, table, lengths)
    for _ in range(3):
        result = attn.ops.paged_attention(apart, k, v, table, lengths)
        assert result.is_contiguous() and result.equal(expected)
    # Of these there is nothing in memory.
    expected = attn.ops.paged_attention(q, torch.zeros_like(k), v, table, lengths)
    assert attn.ops.paged_attention(q, torch._efficientzerotensor(k.shape), v, table, lengths).equal(expected)


def test_without_functions_to_read_tensors(monkeypatch):
    """As where PyTorch does not offer those of DLPack: the type of tensors has none."""
    arrays = draw()
    expected = attn.ops.paged_attention(*arrays)
    monkeypatch.setattr(_paged_calls, "_calls", _host.PagedCalls(int, torch.empty_like, torch.empty))
    for _ in range(2):
        repeated, result = is_repeated(monkeypatch, lambda: attn.ops.paged_attention(*arrays))
        assert not repeated and result.equal(expected)


def test_forgotten_kernels_are_planned_again(monkeypatch):
    arrays = draw()
    expected = attn.ops.paged_attention(*arrays)
    paged_fwd.forget()
    repeated, result = is_repeated(monkeypatch, lambda: attn.ops.paged_attention(*arrays))
    assert not repeated and result.equal(expected)


def test_parts_of_merged_calls_count_as_workspace():
    arrays = draw()
    attn.ops.paged_attention(*arrays, num_splits=2)
    memory.reset_peak_workspace()
    attn.ops.paged_attention(*arrays, num_splits=2)
    assert memory.peak_workspace() > 0
    with attn.memory_limit(1024), pytest.raises(MemoryError, match="^paged_attention: "):
        attn.ops.paged_attention(*arrays, num_splits=2)


def test_plans_are_for_the_threads_there_are():
    lengths = [16 * 100]
    arrays = draw(lengths)
    threads = torch.get_num_threads()
    used = []
    try:
        for count in (1, 2, 1):
            torch.set_num_threads(count)
            memory.reset_peak_workspace()
            attn.ops.paged_attention(*arrays)
            used.append(memory.peak_workspace())
    finally:
        torch.set_num_threads(threads)
    # Two threads compute parts of the sequence, which are merged.
    assert used[0] == used[2] < used[1]
