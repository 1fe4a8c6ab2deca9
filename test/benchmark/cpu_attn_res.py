"""Attention residual forward on the CPU: our JIT, PyTorch eager, torch.compile of the formula, and a plain read of V.

One process, alternating rounds, lower quartiles; what counts are the ratios of one run.
"""

import argparse
import statistics
import sys
import time

import torch

from attn import testing
from kernels_dsl.attn_res import attn_res_fwd

THREADS = 2
EPS = 1e-6
SHAPE = (8, 1024, 4096)  # blocks, tokens, width
WANTED_RATIO = 1.5


def formula(values, w_query, w_norm, eps):
    """The forward as its mathematics reads, in f32."""
    wide = values.float()
    norms = (wide.square().mean(-1) + eps).rsqrt()
    scores = norms * (wide * (w_query.float() * w_norm.float())).sum(-1)
    weights = torch.softmax(scores, 0)
    h = (weights.unsqueeze(-1) * wide).sum(0).to(values.dtype)
    return h, torch.logsumexp(scores, 0), scores.T, norms.T


def check_threads(compiled, inputs):
    """torch.compile must run in parallel: the CPU time of a call exceeds its wall time."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(5):
        compiled(*inputs, EPS)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return cpu / wall


def measure(functions, rounds):
    """Seconds by name: the lower quartile of alternating rounds."""
    times = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            begin = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.quantiles(values, n=4)[0] for name, values in times.items()}


def run(dtype, rounds):
    inputs = testing.attn_res_inputs(*SHAPE, dtype)
    compiled = torch.compile(formula, dynamic=False)
    with torch.no_grad():
        results = {"attn": attn_res_fwd(*inputs, EPS), "torch.compile": compiled(*inputs, EPS)}
        reference = testing.attn_res_reference(*inputs, EPS)[0]
        for name, (h, *_) in results.items():
            assert testing.compare(h, reference, testing.ATTN_RES_H_TOLERANCE[dtype]).holds, name
        parallel = check_threads(compiled, inputs)
        # Any sum reads every byte once; of f32 it is the fastest that PyTorch has.
        flat = inputs[0].view(torch.float32).flatten()
        seconds = measure(
            {
                "attn": lambda: attn_res_fwd(*inputs, EPS),
                "torch.compile": lambda: compiled(*inputs, EPS),
                "PyTorch eager": lambda: formula(*inputs, EPS),
                "plain read of V": lambda: flat.sum(),
            },
            rounds,
        )
    name = str(dtype).removeprefix("torch.")
    print(f"\n{name}, N x T x D = {' x '.join(map(str, SHAPE))}, {THREADS} threads, {rounds} rounds, lower quartiles")
    print(f"torch.compile used {parallel:.1f} cores")
    size = inputs[0].numel() * inputs[0].element_size()
    for what, value in seconds.items():
        print(f"  {what:16} {value * 1e3:8.2f} ms  {size / value / 1e9:6.1f} GB/s of V  {value / seconds['attn']:6.2f} of attn")
    ratio = seconds["torch.compile"] / seconds["attn"]
    holds = ratio >= WANTED_RATIO
    print(f"  {ratio:.2f} times as fast as torch.compile, wanted {WANTED_RATIO}: {'ok' if holds else 'BELOW'}")
    return holds


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args(arguments)
    torch.set_num_threads(THREADS)
    return 0 if all([run(dtype, options.rounds) for dtype in (torch.float32, torch.bfloat16)]) else 1


if __name__ == "__main__":
    sys.exit(main())
