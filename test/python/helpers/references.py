"""What operators are compared with: float64 on inputs that are already rounded to their type, and the tolerances.

The gradients are those of the formulas; `AttnRes` and `Neighborhood` are the same formulas as autograd functions, so
that `gradcheck` can hold them against differences.
"""

import itertools

import torch

from attn import testing

DTYPES = [torch.float32, torch.float16, torch.bfloat16]

# atol and rtol of |x - y| <= atol + rtol * |y|.
ATTN_RES_H = testing.ATTN_RES_H_TOLERANCE
ATTN_RES_DV = {torch.float32: (2e-5, 1e-5), torch.float16: (1e-2, 2e-3), torch.bfloat16: (6e-2, 1e-2)}
# The gradients of weights by norm: |x - y| <= tolerance * |y|.
ATTN_RES_DW = {torch.float32: 1e-5, torch.float16: 1e-3, torch.bfloat16: 8e-3}

NEIGHBORHOOD_O = {torch.float32: (1e-5, 1e-5), torch.float16: (2e-3, 2e-3), torch.bfloat16: (1e-2, 1e-2)}
NEIGHBORHOOD_GRADIENT = {torch.float32: (2e-5, 1e-5), torch.float16: (4e-3, 2e-3), torch.bfloat16: (2e-2, 1e-2)}
NEIGHBORHOOD_LSE = (1e-5, 1e-5)
NEIGHBORHOOD_MODULE = {torch.float32: (1e-4, 1e-4), torch.float16: (1e-2, 1e-2), torch.bfloat16: (5e-2, 5e-2)}


# Dense attention: rows of few keys round more.
FLASH_O = {torch.float32: (1e-5, 1e-5), torch.float16: (5e-4, 2e-3), torch.bfloat16: (2e-3, 1e-2)}
FLASH_FEW_KEYS, FLASH_O_FEW = 128, {**FLASH_O, torch.bfloat16: (5e-3, 1e-2)}
FLASH_LSE = (1e-5, 1e-5)


def names(value):
    """How pytest shows a parameter."""
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return str(value).removeprefix("torch.") if isinstance(value, torch.dtype) else None


def assert_close(name, result, reference, tolerance, factor=1.0):
    """Within atol + rtol * |reference|, both times a factor; NaN and infinity at the same places."""
    comparison = testing.compare(result, reference, tuple(part * factor for part in tolerance))
    assert comparison.holds, f"{name} is off by {comparison.max_error} at {comparison.worst_index}"


# Attention residual


class AttnRes(torch.autograd.Function):
    """h of V [N, M, D], and its gradients by the formulas of the operator."""

    @staticmethod
    def forward(ctx, V, w_query, w_norm, eps):
        h, lse, scores, norms = testing.attn_res_reference(V, w_query, w_norm, eps)
        ctx.save_for_backward(V, w_query, w_norm, lse, scores.T, norms.T)
        return h

    @staticmethod
    def backward(ctx, g):
        V, w_query, w_norm, lse, s, r = ctx.saved_tensors
        dV, G, _ = _attn_res_gradients(V, w_query * w_norm, lse, s, r, g)
        return dV, w_norm * G, w_query * G, None


def _attn_res_gradients(V, u, lse, s, r, g):
    """dV, G, and the root of the sum of squares that bounds how far G may cancel."""
    alpha = torch.exp(s - lse)
    a = (g * V).sum(-1)
    delta = (alpha * a).sum(0)
    e = alpha * (a - delta)
    c = s / r
    dV = (
        alpha.unsqueeze(-1) * g
        + (e * r).unsqueeze(-1) * u
        - (e * r**3 * c / V.shape[-1]).unsqueeze(-1) * V
    )  # fmt: skip
    G = ((e * r).unsqueeze(-1) * V).sum((0, 1))
    terms = (alpha * (a.abs() + delta.abs()) * r).unsqueeze(-1) * V
    return dV, G, terms.square().sum((0, 1)).sqrt()


def attn_res(V, w_query, w_norm, g, eps):
    """h, dV, dw_query, dw_norm, the two vectors z that stand for cancellation, and the largest score, in float64.

    V is [N, ..., D].
    """
    values = V.double().reshape(V.shape[0], -1, V.shape[-1])
    w_query, w_norm = w_query.double(), w_norm.double()
    h, lse, scores, norms = testing.attn_res_reference(values, w_query, w_norm, eps)
    grad = g.double().reshape(h.shape)
    dV, G, z = _attn_res_gradients(values, w_query * w_norm, lse, scores.T, norms.T, grad)
    return {
        "h": h.reshape(V.shape[1:]),
        "dV": dV.reshape(V.shape),
        "dw_query": w_norm * G,
        "dw_norm": w_query * G,
        "z_query": w_norm.abs() * z,
        "z_norm": w_query.abs() * z,
        "largest_score": float(scores.abs().max()),
    }


