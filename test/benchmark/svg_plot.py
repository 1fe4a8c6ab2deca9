"""Draws lines over a length, both axes logarithmic, as SVG text; the same bytes for the same numbers."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 440
LEFT, RIGHT, TOP, BOTTOM = 72, 230, 48, 56
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2")
STYLE = """
  text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; font-size: 12px; fill: #374151 }
  .title { font-size: 15px; font-weight: 600; fill: #111827 }
  .grid { stroke: #e5e7eb; stroke-width: 1 }
  .axis { stroke: #9ca3af; stroke-width: 1 }
  .line { fill: none; stroke-width: 2.2; stroke-linejoin: round }
  .bound { fill: none; stroke-width: 1.4; stroke-dasharray: 5 4; opacity: 0.75 }
"""


@dataclass(frozen=True)
class Line:
    """A line: its name, points (x, y), and whether it is a bound, which is dashed in the colour of the line before."""

    name: str
    points: list
    is_bound: bool = False


class _Scale:
    """Takes numbers to places on one axis, by their logarithm."""

    def __init__(self, low, high, start, end):
        self._low, self._span = math.log(low), math.log(high) - math.log(low)
        self._start, self._length = start, end - start

    def __call__(self, number):
        return round(self._start + self._length * (math.log(number) - self._low) / self._span, 1)


def _decades(low, high):
    """1, 2, 5, 10, ... from below `low` to above `high`."""
    numbers = [factor * 10.0**power for power in range(-1, 9) for factor in (1, 2, 5)]
    first = max(number for number in numbers if number <= low)
    last = min(number for number in numbers if number >= high)
    return [number for number in numbers if first <= number <= last]


def plot(title: str, x_name: str, y_name: str, lines):
    """The text of an SVG file."""
    xs = sorted({x for line in lines for x, _ in line.points})
    ticks = _decades(min(y for line in lines for _, y in line.points), max(y for line in lines for _, y in line.points))
    across = _Scale(xs[0], xs[-1], LEFT, WIDTH - RIGHT)
    up = _Scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">']
    parts += [f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>"]
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>')
    parts.append(_text(LEFT, 28, title, "start", "title"))
    parts += _axes(xs, ticks, across, up, x_name, y_name)
    parts += _draw(lines, across, up)
    return "\n".join([*parts, "</svg>", ""])


def _axes(xs, ticks, across, up, x_name, y_name):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for y in ticks:
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{up(y)}" x2="{right}" y2="{up(y)}"/>')
        parts.append(_text(LEFT - 8, up(y) + 4, f"{y:g}", "end"))
    for x in xs:
        parts.append(f'<line class="grid" x1="{across(x)}" y1="{TOP}" x2="{across(x)}" y2="{bottom}"/>')
        parts.append(_text(across(x), bottom + 18, f"{x}", "middle"))
    parts.append(f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>')
    parts.append(f'<line class="axis" x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{bottom}"/>')
    parts.append(_text((LEFT + right) / 2, HEIGHT - 14, x_name, "middle"))
    middle = (TOP + bottom) / 2
    return [*parts, f'<g transform="rotate(-90 18 {middle})">{_text(18, middle, y_name, "middle")}</g>']


def _draw(lines, across, up):
    """The lines, with a key at the right in the order of their last points."""
    parts, names, number = [], [], -1
    for line in lines:
        number += not line.is_bound
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{across(x)},{up(y)}" for x, y in line.points)
        kind = "bound" if line.is_bound else "line"
        parts.append(f'<polyline class="{kind}" stroke="{colour}" points="{points}"/>')
        if not line.is_bound:
            parts += [f'<circle cx="{across(x)}" cy="{up(y)}" r="3" fill="{colour}"/>' for x, y in line.points]
        names.append((up(line.points[-1][1]), line.name, colour, kind))
    place = TOP - 16
    for wanted, name, colour, kind in sorted(names):
        place = max(wanted, place + 17)
        left = WIDTH - RIGHT + 12
        parts.append(f'<line class="{kind}" stroke="{colour}" x1="{left}" y1="{place}" x2="{left + 18}" y2="{place}"/>')
        parts.append(_text(left + 24, place + 4, name, "start"))
    return parts


def _text(x, y, text, anchor, kind=None):
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{style}>{escape(text)}</text>'
