"""Positions and masks: `span.idx`, `at.arange`, comparisons, logic, `at.where`, `at.mask`; part of the frontend.

A mask is a tile of f32 that holds 1 and 0. Positions are a tile of small integers and an integer that is the same for
all of them, so that comparing positions is exact wherever they lie: f32 holds integers to 2**24.
"""

from __future__ import annotations

import ast
import struct

from ..language import f32
from .hints import instead
from .parts import tile_dim
from .source import Node
from .values import Mask, Positions, Scalar, Symbol, Tile, Valid, describe, is_number, least, subtract_dims
from .writer import Writer

EXCLUDED = -struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
"""What excluded scores become: the lowest f32."""

LOWEST = -struct.unpack("<f", b"\xfe\xff\x7f\x7f")[0]
"""The lowest that a softmax takes as a score: the next f32 above EXCLUDED."""

TINIEST = 2.0**-126
"""What the sum of a softmax is at least: the smallest normal f32."""

_MOST_EXACT = 2**24
"""f32 holds every integer up to here."""

COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}

_KINDS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq"}


# Positions


def _ramp(writer: Writer, rows, cols, node: Node):
    result = Tile("", rows, cols, f32)
    return result._replace(ssa=writer.once(f"tile.ramp : {result.type}", node, label="ramp"))


def positions(writer: Writer, base, size, node: Node):
    """A column of `size` positions from `base` on."""
    return Positions(_ramp(writer, size, 1, node), base)


def transpose(lowering, value: Positions, node: Node):
    """`idx.T`: a column of positions as a row, and a row as a column."""
    rows, cols = value.tile.rows, value.tile.cols
    if not value.plain or 1 not in (rows, cols):
        raise lowering.error(node, "'.T' turns the positions of a span, before anything is added to others")
    return value._replace(tile=_ramp(lowering.writer, cols, rows, node))


def arange(lowering, node: ast.Call, name, n):
    """`at.arange(n)`: the row 0, 1, 2 and so on."""
    return Positions(_ramp(lowering.writer, 1, tile_dim(lowering, n, node, "the number of columns"), node), 0)


def _is_whole(value):
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or type(value) is Symbol or (type(value) is Scalar and value.type == "index")


# Comparisons


def compare(lowering, symbol: str, a, b, node: Node, name: str | None = None):
    """`a symbol b` where one of them is a tile or positions: a mask."""
    arithmetic = lowering.arithmetic
    if all(type(value) is Positions or _is_whole(value) for value in (a, b)):
        return _compare_positions(lowering, symbol, a, b, node, name)
    for value in (a, b):
        if type(value) not in (Tile, Positions, Scalar, Symbol) and not is_number(value):
            message = f"a comparison takes tiles, positions and numbers, not {describe(value)}{instead(value)}"
            raise lowering.error(node, message)
    if symbol == "!=":
        return negate(lowering, compare(lowering, "==", a, b, node), node, name)
    a, b = (arithmetic.operand(value, node, f"'{symbol}'") for value in (a, b))
    result = arithmetic.broadcast([a, b], node)
    text = f"tile.compare {_KINDS[symbol]} {a.ssa}, {b.ssa} : {a.type}, {b.type} -> {result.type}"
    return Mask(result._replace(ssa=lowering.writer.define(text, node, name)))


def _compare_positions(lowering, symbol: str, a, b, node: Node, name: str | None):
    """By the sign of a difference of integers: what is beyond 0 and 1 is cut off."""
    arithmetic = lowering.arithmetic
    if symbol in ("<", "<="):
        a, b, symbol = b, a, {"<": ">", "<=": ">="}[symbol]
    difference = arithmetic.binary("-", a, b, node)
    more = arithmetic.binary("+", difference.base, 1 if symbol == ">=" else 0, node)
    more = arithmetic.binary("at.maximum", more, -_MOST_EXACT, node)
    more = arithmetic.binary("at.minimum", more, _MOST_EXACT, node)
    distance = difference.tile if more == 0 else arithmetic.binary("+", difference.tile, more, node)
    if symbol in (">", ">="):
        reached = arithmetic.binary("at.maximum", distance, 0.0, node)
        return Mask(arithmetic.binary("at.minimum", reached, 1.0, node, name))
    apart = arithmetic.function("abs", distance, node)
    differs = Mask(arithmetic.binary("at.minimum", apart, 1.0, node, name))
    return differs if symbol == "!=" else negate(lowering, differs, node, name)


# Logic


def to_mask(lowering, value, node: Node, what: str):
    """Raises unless a value is a mask."""
    if type(value) is Mask:
        return value
    raise lowering.error(node, f"{what} takes masks, such as a < b, not {describe(value)}")


def negate(lowering, value, node: Node, name: str | None = None):
    """`~mask`."""
    mask = to_mask(lowering, value, node, "'~'")
    return Mask(lowering.arithmetic.binary("-", 1.0, mask.tile, node, name))


def _existing(lowering, valid, beside, node: Node):
    """The `.valid` of a window beside a mask of its taps: a mask of the band. Other values as they are."""
    if type(valid) is not Valid or type(beside) is not Mask or valid.span.first is None:
        return valid
    rows, taps = None, beside.tile.cols
    if isinstance(taps, int):
        rows = subtract_dims(valid.span.size, taps - 1)
    if rows is None or least(rows) < 1 or beside.tile.rows not in (1, rows):
        message = f"the '.valid' of a window of {valid.span.size} rows goes with masks of its taps"
        raise lowering.error(node, f"{message}, not with {describe(beside)}")
    window = lowering.spans.written(valid.span, node)
    band = Tile("", rows, taps, f32)
    return Mask(
        band._replace(ssa=lowering.writer.define(f"tile.band_mask {window.ssa} : {window.type} -> {band.type}", node))
    )


def combine(lowering, symbol: str, a, b, node: Node, name: str | None = None):
    """`a & b` or `a | b`."""
    a, b = _existing(lowering, a, b, node), _existing(lowering, b, a, node)
    a, b = (to_mask(lowering, value, node, f"'{symbol}'") for value in (a, b))
    word = {"&": "*", "|": "at.maximum"}[symbol]
    return Mask(lowering.arithmetic.binary(word, a.tile, b.tile, node, name))


# Choices


def where(lowering, node: ast.Call, name, mask, a, b):
    """`at.where(mask, a, b)`: nothing of what is not taken shows."""
    mask = to_mask(lowering, mask, node, "at.where")
    arithmetic = lowering.arithmetic
    a, b = (arithmetic.operand(value, node, "at.where") for value in (a, b))
    operands = [mask.tile, a, b]
    result = arithmetic.broadcast(operands, node)
    types = ", ".join(operand.type for operand in operands)
    text = f"tile.select {', '.join(operand.ssa for operand in operands)} : {types} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def exclude(lowering, node: ast.Call, name, s, mask: Mask):
    """`at.mask(s, mask)`: scores where the mask holds, the lowest number elsewhere."""
    shape = lowering.arithmetic.broadcast([s, mask.tile], node)
    if (shape.rows, shape.cols) != (s.rows, s.cols):
        raise lowering.error(node, f"at.mask takes a mask for {describe(s)}, not {describe(mask)}")
    return where(lowering, node, name, mask, s, EXCLUDED)