def assert_weight_gradient(name, result, reference, z, dtype, few_tokens, factor=1.0):
    """By norm; where few tokens may cancel, the norm of what would have been added is counted as well."""
    bound = reference.norm() + (2 * z.norm() if few_tokens else 0.0)
    error = (result.double() - reference).norm()
    assert bool(result.isfinite().all()), f"{name} is not finite"
    assert error <= ATTN_RES_DW[dtype] * factor * bound, f"{name} is off by {error / bound} of its norm"


# Neighbourhood attention


def window(length, kernel_size, dilation):
    """Positions [S, K] of the keys that each query sees, and which of them exist."""
    steps = (torch.arange(kernel_size) - kernel_size // 2) * dilation
    keys = torch.arange(length).unsqueeze(1) + steps
    valid = (keys >= 0) & (keys < length)
    return keys.clamp(0, max(length - 1, 0)), valid


class Neighborhood(torch.autograd.Function):
    """o and lse of [B, H, S, D], and their gradients by the formulas of the operator."""

    @staticmethod
    def forward(ctx, q, k, v, kernel_size, dilation, scale):
        o, lse = neighborhood_forward(q, k, v, kernel_size, dilation, scale)
        ctx.save_for_backward(q, k, v, lse)
        ctx.options = kernel_size, dilation, scale
        return o, lse

    @staticmethod
    def backward(ctx, g, g_lse):
        return (*neighborhood_backward(*ctx.saved_tensors, g, g_lse, *ctx.options), None, None, None)


def neighborhood_forward(q, k, v, kernel_size, dilation, scale):
    """o and lse, in the type of the arguments."""
    keys, valid = window(q.shape[2], kernel_size, dilation)
    scores = scale * torch.einsum("bhsd,bhstd->bhst", q, k[:, :, keys])
    scores = scores.masked_fill(~valid, -torch.inf)
    lse = torch.logsumexp(scores, -1)
    return torch.einsum("bhst,bhstd->bhsd", torch.exp(scores - lse.unsqueeze(-1)), v[:, :, keys]), lse


def neighborhood_backward(q, k, v, lse, g, g_lse, kernel_size, dilation, scale):
    """dq, dk, dv, in the type of the arguments."""
    keys, valid = window(q.shape[2], kernel_size, dilation)
    scores = scale * torch.einsum("bhsd,bhstd->bhst", q, k[:, :, keys])
    P = torch.exp(scores - lse.unsqueeze(-1)).masked_fill(~valid, 0.0)
    A = torch.einsum("bhsd,bhstd->bhst", g, v[:, :, keys])
    delta = (P * A).sum(-1, keepdim=True)
    E = P * (A - delta + g_lse.unsqueeze(-1))
    dq = scale * torch.einsum("bhst,bhstd->bhsd", E, k[:, :, keys])
    dk = scale * _spread(E, q, keys)
    return dq, dk, _spread(P, g, keys)


def _spread(band, rows, keys):
    """Adds band[.., i, t] * rows[.., i] to the key that slot t of query i stands for."""
    batch, heads, _, width = rows.shape
    parts = (band.unsqueeze(-1) * rows.unsqueeze(3)).reshape(batch, heads, -1, width)
    return torch.zeros_like(rows).index_add_(2, keys.reshape(-1), parts)


def neighborhood(q, k, v, g, kernel_size=7, dilation=1, scale=None, g_lse=None):
    """o, lse, dq, dk and dv in float64."""
    q, k, v, g = (tensor.double() for tensor in (q, k, v, g))
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    o, lse = neighborhood_forward(q, k, v, kernel_size, dilation, scale)
    g_lse = torch.zeros_like(lse) if g_lse is None else g_lse.double()
    dq, dk, dv = neighborhood_backward(q, k, v, lse, g, g_lse, kernel_size, dilation, scale)
    return {"o": o, "lse": lse, "dq": dq, "dk": dk, "dv": dv}


# Dense attention


def flash(q, k, v, scale, sinks=None, q_lens=None, kv_lens=None, left=-1, right=-1, softcap=0.0, **_):
    """o and lse of q [B, H, Sq, D], k [B, Hk, Skv, D] and v [B, Hk, Skv, Dv] in float64, with the options of the kernel."""
    o = torch.zeros(*q.shape[:3], v.shape[3], dtype=torch.float64)
    lse = torch.zeros(q.shape[:3], dtype=torch.float64)
    for batch in range(q.shape[0]):
        m = q.shape[2] if q_lens is None else int(q_lens[batch])
        n = k.shape[2] if kv_lens is None else int(kv_lens[batch])
        keys, values = (t[batch, :, :n].double().repeat_interleave(q.shape[1] // k.shape[1], 0) for t in (k, v))
        scores = scale * q[batch].double() @ keys.transpose(1, 2)
        if softcap:
            scores = softcap * torch.tanh(scores / softcap)
        rows, distance = (
            torch.arange(q.shape[2])[:, None],
            torch.arange(n) - torch.arange(q.shape[2])[:, None] - (n - m),
        )
        seen = (rows < m) & ((left < 0) | (-distance <= left)) & ((right < 0) | (distance <= right))
        scores = torch.where(seen, scores, -torch.inf)
        if sinks is not None:
            scores = torch.cat([scores, sinks.double()[:, None, None].expand(-1, q.shape[2], 1)], 2)
            values = torch.nn.functional.pad(values, (0, 0, 0, 1))
        lse[batch] = torch.logsumexp(scores, 2)
        o[batch] = torch.exp(scores - lse[batch].clamp(min=torch.finfo(torch.float32).min)[..., None]) @ values
    return o, lse


def assert_flash(o, lse, expected, keys: int):
    """o [B, H, Sq, Dv] and lse against the reference of rows with so many keys."""
    tolerances = FLASH_O_FEW if keys < FLASH_FEW_KEYS else FLASH_O
    assert_close("o", o, expected[0], tolerances[o.dtype])
    assert_close("lse", lse, expected[1], FLASH_LSE)


# Paged decode


def paged(q, k_cache, v_cache, table, lengths, scale, window=None, softcap=None, sinks=None, page_index=None):
    """out and lse of q [B, Nq, D] or [B, T, Nq, D] over pages of [N, bs, Nkv, D] in float64."""
    several, page, kv_heads = q.dim() == 4, k_cache.shape[1], k_cache.shape[2]
    queries = (q if several else q[:, None]).double().transpose(1, 2).unflatten(1, (kv_heads, -1))
    out, lse = torch.zeros_like(queries), torch.zeros(queries.shape[:4], dtype=torch.float64)
    lowest = torch.full((kv_heads, queries.shape[2]), -torch.inf) if sinks is None else sinks.view(kv_heads, -1)
    for b, h in itertools.product(range(len(q)), range(kv_heads)):
        length, pages = lengths[b], torch.arange(-(-lengths[b] // page))
        if page_index is not None:
            pages = pages[torch.isin(pages, page_index[b, h])]
        tokens = (pages[:, None] * page + torch.arange(page)).flatten()
        tokens, blocks = tokens[tokens < length], table[b, pages].long()
        k, v = (cache[blocks, :, h].flatten(0, 1)[: len(tokens)].double() for cache in (k_cache, v_cache))
        # All rows at once: products of several matrices by one make as many copies of it.
        scores = (scale * queries[b, h].flatten(0, 1) @ k.T).unflatten(0, queries.shape[2:4])
        if softcap is not None:
            scores = softcap * torch.tanh(scores / softcap)
        distance = torch.arange(length - queries.shape[3], length)[:, None] - tokens
        seen = (distance >= 0) & (distance <= (length if window is None else window[0]))
        sink = lowest[h].double()[:, None, None].expand(*scores.shape[:2], 1)
        scores = torch.cat([scores.masked_fill(~seen, -torch.inf), sink], 2)
        lse[b, h] = torch.logsumexp(scores, 2)
        weights = torch.exp(scores - lse[b, h].clamp(min=torch.finfo(torch.float32).min)[..., None])
        out[b, h] = (weights[..., :-1].flatten(0, 1) @ v).unflatten(0, queries.shape[2:4])
    out, lse = out.flatten(1, 2).transpose(1, 2), lse.flatten(1, 2)
    return (out, lse) if several else (out[:, 0], lse[..., 0])


# Block-sparse attention


def block_sparse(q, k, v, mask, block_shape, scale, causal=False, q_lens=None, kv_lens=None):
    """o and lse in float64 for a mask [B, H, R, C] of the blocks that are seen; what is not seen may be NaN."""
    queries, keys, shared = q.shape[2], k.shape[2], q.shape[1] // k.shape[1]
    seen = mask.repeat_interleave(block_shape[0], 2).repeat_interleave(block_shape[1], 3)[:, :, :queries, :keys].clone()
    for b in range(q.shape[0]):
        rows, columns = queries if q_lens is None else q_lens[b], keys if kv_lens is None else kv_lens[b]
        seen[b, :, rows:], seen[b, :, :, columns:] = False, False
        if causal:
            seen[b] &= torch.arange(keys) <= torch.arange(queries)[:, None] + columns - rows
    used = seen.unflatten(1, (-1, shared)).any((2, 3))[..., None]
    k, v = (torch.where(used, x, 0).double().repeat_interleave(shared, 1) for x in (k, v))
    scores = (scale * q.double() @ k.transpose(2, 3)).masked_fill(~seen, -torch.inf)
    lse = torch.logsumexp(scores, -1)
    weights = torch.exp(scores - lse.masked_fill(lse == -torch.inf, 0.0)[..., None])
    return weights @ v, lse, int(seen.sum(-1)[seen.any(-1)].min()) if seen.any() else 0
