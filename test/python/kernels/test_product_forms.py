"""Products of rows that a span lacks, of results that are operands either way round, and scales on the way out."""

import pytest
import torch

import attn
import attn.language as at
from product_cases import DTYPES, run_stage, sums_of

pytestmark = pytest.mark.optimized

STAGES = ["jit", "ascend", "ascendc", "hivm"]
WITHOUT_TEMPLATE = STAGES[:-1]
"""Without HIVM, which has no template for L0C to L1 nor for a scale, and says so."""


def integers(*shape, dtype, most=3):
    return torch.randint(-most, most + 1, shape).to(dtype)


def shifted(x, by, first, last):
    """Row i is row i + by, or zeros where that is not between `first` and `last`."""
    rows = torch.arange(len(x)) + by
    exists = (rows >= first) & (rows < min(last, len(x)))
    return torch.where(exists[:, None], x.double()[rows.clamp(0, len(x) - 1)], 0.0)


@attn.kernel
def rows_around(A: at.Tensor["M K"], B: at.Tensor["N K"], first: int, last: int, by: at.Const[int]):
    C = at.empty("M N", at.i32 if A.dtype == at.i8 else at.f32)
    for m, n in at.grid(at.tiles(M, 32), at.tiles(N, 32)):
        acc = at.zeros((32, 32), C.dtype)
        for k in at.range(at.tiles(K, 32), stages=2):
            acc += A[m.shift(by).clip(first, last), k] @ B[n.shift(by).clip(0, N), k].T
        C[m, n] = acc
    return C


@attn.kernel
def inner_around(A: at.Tensor["K M"], B: at.Tensor["K N"], by: at.Const[int]):
    C = at.empty("M N", at.i32 if A.dtype == at.i8 else at.f32)
    for m, n in at.grid(at.tiles(M, 32), at.tiles(N, 32)):
        acc = at.zeros((32, 32), C.dtype)
        for k in at.range(at.tiles(K, 32), stages=2):
            acc += A[k.shift(by).clip(0, K), m].T @ B[k, n]
        C[m, n] = acc
    return C


@pytest.mark.sweep
@pytest.mark.parametrize("by", [-5, 3, -40])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("stage", STAGES)
def test_rows_that_a_span_lacks_are_zeros(stage, dtype, by):
    """At its start, at its end, and all of them."""
    a, b = integers(50, 40, dtype=dtype), integers(37, 40, dtype=dtype)
    result = run_stage(stage, rows_around, a, b, 2, 47, by=by)
    assert result.dtype == sums_of(dtype)
    assert torch.equal(result.double(), shifted(a, by, 2, 47) @ shifted(b, by, 0, 37).T)


@pytest.mark.parametrize("by", [-5, 7])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("stage", STAGES)
def test_k_that_a_span_lacks_is_zeros(stage, dtype, by):
    a, b = integers(50, 40, dtype=dtype), integers(50, 37, dtype=dtype)
    result = run_stage(stage, inner_around, a, b, by=by)
    assert torch.equal(result.double(), shifted(a, by, 0, 50).T @ b.double())


@pytest.mark.parametrize("by", [-5, 7])
@pytest.mark.parametrize("stage", STAGES)
def test_rows_that_a_span_lacks_are_not_stored(stage, by):
    @attn.kernel
    def moved(A: at.Tensor["M K"], B: at.Tensor["N K"], by: at.Const[int]):
        C = at.empty("M N", at.f32)
        for m, n in at.grid(at.tiles(M, 32), at.tiles(N, 32)):
            C[m.shift(by).clip(0, M), n] = A[m, :] @ B[n, :].T
        return C

    a, b = integers(50, 40, dtype=torch.float16), integers(37, 40, dtype=torch.float16)
    expected, result = a.float() @ b.float().T, run_stage(stage, moved, a, b, by=by)
    assert torch.equal(*((result[:by], expected[-by:]) if by < 0 else (result[by:], expected[:-by])))


@pytest.mark.parametrize("is_left", [True, False])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("stage", WITHOUT_TEMPLATE)
def test_a_result_is_an_operand_either_way_round(stage, dtype, is_left):
    @attn.kernel
    def twice(A: at.Tensor["M D"], B: at.Tensor["N D"], C: at.Tensor["M H"], is_left: at.Const[bool]):
        P = at.empty("N H" if is_left else "H N", at.f32)
        for n, h in at.grid(at.tiles(N, 32), at.tiles(H, 48)):
            acc = at.zeros((32, 48)) if is_left else at.zeros((48, 32))
            for m in at.range(at.tiles(M, 16), stages=2):
                s = (A[m, :] @ B[n, :].T).to(A.dtype)
                acc = at.dot(s.T, C[m, h], acc=acc) if is_left else at.dot(C[m, h].T, s, acc=acc)
            if is_left:
                P[n, h] = acc
            else:
                P[h, n] = acc
        return P

    a, b, c = (integers(*shape, dtype=dtype, most=2) for shape in ((50, 10), (70, 10), (50, 45)))
    scores = a.double() @ b.double().T
    expected = scores.T @ c.double() if is_left else c.double().T @ scores
    assert torch.equal(run_stage(stage, twice, a, b, c, is_left=is_left).double(), expected)


@attn.kernel
def scaled(
    A: at.Tensor["M K"], B: at.Tensor["K N"], scale: at.Const[float], half: at.Const[bool], relu: at.Const[bool]
):
    C = at.empty("M N", at.f16 if half else at.i8)
    for m, n in at.grid(at.tiles(M, 32), at.tiles(N, 32)):
        acc = at.zeros((32, 32), at.i32 if A.dtype == at.i8 else at.f32)
        for k in at.range(at.tiles(K, 32), stages=2):
            acc += A[m, k] @ B[k, n]
        s = acc.to(at.f32) * scale
        C[m, n] = at.relu(s) if relu else s
    return C


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize(
    "dtype, out",
    [(torch.int8, torch.float16), (torch.int8, torch.int8), (torch.float16, torch.int8), (torch.float32, torch.int8)],
    ids=str,
)
@pytest.mark.parametrize("stage", WITHOUT_TEMPLATE)
def test_a_scale_on_the_way_out(stage, dtype, out, relu):
    a, b = integers(50, 40, dtype=dtype, most=9), integers(40, 37, dtype=dtype, most=9)
    half = out == torch.float16
    expected = (a.double() @ b.double()) * 0.375
    expected = expected.clamp(min=0) if relu else expected
    expected = expected.float().half() if half else expected.round().clamp(-128, 127).to(out)
    assert torch.equal(run_stage(stage, scaled, a, b, scale=0.375, half=half, relu=relu), expected)


def test_a_scale_that_the_way_out_does_not_have():
    spec = at.spec("? ?", at.i8)
    with pytest.raises(attn.CompileError, match="multiplied once at most, by a positive number with 10 bits"):
        scaled.compile(A=spec, B=spec, scale=0.1, half=False, relu=False, soc="Ascend910B4")


@pytest.mark.parametrize("stage", STAGES)
def test_a_scale_on_vector_cores(stage):
    a, b = (integers(*shape, dtype=torch.int8, most=9) for shape in ((50, 40), (40, 37)))
    expected = ((a.double() @ b.double()).float() * 0.1).half()
    assert torch.equal(run_stage(stage, scaled, a, b, scale=0.1, half=True, relu=False), expected)
