"""Paged decode attention over batches and lengths on the modelled Ascend910B2: predicted times, never measured, and plots.

`TB/s` and `of HBM` are of the bytes that are read and written at least; `reads` is how often keys and values are read, and
`balance` the tokens of a core, if all had the same, through those of the busiest. Times have the launch in them, and
where parts are merged that of the merge. IFA is the published time of npu_incre_flash_attention, measured on a device.
"""

import argparse
import sys
from pathlib import Path

import plots
import predicted_attention as predicted
from predicted_attention import Pages

BATCHES = (1, 4, 8, 16, 32, 64)
# Published microseconds of npu_incre_flash_attention in f16, by sequences and tokens, for 32 heads that share 8.
PUBLISHED = {(1, 4096): 78.1, (8, 2048): 81.8, (32, 2048): 272.5}


def cases(dtype: str):
    yield from (Pages(batch, 2048, (32, 8), dtype=dtype) for batch in BATCHES)
    yield from (Pages(1, length, (32, 8), dtype=dtype) for length in (4096, 8192, 32768, 131072))
    yield from (Pages(1, 32768, (heads, 8), dtype=dtype) for heads in (16, 40, 64))
    yield Pages(256, 8192, (16, 1), dtype=dtype)
    yield Pages(64, 8192, (32, 8), shorter=125, dtype=dtype)


def find_balance(case: Pages):
    """Of the plan, in tokens."""
    plan, *_ = predicted.plan_pages(case)
    pages = [-(-length // predicted.PAGE) for length in case.lengths]
    loads = [
        sum(
            pages[t.sequence] * (t.part + 1) // t.parts - pages[t.sequence] * t.part // t.parts for t in plan.tasks[i:j]
        )
        for i, j in plan.shares
    ]
    return sum(loads) / predicted.GROUPS / max(loads)


def draw_shares(path: Path, rows):
    figure, axes = plots.new_axes(
        "Paged attention (Ascend910B2, predicted)", "bytes of keys and values", "share of the roofline, which is HBM's"
    )
    axes.set(xscale="log", ylim=(0, 1))
    for dtype, marker in (("f16", "o"), ("bf16", "x")):
        own = [(case.least_bytes, report.roofline_share) for case, report in rows if case.dtype == dtype]
        axes.plot(*zip(*own), marker, label=dtype)
    plots.save(figure, axes, path)


def draw_ratios(path: Path, rows):
    figure, axes = plots.new_axes(
        "Paged attention, 32/8 heads, f16 (Ascend910B2)", "sequences", "published time of IFA / our predicted time"
    )
    axes.axhline(1, color="0.5", linewidth=1)
    for length in sorted({length for _, length in PUBLISHED}):
        own = [
            (case.sequences, PUBLISHED[case.sequences, length] / report.time_us)
            for case, report in rows
            if case.dtype == "f16" and case.heads == (32, 8) and case.length == length
            and (case.sequences, length) in PUBLISHED
        ]  # fmt: skip
        axes.plot(*zip(*own), "o-", label=f"L={length}")
    plots.save(figure, axes, path)


def main(arguments=None):
    """Prints a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="the folder in which paged-*.png are written")
    options = parser.parse_args(arguments)
    form = "{:<6}{:>5}{:>10}{:>7}{:>14}{:>8}{:>8}{:>8}{:>9}{:>8}"
    print(form.format("type", "B", "L", "heads", "predicted us", "TB/s", "of HBM", "reads", "balance", "IFA us"))
    rows = []
    for case in [*cases("f16"), *cases("bf16")]:
        report = predicted.predict_pages(case)
        rows.append((case, report))
        moved = case.least_bytes + 4 * case.sequences * case.heads[0] * predicted.WIDTH
        read = sum(report.traffic[array][0] for array in ("k", "v")) / case.least_bytes
        numbers = f"{moved / report.time_us / 1e6:.2f}", f"{report.roofline_share:.0%}", f"{read:.2f}"
        length = f"{case.lengths[-1]}-" * (case.shorter > 0) + f"{case.length}"
        size = case.dtype, case.sequences, length, "/".join(map(str, case.heads)), f"{report.time_us:.1f}"
        other = (
            PUBLISHED.get((case.sequences, case.length), "-") if case.heads == (32, 8) and case.dtype == "f16" else "-"
        )
        print(form.format(*size, *numbers, f"{find_balance(case):.2f}", other), flush=True)
    if options.plot:
        draw_shares(options.plot / "paged-hbm.png", rows)
        draw_ratios(options.plot / "paged-ifa.png", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
