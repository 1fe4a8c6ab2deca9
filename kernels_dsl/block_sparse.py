"""Block-sparse attention: each block of queries over the blocks of keys that a list names, forward.

Tiles of queries are dealt to cores by how much they see. Where there are few, lists are cut into parts, which are
merged by their log-sum-exps.
"""

import attn
import attn.language as at


@attn.kernel
def block_sparse_fwd(
    q: at.Tensor["B H Sq D"], k: at.Tensor["B Hk Skv D"], v: at.Tensor["B Hk Skv Dv"], index: at.Tensor["B H R W"],
    counts: at.Tensor["B H X", at.i32] | None, shares: at.Tensor["NC 2", at.i32], tasks: at.Tensor["NT 6", at.i32],
    merges: at.Tensor["NP 4", at.i32] | None, bq: int, bk: int, scale: float,
    q_lens: at.Tensor["B", at.i32] | None = None, kv_lens: at.Tensor["B", at.i32] | None = None,
    causal: at.Const[bool] = False, BM: at.Auto(16, 256) = None, BN: at.Auto(16, 512) = None,
):  # fmt: skip
    """Forward.

    Block r of bq queries of head h sees the blocks of bk keys that entries of index[b, h, r] name, in ascending order.
    Heads, types and results are those of dense attention (flash.py): a query without keys gives 0 and -inf. Of batch b,
    the first q_lens[b] queries see the first kv_lens[b] keys; causal, the last query sees up to the last key, and each
    before it one less. Then counts[b, h, x] are the entries that tile x of BM queries sees any keys of: the last one or
    two may be cut by the diagonal, all before them are whole.

    Core c computes tasks shares[c, 0] to shares[c, 1]: (batch, head, tile of BM queries, first, end, row), entries from
    first to end of the list. Their result is that of the queries where row is negative, else it is that row of the
    partial results, which are merged: merges[row] is (batch, head, tile, its rows from this one on or 0). bq is a
    multiple of BM. Returns o, lse and the partial results.
    """
    o, lse = at.empty("B H Sq Dv", q.dtype), at.empty("B H Sq", at.f32)
    po = at.empty("NP BM Dv", at.f32) if merges is not None else None
    pl = at.empty("NP BM", at.f32) if merges is not None else None
    whole = at.tiles(BM, BM)
    for c in at.grid(NC):
        for t in at.range(shares[c, 0], shares[c, 1]):
            b, h, x, lo, hi, part = tasks[t, 0], tasks[t, 1], tasks[t, 2], tasks[t, 3], tasks[t, 4], tasks[t, 5]
            m = Sq if q_lens is None else q_lens[b]
            n = Skv if kv_lens is None else kv_lens[b]
            r, i = x * BM // bq, at.tiles(BM, BM, base=x * BM, limit=Sq)
            st, queries = at.softmax_state(BM, Dv), q[b, h, i, :]
            cut, last = hi, n  # keys of entries from `cut` on are masked, and none from `last` on are seen
            if causal:
                last = at.maximum(at.minimum(x * BM + BM + n - m, n), 0)
                cut = counts[b, h, x] - at.cdiv(last, bk) + at.maximum(x * BM + n - m + 1, 0) // bk
                cut = at.minimum(at.maximum(cut, lo), hi)
            for j in at.blocks(index[b, h, r, :], bk, BN, step=128, start=lo, count=cut - lo, limit=last, stages=2):
                st.push(scale * (queries @ k[b, h * Hk // H, j, :].T), v[b, h * Hk // H, j, :])
            if causal:  # by positions, so within one block
                rest = hi - cut
                for j in at.blocks(index[b, h, r, :], bk, 128, step=128, start=cut, count=rest, limit=last, stages=2):
                    s = scale * (queries @ k[b, h * Hk // H, j, :].T)
                    st.push(at.mask(s, j.idx.T - i.idx <= n - m), v[b, h * Hk // H, j, :])
            to, tl = st.finish()
            if q_lens is not None:  # at the end: a mask of scores would cost as much as all else
                to, tl = at.where(i.idx < m, to, 0.0), at.where(i.idx < m, tl, float("-inf"))
            if merges is None:  # noqa: SIM114 - known when the kernel is compiled, unlike the other
                o[b, h, i, :], lse[b, h, i] = to, tl
            elif part < 0:
                o[b, h, i, :], lse[b, h, i] = to, tl
            else:
                po[part, whole, :], pl[part, whole] = to, tl
    if merges is not None:
        at.phase()
        for some, part in at.grid(at.tiles(BM, 64), NP):  # rows at a time, which may be none of the last tile
            b, h, x, n = merges[part, 0], merges[part, 1], merges[part, 2], merges[part, 3]
            if n > 0:
                i = at.tiles(64, 64, base=x * BM + some.base, limit=at.minimum(Sq, x * BM + BM))
                o[b, h, i, :], lse[b, h, i] = at.lse_merge(po[:, some, :], pl[:, some], start=part, count=n)
    return o, lse, po, pl
