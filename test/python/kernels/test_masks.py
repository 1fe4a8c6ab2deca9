"""Masks at every stage: comparisons of positions, choices, and what a softmax makes of scores that masks exclude."""

import pytest
import torch

import attn
import attn.language as at
import references
from list_kernels import alibi, alibi_reference

STAGES = ("jit", "ascend", "ascendc", "hivm")
SMALL = "Ascend910B4:ub_bytes=16384,vector_cores=3"
ON_CHIP = ("jit", "ascend", "ascendc")
"""The way to HIVM compares positions, but no tiles."""


@attn.kernel
def causal(S: at.Tensor["T K"], shift: int, width: int, BT: at.Auto(1, 64)):
    """The softmax of each row over the columns up to its own, shifted, and at most `width` back."""
    P, lse = at.empty("T K", at.f32), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        back = t.idx + shift - at.arange(K)
        p, total = at.softmax(at.mask(S[t, :], (back >= 0) & ~(back >= width)))
        P[t, :], lse[t] = p, total
    return P, lse


def causal_reference(S, shift, width, **_):
    back = torch.arange(S.shape[0])[:, None] + shift - torch.arange(S.shape[1])
    scores = S.double().masked_fill((back < 0) | (back >= width), -torch.inf)
    lse = torch.logsumexp(scores, 1)
    P = torch.exp(scores - torch.where(lse == -torch.inf, 0.0, lse)[:, None])
    return P, lse


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("rows, columns", [(7, 33), (1, 8), (70, 64)])
def test_causal_windows(dtype, rows, columns):
    """Rows with tails, a single row, and rows that are excluded whole: these give 0 and -inf."""
    torch.manual_seed(0)
    S = torch.randn(rows, columns).to(dtype)
    for shift, width in ((0, 1 << 40), (2, 3), (-3, 5)):
        attn.verify(causal, S, shift, width, stages=STAGES, soc=SMALL, reference=causal_reference).check()


def test_rows_excluded_whole():
    p, lse = causal(torch.randn(4, 8), -2, 100)
    assert torch.equal(p[:2], torch.zeros(2, 8))
    assert torch.equal(lse[:2], torch.full((2,), -torch.inf))
    torch.testing.assert_close(p[2:].sum(1), torch.ones(2))


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
def test_alibi_neighbourhood(dtype):
    torch.manual_seed(1)
    for rows in (1, 37):
        Q, K, V = (torch.randn(rows, 16).to(dtype) for _ in range(3))
        attn.verify(alibi, Q, K, V, 0.25, R=2, stages=STAGES, reference=alibi_reference).check()


@attn.kernel
def banded(Q: at.Tensor["S D"], limit: int, R: at.Const[int], BM: at.Auto(8, 32)):
    """A band whose taps are masked by where they lie."""
    H = at.empty("S D", at.f32)
    for t in at.grid(at.tiles(S, BM)):
        window = Q[t.window(R), :]
        around = t.window(R)
        places = t.idx + at.arange(2 * R + 1) - R
        s = at.mask(at.band_dot(Q[t, :], window), around.valid & (places < limit))
        p, _ = at.softmax(s)
        H[t, :] = at.band_mix(p, window)
    return H


def test_masked_bands():
    """Rows none of whose taps are taken become 0."""

    def reference(Q, limit, R, **_):
        places = torch.arange(len(Q))
        near = ((places[:, None] - places).abs() <= R) & (places < limit)
        scores = (Q.double() @ Q.double().T).masked_fill(~near, -torch.inf)
        return torch.nan_to_num(torch.softmax(scores, 1)) @ Q.double()

    torch.manual_seed(2)
    attn.verify(banded, torch.randn(30, 16), 11, R=3, stages=STAGES, reference=reference).check()


@attn.kernel
def segments(S: at.Tensor["T K"], rows: at.Tensor["T"], columns: at.Tensor["K"], BT: at.Auto(1, 64)):
    """The softmax over the columns of a row's own segment."""
    P, lse = at.empty("T K", at.f32), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        P[t, :], lse[t] = at.softmax(at.mask(S[t, :], rows[t] == columns[:]))
    return P, lse


def segments_reference(S, rows, columns, **_):
    scores = S.double().masked_fill(rows[:, None] != columns, -torch.inf)
    return torch.nan_to_num(torch.softmax(scores, 1)), torch.logsumexp(scores, 1)


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("rows, columns", [(9, 40), (1, 8), (33, 70)])
def test_segments(dtype, rows, columns):
    torch.manual_seed(3)
    ids, others = torch.randint(0, 5, (rows,)).to(dtype), torch.randint(0, 4, (columns,)).to(dtype)
    attn.verify(
        segments,
        torch.randn(rows, columns).to(dtype),
        ids,
        others,
        stages=ON_CHIP,
        soc=SMALL,
        reference=segments_reference,
    ).check()


