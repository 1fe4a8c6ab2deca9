"""Attention residual: the operator `attn_res`, its autograd, and how its arrays reach the kernels."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import torch
from torch import Tensor

from .. import memory
from . import _dispatch
from ._attention import check_flag, check_number
from ._readable import (
    DEVICES,
    check_device,
    check_dtype,
    copy_bytes,
    empty_in_order,
    is_readable,
    memory_order,
    readable,
    refuse_transforms,
    unreadable,
    writable,
    zeros,
)
from ._tokens import merge_tokens, split_rows

FORMS = ("resident", "streaming", "strips", "two-read")


def attn_res(
    V: Tensor | Sequence[Tensor],
    w_query: Tensor,
    w_norm: Tensor,
    eps: float = 1e-6,
    *,
    form: str | None = None,
    round_key: bool = False,
    exact_delta: bool = False,
) -> Tensor:
    """A softmax-weighted mixture of N blocks per token, scored by one learned query.

    For block i of a token, with u = w_query * w_norm:

        r_i = 1 / sqrt(mean(v_i * v_i) + eps)       s_i = r_i * <u, v_i>
        alpha = softmax(s)                          h = sum_i alpha_i * v_i

    `V` is [N, ..., D], or a list of N blocks [..., D] that stay where they are; `w_query` and `w_norm` are [D], each of
    a type of its own. Returns h [..., D] in V's type, in V's memory order. All arithmetic is f32.

    `form` forces how the kernels go about it ("resident", "streaming", "strips", "two-read"); by itself it follows from
    N. `round_key` rounds the normalised blocks to the type of `w_norm` before they are scored. `exact_delta` has the
    streaming backward read V a second time instead of taking a sum from the rounded h.
    """
    stacked = isinstance(V, Tensor)
    if not stacked and not isinstance(V, (list, tuple)):
        raise TypeError(f"V: a tensor or a list of tensors is expected, not {type(V).__name__}")
    blocks = [V] if stacked else list(V)
    _check_blocks(blocks, stacked)
    _check_weights(blocks[0], w_query, w_norm)
    eps = _check_eps(eps)
    check_flag("round_key", round_key)
    check_flag("exact_delta", exact_delta)
    named = [(f"V[{index}]", block) for index, block in enumerate(blocks)]
    for name, tensor in (*named, ("w_query", w_query), ("w_norm", w_norm)):
        check_device(name, tensor, "V" if stacked else "V[0]", blocks[0])
    if form is not None and form not in FORMS:
        raise ValueError(f"form ({form}) must be one of {', '.join(FORMS)}")
    refuse_transforms("attn_res", *blocks, w_query, w_norm, mapped=False)
    return torch.ops.attn.attn_res(blocks, stacked, w_query, w_norm, eps, form, round_key, exact_delta)[0]


def _check_blocks(blocks: list, stacked: bool):
    if not blocks:
        raise ValueError("V (an empty list) must have at least one block")
    for index, block in enumerate(blocks):
        check_dtype("V" if stacked else f"V[{index}]", block)
    first = blocks[0]
    if first.dim() < 1 + stacked:
        dims = "[N, ..., D]" if stacked else "[..., D] of each block"
        raise ValueError(f"V {tuple(first.shape)} must have the dimensions {dims}")
    if stacked and first.shape[0] == 0:
        raise ValueError(f"V {tuple(first.shape)} must have at least one block")
    for index, block in enumerate(blocks[1:], 1):
        if block.shape != first.shape or block.dtype != first.dtype:
            has, other = (f"{tuple(t.shape)} of {t.dtype}" for t in (block, first))
            raise ValueError(f"V[{index}] ({has}) must equal V[0] ({other})")


def _check_eps(eps):
    """The number as a float, which is positive in f32 as well."""
    number, least = check_number("eps", eps), torch.finfo(torch.float32).smallest_normal
    if number <= 0:
        raise ValueError(f"eps ({eps}) must be positive")
    if number < least:
        raise ValueError(f"eps ({eps}) must be a number of f32, at least {least:.4g}")
    return number


def _check_weights(block, w_query, w_norm):
    width = block.shape[-1]
    for name, weight in (("w_query", w_query), ("w_norm", w_norm)):
        check_dtype(name, weight)
        if tuple(weight.shape) != (width,):
            raise ValueError(f"{name} {tuple(weight.shape)} must have the shape ({width},) of V's last dimension")
    if width == 0:
        raise ValueError("D (0), the last dimension of V, must be positive")


# The operators. A stack is the only block of its list; what the backward needs is returned beside h.

_FORWARD_SCHEMA = (
    "(Tensor[] blocks, bool stacked, Tensor w_query, Tensor w_norm, float eps, str? form, bool round_key, "
    "bool exact_delta) -> (Tensor h, Tensor lse, Tensor scores, Tensor norms)"
)
_BACKWARD_SCHEMA = (
    "(Tensor grad, Tensor[] blocks, bool stacked, Tensor w_query, Tensor w_norm, Tensor? h, Tensor lse, Tensor scores, "
    "Tensor norms, str? form, bool exact_delta, bool want_values, bool want_weights) "
    "-> (Tensor[] values, Tensor query, Tensor norm)"
)


def _make_outputs(blocks, stacked: bool):
    """h, log-sum-exps, scores and reciprocal norms, not yet computed."""
    first = blocks[0]
    count = first.shape[0] if stacked else len(blocks)
    *tokens, width = first.shape[1:] if stacked else first.shape
    order = memory_order(first, range(int(stacked), first.dim() - 1))

    def make(*rest, dtype=torch.float32):
        return empty_in_order((*tokens, *rest), order, dtype, first.device)

    return make(width, dtype=first.dtype), make(), make(count), make(count)


def _make_gradients(blocks, w_query, w_norm, want_values: bool, want_weights: bool):
    """The gradients, not yet computed; of weights that want none, empty ones."""
    first = blocks[0]
    order = memory_order(first, range(first.dim() - 1))
    values = [empty_in_order(block.shape, order, block.dtype, block.device) for block in blocks if want_values]
    return values, *(torch.empty_like(weight if want_weights else weight[:0]) for weight in (w_query, w_norm))


@torch.library.custom_op("attn::attn_res", mutates_args=(), schema=_FORWARD_SCHEMA, device_types=DEVICES)
def _forward(blocks, stacked, w_query, w_norm, eps, form, round_key, exact_delta):
    outputs = _make_outputs(blocks, stacked)
    if outputs[0].numel() == 0:
        return outputs
    named = dict(zip(("h", "lse", "scores", "norms"), ([output] for output in outputs)))
    form = _dispatch.attn_res_form(blocks, stacked, form)
    budget = memory.Budget("attn_res", memory.FORWARD_PERCENT, blocks[0].device)
    with readable(budget, w_query, w_norm) as (w_query, w_norm):
        for part in _parts(dict(values=_token_major(blocks, stacked), **named), stacked, budget):
            h, lse, scores, norms = (part[name][0] for name in named)
            with _readable_values(part["values"], stacked, budget) as values, writable(budget, lse) as lse:
                _dispatch.attn_res_forward(values, w_query, w_norm, eps, form, round_key, [h, lse, scores, norms])
    return outputs


@_forward.register_fake
def _(blocks, stacked, w_query, w_norm, eps, form, round_key, exact_delta):
    return _make_outputs(blocks, stacked)


@torch.library.custom_op("attn::attn_res_backward", mutates_args=(), schema=_BACKWARD_SCHEMA, device_types=DEVICES)
def _backward(
    grad, blocks, stacked, w_query, w_norm, h, lse, scores, norms, form, exact_delta, want_values, want_weights
):
    values, *weights = gradients = _make_gradients(blocks, w_query, w_norm, want_values, want_weights)
    if grad.numel() == 0:
        return values, *(zeros(weight.shape, weight.dtype, weight.device) for weight in weights)
    arrays = dict(
        values=_token_major(blocks, stacked),
        grad=[grad],
        h=[] if h is None else [h],
        lse=[lse],
        scores=[scores],
        norms=[norms],
        d_values=_token_major(values, stacked),
    )
    options = dict(form=_dispatch.attn_res_form(blocks, stacked, form), exact_delta=exact_delta)
    budget = memory.Budget("attn_res, backward", memory.BACKWARD_PERCENT, grad.device)
    if want_weights:
        budget.reserve(_dispatch.accumulator_bytes(w_query.numel()) + _SumOfParts.bytes(w_query.numel()))
    with readable(budget, w_query, w_norm) as given:
        parts = list(_parts(arrays, stacked, budget))
        total = _SumOfParts(given, weights, len(parts)) if want_weights else None
        for part in parts:
            _run_backward(part, stacked, given, total, options, budget)
        if total is not None:
            total.finish()
    return gradients


@_backward.register_fake
def _(grad, blocks, stacked, w_query, w_norm, h, lse, scores, norms, form, exact_delta, want_values, want_weights):
    return _make_gradients(blocks, w_query, w_norm, want_values, want_weights)


# Autograd


def _save(ctx, inputs, output):
    blocks, stacked, w_query, w_norm, _, form, _, exact_delta = inputs
    h, lse, scores, norms = output
    ctx.mark_non_differentiable(lse, scores, norms)
    ctx.set_materialize_grads(False)
    ctx.options = stacked, form, exact_delta
    kept_h = h if _dispatch.attn_res_reads_h(blocks, stacked, form, exact_delta) else None
    ctx.save_for_backward(w_query, w_norm, kept_h, lse, scores, norms, *blocks)


def _differentiate(ctx, grad, *_):
    w_query, w_norm, h, lse, scores, norms, *blocks = ctx.saved_tensors
    if grad is None:
        return [None] * len(blocks), None, None, None, None, None, None, None
    stacked, form, exact_delta = ctx.options
    want_blocks, _, want_query, want_norm, *_ = ctx.needs_input_grad
    values, query, norm = torch.ops.attn.attn_res_backward(
        *(grad, blocks, stacked, w_query, w_norm, h, lse, scores, norms, form, exact_delta),
        *(any(want_blocks), want_query or want_norm),
    )
    values = values or [None] * len(blocks)
    values = [value if want else None for value, want in zip(values, want_blocks)]
    return values, None, query if want_query else None, norm if want_norm else None, None, None, None, None


def _refuse(ctx, *_):
    raise NotImplementedError("attn_res: a second derivative is not supported")


_forward.register_autograd(_differentiate, setup_context=_save)
_backward.register_autograd(_refuse)


# From arrays of any strides to launches


def _token_major(blocks, stacked: bool):
    """Tokens first: [..., N, D] of a stack; the blocks of a list as they are."""
    return [block.movedim(0, -2) for block in blocks] if stacked else list(blocks)


def _parts(arrays: dict, stacked: bool, budget: memory.Budget):
    """The launches of a pass: views with one axis of rows, short enough for the copies of what is not read in place."""
    for views in merge_tokens(arrays["lse"][0].dim(), arrays):
        copied = unreadable([*views.get("grad", ()), *views["lse"], *(views["values"] if stacked else ())])
        shared = sum(copy_bytes(tensor) for tensor in copied if tensor.stride(0) == 0)
        per_row = sum(copy_bytes(tensor[:1]) for tensor in copied if tensor.stride(0) != 0)
        if not stacked:
            per_row += sum(copy_bytes(block[0]) for block in _blocks_to_copy(views["values"]))
        yield from split_rows(views, shared, per_row, budget)


def _blocks_to_copy(values: list):
    """Those of a list of blocks [rows, D] that are copied: a table of blocks has one stride for all of them."""
    if all(is_readable(block) and block.stride(0) == values[0].stride(0) for block in values):
        return []
    return [block for block in values if not block.is_contiguous()]


@contextlib.contextmanager
def _readable_values(values: list, stacked: bool, budget: memory.Budget):
    """V as kernels take it: [N, rows, D], or a list of N [rows, D] with equal strides."""
    if stacked:
        with readable(budget, *values) as given:
            yield given[0].movedim(-2, 0)
        return
    copied = _blocks_to_copy(values)
    if not copied:
        yield values
        return
    with budget.take(sum(block.numel() * block.element_size() for block in copied)):
        # As strided, since a dim of one row keeps any stride.
        yield [block.contiguous().as_strided(block.shape, (block.shape[-1], 1)) for block in values]


def _run_backward(part: dict, stacked: bool, weights, gradients, options: dict, budget: memory.Budget):
    """One launch of the backward; the gradients of weights go to `gradients`, if any are wanted."""
    d_values = part["d_values"] or None
    if stacked and d_values:
        d_values = d_values[0].movedim(-2, 0)
    saved = {name: part[name][0] if part[name] else None for name in ("h", "scores", "norms")}
    with contextlib.ExitStack() as stack:
        values = stack.enter_context(_readable_values(part["values"], stacked, budget))
        grad, lse = stack.enter_context(readable(budget, part["grad"][0], part["lse"][0]))
        d_weights = None
        if gradients is not None:
            weights, d_weights = stack.enter_context(gradients.part())
        w_query, w_norm = weights
        arrays: dict = dict(saved, lse=lse, d_values=d_values, d_weights=d_weights)
        _dispatch.attn_res_backward(values, w_query, w_norm, grad, **arrays, **options)


class _SumOfParts:
    """The gradients of the weights: written by the only launch, or added up in f32 over several of them, in order."""

    def __init__(self, weights, results, launches: int):
        self._weights = weights
        self._results = results
        self._totals: list[torch.Tensor] = []
        self._is_only = launches == 1
        if not self._is_only:
            # A gradient has the type of its weight: f32 weights give parts that are not rounded yet.
            self._weights = [weight.float() for weight in weights]

    @staticmethod
    def bytes(width: int):
        """The workspace of both weights in f32, of a part and of the total."""
        return 6 * 4 * width

    @contextlib.contextmanager
    def part(self):
        """The weights for a launch, and where it writes their gradients."""
        if self._is_only:
            yield self._weights, self._results
            return
        with memory.workspace(self.bytes(self._weights[0].numel())):
            results = [torch.empty_like(weight) for weight in self._weights]
            yield self._weights, results
            for total, result in zip(self._totals, results):
                total += result
            self._totals = self._totals or results

    def finish(self):
        """Rounds the totals, once."""
        for result, total in zip(self._results, self._totals):
            result.copy_(total)
