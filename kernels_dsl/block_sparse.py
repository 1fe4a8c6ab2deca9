"""Block-sparse attention: each block of queries over the listed blocks of keys of its head, forward."""

import attn
import attn.language as at


@attn.kernel
def block_sparse_fwd(
    q: at.Tensor["B H Sq D"], k: at.Tensor["B Hk Skv D"], v: at.Tensor["B Hk Skv Dv"], idx: at.Tensor["B H R W"],
    cnt: at.Tensor["B H R", at.i32], lens: at.Tensor["B 2", at.i32] | None, bq: int, bk: int, scale: float,
    causal: at.Const[bool] = False, BM: at.Auto(16, 128) = None, BN: at.Auto(16, 512) = None,
):  # fmt: skip
    o, lse = at.empty("B H Sq Dv", q.dtype), at.empty("B H Sq", at.f32)
    for b, h, r, t in at.grid(B, H, R, at.tiles(bq, BM)):
        lq = Sq if lens is None else lens[b, 0]
        lk = Skv if lens is None else lens[b, 1]
        i = t.shift(r * bq).clip(Sq)
        st = at.softmax_state(BM, Dv)
        for j in at.each(idx[b, h, r, :], count=cnt[b, h, r]):
            for c in at.range(at.tiles(bk, BN, base=j * bk, limit=lk), stages=2):
                s = scale * (q[b, h, i, :] @ k[b, h * Hk // H, c, :].T)
                if causal:
                    s = at.mask(s, c.idx.T <= i.idx + (lk - lq))
                if lens is not None:
                    s = at.mask(s, i.idx < lq)
                st.push(s, v[b, h * Hk // H, c, :])
        o[b, h, i, :], lse[b, h, i] = st.finish()
    return o, lse
