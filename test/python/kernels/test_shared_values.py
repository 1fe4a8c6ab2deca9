"""Softmax states of a few rows that share their values, on vector cores alone: `st.push(s, v)` without a product."""

import pytest
import torch

import attn
import attn.language as at
from list_kernels import randn, whole

pytestmark = pytest.mark.optimized

STAGES = ("jit", "ascend", "ascendc", "hivm")
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
LENS = [0, 1, 70, 33, 64, 3]


@attn.kernel
def attend_one(
    Q: at.Tensor["B D"], K: at.Tensor["B S D"], V: at.Tensor["B S Dv"], lens: at.Tensor["B"], scale: float,
    BN: at.Auto(8, 64),
):  # fmt: skip
    """Attention of one row per sequence over the first lens[b] of its keys."""
    out, lse = at.empty("B Dv", Q.dtype), at.empty("B", at.f32)
    for b in at.grid(B):
        q, st = Q[b, :], at.softmax_state(1, Dv)
        for s in at.range(at.tiles(lens[b], BN), stages=2):
            st.push((scale * at.sum(q * K[b, s, :], 1)).T, V[b, s, :])
        out[b, :], lse[b] = st.finish()
    return out, lse


def attend_one_reference(Q, K, V, lens, scale, **_):
    scores = scale * torch.einsum("bd,bsd->bs", Q, K)[:, None]
    out, lse = weigh_reference(scores, V, lens, 0)
    return out[:, 0], lse[:, 0]


@attn.kernel
def weigh(S: at.Tensor["B 4 L"], V: at.Tensor["B L Dv"], lens: at.Tensor["B"], first: int, BN: at.Auto(8, 64)):
    """The values from `first` to lens[b], weighted by four rows of scores."""
    out, lse = at.empty("B 4 Dv", S.dtype), at.empty("B 4", at.f32)
    for b in at.grid(B):
        g, st = at.tiles(4, 4), at.softmax_state(4, Dv)
        for s in at.range(at.tiles(lens[b], BN), stages=2):
            st.push(at.mask(S[b, g, s], first <= s.idx.T), V[b, s, :])
        out[b, g, :], lse[b, g] = st.finish()
    return out, lse


def weigh_reference(S, V, lens, first, **_):
    out, lse = torch.zeros(*S.shape[:2], V.shape[2], dtype=S.dtype), torch.full(S.shape[:2], -torch.inf, dtype=S.dtype)
    for b, count in enumerate(lens.long().tolist()):
        if count > first:
            scores = S[b, :, first:count]
            out[b], lse[b] = torch.softmax(scores, 1) @ V[b, first:count], torch.logsumexp(scores, 1)
    return out, lse


def after_lengths(x):
    """NaN wherever nothing may be read."""
    for b, count in enumerate(LENS):
        x[b, count:] = torch.nan
    return x


@pytest.mark.sweep
@pytest.mark.parametrize("BN", [8, 64, None], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_one_row(dtype, BN):
    Q, K = randn(len(LENS), 32, dtype=dtype), after_lengths(randn(len(LENS), 70, 32, dtype=dtype, seed=1))
    V = after_lengths(randn(len(LENS), 70, 40, dtype=dtype, seed=2))
    blocks = {"BN": BN} if BN else {}
    attn.verify(attend_one, Q, K, V, whole(LENS), 0.2, reference=attend_one_reference, stages=STAGES, **blocks).check()


@pytest.mark.sweep
@pytest.mark.parametrize("first", [0, 3, 40, 100], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_some_rows(dtype, first):
    S, V = randn(len(LENS), 4, 70, dtype=dtype), after_lengths(randn(len(LENS), 70, 40, dtype=dtype, seed=1))
    for b, count in enumerate(LENS):
        S[b, :, count:] = torch.nan
    attn.verify(weigh, S, V, whole(LENS), first, reference=weigh_reference, stages=STAGES, BN=16).check()


def test_no_cube_core_is_needed():
    specs = {"S": at.spec("? 4 ?", at.f16), "V": at.spec("? ? 64", at.f16), "lens": at.spec("?", at.i32)}
    text = weigh.compile(**specs).ascendc
    assert "Mmad" not in text and "__mix__" not in text
