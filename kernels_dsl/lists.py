"""Lists of blocks and pages, which are padded at their end: how many they name, and which core computes which."""

import attn
import attn.language as at


@attn.kernel
def count_listed(
    index: at.Tensor["B H R W", at.i32], size: int, total: int, lens: at.Tensor["B", at.i32] | None = None,
    q_lens: at.Tensor["B", at.i32] | None = None, queries: int = 1, causal: at.Const[bool] = False,
    P: at.Const[int] = 1, BM: at.Const[int] = 64, BR: at.Auto(1, 64) = None, BW: at.Auto(16, 512) = None,
):  # fmt: skip
    """How many entries of each list index[b, h, r] name one of the blocks of `size` that cover the
    first lens[b], or all `total`: counts [B, H, R, P]. Padding names none, and neither does what is wrong.

    Each list is that of P tiles of BM queries. Causal, a tile counts the blocks up to its last query: the last of
    q_lens[b] queries, or of all, sees up to the last key. Size and BM are multiples of 64 then.
    """
    counts = at.empty("B H R P", at.i32)
    for b, h, r in at.grid(B, H, at.tiles(R, BR)):
        n = total if lens is None else lens[b]
        m = queries if q_lens is None else q_lens[b]
        blocks, before = at.cdiv(n, size), at.cdiv(queries, 64)
        ahead = at.cdiv(n + before * 64 - m, 64) - before  # how much further keys reach than queries, in units of 64
        for p in at.range(P):
            count, ends = at.zeros((BR, 1)), at.zeros((BR, 1))
            if causal:
                ends = (r.idx * P + (p + 1)) * (BM // 64) + ahead
            for j in at.range(at.tiles(W, BW), stages=2):
                x = index[b, h, r, j].to(at.f32)
                named = (x >= 0.0) & (x < blocks)
                if causal:
                    named = named & (x * (size // 64) < ends)
                count = count + at.sum(at.where(named, 1.0, 0.0), 1)
            counts[b, h, r, p] = count.to(at.i32)
    return counts


@attn.kernel
def deal_blocks(
    counts: at.Tensor["T", at.i32], room: at.Tensor["NT", at.i32], heads: int, tiles: int, NC: at.Const[int],
    NP: at.Const[int], BR: at.Auto(1, 64) = None, BT: at.Auto(16, 512) = None,
):  # fmt: skip
    """Deals tiles of queries to NC cores, all entries of their lists one after the other: each core gets as many.

    counts [B, heads, tiles], as one dimension, are the blocks that tiles keep; NP is 2 * NC, and the room is for T + NP
    tasks. Returns shares, tasks and merges as `block_sparse_fwd` reads them, and what they were made of: the entries
    before each tile, and the first tile that begins in the share of each core. Shares are cut anywhere: a core begins
    with a part of a tile that the cores before have begun, and ends with a part of one that the next go on with. A core
    within one tile has two parts of it, so that the parts of a tile follow each other in the rows of merges. A tile
    counts as one entry more than it keeps.
    """
    shares, tasks, merges = at.empty("NC 2", at.i32), at.empty("NT 6", at.i32), at.empty("NP 4", at.i32)
    before, starts = at.empty("T", at.i32), at.empty("NP", at.i32)
    for t in at.grid(at.tiles(T, BR)):
        n = at.zeros((BR, 1))
        for j in at.range(at.tiles(T, BT), stages=2):
            n = n + at.sum(at.where(t.idx > j.idx.T, counts[j].to(at.f32).T + 1.0, 0.0), 1)
        before[t] = n.to(at.i32)
    at.phase()
    for c in at.grid(at.tiles(NP, 2)):
        share, n = at.cdiv(before[T - 1] + counts[T - 1] + 1, NC), at.zeros((2, 1))
        for j in at.range(at.tiles(T, BT), stages=2):
            n = n + at.sum(at.where(c.idx * share > before[j].to(at.f32).T, 1.0, 0.0), 1)
        starts[c] = n.to(at.i32)
    at.phase()
    for c in at.grid(NC):
        share, first, end = at.cdiv(before[T - 1] + counts[T - 1] + 1, NC), starts[c], starts[c + 1]
        begin, old = c * share, at.maximum(first - 1, 0)  # a tile that the cores before have begun
        rest = (before[old] + counts[old] - begin) * at.minimum(first, 1)
        inside, within = at.minimum(at.maximum(rest, 0), 1), at.minimum(at.maximum(rest - share, 0), 1)
        shares[c, :] = at.where(at.arange(2) == 0, first - inside + 2 * c, end + within + 2 * c).to(at.i32)
        k = at.arange(6)
        c0, c1, c2 = at.where(k == 0, 1.0, 0.0), at.where(k == 1, 1.0, 0.0), at.where(k == 2, 1.0, 0.0)
        c3, c4, c5 = at.where(k == 3, 1.0, 0.0), at.where(k == 4, 1.0, 0.0), at.where(k == 5, 1.0, 0.0)
        for z in at.range(first - inside, end + within):
            t = at.minimum(z, end - 1)
            b, h = t // (heads * tiles), t // tiles
            lo, hi = at.maximum(begin - before[t], 0), at.minimum(begin + share - before[t], counts[t])
            second, half = within * (z - first + 1), (hi - lo) // 2
            lo, hi = lo + second * half, hi - (within - second) * (hi - lo - half)
            is_old = at.maximum(first - t, 0)
            is_cut = at.minimum(at.maximum(before[t] + counts[t] - begin - share, 0), 1)
            row = is_old * (2 * c + second) + (1 - is_old) * (is_cut * (2 * c + 2) - 1)
            place = c0 * b + c1 * (h - b * heads) + c2 * (t - h * tiles)
            tasks[z + 2 * c, :] = (place + c3 * lo + c4 * hi + c5 * row).to(at.i32)
        t, k = at.maximum(end - 1, 0), at.arange(4)  # the last tile of the core, where it is one of its own
        b, h, more = t // (heads * tiles), t // tiles, (before[t] + counts[t] - 1) // share - c
        n = 2 * at.maximum(more, 0) * at.minimum(end - first, 1)
        place = at.where(k < 1, b, at.where(k < 2, h - b * heads, at.where(k < 3, t - h * tiles, n)))
        merges[2 * c, :], merges[2 * c + 1, :] = at.zeros((1, 4)).to(at.i32), place.to(at.i32)
    return shares, tasks, merges, before, starts
