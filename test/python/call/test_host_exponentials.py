"""exp and log on the CPU against float64: all magnitudes, subnormal numbers, infinities, NaN, every place in a vector."""

import numpy as np
import pytest
import torch

import attn
import attn.language as at

pytestmark = pytest.mark.optimized

UNITS = 2.0  # in the last place


@attn.kernel
def exp_of(X: at.Tensor["N"], BN: at.Const[int]):
    Y = at.empty("N", at.f32)
    for n in at.grid(at.tiles(N, BN)):
        Y[n] = at.exp(X[n])
    return Y


@attn.kernel
def log_of(X: at.Tensor["N"], BN: at.Const[int]):
    Y = at.empty("N", at.f32)
    for n in at.grid(at.tiles(N, BN)):
        Y[n] = at.log(X[n])
    return Y


KERNELS = {"exp": exp_of, "log": log_of}


def reference(name: str, x):
    with np.errstate(all="ignore"):
        return getattr(np, name)(x.astype(np.float64))


@pytest.mark.parametrize("name", KERNELS)
def test_all_magnitudes(name):
    bits = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    y = KERNELS[name](torch.from_numpy(x), BN=64).numpy()
    exact = reference(name, x)
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(y[~finite], rounded[~finite])
    error = np.abs(y[finite] - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    assert error.max() <= UNITS, f"{name}({x[finite][error.argmax()]!r}) is {error.max()} units off"


@pytest.mark.parametrize("name", KERNELS)
def test_special_numbers(name):
    limits = np.finfo(np.float32)
    x = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, limits.max, limits.min, limits.tiny, limits.smallest_subnormal]
    x = np.array([*x, 88.7, 88.8, -87.4, -103.0, -103.9, -104.1, -1e30, 1e30], dtype=np.float32)
    y = KERNELS[name](torch.from_numpy(x), BN=64).numpy()
    with np.errstate(over="ignore"):
        np.testing.assert_array_max_ulp(y, reference(name, x).astype(np.float32), maxulp=UNITS)


@pytest.mark.parametrize("name", KERNELS)
def test_place_does_not_matter(name):
    x = torch.rand(77, generator=torch.Generator().manual_seed(0)) * 20
    whole = KERNELS[name](x, BN=64)
    for size in (1, 3, 29):
        assert torch.equal(KERNELS[name](x, BN=size), whole)
