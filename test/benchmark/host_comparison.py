"""What the benchmarks of the CPU have in common: our JIT against PyTorch in one process, by turns, on two threads."""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

THREADS = 2
DTYPES = ("float32", "bfloat16")


class Comparison(NamedTuple):
    """Functions that compute the same, by name; the first is ours. The goal is against those that begin with torch.compile."""

    title: str
    functions: dict[str, Callable]
    check: Callable  # raises where results differ: nothing is worth timing that is not right
    gigabytes: float  # what each has to read and write
    goal: float  # how many times as fast as the fastest torch.compile ours must be


def run(description: str, make_comparisons: Callable, arguments=None):
    """Makes the comparisons of each type, and prints their tables; the exit code tells whether all goals are reached."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args(arguments).rounds

    import torch

    torch.set_num_threads(THREADS)
    reached = True
    for dtype in DTYPES:
        for comparison in make_comparisons(getattr(torch, dtype)):
            comparison.check(comparison.functions)
            reached &= report(comparison, measure(comparison.functions, rounds), rounds)
    return 0 if reached else 1


def assert_close(functions: dict, tolerance: float):
    """All functions give what the first gives; they may give more than that, or less."""
    import torch

    ours, *others = functions.values()
    expected = ours()
    for other in others:
        for value, wanted in zip(other(), expected):
            torch.testing.assert_close(value.float(), wanted.float(), rtol=tolerance, atol=tolerance)


def compile_formula(formula, inputs):
    """torch.compile of a formula; it must keep the threads busy, or it would be no opponent."""
    import torch

    torch._dynamo.reset()
    compiled = torch.compile(formula)
    compiled(*inputs)
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(5):
        compiled(*inputs)
    busy = (time.process_time() - processor) / (time.perf_counter() - wall)
    print(f"torch.compile of {formula.__name__} keeps {busy:.1f} of {THREADS} threads busy")
    if busy < 0.75 * THREADS:
        print("  that is too little for a comparison: is the machine busy?")
    return compiled


def compile_backward(formula, inputs, gradient):
    """A function that runs the backward of a compiled formula, for all inputs that have gradients, as autograd calls it."""
    import torch

    leaves = [value.detach().requires_grad_() if value.is_floating_point() else value for value in inputs]
    torch._dynamo.reset()
    output = torch.compile(formula)(*leaves)
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    return lambda: torch.autograd.grad(output, wanted, gradient, retain_graph=True)


def measure(functions, rounds: int):
    """Seconds by name: the lower quartile of `rounds`, in which each has its turn."""
    times = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.quantiles(values, n=4)[0] for name, values in times.items()}


def report(comparison: Comparison, seconds: dict, rounds: int):
    """Prints the times; tells whether ours reaches the goal."""
    ours = next(iter(seconds.values()))
    print(f"{comparison.title}, {THREADS} threads, lower quartile of {rounds} rounds")
    for name, value in seconds.items():
        rate = f"{comparison.gigabytes / value:6.1f} GB/s"
        print(f"  {name:<26}{value * 1e3:9.2f} ms  {rate}  {value / ours:6.2f} x the time of our JIT")
    factor = min(value for name, value in seconds.items() if name.startswith("torch.compile")) / ours
    reached = factor >= comparison.goal
    print(f"  goal {comparison.goal} x as fast as torch.compile: {factor:.2f} x, {'reached' if reached else 'MISSED'}")
    return reached
