"""Pictures of the benchmarks: the same bytes for the same numbers, so that a page changes only with its figures."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Line:
    """A line: its name, points (x, y), and whether it is a bound, which is dashed in the colour of the line before."""

    name: str
    points: list
    is_bound: bool = False


def new_axes(title: str, x_name: str, y_name: str):
    """A figure and its axes, with a grid."""
    import matplotlib

    matplotlib.use("Agg")
    # Names of SVG elements are random otherwise.
    matplotlib.rcParams["svg.hashsalt"] = "attn"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.4), layout="constrained")
    axes.set(title=title, xlabel=x_name, ylabel=y_name)
    axes.grid(color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def save(figure, axes, path: Path):
    """Writes a picture with its key at the right; the suffix of its path says how: .svg or .png."""
    from matplotlib import pyplot

    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    if path.suffix == ".svg":
        path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def plot_over_length(path: Path, title: str, x_name: str, y_name: str, lines):
    """Lines over a length, both axes logarithmic."""
    figure, axes = new_axes(title, x_name, y_name)
    axes.set(xscale="log", yscale="log")
    lengths = sorted({x for line in lines for x, _ in line.points})
    axes.set_xticks(lengths, [f"{x}" for x in lengths])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    colour = None
    for line in lines:
        if line.is_bound:
            axes.plot(*zip(*line.points), "--", color=colour, alpha=0.75, label=line.name)
        else:
            colour = axes.plot(*zip(*line.points), "o-", markersize=4, label=line.name)[0].get_color()
    save(figure, axes, path)
