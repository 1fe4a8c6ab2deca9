"""Dense, block-sparse and paged attention on NPU tensors, under the real torch_npu on the stand-in.

They are kernels of cube and vector cores. Results are held against float64 with the bounds of the CPU tests; what the
host does meanwhile (waiting, copying, allocating) is counted by the stand-in and by torch_npu's allocator.
"""

import ctypes
import tempfile
from pathlib import Path

import pytest
import standin_ops_checks
import test_ops_block_sparse as block_sparse
import test_ops_flash as flash
import test_ops_paged as paged
import torch

import attn.language as at
import attn.ops
import references
import standin
from attn import block_index, runtime
from attn.ops import _dispatch
from attn.ops import block_sparse as block_sparse_ops
from attn.ops import flash as flash_ops
from attn.ops import paged as paged_ops
from kernels_dsl.flash import flash_fwd
from standin import to_npu

acl = standin.start()
F16 = torch.float16
SHAPE = (128, 128)
WAITS = (
    "aclrtSynchronizeStream", "aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeDevice",
    "aclrtSynchronizeDeviceWithTimeout", "aclrtSynchronizeEvent", "aclrtMemcpy", "aclrtMemcpyAsync",
)  # fmt: skip
"""What makes the host wait for the device, or copies between them."""


class Host:
    """What the host has done since it was entered."""

    def __enter__(self):
        torch.npu.synchronize()
        self._waits, self._allocated = self._count(), self._allocations()
        return self

    def __exit__(self, *_):
        now = self._count()
        self.waits = {name: now[name] - before for name, before in self._waits.items() if now[name] != before}
        self.allocations = self._allocations() - self._allocated

    @staticmethod
    def _count():
        return {name: standin.count(name) for name in WAITS}

    @staticmethod
    def _allocations():
        return torch.npu.memory_stats().get("allocation.all.allocated", 0)


# Values


def check_dense():
    q, k, v = flash.draw(130, 100, (2, 1), 32, dtype=F16, batch=2)
    lengths = torch.tensor([70, 100], dtype=torch.int32)
    expected = references.flash(q, k, v, 32**-0.5, kv_lens=lengths)
    for given in ([70, 100], lengths, lengths.npu()):
        o, lse = attn.ops.flash_attention(*map(to_npu, (q, k, v)), actual_seq_lengths_kv=given, return_lse=True)
        assert o.device.type == lse.device.type == "npu"
        references.assert_flash(o.cpu(), lse.cpu(), expected, 70)