@attn.kernel
def choose(X: at.Tensor["T D"], Y: at.Tensor["T D"], c: at.Tensor["T"], r: at.Tensor["D"], BT: at.Auto(1, 64)):
    """Every comparison, on operands of every shape."""
    A, B, C, D_, E, F = (at.empty("T D", at.f32), at.empty("T D", at.f32), at.empty("T D", at.f32), at.empty("T D", at.f32),
                         at.empty("T D", at.f32), at.empty("T", at.f32))  # fmt: skip
    for t in at.grid(at.tiles(T, BT)):
        x, y = X[t, :].to(at.f32), Y[t, :].to(at.f32)
        A[t, :] = at.where(x < y, x, y)
        B[t, :] = at.where(x <= c[t], r[:], x)
        C[t, :] = at.where(c[t] > r[:], c[t], 0.0)
        D_[t, :] = at.where(~(x >= 0.5) | (x == y), 1.5, r[:])
        E[t, :] = at.where((x != y) & (y > c[t]), x, -1.0)
        F[t] = at.where(c[t] >= 0.0, c[t], 3.0)
    return A, B, C, D_, E, F


def choose_reference(X, Y, c, r, **_):
    x, y, r = X.float(), Y.float(), r.float()[None]
    c = c.float()[:, None]
    return (
        torch.where(x < y, x, y),
        torch.where(x <= c, r, x),
        torch.where(c > r, c, 0.0).expand_as(x),
        torch.where(~(x >= 0.5) | (x == y), 1.5, r),
        torch.where((x != y) & (y > c), x, -1.0),
        torch.where(c >= 0, c, 3.0)[:, 0],
    )


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("rows, columns", [(5, 33), (1, 7), (12, 64)])
def test_choices(dtype, rows, columns):
    torch.manual_seed(4)
    tensors = [
        torch.randint(-2, 3, shape).to(dtype) for shape in ((rows, columns), (rows, columns), (rows,), (columns,))
    ]
    attn.verify(choose, *tensors, stages=ON_CHIP, soc=SMALL, reference=choose_reference, tolerance=(0.0, 0.0)).check()


def test_special_values():
    """NaN compares as nothing, infinities and zeros as they should, and what is not taken leaves no trace."""
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, -1e-40, 3.4e38])
    X, Y = special.repeat(8, 1), special[:, None].repeat(1, 8).contiguous()
    attn.verify(
        choose, X, Y, special, special, stages=ON_CHIP, reference=choose_reference, tolerance=(0.0, 0.0)
    ).check()


@attn.kernel
def weigh(V: at.Tensor["N T D"], S: at.Tensor["T N"], C: at.Const[int], BT: at.Auto(1, 64)):
    """A softmax over the blocks up to a row's own number, none for the first row."""
    H, lse = at.empty("T D", at.f32), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        st = at.softmax_state(BT, D)
        for n in at.range(C):
            st.push(at.mask(S[t, n], t.idx > n), V[n, t, :], per_row=True)
        H[t, :], lse[t] = st.finish()
    return H, lse


def weigh_reference(V, S, C, **_):
    N, T, _ = V.shape
    scores = S.double().masked_fill(torch.arange(T)[:, None] <= torch.arange(N), -torch.inf)
    return torch.einsum("tn,ntd->td", torch.nan_to_num(torch.softmax(scores, 1)), V.double()), torch.logsumexp(
        scores, 1
    )


@pytest.mark.parametrize("softmax", ["online", "two-phase-reload", "two-phase-resident"])
def test_masked_states(softmax):
    torch.manual_seed(5)
    V, S = torch.randn(4, 6, 32), torch.randn(6, 4)
    attn.verify(weigh, V, S, C=4, softmax=softmax, reference=weigh_reference).check()


def test_rows_in_strips():
    """Rows that are longer than local memory: ramps begin where their strip does."""
    torch.manual_seed(6)
    small = "Ascend910B4:ub_bytes=8192,vector_cores=3"
    attn.verify(causal, torch.randn(3, 2048), 1000, 900, stages=STAGES, soc=small, reference=causal_reference).check()


