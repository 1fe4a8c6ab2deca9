"""Bands and softmax: rows against a window of rows around each; part of the frontend.

A band over m rows with K taps: tap t of row r belongs to row r + t of a window of m + K - 1 rows.
"""

from __future__ import annotations

import ast

from ..language import f32
from .masks import LOWEST, TINIEST, exclude
from .parts import tile_dim
from .values import Mask, Tile, Valid, add_dims, describe, subtract_dims

_HIDDEN = 1e30
"""How far a tap that does not exist lies below all scores; finite, so that no score becomes NaN."""


def _operands(lowering, node: ast.Call, word: str, *values):
    for value in values:
        if type(value) is not Tile:
            raise lowering.error(node, f"at.{word} takes tiles, not {describe(value)}")
    return [lowering.arithmetic.operand(value, node, f"at.{word}") for value in values]


def _check_columns(lowering, node: ast.Call, word: str, a: Tile, b: Tile):
    if a.cols != b.cols:
        raise lowering.error(node, f"at.{word} takes tiles of equal columns, not {describe(a)} and {describe(b)}")


def _checked_taps(lowering, node: ast.Call, word: str, taps) -> int:
    if not isinstance(taps, int) or taps < 1:
        found = f"one or more, not {taps}" if isinstance(taps, int) else "known at compile time"
        raise lowering.error(node, f"at.{word} needs a number of taps, {found}")
    return taps


def _check_window(lowering, node: ast.Call, word: str, rows, taps: int, window):
    needed = add_dims(rows, taps - 1)
    if needed != window:
        message = f"at.{word} needs a window of {needed} rows for {rows} rows and {taps} taps"
        raise lowering.error(node, f"{message}, not {window}")


def band_dot(lowering, node: ast.Call, name, q, k):
    """The products of each row with the rows of its window."""
    q, k = _operands(lowering, node, "band_dot", q, k)
    _check_columns(lowering, node, "band_dot", q, k)
    more = subtract_dims(k.rows, q.rows)
    taps = _checked_taps(lowering, node, "band_dot", more + 1 if isinstance(more, int) else None)
    result = Tile("", q.rows, taps, f32)
    text = f"tile.band_dot {q.ssa}, {k.ssa} : {q.type}, {k.type} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def band_mix(lowering, node: ast.Call, name, p, v):
    """The weighted sum of the rows of each row's window."""
    p, v = _operands(lowering, node, "band_mix", p, v)
    _checked_taps(lowering, node, "band_mix", p.cols)
    _check_window(lowering, node, "band_mix", p.rows, p.cols, v.rows)
    result = Tile("", p.rows, v.cols, f32)
    text = f"tile.band_mix {p.ssa}, {v.ssa} : {p.type}, {v.type} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def band_spread(lowering, node: ast.Call, name, p, q, acc):
    """Each row, weighted, added to the rows of its window in `acc`."""
    p, q = _operands(lowering, node, "band_spread", p, q)
    _checked_taps(lowering, node, "band_spread", p.cols)
    if p.rows != q.rows:
        message = "at.band_spread takes weights and rows of equal rows"
        raise lowering.error(node, f"{message}, not {describe(p)} and {describe(q)}")
    if acc is None:
        window = tile_dim(lowering, add_dims(q.rows, p.cols - 1), node, "the number of rows")
        acc = lowering.arithmetic.fill(window, q.cols, 0.0, f32, node)
    (acc,) = _operands(lowering, node, "band_spread", acc)
    _check_columns(lowering, node, "band_spread", q, acc)
    _check_window(lowering, node, "band_spread", q.rows, p.cols, acc.rows)
    text = f"tile.band_spread {p.ssa}, {q.ssa} into {acc.ssa} : {p.type}, {q.type} into {acc.type}"
    return acc._replace(ssa=lowering.writer.define(text, node, name))


def mask(lowering, node: ast.Call, name, s, mask):
    """Scores with those of taps that do not exist, or that a mask excludes, far below all others."""
    (s,) = _operands(lowering, node, "mask", s)
    if type(mask) is Mask:
        return exclude(lowering, node, name, s, mask)
    if type(mask) is not Valid or mask.span.first is None:
        raise lowering.error(node, f"at.mask takes a mask or the '.valid' of a window, not {describe(mask)}")
    _checked_taps(lowering, node, "mask", s.cols)
    _check_window(lowering, node, "mask", s.rows, s.cols, mask.span.size)
    window = lowering.spans.written(mask.span, node)
    exists = s._replace(ssa=lowering.writer.define(f"tile.band_mask {window.ssa} : {window.type} -> {s.type}", node))
    binary = lowering.arithmetic.binary
    hidden = binary("*", binary("-", exists, 1.0, node), _HIDDEN, node)
    return binary("+", binary("*", s, exists, node), hidden, node, name)


def softmax(lowering, node: ast.Call, name, s):
    """The softmax over the columns of a tile, and the log-sum-exp of each row."""
    (s,) = _operands(lowering, node, "softmax", s)
    arithmetic = lowering.arithmetic
    # A row without scores has no weight above 0, and so a sum of 0, whose logarithm is -inf.
    largest = arithmetic.binary("at.maximum", arithmetic.reduce("max", s, 1, node), LOWEST, node)
    weights = arithmetic.function("exp", arithmetic.binary("-", s, largest, node), node)
    total = arithmetic.reduce("sum", weights, 1, node)
    lse = arithmetic.binary("+", largest, arithmetic.function("log", total, node), node)
    return arithmetic.binary("/", weights, arithmetic.binary("at.maximum", total, TINIEST, node), node), lse