def check_dense_tiles_are_dealt():
    """Tiles that a plan deals to cores: high ones, and long lists of keys in parts; later calls copy nothing."""
    cases = {
        "high": (flash.draw(1030, 40, (10, 1), 16, dtype=F16), {}),
        "parts": (flash.draw(40, 4200, (1, 1), 16, dtype=F16), {}),
        "causal": (flash.draw(300, 300, (10, 2), 16, dtype=F16), {"causal": True}),
    }
    for name, ((q, k, v), options) in cases.items():
        expected = references.flash(q, k, v, 16**-0.5, right=0 if options else -1)
        given = [*map(to_npu, (q, k, v))]
        o, lse = attn.ops.flash_attention(*given, **options, return_lse=True)
        references.assert_flash(o.cpu(), lse.cpu(), expected, 1)
        with Host() as host:
            attn.ops.flash_attention(*given, **options)
        assert not host.waits, (name, host.waits)
        full = torch.arange(-(-k.shape[2] // 128), dtype=torch.int32).expand(q.shape[1], -(-q.shape[2] // 128), -1)
        o, lse = attn.ops.block_sparse_attention(*given, full, **options, return_lse=True)
        references.assert_flash(o.cpu(), lse.cpu(), expected, 1)


def _draw_blocks():
    q, k, v = block_sparse.draw(300, heads=(2, 1), width=32, dtype=F16)
    return q, k, v, block_sparse.draw_mask(q, k, SHAPE)


def check_block_sparse():
    q, k, v, mask = _draw_blocks()
    index = block_index.from_mask(mask)
    *expected, fewest = references.block_sparse(q, k, v, mask, SHAPE, 32**-0.5)
    words = (index & block_index.PAD_U16).to(torch.uint16)
    for form in (words, words[0]):
        o, lse = attn.ops.block_sparse_attention(*map(to_npu, (q, k, v)), form.npu(), return_lse=True)
        references.assert_flash(o.cpu(), lse.cpu(), expected, fewest)
    with pytest.raises(ValueError, match="follows padding"):
        attn.ops.block_sparse_attention(*map(to_npu, (q, k, v)), index.flip(-1).npu())


def check_causal_block_sparse_with_lengths():
    """Lists and lengths on the host and on the device, which then deals the tiles itself; blocks of several tiles."""
    q, k, v = block_sparse.draw(600, 500, (2, 1), 32, dtype=F16, batch=2)
    shape = (256, 128)
    mask = block_sparse.draw_mask(q, k, shape)
    index, q_lens, kv_lens = block_index.from_mask(mask), torch.tensor([600, 301]), torch.tensor([500, 333])
    *expected, fewest = references.block_sparse(q, k, v, mask, shape, 32**-0.5, True, q_lens, kv_lens)
    for lists, lengths in (
        (index, (q_lens, kv_lens)),
        (index.npu(), (q_lens, kv_lens)),
        (index, (q_lens.npu(), kv_lens)),
    ):
        o, lse = attn.ops.block_sparse_attention(
            *map(to_npu, (q, k, v)), lists, shape, causal=True, actual_seq_lengths=lengths[0],
            actual_seq_lengths_kv=lengths[1], return_lse=True,
        )  # fmt: skip
        references.assert_flash(o.cpu(), lse.cpu(), expected, fewest)


def _run_paged(arrays, lengths, tensor, **options):
    given = {name: to_npu(value) if isinstance(value, torch.Tensor) else value for name, value in options.items()}
    out, lse = attn.ops.paged_attention(*map(to_npu, arrays), tensor, return_lse=True, **given)
    known = {name: value for name, value in options.items() if name not in ("num_splits", "batch_invariant", "plan")}
    expected = references.paged(*arrays, lengths, arrays[0].shape[-1] ** -0.5, **known)
    references.assert_flash(out.cpu(), lse.cpu(), expected, 1)


def check_paged():
    lengths = [70, 0, 100]
    arrays = paged.draw(lengths, 32, dtype=F16)
    for given in (lengths, torch.tensor(lengths), torch.tensor(lengths, dtype=torch.int32).npu()):
        _run_paged(arrays, lengths, given, num_splits=2)
    plan = attn.paged_plan(lengths, block_size=32, kv_heads=2, cores=20)  # two heads are loaded at a time
    _run_paged(arrays, lengths, lengths, plan=plan)


def check_several_tokens_over_kept_pages():
    lengths = [100, 0, 77, 160]
    arrays = paged.draw(lengths, 32, dtype=F16, tokens=2)
    options = dict(page_index=paged.KEPT, sinks=paged.randn(8, seed=5), num_splits=2)
    for given in (lengths, torch.tensor(lengths, dtype=torch.int32).npu()):
        _run_paged(arrays, lengths, given, **options)


# What the host does


def check_the_host_waits_for_nothing():
    """Lists, tables and lengths on the device stay there, once checks are off."""
    q, k, v, mask = _draw_blocks()
    words = (block_index.from_mask(mask) & block_index.PAD_U16).to(torch.uint16)
    sparse = [*map(to_npu, (q, k, v)), words.npu()]
    pages = [*map(to_npu, paged.draw([70, 0, 100], 32, dtype=F16)), torch.tensor([70, 0, 100], dtype=torch.int32).npu()]
    calls = {
        "block_sparse": lambda: attn.ops.block_sparse_attention(*sparse),
        "paged": lambda: attn.ops.paged_attention(*pages, num_splits=2),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, call in calls.items():
            call()
            with Host() as checked:
                call()
            assert checked.waits, f"{name}: the checks read on the host, which the count must show"
            patch.setattr(attn.config, "check_index", False)
            call()
            with Host() as host:
                call()
            assert not host.waits, (name, host.waits)
            patch.setattr(attn.config, "check_index", True)


def check_memory_does_not_grow():
    """Calls that follow each other find the memory of those before them."""
    q, k, v, mask = _draw_blocks()
    words = (block_index.from_mask(mask) & block_index.PAD_U16).to(torch.uint16)
    sparse = [*map(to_npu, (q, k, v)), words.npu()]
    pages = [*map(to_npu, paged.draw([70, 0, 100], 32, dtype=F16)), torch.tensor([70, 0, 100], dtype=torch.int32).npu()]
    for call in (lambda: attn.ops.block_sparse_attention(*sparse), lambda: attn.ops.paged_attention(*pages)):
        call()
        torch.npu.synchronize()
        before = torch.npu.memory_allocated(), torch.npu.memory_reserved()
        for _ in range(5):
            call()
        torch.npu.synchronize()
        after = torch.npu.memory_allocated(), torch.npu.memory_reserved()
        assert before == after, f"memory grows from {before} to {after}"


def check_a_host_that_waits_or_keeps_memory_is_noticed():
    """What the public version does in every call, put in: it waits for the stream, and allocates."""
    right, kept = _dispatch.block_sparse_forward, []
    mistakes = {
        "aclrtSynchronizeStream": (check_the_host_waits_for_nothing, torch.npu.current_stream().synchronize),
        "memory grows": (check_memory_does_not_grow, lambda: kept.append(torch.empty(1 << 20, device="npu"))),
    }
    for said, (guard, mistake) in mistakes.items():

        def wrong(*arguments, mistake=mistake, **options):
            right(*arguments, **options)
            mistake()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_dispatch, "block_sparse_forward", wrong)
            with pytest.raises(AssertionError, match=said):
                guard()
        kept.clear()


def check_captured_launches():
    """Launches that were recorded once are right for other lengths, tables and queries, and allocate nothing."""
    first, then = [70, 0, 100], [96, 33, 1]
    arrays = paged.draw([100, 100, 100], 32, dtype=F16)
    q, k, v, table = map(to_npu, arrays)
    lengths = torch.tensor(first, dtype=torch.int32).npu()
    out, workspace = torch.full_like(arrays[0], torch.nan).npu(), attn.Workspace()

    def attend():
        attn.ops.paged_attention(q, k, v, table, lengths, num_splits=2, out=out, workspace=workspace)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attn.config, "check_index", False)
        attend()
        with Host() as host:
            attend()
        assert not host.waits and host.allocations == 0, (host.waits, host.allocations)
        torch.npu.synchronize()
        acl.attn_standin_record()
        attend()
        torch.npu.synchronize()
        assert acl.attn_standin_end_record() == 2, "the parts, and their merge"
    numbers = paged.randn(*arrays[0].shape, dtype=F16, seed=9)
    turned = arrays[3].flip(0).contiguous()
    for tensor, value in ((q, numbers), (table, turned), (lengths, torch.tensor(then, dtype=torch.int32))):
        tensor.copy_(value)
    out.copy_(torch.full_like(arrays[0], torch.nan))
    torch.npu.synchronize()
    assert acl.attn_standin_replay(ctypes.c_void_p(torch.npu.current_stream().npu_stream)) == 0
    torch.npu.synchronize()
    expected, _ = references.paged(numbers, *arrays[1:3], turned, then, 64**-0.5)
    references.assert_close("out", out.cpu(), expected, references.FLASH_O_FEW[F16])


def check_operators_call_only_empty_and_copy():
    own = {
        "attn::flash": flash_ops._forward,
        "attn::block_sparse": block_sparse_ops._forward,
        "attn::paged": paged_ops._forward,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standin_ops_checks, "_OWN", own)
        with standin_ops_checks.Calls() as calls:
            check_dense()
            check_block_sparse()
            check_several_tokens_over_kept_pages()
    on_npu = {name for name, on_npu in calls.names if on_npu}
    known = standin_ops_checks._EMPTY | standin_ops_checks._COPY | standin_ops_checks._VIEWS | {"unflatten", "squeeze"}
    assert on_npu <= known, on_npu - known
    return sorted(on_npu)


# Objects


def check_kernels_of_both_kinds_of_cores_ahead_of_time():
    """An object on disk, loaded by its sidecar, and what the cache has of an earlier call: the same bits."""
    arrays = [*map(to_npu, flash.draw(130, 100, (2, 1), 32, dtype=F16))]
    lengths = torch.tensor([77], dtype=torch.int32).npu()

    def attend():
        o, lse = attn.ops.flash_attention(*arrays, actual_seq_lengths_kv=lengths, return_lse=True)
        return o.cpu(), lse.cpu()

    expected, array = attend(), at.spec("? ? ? 32", at.f16)
    made = flash_fwd.prepare(soc=runtime.soc(), q=array, k=array, v=array, kv_lens=at.spec("?", at.i32))
    with tempfile.TemporaryDirectory() as folder:
        made.build(Path(folder) / "flash.o")
        loaded = runtime.load(Path(folder) / "flash.json")
    results = loaded(*arrays, 32**-0.5, kv_lens=lengths)
    assert all(result.cpu().equal(value) for result, value in zip(results, expected))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attn.Artefact, "build", None)
        flash_fwd.forget()
        assert all(map(torch.equal, attend(), expected))
