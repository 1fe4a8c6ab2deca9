"""Products of two matrices, with the second stored either way round.

Operands are f32, f16 or bf16, summed in f32, or i8, summed in i32. The result has the type of the sums, or with
`narrow=True` that of the operands.
"""

import attn
import attn.language as at


@attn.kernel
def gemm(
    A: at.Tensor["M K"], B: at.Tensor["K N"], narrow: at.Const[bool] = False,
    BM: at.Auto(16, 256) = None, BN: at.Auto(16, 256) = None, BK: at.Auto(16, 256) = None,
):  # fmt: skip
    """C = A B, for A [M, K] and B [K, N]."""
    sums = at.i32 if A.dtype == at.i8 else at.f32
    C = at.empty("M N", A.dtype if narrow else sums)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN), sums)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ B[k, n]
        C[m, n] = acc
    return C


@attn.kernel
def gemm_nt(
    A: at.Tensor["M K"], B: at.Tensor["N K"], narrow: at.Const[bool] = False,
    BM: at.Auto(16, 256) = None, BN: at.Auto(16, 256) = None, BK: at.Auto(16, 256) = None,
):  # fmt: skip
    """C = A B.T, for A [M, K] and B [N, K], as a linear layer stores its weights."""
    sums = at.i32 if A.dtype == at.i8 else at.f32
    C = at.empty("M N", A.dtype if narrow else sums)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN), sums)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ B[n, k].T
        C[m, n] = acc
    return C
