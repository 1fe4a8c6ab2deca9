"""Dense attention: `flash_attention`, and how its arrays reach the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .. import memory
from . import _dispatch
from ._attention import (
    check_arrays,
    check_flag,
    check_layout,
    check_scale,
    check_sinks,
    check_softcap,
    check_window,
    make_outputs,
    read_lengths,
    write_unseen,
)
from ._lists import core_count
from ._readable import DEVICES, copy_bytes, readable, refuse_transforms, unreadable
from .block_sparse import attend_densely


def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float | None = None,
    causal: bool = False,
    window: tuple[int, int] | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    layout: str = "BNSD",
    actual_seq_lengths: Tensor | Sequence[int] | int | None = None,
    actual_seq_lengths_kv: Tensor | Sequence[int] | int | None = None,
    return_lse: bool = False,
):
    """Softmax attention of each query over the keys of its head.

    In the layout "BNSD" q is [B, H, Sq, D], k [B, Hk, Skv, D] and v [B, Hk, Skv, Dv]; in "BSND" positions come before
    heads. All have one type. H is a multiple of Hk, and H / Hk heads of queries share one of keys. D and Dv are
    multiples of 16 up to 256. `scale` is D ** -0.5 unless given. Returns o, of the layout of q, and with `return_lse`
    also the log-sum-exps of the scores [B, H, Sq] in f32, natural logarithms. Where a query sees no keys, o is 0 and
    the log-sum-exp -inf. Scores, softmax and sums are f32.

    The last key belongs to the last query. `window` is how many keys before and after its own a query sees, -1 for all
    of them; with `causal` it sees none after. `softcap` makes softcap * tanh(s / softcap) of scores. `sinks` [H], in
    f32, is one more score for each query of a head, which has no value. The lengths [B] or [1], of queries and of keys,
    leave the rest of a batch entry out: nothing of it is read, and its queries see no keys.

    Gradients are not supported.
    """
    check_layout(layout)
    check_flag("causal", causal)
    check_flag("return_lse", return_lse)
    check_arrays(q, k, v, layout)
    if layout == "BSND":
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    left, right = check_window(window)
    if causal:
        right = 0
    check_sinks(sinks, q, q.shape[1])
    q_lens = read_lengths("actual_seq_lengths", actual_seq_lengths, q.shape[2], q)
    kv_lens = read_lengths("actual_seq_lengths_kv", actual_seq_lengths_kv, k.shape[2], q)
    scale = check_scale(scale, q.shape[-1])
    softcap = check_softcap(softcap)
    refuse_transforms("flash_attention", q, k, v, sinks)
    o, lse = torch.ops.attn.flash(q, k, v, scale, left, right, softcap, sinks, q_lens, kv_lens)
    o = o.transpose(1, 2) if layout == "BSND" else o
    return (o, lse) if return_lse else o


# The operator


@torch.library.custom_op(
    "attn::flash",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, float scale, int left=-1, int right=-1, float softcap=0.0, "
    "Tensor? sinks=None, Tensor? q_lens=None, Tensor? kv_lens=None) -> (Tensor o, Tensor lse)",
    device_types=DEVICES,
)
def _forward(q, k, v, scale, left=-1, right=-1, softcap=0.0, sinks=None, q_lens=None, kv_lens=None):
    o, lse = make_outputs(q, v)
    if not q.numel():
        return o, lse
    if not k.numel():
        write_unseen(o, lse, sinks)
        return o, lse
    if _is_dealt(q, k, v, left, right, softcap, (sinks, q_lens, kv_lens)):
        attend_densely(q, k, v, scale, right == 0, (o, lse))
        return o, lse
    q_lens, kv_lens = (None if lens is None else lens.to(q.device) for lens in (q_lens, kv_lens))
    budget = memory.Budget("flash_attention", memory.FORWARD_PERCENT, q.device)
    for part in _split_batches(q, k, v, budget):
        lengths = [None if lens is None else lens[part] for lens in (q_lens, kv_lens)]
        with readable(budget, q[part], k[part], v[part], sinks, *lengths) as arrays:
            options = dict(scale=scale, left=left, right=right, softcap=softcap)
            _dispatch.flash_forward(arrays, options, (o[part], lse[part]))
    return o, lse


# With so many keys or more, tiles are dealt to cores even where there are fewer of them than cores: in parts.
_DEALT_KEYS = 4096


def _is_dealt(q, k, v, left: int, right: int, softcap: float, others):
    """Whether the tiles of a call are dealt to the cores of an NPU by a plan, as those of block-sparse attention are:
    where some would otherwise have more to do than others, and nothing is asked for that only the dense kernel has."""
    if q.device.type == "cpu" or left >= 0 or right > 0 or softcap or any(x is not None for x in others):
        return False
    tiles = q.shape[0] * q.shape[1] * -(-q.shape[2] // _dispatch.ROWS)
    return not unreadable((q, k, v)) and (k.shape[2] >= _DEALT_KEYS or tiles > core_count(q.device))


def _split_batches(q, k, v, budget):
    """Slices of the batch whose copies the budget is enough for; at least one entry each."""
    copied = sum(copy_bytes(tensor[:1]) for tensor in unreadable((q, k, v)))
    step = q.shape[0] if copied == 0 else max(1, budget.left // copied)
    for start in range(0, q.shape[0], step):
        yield slice(start, start + step)


@_forward.register_fake
def _(q, k, v, scale, left=-1, right=-1, softcap=0.0, sinks=None, q_lens=None, kv_lens=None):
    return make_outputs(q, v)


def _refuse(ctx, *_):
    raise NotImplementedError("flash_attention: gradients are not supported")


_forward.register_autograd(_refuse)
