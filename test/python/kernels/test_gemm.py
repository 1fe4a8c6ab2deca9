"""Products on the CPU against numpy: with small integers every order of summation gives the same bits."""

import os
import random

import numpy as np
import pytest
import torch

import attn
import attn.language as at
from kernels_dsl.gemm import gemm
from product_cases import DTYPES, KERNELS, SIZES, exact, matrix, operands, sums_of

pytestmark = pytest.mark.optimized

SEED = int(os.environ.get("ATTN_GEMM_SEED", "0")) or random.randrange(1, 2**31)
CASES = int(os.environ.get("ATTN_GEMM_CASES", "60"))


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(CASES))
def test_products_are_exact(number):
    chance = random.Random(SEED + number)
    m, n, k = (chance.choice(SIZES) for _ in range(3))
    dtype, transposes = chance.choice(DTYPES), (chance.random() < 0.5, chance.random() < 0.5)
    sizes = {name: chance.choice([8, 16, 24, 64]) for name in ("BM", "BN", "BK")} if chance.random() < 0.7 else {}
    sizes = {
        name: max(size, 16) if transposes in ((False, False), (False, True)) else size for name, size in sizes.items()
    }
    shown = f"ATTN_GEMM_SEED={SEED} case {number}: {m}x{n}x{k} {dtype} {transposes} {sizes}"
    a, b = operands(chance, m, n, k, dtype, transposes)
    c = KERNELS[transposes](a, b, **sizes)
    assert c.dtype == sums_of(dtype), shown
    np.testing.assert_array_equal(c.double().numpy(), exact(a, b, transposes), err_msg=shown)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int8], ids=str)
def test_a_result_is_narrowed(dtype):
    """The same numbers, rounded to the operands' type; i8 has a largest and a smallest number."""
    chance = random.Random(1)
    a, b = matrix(chance, 33, 70, dtype), matrix(chance, 70, 41, dtype)
    wide = torch.from_numpy(exact(a, b, (False, False)))
    expected = wide.clamp(-128, 127).to(dtype) if dtype == torch.int8 else wide.float().to(dtype)
    assert torch.equal(gemm(a, b, narrow=True), expected)


@pytest.mark.parametrize("batch", [1, 3])
def test_whole_dimensions_and_batches(batch):
    """Operands taken by ':' beside those taken by spans."""

    @attn.kernel
    def scores(Q: at.Tensor["B S D"], K: at.Tensor["B S D"], BM: at.Auto(8, 64), BN: at.Auto(8, 64)):
        P = at.empty("B S S", at.f32)
        for b, i, j in at.grid(B, at.tiles(S, BM), at.tiles(S, BN)):
            P[b, i, j] = Q[b, i, :] @ K[b, j, :].T
        return P

    q, k = torch.randint(-3, 4, (2, batch, 37, 20)).float()
    assert torch.equal(scores(q, k), q @ k.transpose(1, 2))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bias_and_relu(dtype):
    """A row that sums start from, and what is negative becomes zero."""

    @attn.kernel
    def linear(
        A: at.Tensor["M K"], W: at.Tensor["N K"], bias: at.Tensor["1 N"],
        BM: at.Auto(8, 64), BN: at.Auto(8, 64), BK: at.Auto(8, 64),
    ):  # fmt: skip
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            acc = at.full((BM, BN), bias[:, n], bias.dtype)
            for k in at.range(at.tiles(K, BK)):
                acc += A[m, k] @ W[n, k].T
            C[m, n] = at.relu(acc.to(at.f32))
        return C

    chance = random.Random(2)
    a, w = matrix(chance, 19, 45, dtype), matrix(chance, 26, 45, dtype)
    bias = matrix(chance, 1, 26, torch.int32 if dtype == torch.int8 else torch.float32)
    expected = torch.relu(a.double() @ w.double().T + bias.double()).float()
    assert torch.equal(linear(a, w, bias, BM=8, BN=16, BK=32), expected)


def test_a_row_is_added_to_a_product():
    @attn.kernel
    def biased(
        A: at.Tensor["M K"], B: at.Tensor["K N"], bias: at.Tensor["1 N"], BM: at.Auto(8, 64), BN: at.Auto(8, 64)
    ):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            C[m, n] = A[m, :] @ B[:, n] + bias[:, n]
        return C

    a, b, bias = (torch.randint(-3, 4, shape).float() for shape in ((9, 12), (12, 21), (1, 21)))
    assert torch.equal(biased(a, b, bias), a @ b + bias)


def test_arithmetic_and_reductions_see_what_exists():
    """Columns beyond the last take part in nothing, whatever is computed of them."""

    @attn.kernel
    def largest(X: at.Tensor["M N"], BM: at.Auto(1, 64), BN: at.Auto(1, 64)):
        Y, S = at.empty("M", at.f32), at.empty("M", at.f32)
        for m in at.grid(at.tiles(M, BM)):
            top, total = at.full((BM, 1), float("-inf")), at.zeros((BM, 1))
            for n in at.range(at.tiles(N, BN)):
                x = at.exp(X[m, n]) - 5.0
                top, total = at.maximum(top, at.max(x, 1)), total + at.sum(x, 1)
            Y[m], S[m] = top, total
        return Y, S

    x = torch.randn(13, 45)
    y, s = largest(x, BM=4, BN=16)
    torch.testing.assert_close(y, (torch.exp(x) - 5).amax(1))
    torch.testing.assert_close(s, (torch.exp(x) - 5).sum(1))


def test_columns_that_are_not_there_are_zero():
    @attn.kernel
    def copy(X: at.Tensor["M N"], last: int, BM: at.Auto(1, 64), BN: at.Auto(1, 64)):
        Y = at.empty_like(X)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            Y[m, n] = X[m, n.clip(last)]
        return Y

    x = torch.randn(7, 45)
    y = copy(x, 21, BM=4, BN=16)
    assert torch.equal(y[:, :21], x[:, :21]) and not y[:, 21:].any()


def test_k_that_exists_in_one_operand_only_is_left_out():
    """The shorter of the two counts, also where the other holds NaN."""

    @attn.kernel
    def shorter(A: at.Tensor["M K"], B: at.Tensor["K N"], last: int, BK: at.Auto(8, 64)):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, 8), at.tiles(N, 8)):
            acc = at.zeros((8, 8))
            for k in at.range(at.tiles(K, BK)):
                acc += A[m, k.clip(last)] @ B[k, n]
            C[m, n] = acc
        return C

    a, b = torch.randint(-3, 4, (11, 40)).float(), torch.randint(-3, 4, (40, 13)).float()
    expected = a[:, :19] @ b[:19]
    a[:, 19:], b[19:] = float("nan"), float("inf")
    assert torch.equal(shorter(a, b, 19, BK=16), expected)


def test_indices_beyond_an_array_are_found():
    @attn.kernel
    def beyond(A: at.Tensor["M K"], B: at.Tensor["K N"], BM: at.Auto(8, 64), BN: at.Auto(8, 64)):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            C[m, n] = A[m, :] @ B[:, n.shift(1)]
        return C

    with pytest.raises(attn.OutOfBoundsError, match='array "B" of shape 4x20'):
        beyond(torch.zeros(8, 4), torch.zeros(4, 20))


def test_types_that_are_not_multiplied():
    with pytest.raises(TypeError, match="torch.float64 is not supported"):
        gemm(torch.zeros(4, 4, dtype=torch.float64), torch.zeros(4, 4, dtype=torch.float64))
