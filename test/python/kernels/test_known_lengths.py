"""Kernels on cube and vector cores whose loops have a known number of iterations, since something takes a dimension whole."""

import pytest
import torch

import attn
import attn.language as at

STAGES = ("jit", "ascend", "ascendc", "hivm")
TOLERANCES = {torch.float32: (1e-4, 1e-4), torch.float16: (1e-2, 1e-2), torch.bfloat16: (8e-2, 4e-2)}


def randn(*shape, dtype=torch.float16):
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return torch.randn(*shape, generator=generator).to(dtype)


def verify(kernel, *arguments, reference, stages=STAGES, **options):
    tolerance = TOLERANCES[arguments[0].dtype]
    attn.verify(kernel, *arguments, reference=reference, tolerance=tolerance, stages=stages, **options).check()


@attn.kernel
def shifted(
    Q: at.Tensor["H M D"], K: at.Tensor["H N D"], V: at.Tensor["H N D"], shift: at.Tensor["N"], scale: float,
    BM: at.Auto(16, 128), BN: at.Auto(16, 128),
):  # fmt: skip
    """Attention whose scores are shifted by a sum over all keys, for which N is compiled in."""
    Y, L = at.empty_like(Q), at.empty("H M", at.f32)
    for h, m in at.grid(H, at.tiles(M, BM)):
        state, by = at.softmax_state(BM, D), at.sum(shift[:], 1)
        for n in at.range(at.tiles(N, BN), stages=2):
            state.push(scale * (Q[h, m, :] @ K[h, n, :].T) + by, V[h, n, :])
        Y[h, m, :], L[h, m] = state.finish()
    return Y, L


def ref_shifted(q, k, v, shift, scale):
    scores = scale * q @ k.mT + shift.sum()
    return torch.softmax(scores, 2) @ v, torch.logsumexp(scores, 2)


def arguments_of(rows, keys, width, dtype=torch.float16):
    q, k, v = (randn(2, length, width, dtype=dtype) for length in (rows, keys, keys + 1))
    return q, k, v[:, :keys], randn(keys, dtype=dtype) * 0.1, width**-0.5


@pytest.mark.parametrize(
    ("keys", "width", "dtype"),
    [
        (130, 64, torch.float16),
        (260, 64, torch.bfloat16),
        (200, 128, torch.float16),
        (130, 256, torch.bfloat16),
        (300, 48, torch.float32),
    ],
    ids=str,
)
def test_sizes_that_the_compiler_chooses(keys, width, dtype):
    verify(shifted, *arguments_of(70, keys, width, dtype), reference=ref_shifted)


@pytest.mark.parametrize("keys", [65, 193, 200])
@pytest.mark.parametrize(("preload", "lag"), [(0, 0), (1, 0), (1, 1), (2, 1), (3, 3), (4, 0)])
def test_distances(keys, preload, lag):
    """One to four iterations: none of the steady state, one, or some, in either half; the last tile lacks columns."""
    options = dict(BM=32, BN=64, preload=preload, lag=lag)
    verify(shifted, *arguments_of(40, keys, 64), reference=ref_shifted, stages=("ascend",), **options)


@attn.kernel
def drafted(Q: at.Tensor["H M D"], K: at.Tensor["H N D"], V: at.Tensor["H N D"], scale: float, BN: at.Auto(16, 128)):
    """The last M of N keys are those of the queries, of which each sees those up to its own."""
    Y = at.empty_like(Q)
    for h in at.grid(H):
        q, state = Q[h, :, :], at.softmax_state(M, D)
        for n in at.range(at.tiles(N - M, BN), stages=2):
            state.push(scale * (q @ K[h, n, :].T), V[h, n, :])
        own = at.tiles(M, M).idx >= at.arange(M)
        state.push(at.mask(scale * (q @ K[h, N - M : N, :].T), own), V[h, N - M : N, :])
        Y[h, :, :], _ = state.finish()
    return Y


@pytest.mark.parametrize(("rows", "keys", "width"), [(16, 300, 128), (64, 194, 128), (16, 146, 256)])
def test_keys_before_and_own_keys(rows, keys, width):
    def reference(q, k, v, scale):
        scores = scale * q @ k.mT
        later = torch.ones(rows, rows).triu(1).bool()
        scores[:, :, -rows:] = scores[:, :, -rows:].masked_fill(later, -torch.inf)
        return torch.softmax(scores, 2) @ v

    q, k, v = (randn(2, length, width, dtype=torch.bfloat16) for length in (rows, keys, keys + 1))
    verify(drafted, q, k, v[:, :keys], width**-0.5, reference=reference)


