"""Rows that nearly fill local memory: what the search says fits, the memory plan can place."""

import torch

import attn
import attn.language as at


@attn.kernel
def log_softmax(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :]
        z = x - at.max(x, 1)
        Y[t, :] = z - at.log(at.sum(at.exp(z), 1))
    return Y


def test_log_softmax_of_32000_columns_is_planned_as_counted():
    X = torch.randn(3, 32000, generator=torch.Generator().manual_seed(0))
    run = attn.simulate(log_softmax, X, soc="Ascend910B4")
    assert not run.report.hazards
    assert torch.allclose(run.outputs, torch.log_softmax(X, 1), atol=1e-4)
