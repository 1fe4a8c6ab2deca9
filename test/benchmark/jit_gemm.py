"""Products on the CPU: our JIT against torch.matmul in one process, by turns.

Square matrices, and the shapes of attention many times over. Goals: f32 at least 0.9 times as fast as PyTorch, bf16 at
least 0.8 times as fast as PyTorch's bf16 and never slower than our f32.
"""

import argparse
import sys
import time
from typing import NamedTuple

import attn
import attn.language as at
import host_comparison

GOALS = {"float32": 0.9, "bfloat16": 0.8}
SAME = 0.97  # of two equal times, what differs from one round to the next


class Shape(NamedTuple):
    """`groups` products of [m, k] and [k, n]."""

    groups: int
    m: int
    n: int
    k: int

    def __str__(self):
        return f"{self.groups} x {self.m}x{self.n}x{self.k}" if self.groups > 1 else f"{self.m}x{self.n}x{self.k}"


SHAPES = [
    Shape(1, 512, 512, 512),
    Shape(1, 1024, 1024, 1024),
    Shape(1, 2048, 2048, 2048),
    Shape(256, 128, 128, 64),
    Shape(64, 256, 512, 128),
]


@attn.kernel
def products(
    X: at.Tensor["B M K"], Y: at.Tensor["B K N"],
    BM: at.Auto(16, 256), BN: at.Auto(16, 256), BK: at.Auto(16, 256),
):  # fmt: skip
    """The product of each pair of matrices, in the type of the operands."""
    Z = at.empty("B M N", X.dtype)
    for b, m, n in at.grid(B, at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.zeros((BM, BN))
        for k in at.range(at.tiles(K, BK)):
            acc += X[b, m, k] @ Y[b, k, n]
        Z[b, m, n] = acc
    return Z


def operands(shape: Shape, dtype):
    import torch

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape.groups, shape.m, shape.k, generator=generator)
    y = torch.randn(shape.groups, shape.k, shape.n, generator=generator)
    return x.to(dtype), y.to(dtype)


def candidates(shape: Shape, dtype):
    """Functions by name; single matrices by the kernel of single matrices."""
    import torch

    from kernels_dsl.gemm import gemm

    x, y = operands(shape, dtype)
    if shape.groups > 1:
        return {"ours": lambda: products(x, y), "torch": lambda: torch.matmul(x, y)}
    a, b = x[0], y[0]
    return {"ours": lambda: gemm(a, b, narrow=True), "torch": lambda: torch.matmul(a, b)}


def check(functions: dict, dtype):
    import torch

    result, expected = (function().float() for function in functions.values())
    error = (result - expected).norm() / expected.norm()
    most = 1e-5 if dtype == torch.float32 else 1e-2
    if not error <= most:
        raise AssertionError(f"the relative error is {error:.2e}, more than {most}")


def report(shape: Shape, name: str, seconds: dict, goal: float, of: str):
    flops = 2 * shape.groups * shape.m * shape.n * shape.k
    ratio = seconds[of] / seconds[name]
    rates = ", ".join(
        f"{key} {value * 1e3:.2f} ms ({flops / value / 1e9:.0f} GFLOP/s)" for key, value in seconds.items()
    )
    reached = ratio >= goal
    print(
        f"{shape}: {rates}; {name} is {ratio:.2f} x as fast as {of}, goal {goal}, {'reached' if reached else 'MISSED'}"
    )
    return reached


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args(arguments).rounds

    import torch

    torch.set_num_threads(host_comparison.THREADS)
    reached = True
    for shape in SHAPES:
        functions = {}
        for name in GOALS:
            dtype = getattr(torch, name)
            pair = candidates(shape, dtype)
            check(pair, dtype)
            functions |= {f"{name} {key}": function for key, function in pair.items()}
        # Where a CPU has no instructions for bf16, PyTorch takes seconds: one round is enough to see that.
        slow = functions.pop("bfloat16 torch")
        seconds = host_comparison.measure(functions, rounds)
        start = time.perf_counter()
        slow()
        seconds["bfloat16 torch"] = time.perf_counter() - start
        if seconds["bfloat16 torch"] < 4 * seconds["float32 torch"]:
            seconds |= host_comparison.measure({"bfloat16 torch": slow}, rounds)
        for name, goal in GOALS.items():
            of_type = {key: value for key, value in seconds.items() if key.startswith(name)}
            reached &= report(shape, f"{name} ours", of_type, goal, f"{name} torch")
        ours = {key: value for key, value in seconds.items() if key.endswith("ours")}
        reached &= report(shape, "bfloat16 ours", ours, SAME, "float32 ours")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
