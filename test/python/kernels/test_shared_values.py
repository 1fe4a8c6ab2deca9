"""Softmax states with values that all rows share, on the CPU, against float64."""

import pytest
import torch

import attn
import attn.language as at
from references import DTYPES, assert_close, names

# atol and rtol of |x - y| <= atol + rtol * |y|; rows of few keys round more.
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.float16: (5e-4, 2e-3), torch.bfloat16: (5e-3, 1e-2)}
LSE = (1e-5, 1e-5)
LENGTHS = [1, 15, 16, 17, 300]
EXCLUDED = torch.finfo(torch.float32).min


@attn.kernel
def attend(
    Q: at.Tensor["M D"], K: at.Tensor["N D"], V: at.Tensor["N Dv"], scale: float,
    BM: at.Auto(16, 128) = None, BN: at.Auto(16, 128) = None,
):  # fmt: skip
    o, lse = at.empty("M Dv", Q.dtype), at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        st = at.softmax_state(BM, Dv)
        for n in at.range(at.tiles(N, BN), stages=2):
            st.push(scale * (Q[m, :] @ K[n, :].T), V[n, :])
        o[m, :], lse[m] = st.finish()
    return o, lse


@attn.kernel
def mix(S: at.Tensor["M N"], V: at.Tensor["N Dv"], BM: at.Auto(16, 128) = None, BN: at.Auto(16, 128) = None):
    """The scores as they are given."""
    o, lse = at.empty("M Dv", at.f32), at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        st = at.softmax_state(BM, Dv)
        for n in at.range(at.tiles(N, BN)):
            st.push(S[m, n], V[n, :])
        o[m, :], lse[m] = st.finish()
    return o, lse


@attn.kernel
def mix_twice(
    S: at.Tensor["M N"], V: at.Tensor["N Dv"], R: at.Tensor["M P"], W: at.Tensor["P Dv"],
    BM: at.Auto(16, 128) = None, BN: at.Auto(16, 128) = None,
):  # fmt: skip
    """Two lists of scores and values, each pushed in a loop of its own, and the first of them once more."""
    o, lse = at.empty("M Dv", at.f32), at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        st = at.softmax_state(BM, Dv)
        for n in at.range(at.tiles(N, BN)):
            st.push(S[m, n], V[n, :])
            st.push(2.0 * S[m, n], V[n, :])
        for p in at.range(at.tiles(P, BN)):
            st.push(R[m, p], W[p, :])
        o[m, :], lse[m] = st.finish()
    return o, lse


@attn.kernel
def mix_own(S: at.Tensor["M N"], V: at.Tensor["N Dv"], own: at.Tensor["M Dv"], BM: at.Auto(16, 128) = None,
            BN: at.Auto(16, 128) = None):  # fmt: skip
    """One value of its own for each row besides those that all share."""
    o, lse = at.empty("M Dv", at.f32), at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        st = at.softmax_state(BM, Dv)
        x = own[m, :].to(at.f32)
        st.push(at.sum(x, 1), x, per_row=True)
        for n in at.range(at.tiles(N, BN)):
            st.push(S[m, n], V[n, :])
        o[m, :], lse[m] = st.finish()
    return o, lse


@attn.kernel
def mix_none(S: at.Tensor["M N"], V: at.Tensor["N Dv"], BM: at.Auto(16, 128) = None, BN: at.Auto(16, 128) = None):
    o, lse = at.empty("M Dv", at.f32), at.empty("M", at.f32)
    for m in at.grid(at.tiles(M, BM)):
        st = at.softmax_state(BM, Dv)
        for n in at.range(at.tiles(N - N, BN)):
            st.push(S[m, n], V[n, :])
        o[m, :], lse[m] = st.finish()
    return o, lse


def within(rows, cols, dtype, seed):
    """Random numbers with NaN all around them."""
    whole = torch.full((rows + 5, cols + 7), torch.nan, dtype=dtype)
    part = whole[2 : rows + 2, 3 : cols + 3]
    return part.copy_(torch.randn(rows, cols, generator=torch.Generator().manual_seed(seed)))


def softmax_sum(scores, values):
    """Weighted values and log-sum-exp of float64 scores; a row without any is 0 and -inf."""
    lse = torch.logsumexp(scores, 1)
    weights = torch.exp(scores - lse[:, None]).nan_to_num(0.0)
    return weights @ values.double(), lse


@pytest.mark.parametrize("keys", LENGTHS)
@pytest.mark.parametrize("rows", [1, 17, 130])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_attention(dtype, rows, keys):
    q, k, v = (within(*size, dtype, seed) for seed, size in enumerate([(rows, 64), (keys, 64), (keys, 48)]))
    o, lse = attend(q, k, v, 0.125)
    expected, expected_lse = softmax_sum(0.125 * q.double() @ k.double().T, v)
    assert_close("o", o, expected, TOLERANCE[dtype])
    assert_close("lse", lse, expected_lse, LSE)


