"""All families side by side: predicted times on the modelled chip, published times of other kernels, ratios on this CPU.

One or two cases of each family, which the benchmarks of the family have too. `predicted` is never measured; `model` is the
largest error of the model for published kernels of that kind. `published` is what others measured on a device, of a kernel
of theirs. `CPU` is measured here, in f32: the time of what is named through ours. Its shapes are those of the benchmarks of
the CPU, not those of the chip.
"""

import argparse
import functools
import re
import sys
from collections.abc import Callable
from typing import NamedTuple

import host_comparison
import jit_attention
import jit_attn_res
import jit_attn_res_backward
import jit_neighborhood
import predicted
import predicted_attention

# What the known errors of the model name, by kind of kernel: whole kernels of groups, and of vector cores their parts.
VECTOR, GROUPS = ("vector instructions", "copies to UB", "elementwise add"), ("mixed kernels",)
DENSE_LENGTH = 8192
HEAD = ("family", "case", "chip", "predicted us", "reached", "model", "published us", "of", "CPU", "against")


class Ratio(NamedTuple):
    """What is compared on the CPU: functions by name, of which the first is ours, what the others are called, and what
    raises where results differ."""

    functions: dict[str, Callable]
    opponents: str
    check: Callable


class Row(NamedTuple):
    """A case of a family, and how its figures are found."""

    family: str
    case: str
    soc: str
    kinds: tuple[str, ...]
    predict: Callable
    published: str = "-"
    by: str = "nothing published"
    compare: Callable[[], Ratio] | None = None


# Predictions


def predict_residual(kernel: str):
    (case,) = (case for case in predicted.attn_res_cases() if (case.kernel, case.length) == (kernel, 1024))
    return predicted.predict(case).report


def predict_neighborhood(backward: bool):
    import attn.language as at

    return predicted.predict(predicted.neighborhood_case(predicted.PRESETS[0], 4096, at.bf16, backward)).report


def predict_dense(causal=False):
    """As the operator launches it: lists of all blocks."""
    case = predicted_attention.Lists(DENSE_LENGTH, 1, (128, 128), 0.0, causal=causal)
    return predicted_attention.predict_lists(case)


# Comparisons on the CPU


@functools.cache
def comparisons_of(benchmark):
    import torch

    return [*benchmark.compare(torch.float32)]


def with_torch_compile(benchmark, number: int = 0):
    """A comparison of a benchmark with torch.compile, of whose formulations the fastest counts."""

    def make():
        compared = comparisons_of(benchmark)[number]
        functions = compared.functions
        kept = {name: function for name, function in functions.items() if name.startswith(("our", "torch.compile"))}
        return Ratio(kept, "torch.compile", lambda: compared.check(functions))

    return make


def with_torch(family: str, title: str):
    """The case of jit_attention.py that is called so."""

    def make():
        import torch

        cases = jit_attention.FAMILIES[family](torch.float32, "float32")
        case = next(case for case in cases if case.title.startswith(title))
        ours, opponent, *_ = case.functions
        functions = {name: case.functions[name] for name in (ours, opponent)}
        return Ratio(functions, opponent, lambda: jit_attention.check(case))

    return make


def find_ratio(ratio: Ratio, measure: Callable, rounds: int):
    """The time of the fastest of the others through ours."""
    ratio.check()
    ours, *others = measure(ratio.functions, rounds).values()
    return min(others) / ours


