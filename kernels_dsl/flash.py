"""Dense attention: each query over the keys of its head, forward.

Heads of queries may share heads of keys and values, and there may be more or fewer queries than keys.
"""

import attn
import attn.language as at


@attn.kernel
def flash_fwd(
    q: at.Tensor["B H Sq D"], k: at.Tensor["B Hk Skv D"], v: at.Tensor["B Hk Skv Dv"], scale: float,
    BM: at.Auto(16, 128) = None, BN: at.Auto(16, 512) = None,
):  # fmt: skip
    """Forward.

        s_ij = scale * <q_i, k_j>       lse_i = log(sum_j exp(s_ij))       o_i = sum_j exp(s_ij - lse_i) * v_j

    q is [B, H, Sq, D], k [B, Hk, Skv, D] and v [B, Hk, Skv, Dv], of one type; H is a multiple of Hk, and head h of the
    queries sees head h // (H / Hk) of the keys. Scores, softmax and sums are f32; weights take the type of v for their
    product with it. Returns o [B, H, Sq, Dv], in q's type, and lse [B, H, Sq] in f32, natural logarithms. A query
    without keys gives 0 and -inf.
    """
    o, lse = at.empty("B H Sq Dv", q.dtype), at.empty("B H Sq", at.f32)
    for b, h, i in at.grid(B, H, at.tiles(Sq, BM)):
        st = at.softmax_state(BM, Dv)
        for j in at.range(at.tiles(Skv, BN), stages=2):
            s = scale * (q[b, h, i, :] @ k[b, h * Hk // H, j, :].T)
            st.push(s, v[b, h * Hk // H, j, :])
        o[b, h, i, :], lse[b, h, i] = st.finish()
    return o, lse
