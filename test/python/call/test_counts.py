"""Counts of loops that make no sense: whatever numbers a call or its memory has, loops end, and say so."""

import pytest
import torch

import attn
import attn.language as at

pytestmark = pytest.mark.optimized

ABSURD = (2**31 - 1, 2**20 + 1)
ARGUMENTS = (2**63 - 1, 2**62, 2**31, 2**20 + 1)


@attn.kernel
def repeat(X: at.Tensor["B D"], cnt: at.Tensor["B", at.i32]):
    """X[b] doubled cnt[b] times."""
    Y = at.empty_like(X)
    for b in at.grid(B):
        x = X[b, :].to(at.f32)
        for _ in at.range(cnt[b]):
            x = x + x
        Y[b, :] = x
    return Y


@attn.kernel
def repeat_by_argument(X: at.Tensor["B D"], first: int, n: int):
    """X[b] doubled once for each number from first to n."""
    Y = at.empty_like(X)
    for b in at.grid(B):
        x = X[b, :].to(at.f32)
        for _ in at.range(first, n):
            x = x + x
        Y[b, :] = x
    return Y


@attn.kernel
def count_list(X: at.Tensor["B D"], idx: at.Tensor["B L", at.i32], cnt: at.Tensor["B", at.i32]):
    """X[b] doubled cnt[b] times, by a list of which nothing is used."""
    Y = at.empty_like(X)
    for b in at.grid(B):
        x = X[b, :].to(at.f32)
        for _ in at.each(idx[b, :], count=cnt[b]):
            x = x + x
        Y[b, :] = x
    return Y


@attn.kernel
def sum_clipped(X: at.Tensor["S D"], n: int, BS: at.Auto(1, 8)):
    """The sum of the first n rows of X, of which only those that exist count."""
    Y = at.empty("1 D", at.f32)
    for i in at.grid(1):
        total = at.zeros((1, D))
        for s in at.range(at.tiles(n, BS)):
            total = total + at.sum(X[s.clip(S), :], 0)
        Y[i, :] = total
    return Y


@attn.kernel
def sum_blocks(
    X: at.Tensor["S D"], idx: at.Tensor["1 L", at.i32], cnt: at.Tensor["1", at.i32], bk: int, BN: at.Auto(1, 8)
):
    """The sums of the rows of the blocks of bk rows that are listed."""
    Y = at.empty("1 D", at.f32)
    for i in at.grid(1):
        total = at.zeros((1, D))
        for j in at.each(idx[i, :], count=cnt[i]):
            for k in at.range(at.tiles(bk, BN, base=j * bk, limit=S), stages=2):
                total = total + at.sum(X[k, :], 0)
        Y[i, :] = total
    return Y


@attn.kernel
def sum_rows(X: at.Tensor["S D"], n: int):
    """The sum of the first n rows."""
    Y = at.empty("1 D", at.f32)
    for i in at.grid(1):
        total = at.zeros((1, D))
        for s in at.range(n):
            total = total + X[s, :]
        Y[i, :] = total
    return Y


def integers(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


def findings(kernel, *arguments):
    """What the CPU raises, which is what the modelled chip reports, and what its texts store."""
    with pytest.raises(attn.OutOfBoundsError) as error:
        kernel(*arguments)
    run = attn.simulate(kernel, *arguments)
    (hazard,) = run.report.hazards
    assert (hazard.kind, hazard.message) == ("out of bounds", error.value.message)
    assert hazard.place[:2] == error.value.position[:2]
    for stage in ("ascendc", "hivm"):
        text = attn.simulate(kernel, *arguments, stage=stage)
        assert not text.report.hazards
        torch.testing.assert_close(text.outputs, run.outputs, equal_nan=True)
    return error.value, run.outputs


@pytest.mark.parametrize("count", ABSURD)
def test_a_count_from_memory_that_no_array_ends(count):
    x = torch.ones(2, 8)
    error, outputs = findings(repeat, x, integers(3, count))
    assert error.message == f'loop has {count} iterations by "cnt"; where no array ends a loop, it has at most 1048576'
    assert torch.equal(outputs, torch.stack([8 * x[0], x[1]]))


@pytest.mark.parametrize("first", [0, -(2**63), -3])
@pytest.mark.parametrize("count", ARGUMENTS)
def test_a_count_of_the_call_that_no_array_ends(first, count):
    error, outputs = findings(repeat_by_argument, torch.ones(2, 8), first, count)
    assert error.message.startswith(f'loop has {count - first} iterations by "n"')
    assert torch.equal(outputs, torch.ones(2, 8))


def test_counts_that_are_few_enough():
    x = torch.zeros(2, 8)
    assert torch.equal(repeat(x, integers(2**20, -5)), x)
    assert torch.equal(repeat_by_argument(x, 2**63 - 1, -(2**63)), x)


@pytest.mark.parametrize("count", [4, 2**31 - 1])
def test_a_list_ends_its_loop(count):
    x = torch.ones(2, 8)
    error, outputs = findings(count_list, x, torch.zeros(2, 3, dtype=torch.int32), integers(count, 2))
    assert error.message == f'index {count - 1} of dimension 1 of array "idx", which has 3'
    assert torch.equal(outputs, torch.stack([8 * x[0], 4 * x[1]]))


@pytest.mark.parametrize("count", [2**63 - 1, 2**62, 2**31])
def test_tiles_of_which_none_exist(count):
    x = torch.ones(20, 8)
    error, _ = findings(sum_clipped, x, count)
    assert "loop has" in error.message and '"n"' in error.message
    assert torch.equal(sum_clipped(x, 1000)[0], x.sum(0))


@pytest.mark.parametrize("bk", [2**40, 2**31, 21])
def test_blocks_end_at_their_limit(bk):
    """The first block is all of the array, however large blocks are; where the next would begin, there is nothing."""
    x = torch.ones(20, 8)
    assert torch.equal(sum_blocks(x, integers(0, 1)[None], integers(2), bk)[0], x.sum(0))
    for stage in ("ascend", "ascendc"):
        run = attn.simulate(sum_blocks, x, integers(0, 1)[None], integers(2), bk, stage=stage)
        assert not run.report.hazards
        assert torch.equal(run.outputs[0], x.sum(0))


def test_blocks_of_less_than_nothing():
    for bk in (0, -1, -(2**63)):
        assert not sum_blocks(torch.ones(20, 8), integers(0, 1)[None], integers(2), bk).any()


@pytest.mark.parametrize("count", ARGUMENTS)
def test_an_array_ends_a_loop_by_an_argument(count):
    with pytest.raises(attn.OutOfBoundsError, match=r"index \d+ of dimension 0, which has 20"):
        sum_rows(torch.ones(20, 8), count)
    run = attn.simulate(sum_rows, torch.ones(20, 8), count)
    assert [hazard.message for hazard in run.report.hazards] == [
        f'index {count - 1} of dimension 0 of array "X", which has 20'
    ]
    assert torch.equal(run.outputs[0], torch.full((8,), 20.0))


def test_a_list_that_is_too_short_for_its_count_is_an_error():
    @attn.kernel
    def fixed(X: at.Tensor["B 3", at.i32]):
        Y = at.empty("B 1", at.f32)
        for b in at.grid(B):
            total = at.zeros((1, 1))
            for _ in at.each(X[b, :], count=4):
                total = total + 1.0
            Y[b, :] = total
        return Y

    with pytest.raises(
        attn.CompileError, match="at.each goes over 4 integers of 'X': index 3 of dimension 1, which has 3"
    ):
        fixed.compile(X=at.spec("? 3", at.i32))
