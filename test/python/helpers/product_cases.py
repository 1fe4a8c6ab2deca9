"""Products of small integers, of which every order of summation gives the same bits, inside memory that must not matter."""

import torch

import attn
import attn.language as at
from kernels_dsl.gemm import gemm, gemm_nt

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int8]
SIZES = [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 97, 130]
FAR = 65536 + 64
"""A row pitch beyond what one copy into fractals takes."""


@attn.kernel
def gemm_tn(
    A: at.Tensor["K M"], B: at.Tensor["K N"],
    BM: at.Auto(8, 256) = None, BN: at.Auto(8, 256) = None, BK: at.Auto(8, 256) = None,
):  # fmt: skip
    C = at.empty("M N", at.i32 if A.dtype == at.i8 else at.f32)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN), C.dtype)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc = at.dot(A[k, m].T, B[k, n], acc=acc)
        C[m, n] = acc
    return C


@attn.kernel
def gemm_tt(
    A: at.Tensor["K M"], B: at.Tensor["N K"],
    BM: at.Auto(8, 256) = None, BN: at.Auto(8, 256) = None, BK: at.Auto(8, 256) = None,
):  # fmt: skip
    C = at.empty("M N", at.i32 if A.dtype == at.i8 else at.f32)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN), C.dtype)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc = acc + A[k, m].T @ B[n, k].T
        C[m, n] = acc
    return C


KERNELS = {(False, False): gemm, (False, True): gemm_nt, (True, False): gemm_tn, (True, True): gemm_tt}
"""By which operands are stored transposed."""


def matrix(chance, rows, cols, dtype, pitch=None):
    """Small integers with poison all around them, at rows further apart than they are long."""
    margin = chance.randrange(0, 9)
    poison = float("nan") if dtype.is_floating_point else 111
    whole = torch.full((rows + 3, (pitch or cols) + margin + 3), poison, dtype=dtype)
    generator = torch.Generator().manual_seed(chance.randrange(2**31))
    part = whole[2 : rows + 2, margin : margin + cols]
    part.copy_(torch.randint(-4, 5, (rows, cols), generator=generator).to(dtype))
    return part


def operands(chance, m, n, k, dtype, transposes, make=matrix):
    """Both operands, stored as `transposes` say."""
    a = make(chance, *((k, m) if transposes[0] else (m, k)), dtype)
    return a, make(chance, *((n, k) if transposes[1] else (k, n)), dtype)


def exact(a, b, transposes):
    left, right = (x.double().numpy() for x in (a, b))
    return (left.T if transposes[0] else left) @ (right.T if transposes[1] else right)


def sums_of(dtype):
    """The type that products are summed in."""
    return torch.int32 if dtype == torch.int8 else torch.float32


def simulate(kernel, *arguments, **options):
    """The outputs of a run on the modelled chip without hazards."""
    run = attn.simulate(kernel, *arguments, **options)
    assert not run.report.hazards, run.report.text
    return run.outputs


def run_stage(stage, kernel, *arguments, **options):
    """The outputs on the CPU or of a stage of the modelled chip."""
    if stage == "jit":
        return kernel(*arguments, **options)
    return simulate(kernel, *arguments, stage=stage, **options)
