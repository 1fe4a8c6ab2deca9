"""Products are the same bits in every stage: with small integers every order of summation is exact.

Random shapes, transposes, types, strides and block sizes from a printed seed. What must not matter (memory around the
operands, and what follows the last row, column and k) holds NaN.
"""

import os
import random

import numpy as np
import pytest
import torch

import attn
import attn.language as at
from kernels_dsl.gemm import gemm, gemm_nt

SEED = int(os.environ.get("ATTN_PRODUCT_SEED", "0")) or random.randrange(1, 2**31)
CASES = int(os.environ.get("ATTN_PRODUCT_CASES", "300"))
SHARDS = 12
SOC = "Ascend910B2"
STAGES = ("jit", "ascend", "ascendc", "hivm")
DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int8)
SIZES = (1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 64, 65, 97, 130, 200)
BLOCKS = ({}, {"BM": 32, "BN": 48, "BK": 64})
FAR = 65536 + 64
"""A row pitch beyond what one copy into fractals takes."""


@attn.kernel
def gemm_tn(
    A: at.Tensor["K M"], B: at.Tensor["K N"],
    BM: at.Auto(16, 256) = None, BN: at.Auto(16, 256) = None, BK: at.Auto(16, 256) = None,
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
    BM: at.Auto(16, 256) = None, BN: at.Auto(16, 256) = None, BK: at.Auto(16, 256) = None,
):  # fmt: skip
    C = at.empty("M N", at.i32 if A.dtype == at.i8 else at.f32)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN), C.dtype)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[k, m].T @ B[n, k].T
        C[m, n] = acc
    return C


KERNELS = {(False, False): gemm, (False, True): gemm_nt, (True, False): gemm_tn, (True, True): gemm_tt}


def matrix(chance, rows, cols, dtype):
    """Small integers inside memory that must not matter, at rows that may be far apart."""
    margin = chance.randrange(0, 9)
    is_far = rows > 1 and rows <= 33 and chance.random() < 0.15
    pitch = FAR + margin if is_far else cols + margin + chance.randrange(0, 20)
    filler = float("nan") if dtype.is_floating_point else 111
    whole = torch.full((rows + 2, pitch), filler, dtype=dtype)
    generator = torch.Generator().manual_seed(chance.randrange(2**31))
    part = whole[1 : rows + 1, margin : margin + cols]
    part.copy_(torch.randint(-4, 5, (rows, cols), generator=generator).to(dtype))
    return part


def make_case(number):
    chance = random.Random(SEED + number)
    m, n, k = (chance.choice(SIZES) for _ in range(3))
    dtype, transposes = chance.choice(DTYPES), (chance.random() < 0.5, chance.random() < 0.5)
    a = matrix(chance, *((k, m) if transposes[0] else (m, k)), dtype)
    b = matrix(chance, *((n, k) if transposes[1] else (k, n)), dtype)
    return transposes, a, b, chance.choice(BLOCKS)


def run(kernel, stage, a, b, blocks):
    if stage == "jit":
        return kernel(a, b, **blocks)
    result = attn.simulate(kernel, a, b, soc=SOC, stage=stage, **blocks)
    assert not result.report.hazards, result.report
    return result.outputs


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_stage_gives_the_same_bits(shard):
    for number in range(shard, CASES, SHARDS):
        transposes, a, b, blocks = make_case(number)
        left, right = (x.double().numpy() for x in (a, b))
        expected = (left.T if transposes[0] else left) @ (right.T if transposes[1] else right)
        for stage in STAGES:
            shown = (
                f"ATTN_PRODUCT_SEED={SEED} case {number}, {stage}: {tuple(a.shape)} {a.stride()} by {tuple(b.shape)} "
                f"{b.stride()} {a.dtype} {transposes} {blocks}"
            )
            result = run(KERNELS[transposes], stage, a, b, blocks)
            assert result.dtype == (torch.int32 if a.dtype == torch.int8 else torch.float32), shown
            np.testing.assert_array_equal(result.double().numpy(), expected, err_msg=shown)
