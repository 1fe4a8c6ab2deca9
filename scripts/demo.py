#!/usr/bin/env python3
"""Compiles attention residual forward, runs it on the CPU and on the modelled chip, and compares both with PyTorch.

Times are predicted by the model of the chip, never measured; its known error is printed below the table.
"""

import sys

import torch

import attn
import attn.language as at
from attn import testing
from kernels_dsl.attn_res import attn_res_fwd

SOC = "Ascend910B4"
EPS = 1e-6
# blocks, tokens, width: a common layer, an odd width, and rows that do not fit the chip's memory whole
SHAPES = [(8, 128, 4096), (3, 185, 123), (8, 5, 16384)]
DTYPES = [torch.float32, torch.float16, torch.bfloat16]
HEADER = ("N x T x D", "type", "max error JIT", "max error chip", "UB bytes", "GM bytes", "predicted us", "of roofline")


def measure(shape, dtype):
    """One row of the table, and whether both results agree with the reference."""
    blocks, tokens, width = shape
    values, w_query, w_norm = inputs = testing.attn_res_inputs(blocks, tokens, width, dtype)
    reference = testing.attn_res_reference(values, w_query, w_norm, EPS)[0]
    tolerance = testing.ATTN_RES_H_TOLERANCE[dtype]
    jit = testing.compare(attn_res_fwd(*inputs, EPS)[0], reference, tolerance)
    run = attn.simulate(attn_res_fwd, *inputs, EPS, soc=SOC)
    chip = testing.compare(run.outputs[0], reference, tolerance)
    report = run.report
    row = (
        "x".join(map(str, shape)),
        str(dtype).removeprefix("torch."),
        f"{jit.max_error:.1e}",
        f"{chip.max_error:.1e}",
        f"{report.ub_bytes:,}",
        f"{report.gm_bytes:,}",
        f"{report.time_us:.1f}",
        f"{report.roofline_share:.0%}",
    )
    return row, jit.holds and chip.holds and not report.hazards, report


def main():
    print(f"attention residual forward, modelled chip {SOC}\n")
    specs = dict(V=at.spec("? ? 4096", at.bf16), wq=at.spec("4096", at.bf16), wn=at.spec("4096", at.bf16))
    text = attn_res_fwd.compile(**specs, soc=SOC).ascendc
    print(f"AscendC for D=4096, bf16: {len(text.splitlines())} lines\n")
    widths = (11, 9, 14, 15, 9, 11, 13, 12)
    print("".join(f"{name:>{width}}" for name, width in zip(HEADER, widths)))
    all_hold, known_errors = True, []
    for shape in SHAPES:
        for dtype in DTYPES:
            row, holds, report = measure(shape, dtype)
            all_hold &= holds
            known_errors = report.known_errors
            print("".join(f"{cell:>{width}}" for cell, width in zip(row, widths)) + ("" if holds else "  WRONG"))
    print("\n" + "\n".join(known_errors))
    print(
        "every result agrees with PyTorch in float64 within the tolerances of its type"
        if all_hold
        else "some results DISAGREE or raced"
    )
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
