"""Counts, offsets and lists from memory: values at every stage, and nothing is read that they do not name."""

import pytest
import torch

import attn
import attn.language as at
from list_kernels import (
    block_sums,
    block_sums_reference,
    copied_sums,
    decode,
    decode_reference,
    embed,
    embed_reference,
    list_sums,
    list_sums_reference,
    pages_of,
    place,
    place_reference,
    ragged_softmax,
    ragged_softmax_reference,
    randn,
    row_sums,
    row_sums_reference,
    rows_of,
    segment_sums,
    segment_sums_reference,
    whole,
    windowed,
    windowed_reference,
)

STAGES = ("jit", "ascend", "ascendc", "hivm")
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [at.u16, at.i32, at.i64]


@pytest.mark.parametrize("index", INTEGERS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_row_sums(dtype, index):
    lens = [0, 1, 70, 7, 64, 0, 33]
    X = rows_of(lens, 70, 40, dtype)
    result = attn.verify(
        row_sums, X, whole(lens, index), BS=16, reference=row_sums_reference, tolerance=(1e-4, 1e-4), stages=STAGES
    )
    result.check()


@pytest.mark.parametrize("phases", ["barrier", "launches"])
def test_integers_that_the_kernel_wrote(phases):
    lens = [0, 1, 70, 7, 64]
    X, given = rows_of(lens, 70, 40), whole([[count, 5] for count in lens])
    result = attn.verify(
        copied_sums, X, given, BS=16, phases=phases, tolerance=(1e-4, 1e-4), stages=("jit", "ascend", "ascendc"),
        reference=lambda X, given: (row_sums_reference(X, given[:, 0]), given),
    )  # fmt: skip
    result.check()
    artefact = copied_sums.compile(X=at.spec("? ? 40", at.f32), lens=at.spec("? 2", at.i32), phases=phases)
    assert ("DataCacheCleanAndInvalid<int32_t" in artefact.ascendc) == (phases == "barrier")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ragged_softmax(dtype):
    lens = [0, 1, 100, 31, 64, 99]
    X = rows_of(lens, 100, 1, dtype)[:, :, 0].contiguous()
    result = attn.verify(ragged_softmax, X, whole(lens), reference=ragged_softmax_reference, stages=STAGES)
    result.check()


@pytest.mark.parametrize("index", INTEGERS, ids=lambda dtype: dtype.name)
def test_segment_sums(index):
    offsets = [3, 3, 4, 70, 70, 99, 100]
    X = randn(103, 40)
    X[:3] = X[100:] = torch.nan
    result = attn.verify(
        segment_sums, X, whole(offsets, index), N=len(offsets) - 1, BT=8, reference=segment_sums_reference,
        tolerance=(1e-4, 1e-4), stages=STAGES,
    )  # fmt: skip
    result.check()


@pytest.mark.parametrize("index", INTEGERS, ids=lambda dtype: dtype.name)
def test_list_sums(index):
    idx = whole([[1, 5, 5, 0], [7, 60000, 60000, 60000], [60000] * 4], index)
    X = randn(8, 40)
    X[2:5] = X[6] = torch.nan
    result = attn.verify(
        list_sums, X, idx, whole([4, 1, 0]), reference=list_sums_reference, tolerance=(1e-5, 1e-5), stages=STAGES
    )
    result.check()


@pytest.mark.parametrize("BN", [4, 16], ids=str)
def test_block_sums(BN):
    idx = whole([[3, 0, 1], [4, 4, 60000], [60000] * 3], at.u16)
    X = randn(47, 40)  # the last block of 10 rows has 7
    X[20:30] = torch.nan
    result = attn.verify(
        block_sums, X, idx, whole([3, 2, 0]), 10, BN=BN, reference=block_sums_reference, tolerance=(1e-4, 1e-4),
        stages=STAGES,
    )  # fmt: skip
    result.check()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_decode(dtype):
    lens, heads, G, width, page = [0, 1, 37, 16, 5], 2, 3, 32, 8
    K, V, table = pages_of(lens, page, heads, width, dtype)
    Q = randn(len(lens), heads * G, width, dtype=dtype)
    arguments = (Q, K, V, whole(table.tolist()), whole(lens), width**-0.5)
    runs = {
        stage: attn.verify(decode, *arguments, G=G, NS=3, stages=(stage,)).runs[stage]
        for stage in ("jit", "ascend", "ascendc")
    }
    expected = decode_reference(*(x.double() for x in arguments[:3]), *arguments[3:], G=G)
    for stage, run in runs.items():
        assert not run.hazards, f"{stage}: {run.hazards}"
        for output, reference in zip(run.outputs, expected):
            torch.testing.assert_close(
                output.double(), reference, atol=2e-2 if dtype is not torch.float32 else 1e-5, rtol=1e-2
            )


@pytest.mark.parametrize("W", [1, 5, 20, 1000], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_windowed(dtype, W):
    lens, width, page = [0, 1, 37, 16, 5, 8], 32, 8
    K, V, table = pages_of(lens, page, 1, width, dtype)
    K, V = K[:, :, 0].contiguous(), V[:, :, 0].contiguous()
    for b, count in enumerate(lens):  # nothing before the window is read either
        for position in range(max(count - W, 0)):
            K[table[b, position // page], position % page] = V[table[b, position // page], position % page] = torch.nan
    result = attn.verify(
        windowed, randn(len(lens), width, dtype=dtype), K, V, whole(table.tolist()), whole(lens), width**-0.5, W,
        reference=windowed_reference, stages=STAGES,
    )  # fmt: skip
    result.check()


@pytest.mark.parametrize("BT", [1, 4, 16, None], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_embed(dtype, BT):
    X = randn(30, 40, dtype=dtype)
    X[10:20] = torch.nan
    idx = whole([[0, 29, 29, 5, 20, 1, 2], [3, 4, 5, 6, 7, 8, 9]])
    blocks = {"BT": BT} if BT else {}
    attn.verify(embed, X, idx, reference=embed_reference, tolerance=(0, 0), stages=STAGES, **blocks).check()


@pytest.mark.parametrize("BT", [1, 4, 16], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_place(dtype, BT):
    order = torch.randperm(37, generator=torch.Generator().manual_seed(3)).tolist()
    attn.verify(
        place, randn(37, 24, dtype=dtype), randn(37, seed=1), whole(order), reference=place_reference, stages=STAGES,
        BT=BT,
    ).check()  # fmt: skip


def test_listed_rows_of_long_rows():
    """Rows of a list in strips of columns."""
    X, idx = randn(9, 500), whole([[8, 0, 3]])
    attn.verify(embed, X, idx, reference=embed_reference, tolerance=(0, 0), stages=STAGES, BT=2, strips=64).check()


# Wrong numbers


def find(kernel, *arguments, **keywords):
    """What the CPU raises, and the hazards of the modelled chip, for a call with wrong numbers in memory."""
    with pytest.raises(attn.OutOfBoundsError) as raised:
        kernel(*arguments, **keywords)
    hazards = attn.simulate(kernel, *arguments, **keywords).report.hazards
    return raised.value, hazards


def test_a_wrong_count_is_reported():
    lens = [3, 71, 2]
    error, hazards = find(row_sums, rows_of([3, 70, 2], 70, 40), whole(lens), BS=16)
    assert 'of array "X" of shape 3x70x40: index 70 of dimension 1, which has 70' in error.message
    assert [hazard.message for hazard in hazards] == ['index 70 of dimension 1 of array "X", which has 70']
    assert error.position == hazards[0].place


@pytest.mark.parametrize("bad", [-1, 8, 2**31 - 1, -(2**31)], ids=str)
def test_a_wrong_index_is_reported(bad):
    idx = whole([[1, bad], [2, 3]])
    error, hazards = find(list_sums, randn(8, 40), idx, whole([2, 2]))
    assert f"index {bad} of dimension 0, which has 8" in error.message
    assert [hazard.message for hazard in hazards] == [f'index {bad} of dimension 0 of array "X", which has 8']


@pytest.mark.parametrize("bad", [-1, 8, 2**31 - 1, -(2**31)], ids=str)
def test_a_wrong_row_of_a_list_is_reported(bad):
    X, idx = randn(8, 40), whole([[1, bad, 2]])
    error, hazards = find(embed, X, idx, BT=4)
    assert f"index {bad} of dimension 0, which has 8" in error.message
    assert [hazard.message for hazard in hazards] == [f'index {bad} of dimension 0 of array "X", which has 8']
    assert error.position == hazards[0].place
    run = attn.simulate(embed, X, idx, BT=4, stage="ascendc")
    assert not run.report.hazards
    assert torch.equal(run.outputs[0], X[[1, 0 if bad < 0 else 7, 2]])  # the nearest row there is


@pytest.mark.parametrize("BT", [2, 8], ids=str)
def test_a_row_that_is_written_twice_is_reported(BT):
    order = [3, 0, 1, 2, 5, 3, 4]
    hazards = attn.simulate(place, randn(7, 16), randn(7), whole(order), BT=BT).report.hazards
    (rows, elements) = [hazard for hazard in hazards if hazard.kind == "overlap"]
    assert rows.message == 'index 3 of dimension 0 of array "Y" is written twice: its list names it more than once'
    assert elements.message == 'index 3 of dimension 0 of array "Z" is written twice: its list names it more than once'


def test_what_does_not_fit_32_bits():
    idx = whole([[1, 2**40]], at.i64)
    error, _ = find(list_sums, randn(8, 40), idx, whole([2]))
    assert f"index {2**31 - 1} of dimension 0, which has 8" in error.message


def test_a_wrong_count_of_a_list():
    for kernel, more in ((list_sums, ()), (block_sums, (10,))):
        error, hazards = find(kernel, randn(50, 40), whole([[1, 2]]), whole([2**30]), *more)
        (hazard,) = hazards
        assert error.message == hazard.message == f'index {2**30 - 1} of dimension 1 of array "idx", which has 2'


@pytest.mark.parametrize("stage", ["ascendc", "hivm"])
def test_texts_stay_inside(stage):
    """The modelled chip reports whatever a text touches outside of an array: with wrong numbers, nothing."""
    X, numbers = randn(50, 40), [-(2**31), -1, 0, 1, 3, 8, 49, 50, 51, 2**31 - 1]
    runs = [
        (row_sums, (randn(3, 7, 40), whole([numbers[place], 7, 3])), {"BS": 4}) for place in range(len(numbers))
    ] + [
        (list_sums, (X, whole([numbers]), whole([count])), {}) for count in (10, 11, 2**31 - 1, -5)
    ] + [
        (block_sums, (X, whole([numbers]), whole([count]), 10), {"BN": 4}) for count in (10, 11, 2**31 - 1, -5)
    ] + [
        (segment_sums, (X, whole([first, end])), {"N": 1, "BT": 8}) for first in numbers for end in numbers[::3]
    ] + [
        (embed, (X, whole([numbers])), {"BT": 4}), (place, (X[:10], X[:10, 0].contiguous(), whole(numbers)), {"BT": 16})
    ]  # fmt: skip
    for kernel, arguments, keywords in runs:
        report = attn.simulate(kernel, *arguments, stage=stage, **keywords).report
        # Rows that a wrong list names twice are written twice.
        hazards = [hazard for hazard in report.hazards if kernel is not place or hazard.kind != "race"]
        assert not hazards, f"{kernel.__name__} {arguments[1:]}: {hazards}"
