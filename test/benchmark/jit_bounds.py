"""What checking the bounds of arrays costs on the CPU: the four kernels with and without checks, by turns."""

import argparse
import statistics
import sys
import time
from typing import NamedTuple

import host_comparison
import jit_attn_res
import jit_neighborhood

GOAL = 1.02  # times the time without checks, at most


def attn_res(dtype):
    """Calls of the kernels by name; each takes the option of the compiler."""
    import torch

    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

    inputs = jit_attn_res.make_inputs(dtype)
    dh = torch.randn(*inputs[0].shape[1:], generator=torch.Generator().manual_seed(1)).to(dtype)
    kept = attn_res_fwd(*inputs, jit_attn_res.EPS)
    return {
        "attn_res_fwd": lambda **option: attn_res_fwd(*inputs, jit_attn_res.EPS, **option),
        "attn_res_bwd": lambda **option: attn_res_bwd(dh, *inputs, *kept, **option),
    }


def neighborhood(dtype):
    """The same."""
    from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

    q, k, v, g, _ = jit_neighborhood.make_inputs(dtype)
    scale, options = jit_neighborhood.SCALE, dict(W=jit_neighborhood.WINDOW, dilated=False)
    _, lse = neighborhood_fwd(q, k, v, scale, 1, **options)
    return {
        "neighborhood_fwd": lambda **option: neighborhood_fwd(q, k, v, scale, 1, **options, **option),
        "neighborhood_bwd": lambda **option: neighborhood_bwd(
            g, q, k, v, lse, scale, 1, reload=True, **options, **option
        ),
    }


class Measured(NamedTuple):
    """The least seconds with and without checks, and the median of their ratios in each round.

    Rounds are compared and not times: the checks cost less than what else the machine does between two rounds.
    """

    checked: float
    unchecked: float
    ratio: float


def measure(call, rounds: int):
    """Calls with and without checks by turns; which is first alternates as well."""
    seconds: dict[bool, list] = {True: [], False: []}
    for turn in range(2 * rounds):
        bounds = turn % 4 in (0, 3)
        start = time.perf_counter()
        call(bounds=bounds)
        seconds[bounds].append(time.perf_counter() - start)
    checked, unchecked = seconds[True], seconds[False]
    return Measured(min(checked), min(unchecked), statistics.median(a / b for a, b in zip(checked, unchecked)))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args(arguments).rounds

    import torch

    torch.set_num_threads(host_comparison.THREADS)
    reached = True
    print(f"{host_comparison.THREADS} threads, {rounds} rounds: the least times, and the median of the ratios")
    for dtype in host_comparison.DTYPES:
        for kernels in (attn_res, neighborhood):
            for name, call in kernels(getattr(torch, dtype)).items():
                measured = measure(call, rounds)
                reached &= measured.ratio <= GOAL
                times = f"{measured.checked * 1e3:8.3f} ms, without checks {measured.unchecked * 1e3:8.3f} ms"
                print(f"  {name:<18}{dtype:<10}{times}  {measured.ratio:6.3f} x")
    print(f"  goal at most {GOAL} x: {'reached' if reached else 'MISSED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
