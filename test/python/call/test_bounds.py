"""What a kernel on the CPU does with indices and divisors that make no sense: it says so, and touches nothing else."""

import pickle
import re

import pytest
import torch

import attn
import attn.language as at
from guarded_memory import Guarded
from kernel_text import expect_error

pytestmark = pytest.mark.optimized

X = torch.arange(40.0).reshape(10, 4)


@attn.kernel
def first_eight(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t] = at.sum(X[t, 0:8], 1)
    return Y


@attn.kernel
def shifted(X: at.Tensor["T D"], by: int, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t.shift(by), :]
    return Y


@attn.kernel
def stored_at(X: at.Tensor["T D"], by: int, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t.shift(by), :] = X[t, :]
    return Y


@attn.kernel
def row(X: at.Tensor["T D"], i: int):
    Y = at.empty("D", X.dtype)
    for _ in at.grid(1):
        Y[:] = X[i, :]
    return Y


@attn.kernel
def stepped(X: at.Tensor["T D"], offset: int, step: int, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t.map(offset, step), :]
    return Y


@attn.kernel
def in_columns(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        for c in at.range(at.cdiv(D, 64)):
            Y[t, c * 64 : c * 64 + 64] = X[t, c * 64 : c * 64 + 64] * 2
    return Y


@attn.kernel
def entry(V: at.Tensors["N", "T D"], n: int, BT: at.Auto(1, 64)):
    Y = at.empty("T D", V.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = V[n, t, :]
    return Y


@attn.kernel
def between(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    """The index is largest in the middle of the inner loop: no first or last iteration shows it."""
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        total = at.zeros((1, D))
        for n in at.range(8):
            total = total + X[n * (7 - n), :]
        Y[t, :] = X[t, :] + total
    return Y


@attn.kernel
def in_phases(X: at.Tensor["T D"], i: int, BT: at.Auto(1, 64)):
    S = at.empty("D", at.f32)
    G = at.scratch("D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        at.accumulate(G, at.sum(X[t, :], 0))
    at.phase()
    for c in at.grid(at.tiles(D, 16)):
        S[c.shift(i)] = G[c]
    return S


def expect_hazard(call, kind: str, message: str, underlined: str, error=attn.HazardError):
    """Checks that `call` raises a hazard which says `message` at the code `underlined`."""
    with pytest.raises(error) as caught:
        call()
    assert (caught.value.kind, caught.value.message) == (kind, message)
    first, line, caret = str(caught.value).splitlines()
    assert re.fullmatch(rf".*test_bounds\.py:\d+:\d+: {kind}: {re.escape(message)}", first)
    assert line[caret.index("^") :].startswith(underlined)


OUTSIDE = {
    "a slice wider than the rows": (
        lambda: first_eight(X),
        'load moves 10 rows of 8 elements at [0, 0] of array "X" of shape 10x4: index 7 of dimension 1, which has 4',
        "X[t, 0:8]",
    ),
    "an index past the end": (
        lambda: row(X, 10),
        'load moves 1 rows of 4 elements at [10, 0] of array "X" of shape 10x4: index 10 of dimension 0, which has 10',
        "X[i, :]",
    ),
    "an index before the begin": (
        lambda: row(X, -1),
        'load moves 1 rows of 4 elements at [-1, 0] of array "X" of shape 10x4: index -1 of dimension 0, which has 10',
        "X[i, :]",
    ),
    "rows that are shifted and not clipped": (
        lambda: shifted(X, 3, BT=64),
        'load moves 10 rows of 4 elements at [3, 0] of array "X" of shape 10x4: index 12 of dimension 0, which has 10',
        "X[t.shift(by), :]",
    ),
    "the least number there is": (
        lambda: row(X, -(2**63)),
        f'load moves 1 rows of 4 elements at [{-(2**63)}, 0] of array "X" of shape 10x4: '
        f"index {-(2**63)} of dimension 0, which has 10",
        "X[i, :]",
    ),
    "a store": (
        lambda: stored_at(X, 1, BT=64),
        'store moves 10 rows of 4 elements at [1, 0] of array "Y" of shape 10x4: index 10 of dimension 0, which has 10',
        "Y[t.shift(by), :]",
    ),
    "steps that overflow": (
        lambda: stepped(X, 0, 2**62, BT=64),
        f'load moves 10 rows of 4 elements at [0, 0] of array "X" of shape 10x4: '
        f"index {9 * 2**62} of dimension 0, which has 10",
        "X[t.map(offset, step), :]",
    ),
    "columns that the last strip lacks": (
        lambda: in_columns(torch.zeros(10, 100), BT=64),
        'load moves 10 rows of 64 elements at [0, 64] of array "X" of shape 10x100: '
        "index 127 of dimension 1, which has 100",
        "X[t, c * 64 : c * 64 + 64]",
    ),
    "an entry that a list lacks": (
        lambda: entry([X, X], 2),
        'lookup takes entry 2 of a list of 2, "V"',
        "V[n, t, :]",
    ),
    "an index between those of the first and the last iteration": (
        lambda: between(X),
        'load moves 1 rows of 4 elements at [10, 0] of array "X" of shape 10x4: index 10 of dimension 0, which has 10',
        "X[n * (7 - n), :]",
    ),
    "a later phase": (
        lambda: in_phases(X, 2),
        'store moves 1 rows of 4 elements at [2] of array "S" of shape 4: index 5 of dimension 0, which has 4',
        "S[c.shift(i)]",
    ),
}


@pytest.mark.parametrize("mistake", OUTSIDE)
def test_outside(mistake):
    call, message, underlined = OUTSIDE[mistake]
    expect_hazard(call, "out of bounds", message, underlined, attn.OutOfBoundsError)


def test_it_is_an_index_error():
    with pytest.raises(IndexError):
        row(X, 10)


def test_what_is_inside_is_computed():
    assert torch.equal(row(X, 9), X[9])
    assert torch.equal(shifted(X, 0), X)
    assert torch.equal(stepped(X, 9, -1), X.flip(0))
    assert torch.equal(stepped(X, 4, 0), X[4].expand(10, 4))
    wide = torch.randn(10, 128)
    assert torch.equal(in_columns(wide), 2 * wide)
    assert torch.equal(first_eight(torch.ones(3, 9)), torch.full((3,), 8.0))
    assert torch.equal(between(torch.ones(13, 4)), torch.full((13, 4), 9.0))
    torch.testing.assert_close(in_phases(X, 0), X.sum(0))


# Divisions


@attn.kernel
def quotient(X: at.Tensor["T D"], a: int, b: int):
    Y = at.empty("D", X.dtype)
    for _ in at.grid(1):
        Y[:] = X[0, :] * (a // b)
    return Y


@attn.kernel
def remainder(X: at.Tensor["T D"], a: int, b: int):
    Y = at.empty("D", X.dtype)
    for _ in at.grid(1):
        Y[:] = X[a % b, :]
    return Y


@attn.kernel
def negative(X: at.Tensor["T D"], a: int):
    Y = at.empty("D", X.dtype)
    for _ in at.grid(1):
        Y[:] = X[0, :] * (a // -1)
    return Y


@attn.kernel
def parts(X: at.Tensor["T D"], k: int, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(at.cdiv(T, k), BT)):
        Y[t, :] = X[t, :]
    return Y


@pytest.mark.parametrize(
    "call, message, underlined",
    [
        (lambda: quotient(X, 7, 0), "floordivsi divides by zero or overflows: 7 by 0", "a // b"),
        (
            lambda: quotient(X, -(2**63), -1),
            f"floordivsi divides by zero or overflows: {-(2**63)} by -1",
            "a // b",
        ),
        (
            lambda: negative(X, -(2**63)),
            f"floordivsi divides by zero or overflows: {-(2**63)} by -1",
            "a // -1",
        ),
        (lambda: remainder(X, 7, 0), "floordivsi divides by zero or overflows: 7 by 0", "a % b"),
        (lambda: parts(X, 0), "ceildivsi divides by zero or overflows: 10 by 0", "at.cdiv(T, k)"),
    ],
    ids=["quotient", "overflow", "overflow by a number", "remainder", "grid"],
)
def test_division(call, message, underlined):
    expect_hazard(call, "scalar unit", message, underlined, attn.DivisionError)


def test_quotients_are_those_of_python():
    for a, b in ((7, 2), (-7, 2), (7, -2), (2**62, 1)):
        assert torch.equal(quotient(X, a, b), X[0] * float(a // b))
    assert torch.equal(remainder(X, -7, 4), X[1])
    assert torch.equal(negative(X, 7), X[0] * -7.0)


# Numbers of tiles


@attn.kernel
def over(X: at.Tensor["M T D"], n: int, m: int, BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t, i in at.grid(at.tiles(n, BT), m):
        Y[i, t, :] = X[i, t, :]
    return Y


@pytest.mark.parametrize("n, m", [(-1, 1), (1, -1), (-2, -3), (-(2**63), 1), (0, 2**40)])
def test_a_grid_over_less_than_nothing_is_empty(n, m):
    kept = torch.full_like(X[None], 5.0)
    over.run({"X": X[None], "n": n, "m": m}, outputs={"Y": kept})
    assert torch.equal(kept, torch.full_like(X[None], 5.0))


def test_a_grid_of_too_many_tiles_is_refused():
    with pytest.raises(ValueError, match=r"the grid has \d+ tiles; at most 1073741824 are possible"):
        over(X[None], 2**62, 1)
    with pytest.raises(attn.OutOfBoundsError):
        over(X[None], 2**34, 1)


def test_an_integer_has_64_bits():
    with pytest.raises(ValueError, match=r"^i: 9223372036854775808 does not fit 64 bits$"):
        row(X, 2**63)


@attn.kernel
def huge(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        total = at.sum(at.exp(at.full((65536, 65536), 0.5) + X[0, 0:1]), 0)
        Y[t] = at.max(X[t, :], 1) + at.sum(total * total, 1)
    return Y


def test_tiles_that_no_machine_has_room_for_are_refused():
    with pytest.raises(attn.CompileError) as caught:
        huge(X)
    assert (
        caught.value.message == "the tiles of a block need 17179869184 bytes or more; at most 1073741824 are possible"
    )


# When it is found


@attn.kernel
def fixed_columns(X: at.Tensor["T 4"], BT: at.Auto(1, 64)):
    Y = at.empty("T", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t] = at.sum(X[t, 2:6], 1)
    return Y


@attn.kernel
def fixed_strips(X: at.Tensor["T 100"], BT: at.Auto(1, 64)):
    Y = at.empty("T 100", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        for c in at.range(2):
            Y[t, c * 64 : c * 64 + 64] = X[t, c * 64 : c * 64 + 64] * 2
    return Y


def test_what_numbers_decide_is_an_error_of_the_compiler():
    message = "index 5 lies outside dimension 1 of 'X', which has 4"
    expect_error(lambda: fixed_columns.compile(X=at.spec("? 4", at.f32)), message, "2:6")
    with pytest.raises(attn.CompileError) as caught:
        fixed_strips(torch.zeros(3, 100))
    assert caught.value.message == ('out of bounds: load takes index 127 of dimension 1 of array "X", which has 100')


@pytest.mark.parametrize("call", [lambda into: shifted.run({"X": X, "by": 3, "BT": 1}, outputs=into)])
def test_what_sizes_and_scalars_decide_is_found_before_the_launch(call):
    into = torch.full_like(X, 5.0)
    with pytest.raises(attn.OutOfBoundsError):
        call({"Y": into})
    assert torch.equal(into, torch.full_like(X, 5.0))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_tile_that_goes_wrong_is_reported(threads):
    """Whichever block finds what first: rows 3 and 4 of each five are outside, from row 8 on."""

    @attn.kernel
    def folded(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
        Y = at.empty_like(X)
        for t in at.grid(T):
            Y[t, :] = X[(t % 5) * (T - t) * t, :]
        return Y

    x = torch.zeros(101, 4)
    expected = next(t for t in range(101) if not 0 <= (t % 5) * (101 - t) * t < 101)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for _ in range(5):
            with pytest.raises(attn.OutOfBoundsError) as caught:
                folded(x)
            assert f"at [{(expected % 5) * (101 - expected) * expected}, 0]" in caught.value.message
    finally:
        torch.set_num_threads(before)


# What is touched


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("by", [1, 5, 9, 10, -1, -9, 10**6, -(2**40)])
def test_nothing_outside_is_touched(by, at_end):
    """The next byte is on a page that cannot be touched."""
    memory = Guarded()
    try:
        x, y = (memory.tensor((10, 4), (4, 1), torch.float32, at_end) for _ in range(2))
        for kernel in (shifted, stored_at):
            with pytest.raises(attn.OutOfBoundsError):
                kernel.run({"X": x, "by": by, "BT": 4}, outputs={"Y": y})
        with pytest.raises(attn.OutOfBoundsError):
            between.run({"X": x}, outputs={"Y": y})
    finally:
        del x, y
        memory.free()


# The rest


def test_checks_can_be_left_out():
    assert torch.equal(shifted(X, 0, bounds=False), X)
    with pytest.raises(attn.OutOfBoundsError):
        shifted(X, 1, bounds=True)


def test_a_hazard_goes_through_pickle():
    with pytest.raises(attn.OutOfBoundsError) as caught:
        row(X, 10)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.position) == (attn.OutOfBoundsError, str(caught.value), caught.value.position)


def test_the_words_are_those_of_the_modelled_chip():
    """Where both move the same rows, they say the same of the array; only the chip knows how far apart rows are."""
    with pytest.raises(attn.OutOfBoundsError) as caught:
        row(X, 10)
    hazard = attn.simulate(row, X, 10, soc="Ascend910B4").report.hazards[0]
    assert hazard.kind == caught.value.kind
    assert hazard.place[1] == caught.value.position[1]
    moved = re.sub(r", \d+ apart,", "", hazard.message).split(" ", 1)[1]
    assert caught.value.message.startswith(f"load {moved}: ")
