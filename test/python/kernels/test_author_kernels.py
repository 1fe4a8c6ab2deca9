"""Kernels on cube and vector cores as authors write them, in every stage: parts of computed operands, rows by lists, operands and
starts that several products share."""

import pytest
import torch

import attn
import attn.language as at

STAGES = ("jit", "ascend", "ascendc", "hivm")
TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.float16: (1e-2, 1e-2), torch.bfloat16: (8e-2, 4e-2)}


def randn(*shape, dtype=torch.float16, scale=1.0):
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return (torch.randn(*shape, generator=generator) * scale).to(dtype)


def verify(kernel, *arguments, reference, stages=STAGES, **options):
    tolerance = TOLERANCES[arguments[0].dtype]
    attn.verify(kernel, *arguments, reference=reference, tolerance=tolerance, stages=stages, **options).check()


@attn.kernel
def turned_attention(
    Q: at.Tensor["M D"], K: at.Tensor["M D"], V: at.Tensor["M D"], cos: at.Tensor["M D"], sin: at.Tensor["M D"], scale: float,
    BM: at.Auto(16, 64), BN: at.Auto(16, 64),
):  # fmt: skip
    """Causal attention of rows whose halves are turned by their positions: both operands of the scores are computed."""
    Y = at.empty_like(Q)
    for m in at.grid(at.tiles(M, BM)):
        x = Q[m, :].to(at.f32)
        q = (x * cos[m, :] + at.concat(-x[:, D // 2 :], x[:, : D // 2], axis=1) * sin[m, :]).to(Q.dtype)
        state = at.softmax_state(BM, D)
        for n in at.range(at.tiles(M, BN), stages=2):
            y = K[n, :].to(at.f32)
            k = (y * cos[n, :] + at.concat(-y[:, D // 2 :], y[:, : D // 2], axis=1) * sin[n, :]).to(Q.dtype)
            state.push(at.mask(scale * (q @ k.T), m.idx >= n.idx.T), V[n, :])
        Y[m, :], _ = state.finish()
    return Y


def turn(x, cos, sin):
    half = x.shape[1] // 2
    return x * cos + torch.cat([-x[:, half:], x[:, :half]], 1) * sin


def ref_turned(q, k, v, cos, sin, scale):
    scores = scale * turn(q, cos, sin) @ turn(k, cos, sin).T
    later = torch.ones(len(q), len(q)).triu(1).bool()
    return torch.softmax(scores.masked_fill(later, -torch.inf), 1) @ v


@pytest.mark.parametrize(
    ("rows", "width", "dtype"),
    [
        (33, 64, torch.float16),
        (70, 128, torch.bfloat16),
        (17, 32, torch.float32),
        (33, 48, torch.float16),
        (17, 80, torch.bfloat16),
    ],
    ids=str,
)
def test_turned_rows(rows, width, dtype):
    angles = torch.outer(torch.arange(rows).float(), 100.0 ** (-torch.arange(width // 2) / (width // 2)))
    cos, sin = (torch.cat([part, part], 1).to(dtype) for part in (angles.cos(), angles.sin()))
    arrays = [randn(rows, width, dtype=dtype, scale=scale) for scale in (0.5, 1.0, 2.0)]
    verify(turned_attention, *arrays, cos, sin, width**-0.5, reference=ref_turned)


@pytest.mark.parametrize("strip_rows", [0, 8, 16])
def test_turned_rows_in_strips(strip_rows):
    arrays = [randn(70, 64) for _ in range(5)]
    options = dict(BM=64, BN=32, strip_rows=strip_rows)
    verify(turned_attention, *arrays, 0.01, reference=ref_turned, stages=("ascend",), **options)


@attn.kernel
def biased(
    Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N D"], T: at.Tensor["R N"], rows: at.Tensor["M", at.i32],
    BM: at.Auto(16, 64),
):  # fmt: skip
    """Attention with rows of a table as a bias."""
    Y = at.empty_like(Q)
    for m in at.grid(at.tiles(M, BM)):
        p, _ = at.softmax(Q[m, :] @ K[:, :].T + at.gather(T, rows[m]))
        Y[m, :] = p.to(V.dtype) @ V[:, :]
    return Y


@pytest.mark.parametrize("rows", [1, 33])
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_bias_by_a_list(rows, dtype):
    def reference(q, k, v, table, names):
        return torch.softmax(q @ k.T + table[names.long()], 1) @ v

    names = torch.arange(rows, dtype=torch.int32) * 5 % 7
    q, k, v = (randn(n, 48, dtype=dtype, scale=0.3) for n in (rows, 40, 41))
    verify(biased, q, k, v[:40], randn(7, 40, dtype=dtype), names, reference=reference)


@attn.kernel
def experts(
    X: at.Tensor["T K"], W: at.Tensor["E N K"], rows: at.Tensor["R", at.i32], starts: at.Tensor["S", at.i32],
    share: at.Tensor["R", at.f32], BM: at.Const[int],
):  # fmt: skip
    """Rows that lists give to each matrix, scaled, as the left operand."""
    Y = at.empty("R N", at.f32)
    for e in at.grid(S - 1):
        first = starts[e]
        for t in at.range(at.tiles(starts[e + 1] - first, BM, base=first)):
            Y[t, :] = (at.gather(X, rows[t]) * share[t]).to(X.dtype) @ W[e, :, :].T
    return Y


def test_rows_by_a_list_are_multiplied():
    def reference(x, w, rows, starts, share, BM):
        x = x[rows.long()] * share[:, None]
        return torch.cat([x[starts[e] : starts[e + 1]] @ w[e].T for e in range(len(w))])

    starts = torch.tensor([0, 17, 17, 50], dtype=torch.int32)
    rows = torch.arange(50, dtype=torch.int32) * 7 % 40
    arguments = (randn(40, 48), randn(3, 32, 48, scale=0.2), rows, starts, torch.rand(50), 16)
    verify(experts, *arguments, reference=reference)


@attn.kernel
def permuted(
    X: at.Tensor["V K"], W: at.Tensor["K N"], source: at.Tensor["T", at.i32], target: at.Tensor["T", at.i32],
    BM: at.Auto(16, 64), BK: at.Auto(16, 64),
):  # fmt: skip
    """Products alone, but of rows that lists name: vector cores move them."""
    Y = at.empty("T N", X.dtype)
    for t in at.grid(at.tiles(T, BM)):
        acc = at.zeros((BM, N))
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += X[source[t], k] @ W[k, :]
        Y[target[t], :] = acc
    return Y


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_products_of_rows_by_lists(dtype):
    def reference(x, w, source, target):
        y = torch.zeros(len(source), w.shape[1], dtype=x.dtype)
        y[target.long()] = x[source.long()] @ w
        return y

    source, target = torch.arange(37, dtype=torch.int32) * 3 % 50, torch.arange(37, dtype=torch.int32) * 5 % 37
    arguments = (randn(50, 100, dtype=dtype), randn(100, 40, dtype=dtype, scale=0.1), source, target)
    verify(permuted, *arguments, reference=reference)


@attn.kernel
def taken(X: at.Tensor["V K"], rows: at.Tensor["T"], BT: at.Auto(1, 64)):
    Y = at.empty("T K", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.gather(X, rows[t])
    return Y


def test_lists_of_rows_have_32_bits():
    x, rows = randn(5, 16), torch.arange(4)
    with pytest.raises(attn.CompileError, match="'rows' holds i64, .*; lists that name rows are of at.i32"):
        taken(x, rows)
    assert torch.equal(taken(x, rows.int()), x[:4])


@attn.kernel
def sparse_attention(
    Q: at.Tensor["M D"],
    C: at.Tensor["N D"],
    rows: at.Tensor["W", at.i32],
    scale: float,
    BM: at.Auto(16, 64),
    BN: at.Auto(16, 64),
):
    """Attention over listed rows that are keys, and with some of their columns values."""
    Y = at.empty("M 48", Q.dtype)
    for m in at.grid(at.tiles(M, BM)):
        state = at.softmax_state(BM, 48)
        for n in at.range(at.tiles(W, BN), stages=2):
            c = at.gather(C, rows[n])
            state.push(scale * (Q[m, :] @ c.T), c[:, 0:48])
        Y[m, :], _ = state.finish()
    return Y


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_keys_and_values_by_a_list(dtype):
    def reference(q, c, rows, scale):
        c = c[rows.long()]
        return torch.softmax(scale * q @ c.T, 1) @ c[:, :48]

    arguments = (randn(33, 64, dtype=dtype), randn(100, 64, dtype=dtype), torch.arange(70, dtype=torch.int32) * 7 % 100)
    verify(sparse_attention, *arguments, 0.1, reference=reference)


@attn.kernel
def columns(A: at.Tensor["M K"], w: at.Tensor["K"], BM: at.Auto(16, 64), BK: at.Auto(16, 64)):
    """The product with a column, which is one."""
    S = at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        acc = at.zeros((BM, 1))
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ w[k]
        S[m] = acc
    return S


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("rows", [1, 33])
def test_products_of_columns(rows, dtype):
    arguments = (randn(rows, 75, dtype=dtype, scale=0.3), randn(75, dtype=dtype))
    verify(columns, *arguments, reference=lambda a, w: a @ w)


@attn.kernel
def differential(
    Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N D"], scale: float, share: float,
    BM: at.Auto(16, 64), BN: at.Auto(16, 64),
):  # fmt: skip
    """Two softmaxes over the same values, one taken from the other."""
    Y = at.empty_like(Q)
    for m in at.grid(at.tiles(M, BM)):
        a, b = at.softmax_state(BM, D), at.softmax_state(BM, D)
        q = Q[m, :]
        for n in at.range(at.tiles(N, BN), stages=2):
            k, v = K[n, :], V[n, :]
            a.push(scale * (q[:, : D // 2] @ k[:, : D // 2].T), v)
            b.push(scale * (q[:, D // 2 :] @ k[:, D // 2 :].T), v)
        one, _ = a.finish()
        two, _ = b.finish()
        Y[m, :] = one - share * two
    return Y


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("options", [{}, dict(preload=0, lag=0), dict(BM=32, BN=16, preload=2, lag=1)], ids=str)
def test_values_of_two_softmaxes(dtype, options):
    def reference(q, k, v, scale, share):
        (a, b), (c, d) = q.chunk(2, 1), k.chunk(2, 1)
        return torch.softmax(scale * a @ c.T, 1) @ v - share * torch.softmax(scale * b @ d.T, 1) @ v

    q, k, v = (randn(n, 64, dtype=dtype) for n in (33, 70, 70))
    verify(differential, q, k, v * 0.5, 0.2, 0.4, reference=reference, **options)


@attn.kernel
def pooled(Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N D"], scale: float, BM: at.Auto(16, 64)):
    """Attention over the means of eight rows each: a computed matrix is multiplied with keys and with values."""
    Y = at.empty_like(Q)
    for m in at.grid(at.tiles(M, BM)):
        state = at.softmax_state(BM, D)
        for n in at.range(at.tiles(N, 128), stages=2):
            apart = at.arange(128) - 8 * at.tiles(16, 16).idx
            mean = at.where((apart >= 0) & (apart < 8), 0.125, 0.0).to(Q.dtype)
            k, v = (mean @ K[n, :]).to(Q.dtype), (mean @ V[n, :]).to(Q.dtype)
            state.push(scale * (Q[m, :] @ k.T), v)
        Y[m, :], _ = state.finish()
    return Y


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_computed_matrix_of_two_products(dtype):
    def reference(q, k, v, scale):
        # Rows that are missing count as zeros in the means.
        k, v = (torch.nn.functional.pad(x, (0, 0, 0, -len(x) % 128)).reshape(-1, 8, x.shape[1]).mean(1) for x in (k, v))
        return torch.softmax(scale * q @ k.T, 1) @ v

    arguments = (randn(33, 64, dtype=dtype), randn(200, 64, dtype=dtype), randn(200, 64, dtype=dtype))
    verify(pooled, *arguments, 0.3, reference=reference, stages=("jit", "ascend", "ascendc"))


@attn.kernel
def gradients(
    Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N D"], dO: at.Tensor["M D"], L: at.Tensor["M", at.f32],
    S: at.Tensor["M", at.f32], scale: float, BM: at.Auto(16, 64), BN: at.Auto(16, 64),
):  # fmt: skip
    """The gradients of keys and values: two sums of one shape that a loop carries."""
    dK, dV = at.empty_like(K), at.empty_like(V)
    for n in at.grid(at.tiles(N, BN)):
        k, v = K[n, :], V[n, :]
        sum_k, sum_v = at.zeros((BN, D)), at.zeros((BN, D))
        for m in at.range(at.tiles(M, BM), stages=2):
            q, do = Q[m, :], dO[m, :]
            p = at.exp(scale * (q @ k.T) - L[m])
            ds = p * (do @ v.T - S[m]) * scale
            sum_v += p.to(Q.dtype).T @ do
            sum_k += ds.to(Q.dtype).T @ q
        dK[n, :], dV[n, :] = sum_k, sum_v
    return dK, dV


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_two_sums_of_one_shape(dtype):
    def reference(q, k, v, do, lse, delta, scale):
        p = torch.exp(scale * q @ k.T - lse[:, None])
        ds = p * (do @ v.T - delta[:, None]) * scale
        return ds.T @ q, p.T @ do

    q, k, v, do = (randn(n, 48, dtype=dtype, scale=0.5) for n in (40, 33, 34, 41))
    v, do = v[:33], do[:40]
    weights = 0.2 * q.double() @ k.double().T
    delta = (torch.softmax(weights, 1) @ v.double() * do.double()).sum(1)
    arguments = (q, k, v, do, torch.logsumexp(weights, 1).float(), delta.float(), 0.2)
    verify(gradients, *arguments, reference=reference)


@attn.kernel
def gated(
    Q: at.Tensor["H S D"],
    K: at.Tensor["H S D"],
    V: at.Tensor["H S D"],
    G: at.Tensor["H S", at.f32],
    BC: at.Auto(16, 64),
):
    """Linear attention in chunks, with a state that decays by the sums of logarithms G: rows are multiplied twice."""
    Y = at.empty_like(Q)
    for h in at.grid(H):
        state, last = at.zeros((D, D)), at.zeros((1, 1))
        for t in at.range(at.tiles(S, BC), stages=2):
            q, k, v, g = Q[h, t, :], K[h, t, :], V[h, t, :], G[h, t]
            end = at.min(g, 0)
            near = at.where(t.idx >= t.idx.T, (q @ k.T) * at.exp(at.minimum(g - g.T, 0.0)), 0.0)
            far = (q * at.exp(g - last)).to(Q.dtype) @ state.to(Q.dtype)
            Y[h, t, :] = far + near.to(Q.dtype) @ v
            state = state * at.exp(end - last) + (k * at.exp(end - g)).to(Q.dtype).T @ v
            last = end
    return Y


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_state_that_decays(dtype):
    def reference(q, k, v, g):
        decay = torch.exp((g[:, :, None] - g[:, None, :]).tril())
        return torch.tril(q @ k.mT * decay) @ v

    decays = torch.cumsum(torch.log(torch.sigmoid(randn(2, 70, dtype=torch.float32) + 2)), 1)
    q, k, v = (randn(2, 70, 48, dtype=dtype, scale=scale) for scale in (0.2, 0.3, 1.0))
    verify(gated, q, k, v, decays, reference=reference)


@attn.kernel
def chained(
    A: at.Tensor["M K"],
    B: at.Tensor["K N"],
    C: at.Tensor["N P"],
    D: at.Tensor["P Q"],
    BM: at.Auto(16, 64),
    BK: at.Auto(16, 64),
):
    """Products of products, of sums of a loop, and of products on the right."""
    X, Y = at.empty("M P", A.dtype), at.empty("M Q", A.dtype)
    for m in at.grid(at.tiles(M, BM)):
        acc = at.zeros((BM, N))
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ B[k, :]
        X[m, :] = acc @ C[:, :]
        Y[m, :] = ((A[m, :] @ B[:, :]) @ (C[:, :] @ D[:, :])) * 2.0
    return X, Y


@pytest.mark.parametrize("rows", [1, 33])
def test_products_of_products(rows):
    def reference(a, b, c, d):
        return a @ b @ c, 2 * a @ b @ c @ d

    shapes = ((rows, 100), (100, 32), (32, 80), (80, 48))
    verify(chained, *(randn(*shape, dtype=torch.float32, scale=0.2) for shape in shapes), reference=reference)


@attn.kernel
def projected(
    X: at.Tensor["M K"],
    Wq: at.Tensor["K D"],
    Wk: at.Tensor["K D"],
    Wv: at.Tensor["K Dv"],
    BM: at.Auto(16, 64),
    BN: at.Auto(16, 64),
):
    """Attention with its projections: queries, keys and values are products."""
    Y = at.empty("M Dv", X.dtype)
    for m in at.grid(at.tiles(M, BM)):
        q = (X[m, :] @ Wq[:, :]).to(X.dtype)
        state = at.softmax_state(BM, Dv)
        for n in at.range(at.tiles(M, BN), stages=2):
            x = X[n, :]
            state.push(q @ (x @ Wk[:, :]).to(X.dtype).T, (x @ Wv[:, :]).to(X.dtype))
        Y[m, :], _ = state.finish()
    return Y


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_projected_rows(dtype):
    def reference(x, wq, wk, wv):
        return torch.softmax((x @ wq) @ (x @ wk).T, 1) @ (x @ wv)

    arrays = [randn(*shape, dtype=dtype, scale=0.2) for shape in ((50, 48), (48, 32), (48, 33), (48, 64))]
    arrays[2] = arrays[2][:, :32]
    # Products that go on to others in f16 and bf16 have no form in HIVM.
    stages = STAGES if dtype == torch.float32 else STAGES[:3]
    verify(projected, *arrays, reference=reference, stages=stages)
