"""Kernels that turn tiles over, and that go from integers to floats and back."""

import torch

import attn
import attn.language as at


@attn.kernel
def turn(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    """The transpose of X."""
    Y = at.empty("D T", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[:, t] = X[t, :].T
    return Y


@attn.kernel
def turn_columns(X: at.Tensor["T S"], BT: at.Auto(16, 64), BN: at.Auto(16, 64)):
    """The transpose of X and its sums over rows, which are columns then. Columns come by spans as well."""
    Y, total = at.empty("S T", X.dtype), at.empty("S", at.f32)
    for k in at.grid(at.tiles(S, BN)):
        sums = at.zeros((BN, 1))
        for t in at.range(at.tiles(T, BT), stages=2):
            turned = (X[t, k] * 2.0).to(X.dtype).T
            Y[k, t] = turned.to(at.f32) * 0.5
            sums = sums + at.sum(turned, 1)
        total[k] = sums
    return Y, total


def turn_columns_reference(X, **_):
    return X.T, 2 * X.double().sum(0)


@attn.kernel
def whole_numbers(X: at.Tensor["T D"], J: at.Tensor["T D", at.i32], BT: at.Auto(1, 64)):
    """X as the nearest integers, and J, plus a quarter, as floats."""
    Y, Z = at.empty("T D", at.i32), at.empty("T D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :].to(at.i32)
        Z[t, :] = J[t, :].to(at.f32) + 0.25
    return Y, Z


def whole_numbers_reference(X, J, **_):
    numbers = torch.nan_to_num(X.double(), nan=0.0).round().clamp(-(2.0**31), 2.0**31 - 1)
    return numbers.to(torch.int64).to(torch.int32), J.float() + 0.25
