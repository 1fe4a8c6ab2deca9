"""Spans of columns at every stage: columns that do not exist are left out of reductions and stores, whatever is computed there."""

import pytest
import torch

import attn
import attn.language as at
import references

STAGES = ("jit", "ascend", "ascendc", "hivm")
SMALL = "Ascend910B4:ub_bytes=16384,vector_cores=3"
WIDTHS = (1, 15, 16, 17, 255, 257)


def nan_after(rows: int, columns: int, dtype: torch.dtype):
    """Random numbers with NaN after each row, which nothing may read."""
    return torch.cat([torch.randn(rows, columns), torch.full((rows, 8), torch.nan)], 1).to(dtype)[:, :columns]


@attn.kernel
def softmax_columns(X: at.Tensor["T S"], BT: at.Auto(1, 64), BN: at.Auto(16, 128)):
    """A softmax in two loops over columns, the first with a running maximum and sum."""
    Y, lse = at.empty("T S", X.dtype), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        m, total = at.full((BT, 1), -1e30), at.zeros((BT, 1))
        for k in at.range(at.tiles(S, BN), stages=2):
            s = X[t, k].to(at.f32)
            n = at.maximum(m, at.max(s, 1))
            total = total * at.exp(m - n) + at.sum(at.exp(s - n), 1)
            m = n
        for k in at.range(at.tiles(S, BN), stages=2):
            Y[t, k] = at.exp(X[t, k] - m) / total
        lse[t] = m + at.log(total)
    return Y, lse


def softmax_reference(X, **_):
    return torch.softmax(X.double(), 1), torch.logsumexp(X.double(), 1)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("width", WIDTHS)
def test_softmax_over_columns(dtype, width):
    torch.manual_seed(width)
    for rows in (1, 37):
        attn.verify(
            softmax_columns, nan_after(rows, width, dtype), stages=STAGES, soc=SMALL, reference=softmax_reference
        ).check()


def test_one_column_at_a_time():
    torch.manual_seed(0)
    attn.verify(
        softmax_columns, nan_after(9, 5, torch.float32), BN=16, BT=4, stages=STAGES, reference=softmax_reference
    ).check()


@attn.kernel
def reductions(X: at.Tensor["T S"], b: at.Tensor["1 S"], BT: at.Auto(1, 32), BN: at.Auto(16, 64)):
    """Every reduction, of values that are infinite or NaN where there are no columns."""
    A, B, C, D = at.empty("T", at.f32), at.empty("T", at.f32), at.empty("T", at.f32), at.empty("S", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        total, most, least = at.zeros((BT, 1)), at.full((BT, 1), -1e30), at.full((BT, 1), 1e30)
        for k in at.range(at.tiles(S, BN)):
            x = X[t, k].to(at.f32)
            total = total + at.sum(x / x + at.log(b[:, k]), 1)
            most, least = at.maximum(most, at.max(1.0 / x, 1)), at.minimum(least, at.min(x - b[:, k], 1))
        A[t], B[t], C[t] = total, most, least
    at.phase()
    for k in at.grid(at.tiles(S, BN)):
        total = at.zeros((1, BN))
        for t in at.range(at.tiles(T, BT)):
            total = total + at.sum(X[t, k], 0)
        D[k] = total.T
    return A, B, C, D


def reductions_reference(X, b, **_):
    x, b = X.double(), b.double()
    return (x / x + b.log()).sum(1), (1 / x).max(1).values, (x - b).min(1).values, x.sum(0)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("width", WIDTHS)
def test_reductions(dtype, width):
    torch.manual_seed(width)
    X, b = torch.rand(19, width) + 0.5, torch.rand(1, width) + 0.5
    attn.verify(reductions, X.to(dtype), b.to(dtype), stages=STAGES, soc=SMALL, reference=reductions_reference).check()


@attn.kernel
def scale_columns(X: at.Tensor["T S"], c: at.Tensor["S"], BT: at.Auto(1, 32), BN: at.Auto(16, 64)):
    """A grid over rows and columns; a column of the span as a row."""
    Y = at.empty("T S", X.dtype)
    for t, k in at.grid(at.tiles(T, BT), at.tiles(S, BN)):
        Y[t, k] = X[t, k] * c[k].T
    return Y


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("width", WIDTHS)
def test_grid_over_columns(dtype, width):
    torch.manual_seed(width)
    X, c = nan_after(21, width, dtype), torch.randn(width).to(dtype)
    attn.verify(
        scale_columns, X, c, stages=STAGES, soc=SMALL, reference=lambda X, c, **_: X.double() * c.double()
    ).check()


@attn.kernel
def clipped(X: at.Tensor["T S"], n: int, BT: at.Auto(1, 32), BN: at.Const[int]):
    """The sum of the first n columns, of one tile of columns; there may be none."""
    Y = at.empty("T", at.f32)
    k = at.tiles(BN, BN, limit=S)
    for t in at.grid(at.tiles(T, BT)):
        Y[t] = at.sum(X[t, k.clip(n)] + 1.0, 1)
    return Y


@pytest.mark.parametrize("count", (0, 1, 7, 8, 20, 100))
def test_clipped_columns(count):
    torch.manual_seed(count)

    def reference(X, n, **_):
        return (X[:, :n].double() + 1).sum(1)

    attn.verify(clipped, nan_after(13, 20, torch.float32), count, BN=32, stages=STAGES, reference=reference).check()
