"""Kernels whose counts, offsets and lists lie in memory, and one with a bias by position, with references in float64 and
inputs that have NaN wherever nothing may be read."""

import itertools

import torch

import attn
import attn.language as at

WHOLE = {at.u16: torch.uint16, at.i32: torch.int32, at.i64: torch.int64}


@attn.kernel
def row_sums(X: at.Tensor["B S D"], lens: at.Tensor["B"], BS: at.Auto(1, 64)):
    """The sum of the first lens[b] rows of each X[b]."""
    Y = at.empty("B D", at.f32)
    for b in at.grid(B):
        total = at.zeros((1, D))
        for s in at.range(at.tiles(lens[b], BS), stages=2):
            total = total + at.sum(X[b, s, :], 0)
        Y[b, :] = total
    return Y


def row_sums_reference(X, lens):
    return torch.stack([rows[: int(count)].sum(0) for rows, count in zip(X, lens)])


@attn.kernel
def ragged_softmax(X: at.Tensor["B S"], lens: at.Tensor["B"], BS: at.Auto(8, 64)):
    """The softmax of the first lens[b] elements of each row; those after them become 0."""
    Y = at.empty("B S", X.dtype)
    for b in at.grid(B):
        n = lens[b]
        largest = at.full((1, 1), -3.0e38)
        for s in at.range(at.tiles(n, BS), stages=2):
            largest = at.maximum(largest, at.max(X[b, s], 0))
        total = at.zeros((1, 1))
        for s in at.range(at.tiles(n, BS), stages=2):
            total = total + at.sum(at.exp(X[b, s] - largest), 0)
        for s in at.range(at.tiles(n, BS), stages=2):
            Y[b, s] = at.exp(X[b, s] - largest) / total
        for s in at.range(at.tiles(S - n, BS, base=n), stages=2):
            Y[b, s] = 0.0
    return Y


def ragged_softmax_reference(X, lens):
    Y = torch.zeros_like(X)
    for row, result, count in zip(X, Y, lens):
        result[: int(count)] = torch.softmax(row[: int(count)], 0)
    return Y


@attn.kernel
def segment_sums(X: at.Tensor["T D"], offsets: at.Tensor["M"], N: at.Const[int], BT: at.Auto(1, 64)):
    """The sums of rows offsets[i] to offsets[i + 1], minus 1 where there are none."""
    Y = at.empty("N D", at.f32)
    for i in at.grid(N):
        first, end = offsets[i], offsets[i + 1]
        if first >= end:
            Y[i, :] = -1.0
        else:
            total = at.zeros((1, D))
            for t in at.range(at.tiles(end - first, BT, base=first), stages=2):
                total = total + at.sum(X[t, :], 0)
            Y[i, :] = total
    return Y


def segment_sums_reference(X, offsets, N):
    parts = [X[int(first) : int(end)] for first, end in itertools.pairwise(offsets)]
    return torch.stack([part.sum(0) if len(part) else torch.full_like(X[0], -1.0) for part in parts])


@attn.kernel
def list_sums(X: at.Tensor["S D"], idx: at.Tensor["B L"], cnt: at.Tensor["B"]):
    """The sums of the rows that are listed."""
    Y = at.empty("B D", at.f32)
    for b in at.grid(B):
        total = at.zeros((1, D))
        for j in at.each(idx[b, :], count=cnt[b], stages=2):
            total = total + X[j, :]
        Y[b, :] = total
    return Y


def list_sums_reference(X, idx, cnt):
    return torch.stack([X[rows[: int(count)].long()].sum(0) for rows, count in zip(idx, cnt)])


@attn.kernel
def block_sums(X: at.Tensor["S D"], idx: at.Tensor["B L"], cnt: at.Tensor["B"], bk: int, BN: at.Auto(1, 64)):
    """The sums of the rows of the blocks of bk rows that are listed."""
    Y = at.empty("B D", at.f32)
    for b in at.grid(B):
        total = at.zeros((1, D))
        for j in at.each(idx[b, :], count=cnt[b]):
            for k in at.range(at.tiles(bk, BN, base=j * bk, limit=S), stages=2):
                total = total + at.sum(X[k, :], 0)
        Y[b, :] = total
    return Y


