"""Attention residual forward on the CPU: our JIT, PyTorch eager, torch.compile, and a plain read of the same bytes.

All four run in one process, by turns, on two threads; every figure is the lower quartile over the rounds.
"""

import argparse
import statistics
import sys
import time

BLOCKS, TOKENS, WIDTH, EPS = 8, 1024, 4096, 1e-6
THREADS = 2
DTYPES = ("float32", "bfloat16")
GOAL = 1.5  # times as fast as torch.compile


def formula(V, wq, wn, eps):
    """What the kernel computes, as PyTorch says it: h, lse, scores and reciprocal norms."""
    import torch

    x = V.float()
    r = torch.rsqrt((x * x).mean(-1) + eps)
    s = r * (x * (wq.float() * wn.float())).sum(-1)
    a = torch.softmax(s, 0)
    return (a.unsqueeze(-1) * x).sum(0).to(V.dtype), torch.logsumexp(s, 0), s.T, r.T


def compile_formula(inputs):
    """torch.compile of the formula; it must keep the threads busy, or it would be no opponent."""
    import torch

    torch._dynamo.reset()
    compiled = torch.compile(formula)
    compiled(*inputs, EPS)
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(5):
        compiled(*inputs, EPS)
    busy = (time.process_time() - processor) / (time.perf_counter() - wall)
    print(f"torch.compile keeps {busy:.1f} of {THREADS} threads busy")
    if busy < 0.75 * THREADS:
        print("  that is too little for a comparison: is the machine busy?")
    return compiled


def candidates(inputs):
    """What is compared, by name."""
    import torch
    from kernels_dsl.attn_res import attn_res_fwd

    V = inputs[0]
    words = V.view(torch.float32).view(-1)  # any sum reads every byte once; this one is fast
    compiled = compile_formula(inputs)
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


def measure(functions, rounds: int):
    """Seconds by name: the lower quartile of `rounds`, in which each has its turn."""
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.quantiles(values, n=4)[0] for name, values in times.items()}


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
        ours, gigabytes = seconds["our JIT"], inputs[0].nbytes / 1e9
        print(f"N={BLOCKS} T={TOKENS} D={WIDTH} {dtype}, {THREADS} threads, lower quartile of {options.rounds} rounds")
        for name, value in seconds.items():
            rate = f"{gigabytes / value:6.1f} GB/s of V"
            print(f"  {name:<18}{value * 1e3:9.2f} ms  {rate}  {value / ours:6.2f} x the time of our JIT")
        ratio = seconds["torch.compile"] / ours
        reached = reached and ratio >= GOAL
        print(f"  goal {GOAL} x as fast as torch.compile: {ratio:.2f} x, {'reached' if ratio >= GOAL else 'MISSED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
