"""Dense attention: `flash_attention`, and how its arrays reach the kernel."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .. import memory
from . import _dispatch
from ._readable import (
    DEVICES,
    check_device,
    check_dtype,
    check_scale,
    copy_bytes,
    empty_in_order,
    memory_order,
    readable,
    unreadable,
    zeros,
)

LAYOUTS = ("BNSD", "BSND")
_MOST_COLUMNS, _COLUMN_STEP = 256, 16


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
    actual_seq_lengths: Tensor | None = None,
    actual_seq_lengths_kv: Tensor | None = None,
    return_lse: bool = False,
):
    """Softmax attention of each query over the keys of its head.

    In the layout "BNSD" q is [B, H, Sq, D], k [B, Hk, Skv, D] and v [B, Hk, Skv, Dv]; in "BSND" positions come before
    heads. All have one type. H is a multiple of Hk, and H / Hk heads of queries share one of keys. D and Dv are
    multiples of 16 up to 256. `scale` is D ** -0.5 unless given. Returns o, of the layout of q, and with `return_lse`
    also the log-sum-exps of the scores [B, H, Sq] in f32, natural logarithms. Without keys, o is 0 and the log-sum-exp
    -inf. Scores, softmax and sums are f32.

    `causal`, `window`, `softcap`, `sinks` and lengths are not supported yet, and neither are gradients.
    """
    given = dict(causal=causal or None, window=window, softcap=softcap, sinks=sinks)
    given.update(actual_seq_lengths=actual_seq_lengths, actual_seq_lengths_kv=actual_seq_lengths_kv)
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"flash_attention: {name} is not supported yet")
    if layout not in LAYOUTS:
        raise ValueError(f"layout ({layout}) must be one of {', '.join(LAYOUTS)}")
    _check_arrays(q, k, v, layout)
    if layout == "BSND":
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    o, lse = torch.ops.attn.flash(q, k, v, check_scale(scale, q.shape[-1]))
    o = o.transpose(1, 2) if layout == "BSND" else o
    return (o, lse) if return_lse else o


def _check_arrays(q, k, v, layout: str):
    arrays = dict(q=q, k=k, v=v)
    for name, tensor in arrays.items():
        check_dtype(name, tensor)
    shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in arrays.items())
    if any(tensor.dim() != 4 for tensor in arrays.values()):
        raise ValueError(f"{shapes} must have 4 dimensions, those of {layout}")
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(f"q {q.dtype}, k {k.dtype}, v {v.dtype} must have the same type")
    for name in ("k", "v"):
        check_device(name, arrays[name], "q", q)
    heads = layout.index("N")
    if k.shape[:3] != v.shape[:3] or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(f"{shapes} must agree in B, k and v in heads and positions, q and k in D")
    if q.shape[heads] and (k.shape[heads] == 0 or q.shape[heads] % k.shape[heads]):
        raise ValueError(
            f"{shapes}: the heads of q ({q.shape[heads]}) must be a multiple of those of k and v ({k.shape[heads]})"
        )
    for name, tensor in (("D", q), ("Dv", v)):
        columns = tensor.shape[3]
        if not 0 < columns <= _MOST_COLUMNS or columns % _COLUMN_STEP:
            raise ValueError(f"{name} ({columns}) must be a multiple of {_COLUMN_STEP} up to {_MOST_COLUMNS}")


# The operator


def _make_outputs(q, v):
    """o, in the memory order of q, and its log-sum-exps, not yet computed."""
    shape = (*q.shape[:3], v.shape[-1])
    o = empty_in_order(shape, memory_order(q, range(3)), q.dtype, q.device)
    return o, empty_in_order(q.shape[:3], range(3), torch.float32, q.device)


@torch.library.custom_op(
    "attn::flash",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, float scale) -> (Tensor o, Tensor lse)",
    device_types=DEVICES,
)
def _forward(q, k, v, scale):
    o, lse = _make_outputs(q, v)
    if not q.numel():
        return o, lse
    if not k.numel():
        o.copy_(zeros((), q.dtype, q.device).expand(o.shape))
        lse.copy_(torch.full((), -math.inf).to(q.device).expand(lse.shape))
        return o, lse
    budget = memory.Budget("flash_attention", memory.FORWARD_PERCENT, q.device)
    for part in _split_batches(q, k, v, budget):
        with readable(budget, q[part], k[part], v[part]) as (queries, keys, values):
            _dispatch.flash_forward(queries, keys, values, scale, (o[part], lse[part]))
    return o, lse


def _split_batches(q, k, v, budget):
    """Slices of the batch whose copies the budget is enough for; at least one entry each."""
    copied = sum(copy_bytes(tensor[:1]) for tensor in unreadable((q, k, v)))
    step = q.shape[0] if copied == 0 else max(1, budget.left // copied)
    for start in range(0, q.shape[0], step):
        yield slice(start, start + step)


@_forward.register_fake
def _(q, k, v, scale):
    return _make_outputs(q, v)


def _refuse(ctx, *_):
    raise NotImplementedError("flash_attention: gradients are not supported")


_forward.register_autograd(_refuse)
