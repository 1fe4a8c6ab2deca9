"""References and tolerances that kernels are compared with.

A reference computes in float64 on inputs already rounded to their type, so what is compared is the kernel's own error.
"""

from dataclasses import dataclass

import torch

# What |x - y| <= atol + rtol * |y| must hold with, by the type of the output.
ATTN_RES_H_TOLERANCE = {
    torch.float32: (1e-5, 1e-5),
    torch.float16: (2e-3, 1e-3),
    torch.bfloat16: (2e-2, 1e-2),
}
# Scores, reciprocal norms and log-sum-exps are f32 whatever the inputs' type.
ATTN_RES_STATISTIC_TOLERANCE = (1e-5, 1e-5)


def attn_res_inputs(blocks, tokens, width, dtype, seed=0, norm_spread=0.25):
    """V, w_query and w_norm as the test matrix draws them, already rounded to `dtype`."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float32)

    query_scale = 0.02 if width >= 256 else 0.1
    values = draw(blocks, tokens, width).to(dtype)
    w_query = (query_scale * draw(width)).to(dtype)
    w_norm = (1 + norm_spread * draw(width)).to(dtype)
    return values, w_query, w_norm


def attn_res_reference(values, w_query, w_norm, eps):
    """h, lse, scores and reciprocal norms of attention residual forward, in float64."""
    values, w_query, w_norm = values.double(), w_query.double(), w_norm.double()
    norms = (values.square().mean(-1) + eps).rsqrt()
    scores = norms * (values @ (w_query * w_norm))
    lse = torch.logsumexp(scores, 0)
    weights = torch.exp(scores - lse)
    h = (weights.unsqueeze(-1) * values).sum(0)
    return h, lse, scores.T, norms.T


@dataclass(frozen=True)
class Element:
    """One element of a result: where it stands, what it is, what it should be, and how far it may be from that."""

    index: tuple
    got: float
    expected: float
    bound: float


@dataclass(frozen=True)
class Comparison:
    """How far a result is from its reference."""

    holds: bool
    max_error: float
    worst_index: tuple
    wrong: int = 0
    """How many elements are out of bounds."""
    first_wrong: Element | None = None


def compare(result, reference, tolerance):
    """Elementwise |x - y| <= atol + rtol * |y|; NaN and infinite values must be at the same places.

    What the result's type cannot hold is infinite there: so may be what lies within its bound of that. `tolerance` is
    (atol, rtol): numbers, or tensors with a bound for each element.
    """
    atol, rtol = tolerance
    dtype, result, reference = result.dtype, result.double(), reference.double()
    if result.shape != reference.shape:
        raise ValueError(f"the result has shape {tuple(result.shape)}, its reference {tuple(reference.shape)}")
    if result.numel() == 0:
        return Comparison(True, 0.0, ())
    bound = torch.as_tensor(atol + rtol * torch.nan_to_num(reference.abs())).expand(reference.shape)
    same_special = (result == reference) | (result.isnan() & reference.isnan())
    if dtype.is_floating_point:
        outermost = reference + torch.copysign(bound, reference)
        same_special |= result.isinf() & (result == outermost.to(dtype).double())
    error = torch.where(same_special, 0.0, (result - reference).abs())
    excess = torch.nan_to_num(error - bound, nan=torch.inf)
    wrong = excess > 0
    first = _element(wrong.int().argmax(), result, reference, bound) if wrong.any() else None
    return Comparison(first is None, float(error.max()), _index(excess.argmax(), excess), int(wrong.sum()), first)


def first_index(mask):
    """The index of the first element that holds."""
    return _index(mask.int().argmax(), mask)


def _index(place, tensor):
    return tuple(int(i) for i in torch.unravel_index(place, tensor.shape))


def _element(place, result, reference, bound):
    index = _index(place, result)
    return Element(index, float(result[index]), float(reference[index]), float(bound[index]))
