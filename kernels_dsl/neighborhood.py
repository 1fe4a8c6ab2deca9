"""Neighbourhood attention in one dimension: each position attends to those around it, forward and backward.

Positions of one residue class of the dilation never meet those of another, so each class is a plain band: position p of
class c is at row c + dilation * p. At the ends the window shrinks.
"""

import attn
import attn.language as at


@attn.kernel
def neighborhood_fwd(
    q: at.Tensor["B H S D"], k: at.Tensor["B H S D"], v: at.Tensor["B H S D"], scale: float, dilation: int,
    W: at.Const[int], dilated: at.Const[bool] = True, BM: at.Auto(8, 64) = None,
):  # fmt: skip
    """Forward, with a window of W positions (odd), `dilation` apart; `dilated=False` promises a dilation of 1.

        s_it = scale * <q_i, k_j>  with j = i + (t - W // 2) * dilation, for 0 <= j < S
        lse_i = log(sum_t exp(s_it))            o_i = sum_t exp(s_it - lse_i) * v_j

    q, k and v are [B, H, S, D] of one type. All arithmetic is f32. Returns o, in q's type and memory order, and lse
    [B, H, S] in f32, for the backward.
    """
    o, lse = at.empty_like(q), at.empty("B H S", at.f32)
    step = dilation if dilated else 1
    classes = at.minimum(dilation, S) if dilated else 1
    for b, h, c, i in at.grid(B, H, classes, at.tiles(at.cdiv(S, step), BM)):
        rows = i.clip(at.cdiv(S - c, step))
        near = rows.window(W // 2)
        at_rows, at_near = rows.map(c, step), near.map(c, step)
        s = scale * at.band_dot(q[b, h, at_rows, :], k[b, h, at_near, :])
        p, lse[b, h, at_rows] = at.softmax(at.mask(s, near.valid))
        o[b, h, at_rows, :] = at.band_mix(p, v[b, h, at_near, :])
    return o, lse


@attn.kernel
def neighborhood_bwd(
    do: at.Tensor["B H S D"], q: at.Tensor["B H S D"], k: at.Tensor["B H S D"], v: at.Tensor["B H S D"],
    lse: at.Tensor["B H S", at.f32], scale: float, dilation: int, W: at.Const[int], dilated: at.Const[bool] = True,
    dlse: at.Tensor["B H S", at.f32] | None = None, want_dq: at.Const[bool] = True, want_dkv: at.Const[bool] = True,
    reload: at.Const[bool] = False, BM: at.Auto(8, 128) = None, RUN: at.Auto(64, 4096) = None,
):  # fmt: skip
    """Backward, from the gradients `do` of o and `dlse` of lse (None for zero), in one walk over q, k, v and do.

        P_it = exp(s_it - lse_i)     A_it = <do_i, v_j>     E_it = P_it * (A_it - sum_t P_it * A_it + dlse_i)
        dq_i = scale * sum_t E_it * k_j     dk_j = scale * sum_it E_it * q_i     dv_j = sum_it P_it * do_i

    A core walks RUN positions of one class, tile by tile. The last W - 1 rows of k, v, dk and dv are carried to the
    next tile; with `reload`, k and v are loaded again instead, as the gathered form and wide windows need. The W // 2
    queries outside the run at each end are computed twice, so that each row has one writer. Rows that do not exist are
    zero and add nothing. Returns dq, dk and dv in the memory order of q, k and v; None for what is not wanted.
    """
    dq = at.empty_like(q) if want_dq else None
    dk, dv = (at.empty_like(k), at.empty_like(v)) if want_dkv else (None, None)
    R, step = W // 2, dilation if dilated else 1
    halo = R if want_dkv else 0
    classes = at.minimum(dilation, S) if dilated else 1
    for b, h, c, run in at.grid(B, H, classes, at.tiles(at.cdiv(S, step), RUN)):
        end = at.cdiv(S - c, step)
        lo = run.base
        hi = at.minimum(lo + RUN, end)
        if R and not reload:
            first = at.tiles(2 * R, 2 * R, base=lo - halo - R).clip(0, end).map(c, step)
            k_last, v_last = k[b, h, first, :], v[b, h, first, :]
        if R and want_dkv:
            dk_last, dv_last = at.zeros((2 * R, D)), at.zeros((2 * R, D))
        for i in at.range(at.tiles(hi - lo + 2 * halo, BM, base=lo - halo), stages=2):
            here = i.clip(0, end).map(c, step)
            near = i.window(R, limit=at.minimum(end, hi + halo + R)) if reload else i.shift(R).clip(0, end)
            near = near.map(c, step)
            qi, g = q[b, h, here, :].to(at.f32), do[b, h, here, :].to(at.f32)
            ki, vi = k[b, h, near, :], v[b, h, near, :]
            if R and not reload:
                ki, vi = at.concat(k_last, ki), at.concat(v_last, vi)
                k_last, v_last = ki[BM : BM + 2 * R], vi[BM : BM + 2 * R]
            p = at.exp(at.minimum(scale * at.band_dot(qi, ki) - lse[b, h, here], 0.0))
            a = at.band_dot(g, vi)
            rest = at.sum(p * a, 1)
            e = scale * p * (a - (rest if dlse is None else rest - dlse[b, h, here]))
            if want_dq:
                dq[b, h, i.clip(lo, hi).map(c, step), :] = at.band_mix(e, ki)
            if want_dkv:
                dki = at.band_spread(e, qi, at.concat(dk_last, at.zeros((BM, D))) if R else None)
                dvi = at.band_spread(p, g, at.concat(dv_last, at.zeros((BM, D))) if R else None)
                done = i.shift(-R).clip(lo, hi).map(c, step)
                dk[b, h, done, :], dv[b, h, done, :] = dki[0:BM], dvi[0:BM]
                if R:
                    dk_last, dv_last = dki[BM : BM + 2 * R], dvi[BM : BM + 2 * R]
    return dq, dk, dv
