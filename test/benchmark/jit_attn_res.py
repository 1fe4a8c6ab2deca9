"""Attention residual forward on the CPU: our JIT, PyTorch eager, torch.compile, and a plain read of the same bytes."""

import argparse
import sys

from host_comparison import DTYPES, THREADS, compile_formula, measure, report

BLOCKS, TOKENS, WIDTH, EPS = 8, 1024, 4096, 1e-6
GOAL = 1.5  # times as fast as torch.compile


def formula(V, wq, wn, eps):
    """What the kernel computes, as PyTorch says it: h, lse, scores and reciprocal norms."""
    import torch

    x = V.float()
    r = torch.rsqrt((x * x).mean(-1) + eps)
    s = r * (x * (wq.float() * wn.float())).sum(-1)
    a = torch.softmax(s, 0)
    return (a.unsqueeze(-1) * x).sum(0).to(V.dtype), torch.logsumexp(s, 0), s.T, r.T


def candidates(inputs):
    """What is compared, by name."""
    import torch
    from kernels_dsl.attn_res import attn_res_fwd

    words = inputs[0].view(torch.float32).view(-1)  # any sum reads every byte once; this one is fast
    compiled = compile_formula(formula, (*inputs, EPS))
    return {
        "our JIT": lambda: attn_res_fwd(*inputs, EPS),
        "PyTorch eager": lambda: formula(*inputs, EPS),
        "torch.compile": lambda: compiled(*inputs, EPS),
        "plain read of V": lambda: torch.sum(words),
    }


def check(functions, dtype: str):
    """Nothing is worth timing that is not right."""
    import torch

    tolerance = 1e-5 if dtype == "float32" else 2e-2
    for ours, theirs in zip(functions["our JIT"](), functions["PyTorch eager"]()):
        torch.testing.assert_close(ours.float(), theirs.float(), rtol=tolerance, atol=tolerance)


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
        functions = candidates(inputs)
        check(functions, dtype)
        seconds = measure(functions, options.rounds)
        title = f"N={BLOCKS} T={TOKENS} D={WIDTH} {dtype}, rates of V"
        reached &= report(title, seconds, inputs[0].nbytes / 1e9, GOAL, options.rounds)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
