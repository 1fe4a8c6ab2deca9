"""Predicted times of the kernels at the shapes of their specifications, on the modelled chip: never measured.

Each row has the predicted time, the share of the roofline that it reaches, and the bytes of global memory that the
kernel asks for beside those that it needs at least. With --write, docs/Benchmarks.md and its pictures get the figures.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import plots

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/Benchmarks.md"
SOC = "Ascend910B4"
HEAD = ("kernel", "shape", "predicted us", "roofline us", "reached", "GM MB", "of the least")


@dataclass(frozen=True)
class Case:
    """One run: what is run on which specs, and the bytes that it moves at least."""

    kernel: str
    shape: str
    length: int
    function: object
    arguments: tuple
    keywords: dict
    least_bytes: int


@dataclass(frozen=True)
class Row:
    """A case and what is predicted for it."""

    case: Case
    report: object

    def cells(self):
        report, case = self.report, self.case
        return (
            case.kernel,
            case.shape,
            f"{report.time_us:.0f}",
            f"{report.roofline_us:.0f}",
            f"{report.roofline_share:.0%}",
            f"{report.gm_bytes / 1e6:.1f}",
            f"{report.gm_bytes / case.least_bytes:.3f}",
        )


# Attention residual: N=8, D=4096, bf16


def attn_res_cases():
    """Forward and backward in both forms, and the backward with frozen weights, over the number of tokens."""
    import attn.language as at
    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

    blocks, width, element = 8, 4096, 2
    weight, statistics = at.spec(str(width), at.bf16), 4 * (2 * blocks + 1)
    one, all_values = width * element, blocks * width * element
    for tokens in (1024, 2048, 4096, 8192):
        values, row = at.spec(f"{blocks} {tokens} {width}", at.bf16), at.spec(f"{tokens} {width}", at.bf16)
        lse, score = at.spec(str(tokens), at.f32), at.spec(f"{tokens} {blocks}", at.f32)

        def backward(name, h, **keywords):
            least = tokens * (2 * all_values + one * (2 if h else 1) + statistics)
            arguments = (row, values, weight, weight, h, lse, score, score)
            return Case(f"backward, {name}", f"T={tokens}", tokens, attn_res_bwd, arguments, keywords, least)

        for form in ("streaming", "resident"):
            least = tokens * (all_values + one + statistics)
            arguments, keywords = (values, weight, weight, 1e-6), {"form": form}
            yield Case(f"forward, {form}", f"T={tokens}", tokens, attn_res_fwd, arguments, keywords, least)
        yield backward("streaming", row, form="streaming")
        yield backward("resident", None, form="resident")
        yield backward("frozen weights", row, form="streaming", want_dw=False)


# Neighbourhood attention


@dataclass(frozen=True)
class Preset:
    """A preset of neighbourhood attention: batch, heads, width of a head, window and dilation."""

    name: str
    batch: int
    heads: int
    width: int
    window: int = 7
    dilation: int = 1


SWEEP = Preset("sweep", 2, 32, 128)
PRESETS = (
    Preset("small", 2, 8, 64),
    Preset("medium", 4, 12, 64),
    Preset("large", 2, 16, 64, window=9),
    Preset("small_dilated", 2, 8, 64, dilation=2),
)


def neighborhood_case(preset: Preset, length: int, dtype, backward: bool):
    """One case of neighbourhood attention."""
    import attn.language as at
    from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

    positions = preset.batch * preset.heads * length
    tensor = at.spec(f"{preset.batch} {preset.heads} {length} {preset.width}", dtype)
    lse = at.spec(f"{preset.batch} {preset.heads} {length}", at.f32)
    scale = preset.width**-0.5
    tensors = 7 if backward else 4
    return Case(
        "backward" if backward else "forward",
        f"{preset.name} S={length} {dtype.name}",
        length,
        neighborhood_bwd if backward else neighborhood_fwd,
        ((tensor,) * 4 + (lse,) if backward else (tensor,) * 3) + (scale, preset.dilation),
        {"W": preset.window, "dilated": preset.dilation > 1},
        positions * (tensors * preset.width * dtype.bytes + 4),
    )


def neighborhood_sweep():
    """B=2, H=32, D=128, K=7, bf16, over the length."""
    import attn.language as at

    for length in (64, 128, 256, 512, 1024, 2048, 4096, 8192):
        for backward in (False, True):
            yield neighborhood_case(SWEEP, length, at.bf16, backward)


def neighborhood_presets():
    """The presets of the benchmark."""
    import attn.language as at

    for preset in PRESETS:
        for dtype in (at.bf16, at.f32):
            for length in (1024, 2048, 4096, 8192):
                for backward in (False, True):
                    yield neighborhood_case(preset, length, dtype, backward)


# Title of each table, its cases, and for a plot: the file and what the length is called.
TABLES = (
    ("Attention residual, N=8, D=4096, bf16", attn_res_cases, ("predicted-attn-res.svg", "tokens T")),
    (
        "Neighbourhood attention, B=2, H=32, D=128, K=7, bf16",
        neighborhood_sweep,
        ("predicted-neighborhood.svg", "length S"),
    ),
    ("Neighbourhood attention, presets", neighborhood_presets, None),
)


def predict(case: Case):
    """The row of a case."""
    import attn

    report = attn.simulate(
        case.function, *case.arguments, **case.keywords, soc=SOC, timing_only=True, ideal_bytes=case.least_bytes
    ).report
    if report.hazards:
        raise RuntimeError(f"{case.kernel} {case.shape}: {report.hazards[0]}")
    return Row(case, report)


def as_text(rows):
    cells = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    align = [str.ljust, str.ljust, *[str.rjust] * (len(HEAD) - 2)]
    return "\n".join("  ".join(a(c, w) for a, c, w in zip(align, line, widths)).rstrip() for line in cells)


def as_markdown(rows):
    lines = [HEAD, ("---", "---", *["---:"] * (len(HEAD) - 2)), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def draw(path: Path, title: str, x_name: str, rows):
    """Predicted times, and a roofline for each, over the length."""
    lines = []
    for kernel in dict.fromkeys(row.case.kernel for row in rows):
        own = [row for row in rows if row.case.kernel == kernel]
        lines.append(plots.Line(kernel, [(row.case.length, row.report.time_us) for row in own]))
        bound = [(row.case.length, row.report.roofline_us) for row in own]
        if bound not in [line.points for line in lines]:  # two forms of a kernel may have one roofline
            lines.append(plots.Line(f"{kernel}: roofline", bound, is_bound=True))
    plots.plot_over_length(path, f"{title} ({SOC}, predicted)", x_name, "predicted time in µs", lines)


def write(number: int, title: str, picture, rows):
    """Puts a table, and its picture where it has one, into the page."""
    text = PAGE.read_text()
    mark = f"<!-- table {number} -->"
    table = re.compile(rf"{mark}\n.*?\n<!-- end -->", re.DOTALL)
    if not table.search(text):
        raise RuntimeError(f"{PAGE.name} has no '{mark}'")
    PAGE.write_text(table.sub(lambda _: f"{mark}\n{as_markdown(rows)}\n<!-- end -->", text))
    if picture:
        name, x_name = picture
        draw(PAGE.parent / "images" / name, title, x_name, rows)


def main(arguments=None):
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the figures into docs/Benchmarks.md")
    options = parser.parse_args(arguments)
    for number, (title, cases, picture) in enumerate(TABLES, 1):
        rows = [predict(case) for case in cases()]
        print(f"{title}; {SOC}\n{as_text(rows)}\n", flush=True)
        if options.write:
            write(number, title, picture, rows)
    print("\n".join(rows[0].report.known_errors))
    return 0


if __name__ == "__main__":
    sys.exit(main())
