"""Rows that `at.full` repeats where no product starts from them: at every stage, in every type, against PyTorch."""

import pytest
import torch

import attn
import attn.language as at

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@attn.kernel
def scaled(X: at.Tensor["T D"], w: at.Tensor["D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.full((BT, D), w[:]) * X[t, :]
    return Y


@attn.kernel
def started(X: at.Tensor["N T D"], w: at.Tensor["D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        total = at.full((BT, D), w[:].to(at.f32))
        for n in at.range(N):
            total = total + X[n, t, :]
        Y[t, :] = total
    return Y


@attn.kernel
def layers(
    X: at.Tensor["T K"], W: at.Tensor["H K"], U: at.Tensor["N H"], c: at.Tensor["1 N"], BT: at.Auto(16, 128) = None,
    BH: at.Auto(16, 128) = None,
):  # fmt: skip
    """The row is cast before it is repeated, so that vector cores begin with it."""
    Y = at.empty("T N", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        total = at.full((BT, N), c[:, :].to(at.f32))
        for h in at.range(at.tiles(H, BH), stages=2):
            total += at.relu(X[t, :] @ W[h, :].T + 1.0).to(X.dtype) @ U[:, h].T
        Y[t, :] = total
    return Y


def randn(*shape, dtype):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("columns", [1, 24, 100])
def test_vector_kernels(dtype, columns):
    x, w = randn(2, 37, columns, dtype=dtype), randn(columns, dtype=dtype)
    assert attn.verify(started, x, w, reference=lambda x, w: x.double().sum(0) + w.double())
    assert attn.verify(scaled, x[0], w, reference=lambda x, w: x.double() * w.double())


def test_rows_that_do_not_fit():
    with pytest.raises(attn.CompileError) as error:
        scaled.compile(X=at.spec("? 40000", at.f32), w=at.spec("40000", at.f32))
    assert "tile.broadcast cannot be computed in strips" in str(error.value)


@pytest.mark.parametrize("stage", ["ascend", "ascendc", "hivm"])
@pytest.mark.parametrize("hidden", [16, 300])
def test_cube_and_vector_cores(hidden, stage):
    shapes = ((50, 64), (hidden, 64), (32, hidden), (1, 32))
    x, w, u, c = (randn(*shape, dtype=torch.float16) / 4 for shape in shapes)
    run = attn.simulate(layers, x, w, u, c, stage=stage)
    assert not run.report.hazards
    expected = torch.relu(x.double() @ w.double().T + 1).half().double() @ u.double().T + c.double()
    torch.testing.assert_close(run.outputs.double(), expected, rtol=2e-3, atol=2e-3)
