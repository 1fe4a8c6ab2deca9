"""Paged decode attention: the newest token of each sequence over keys and values in pages, forward.

Long sequences are cut into parts, so that there is work for all cores, and the parts are merged by their log-sum-exps.
"""

import attn
import attn.language as at


@attn.kernel
def paged_fwd(
    q: at.Tensor["B Nq D"], k: at.Tensor["N S Nkv D"], v: at.Tensor["N S Nkv D"], table: at.Tensor["B P", at.i32],
    lens: at.Tensor["B", at.i32], shares: at.Tensor["NC 2", at.i32], tasks: at.Tensor["NT 5", at.i32],
    merges: at.Tensor["NP 2", at.i32] | None, scale: float, G: at.Const[int],
):  # fmt: skip
    """Forward.

    q is [B, Nq, D], pages of keys and values [N, S, Nkv, D]: page p of sequence b is table[b, p], and the first lens[b]
    tokens of a sequence count. G = Nq / Nkv heads of queries, the rows of one product, share a head of keys. Core c
    computes tasks shares[c, 0] to shares[c, 1]: (sequence, head, part, parts, row), part being one of so many equal
    parts of the sequence's pages. Its result is that of the sequence where row is negative, else it is that row of the
    partial results, which are merged by their log-sum-exps: merges[row] is (sequence, its rows from this one on or 0).
    Returns o [B, Nq, D], in q's type, and lse [B, Nq] in f32, natural logarithms; the partial results follow.
    """
    o, lse = at.empty("B Nq D", q.dtype), at.empty("B Nq", at.f32)
    po = at.empty("NP Nkv G D", at.f32) if merges is not None else None
    pl = at.empty("NP Nkv G", at.f32) if merges is not None else None
    rows = at.tiles(G, G)
    for c in at.grid(NC):
        for t in at.range(shares[c, 0], shares[c, 1]):
            b, h, i, n, part = tasks[t, 0], tasks[t, 1], tasks[t, 2], tasks[t, 3], tasks[t, 4]
            length = lens[b]
            st = at.softmax_state(G, D)
            for p in at.range(*at.split(at.cdiv(length, S), n, i), stages=2):
                j, page = at.tiles(S, S, limit=length - p * S), table[b, p]
                st.push(scale * (q[b, h * G : (h + 1) * G, :] @ k[page, j, h, :].T), v[page, j, h, :])
            to, tl = st.finish()
            if merges is None:  # noqa: SIM114 - known when the kernel is compiled, unlike the other
                o[b, h * G : (h + 1) * G, :], lse[b, h * G : (h + 1) * G] = to, tl
            elif part < 0:
                o[b, h * G : (h + 1) * G, :], lse[b, h * G : (h + 1) * G] = to, tl
            else:
                po[part, h, rows, :], pl[part, h, rows] = to, tl
    if merges is not None:
        at.phase()
        for part, h in at.grid(NP, Nkv):
            b, n = merges[part, 0], merges[part, 1]
            if n > 0:
                st = at.softmax_state(G, D)
                for r in at.range(part, part + n, stages=2):
                    st.push(at.maximum(pl[r, h, rows], -3.4028234663852886e38), po[r, h, rows, :], per_row=True)
                o[b, h * G : (h + 1) * G, :], lse[b, h * G : (h + 1) * G] = st.finish()
    return o, lse, po, pl
