"""Bytes of global memory that kernels ask for, beside the bytes that their operators have to move at least.

The simulator counts before any cache. The shapes and limits are those of the specifications of the operators.
"""

import pytest

import attn
import attn.language as at
from kernels_dsl.attn_res import attn_res_bwd
from predicted import PRESETS, Preset, attn_res_cases, neighborhood_case, neighborhood_presets, predict

pytestmark = pytest.mark.optimized

SOC = "Ascend910B4"
# Megabytes that a pass over 1024 tokens moves at least: N=8, D=4096, bf16.
ATTN_RES_MEGABYTES = {
    "forward, streaming": 75.6,
    "forward, resident": 75.6,
    "backward, streaming": 151.1,
    "backward, resident": 142.7,
    "backward, frozen weights": 151.1,
}
# Preset, length, type, megabytes forward and backward.
NEIGHBORHOOD = [
    (Preset("2048", 2, 32, 128), 2048, at.bf16, 134.7, 235.4),
    (Preset("8192", 2, 32, 128), 8192, at.bf16, 539.0, 941.6),
    (Preset("small", 2, 8, 64), 4096, at.bf16, 33.8, 59.0),
    (Preset("small", 2, 8, 64), 4096, at.f32, 67.4, 117.7),
    (Preset("medium", 4, 12, 64), 4096, at.bf16, 101.4, 176.9),
    (Preset("medium", 4, 12, 64), 4096, at.f32, 202.1, 353.1),
    (Preset("large", 2, 16, 64, window=9), 4096, at.bf16, 67.6, 118.0),
    (Preset("large", 2, 16, 64, window=9), 4096, at.f32, 134.7, 235.4),
    (Preset("small_dilated", 2, 8, 64, dilation=2), 4096, at.bf16, 33.8, 59.0),
]


def workspace_bytes(report, names):
    """Bytes read and written of arrays that are neither arguments nor outputs."""
    return sum(read + written for name, (read, written) in report.traffic.items() if name not in names)


@pytest.mark.parametrize("case", [case for case in attn_res_cases() if case.length == 1024], ids=lambda c: c.kernel)
def test_attention_residual(case):
    """Weights and workspaces included, at most five per cent more than the least; V is read once."""
    report = predict(case).report
    assert case.least_bytes / 1e6 == pytest.approx(ATTN_RES_MEGABYTES[case.kernel], abs=0.05)
    assert report.gm_bytes <= 1.05 * case.least_bytes
    values = 8 * 1024 * 4096 * 2
    assert values <= report.traffic["V"][0] <= 1.02 * values


@pytest.mark.sweep
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("preset, length, dtype, forward_mb, backward_mb", NEIGHBORHOOD,
                         ids=[f"{row[0].name}-{row[2].name}" for row in NEIGHBORHOOD])  # fmt: skip
def test_neighborhood(preset, length, dtype, forward_mb, backward_mb, backward):
    """At most ten per cent more than the least, workspaces apart."""
    case = neighborhood_case(preset, length, dtype, backward)
    report = predict(case).report
    assert case.least_bytes / 1e6 == pytest.approx(backward_mb if backward else forward_mb, abs=0.05)
    names = {parameter.name for parameter in case.function.signature.parameters} | {"o", "lse", "dq", "dk", "dv"}
    assert report.gm_bytes - workspace_bytes(report, names) <= 1.10 * case.least_bytes


def test_every_preset_of_the_benchmark_runs():
    """The four of the specification, each type and direction at its shortest length; longer ones are the same kernels."""
    heads = {preset.name: (preset.batch, preset.heads * preset.width, preset.heads) for preset in PRESETS}
    windows = {preset.name: (preset.window, preset.dilation) for preset in PRESETS}
    assert heads == dict(small=(2, 512, 8), medium=(4, 768, 12), large=(2, 1024, 16), small_dilated=(2, 512, 8))
    assert windows == dict(small=(7, 1), medium=(7, 1), large=(9, 1), small_dilated=(7, 2))
    cases = list(neighborhood_presets())
    assert {case.length for case in cases} == {1024, 2048, 4096, 8192}
    for case in cases:
        if case.length == 1024:
            assert predict(case).report.time_us > 0, case.shape


@pytest.mark.parametrize("want_dv, want_dw", [(True, False), (False, True)])
def test_gradients_that_are_not_wanted_are_not_moved(want_dv, want_dw):
    """Without weight gradients there is no workspace; without dV nothing of it is stored."""
    row, weight = at.spec("1024 4096", at.bf16), at.spec("4096", at.bf16)
    lse, score = at.spec("1024", at.f32), at.spec("1024 8", at.f32)
    report = attn.simulate(
        attn_res_bwd, row, at.spec("8 1024 4096", at.bf16), weight, weight, row, lse, score, score,
        want_dv=want_dv, want_dw=want_dw, soc=SOC, timing_only=True,
    ).report  # fmt: skip
    assert ("dV" in report.traffic) == want_dv
    assert ("G" in report.traffic) == want_dw
