"""Attention residual backward on the CPU, all three gradients: our JIT and the backward of torch.compile.

Both make their gradients anew in every call, as autograd does. Where memory is fresh, the system's work for its pages is
part of the time on both sides.
"""

import argparse
import sys

from host_comparison import DTYPES, THREADS, compile_backward, measure, report

BLOCKS, TOKENS, WIDTH, EPS = 8, 1024, 4096, 1e-6
GOAL = 3.0  # times as fast as torch.compile


def formula(V, wq, wn):
    """The forward, as PyTorch says it."""
    import torch

    x = V.float()
    r = torch.rsqrt((x * x).mean(-1) + EPS)
    s = r * (x * (wq.float() * wn.float())).sum(-1)
    a = torch.softmax(s, 0)
    return (a.unsqueeze(-1) * x).sum(0).to(V.dtype)


def candidates(inputs, dh):
    """What is compared, by name."""
    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

    h, lse, scores, norms = attn_res_fwd(*inputs, EPS)
    return {
        "our JIT": lambda: attn_res_bwd(dh, *inputs, h, lse, scores, norms),
        "torch.compile": compile_backward(formula, inputs, dh),
    }


def check(functions, dtype: str):
    """Nothing is worth timing that is not right; the weights' gradients are sums over all tokens, so by their norm."""
    import torch

    tolerance = 2e-5 if dtype == "float32" else 6e-2
    (dv, *weights), (expected_dv, *expected_weights) = functions["our JIT"](), functions["torch.compile"]()
    torch.testing.assert_close(dv.float(), expected_dv.float(), rtol=tolerance, atol=tolerance)
    for ours, theirs in zip(weights, expected_weights):
        error = (ours.double() - theirs.double()).norm() / theirs.double().norm()
        assert error <= tolerance, f"a weight's gradient is {error:.1e} off"


def main(arguments=None):
    """Prints the table; the exit code tells whether the goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args(arguments)

    import torch
    from attn import testing

    torch.set_num_threads(THREADS)
    reached = True
    for dtype in DTYPES:
        inputs = testing.attn_res_inputs(BLOCKS, TOKENS, WIDTH, getattr(torch, dtype))
        generator = torch.Generator().manual_seed(1)
        dh = torch.randn(TOKENS, WIDTH, generator=generator).to(inputs[0].dtype)
        functions = candidates(inputs, dh)
        check(functions, dtype)
        seconds = measure(functions, options.rounds)
        title = f"N={BLOCKS} T={TOKENS} D={WIDTH} {dtype}, rates of V and dV"
        reached &= report(title, seconds, 2 * inputs[0].nbytes / 1e9, GOAL, options.rounds)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
