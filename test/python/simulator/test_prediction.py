"""Predicted times against rooflines: of bytes alone, and of products."""

import pytest

import attn
import attn.language as at
from kernels_dsl.attn_res import attn_res_fwd
from kernels_dsl.gemm import gemm

# Tokens, and microseconds that the bytes alone take at 0.8 TB/s: N=8, D=4096, bf16.
ROOFLINE = [(1024, 94), (2048, 189), (4096, 378), (8192, 756)]


@pytest.mark.parametrize("tokens, roofline_us", ROOFLINE)
def test_within_twice_the_roofline(tokens, roofline_us):
    weights = at.spec("4096", at.bf16)
    report = attn.simulate(
        attn_res_fwd, at.spec(f"8 {tokens} 4096", at.bf16), weights, weights, 1e-6, soc="Ascend910B4", timing_only=True
    ).report
    assert roofline_us <= report.time_us <= 2 * roofline_us


@pytest.mark.parametrize("dtype, depth", [(at.i8, 32), (at.f16, 16), (at.f32, 4)], ids=str)
def test_the_roofline_of_a_product_counts_its_operations(dtype, depth):
    """24 cube cores at 1.8 GHz multiply fractals of 16 by 16 with so many k in each cycle."""
    matrix = at.spec("2048 2048", dtype)
    report = attn.simulate(gemm, matrix, matrix, soc="Ascend910B2", timing_only=True).report
    assert "products: 17179869184 operations" in report.text
    assert report.roofline_us == pytest.approx(2048**3 / (16 * 16 * depth) / (24 * 1800))
    assert report.roofline_us < report.time_us


def test_the_roofline_of_a_product_counts_bytes_where_they_take_longer():
    """One row of products for each element that is read."""
    report = attn.simulate(
        gemm, at.spec("16 4096", at.f16), at.spec("4096 4096", at.f16), soc="Ascend910B2", timing_only=True
    ).report
    assert report.roofline_us > 4096**2 * 2 / 1.6e6


def test_a_prediction_says_what_it_is():
    weights = at.spec("64", at.f32)
    report = attn.simulate(
        attn_res_fwd, at.spec("2 8 64", at.f32), weights, weights, 1e-6, soc="Ascend910B4", timing_only=True
    ).report
    text = str(report)
    assert "predicted" in text and "not measured" in text and "within" in text and "L2" in text
    assert "costs.md" in text
