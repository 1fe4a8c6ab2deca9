"""Block-sparse attention over sparsities on the modelled Ascend910B2: predicted times, never measured, and their plot.

One line for each case, with blanks between: BQxBKV H B Sq Skv D frame sparsity equal ref ours. `equal` is `-`, as
nothing is computed; `ref` is the published time of npu_fusion_attention for the dense case, measured on a device; `ours`
is the predicted time. Both are in microseconds.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import plots
import predicted_attention as predicted

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT.parent / "shared/performance/block_sparse_published.csv"
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


SETS = {"short": short_cases, "long": long_cases}


def read_dense_times():
    """(heads, length) -> the least published microseconds of dense attention; empty where the figures are not at hand."""
    if not PUBLISHED.is_file():
        return {}
    with PUBLISHED.open() as file:
        rows = [row for row in csv.DictReader(file) if float(row["sparsity"]) == 0 and row["ref_us"]]
    times: dict[tuple[int, int], float] = {}
    for row in rows:
        case, measured = (int(row["H"]), int(row["S"])), float(row["ref_us"])
        times[case] = min(measured, times.get(case, measured))
    return times


def predict(cases):
    """Microseconds of each of the cases, which differ in their sparsity alone."""
    if cases[0].length < LONG:
        return [predicted.predict_lists(case).time_us for case in cases]
    rates = predicted.measure_rates(cases[0])
    return [predicted.predict_by_classes(case, rates) for case in cases]


def show_progress(done: int, total: int, started: float):
    """A bar on the terminal, beside the lines that a file gets."""
    if sys.stderr.isatty():
        bar = "#" * (30 * done // total)
        print(f"\r[{bar:<30}] {done}/{total}, {time.monotonic() - started:.0f} s", end="", file=sys.stderr, flush=True)


def print_lines(cases, times, dense):
    for case, ours in zip(cases, times):
        shape, frame = "x".join(map(str, case.block_shape)), "/".join(map(str, case.frame))
        size = case.heads, 1, case.length, case.length, predicted.WIDTH
        print(shape, *size, frame, f"{case.sparsity:.2f}", "-", f"{dense:.1f}" if dense else "-", f"{ours:.1f}")


def draw(path: Path, title: str, lines):
    """Published dense time through predicted time over the sparsity: colours are keys of a block, styles its queries."""
    figure, axes = plots.new_axes(f"{title} (Ascend910B2, predicted)", "sparsity", "published dense / predicted time")
    axes.axhline(1, color="0.5", linewidth=1)
    styles = dict(zip(SIZES, ("-", "--", "-.", ":")))
    for (queries, keys), heads, length, ratios in lines:
        name = f"{queries}x{keys}" if length == LONG else f"{queries}x{keys}, N={heads}, S={length}"
        colour = f"C{SIZES.index(keys) if length == LONG else len(axes.lines) - 1}"
        axes.plot(SPARSITIES, ratios, styles[queries], color=colour, label=name)
    plots.save(figure, axes, path)


def main(arguments=None):
    """Prints the lines of the sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", choices=list(SETS), help="all without")
    parser.add_argument("--plot", type=Path, help="the folder in which sparse-SET.png is written")
    options = parser.parse_args(arguments)
    dense, started = read_dense_times(), time.monotonic()
    for name in options.set or SETS:
        groups, lines = list(SETS[name]()), []
        for done, cases in enumerate(groups):
            show_progress(done, len(groups), started)
            times, first = predict(cases), cases[0]
            reference = dense.get((first.heads, first.length))
            print_lines(cases, times, reference)
            if reference:
                lines.append((first.block_shape, first.heads, first.length, [reference / ours for ours in times]))
        show_progress(len(groups), len(groups), started)
        if options.plot and lines:
            draw(options.plot / f"sparse-{name}.png", f"Block-sparse attention, {name} set", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
