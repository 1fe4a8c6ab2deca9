"""Windows of any size: wide ones are loops over their taps, and one-sided and even ones are bands like all others."""

import time

import pytest
import torch

import attn
import attn.language as at
import references
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
from kernels_dsl.neighborhood_wide import neighborhood_bwd_keys, neighborhood_bwd_queries

pytestmark = pytest.mark.optimized

SOC = "Ascend910B4"


@attn.kernel
def attend_near(
    Q: at.Tensor["S D"], K: at.Tensor["S D"], V: at.Tensor["S D"], scale: float,
    LEFT: at.Const[int], RIGHT: at.Const[int], BM: at.Auto(8, 64),
):  # fmt: skip
    """Each row attends to the LEFT rows before it, itself, and the RIGHT rows after it."""
    Y, L = at.empty_like(Q), at.empty("S", at.f32)
    for t in at.grid(at.tiles(S, BM)):
        near = t.window(LEFT, RIGHT)
        s = scale * at.band_dot(Q[t, :], K[near, :])
        p, L[t] = at.softmax(at.mask(s, near.valid))
        Y[t, :] = at.band_mix(p, V[near, :])
    return Y, L


@attn.kernel
def spread_near(P: at.Tensor["S D"], BM: at.Auto(8, 32), LEFT: at.Const[int], RIGHT: at.Const[int]):
    """The sum of each row's products with the rows around it, times these rows: `at.band_spread` in a single tile."""
    Y = at.empty_like(P)
    rows = at.tiles(40, 40)
    for t in at.grid(at.tiles(40, 40)):
        x = P[t, :].to(at.f32)
        around = at.band_spread(at.band_dot(x, P[t.window(LEFT, RIGHT), :]), x)
        Y[rows, :] = around[LEFT : LEFT + 40]
    return Y


def near(rows: int, left: int, right: int):
    """Which rows see which."""
    offset = torch.arange(rows)[None, :] - torch.arange(rows)[:, None]
    return (-left <= offset) & (offset <= right)


def attend(Q, K, V, scale, LEFT, RIGHT):
    scores = (scale * Q @ K.T).masked_fill(~near(len(Q), LEFT, RIGHT), -torch.inf)
    return torch.softmax(scores, 1) @ V, torch.logsumexp(scores, 1)


def make(rows: int, columns: int, count: int, dtype=torch.float32):
    generator = torch.Generator().manual_seed(rows + columns)
    return [torch.randn(rows, columns, generator=generator).to(dtype) for _ in range(count)]


SIDES = [(5, 0), (0, 5), (3, 4), (1, 0), (0, 0), (40, 0), (17, 16), (16, 16), (64, 3)]


@pytest.mark.parametrize("left, right", SIDES)
def test_windows_of_any_sides(left, right):
    q, k, v = make(75, 64, 3)
    stages = ("jit", "ascend", "ascendc", "hivm")
    attn.verify(attend_near, q, k, v, 0.2, LEFT=left, RIGHT=right, reference=attend, soc=SOC, stages=stages).check()


@pytest.mark.parametrize("left, right", [(5, 0), (3, 4), (40, 0), (20, 19)])
def test_spreading_over_windows_of_any_sides(left, right):
    def reference(P, LEFT, RIGHT):
        weights = (P @ P.T).masked_fill(~near(40, LEFT, RIGHT), 0.0)
        return weights.T @ P

    p = make(40, 64, 1)[0] / 8
    attn.verify(spread_near, p, LEFT=left, RIGHT=right, reference=reference, soc=SOC).check()


@pytest.mark.parametrize("band", ["halo", "gathered"])
def test_both_forms_as_loops(band):
    q, k, v = make(90, 64, 3, torch.bfloat16)
    result = attn.verify(
        attend_near, q, k, v, 0.2, LEFT=20, RIGHT=20, BM=16, band=band, reference=attend, soc=SOC,
        stages=("jit", "ascend", "hivm"),
    )  # fmt: skip
    result.check()


def specs(kernel, columns: int):
    array, column = at.spec(f"? ? ? {columns}", at.bf16), at.spec("? ? ?", at.f32)
    given = {"q": array, "k": array, "v": array}
    if kernel is neighborhood_fwd:
        return given
    given |= {"do": array, "lse": column}
    return given | {"cs": column} if kernel is neighborhood_bwd_keys else given


HALVES = (neighborhood_bwd_queries, neighborhood_bwd_keys)
WIDE = [(neighborhood_fwd, 64, {}), (neighborhood_fwd, 128, {}), (neighborhood_bwd, 16, {"reload": True})]
WIDE += [(kernel, columns, {}) for kernel in HALVES for columns in (16, 64, 128)]


@pytest.mark.parametrize("kernel, columns, constants", WIDE)
def test_a_window_of_257_compiles_within_a_second(kernel, columns, constants):
    for text in ("ascendc", "hivm"):
        start = time.process_time()
        lines = kernel.compile(**specs(kernel, columns), W=257, soc=SOC, **constants).ir(text).splitlines()
        assert time.process_time() - start < 1.0, text
        assert len(lines) <= 800, text


def test_text_does_not_grow_with_the_window():
    lengths = {
        len(neighborhood_fwd.compile(**specs(neighborhood_fwd, 64), W=window, soc=SOC, BM=16).ascendc.splitlines())
        for window in (65, 129)
    }
    assert max(lengths) - min(lengths) <= 8


@pytest.mark.parametrize("columns", [64, 128])
def test_a_window_of_257_runs_on_the_cpu(columns):
    q, k, v, g = (tensor[None, None] for tensor in make(300, columns, 4))
    expected = references.neighborhood(q, k, v, g, 257, 1, 0.125)
    start = time.process_time()
    o, lse = neighborhood_fwd(q, k, v, 0.125, 1, W=257)
    between = time.process_time()
    gradients = neighborhood_bwd(g, q, k, v, lse, 0.125, 1, W=257, reload=True)
    # The first call compiles.
    assert between - start < 3.0 and time.process_time() - between < 3.0
    references.assert_close("o", o, expected["o"], references.NEIGHBORHOOD_O[torch.float32])
    references.assert_close("lse", lse, expected["lse"], references.NEIGHBORHOOD_LSE)
    for name, found in zip(("dq", "dk", "dv"), gradients):
        references.assert_close(name, found, expected[name], references.NEIGHBORHOOD_GRADIENT[torch.float32])


def test_halves_of_a_backward():
    """What queries sum over their keys and keys over their queries are the gradients, with tails and missing rows."""
    q, k, v, g = (tensor[None, None] for tensor in make(150, 64, 4))
    c = torch.randn(1, 1, 150, generator=torch.Generator().manual_seed(1))
    expected = references.neighborhood(q, k, v, g, 41, 2, 0.125, c)
    lse = expected["lse"].float()
    stages, options = ("jit", "ascend", "ascendc", "hivm"), dict(W=41, soc=SOC)
    tolerance = references.NEIGHBORHOOD_GRADIENT[torch.float32]
    queries = attn.verify(
        neighborhood_bwd_queries, g, q, k, v, lse, 0.125, 2, dlse=c, **options, stages=stages, tolerance=tolerance
    )
    queries.check()
    dq, cs = queries.runs["ascend"].outputs
    references.assert_close("dq", dq, expected["dq"], tolerance)
    keys = attn.verify(
        neighborhood_bwd_keys, g, q, k, v, lse, cs, 0.125, 2, **options, stages=stages, tolerance=tolerance
    )
    keys.check()
    for name, found in zip(("dk", "dv"), keys.runs["ascend"].outputs):
        references.assert_close(name, found, expected[name], tolerance)
