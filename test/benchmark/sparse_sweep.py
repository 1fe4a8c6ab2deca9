"""Block-sparse attention over sparsities: predicted times on the modelled Ascend910B2, and times of this CPU; with plots.

One line for each case, with blanks between: BQxBKV H B Sq Skv D frame sparsity equal ref ours. Times are in
microseconds. Of the sets `short`, `long` and `ours`, `ours` is predicted, never measured, and `equal` is `-`, as nothing is
computed; `ref` is the published time of npu_fusion_attention for the dense case, measured on a device, and in the set
`ours`, of which nothing is published, our predicted time without sparsity. Of the set `cpu`, both are means of calls that
were measured on this machine by turns, with other numbers in each, `ref` that of scaled_dot_product_attention without a mask.
"""

import argparse
import sys
import time
from pathlib import Path

import plots
import predicted_attention as predicted

# The least published microseconds of npu_fusion_attention without a mask, by heads and positions.
PUBLISHED_DENSE = {
    (3, 118806): 157210.33,
    (14, 4096): 784.19,
    (14, 10000): 4857.91,
    (16, 4096): 859.3,
    (16, 10000): 5696.26,
}
SPARSITIES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SIZES = (128, 256, 512, 1024)
LONG = 118806
# Tokens that every query sees, and that see every key, in the long set.
FRAME_TOKENS = 3600


