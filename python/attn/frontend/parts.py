"""Rows of tiles: `x[a:b]` and `at.concat`; part of the frontend."""

from __future__ import annotations

import ast

from ..language import MAX_MORE, MAX_SIZE
from .source import Node
from .values import Scalar, Symbol, Tile, add_dims, describe, least, least_difference, subtract_dims


def tile_dim(lowering, value, node: Node, what: str):
    """A dimension of a tile: a positive number, or a size that the compiler chooses and a number more."""
    if type(value) is Symbol:
        if value.more > MAX_MORE:
            raise lowering.error(node, f"{what} must be at most {MAX_MORE} more than {value.name}, not {value.more}")
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MAX_SIZE:
            raise lowering.error(node, f"{what} must be between 1 and {MAX_SIZE}, not {value}")
        return value
    if type(value) is Scalar:
        raise lowering.error(node, f"{what} must be a number known at compile time, at.Const or at.Auto")
    raise lowering.error(node, f"{what} must be a number, not {describe(value)}")


def take_rows(lowering, tile: Tile, node: ast.Subscript, name: str | None = None):
    """`tile[a:b]`: some rows of a tile."""
    bounds = node.slice
    if not isinstance(bounds, ast.Slice) or bounds.step is not None:
        raise lowering.error(node, "a part of a tile is some of its rows: x[a:b]")
    start = 0 if bounds.lower is None else _bound(lowering, bounds.lower)
    end = tile.rows if bounds.upper is None else _bound(lowering, bounds.upper)
    size = subtract_dims(end, start)
    if size is None or least(size) < 1:
        raise lowering.error(node, f"rows {start} to {end} are not a part whose size is known at compile time")
    if least(start) < 0 or least_difference(tile.rows, end) < 0:
        raise lowering.error(node, f"rows {start} to {end} may lie outside of a tile of {tile.rows} rows")
    result = tile._replace(rows=size)
    row, zero = (lowering.arithmetic.index(place, node) for place in (start, 0))
    text = f"tile.extract {tile.ssa}[{row}, {zero}] : {tile.type} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def _bound(lowering, node: Node):
    value = lowering.evaluate(node)
    if type(value) is not Symbol and (not isinstance(value, int) or isinstance(value, bool)):
        message = "the rows of a tile are counted by numbers known at compile time and sizes"
        raise lowering.error(node, f"{message}, not by {describe(value)}")
    return value


def concat(lowering, node: ast.Call, name, a, b):
    """`at.concat(a, b)`: the rows of two tiles one after the other."""
    for value in (a, b):
        if type(value) is not Tile:
            raise lowering.error(node, f"at.concat takes tiles, not {describe(value)}")
    if a.cols != b.cols or a.dtype is not b.dtype:
        message = "at.concat takes tiles of equal columns and type"
        raise lowering.error(node, f"{message}, not {describe(a)} and {describe(b)}")
    rows = add_dims(a.rows, b.rows)
    if rows is None:
        raise lowering.error(node, f"at.concat cannot add {describe(a.rows)}, and {describe(b.rows)}")
    whole = a._replace(rows=tile_dim(lowering, rows, node, "the number of rows"))
    ssa = lowering.writer.define(f"tile.undefined : {whole.type}", node)
    for part, row, label in ((a, 0, None), (b, a.rows, name)):
        place = ", ".join(lowering.arithmetic.index(value, node) for value in (row, 0))
        text = f"tile.insert {part.ssa}, {ssa}[{place}] : {part.type} into {whole.type}"
        ssa = lowering.writer.define(text, node, label)
    return whole._replace(ssa=ssa)
