"""Products are the same bits in every stage: with small integers every order of summation is exact.

Random shapes, transposes, types, strides and block sizes from a printed seed. What must not matter (memory around the
operands, and what follows the last row, column and k) holds NaN.
"""

import os
import random

import numpy as np
import pytest

from product_cases import DTYPES, FAR, KERNELS, exact, matrix, operands, run_stage, sums_of
from sweeps import some_optimized

SEED = int(os.environ["ATTN_PRODUCT_SEED"])
CASES = int(os.environ.get("ATTN_PRODUCT_CASES", "300"))
SHARDS = 12
SOC = "Ascend910B2"
STAGES = ("jit", "ascend", "ascendc", "hivm")
SIZES = (1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 64, 65, 97, 130, 200)
BLOCKS = ({}, {"BM": 32, "BN": 48, "BK": 64})


def far_or_near(chance, rows, cols, dtype):
    """A matrix whose rows may be far apart."""
    is_far = rows > 1 and rows <= 33 and chance.random() < 0.15
    return matrix(chance, rows, cols, dtype, FAR if is_far else cols + chance.randrange(0, 20))


def draw_kind(number):
    """What chooses the kernel of a case: type, transposes and block sizes; and the chance that draws the rest."""
    chance = random.Random(SEED + number)
    transposes = chance.random() < 0.5, chance.random() < 0.5
    return chance.randrange(len(DTYPES)), transposes, chance.randrange(len(BLOCKS)), chance


def make_case(number):
    dtype, transposes, blocks, chance = draw_kind(number)
    m, n, k = (chance.choice(SIZES) for _ in range(3))
    a, b = operands(chance, m, n, k, DTYPES[dtype], transposes, far_or_near)
    return transposes, a, b, BLOCKS[blocks]


# Cases of one kernel after each other, so that not every process compiles every kernel.
NUMBERS = sorted(range(CASES), key=lambda number: draw_kind(number)[:3])
PER_SHARD = -(-CASES // SHARDS)


@pytest.mark.parametrize("shard", some_optimized(range(SHARDS)))
def test_every_stage_gives_the_same_bits(shard):
    for number in NUMBERS[shard * PER_SHARD : (shard + 1) * PER_SHARD]:
        transposes, a, b, blocks = make_case(number)
        expected = exact(a, b, transposes)
        for stage in STAGES:
            shown = (
                f"ATTN_PRODUCT_SEED={SEED} case {number}, {stage}: {tuple(a.shape)} {a.stride()} by {tuple(b.shape)} "
                f"{b.stride()} {a.dtype} {transposes} {blocks}"
            )
            chip = {} if stage == "jit" else {"soc": SOC}
            result = run_stage(stage, KERNELS[transposes], a, b, **chip, **blocks)
            assert result.dtype == sums_of(a.dtype), shown
            np.testing.assert_array_equal(result.double().numpy(), expected, err_msg=shown)
