"""Tiles of 16 bits turned over, and integers as floats: values at every stage, and what the chip refuses."""

import pytest
import torch

import attn
import attn.language as at
from turned_kernels import turn, turn_columns, turn_columns_reference, whole_numbers, whole_numbers_reference

STAGES = ("jit", "ascend", "ascendc", "hivm")
SMALL = "Ascend910B4:ub_bytes=16384,vector_cores=3"
NARROW = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


def with_nan_after(rows: int, columns: int, dtype: torch.dtype):
    """Random numbers in a larger array of NaN, which nothing may read."""
    whole = torch.full((rows + 3, columns + 8), torch.nan)
    whole[:rows, :columns] = torch.randn(rows, columns)
    return whole.to(dtype)[:rows, :columns]


@NARROW
@pytest.mark.parametrize("columns", [16, 80])
def test_transpose(dtype, columns):
    """Bit for bit, with tails of rows, which become columns. Of 16 rows and columns, a tile is a single square."""
    torch.manual_seed(columns)
    for rows, sizes in ((1, {}), (15, {}), (16, {}), (33, {}), (64, {}), (33, {"BT": 16})):
        X = with_nan_after(rows, columns, dtype)
        options = dict(stages=STAGES, soc=SMALL, reference=lambda X, **_: X.T, tolerance=(0, 0))
        attn.verify(turn, X, **sizes, **options).check()


@NARROW
def test_transpose_of_spans(dtype):
    """Rows and columns that do not exist count nowhere."""
    torch.manual_seed(0)
    for rows, columns in ((1, 1), (37, 20), (64, 49)):
        X = with_nan_after(rows, columns, dtype)
        attn.verify(
            turn_columns,
            X,
            BT=32,
            BN=16,
            stages=STAGES,
            soc=SMALL,
            reference=turn_columns_reference,
            tolerance=(2e-2, 2e-2),
        ).check()


def test_blocks_are_multiples_of_16():
    """The compiler takes no others, and refuses others that are given, at their line."""
    spec = {"X": at.spec("? 64", at.f16)}
    assert turn.compile(**spec).sizes["BT"] % 16 == 0
    with pytest.raises(attn.CompileError, match=r"(?s)turned_kernels.py:14.*both sides are multiples of 16"):
        turn.compile(**spec, BT=24)
    with pytest.raises(attn.CompileError, match=r"(?s)turned_kernels.py:14.*both sides are multiples of 16"):
        turn.compile(X=at.spec("? 40", at.f16))


def test_whole_numbers():
    """Ties go to even, what does not fit becomes the nearest that does, NaN 0."""
    X = torch.tensor([[0.5, 1.5, -0.5, -2.5, 2.0**31, 3e9, -3e9, torch.nan, torch.inf, -torch.inf, 16777217.0, 0.0]])
    J = torch.tensor(
        [[0, 1, -1, 2**31 - 1, -(2**31), 2**24 + 1, 2**24 + 3, -(2**24) - 1, 7, 8, 9, 10]], dtype=torch.int32
    )
    for given in (X, (J % 64 / 4).bfloat16()):  # narrow floats go by way of f32
        attn.verify(
            whole_numbers,
            given.repeat(5, 1),
            J.repeat(5, 1),
            BT=2,
            stages=STAGES,
            reference=whole_numbers_reference,
            tolerance=(0, 0),
        ).check()


@attn.kernel
def copied(X: at.Tensor["T D", at.i32], BT: at.Auto(1, 64)):
    Y = at.empty("T D", at.i32)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :]
    return Y


@pytest.mark.parametrize("columns", [3, 8, 65])
def test_integers_are_copied(columns):
    """Short rows have padding to fill."""
    X = torch.arange(10 * columns, dtype=torch.int32).reshape(10, columns)
    attn.verify(copied, X, stages=STAGES, soc=SMALL, reference=lambda X, **_: X, tolerance=(0, 0)).check()
