"""Kernels of published measurements of cube cores, in the language: products with their tilings, and plain copies."""

import torch

import attn
import attn.language as at


@attn.kernel
def product_by_shares(
    A: at.Tensor["M K"], B: at.Tensor["N K"], narrow: at.Const[bool], cores_m: at.Const[int], cores_n: at.Const[int],
    share_m: at.Const[int], share_n: at.Const[int], passes: at.Const[int], stages: at.Const[int],
    BM: at.Const[int], BN: at.Const[int], BK: at.Const[int],
):  # fmt: skip
    """C = A B.T, with `cores_m` by `cores_n` shares of it for one core each. All cores take one part of the rows, of
    `passes`, before the next."""
    C = at.empty("M N", A.dtype if narrow else at.f32)
    for core in at.grid(cores_m * cores_n):
        for p in at.range(passes):
            row = (p * cores_m + core // cores_n) * share_m
            for m in at.range(at.tiles(share_m, BM, base=row, limit=M)):
                for n in at.range(at.tiles(share_n, BN, base=core % cores_n * share_n, limit=N)):
                    acc = at.zeros((BM, BN))
                    for k in at.range(at.tiles(K, BK), stages=stages):
                        acc += A[m, k] @ B[n, k].T
                    C[m, n] = acc
    return C


@attn.kernel
def sums_of_columns(
    A: at.Tensor["M S D"], weights: at.Tensor["16 D"], cores: at.Const[int], share: at.Const[int],
    quarters: at.Const[int], sweeps: at.Const[int], BM: at.Const[int],
):  # fmt: skip
    """Copies of BM rows by D columns to L1, with as little to do for them as the language has: 16 columns of products."""
    C = at.empty("M 16", at.f32)
    for core in at.grid(cores):
        w = weights[:, :]
        for q in at.range(quarters):
            for _ in at.range(sweeps):
                for m in at.range(at.tiles(share, BM, base=(q * cores + core) * share)):
                    acc = at.zeros((BM, 16))
                    # What is published waits for nothing. Here a copy waits for its slot, so that there are several each time.
                    for s in at.range(S // 8, stages=2):
                        a, b, c, d = A[m, s * 8, :], A[m, s * 8 + 1, :], A[m, s * 8 + 2, :], A[m, s * 8 + 3, :]
                        e, f, g, h = A[m, s * 8 + 4, :], A[m, s * 8 + 5, :], A[m, s * 8 + 6, :], A[m, s * 8 + 7, :]
                        acc += a @ w.T
                        acc += b @ w.T
                        acc += c @ w.T
                        acc += d @ w.T
                        acc += e @ w.T
                        acc += f @ w.T
                        acc += g @ w.T
                        acc += h @ w.T
                    C[m, :] = acc
    return C


def predict_product(
    soc, rows, size, cores_m=4, cores_n=6, share_n=0, base_m=128, base_n=256, base_k=64, steps=4, stages=2, passes=1,
    out="f32",
):  # fmt: skip
    """The report on a product of [rows, size] and [size, size], with `steps` of the base tile along k per copy to L1."""
    operands = (torch.empty(height, size, dtype=torch.float16) for height in (rows, size))
    return attn.simulate(
        product_by_shares,
        *operands,
        narrow=out == "f16",
        cores_m=cores_m,
        cores_n=cores_n,
        share_m=-(-rows // (cores_m * passes)),
        share_n=share_n or -(-size // cores_n),
        passes=passes,
        stages=stages,
        BM=base_m,
        BN=base_n,
        BK=base_k * steps,
        soc=soc,
        timing_only=True,
    ).report


def predict_copies(soc, size, rows, columns, pitch, sweeps, quarters, cores):
    """The report on copies of all rows of a matrix, `rows` by `columns` at a time; all of it `sweeps` times, or each of its
    `quarters` so often before the next."""
    matrix = torch.empty(size * max(pitch, size), dtype=torch.float16)
    return attn.simulate(
        sums_of_columns,
        matrix.as_strided((size, size // columns, columns), (pitch, columns, 1)),
        torch.empty(16, columns, dtype=torch.float16),
        cores=cores,
        share=size // cores // quarters,
        quarters=quarters,
        sweeps=sweeps,
        BM=rows,
        soc=soc,
        timing_only=True,
    ).report