def find_frame(block_shape):
    """Blocks at the left, right, top and bottom that are always kept."""
    queries, keys = block_shape
    return -(-FRAME_TOKENS // keys), 1, -(-FRAME_TOKENS // queries), 1


def short_cases():
    for heads in (14, 16):
        for length in (4096, 10000):
            yield [predicted.Lists(length, heads, (128, 512), sparsity) for sparsity in SPARSITIES]


def long_cases():
    for shape in ((queries, keys) for queries in SIZES for keys in SIZES):
        frame = find_frame(shape)
        yield [predicted.Lists(LONG, 3, shape, sparsity, frame=frame) for sparsity in SPARSITIES]


def our_cases():
    for shape in ((128, 128), (128, 512)):
        yield [predicted.Lists(16384, 16, shape, sparsity, batch=2, kv_heads=2) for sparsity in SPARSITIES]


def cpu_cases():
    yield [predicted.Lists(4096, 1, (128, 128), sparsity) for sparsity in SPARSITIES]


SETS = {"short": short_cases, "long": long_cases, "ours": our_cases, "cpu": cpu_cases}
# Of the longer ones, tiles are classed by their blocks and multiplied.
MOST_WHOLE = 10000
WARM_UPS = 2


def predict(cases):
    """Microseconds of each of the cases, which differ in their sparsity alone."""
    if cases[0].length <= MOST_WHOLE:
        return [predicted.predict_lists(case).time_us for case in cases]
    # Lists of all blocks are computed in other tiles.
    rates = {case.sparsity > 0: predicted.measure_rates(case) for case in (cases[0], cases[-1])}
    return [predicted.predict_by_classes(case, rates[case.sparsity > 0]) for case in cases]


def time_by_turns(calls, make, rounds: int, clock):
    """Microseconds of each call, with arguments that are made for each round: the mean of several rounds."""
    seconds = [0.0 for _ in calls]
    for number in range(WARM_UPS + rounds):
        arguments = make()
        for place, call in enumerate(calls):
            started = clock()
            call(*arguments)
            seconds[place] += clock() - started if number >= WARM_UPS else 0
    return [1e6 * total / rounds for total in seconds]


def measure(cases, rounds: int, clock):
    """Microseconds of each case on this CPU in f32, those of dense attention by turns with it, and which results are those
    of a mask."""
    import torch

    import attn.ops
    from attn import block_index

    generator, dense = torch.Generator().manual_seed(0), torch.nn.functional.scaled_dot_product_attention

    def make():
        shape = (1, cases[0].heads, cases[0].length, predicted.WIDTH)
        return [torch.randn(shape, generator=generator) for _ in range(3)]

    times, equal = [], []
    for case in cases:
        index = block_index.random_index(case.length, case.length, case.block_shape, case.sparsity)[None, None]
        q, k, v = make()
        kept = (index[..., None] == torch.arange(-(-case.length // case.block_shape[1]))).any(-2)
        mask = kept.repeat_interleave(case.block_shape[0], 2).repeat_interleave(case.block_shape[1], 3)
        ours = attn.ops.block_sparse_attention(q, k, v, index, case.block_shape)
        close = torch.isclose(ours, dense(q, k, v, attn_mask=mask[..., : case.length, : case.length]), 1e-3, 1e-5)
        equal.append("yes" if close.all() else "no")
        calls = (lambda *x: attn.ops.block_sparse_attention(*x, index, case.block_shape)), dense
        times.append(time_by_turns(calls, make, rounds, clock))
    return [ours for ours, _ in times], [other for _, other in times], equal


def show_progress(done: int, total: int, started: float):
    """A bar on the terminal, beside the lines that a file gets."""
    if sys.stderr.isatty():
        bar = "#" * (30 * done // total)
        print(f"\r[{bar:<30}] {done}/{total}, {time.monotonic() - started:.0f} s", end="", file=sys.stderr, flush=True)


def print_lines(cases, times, references, equal=None):
    for case, ours, dense, same in zip(cases, times, references, equal or ["-"] * len(cases)):
        shape, frame = "x".join(map(str, case.block_shape)), "/".join(map(str, case.frame))
        size = case.heads, case.batch, case.length, case.length, predicted.WIDTH
        reference = f"{dense:.1f}" if dense else "-"
        print(shape, *size, frame, f"{case.sparsity:.2f}", same, reference, f"{ours:.1f}", flush=True)


# What a plot of a set says it shows, and what its ratios are.
TITLES = {
    "short": ("short set (Ascend910B2, predicted)", "published dense / predicted time"),
    "long": ("long set (Ascend910B2, predicted)", "published dense / predicted time"),
    "ours": ("B=2, 16/2 heads, S=16384 (Ascend910B2, predicted)", "predicted time without / with sparsity"),
    "cpu": ("N=1, S=4096, f32 (CPU, measured)", "dense PyTorch / our time"),
}


def draw(path: Path, name: str, lines):
    """Dense time through ours over the sparsity: colours are keys of a block, styles its queries."""
    title, ratio = TITLES[name]
    figure, axes = plots.new_axes(f"Block-sparse attention, {title}", "sparsity", ratio)
    axes.axhline(1, color="0.5", linewidth=1)
    styles = dict(zip(SIZES, ("-", "--", "-.", ":")))
    for (queries, keys), heads, length, ratios in lines:
        label = f"{queries}x{keys}, N={heads}, S={length}" if name == "short" else f"{queries}x{keys}"
        colour = f"C{len(axes.lines) - 1 if name == 'short' else SIZES.index(keys)}"
        axes.plot(SPARSITIES, ratios, styles[queries], color=colour, label=label)
    plots.save(figure, axes, path)


def main(arguments=None):
    """Prints the lines of the sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", choices=list(SETS), help="all without")
    parser.add_argument("--plot", type=Path, help="the folder in which sparse-SET.png is written")
    parser.add_argument("--calls", type=int, default=10, help="of each case on the CPU")
    parser.add_argument("--alone", action="store_true", help="processor time of one thread, for a busy machine")
    options = parser.parse_args(arguments)
    if options.alone:
        import torch

        torch.set_num_threads(1)
    clock = time.thread_time if options.alone else time.perf_counter
    started = time.monotonic()
    for name in options.set or SETS:
        groups, lines = list(SETS[name]()), []
        for done, cases in enumerate(groups):
            show_progress(done, len(groups), started)
            first, equal = cases[0], None
            if name == "cpu":
                times, references, equal = measure(cases, options.calls, clock)
            else:
                times = predict(cases)
                dense = times[0] if name == "ours" else PUBLISHED_DENSE.get((first.heads, first.length))
                references = [dense] * len(cases)
            print_lines(cases, times, references, equal)
            if references[0]:
                ratios = [dense / ours for dense, ours in zip(references, times)]
                lines.append((first.block_shape, first.heads, first.length, ratios))
        show_progress(len(groups), len(groups), started)
        if options.plot and lines:
            draw(options.plot / f"sparse-{name}.png", name, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
