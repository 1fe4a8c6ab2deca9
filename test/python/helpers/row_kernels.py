"""Kernels over whole rows as a new user would write them, for sweeps over the number of columns."""

import attn
import attn.language as at


@attn.kernel
def twice(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * 2.0
    return Y


@attn.kernel
def softmax(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        e = at.exp(x - at.max(x, 1))
        Y[t, :] = e / at.sum(e, 1)
    return Y


@attn.kernel
def log_softmax(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        z = x - at.max(x, 1)
        Y[t, :] = z - at.log(at.sum(at.exp(z), 1))
    return Y


@attn.kernel
def layer_norm(X: at.Tensor["T D"], w: at.Tensor["D"], b: at.Tensor["D"], eps: float, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        z = x - at.mean(x, 1)
        Y[t, :] = z * at.rsqrt(at.mean(z * z, 1) + eps) * w[:] + b[:]
    return Y


@attn.kernel
def rms_norm(X: at.Tensor["T D"], w: at.Tensor["D"], eps: float, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        Y[t, :] = x * at.rsqrt(at.mean(x * x, 1) + eps) * w[:]
    return Y


@attn.kernel
def quantise(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    """Each row in units of a 127th of its largest magnitude, and that magnitude."""
    Y, S = at.empty_like(X), at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        x = X[t, :].to(at.f32)
        largest = at.max(at.abs(x), 1)
        Y[t, :], S[t] = x * (127.0 / at.maximum(largest, 1e-12)), largest
    return Y, S


@attn.kernel
def column_sums(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    S = at.empty("D", at.f32)
    G = at.scratch("D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        at.accumulate(G, at.sum(X[t, :], 0))
    at.phase()
    for c in at.grid(at.tiles(D, 128)):
        S[c] = G[c]
    return S