def rows():
    chip, groups = predicted.SOC, predicted_attention.SOC
    liger = "Liger-Kernel, 910B4"
    yield Row("attention residual", "forward T=1024 bf16", chip, VECTOR, lambda: predict_residual("forward, streaming"),
              "912.5", liger, with_torch_compile(jit_attn_res))  # fmt: skip
    yield Row("attention residual", "backward T=1024 bf16", chip, VECTOR,
              lambda: predict_residual("backward, streaming"), compare=with_torch_compile(jit_attn_res_backward))  # fmt: skip
    for number, direction in enumerate(("forward", "backward")):
        yield Row("neighbourhood", f"{direction} small S=4096 bf16", chip, VECTOR,
                  lambda number=number: predict_neighborhood(number == 1),
                  compare=with_torch_compile(jit_neighborhood, number))  # fmt: skip
    yield Row("dense", f"S={DENSE_LENGTH} bf16", groups, GROUPS, predict_dense, "292.6", "pto-isa manual, 910B2",
              with_torch("dense", "dense float32 S=2048 D=128"))  # fmt: skip
    yield Row("dense", f"S={DENSE_LENGTH} bf16 causal", groups, GROUPS, lambda: predict_dense(causal=True),
              compare=with_torch("dense", "dense float32 S=2048 D=128 causal"))  # fmt: skip
    for case, sparsity in zip(predicted_attention.SPARSE[1:3], (0.5, 0.9)):
        yield Row("block-sparse", f"S={case.length} N={case.heads} 128x512 p={sparsity} bf16", groups, GROUPS,
                  lambda case=case: predicted_attention.predict_lists(case), case.published, "torch_bsa, 910B2",
                  with_torch("sparse", f"block-sparse float32 N=1 p={sparsity}"))  # fmt: skip
    for case in predicted_attention.PAGED[1:3]:
        compare = with_torch("paged", "paged float32") if case.sequences == 8 else None
        yield Row("paged", f"B={case.sequences} L={case.length} 32/8 f16", groups, GROUPS,
                  lambda case=case: predicted_attention.predict_pages(case), case.published,
                  "SPMD kernel / IFA, A2", compare)  # fmt: skip


def find_error(kinds, known_errors):
    """The largest error that is known of those kinds."""
    known = dict(re.findall(r"(\w[\w ]*) within \d+% \(\d+ rows, largest error ([\d.]+%)\)", " ".join(known_errors)))
    return max((known[kind] for kind in kinds), key=lambda error: float(error.rstrip("%")))


def fill(row: Row, parts, measure: Callable, rounds: int):
    """The cells of a row; those that are left out are empty."""
    times, ratio = ("", "", ""), ("", "")
    if "predicted" in parts:
        report = row.predict()
        if report.hazards:
            raise RuntimeError(f"{row.family} {row.case}: {report.hazards[0]}")
        times = f"{report.time_us:.0f}", f"{report.roofline_share:.0%}", find_error(row.kinds, report.known_errors)
    if "cpu" in parts and row.compare:
        compared = row.compare()
        ratio = f"{find_ratio(compared, measure, rounds):.2f}", compared.opponents
    return (row.family, row.case, row.soc, *times, row.published, row.by, *ratio)


def as_markdown(cells):
    align = ["---:" if name in ("predicted us", "reached", "model", "CPU") else "---" for name in HEAD]
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEAD, align, *cells))


def as_text(cells):
    widths = [max(map(len, column)) for column in zip(HEAD, *cells)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in (HEAD, *cells))


def main(arguments=None):
    """Prints the table."""
    families = dict.fromkeys(row.family for row in rows())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", action="append", choices=list(families), help="all without; may be repeated")
    parser.add_argument("--without", action="append", choices=["predicted", "cpu"], default=[], help="leave that out")
    parser.add_argument("--rounds", type=int, default=7, help="of each comparison on the CPU")
    parser.add_argument("--alone", action="store_true", help="processor time of one thread, for a busy machine")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)

    import torch

    threads = 1 if options.alone else host_comparison.THREADS
    torch.set_num_threads(threads)
    measure = jit_attention.measure_alone if options.alone else host_comparison.measure
    parts = {"predicted", "cpu"}.difference(options.without)
    chosen = [row for row in rows() if not options.family or row.family in options.family]
    cells = [fill(row, parts, measure, options.rounds) for row in chosen]
    print((as_markdown if options.markdown else as_text)(cells))
    least = "least processor time" if options.alone else "lower quartile"
    print(
        "\npredicted: on the modelled chip, never measured; model: the largest known error for kernels of that kind, of"
    )
    print(
        "those of vector cores for their parts; published: measured by others, of their kernels; CPU: measured here, f32,"
    )
    print(f"{least} of {options.rounds} rounds, {threads} thread(s): times as fast as what is named")
    return 0


if __name__ == "__main__":
    sys.exit(main())