@pytest.mark.parametrize("sizes", [{"BM": 16, "BN": 16}, {"BM": 32, "BN": 128}, {"BM": 128, "BN": 48}], ids=str)
def test_block_sizes(sizes):
    q, k, v = (within(*size, torch.bfloat16, seed) for seed, size in enumerate([(100, 32), (200, 32), (200, 80)]))
    o, lse = attend(q, k, v, 0.2, **sizes)
    expected, expected_lse = softmax_sum(0.2 * q.double() @ k.double().T, v)
    assert_close("o", o, expected, TOLERANCE[torch.bfloat16])
    assert_close("lse", lse, expected_lse, LSE)


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_weights_take_the_type_of_the_values(dtype):
    """Each weight is rounded for the product; the sum of the weights is not, and the log-sum-exp shows it."""
    scores, values = within(3, 40, torch.float32, 1), within(40, 16, dtype, 2)
    o, lse = mix(scores, values)
    weights = torch.exp(scores - scores.amax(1, keepdim=True))
    rounded = weights.to(dtype).double() @ values.double() / weights.double().sum(1, keepdim=True)
    assert_close("o", o, rounded, (2e-6, 2e-6))
    assert_close("lse", lse, torch.logsumexp(scores.double(), 1), LSE)


@pytest.mark.parametrize("keys", LENGTHS)
def test_several_pushes(keys):
    scores, values = within(20, keys, torch.float32, 1), within(keys, 32, torch.float32, 2)
    more, others = within(20, 33, torch.float32, 3), within(33, 32, torch.float32, 4)
    o, lse = mix_twice(scores, values, more, others)
    expected, expected_lse = softmax_sum(
        torch.cat([scores, 2 * scores, more], 1).double(), torch.cat([values, values, others])
    )
    assert_close("o", o, expected, TOLERANCE[torch.float32])
    assert_close("lse", lse, expected_lse, LSE)


def test_beside_values_of_each_row():
    scores, values, own = (within(*size, torch.float32, seed) for seed, size in enumerate([(20, 50), (50, 8), (20, 8)]))
    o, lse = mix_own(scores, values, own)
    every = torch.cat([scores, own.sum(1, keepdim=True)], 1).double()
    weights = torch.softmax(every, 1)
    assert_close("o", o, weights[:, :-1] @ values.double() + weights[:, -1:] * own.double(), TOLERANCE[torch.float32])
    assert_close("lse", lse, torch.logsumexp(every, 1), LSE)


def test_no_push():
    o, lse = mix_none(torch.randn(20, 30), torch.randn(30, 8))
    assert torch.equal(o, torch.zeros(20, 8))
    assert torch.equal(lse, torch.full((20,), -torch.inf))


@pytest.mark.parametrize("excluded", [EXCLUDED, -torch.inf], ids=["lowest", "infinite"])
def test_excluded_scores(excluded):
    """A row that is excluded whole in one tile, in all but one, and in all of them."""
    scores, values = within(40, 96, torch.float32, 1), within(96, 24, torch.float32, 2)
    scores[0, :32] = scores[1, 32:] = scores[2, :] = scores[3, :95] = excluded
    scores[10:30, 64:] = excluded
    o, lse = mix(scores, values, BM=16, BN=32)
    expected, expected_lse = softmax_sum(scores.double().where(scores > EXCLUDED, -torch.inf), values)
    assert torch.equal(o[2], torch.zeros(24)) and lse[2] == -torch.inf
    assert_close("o", o, expected, TOLERANCE[torch.float32])
    assert_close("lse", lse, expected_lse, LSE)


def test_large_scores():
    """Scores around plus and minus 18,000 in one row, and a maximum that grows from tile to tile."""
    scores, values = torch.full((3, 64), -18000.0), within(64, 16, torch.float32, 2)
    scores[0, 40], scores[1] = 18000.0, torch.linspace(-18000, 18000, 64)
    o, lse = mix(scores, values, BM=16, BN=16)
    expected, expected_lse = softmax_sum(scores.double(), values)
    assert_close("o", o, expected, TOLERANCE[torch.float32])
    assert_close("lse", lse, expected_lse, LSE)


@pytest.mark.parametrize("form", ["two-phase-reload", "two-phase-resident"])
def test_other_forms_are_refused(form):
    with pytest.raises(
        attn.CompileError, match="its values are shared by all rows, so that a push is a product"
    ) as error:
        mix(torch.randn(20, 30), torch.randn(30, 8), softmax=form)
    assert "at.softmax_state(BM, Dv)" in str(error.value)


def test_refused_on_the_chip():
    """Scores have as many columns as there are keys, and vector cores do not have columns of a span yet."""
    specs = {"Q": at.spec("? 64", at.bf16), "K": at.spec("? 64", at.bf16), "V": at.spec("? 64", at.bf16)}
    with pytest.raises(attn.CompileError, match="takes its columns from .* a span"):
        attend.compile(**specs, soc="Ascend910B4")
