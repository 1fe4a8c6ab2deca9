"""What checking the bounds of arrays costs on the CPU: the four kernels with and without checks, by turns."""

import argparse
import sys
import time

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


def measure(call, rounds: int):
    """The least seconds with and without checks: they differ by less than what else the machine does."""
    seconds: tuple[list, list] = [], []
    for _ in range(rounds):
        for bounds, times in zip((True, False), seconds):
            start = time.perf_counter()
            call(bounds=bounds)
            times.append(time.perf_counter() - start)
    return min(seconds[0]), min(seconds[1])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args(arguments).rounds

    import torch

    torch.set_num_threads(host_comparison.THREADS)
    reached = True
    print(f"{host_comparison.THREADS} threads, least of {rounds} rounds")
    for dtype in host_comparison.DTYPES:
        for kernels in (attn_res, neighborhood):
            for name, call in kernels(getattr(torch, dtype)).items():
                checked, unchecked = measure(call, rounds)
                reached &= checked <= GOAL * unchecked
                times = f"{checked * 1e3:8.3f} ms, without checks {unchecked * 1e3:8.3f} ms"
                print(f"  {name:<18}{dtype:<10}{times}  {checked / unchecked:6.3f} x")
    print(f"  goal at most {GOAL} x: {'reached' if reached else 'MISSED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
