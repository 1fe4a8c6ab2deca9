"""Attention residual: a softmax-weighted mixture of N earlier block outputs, per token."""

import attn
import attn.language as at


@attn.kernel
def attn_res_fwd(V: at.Tensor["N T D"], wq: at.Tensor["D"], wn: at.Tensor["D"], eps: float, BT: at.Auto(1, 64)):
    """Forward: each token scores its N blocks with one learned query, and mixes them. One pass over V.

    With u = wq * wn, for block i of a token:

        r_i = 1 / sqrt(mean(v_i * v_i) + eps)       s_i = r_i * <u, v_i>
        lse = log(sum_i exp(s_i))                   h = sum_i exp(s_i - lse) * v_i

    V is [N, T, D] or a list of N tensors [T, D], and is read in its own type; wq and wn are [D], of any of the three
    types; eps > 0. All arithmetic is f32; h is rounded once, to V's type. Returns h [T, D]; lse [T], scores [T, N] and
    reciprocal norms [T, N] in f32, for the backward.
    """
    h, lse = at.empty("T D", V.dtype), at.empty("T", at.f32)
    sc, rs = at.empty("T N", at.f32), at.empty("T N", at.f32)
    u = wq[:].to(at.f32) * wn[:].to(at.f32)
    for t in at.grid(at.tiles(T, BT)):
        st = at.softmax_state(BT, D)
        for n in at.range(N, stages=2):
            v = V[n, t, :].to(at.f32)
            r = at.rsqrt(at.mean(v * v, 1) + eps)
            s = r * at.sum(v * u, 1)
            st.push(s, v, per_row=True)
            sc[t, n], rs[t, n] = s, r
        h[t, :], lse[t] = st.finish()
    return h, lse, sc, rs
