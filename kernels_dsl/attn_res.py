"""Attention residual: a softmax-weighted mixture of N earlier block outputs, per token, forward and backward.

Both kernels have two forms. "streaming" takes the blocks of a token one after the other, for any N. "resident" holds
all blocks of a token at once: NMAX is the most it has room for, and N must not be larger.
"""

import attn
import attn.language as at


@attn.kernel
def attn_res_fwd(
    V: at.Tensor["N T D"], wq: at.Tensor["D"], wn: at.Tensor["D"], eps: float, form: at.Const[str] = "streaming",
    NMAX: at.Const[int] = 8, round_key: at.Const[bool] = False, BT: at.Auto(1, 64) = None,
):  # fmt: skip
    """Forward: each token scores its N blocks with one learned query, and mixes them. One pass over V.

    With u = wq * wn, for block i of a token:

        r_i = 1 / sqrt(mean(v_i * v_i) + eps)       s_i = r_i * <u, v_i>
        lse = log(sum_i exp(s_i))                   h = sum_i exp(s_i - lse) * v_i

    V is [N, T, D] or a list of N tensors [T, D], and is read in its own type; wq and wn are [D], of any of the three
    types; eps > 0. All arithmetic is f32; h is rounded once, to V's type. With `round_key`, r_i * v_i and its product
    with wn are rounded to wn's type before the query takes part. Returns h [T, D]; lse [T], scores [T, N] and
    reciprocal norms [T, N] in f32, for the backward.
    """
    h, lse = at.empty("T D", V.dtype), at.empty("T", at.f32)
    sc, rs = at.empty("T N", at.f32), at.empty("T N", at.f32)
    w = wn[:].to(at.f32)
    u = wq[:].to(at.f32) if round_key else wq[:].to(at.f32) * w
    if form == "resident":
        n = at.tiles(NMAX, NMAX, limit=N)
        for t in at.grid(T, stages=2):
            v = V[n, t, :].to(at.f32)
            r = at.rsqrt(at.mean(v * v, 1) + eps)
            key = ((v * r).to(wn.dtype) * w).to(wn.dtype) if round_key else v
            s = at.sum(key * u, 1) if round_key else r * at.sum(key * u, 1)
            sc[t, n], rs[t, n] = s, r
            m = at.max(s, 0)
            e = at.exp(s - m)
            total = at.sum(e, 0)
            h[t, :], lse[t] = at.sum(e / total * v, 0), m + at.log(total)
    else:
        for t in at.grid(at.tiles(T, BT)):
            st = at.softmax_state(BT, D)
            for n in at.range(N, stages=2):
                v = V[n, t, :].to(at.f32)
                r = at.rsqrt(at.mean(v * v, 1) + eps)
                key = ((v * r).to(wn.dtype) * w).to(wn.dtype) if round_key else v
                s = at.sum(key * u, 1) if round_key else r * at.sum(key * u, 1)
                st.push(s, v, per_row=True)
                sc[t, n], rs[t, n] = s, r
            h[t, :], lse[t] = st.finish()
    return h, lse, sc, rs


@attn.kernel
def attn_res_bwd(
    dh: at.Tensor["T D"], V: at.Tensor["N T D"], wq: at.Tensor["D"], wn: at.Tensor["D"], h: at.Tensor["T D"] | None,
    lse: at.Tensor["T", at.f32], sc: at.Tensor["T N", at.f32], rs: at.Tensor["T N", at.f32],
    form: at.Const[str] = "streaming", NMAX: at.Const[int] = 8, exact_delta: at.Const[bool] = False,
    want_dv: at.Const[bool] = True, want_dw: at.Const[bool] = True, BT: at.Auto(1, 64) = None,
):  # fmt: skip
    """Backward, from the gradient dh of h and what the forward returned.

    For block i of a token, with a_i = exp(s_i - lse):

        delta = sum_i a_i * <dh, v_i> = <dh, h>     e_i = a_i * (<dh, v_i> - delta)
        dv_i = a_i * dh + e_i * r_i * u - e_i * r_i * r_i * s_i / D * v_i
        G = sum over tokens and i of e_i * r_i * v_i        dwq = wn * G        dwn = wq * G

    One pass over V. The streaming form takes delta from h, as it was rounded to V's type; with `exact_delta` it reads V
    twice instead, and like the resident form needs no h. Each core sums its part of G, and a second phase adds the
    parts in their order. Returns dV, a list where V is one, dwq and dwn; None for what is not wanted.
    """
    dV = at.empty_like(V) if want_dv else None
    dwq, dwn = (at.empty_like(wq), at.empty_like(wn)) if want_dw else (None, None)
    G = at.scratch("D", at.f32) if want_dw else None
    u = wq[:].to(at.f32) * wn[:].to(at.f32)
    for t in at.grid(T if form == "resident" else at.tiles(T, BT)):
        d, l, g = dh[t, :].to(at.f32), lse[t], at.zeros((1, D))
        if form == "resident":
            n = at.tiles(NMAX, NMAX, limit=N)
            v, r, s = V[n, t, :].to(at.f32), rs[t, n], sc[t, n]
            a, x = at.exp(s - l), at.sum(d * v, 1)
            e = a * (x - at.sum(a * x, 0)) * r
            if want_dv:
                dV[n, t, :] = a * d + e * u - e * r * s * (1.0 / D) * v
            g = at.sum(e * v, 0)
        else:
            delta = at.zeros((BT, 1)) if exact_delta else at.sum(d * h[t, :], 1)
            if exact_delta:
                for n in at.range(N, stages=2):
                    delta = delta + at.exp(sc[t, n] - l) * at.sum(d * V[n, t, :], 1)
            for n in at.range(N, stages=2):
                v, r, s = V[n, t, :].to(at.f32), rs[t, n], sc[t, n]
                a = at.exp(s - l)
                e = a * (at.sum(d * v, 1) - delta) * r
                if want_dv:
                    dV[n, t, :] = a * d + e * u - e * r * s * (1.0 / D) * v
                if want_dw:
                    g = g + at.sum(e * v, 0)
        if want_dw:
            at.accumulate(G, g)
    if want_dw:
        at.phase()
        for c in at.grid(at.tiles(D, 128)):
            total = G[c]
            dwq[c], dwn[c] = wn[c] * total, wq[c] * total
    return dV, dwq, dwn
