"""`at.leaky_relu` at every stage: with a slope of the caller and a constant one, tails, strips of long rows, and bands."""

import pytest
import torch

import attn
import attn.language as at
import linalg_launch
import references

STAGES = ("jit", "ascend", "ascendc", "hivm")
SMALL = "Ascend910B4:ub_bytes=8192,vector_cores=3"


@attn.kernel
def leaky(X: at.Tensor["T D"], slope: float, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.leaky_relu(X[t, :], slope)
    return Y


def reference(X, slope, **_):
    return torch.nn.functional.leaky_relu(X, slope)


def ramp(rows: int, columns: int, dtype=torch.float32):
    return torch.linspace(-3, 3, rows * columns).reshape(rows, columns).to(dtype)


@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("slope", [0.01, 0.0, -2.0, 1.5])
def test_every_stage_and_type(dtype, slope):
    attn.verify(leaky, ramp(7, 123, dtype), slope, stages=STAGES, soc=SMALL, reference=reference).check()


def test_special_values():
    """A NaN is not below zero; every stage agrees."""
    X = torch.tensor([[-0.0, 0.0, float("nan"), float("inf"), -float("inf"), 1e-40, -1e-40, -1.0]])
    attn.verify(leaky, X, 0.5, stages=STAGES, reference=reference, tolerance=(0.0, 0.0)).check()


def test_rows_in_strips():
    attn.verify(leaky, ramp(3, 4096), 0.1, stages=STAGES, soc=SMALL, reference=reference).check()


def test_linalg():
    X = ramp(5, 33)
    artefact = leaky.compile(X=at.spec("? 33", at.f32))
    outputs, _ = linalg_launch.call(artefact, {"X": X, "slope": 0.25}, 2)
    assert torch.equal(outputs["Y"], reference(X, 0.25))


@attn.kernel
def bent_window(X: at.Tensor["T D"], BT: at.Auto(8, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        window = X[t.window(1), :]
        weights = at.leaky_relu(at.band_dot(X[t, :], window), 0.5)
        Y[t, :] = at.band_mix(weights, window)
    return Y


def test_band():
    attn.verify(bent_window, ramp(20, 16), stages=STAGES).check()
