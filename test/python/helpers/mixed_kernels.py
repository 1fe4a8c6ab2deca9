"""Kernels that need cube and vector cores, each with a reference in float64."""

import torch

import attn
import attn.language as at


@attn.kernel
def epilogue(A: at.Tensor["M K"], B: at.Tensor["K N"], BM: at.Auto(16, 128) = None, BK: at.Auto(16, 256) = None):
    """A product that vector cores go on with; nothing goes back."""
    C = at.empty("M N", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        acc = at.zeros((BM, N))
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ B[k, :]
        C[m, :] = acc / (1.0 + at.exp(-acc))
    return C


@attn.kernel
def gemm_gelu(
    A: at.Tensor["M K"],
    B: at.Tensor["N K"],
    BM: at.Auto(16, 128) = None,
    BN: at.Auto(16, 256) = None,
    BK: at.Auto(16, 256) = None,
):
    """A product of large matrices, and GELU of it by its approximation with exp."""
    C = at.empty("M N", at.f32)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        x = at.zeros((BM, BN))
        for k in at.range(at.tiles(K, BK), stages=2):
            x += A[m, k] @ B[n, k].T
        C[m, n] = x / (1.0 + at.exp((x * x * x) * -0.0713548162726 + x * -1.59576912160573))
    return C


@attn.kernel
def softmax_between(A: at.Tensor["M K"], B: at.Tensor["K N"], D: at.Tensor["N P"], BM: at.Auto(16, 128) = None):
    """The second product takes what vector cores make of the first."""
    C = at.empty("M P", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        s = A[m, :] @ B[:, :]
        p = at.exp(s - at.max(s, 1))
        C[m, :] = p.to(A.dtype) @ D[:, :] / at.sum(p, 1)
    return C


@attn.kernel
def block_attention(
    Q: at.Tensor["S D"], K: at.Tensor["H N D"], V: at.Tensor["H N D"], scale: float, BM: at.Auto(16, 128) = None
):
    """Attention over H blocks of N keys, the online softmax written out."""
    Y = at.empty("S D", at.f32)
    for q in at.grid(at.tiles(S, BM)):
        qt = Q[q, :]
        m, total, acc = at.full((BM, 1), -3e38), at.zeros((BM, 1)), at.zeros((BM, D))
        for h in at.range(H, stages=2):
            s = (qt @ K[h, :, :].T) * scale
            higher = at.maximum(m, at.max(s, 1))
            p, alpha = at.exp(s - higher), at.exp(m - higher)
            total = total * alpha + at.sum(p, 1)
            acc = acc * alpha + p.to(Q.dtype) @ V[h, :, :]
            m = higher
        Y[q, :] = acc / at.maximum(total, 1e-30)
    return Y


@attn.kernel
def summed(
    Q: at.Tensor["S D"],
    K: at.Tensor["H N D"],
    V: at.Tensor["H N D"],
    count: int,
    scale: float,
    BM: at.Auto(16, 128) = None,
):
    """Attention by sigmoids over `count` blocks: sums stay on the cube core while tiles go to and fro."""
    Y = at.empty("S D", at.f32)
    for q in at.grid(at.tiles(S, BM)):
        qt, acc = Q[q, :], at.zeros((BM, D))
        for h in at.range(count, stages=2):
            p = 1.0 / (1.0 + at.exp(-scale * (qt @ K[h, :, :].T)))
            acc += p.to(Q.dtype) @ V[h, :, :]
        Y[q, :] = acc
    return Y


@attn.kernel
def prepared(A: at.Tensor["M K"], B: at.Tensor["K N"], w: at.Tensor["K"], BM: at.Auto(16, 128) = None):
    """The operand of a product is computed by vector cores, and so is what is stored."""
    C = at.empty("M N", A.dtype)
    for m in at.grid(at.tiles(M, BM)):
        x = A[m, :].to(at.f32)
        x = x * at.rsqrt(at.mean(x * x, 1) + 1e-6) * w[:]
        C[m, :] = at.relu(x.to(A.dtype) @ B[:, :]) + 1.0
    return C


@attn.kernel
def three_products(A: at.Tensor["M K"], B: at.Tensor["H K K"], BM: at.Auto(16, 128) = None):
    """Three products in a chain in each iteration, with vector work between them."""
    C = at.empty("M K", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        x = A[m, :]
        acc = at.zeros((BM, K))
        for h in at.range(H, stages=2):
            b = B[h, :, :]
            y = at.minimum(x @ b, 2.0).to(A.dtype)
            z = at.maximum(y @ b, -2.0).to(A.dtype)
            acc = acc * 0.5 + z @ b
        C[m, :] = acc
    return C


@attn.kernel
def recurrence(A: at.Tensor["M K"], B: at.Tensor["H K K"], BM: at.Auto(16, 128) = None):
    """Each iteration multiplies what the one before has made."""
    C = at.empty("M K", A.dtype)
    for m in at.grid(at.tiles(M, BM)):
        x = A[m, :]
        for h in at.range(H):
            x = at.minimum(at.maximum(x @ B[h, :, :], -2.0), 2.0).to(A.dtype)
        C[m, :] = x
    return C


@attn.kernel
def column_sums(A: at.Tensor["H M K"], B: at.Tensor["K N"]):
    """A sum over the rows of a product needs all of them on one core."""
    C = at.empty("H N", at.f32)
    for h in at.grid(H):
        s = A[h, :, :] @ B[:, :]
        C[h, :] = at.sum(at.exp(s), 0)
    return C


@attn.kernel
def both_computed(
    A: at.Tensor["M K"], B: at.Tensor["K N"], BM: at.Auto(16, 64) = None, BK: at.Auto(16, 64) = None
):  # fmt: skip
    """The last tiles of both factors lack columns and rows, of which nothing may come into the sums."""
    C = at.empty("M N", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        acc = at.zeros((BM, N))
        for k in at.range(at.tiles(K, BK)):
            acc = acc + at.exp(A[m, k].to(at.f32)).to(A.dtype) @ at.exp(B[k, :].to(at.f32)).to(A.dtype)
        C[m, :] = acc
    return C


@attn.kernel
def two_layers(A: at.Tensor["M K"], B: at.Tensor["K N"], D: at.Tensor["N P"], BM: at.Auto(16, 64) = None):
    """What is stored is a product as it is, of rows that may be missing."""
    C = at.empty("M P", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        h = A[m, :] @ B[:, :]
        C[m, :] = (h / (1.0 + at.exp(-h))).to(A.dtype) @ D[:, :]
    return C


@attn.kernel
def first_columns(A: at.Tensor["M K"], B: at.Tensor["N K"]):
    """A product of what was loaded, and one of its first columns."""
    C = at.empty("M N", at.f32)
    for _ in at.grid(1):
        a, b = A[:, :], B[:, :]
        C[:, :] = at.exp(a @ b.T) + a[:, :32] @ b[:, :32].T
    return C


def ref_epilogue(a, b):
    s = a @ b
    return s / (1 + torch.exp(-s))


def ref_gemm_gelu(a, b):
    x = a @ b.T
    return x / (1 + torch.exp(-1.59576912160573 * x - 0.0713548162726 * x**3))


def ref_softmax_between(a, b, d):
    return torch.softmax(a @ b, 1) @ d


def ref_block_attention(q, k, v, scale):
    k, v = k.reshape(-1, k.shape[-1]), v.reshape(-1, v.shape[-1])
    return torch.softmax(scale * q @ k.T, 1) @ v if len(k) else torch.zeros_like(q)


def ref_summed(q, k, v, count, scale):
    k, v = k[:count].reshape(-1, k.shape[-1]), v[:count].reshape(-1, v.shape[-1])
    return torch.sigmoid(scale * q @ k.T) @ v


def ref_prepared(a, b, w):
    return torch.relu(a * torch.rsqrt((a * a).mean(1, keepdim=True) + 1e-6) * w @ b) + 1


def ref_three_products(a, b):
    acc = torch.zeros_like(a)
    for block in b:
        acc = acc * 0.5 + ((a @ block).clamp(max=2) @ block).clamp(min=-2) @ block
    return acc


def ref_recurrence(a, b):
    for block in b:
        a = (a @ block).clamp(-2, 2)
    return a


def ref_column_sums(a, b):
    return torch.exp(a @ b).sum(1)


def ref_both_computed(a, b):
    return torch.exp(a) @ torch.exp(b)


def ref_two_layers(a, b, d):
    return torch.nn.functional.silu(a @ b) @ d


def ref_first_columns(a, b):
    return torch.exp(a @ b.T) + a[:, :32] @ b[:, :32].T
