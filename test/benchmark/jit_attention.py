"""Dense, block-sparse and paged attention on the CPU: our JIT against PyTorch in one process, by turns.

Dense attention against `scaled_dot_product_attention`, block-sparse attention against it with a mask, or without one where
nothing is left out, and paged attention against gathering the pages first.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import host_comparison

DENSE_LENGTHS = (1024, 2048, 4096)
SPARSE_LENGTH, SPARSE_WIDTH, SPARSE_BLOCKS = 4096, 128, (128, 128)
PAGED = dict(sequences=8, length=4096, heads=(32, 8), width=128, page=128)


class Case(NamedTuple):
    """Functions by name, of which the first is ours and the second computes the same. Goals are how many times as fast
    as others ours must be: as the second, and as those that `more_goals` names."""

    title: str
    functions: dict[str, Callable]
    goal: float
    tolerance: float
    more_goals: tuple[tuple[str, float], ...] = ()


def draw(*shape, dtype):
    import torch

    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def dense_cases(dtype, name):
    import torch

    import attn.ops

    for length in DENSE_LENGTHS:
        for width in (64, 128):
            for causal in (False, True):
                q, k, v = (draw(1, 4, length, width, dtype=dtype) + step for step in (0, 1, 2))
                functions = {
                    "ours": lambda q=q, k=k, v=v, causal=causal: attn.ops.flash_attention(q, k, v, causal=causal),
                    "torch": lambda q=q, k=k, v=v, causal=causal: torch.nn.functional.scaled_dot_product_attention(
                        q, k, v, is_causal=causal
                    ),
                }
                title = f"dense {name} S={length} D={width}{' causal' if causal else ''}"
                goal = 1.3 if causal else 0.95 if dtype == torch.float32 else 1.0
                yield Case(title, functions, goal, host_tolerance(dtype))


def sparse_cases(dtype, name):
    import torch

    import attn.ops
    from attn import block_index

    attend, length = torch.nn.functional.scaled_dot_product_attention, SPARSE_LENGTH
    for heads in (1, 8):
        q, k, v = (draw(1, heads, length, SPARSE_WIDTH, dtype=dtype) + step for step in (0, 1, 2))
        for sparsity, goal in ((0.0, 0.95), (0.5, 2.5), (0.9, 8.0)):
            lists = [block_index.random_index(length, length, SPARSE_BLOCKS, sparsity, head=h) for h in range(heads)]
            index = torch.stack(lists)
            blocks = (index[..., None] == torch.arange(length // SPARSE_BLOCKS[1])).any(-2)
            mask = blocks.repeat_interleave(SPARSE_BLOCKS[0], 1).repeat_interleave(SPARSE_BLOCKS[1], 2)[None]
            functions = {"ours": lambda q=q, k=k, v=v, index=index: attn.ops.block_sparse_attention(q, k, v, index)}
            if sparsity:
                functions["torch masked"] = lambda q=q, k=k, v=v, mask=mask: attend(q, k, v, attn_mask=mask)
            functions["torch dense"] = lambda q=q, k=k, v=v: attend(q, k, v)
            yield Case(f"block-sparse {name} N={heads} p={sparsity}", functions, goal, host_tolerance(dtype))


def paged_cases(dtype, name):
    import torch

    import attn.ops

    count, length, (heads, kv_heads), width, page = PAGED.values()
    pages = length // page
    q = draw(count, heads, width, dtype=dtype)
    k, v = (draw(count * pages, page, kv_heads, width, dtype=dtype) for _ in range(2))
    table = torch.randperm(count * pages, generator=torch.Generator().manual_seed(0)).view(count, pages).int()
    lengths = torch.full((count,), length, dtype=torch.int32)

    def gather():
        keys, values = (cache[table.long()].flatten(1, 2).transpose(1, 2) for cache in (k, v))
        attend = torch.nn.functional.scaled_dot_product_attention
        return attend(q.unsqueeze(2), keys, values, enable_gqa=True).squeeze(2)

    # As words of one size whatever the type is: a sum in bf16 would be arithmetic, not reading.
    functions = {
        "ours": lambda: attn.ops.paged_attention(q, k, v, table, lengths),
        "torch gathered": gather,
        "torch reads": lambda: (k.view(torch.float32).sum(), v.view(torch.float32).sum()),
    }
    title = f"paged {name} b{count} ctx {length} {heads}/{kv_heads} heads, {k.nbytes + v.nbytes >> 20} MiB of pages"
    yield Case(title, functions, 6.0, host_tolerance(dtype), (("torch reads", 0.8),))


def host_tolerance(dtype):
    import torch

    return 1e-4 if dtype == torch.float32 else 3e-2


FAMILIES = dict(dense=dense_cases, sparse=sparse_cases, paged=paged_cases)


def check(case: Case):
    import torch

    ours, other, *_ = case.functions.values()
    torch.testing.assert_close(ours().float(), other().float(), rtol=case.tolerance, atol=case.tolerance)


def report(case: Case, seconds: dict):
    ours, opponent, *_ = seconds
    times = ", ".join(f"{name} {value * 1e3:.2f} ms" for name, value in seconds.items())
    goals = {opponent: case.goal} | dict(case.more_goals)
    ratios = {name: seconds[name] / seconds[ours] for name in seconds if name != ours}
    reached = all(ratios[name] >= goal for name, goal in goals.items())
    results = []
    for name, ratio in ratios.items():
        outcome = "reached" if ratio >= goals.get(name, 0.0) else "MISSED"
        results.append(f"{ratio:.2f} x {name}" + (f" (goal {goals[name]}, {outcome})" if name in goals else ""))
    print(f"{case.title}: {times}; {', '.join(results)}", flush=True)
    return reached


def measure_alone(functions, rounds: int):
    """Seconds of processor time by name, on one thread: the least of `rounds`, which other work on the machine changes
    less than the time of two threads."""
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.thread_time()
            function()
            times[name].append(time.thread_time() - start)
    return {name: min(values) for name, values in times.items()}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--alone", action="store_true", help="processor time of one thread, for a busy machine")
    parser.add_argument("families", nargs="*", help=f"which of {', '.join(FAMILIES)}; all without")
    options = parser.parse_args(arguments)

    import torch

    torch.set_num_threads(1 if options.alone else host_comparison.THREADS)
    measure = measure_alone if options.alone else host_comparison.measure
    reached = True
    for family in options.families or FAMILIES:
        for name in host_comparison.DTYPES:
            for case in FAMILIES[family](getattr(torch, name), name):
                check(case)
                reached &= report(case, measure(case.functions, options.rounds))
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