@attn.kernel
def around(X: at.Tensor["T D"], far: int, BT: at.Auto(1, 8)):
    Y = at.empty("T D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.where(t.idx + far >= at.arange(D) + (far + 1), 1.0, 0.0)
    return Y


def test_far_positions():
    """Positions are compared as integers, also where f32 holds only every other one."""
    expected = torch.arange(5)[:, None] > torch.arange(6)
    for far in (0, 1 << 24, (1 << 40) + 1):
        assert torch.equal(around(torch.zeros(5, 6), far), expected.float())


@attn.kernel
def sum_near(X: at.Tensor["S T"], width: int, shift: int, BM: at.Auto(1, 32), BN: at.Auto(16, 64)):
    """Sums over a window of columns: loops are split where the window begins and ends."""
    A, B = at.empty("S", at.f32), at.empty("S", at.f32)
    for q in at.grid(at.tiles(S, BM)):
        total, most = at.zeros((BM, 1)), at.full((BM, 1), -9.0)
        for k in at.range(at.tiles(T, BN), stages=2):
            back = q.idx + shift - k.idx.T
            total = total + at.sum(at.where((back >= 0) & ~(back >= width), X[q, k], 0.0), 1)
        for k in at.range(at.tiles(T, BN), stages=2):
            most = at.maximum(most, at.max(at.where(q.idx < 2 * k.idx.T, X[q, k], -5.0), 1))
        A[q], B[q] = total, most
    return A, B


def sum_near_reference(X, width, shift, **_):
    rows, columns = torch.arange(X.shape[0])[:, None], torch.arange(X.shape[1])
    back = rows + shift - columns
    near = X.double() * ((back >= 0) & (back < width))
    ahead = torch.where(2 * columns > rows, X.double(), -5.0)
    return near.sum(1), ahead.max(1).values.clamp(min=-9.0)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("rows, columns", [(1, 1), (50, 70), (40, 257)])
def test_split_loops(dtype, rows, columns):
    """Windows that hold whole tiles, parts of one, none at all, and everything; before the first and after the last column."""
    torch.manual_seed(6)
    X = torch.randn(rows, columns).to(dtype)
    windows = ((3, 0), (100, 40), (7, -20), (1 << 40, 0), (0, 5), (5, 1 << 30), (1 << 31, 1 << 31))
    # How loops are split does not depend on the type.
    for width, shift in windows if dtype == torch.float32 else windows[:3]:
        attn.verify(
            sum_near, X, width, shift, BM=8, BN=16, stages=STAGES, soc=SMALL, reference=sum_near_reference
        ).check()


@attn.kernel
def attend_row(
    Q: at.Tensor["B D"],
    K: at.Tensor["S D"],
    V: at.Tensor["S D"],
    at_: at.Tensor["B", at.i32],
    width: int,
    BN: at.Auto(8, 32),
):
    """Causal attention of single rows over a window before their positions, which are in memory."""
    H, lse = at.empty("B D", at.f32), at.empty("B", at.f32)
    for b in at.grid(B):
        position = at_[b]
        st = at.softmax_state(1, D)
        for k in at.range(at.tiles(S, BN), stages=2):
            back = position - k.idx.T
            st.push(at.mask(at.sum(K[k, :] * Q[b, :], 1).T, (back >= 0) & (back < width)), V[k, :])
        H[b, :], lse[b : b + 1] = st.finish()
    return H, lse


def attend_row_reference(Q, K, V, at_, width, **_):
    back = at_.long()[:, None] - torch.arange(K.shape[0])
    scores = (Q.double() @ K.double().T).masked_fill((back < 0) | (back >= width), -torch.inf)
    return torch.nan_to_num(torch.softmax(scores, 1)) @ V.double(), torch.logsumexp(scores, 1)


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
def test_causal_windowed_attention_of_one_row(dtype):
    torch.manual_seed(7)
    for rows, width in ((1, 1), (37, 10), (37, 1000)):
        positions = torch.tensor([0, rows // 2, rows - 1, -5], dtype=torch.int32)
        Q, K, V = torch.randn(4, 16), torch.randn(rows, 16), torch.randn(rows, 16)
        tensors = [tensor.to(dtype) for tensor in (Q, K, V)]
        attn.verify(
            attend_row, *tensors, positions, width, stages=STAGES, soc=SMALL, reference=attend_row_reference
        ).check()


@attn.kernel
def replaced_weights(
    Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N D"], shift: int, other: float, BM: at.Auto(16, 64),
    BN: at.Auto(16, 64),
):  # fmt: skip
    """Sums of V by products that a number replaces after the diagonal."""
    O = at.empty("M D", at.f32)  # noqa: E741
    for i in at.grid(at.tiles(M, BM)):
        acc, queries = at.zeros((BM, D)), Q[i, :]
        for j in at.range(at.tiles(N, BN)):
            weights = at.where(j.idx.T - i.idx <= shift, queries @ K[j, :].T, other)
            acc += weights.to(V.dtype) @ V[j, :]
        O[i, :] = acc
    return O


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("other", [0.0, 0.5])
def test_products_that_a_mask_cuts(dtype, other):
    """What a mask leaves out of a product is not computed, and multiplies nothing only where it is zero."""
    torch.manual_seed(3)
    for rows, columns, shift in ((64, 64, 0), (50, 77, 5), (77, 50, -30)):
        Q, K, V = ((torch.randn(size, 32) / 8).to(dtype) for size in (rows, columns, columns))
        weights = Q.double() @ K.double().T
        after = torch.arange(columns) - torch.arange(rows)[:, None] > shift
        weights[after] = other
        result = replaced_weights(Q, K, V, shift, other, BM=64, BN=64)
        tolerance = 1e-5 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(result.double(), weights @ V.double(), rtol=tolerance, atol=tolerance)
