"""Products on the modelled chip against numpy: with small integers every order of summation gives the same bits."""

import os
import random

import numpy as np
import pytest
import torch

import attn
import attn.language as at
from kernels_dsl.gemm import gemm, gemm_nt
from product_cases import DTYPES, KERNELS, SIZES, exact, matrix, operands, simulate, sums_of

SEED = int(os.environ.get("ATTN_GEMM_SEED", "0")) or random.randrange(1, 2**31)
CASES = int(os.environ.get("ATTN_GEMM_CASES", "40"))


@pytest.mark.parametrize("number", range(CASES))
def test_products_are_exact(number):
    """Ragged m, n and k, any type, either operand stored either way, and NaN around all of it."""
    chance = random.Random(SEED + number)
    m, n, k = (chance.choice(SIZES) for _ in range(3))
    dtype, transposes = chance.choice(DTYPES), (chance.random() < 0.5, chance.random() < 0.5)
    sizes = {name: chance.choice([16, 24, 32, 64]) for name in ("BM", "BN", "BK")} if chance.random() < 0.7 else {}
    shown = f"ATTN_GEMM_SEED={SEED} case {number}: {m}x{n}x{k} {dtype} {transposes} {sizes}"
    a, b = operands(chance, m, n, k, dtype, transposes)
    c = simulate(KERNELS[transposes], a, b, **sizes)
    assert c.dtype == sums_of(dtype), shown
    np.testing.assert_array_equal(c.double().numpy(), exact(a, b, transposes), err_msg=shown)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("transposes", KERNELS, ids=str)
def test_several_parts_of_k(dtype, transposes):
    """Tiles of which L0A and L0B hold only parts, several tiles for a core, and a ragged end."""
    chance = random.Random(5)
    m, n, k = 70, 300, 330
    a, b = operands(chance, m, n, k, dtype, transposes)
    largest = 64 if transposes[0] else 256
    c = simulate(KERNELS[transposes], a, b, BM=16, BN=largest, BK=largest)
    np.testing.assert_array_equal(c.double().numpy(), exact(a, b, transposes))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int8], ids=str)
