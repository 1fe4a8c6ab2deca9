"""Dense attention: `flash_attention`, and how its arrays reach the kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from .. import memory
from . import _dispatch
from ._readable import (
    DEVICES,
    check_device,
    check_dtype,
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
    actual_seq_lengths: Tensor | Sequence[int] | None = None,
    actual_seq_lengths_kv: Tensor | Sequence[int] | None = None,
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
    f32, is one more score for each query of a head, which has no value. The lengths [B], of queries and of keys, leave
    the rest of a batch entry out: nothing of it is read, and its queries see no keys.

    Gradients are not supported.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout ({layout}) must be one of {', '.join(LAYOUTS)}")
    _check_arrays(q, k, v, layout)
    if layout == "BSND":
        q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    left, right = _check_window(window)
    if causal:
        right = 0
    _check_sinks(sinks, q)
    lengths = [
        _make_lengths(name, given, most, q)
        for name, given, most in (
            ("actual_seq_lengths", actual_seq_lengths, q.shape[2]),
            ("actual_seq_lengths_kv", actual_seq_lengths_kv, k.shape[2]),
        )
    ]
    scale = _check_number("scale", q.shape[-1] ** -0.5 if scale is None else scale)
    softcap = _check_number("softcap", 0.0 if softcap is None else softcap)
    if softcap < 0:
        raise ValueError(f"softcap ({softcap}) must not be negative")
    o, lse = torch.ops.attn.flash(q, k, v, scale, left, right, softcap, sinks, *lengths)
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


def _check_number(name: str, number):
    if not isinstance(number, (float, int)) or isinstance(number, bool):
        raise TypeError(f"{name}: a number is expected, not {number!r}")
    if not math.isfinite(number):
        raise ValueError(f"{name} ({number}) must be finite")
    return float(number)


def _check_window(window):
    """The keys before and after its own that a query sees; -1 for all."""
    if window is None:
        return -1, -1
    if not isinstance(window, (tuple, list)) or [type(side) for side in window] != [int, int]:
        raise TypeError(f"window: two integers are expected, not {window!r}")
    if min(window) < -1:
        raise ValueError(f"window {tuple(window)} must have numbers of keys, or -1 for all")
    return tuple(window)


def _check_sinks(sinks, q):
    if sinks is None:
        return
    if not isinstance(sinks, Tensor) or sinks.dtype != torch.float32:
        raise TypeError("sinks: a tensor of torch.float32 is expected")
    if sinks.shape != q.shape[1:2]:
        raise ValueError(f"sinks {tuple(sinks.shape)} must have one number for each of the {q.shape[1]} heads of q")
    check_device("sinks", sinks, "q", q)


def _make_lengths(name: str, lengths, most: int, q):
    """Lengths of batch entries as the kernel reads them."""
    if lengths is None:
        return None
    if not isinstance(lengths, Tensor):
        if any(not 0 <= length <= most for length in lengths):
            raise ValueError(f"{name} {list(lengths)} must be from 0 to {most}")
        lengths = torch.tensor(lengths, dtype=torch.int32).to(q.device)
    if lengths.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"{name}: {lengths.dtype} is not supported; known: torch.int32, torch.int64")
    if lengths.shape != q.shape[:1]:
        raise ValueError(f"{name} {tuple(lengths.shape)} must have one number for each of {q.shape[0]} batch entries")
    check_device(name, lengths, "q", q)
    return lengths.to(torch.int32)


# The operator


def _make_outputs(q, v):
    """o, in the memory order of q, and its log-sum-exps, not yet computed."""
    shape = (*q.shape[:3], v.shape[-1])
    o = empty_in_order(shape, memory_order(q, range(3)), q.dtype, q.device)
    return o, empty_in_order(q.shape[:3], range(3), torch.float32, q.device)


@torch.library.custom_op(
    "attn::flash",
    mutates_args=(),
    schema="(Tensor q, Tensor k, Tensor v, float scale, int left=-1, int right=-1, float softcap=0.0, "
    "Tensor? sinks=None, Tensor? q_lens=None, Tensor? kv_lens=None) -> (Tensor o, Tensor lse)",
    device_types=DEVICES,
)
def _forward(q, k, v, scale, left=-1, right=-1, softcap=0.0, sinks=None, q_lens=None, kv_lens=None):
    o, lse = _make_outputs(q, v)
    if not q.numel():
        return o, lse
    if not k.numel():
        o.copy_(zeros((), q.dtype, q.device).expand(o.shape))
        lowest = torch.full((), -math.inf).to(q.device) if sinks is None else sinks[:, None]
        lse.copy_(lowest.expand(lse.shape))
        return o, lse
    budget = memory.Budget("flash_attention", memory.FORWARD_PERCENT, q.device)
    for part in _split_batches(q, k, v, budget):
        lengths = [None if lens is None else lens[part] for lens in (q_lens, kv_lens)]
        with readable(budget, q[part], k[part], v[part], sinks, *lengths) as arrays:
            options = dict(scale=scale, left=left, right=right, softcap=softcap)
            _dispatch.flash_forward(arrays, options, (o[part], lse[part]))
    return o, lse


def _split_batches(q, k, v, budget):
    """Slices of the batch whose copies the budget is enough for; at least one entry each."""
    copied = sum(copy_bytes(tensor[:1]) for tensor in unreadable((q, k, v)))
    step = q.shape[0] if copied == 0 else max(1, budget.left // copied)
    for start in range(0, q.shape[0], step):
        yield slice(start, start + step)


@_forward.register_fake
def _(q, k, v, scale, left=-1, right=-1, softcap=0.0, sinks=None, q_lens=None, kv_lens=None):
    return _make_outputs(q, v)


def _refuse(ctx, *_):
    raise NotImplementedError("flash_attention: gradients are not supported")


_forward.register_autograd(_refuse)
