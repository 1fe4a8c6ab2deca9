"""Block-sparse attention: each block of queries over the blocks of keys that a list names, forward."""

import attn
import attn.language as at


@attn.kernel
def block_sparse_fwd(
    q: at.Tensor["B H Sq D"], k: at.Tensor["B Hk Skv D"], v: at.Tensor["B Hk Skv Dv"], index: at.Tensor["B H R W"],
    counts: at.Tensor["B H R", at.i32], bq: int, bk: int, scale: float, q_lens: at.Tensor["B", at.i32] | None = None,
    kv_lens: at.Tensor["B", at.i32] | None = None, causal: at.Const[bool] = False, BM: at.Auto(16, 128) = None,
    BN: at.Auto(16, 512) = None,
):  # fmt: skip
    """Forward.

    Block r of bq queries of head h sees the blocks of bk keys that the first counts[b, h, r] entries of index[b, h, r]
    name. Heads, types and results are those of dense attention (flash.py): a query without keys gives 0 and -inf. Of
    batch b, the first q_lens[b] queries see the first kv_lens[b] keys; causal, the last query sees up to the last key,
    and each before it one less.
    """
    o, lse = at.empty("B H Sq Dv", q.dtype), at.empty("B H Sq", at.f32)
    for b, h, r, t in at.grid(B, H, R, at.tiles(bq, BM)):
        m = Sq if q_lens is None else q_lens[b]
        n = Skv if kv_lens is None else kv_lens[b]
        i = t.shift(r * bq).clip(Sq)
        st = at.softmax_state(BM, Dv)
        for block in at.each(index[b, h, r, :], count=counts[b, h, r]):
            for j in at.range(at.tiles(bk, BN, base=block * bk, limit=n), stages=2):
                s = scale * (q[b, h, i, :] @ k[b, h * Hk // H, j, :].T)
                if q_lens is not None:
                    s = at.mask(s, i.idx < m)
                if causal:
                    s = at.mask(s, j.idx.T - i.idx <= n - m)
                st.push(s, v[b, h * Hk // H, j, :])
        o[b, h, i, :], lse[b, h, i] = st.finish()
    return o, lse
