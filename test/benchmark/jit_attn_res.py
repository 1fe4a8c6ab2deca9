"""Attention residual forward on the CPU: our JIT, PyTorch eager, torch.compile, and a plain read of the same bytes."""

import sys

import host_comparison

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


def make_inputs(dtype):
    """V and both weights."""
    from attn import testing

    return testing.attn_res_inputs(BLOCKS, TOKENS, WIDTH, dtype)


def make_title(dtype, rates: str):
    return f"N={BLOCKS} T={TOKENS} D={WIDTH} {str(dtype).removeprefix('torch.')}, rates of {rates}"


def compare(dtype):
    import torch

    from kernels_dsl.attn_res import attn_res_fwd

    inputs = make_inputs(dtype)
    words = inputs[0].view(torch.float32).view(-1)  # any sum reads every byte once; this one is fast
    compiled = host_comparison.compile_formula(formula, (*inputs, EPS))
    functions = {
        "our JIT": lambda: attn_res_fwd(*inputs, EPS),
        "PyTorch eager": lambda: formula(*inputs, EPS),
        "torch.compile": lambda: compiled(*inputs, EPS),
        "plain read of V": lambda: torch.sum(words),
    }

    def check(functions):
        results = {name: functions[name] for name in ("PyTorch eager", "our JIT")}
        host_comparison.assert_close(results, 1e-5 if dtype == torch.float32 else 2e-2)

    yield host_comparison.Comparison(make_title(dtype, "V"), functions, check, inputs[0].nbytes / 1e9, GOAL)


def main(arguments=None):
    return host_comparison.run(__doc__, compare, arguments)


if __name__ == "__main__":
    sys.exit(main())
