"""Paged decode attention: the newest tokens of each sequence over keys and values in pages, forward.

Long sequences are cut into parts, so that there is work for all cores, and the parts are merged by their log-sum-exps.
"""

import attn
import attn.language as at


@attn.kernel
def paged_fwd(
    q: at.Tensor["B Nkv M D"], k: at.Tensor["N S H E"], v: at.Tensor["N S H E"], table: at.Tensor["B P", at.i32],
    lens: at.Tensor["B", at.i32], shares: at.Tensor["NC 2", at.i32], tasks: at.Tensor["NT 6", at.i32],
    merges: at.Tensor["NP 2", at.i32] | None, scale: float, R: at.Const[int], G: at.Const[int], T: at.Const[int] = 1,
    index: at.Tensor["B Nkv W", at.i32] | None = None, counts: at.Tensor["B Nkv", at.i32] | None = None,
    sinks: at.Tensor["Nkv M", at.f32] | None = None, left: at.Const[int] = -1, softcap: at.Const[float] = 0.0,
    run: at.Const[int] = 0, heads: at.Const[int] = 1, inner: at.Const[int] = 1,
    short: at.Const[bool] = False, cuts: at.Const[int] = 1, BM: at.Auto(16, 64) = None,
):  # fmt: skip
    """Forward.

    Row t * G + g of q[b, h] is head h * G + g of new token t of T; pages of keys and values are [N, S, Nkv, D]: page p
    of sequence b is table[b, p], and the first lens[b] tokens of a sequence count, the new ones last. Where index is
    given, only the pages that the first counts[b, h] entries of index[b, h] name are seen. A token sees those up to
    itself, and where left is not negative so many before it. sinks[h] is one more score of each row, without a value.
    With T 1 and neither index, left nor sinks, two heads of keys may be loaded and exchanged at a time: pages are seen
    as [N, S, Nkv / heads, heads * D], and h of a task is the number of a pair. Or `inner` heads are computed for the
    same tokens before the next: queries are seen as [B, Nkv / inner, inner * M, D], and R is M. The last tile of R rows
    may be `short`, and pages are loaded in so many `cuts`.

    Core c computes tasks shares[c, 0] to shares[c, 1]: (sequence, head, tile of R rows, part, parts, row), part being
    one of so many equal parts of the pages, or the next `run` of them where that is not 0. Its result is that of the
    sequence where row is negative, else it is that row of the partial results, which are merged by their
    log-sum-exps: merges[row] is (sequence, its rows from this one on or 0).
    Returns o [B, Nkv, M, D], in q's type, and lse [B, Nkv, M] in f32, natural logarithms; the partial results follow.
    """
    o, lse = at.empty("B Nkv M D", q.dtype), at.empty("B Nkv M", at.f32)
    po = at.empty("NP Nkv M D", at.f32) if merges is not None else None
    pl = at.empty("NP Nkv M", at.f32) if merges is not None else None
    for c in at.grid(NC):
        for t in at.range(shares[c, 0], shares[c, 1]):
            b, h, x, i, n, part = tasks[t, 0], tasks[t, 1], tasks[t, 2], tasks[t, 3], tasks[t, 4], tasks[t, 5]
            rows, length = at.tiles(inner * R, inner * R, base=x * R, limit=M if short else x * R + inner * R), lens[b]
            first = 0 if left < 0 or index is not None else at.maximum(length - T - left, 0) // S
            pages = (at.cdiv(length, S) if index is None else counts[b, h]) - first
            rest = (i + 1) // n * pages  # the last part has all that is left
            lo, hi = at.split(pages, n, i) if run == 0 else (i * run, at.minimum(i * run + run + rest, pages))
            st, low, high = at.softmax_state(inner * heads * R, heads * D), h * heads, h * heads + heads - 1
            queries, more = q[b, low, rows, :], q[b, high, rows, :]
            if sinks is not None:  # once for each row: for other parts it is lower than any score
                st.push(sinks[h, rows] - 3e38 * at.minimum(i, 1), at.zeros((inner * R, D)), per_row=True)
            for y in at.range((lo + first) * cuts, (hi + first) * cuts, stages=2):
                e, base = (y, 0) if cuts == 1 else (y // cuts, y % cuts * (S // cuts))
                p = e if index is None else index[b, h, e]
                j, page = at.tiles(S // cuts, S // cuts, base=base, limit=length - p * S), table[b, p]
                for g in at.range(inner):
                    own = queries if inner == 1 else q[b, h, at.tiles(R, R, base=g * R), :]
                    keys, one = k[page, j, h * inner + g, :], rows if inner == 1 else at.tiles(R, R)
                    s = scale * (own @ keys.T if heads == 1 else at.concat(own @ keys[:, :D].T, more @ keys[:, D:].T))
                    if softcap != 0.0:  # tanh(x) = 1 - 2 / (exp(2 * x) + 1), which no x takes beyond 1
                        s = softcap - 2.0 * softcap / (at.exp(2.0 / softcap * s) + 1.0)
                    if T > 1:  # key <= token, both times G, so that rows need not be divided
                        s = at.mask(s, G * j.idx.T - one.idx <= G * (length - T - p * S))
                    if left >= 0:
                        s = at.mask(s, one.idx - G * j.idx.T < G * (left + 1 + p * S - (length - T)))
                    st.push(s, v[page, j, h * inner + g, :], part=g)
            to, tl = st.finish()  # of two heads, the rows of each with the values of both
            to, tl, other, ol = (to, tl, to, tl) if heads == 1 else (to[:R, :D], tl[:R], to[R:, D:], tl[R:])
            if merges is None:  # noqa: SIM114 - known when the kernel is compiled, unlike the other
                o[b, low, rows, :], lse[b, low, rows] = to, tl
                if heads == 2:
                    o[b, high, rows, :], lse[b, high, rows] = other, ol
            elif part < 0:
                o[b, low, rows, :], lse[b, low, rows] = to, tl
                if heads == 2:
                    o[b, high, rows, :], lse[b, high, rows] = other, ol
            else:
                po[part, low, rows, :], pl[part, low, rows] = to, tl
                if heads == 2:
                    po[part, high, rows, :], pl[part, high, rows] = other, ol
    if merges is not None:
        at.phase()
        for h, rows, part in at.grid(Nkv, at.tiles(M, BM), NP):
            b, n = merges[part, 0], merges[part, 1]
            if n > 0:
                o[b, h, rows, :], lse[b, h, rows] = at.lse_merge(po[:, h, rows, :], pl[:, h, rows], start=part, count=n)
    return o, lse, po, pl
