"""Predicted times of attention residual forward against the roofline of its specification."""

import pytest

import attn
import attn.language as at
from kernels_dsl.attn_res import attn_res_fwd

# Tokens, and microseconds that the bytes alone take at 0.8 TB/s: N=8, D=4096, bf16.
ROOFLINE = [(1024, 94), (2048, 189), (4096, 378), (8192, 756)]


@pytest.mark.parametrize("tokens, roofline_us", ROOFLINE)
def test_within_twice_the_roofline(tokens, roofline_us):
    weights = at.spec("4096", at.bf16)
    report = attn.simulate(
        attn_res_fwd, at.spec(f"8 {tokens} 4096", at.bf16), weights, weights, 1e-6, soc="Ascend910B4", timing_only=True
    ).report
    assert roofline_us <= report.time_us <= 2 * roofline_us


def test_a_prediction_says_what_it_is():
    weights = at.spec("64", at.f32)
    report = attn.simulate(
        attn_res_fwd, at.spec("2 8 64", at.f32), weights, weights, 1e-6, soc="Ascend910B4", timing_only=True
    ).report
    text = str(report)
    assert "predicted" in text and "not measured" in text and "within" in text and "L2" in text
    assert "costs.md" in text
