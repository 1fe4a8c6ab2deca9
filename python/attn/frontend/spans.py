"""Spans of rows: what their methods give, and how they are written to the IR; part of the frontend.

All of it is arithmetic on the ends of a span; `tile.make_span` is written once a span has a name or is used.
"""

from __future__ import annotations

import ast

from ..language import MAX_MORE
from .arithmetic import Arithmetic
from .masks import positions
from .source import Node, Source
from .values import Scalar, Span, Symbol, Tiles, Valid, add_dims, describe
from .writer import Writer

METHODS = {"clip": ("lo", "hi"), "window": ("left", "right", "limit"), "shift": ("by",), "map": ("offset", "step")}
"""The methods of spans with their parameters."""

_OPTIONAL = {"hi", "right", "limit"}


class Spans:
    """Gives the parts of spans and writes them."""

    def __init__(self, source: Source, writer: Writer, arithmetic: Arithmetic):
        self._error = source.error
        self._writer = writer
        self._arithmetic = arithmetic

    @staticmethod
    def of(value):
        """An `at.tiles` of a single span as that span; other values as they are."""
        if type(value) is Tiles and value.single:
            return Span(None, value.size, value.over, value.lower, value.upper)
        return value

    def written(self, span: Span, node: Node, name: str | None = None):
        """The span with its place in the IR."""
        if span.ssa is not None:
            return span
        index = self._arithmetic.index
        text = f"tile.make_span {index(span.base, node)} to {index(span.limit, node)}"
        if span.first is not None:
            text += f" from {index(span.first, node)}"
        if span.step is not None:
            text += f" map({index(span.offset, node)}, {index(span.step, node)})"
        return span._replace(ssa=self._writer.define(f"{text} : {span.type}", node, name))

    # Attributes

    def attribute(self, span: Span, attribute: str, node: Node, name: str | None = None):
        """`.base`, `.count`, `.idx` or `.valid`; None for another attribute."""
        if span.listed:
            raise self._several(attribute, node)
        if attribute == "base":
            return self._base(span, node, name)
        if attribute == "count":
            return self._count(span, node, name)
        if attribute == "idx":
            return positions(self._writer, self._base(span, node, name), span.size, node)
        return Valid(span) if attribute == "valid" else None

    def _base(self, span: Span, node: Node, name: str | None = None):
        if span.base is not None:
            return span.base
        ssa = self._writer.define(f"tile.span_base {span.ssa} : {span.type}", node, name)
        return Scalar(ssa, "index", axes=span.axes)

    def _count(self, span: Span, node: Node, name: str | None):
        """How many rows exist."""
        binary = self._arithmetic.binary
        base = self._base(span, node)
        end = binary("at.minimum", binary("+", base, span.size, node), span.limit, node)
        start = base if span.first is None else binary("at.maximum", base, span.first, node)
        return binary("at.maximum", binary("-", end, start, node), 0, node, name)

    def _several(self, what: str, node: Node):
        message = f"rows of several blocks have no '.{what}'"
        return self._error(node, f"{message}: give at.blocks spans of a number of rows that divides its step")

    # Methods

    def call(self, span: Span, method: str, positional, keywords, node: ast.Call):
        """`span.method(...)`, not written yet."""
        if span.listed:
            raise self._several(method, node)
        given = self._bind(method, positional, keywords, node)
        if span.step is not None:
            raise self._error(node, f"'.{method}' must be before '.map': it counts rows of the span")
        return getattr(self, f"_{method}")(span, node, *given)

    def _bind(self, method: str, positional, keywords, node: ast.Call):
        parameters = METHODS[method]
        bound = {**dict(zip(parameters, positional)), **keywords}
        needed = set(parameters) - _OPTIONAL
        if len(bound) != len(positional) + len(keywords) or bound.keys() - set(parameters) or needed - bound.keys():
            takes = ", ".join(f"{name}=" if name in _OPTIONAL else name for name in parameters)
            raise self._error(node, f".{method} takes ({takes})")
        for parameter, value in bound.items():
            self._arithmetic.check_index(value, node, f"'{parameter}' of .{method}")
        return [bound.get(parameter) for parameter in parameters]

    def _clip(self, span: Span, node: ast.Call, lo, hi):
        """`.clip(n)` cuts the end off, `.clip(lo, hi)` both ends."""
        base = self._base(span, node)
        if hi is None:
            return span._replace(ssa=None, base=base, limit=self._smaller(span.limit, lo, node))
        first = lo if span.first is None else self._arithmetic.binary("at.maximum", span.first, lo, node)
        return span._replace(ssa=None, base=base, limit=self._smaller(span.limit, hi, node), first=first)

    def _smaller(self, a, b, node: ast.Call):
        return a if a == b else self._arithmetic.binary("at.minimum", a, b, node)

    def _window(self, span: Span, node: ast.Call, left, right, limit):
        """`left` rows more before the span and `right` after it, as many where only one is given."""
        room = MAX_MORE - (span.size.more if type(span.size) is Symbol else 0)
        if right is None:
            more = 2 * self._window_side("left", left, room // 2, node)
        else:
            more = self._window_side("left", left, room, node)
            more += self._window_side("right", right, room - left, node)
        base = self._arithmetic.binary("-", self._base(span, node), left, node)
        limit = span.limit if limit is None else limit
        return span._replace(ssa=None, size=add_dims(span.size, more), base=base, limit=limit, first=0)

    def _window_side(self, side: str, rows, most: int, node: ast.Call) -> int:
        if not isinstance(rows, int):
            raise self._error(node, f"'{side}' of .window must be a number known at compile time, not {describe(rows)}")
        if not 0 <= rows <= most:
            raise self._error(node, f"'{side}' of .window is between 0 and {most}, not {rows}")
        return rows

    def _shift(self, span: Span, node: ast.Call, by):
        def moved(end):
            return None if end is None else self._arithmetic.binary("+", end, by, node)

        base = moved(self._base(span, node))
        return span._replace(ssa=None, over=None, base=base, limit=moved(span.limit), first=moved(span.first))

    def _map(self, span: Span, node: ast.Call, offset, step):
        if (offset, step) == (0, 1):
            return span
        return span._replace(ssa=None, over=None, base=self._base(span, node), offset=offset, step=step)