def block_sums_reference(X, idx, cnt, bk):
    return torch.stack([
        sum((X[int(j) * bk : int(j) * bk + bk].sum(0) for j in blocks[: int(count)]), torch.zeros_like(X[0]))
        for blocks, count in zip(idx, cnt)
    ])  # fmt: skip


@attn.kernel
def decode(
    Q: at.Tensor["B H D"], Kc: at.Tensor["N S K D"], Vc: at.Tensor["N S K D"], table: at.Tensor["B T"],
    lens: at.Tensor["B"], scale: float, G: at.Const[int], NS: at.Const[int],
):  # fmt: skip
    """Attention of one query per head over N pages of S keys and values, in NS parts that are merged."""
    out, lse = at.empty("B H D", Q.dtype), at.empty("B H", at.f32)
    po, pl = at.empty("B K NS G D", at.f32), at.empty("B K NS G", at.f32)
    for b, h, i in at.grid(B, K, NS):
        q = Q[b, h * G : (h + 1) * G, :]
        st = at.softmax_state(G, D)
        n = lens[b]
        for p in at.range(*at.split(at.cdiv(n, S), NS, i)):
            j = table[b, p]
            for r in at.range(at.minimum(n - p * S, S), stages=2):
                st.push(scale * at.sum(q * Kc[j, r, h, :], 1), at.zeros((G, D)) + Vc[j, r, h, :], per_row=True)
        g = at.tiles(G, G)
        po[b, h, i, g, :], pl[b, h, i, g] = st.finish()
    at.phase()
    for b, h in at.grid(B, K):
        out[b, h * G : (h + 1) * G, :], lse[b, h * G : (h + 1) * G] = at.lse_merge(po[b, h], pl[b, h])
    return out, lse, po, pl