@pytest.mark.parametrize("preload", [3, 4])
def test_no_steady_state(preload):
    """Products of the loop around have no slots of those in loops that fill and drain."""
    q, k, v = (randn(2, length, 128, dtype=torch.bfloat16) for length in (16, 300, 301))
    assert not attn.simulate(drafted, q, k, v[:, :300], 0.1, BN=128, preload=preload).report.hazards


@attn.kernel
def known(
    Q: at.Tensor["H M D"], K: at.Tensor["H N D"], V: at.Tensor["H N D"], a: at.Tensor["M"], b: at.Tensor["N"], scale: float,
    W: at.Const[int], kind: at.Const[str], BM: at.Auto(16, 128), BN: at.Auto(16, 128),
):  # fmt: skip
    """Attention with a mask, of which both lengths are compiled in, since sums over them shift the scores."""
    Y, L = at.empty_like(Q), at.empty("H M", at.f32)
    for h, m in at.grid(H, at.tiles(M, BM)):
        state, by = at.softmax_state(BM, D), at.sum(a[:], 1) + at.sum(b[:], 1)
        for n in at.range(at.tiles(N, BN), stages=2):
            s, back = scale * (Q[h, m, :] @ K[h, n, :].T) + by, m.idx - n.idx.T
            if kind == "causal":
                s = at.mask(s, back >= 0)
            if kind == "band":
                s = at.mask(s, (back >= -W) & (back <= W))
            state.push(s, V[h, n, :])
        Y[h, m, :], L[h, m] = state.finish()
    return Y, L


def ref_known(q, k, v, a, b, scale, W, kind):
    back = torch.arange(q.shape[1])[:, None] - torch.arange(k.shape[1])
    seen = {"all": back == back, "causal": back >= 0, "band": back.abs() <= W}[kind]
    scores = (scale * q @ k.mT + a.sum() + b.sum()).masked_fill(~seen, -torch.inf)
    return torch.softmax(scores, 2).nan_to_num(0) @ v, torch.logsumexp(scores, 2)


# Rows, keys, columns, type, mask, width of a band, options, stages, and what was wrong there.
KNOWN = [
    (
        17,
        2,
        80,
        torch.float16,
        "all",
        0,
        dict(BM=64, BN=128, preload=0, lag=0),
        STAGES,
    ),  # areas of a reduction overlapped
    (
        127,
        300,
        16,
        torch.float16,
        "all",
        0,
        dict(BN=32, preload=1, lag=1),
        STAGES[1:2],
    ),  # a fill of the last tile raced
    (1, 15, 128, torch.bfloat16, "band", 20, dict(BM=16, BN=64), STAGES[1:3]),  # the text named what it did not use
    (127, 2, 128, torch.bfloat16, "causal", 0, dict(BM=32), STAGES[1:2]),  # a deadlock that there is none of
    (33, 16, 16, torch.float32, "band", 5, dict(BM=16, BN=64), STAGES[1:2]),  # the same
    (129, 2, 128, torch.float16, "band", 1, dict(BM=32, BN=128), STAGES[1:2]),  # slots that shared bytes
    (15, 300, 128, torch.bfloat16, "band", 1, {}, STAGES[1:2]),  # sizes that did not fit
    (64, 200, 128, torch.float32, "band", 100, dict(BN=128, preload=3, lag=0), STAGES[1:2]),  # the same
]


@pytest.mark.parametrize(("rows", "keys", "width", "dtype", "kind", "band", "options", "stages"), KNOWN, ids=str)
def test_both_lengths(rows, keys, width, dtype, kind, band, options, stages):
    q, k, v = (randn(2, length, width, dtype=dtype) for length in (rows, keys, keys + 1))
    shifts = (randn(length, dtype=dtype) * 0.1 for length in (rows, keys))
    arguments = (q, k, v[:, :keys], *shifts, width**-0.5, band, kind)
    verify(known, *arguments, reference=ref_known, stages=stages, **options)
