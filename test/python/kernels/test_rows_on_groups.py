"""Kernels on cube and vector cores that take all rows of a tile at once, some of which may be missing: sums over rows, rows made of
columns, single rows that are stored."""

import pytest
import torch

import attn
import attn.language as at

STAGES = ("jit", "ascend", "ascendc", "hivm")
TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.float16: (1e-2, 1e-2), torch.bfloat16: (8e-2, 4e-2)}


def randn(*shape, dtype=torch.float32, scale=1.0):
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return (torch.randn(*shape, generator=generator) * scale).to(dtype)


@attn.kernel
def summed(X: at.Tensor["H S K"], W: at.Tensor["K N"], g: at.Tensor["H S", at.f32], BM: at.Auto(16, 64)):
    """A product, scaled, and the sums of its rows."""
    Y, C = at.empty("H S N", at.f32), at.empty("H N", at.f32)
    for h in at.grid(H):
        total = at.zeros((1, N))
        for t in at.range(at.tiles(S, BM), stages=2):
            y = (X[h, t, :] @ W[:, :]) * g[h, t] + 1.0
            Y[h, t, :] = y
            total = total + at.sum(y, 0)
        C[h, :] = total
    return Y, C


@pytest.mark.parametrize("strip_rows", [0, 8, 32])
@pytest.mark.parametrize("rows", [3, 50, 100])
def test_sums_over_rows_in_strips(rows, strip_rows):
    def reference(x, w, g):
        y = (x @ w) * g[:, :, None] + 1
        return y, y.sum(1)

    arguments = (randn(2, rows, 96), randn(96, 80, scale=0.1), torch.rand(2, rows))
    options = dict(tolerance=(1e-3, 1e-3), stages=("ascend", "ascendc"), BM=64, strip_rows=strip_rows)
    attn.verify(summed, *arguments, reference=reference, **options).check()


@attn.kernel
def cosine_attention(
    Q: at.Tensor["M D"],
    K: at.Tensor["N D"],
    V: at.Tensor["N D"],
    scale: float,
    BM: at.Auto(16, 64),
    BN: at.Auto(16, 64),
):
    """The norms of keys, a column, become a row of the scores."""
    Y = at.empty_like(Q)
    for m in at.grid(at.tiles(M, BM)):
        q = Q[m, :]
        query_norms = at.rsqrt(at.sum(q * q, 1) + 1e-6)
        state = at.softmax_state(BM, D)
        for n in at.range(at.tiles(N, BN), stages=2):
            k = K[n, :]
            norms = at.rsqrt(at.sum(k * k, 1) + 1e-6)
            state.push(scale * (q @ k.T) * query_norms * norms.T, V[n, :])
        Y[m, :], _ = state.finish()
    return Y


def ref_cosine(q, k, v, scale):
    q, k = (x * torch.rsqrt(x.square().sum(1, keepdim=True) + 1e-6) for x in (q, k))
    return torch.softmax(scale * q @ k.T, 1) @ v


@pytest.mark.parametrize("width", [48, 96])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_norms_of_keys(width, dtype):
    arguments = (
        randn(33, width, dtype=dtype),
        randn(50, width, dtype=dtype),
        randn(50, width, dtype=dtype, scale=2),
        3.0,
    )
    options = dict(tolerance=TOLERANCES[dtype], stages=STAGES)
    attn.verify(cosine_attention, *arguments, reference=ref_cosine, **options).check()


@pytest.mark.parametrize("strip_rows", [0, 16, 32])
@pytest.mark.parametrize("keys", [65, 200])
def test_norms_of_keys_in_strips(keys, strip_rows):
    arguments = (randn(33, 96), randn(keys, 96), randn(keys, 96, scale=2), 3.0)
    options = dict(tolerance=(1e-4, 1e-4), stages=("ascend",), BM=64, BN=64, strip_rows=strip_rows, preload=1, lag=1)
    attn.verify(cosine_attention, *arguments, reference=ref_cosine, **options).check()


@attn.kernel
def centre(X: at.Tensor["T K"], W: at.Tensor["K N"], BT: at.Auto(16, 64)):
    """A product, and its mean over rows: a row for all of an array."""
    Y, mean = at.empty("T N", at.f32), at.empty("N", X.dtype)
    for _ in at.grid(1):
        total = at.zeros((1, N))
        for t in at.range(at.tiles(T, BT), stages=2):
            y = X[t, :] @ W[:, :]
            Y[t, :] = 2.0 * y
            total = total + at.sum(y, 0)
        mean[:] = total / T
    return Y, mean


@pytest.mark.parametrize("rows", [1, 33, 130])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_a_row_for_all_of_an_array(rows, dtype):
    def reference(x, w):
        return 2 * x @ w, (x @ w).mean(0)

    options = dict(tolerance=TOLERANCES[dtype], stages=STAGES)
    attn.verify(
        centre, randn(rows, 48, dtype=dtype), randn(48, 80, dtype=dtype), reference=reference, **options
    ).check()


