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
    O, L = at.empty_like(Q), at.empty("H M", at.f32)
    for h, m in at.grid(H, at.tiles(M, BM)):
        state, by = at.softmax_state(BM, D), at.sum(shift[:], 1)
        for n in at.range(at.tiles(N, BN), stages=2):
            state.push(scale * (Q[h, m, :] @ K[h, n, :].T) + by, V[h, n, :])
        O[h, m, :], L[h, m] = state.finish()
    return O, L


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
    O = at.empty_like(Q)
    for h in at.grid(H):
        q, state = Q[h, :, :], at.softmax_state(M, D)
        for n in at.range(at.tiles(N - M, BN), stages=2):
            state.push(scale * (q @ K[h, n, :].T), V[h, n, :])
        own = at.tiles(M, M).idx >= at.arange(M)
        state.push(at.mask(scale * (q @ K[h, N - M : N, :].T), own), V[h, N - M : N, :])
        O[h, :, :], _ = state.finish()
    return O


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
