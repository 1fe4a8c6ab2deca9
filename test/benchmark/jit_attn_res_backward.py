"""Attention residual backward on the CPU, all three gradients: our JIT and the backward of torch.compile.

Both make their gradients again in every call, as autograd does. Where memory is fresh, the system's work for its pages is
part of the time on both sides.
"""

import sys

import host_comparison
import jit_attn_res
from jit_attn_res import EPS, TOKENS, WIDTH

GOAL = 3.0  # times as fast as torch.compile


def formula(V, wq, wn):
    """The forward, as PyTorch says it; what else it computes is dead without a gradient."""
    return jit_attn_res.formula(V, wq, wn, EPS)[0]


def check(functions):
    """The weights' gradients are sums over all tokens, so by their norm."""
    import torch

    (dv, *weights), (expected_dv, *expected_weights) = functions["our JIT"](), functions["torch.compile"]()
    tolerance = 2e-5 if dv.dtype == torch.float32 else 6e-2
    torch.testing.assert_close(dv.float(), expected_dv.float(), rtol=tolerance, atol=tolerance)
    for ours, theirs in zip(weights, expected_weights):
        error = (ours.double() - theirs.double()).norm() / theirs.double().norm()
        assert error <= tolerance, f"a weight's gradient is {error:.1e} off"


def compare(dtype):
    import torch

    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

    inputs = jit_attn_res.make_inputs(dtype)
    dh = torch.randn(TOKENS, WIDTH, generator=torch.Generator().manual_seed(1)).to(dtype)
    h, lse, scores, norms = attn_res_fwd(*inputs, EPS)
    functions = {
        "our JIT": lambda: attn_res_bwd(dh, *inputs, h, lse, scores, norms),
        "torch.compile": host_comparison.compile_backward(formula, inputs, dh),
    }
    title = jit_attn_res.make_title(dtype, "V and dV")
    yield host_comparison.Comparison(title, functions, check, 2 * inputs[0].nbytes / 1e9, GOAL)


def main(arguments=None):
    return host_comparison.run(__doc__, compare, arguments)


if __name__ == "__main__":
    sys.exit(main())