def decode_reference(Q, Kc, Vc, table, lens, scale, G):
    """Output and log-sum-exp alone."""
    out, lse = torch.zeros_like(Q), torch.full(Q.shape[:2], -torch.inf, dtype=Q.dtype)
    for b, count in enumerate(lens.long().tolist()):
        if count == 0:
            continue
        pages = table[b, : -(-count // Kc.shape[1])].long()
        keys, values = (pool[pages].flatten(0, 1)[:count] for pool in (Kc, Vc))
        for h in range(Q.shape[1]):
            scores = scale * keys[:, h // G] @ Q[b, h]
            out[b, h], lse[b, h] = torch.softmax(scores, 0) @ values[:, h // G], torch.logsumexp(scores, 0)
    return out, lse


@attn.kernel
def copied_sums(X: at.Tensor["B S D"], lens: at.Tensor["B L", at.i32], BS: at.Auto(1, 64)):
    """The sum of the first lens[b, 0] rows of each X[b], where the kernel reads a copy of the lengths that it made."""
    Y, copy = at.empty("B D", at.f32), at.empty("B L", at.i32)
    for b in at.grid(B):
        copy[b, :] = lens[b, :]
    at.phase()
    for b in at.grid(B):
        total = at.zeros((1, D))
        for s in at.range(at.tiles(copy[b, 0], BS), stages=2):
            total = total + at.sum(X[b, s, :], 0)
        Y[b, :] = total
    return Y, copy


@attn.kernel
def embed(X: at.Tensor["V D"], idx: at.Tensor["B T", at.i32], BT: at.Auto(1, 64)):
    """The rows of X that are listed, in the order of the list."""
    Y = at.empty("B T D", X.dtype)
    for b, t in at.grid(B, at.tiles(T, BT)):
        Y[b, t, :] = at.gather(X, idx[b, t])
    return Y


def embed_reference(X, idx):
    return X[idx.long()]


@attn.kernel
def place(X: at.Tensor["T D"], c: at.Tensor["T"], idx: at.Tensor["T", at.i32], BT: at.Auto(1, 64)):
    """Row t of X goes to row idx[t], scaled by c[t], and c[t] to place idx[t]."""
    Y, Z = at.empty_like(X), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        rows = idx[t]
        Y[rows, :] = c[t] * X[t, :]
        Z[rows] = c[t]
    return Y, Z


def place_reference(X, c, idx):
    order = torch.argsort(idx.long())
    return (c[:, None] * X)[order], c[order]


@attn.kernel
def windowed(
    Q: at.Tensor["B D"], Kc: at.Tensor["N S D"], Vc: at.Tensor["N S D"], table: at.Tensor["B P"], lens: at.Tensor["B"],
    scale: float, W: int,
):  # fmt: skip
    """Attention of the last position of each sequence over the W positions up to its own, by pages of S of them."""
    out, lse = at.empty("B D", Q.dtype), at.empty("B", at.f32)
    for b in at.grid(B):
        q, n = Q[b, :], lens[b]
        first, st = at.maximum(n - W, 0), at.softmax_state(1, D)
        for p in at.range(first // S, at.cdiv(n, S), stages=2):
            j = table[b, p]
            k = at.tiles(S, S, base=at.maximum(first - p * S, 0), limit=at.minimum(n - p * S, S))
            st.push(scale * at.sum(q * Kc[j, k, :], 1).T, Vc[j, k, :])
        out[b, :], lse[b : b + 1] = st.finish()
    return out, lse


def windowed_reference(Q, Kc, Vc, table, lens, scale, W):
    out, lse = torch.zeros_like(Q), torch.full((len(Q),), -torch.inf, dtype=Q.dtype)
    for b, count in enumerate(lens.long().tolist()):
        first = max(count - W, 0)
        if count == first:
            continue
        pages = table[b, : -(-count // Kc.shape[1])].long()
        keys, values = (pool[pages].flatten(0, 1)[first:count] for pool in (Kc, Vc))
        scores = scale * keys @ Q[b]
        out[b], lse[b] = torch.softmax(scores, 0) @ values, torch.logsumexp(scores, 0)
    return out, lse


def whole(values, dtype=at.i32):
    """Integers as a tensor of a type."""
    return torch.tensor(values).to(WHOLE[dtype])


def randn(*shape, dtype=torch.float32, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def rows_of(lens, size: int, width: int, dtype=torch.float32):
    """Rows with NaN after each length."""
    X = randn(len(lens), size, width, dtype=dtype)
    for rows, count in zip(X, lens):
        rows[count:] = torch.nan
    return X


def pages_of(lens, page: int, heads: int, width: int, dtype=torch.float32, spare: int = 2):
    """Pools of pages of keys and values in random order with NaN after each length, and the table; unused entries of the
    table name no page."""
    counts = [-(-count // page) for count in lens]
    order = torch.randperm(sum(counts) + spare, generator=torch.Generator().manual_seed(1)).tolist()
    table = torch.full((len(lens), max([*counts, 1]) + 1), -7)
    K, V = (torch.full((len(order), page, heads, width), torch.nan, dtype=dtype) for _ in range(2))
    for b, count in enumerate(lens):
        for number in range(counts[b]):
            place = table[b, number] = order.pop()
            rows = min(page, count - number * page)
            K[place, :rows], V[place, :rows] = (
                randn(rows, heads, width, dtype=dtype, seed=place + seed) for seed in (0, 99)
            )
    return K, V, table


@attn.kernel
def alibi(
    Q: at.Tensor["S D"], K: at.Tensor["S D"], V: at.Tensor["S D"], slope: float, R: at.Const[int], BM: at.Auto(8, 32)
):
    """Neighbourhood attention with a bias by distance, which no array holds."""
    H, lse = at.empty("S D", at.f32), at.empty("S", at.f32)
    for t in at.grid(at.tiles(S, BM)):
        around = t.window(R)
        distance = at.abs(at.arange(2 * R + 1) - R)
        s = at.band_dot(Q[t, :], K[around, :]) - slope * distance
        p, total = at.softmax(at.mask(s, around.valid))
        H[t, :], lse[t] = at.band_mix(p, V[around, :]), total
    return H, lse


def alibi_reference(Q, K, V, slope, R, **_):
    distance = (torch.arange(len(Q))[:, None] - torch.arange(len(Q))).abs()
    scores = Q.double() @ K.double().T - slope * distance
    scores = scores.masked_fill(distance > R, -torch.inf)
    return torch.softmax(scores, 1) @ V.double(), torch.logsumexp(scores, 1)
