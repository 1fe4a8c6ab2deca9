"""Dense attention: each query over the keys of its head, forward.

Heads of queries may share heads of keys and values, and there may be more or fewer queries than keys.
"""

import attn
import attn.language as at


@attn.kernel
def flash_fwd(
    q: at.Tensor["B H Sq D"], k: at.Tensor["B Hk Skv D"], v: at.Tensor["B Hk Skv Dv"], scale: float,
    sinks: at.Tensor["H", at.f32] | None = None, q_lens: at.Tensor["B", at.i32] | None = None,
    kv_lens: at.Tensor["B", at.i32] | None = None, left: at.Const[int] = -1, right: at.Const[int] = -1,
    softcap: at.Const[float] = 0.0, BM: at.Auto(16, 256) = None, BN: at.Auto(16, 512) = None,
):  # fmt: skip
    """Forward.

        s_ij = scale * <q_i, k_j>       lse_i = log(sum_j exp(s_ij))       o_i = sum_j exp(s_ij - lse_i) * v_j

    q is [B, H, Sq, D], k [B, Hk, Skv, D] and v [B, Hk, Skv, Dv], of one type; H is a multiple of Hk, and head h of the
    queries sees head h // (H / Hk) of the keys. Scores, softmax and sums are f32; weights take the type of v for their
    product with it. Returns o [B, H, Sq, Dv], in q's type, and lse [B, H, Sq] in f32, natural logarithms. A query
    without keys gives 0 and -inf.

    Of batch b, the first q_lens[b] queries see the first kv_lens[b] keys, of which the last belongs to the last query;
    other queries see none. Where left and right are not negative, a query sees as many keys before and after the one
    that belongs to it: right = 0 is causal. A softcap that is not 0 makes softcap * tanh(s / softcap) of scores.
    sinks[h] is one more score of every query of head h, without a value.
    """
    o, lse = at.empty("B H Sq Dv", q.dtype), at.empty("B H Sq", at.f32)
    for b, h, i in at.grid(B, H, at.tiles(Sq, BM)):
        if right >= 0:  # tiles from both ends in turn: one that sees many keys beside one that sees few
            x, last = i.base // BM, at.cdiv(Sq, BM) - 1
            i = at.tiles(BM, BM, base=(x // 2 + x % 2 * (last - x // 2 * 2)) * BM, limit=Sq)
        m = Sq if q_lens is None else q_lens[b]
        n = Skv if kv_lens is None else kv_lens[b]
        seen = n if q_lens is None else at.minimum(at.maximum(m - i.base, 0), 1) * n  # nothing without queries
        st, queries = at.softmax_state(BM, Dv), q[b, h, i, :]
        if sinks is not None:
            st.push(at.zeros((BM, 1)) + sinks[h], at.zeros((BM, Dv)), per_row=True)
        for j in at.range(at.tiles(seen, BN), stages=2):
            s = scale * (queries @ k[b, h * Hk // H, j, :].T)
            if softcap != 0.0:  # tanh(x) = 1 - 2 / (exp(2 * x) + 1), which no x takes beyond 1
                s = softcap - 2.0 * softcap / (at.exp(2.0 / softcap * s) + 1.0)
            if left >= 0:
                s = at.mask(s, i.idx - j.idx.T <= left - (n - m))
            if right >= 0:
                s = at.mask(s, j.idx.T - i.idx <= right + (n - m))
            st.push(s, v[b, h * Hk // H, j, :])
        to, tl = st.finish()
        if q_lens is not None:  # at the end: a mask of scores would cost as much as all else
            least = float("-inf") if sinks is None else at.zeros((BM, 1)) + sinks[h]
            to, tl = at.where(i.idx < m, to, 0.0), at.where(i.idx < m, tl, least)
        o[b, h, i, :], lse[b, h, i] = to, tl
    return o, lse
