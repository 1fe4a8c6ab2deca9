"""What the benchmarks of the CPU have in common: our JIT against PyTorch in one process, by turns, on two threads."""

import statistics
import time

THREADS = 2
DTYPES = ("float32", "bfloat16")


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


def report(title: str, seconds: dict, gigabytes: float, goal: float, rounds: int):
    """Prints the times, the first of which is ours; tells whether it reaches the goal against every torch.compile."""
    ours = next(iter(seconds.values()))
    print(f"{title}, {THREADS} threads, lower quartile of {rounds} rounds")
    for name, value in seconds.items():
        rate = f"{gigabytes / value:6.1f} GB/s"
        print(f"  {name:<26}{value * 1e3:9.2f} ms  {rate}  {value / ours:6.2f} x the time of our JIT")
    opponent = min(value for name, value in seconds.items() if name.startswith("torch.compile"))
    reached = opponent / ours >= goal
    print(f"  goal {goal} x as fast as torch.compile: {opponent / ours:.2f} x, {'reached' if reached else 'MISSED'}")
    return reached
