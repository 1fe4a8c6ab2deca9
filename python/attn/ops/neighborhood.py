"""Neighbourhood attention: `neighborhood_attention`, its autograd, and how its arrays reach the kernels."""

from __future__ import annotations

import torch
from torch import Tensor

from .. import memory
from . import _dispatch
from ._attention import check_flag, check_scale
from ._readable import DEVICES, check_device, check_dtype, empty_in_order, memory_order, refuse_transforms, zeros
from ._windows import split_windows

PATHS = ("halo", "gathered")
_PATHS_TO_COME = ("cube band", "dense")


def neighborhood_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    kernel_size: int = 7,
    dilation: int = 1,
    scale: float | None = None,
    return_lse: bool = False,
    *,
    path: str | None = None,
):
    """Self-attention in which position i sees `kernel_size` positions around itself, `dilation` apart.

    q, k and v are [B, H, S, D] of one type. At the ends of the sequence the window shrinks. `scale` is D ** -0.5 unless
    given. Returns o [B, H, S, D] in the memory order of q, and with `return_lse` also the log-sum-exps of the scores
    [B, H, S] in f32, which are differentiable. Scores, softmax and sums are f32.

    `path` forces how the kernels reach the neighbours: "halo" loads a tile's window once, "gathered" loads the rows of
    each neighbour. By itself the compiler takes what it estimates to be faster.
    """
    check_window(kernel_size, dilation)
    check_flag("return_lse", return_lse)
    if path in _PATHS_TO_COME:
        raise NotImplementedError(f"path ({path}) is not supported yet; known: {', '.join(PATHS)}")
    if path is not None and path not in PATHS:
        raise ValueError(f"path ({path}) must be one of {', '.join(PATHS)}")
    _check_arrays(q, k, v)
    scale = check_scale(scale, q.shape[-1])
    refuse_transforms("neighborhood_attention", q, k, v)
    o, lse = torch.ops.attn.neighborhood(q, k, v, kernel_size, dilation, scale, path)
    return (o, lse) if return_lse else o


def check_window(kernel_size, dilation):
    """ValueError unless there is such a window."""
    for name, value in (("kernel_size", kernel_size), ("dilation", dilation)):
        if not isinstance(value, (int, torch.SymInt)) or isinstance(value, bool):
            raise TypeError(f"{name}: an integer is expected, not {value!r}")
    if kernel_size <= 0:
        raise ValueError(f"kernel_size ({kernel_size}) must be positive")
    if kernel_size % 2 == 0:
        raise ValueError(f"kernel_size ({kernel_size}) must be odd")
    if dilation <= 0:
        raise ValueError(f"dilation ({dilation}) must be positive")


def _check_arrays(q, k, v):
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        check_dtype(name, tensor)
    if not q.shape == k.shape == v.shape:
        raise _shape_error(q, k, v, "must have the same shape")
    if q.dim() != 4:
        raise _shape_error(q, k, v, "must have the 4 dimensions [B, H, S, D]")
    if q.shape[-1] == 0:
        raise _shape_error(q, k, v, "must have a positive last dimension D")
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(f"q {q.dtype}, k {k.dtype}, v {v.dtype} must have the same type")
    for name, tensor in (("k", k), ("v", v)):
        check_device(name, tensor, "q", q)


def _shape_error(q, k, v, rule: str):
    return ValueError(f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)} {rule}")


# The operators

_FORWARD_SCHEMA = (
    "(Tensor q, Tensor k, Tensor v, int kernel_size, int dilation, float scale, str? path) -> (Tensor o, Tensor lse)"
)
_BACKWARD_SCHEMA = (
    "(Tensor? grad, Tensor? grad_lse, Tensor q, Tensor k, Tensor v, Tensor lse, int kernel_size, int dilation, "
    "float scale, str? path, bool want_query, bool want_keys) -> (Tensor dq, Tensor dk, Tensor dv)"
)


def _empty_like(tensor):
    """An output of the shape, type and memory order of an input."""
    return empty_in_order(tensor.shape, memory_order(tensor, range(3)), tensor.dtype, tensor.device)


def _make_outputs(q):
    """o and its log-sum-exps, not yet computed."""
    return _empty_like(q), empty_in_order(q.shape[:3], range(3), torch.float32, q.device)


def _make_gradients(q, k, v, want_query: bool, want_keys: bool):
    """The gradients, not yet computed; empty ones for what is not wanted. Those of k and v come together."""
    wants = (want_query, want_keys, want_keys)
    return tuple(_empty_like(tensor) if want else tensor.new_empty(0) for tensor, want in zip((q, k, v), wants))


@torch.library.custom_op("attn::neighborhood", mutates_args=(), schema=_FORWARD_SCHEMA, device_types=DEVICES)
def _forward(q, k, v, kernel_size, dilation, scale, path):
    o, lse = _make_outputs(q)
    if q.numel():
        reach = (kernel_size // 2) * dilation
        budget = memory.Budget("neighborhood_attention", memory.FORWARD_PERCENT, q.device)
        for inputs, outputs in split_windows([q, k, v], [o, lse], reach, budget):
            q, k, v = inputs
            _dispatch.neighborhood_forward(q, k, v, kernel_size, dilation, scale, path, outputs)
    return o, lse


@_forward.register_fake
def _(q, k, v, kernel_size, dilation, scale, path):
    return _make_outputs(q)


@torch.library.custom_op("attn::neighborhood_backward", mutates_args=(), schema=_BACKWARD_SCHEMA, device_types=DEVICES)
def _backward(grad, grad_lse, q, k, v, lse, kernel_size, dilation, scale, path, want_query, want_keys):
    gradients = _make_gradients(q, k, v, want_query, want_keys)
    if q.numel():
        if grad is None:  # only the log-sum-exps were used
            grad = zeros((), q.dtype, q.device).expand(q.shape)
        # A gradient of a key needs all queries that see it, and these all the keys that they see.
        reach = 2 * (kernel_size // 2) * dilation
        budget = memory.Budget("neighborhood_attention, backward", memory.BACKWARD_PERCENT, q.device)
        wanted = [gradient if gradient.numel() else None for gradient in gradients]
        for inputs, outputs in split_windows([q, k, v, grad, lse, grad_lse], wanted, reach, budget):
            q, k, v, grad, lse, grad_lse = inputs
            _dispatch.neighborhood_backward(q, k, v, grad, lse, grad_lse, kernel_size, dilation, scale, path, outputs)
    return gradients


@_backward.register_fake
def _(grad, grad_lse, q, k, v, lse, kernel_size, dilation, scale, path, want_query, want_keys):
    return _make_gradients(q, k, v, want_query, want_keys)


# Autograd


def _save(ctx, inputs, output):
    q, k, v, *options = inputs
    _, lse = output
    ctx.set_materialize_grads(False)
    ctx.options = options
    ctx.save_for_backward(q, k, v, lse)


def _differentiate(ctx, grad, grad_lse):
    if grad is None and grad_lse is None:
        return None, None, None, None, None, None, None
    want = ctx.needs_input_grad[:3]
    gradients = torch.ops.attn.neighborhood_backward(
        *(grad, grad_lse, *ctx.saved_tensors, *ctx.options, want[0], want[1] or want[2])
    )
    return *(gradient if wanted else None for gradient, wanted in zip(gradients, want)), None, None, None, None


def _refuse(ctx, *_):
    raise NotImplementedError("neighborhood_attention: a second derivative is not supported")


_forward.register_autograd(_differentiate, setup_context=_save)
_backward.register_autograd(_refuse)