def test_a_result_is_narrowed(dtype):
    chance = random.Random(1)
    a, b = matrix(chance, 33, 70, dtype), matrix(chance, 70, 41, dtype)
    wide = torch.from_numpy(exact(a, b, (False, False)))
    expected = wide.clamp(-128, 127).to(dtype) if dtype == torch.int8 else wide.float().to(dtype)
    assert torch.equal(simulate(gemm, a, b, narrow=True), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_nothing_to_sum_over_gives_zeros(dtype, count):
    """The loop has no tile of k, the first of several, or a short last one."""

    @attn.kernel
    def part(A: at.Tensor["M K"], B: at.Tensor["K N"], count: int):
        sums = at.i32 if A.dtype == at.i8 else at.f32
        C = at.empty("M N", sums)
        for m, n in at.grid(at.tiles(M, 16), at.tiles(N, 32)):
            acc = at.zeros((16, 32), sums)
            for k in at.range(at.tiles(count, 32), stages=2):
                acc += A[m, k] @ B[k, n]
            C[m, n] = acc
        return C

    chance = random.Random(3)
    a, b = matrix(chance, 20, 40, dtype), matrix(chance, 40, 30, dtype)
    expected = a[:, :count].double() @ b[:count].double()
    assert torch.equal(simulate(part, a, b, count).double(), expected)


def test_rows_too_far_apart_for_one_copy():
    a = torch.full((5, 70000), float("nan"), dtype=torch.float16)
    a[:, :9] = torch.randint(-3, 4, (5, 9))
    b = torch.randint(-3, 4, (9, 20)).half()
    assert torch.equal(simulate(gemm, a[:, :9], b, BM=16, BN=16, BK=16), a[:, :9].float() @ b.float())


def test_whole_dimensions_and_batches():
    @attn.kernel
    def scores(Q: at.Tensor["B S D"], K: at.Tensor["B S D"], BM: at.Auto(16, 64), BN: at.Auto(16, 64)):
        P = at.empty("B S S", at.f32)
        for b, i, j in at.grid(B, at.tiles(S, BM), at.tiles(S, BN)):
            P[b, i, j] = Q[b, i, :] @ K[b, j, :].T
        return P

    q, k = torch.randint(-3, 4, (2, 3, 37, 20)).float()
    assert torch.equal(simulate(scores, q, k), q @ k.transpose(1, 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_bias_and_relu(dtype):
    """A row that sums start from, and what is negative becomes zero."""

    @attn.kernel
    def linear(
        A: at.Tensor["M K"], W: at.Tensor["N K"], bias: at.Tensor["1 N"],
        BM: at.Auto(16, 64), BN: at.Auto(16, 64), BK: at.Auto(16, 64),
    ):  # fmt: skip
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            acc = at.full((BM, BN), bias[:, n], bias.dtype)
            for k in at.range(at.tiles(K, BK), stages=2):
                acc += A[m, k] @ W[n, k].T
            C[m, n] = at.relu(acc)
        return C

    chance = random.Random(2)
    a, w = matrix(chance, 19, 45, dtype), matrix(chance, 26, 45, dtype)
    bias = matrix(chance, 1, 26, torch.float32)
    expected = torch.relu(a.double() @ w.double().T + bias.double()).float()
    assert torch.equal(simulate(linear, a, w, bias, BM=16, BN=16, BK=32), expected)


def test_a_row_is_added_to_a_product():
    @attn.kernel
    def biased(
        A: at.Tensor["M K"], B: at.Tensor["K N"], bias: at.Tensor["1 N"], BM: at.Auto(16, 64), BN: at.Auto(16, 64)
    ):
        C = at.empty("M N", at.i32)
        for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
            C[m, n] = A[m, :] @ B[:, n] + bias[:, n]
        return C

    a, b = torch.randint(-3, 4, (9, 12)).to(torch.int8), torch.randint(-3, 4, (12, 21)).to(torch.int8)
    bias = torch.randint(-300, 400, (1, 21)).to(torch.int32)
    assert torch.equal(simulate(biased, a, b, bias), a.int() @ b.int() + bias)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_sums_of_a_loop_by_an_index(count):
    """A loop that goes one by one, and may have nothing to go over."""

    @attn.kernel
    def total(A: at.Tensor["B M 24"], W: at.Tensor["B 24 N"], count: int):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, 16), at.tiles(N, 16)):
            acc = at.zeros((16, 16))
            for b in at.range(count, stages=2):
                acc += A[b, m, :] @ W[b, :, n]
            C[m, n] = acc
        return C

    a, w = torch.randint(-3, 4, (4, 20, 24)).half(), torch.randint(-3, 4, (4, 24, 18)).half()
    expected = (a[:count].float() @ w[:count].float()).sum(0)
    assert torch.equal(simulate(total, a, w, count), expected)


def test_products_of_products():
    """The result of one product is an operand of the next, through L1."""

    @attn.kernel
    def twice(A: at.Tensor["M D"], B: at.Tensor["N D"], C: at.Tensor["N H"]):
        P = at.empty("M H", at.f32)
        for m, h in at.grid(at.tiles(M, 32), at.tiles(H, 32)):
            acc = at.zeros((32, 32))
            for n in at.range(at.tiles(N, 48), stages=2):
                s = A[m, :] @ B[n, :].T
                acc += at.relu(s).to(at.f16) @ C[n, h]
            P[m, h] = acc
        return P

    a, b, c = (torch.randint(-2, 3, shape).half() for shape in ((50, 40), (70, 40), (70, 45)))
    expected = torch.relu(a.double() @ b.double().T) @ c.double()
    assert torch.equal(simulate(twice, a, b, c).double(), expected)


def test_k_that_exists_in_one_operand_only_is_left_out():
    @attn.kernel
    def shorter(A: at.Tensor["M K"], B: at.Tensor["K N"], last: int, BK: at.Auto(16, 64)):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, 16), at.tiles(N, 16)):
            acc = at.zeros((16, 16))
            for k in at.range(at.tiles(K, BK)):
                acc += A[m, k.clip(last)] @ B[k, n]
            C[m, n] = acc
        return C

    a, b = torch.randint(-3, 4, (11, 40)).float(), torch.randint(-3, 4, (40, 13)).float()
    expected = a[:, :19] @ b[:19]
    a[:, 19:], b[19:] = float("nan"), float("inf")
    assert torch.equal(simulate(shorter, a, b, 19, BK=16), expected)


@pytest.mark.parametrize("kernel", [gemm, gemm_nt], ids=["gemm", "gemm_nt"])
def test_the_chosen_tiles_of_a_large_product(kernel):
    """128 x 256 sums, either way round, fill L0C; 256 of k are loaded at a time, ahead of the products."""
    specs = dict(A=at.spec("? ?", at.f16), B=at.spec("? ?", at.f16))
    sizes = kernel.compile(soc="Ascend910B2", **specs).sizes
    assert sizes["BK"] == 256 and {sizes["BM"], sizes["BN"]} == {128, 256}