@attn.kernel
def mixed_columns(A: at.Tensor["16 K"], W: at.Tensor["K N"], U: at.Tensor["N D"], BN: at.Const[int]):
    """In each iteration of a loop that exchanges tiles, a row for a part of an array."""
    total, Y = at.empty("N", at.f32), at.empty("16 D", at.f32)
    for _ in at.grid(1):
        acc = at.zeros((16, D))
        for i in at.range(N // BN, stages=2):
            weights = at.exp(A[0:16, :] @ W[:, i * BN : (i + 1) * BN])
            total[i * BN : (i + 1) * BN] = at.sum(weights, 0)
            acc += weights.to(A.dtype) @ U[i * BN : (i + 1) * BN, :]
        Y[0:16, :] = acc
    return total, Y


@pytest.mark.parametrize("preload", [0, 1, 4])
def test_rows_of_iterations(preload):
    def reference(a, w, u, BN):
        weights = torch.exp(a @ w)
        return weights.sum(0), weights @ u

    arrays = [randn(*shape, dtype=torch.float16, scale=0.1) for shape in ((16, 48), (48, 160), (160, 64))]
    options = dict(tolerance=(1e-2, 1e-2), stages=STAGES, preload=preload, lag=preload)
    attn.verify(mixed_columns, *arrays, 32, reference=reference, **options).check()


@attn.kernel
def retention(Q: at.Tensor["S D"], K: at.Tensor["S D"], V: at.Tensor["S D"], decay: float, BC: at.Auto(16, 64)):
    """A state that decays evenly: cores without rows of the last tile have rows of the state."""
    Y = at.empty_like(Q)
    for _ in at.grid(1):
        state = at.zeros((D, D))
        for t in at.range(at.tiles(S, BC), stages=2):
            q, k, v = Q[t, :], K[t, :], V[t, :]
            back, place = t.idx - t.idx.T, t.idx - t.base
            near = at.where(back >= 0, (q @ k.T) * at.exp(decay * at.maximum(back, 0.0)), 0.0)
            far = (q * at.exp(decay * (place + 1))).to(Q.dtype) @ state.to(Q.dtype)
            Y[t, :] = far + near.to(Q.dtype) @ v
            kept = (k * at.exp(decay * (t.count - 1 - place))).to(Q.dtype)
            state = state * at.exp(at.full((1, 1), decay) * t.count) + kept.T @ v
    return Y


@pytest.mark.parametrize("strip_rows, preload", [(0, 0), (8, 0), (8, 2), (16, 1)])
def test_states_in_strips(strip_rows, preload):
    def reference(q, k, v, decay):
        place = torch.arange(len(q))
        back = (place[:, None] - place).clamp(min=0)
        return torch.tril(q @ k.T * torch.exp(decay * back)) @ v

    arrays = [randn(70, 48, dtype=torch.float16, scale=scale) for scale in (0.2, 0.3, 1.0)]
    options = dict(tolerance=(1e-2, 1e-2), stages=("ascend", "ascendc"), BC=64, strip_rows=strip_rows)
    options.update(preload=preload, lag=preload)
    attn.verify(retention, *arrays, -0.1, reference=reference, **options).check()


@attn.kernel
def all_heads(
    Q: at.Tensor["H M D"],
    K: at.Tensor["H N D"],
    V: at.Tensor["H N D"],
    W: at.Tensor["H D P"],
    scale: float,
    BM: at.Auto(16, 32),
    BN: at.Auto(16, 64),
):
    """Attention and its projection: loops over keys in one over heads, on cores of which one may have no rows."""
    Y = at.empty("M P", Q.dtype)
    for m in at.grid(at.tiles(M, BM)):
        total = at.zeros((BM, P))
        for h in at.range(H):
            state = at.softmax_state(BM, D)
            for n in at.range(at.tiles(N, BN), stages=2):
                state.push(scale * (Q[h, m, :] @ K[h, n, :].T), V[h, n, :])
            o, _ = state.finish()
            total += o.to(Q.dtype) @ W[h, :, :]
        Y[m, :] = total
    return Y


@pytest.mark.parametrize("keys", [50, 100, 200])
@pytest.mark.parametrize("preload", [0, 1, 2])
def test_heads_in_strips(preload, keys):
    def reference(q, k, v, w, scale):
        return (torch.softmax(scale * q @ k.mT, -1) @ v @ w).sum(0)

    arrays = (randn(2, 33, 32), randn(2, keys, 32), randn(2, keys, 32, scale=2), randn(2, 32, 48, scale=0.2))
    options = dict(tolerance=(1e-4, 1e-4), stages=("ascend",), BM=32, BN=64, strip_rows=8, preload=preload, lag=preload)
    attn.verify(all_heads, *arrays, 0.2, reference=reference, **options).check()
