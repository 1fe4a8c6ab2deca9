"""Neighbourhood attention, backward of wide windows: gradients of queries and of keys and values, each by a kernel."""

import attn
import attn.language as at


@attn.kernel
def neighborhood_bwd_queries(
    do: at.Tensor["B H S D"], q: at.Tensor["B H S D"], k: at.Tensor["B H S D"], v: at.Tensor["B H S D"],
    lse: at.Tensor["B H S", at.f32], scale: float, dilation: int, W: at.Const[int], dilated: at.Const[bool] = True,
    dlse: at.Tensor["B H S", at.f32] | None = None, want_dq: at.Const[bool] = True, BM: at.Auto(8, 128) = None,
):  # fmt: skip
    """The first half of the backward of wide windows, whose rows of dk and dv `neighborhood_bwd` cannot carry: what
    each query sums over its keys. `neighborhood_bwd_keys` is the second.

        c_i = sum_t P_it * A_it - dlse_i     E_it = P_it * (A_it - c_i)     dq_i = scale * sum_t E_it * k_j

    Returns dq, or None where it is not wanted, and c [B, H, S] in f32.
    """
    dq, cs = at.empty_like(q) if want_dq else None, at.empty("B H S", at.f32)
    step = dilation if dilated else 1
    classes = at.minimum(dilation, S) if dilated else 1
    for b, h, c, i in at.grid(B, H, classes, at.tiles(at.cdiv(S, step), BM)):
        rows = i.clip(at.cdiv(S - c, step))
        here, near = rows.map(c, step), rows.window(W // 2).map(c, step)
        s, a = at.band_dot(q[b, h, here, :], k[b, h, near, :]), at.band_dot(do[b, h, here, :], v[b, h, near, :])
        p = at.exp(at.minimum(scale * s - lse[b, h, here], 0.0))
        rest = at.sum(p * a, 1) if dlse is None else at.sum(p * a, 1) - dlse[b, h, here]
        cs[b, h, here] = rest
        if want_dq:
            dq[b, h, here, :] = at.band_mix(scale * p * (a - rest), k[b, h, near, :])
    return dq, cs


@attn.kernel
def neighborhood_bwd_keys(
    do: at.Tensor["B H S D"], q: at.Tensor["B H S D"], k: at.Tensor["B H S D"], v: at.Tensor["B H S D"],
    lse: at.Tensor["B H S", at.f32], cs: at.Tensor["B H S", at.f32], scale: float, dilation: int, W: at.Const[int],
    dilated: at.Const[bool] = True, BM: at.Auto(8, 128) = None,
):  # fmt: skip
    """The second half of the backward of wide windows, after `neighborhood_bwd_queries`: what each key sums over its
    queries, which are those around it. P and A are computed once more.

        dk_j = scale * sum_it E_it * q_i     dv_j = sum_it P_it * do_i

    Returns dk and dv in the memory order of k and v.
    """
    dk, dv = at.empty_like(k), at.empty_like(v)
    step = dilation if dilated else 1
    classes = at.minimum(dilation, S) if dilated else 1
    for b, h, c, j in at.grid(B, H, classes, at.tiles(at.cdiv(S, step), BM)):
        rows = j.clip(at.cdiv(S - c, step))
        here, near = rows.map(c, step), rows.window(W // 2).map(c, step)
        one = at.full((BM, 1), 1.0)  # times a column of the window: that column as a band
        s = scale * at.band_dot(k[b, h, here, :], q[b, h, near, :]) - at.band_dot(one, lse[b, h, near])
        p = at.exp(at.minimum(s, 0.0))
        a = at.band_dot(v[b, h, here, :], do[b, h, near, :]) - at.band_dot(one, cs[b, h, near])
        dk[b, h, here, :] = at.band_mix(scale * p * a, q[b, h, near, :])
        dv[b, h, here, :] = at.band_mix(p, do[b, h, near, :])
    return dk, dv
