"""Paged decode attention: `paged_attention`, and how its arrays reach the kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import torch
from torch import Tensor

from .. import config, memory
from .._host import FRACTAL_ROWS, find_wrong_page
from ..call.checking import check_places
from ..call.overlap import check_overlap
from ..planning import PagedPlan
from . import _dispatch
from ._attention import (
    check_flag,
    check_scale,
    check_sinks,
    check_softcap,
    check_width,
    check_window,
    describe_shapes,
    read_integers,
    write_unseen,
)
from ._lists import check_lists, count_listed
from ._paged_calls import Repeat, call_again, keep, kernel_options, most_seen, plan_lists
from ._pages import MOST_ROWS, Lists, Rows, given_lists, heads_together, paired
from ._readable import DEVICES, check_device, check_dtype, has_values, readable, refuse_transforms
from ._repeats import is_plain_call

_MOST_PAGE = 512
_MOST_TOKENS = 16
_INTEGERS = (torch.int32, torch.int64)


def paged_attention(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    block_table: Tensor,
    context_lens: Tensor | Sequence[int],
    scale: float | None = None,
    num_splits: int | None = None,
    return_lse: bool = False,
    out: Tensor | None = None,
    *,
    window: tuple[int, int] | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    page_index: Tensor | None = None,
    batch_invariant: bool = False,
    plan: PagedPlan | None = None,
    workspace: memory.Workspace | None = None,
):
    """Attention of the newest tokens of each sequence over its keys and values, which lie in pages.

    q is [B, Nq, D], or [B, T, Nq, D] for the T newest tokens, of which each sees those up to itself; the caches are
    [nblk, bs, Nkv, D], all of one type. Page p of sequence b is block `block_table[b, p]` of the caches; of it the
    first `context_lens[b]` tokens count, the new ones among them, and nothing beyond them is read. Nq is a multiple of
    Nkv, and Nq / Nkv heads of queries share one of keys. `scale` is D ** -0.5 unless given. Returns out, of the shape
    of q, which is `out` where it is given, and with `return_lse` also the log-sum-exps of the scores, [B, Nq] or
    [B, Nq, T] in f32, natural logarithms. A token that sees none gives 0 and -inf.

    `window`, `softcap` and `sinks` are those of `flash_attention`; whatever the window, no token sees later ones.
    `page_index` [B, Nkv, W] in int32 lists the pages of a sequence that a head of keys keeps, ascending and padded with
    -1: the others are not read.

    Long sequences are cut into parts that several cores compute; `num_splits` says into how many, at most as many as
    there are pages. With `batch_invariant` the parts of a sequence, and so its bits, do not depend on the others.
    `plan` is a plan of `attn.paged_plan` that was made before. Lengths on an NPU stay there: then everything that is
    launched depends on shapes alone, and with `out` and a `workspace` that was used before, nothing is allocated.
    """
    arrays = q, k_cache, v_cache, block_table, context_lens
    numbers = None
    if out is window is sinks is page_index is plan is workspace is None and is_plain_call():
        numbers = scale, num_splits, return_lse, softcap, batch_invariant, config.optimize_cpu
        result = call_again(arrays, numbers)
        if result is not None:
            return result
    several = isinstance(q, Tensor) and q.dim() == 4
    queries = q.unsqueeze(1) if isinstance(q, Tensor) and q.dim() == 3 else q
    _check_types(q, k_cache, v_cache)
    _check_sizes(queries, k_cache, block_table)
    check_flag("return_lse", return_lse)
    check_flag("batch_invariant", batch_invariant)
    lengths = _read_lengths(context_lens, q)
    options = check_scale(scale, q.shape[-1]), check_window(window)[0], check_softcap(softcap)
    check_sinks(sinks, q, q.shape[-2])
    _check_index(page_index, q, k_cache.shape[2])
    _check_cuts(num_splits, batch_invariant, plan)
    refuse_transforms("paged_attention", q, k_cache, v_cache, sinks, mapped=False)
    if config.check_index:
        _check_entries(block_table, lengths, k_cache.shape[0], k_cache.shape[1])
        if page_index is not None and has_values(page_index):
            check_lists("page_index", page_index, block_table.shape[1], ("sequence", "head", "position"))
    lengths = lengths.to(torch.int32)
    if out is not None:
        _check_out(out, q, dict(k_cache=k_cache, v_cache=v_cache, block_table=block_table, sinks=sinks))
    if workspace is not None and not isinstance(workspace, memory.Workspace):
        raise TypeError(f"workspace: an attn.Workspace is expected, not {type(workspace).__name__}")
    # A graph runs when nothing is lent any more.
    with contextlib.nullcontext() if workspace is None or torch.compiler.is_compiling() else workspace:
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device) if out is None else out
        lse = _make_lse(queries, return_lse)
        rows = Rows(queries, k_cache.shape[2])
        sees_all = page_index is None and sinks is None and options[1] < 0
        heads = heads_together(rows, k_cache, v_cache) if sees_all else 1
        lists = None if plan is None else given_lists(plan, q.device, rows, heads)
        if plan is not None and plan.run and page_index is None and lengths.device.type == "cpu":
            _check_runs(plan, lengths, k_cache.shape[1], most_seen(options[1], queries.shape[1], k_cache.shape[1]))
        planned = (None, None, None, 0) if lists is None else lists
        given = (queries, k_cache, v_cache, block_table, lengths, page_index, sinks, *options)
        result = out if several else out.unsqueeze(1)
        torch.ops.attn.paged(result, lse, *given, num_splits, batch_invariant, *planned, heads)
    if numbers is not None and Repeat.suits(*arrays):
        keep(arrays, numbers, Repeat(queries, k_cache, heads, options, (num_splits, batch_invariant), return_lse))
    if torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in (q, k_cache, v_cache, sinks)):
        out, lse = (_Refused.apply(result, q, k_cache, v_cache, sinks) for result in (out, lse))
    if not return_lse:
        return out
    return out, (lse if several else lse[..., 0])


class _Refused(torch.autograd.Function):
    """A result whose gradient is not supported. An operator that writes to its arguments cannot say so itself."""

    @staticmethod
    def forward(ctx, result, *_):
        ctx.mark_dirty(result)
        return result

    @staticmethod
    def backward(ctx, *_):
        raise NotImplementedError("paged_attention: gradients are not supported")


def _make_lse(q, returned: bool):
    """Log-sum-exps [B, Nq, T], not yet computed; those that are not returned are a temporary."""
    make = torch.empty if returned else memory.empty
    return make((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32, device=q.device)


def _check_types(q, k_cache, v_cache):
    caches = dict(k_cache=k_cache, v_cache=v_cache)
    arrays = dict(q=q, **caches)
    for name, tensor in arrays.items():
        check_dtype(name, tensor)
    if q.dim() not in (3, 4) or any(tensor.dim() != 4 for tensor in caches.values()):
        raise ValueError(f"{describe_shapes(arrays)} must be [B, Nq, D] or [B, T, Nq, D], and [nblk, bs, Nkv, D]")
    if not q.dtype == k_cache.dtype == v_cache.dtype:
        raise TypeError(f"q {q.dtype}, k_cache {k_cache.dtype}, v_cache {v_cache.dtype} must have the same type")
    if k_cache.shape != v_cache.shape or q.shape[-1] != k_cache.shape[3]:
        raise ValueError(f"{describe_shapes(arrays)}: the caches must have one shape, and the D of q")
    for name, tensor in caches.items():
        check_device(name, tensor, "q", q)


def _check_sizes(q, k_cache, block_table):
    (sequences, tokens, heads, width), (_, size, kv_heads, _) = q.shape, k_cache.shape
    if not 0 < tokens <= _MOST_TOKENS:
        raise ValueError(f"T ({tokens}) must be 1 to {_MOST_TOKENS} new tokens")
    if kv_heads == 0 or heads % kv_heads or heads // kv_heads > MOST_ROWS:
        raise ValueError(f"Nq ({heads}) must be a multiple of Nkv ({kv_heads}), at most {MOST_ROWS} times as large")
    check_width("D", width)
    if not 0 < size <= _MOST_PAGE or size % FRACTAL_ROWS:
        raise ValueError(f"bs ({size}) must be a multiple of {FRACTAL_ROWS} up to {_MOST_PAGE}")
    if not isinstance(block_table, Tensor) or block_table.dtype != torch.int32 or block_table.dim() != 2:
        raise TypeError("block_table: a tensor of torch.int32 [B, maxblk] is expected")
    check_device("block_table", block_table, "q", q)
    if block_table.shape[0] != sequences:
        raise ValueError(f"block_table {tuple(block_table.shape)} must have a row for each of {sequences} sequences")


def _read_lengths(context_lens, q):
    """The lengths as a tensor of integers, on the device that they are given on."""
    sequences = q.shape[0]
    if isinstance(context_lens, Tensor):
        if context_lens.dtype not in _INTEGERS or context_lens.shape != (sequences,):
            raise ValueError(
                f"context_lens ({context_lens.dtype} {tuple(context_lens.shape)}) must be integers [{sequences}]"
            )
        if context_lens.device.type != "cpu":
            check_device("context_lens", context_lens, "q", q)
        return context_lens
    lengths = read_integers("context_lens", context_lens)
    if len(lengths) != sequences:
        raise ValueError(f"context_lens ({context_lens}) must be {sequences} integers")
    return torch.tensor(lengths, dtype=torch.int64, device="cpu")


def _check_index(page_index, q, kv_heads: int):
    if page_index is None:
        return
    if not isinstance(page_index, Tensor) or page_index.dtype != torch.int32:
        raise TypeError("page_index: a tensor of torch.int32 is expected")
    if page_index.dim() != 3 or page_index.shape[:2] != (q.shape[0], kv_heads):
        raise ValueError(f"page_index {tuple(page_index.shape)} must be [{q.shape[0]}, {kv_heads}, W]")
    check_device("page_index", page_index, "q", q)


def _check_cuts(num_splits, batch_invariant: bool, plan):
    if num_splits is not None and (not isinstance(num_splits, int) or isinstance(num_splits, bool) or num_splits < 1):
        raise ValueError(f"num_splits ({num_splits}) must be a positive integer or None")
    if num_splits is not None and batch_invariant:
        raise ValueError(f"num_splits ({num_splits}) must be None with batch_invariant, which says where to cut")
    if plan is not None and (num_splits is not None or batch_invariant):
        raise ValueError("num_splits and batch_invariant are of the plan where one is given")
    if plan is not None and not isinstance(plan, PagedPlan):
        raise TypeError(f"plan: one of attn.paged_plan is expected, not {type(plan).__name__}")


def _check_runs(plan: PagedPlan, lengths, page: int, seen: int | None):
    """ValueError for the first sequence that is longer than the parts that a plan cuts it into after so many pages."""
    parts = {task.sequence: task.parts for task in plan.tasks}
    for sequence, length in enumerate(lengths.tolist()):
        room = parts[sequence] * plan.run * page
        if (length if seen is None else min(length, seen)) > room:
            raise ValueError(
                f"plan: it cuts sequence {sequence} into {parts[sequence]} parts of {plan.run * page} tokens, but "
                f"context_lens[{sequence}] is {length}"
            )


def _check_entries(block_table, lengths, pages: int, size: int):
    """ValueError for the first length or block that does not exist; entries beyond a length may be anything."""
    if not has_values(lengths):
        return
    limit, lengths = block_table.shape[1] * size, lengths.tolist()
    for sequence, length in enumerate(lengths):
        if not 0 <= length <= limit:
            raise ValueError(f"context_lens[{sequence}] ({length}) must be 0 to {limit}")
    if not has_values(block_table):
        return
    table = block_table.cpu()
    wrong = find_wrong_page(table.data_ptr(), table.stride(), lengths, size, pages)
    if wrong is not None:
        sequence, position = wrong
        entry = int(table[sequence, position])
        raise ValueError(f"block_table[{sequence}, {position}] ({entry}) must be 0 to {pages - 1}")


def _check_out(out, q, others):
    """It may be q itself, of which each tile is read before it is written, but share memory with nothing else."""
    if not isinstance(out, Tensor) or out.shape != q.shape or out.dtype != q.dtype:
        raise ValueError(f"out must be a tensor of {q.dtype} {tuple(q.shape)}, as q")
    check_device("out", out, "q", q)
    if out.requires_grad and torch.is_grad_enabled():
        raise ValueError("out: the tensor requires grad, and what is written to it has none: give out.detach()")
    check_places("out", out)
    if has_values(out):
        is_query = out.data_ptr() == q.data_ptr() and out.stride() == q.stride()
        check_overlap(others if is_query else dict(q=q, **others), dict(out=out))


# The operator


@torch.no_grad()
def _forward(
    out, lse, q, k_cache, v_cache, block_table, context_lens, page_index, sinks, scale, left, softcap, num_splits,
    batch_invariant, shares, tasks, merges, run, heads,
):  # fmt: skip
    torch.autograd.graph.increment_version((out, lse))
    if not q.numel():
        return
    if not k_cache.numel() or not block_table.numel() or (page_index is not None and not page_index.numel()):
        write_unseen(out.transpose(1, 2), lse, sinks)
        return
    is_host = q.device.type == "cpu"
    loaded, together = (1, heads) if is_host else (heads, 1)
    rows = Rows(q, k_cache.shape[2], together)
    budget = memory.Budget("paged_attention", memory.FORWARD_PERCENT, q.device)
    given = (q, k_cache, v_cache, block_table, context_lens.to(q.device), page_index, sinks)
    with readable(budget, *given) as (queries, keys, values, table, lens, pages, scores):
        arrays = dict(table=table, lens=lens)
        if pages is not None:
            lists, page = pages.unsqueeze(2), k_cache.shape[1]
            counts = count_listed(lists, page, block_table.shape[1] * page, lens).squeeze(2)
            arrays.update(index=pages, counts=counts)
        if scores is not None:
            arrays.update(sinks=rows.spread_sinks(scores))
        plan = Lists(shares, tasks, merges, run)
        if tasks is None:
            kept, cuts = arrays.get("counts"), (num_splits, batch_invariant)
            plan = plan_lists(rows, heads, k_cache, block_table, context_lens, kept, left, *cuts)
        options = kernel_options(rows, loaded, k_cache, scale, left, softcap)
        arrays.update(q=rows.readable(queries), k=paired(keys, loaded), v=paired(values, loaded))
        with rows.outputs(budget, out, lse, plan) as outputs:
            _dispatch.paged_forward(arrays, plan, options, outputs)


# Defined by itself: what torch.library.custom_op does for operators that may be differentiated takes longer than all
# else that a call on a CPU does besides computing.
torch.library.define(
    "attn::paged",
    "(Tensor(a!) out, Tensor(b!) lse, Tensor q, Tensor k_cache, Tensor v_cache, Tensor block_table, "
    "Tensor context_lens, Tensor? page_index, Tensor? sinks, float scale, int left, float softcap, int? num_splits, "
    "bool batch_invariant, Tensor? shares, Tensor? tasks, Tensor? merges, int run, int heads) -> ()",
    tags=(torch.Tag.pt2_compliant_tag,),
)
torch.library.impl("attn::paged", DEVICES, _forward)


@torch.library.register_fake("attn::paged")
def _(out, lse, q, k_cache, v_cache, block_table, context_lens, page_index, sinks, scale, left, softcap, num_splits,
      batch_invariant, shares, tasks, merges, run, heads):  # fmt: skip
    return None
