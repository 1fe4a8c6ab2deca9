"""Parts of tiles: `x[a:b]`, `x[:, a:b]`, `at.concat`; and rows as columns: `x.T`; part of the frontend."""

from __future__ import annotations

import ast

from ..language import MAX_MORE, MAX_SIZE, bf16, f16, f32
from .source import Node
from .values import Dim, Scalar, Symbol, Tile, Transposed, add_dims, describe, least, least_difference, subtract_dims


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


def take_part(lowering, tile: Tile, node: ast.Subscript, name: str | None = None):
    """`tile[a:b]`, `tile[a:b, c:d]`: some rows and columns of a tile."""
    written = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    bounds = [part for part in written if isinstance(part, ast.Slice) and part.step is None]
    if len(written) > 2 or len(bounds) < len(written):
        raise lowering.error(node, "a part of a tile is some of its rows and columns: x[a:b], x[:, c:d]")
    row, rows = _range(lowering, bounds[0], tile.rows, "rows", node)
    col, cols = _range(lowering, bounds[1], tile.cols, "columns", node) if len(bounds) == 2 else (0, tile.cols)
    if (rows, cols) == (tile.rows, tile.cols):
        return tile
    result = tile._replace(rows=rows, cols=cols)
    place = ", ".join(lowering.arithmetic.index(start, node) for start in (row, col))
    text = f"tile.extract {tile.ssa}[{place}] : {tile.type} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def _range(lowering, bounds: ast.Slice, whole: Dim, what: str, node: Node):
    """Where a slice of so many rows or columns begins, and its size."""
    start = 0 if bounds.lower is None else _bound(lowering, bounds.lower, what)
    end = whole if bounds.upper is None else _bound(lowering, bounds.upper, what)
    size = subtract_dims(end, start)
    if size is None or least(size) < 1:
        raise lowering.error(node, f"{what} {start} to {end} are not a part whose size is known at compile time")
    if least(start) < 0 or least_difference(whole, end) < 0:
        raise lowering.error(node, f"{what} {start} to {end} may lie outside of a tile of {whole} {what}")
    return start, size


def _bound(lowering, node: Node, what: str):
    value = lowering.evaluate(node)
    if type(value) is not Symbol and (not isinstance(value, int) or isinstance(value, bool)):
        message = f"the {what} of a tile are counted by numbers known at compile time and sizes"
        raise lowering.error(node, f"{message}, not by {describe(value)}")
    return value


def concat(lowering, node: ast.Call, name, a, b, axis):
    """`at.concat(a, b)`: the rows of two tiles one after the other; their columns with `axis=1`."""
    for value in (a, b):
        if type(value) is not Tile:
            raise lowering.error(node, f"at.concat takes tiles, not {describe(value)}")
    if axis not in (0, 1) or isinstance(axis, bool):
        raise lowering.error(node, f"at.concat joins rows (axis 0) or columns (axis 1), not axis {axis!r}")
    joined, kept = ("rows", "cols") if axis == 0 else ("cols", "rows")
    names = {"rows": "rows", "cols": "columns"}
    if getattr(a, kept) != getattr(b, kept) or a.dtype is not b.dtype:
        message = f"at.concat takes tiles of equal {names[kept]} and type"
        raise lowering.error(node, f"{message}, not {describe(a)} and {describe(b)}")
    first, second = getattr(a, joined), getattr(b, joined)
    size = add_dims(first, second)
    if size is None:
        raise lowering.error(node, f"at.concat cannot add {describe(first)}, and {describe(second)}")
    size = tile_dim(lowering, size, node, f"the number of {names[joined]}")
    whole = a._replace(**{joined: size})
    ssa = lowering.writer.define(f"tile.undefined : {whole.type}", node)
    for part, start, label in ((a, 0, None), (b, first, name)):
        place = ", ".join(lowering.arithmetic.index(at, node) for at in ((start, 0) if axis == 0 else (0, start)))
        text = f"tile.insert {part.ssa}, {ssa}[{place}] : {part.type} into {whole.type}"
        ssa = lowering.writer.define(text, node, label)
    return whole._replace(ssa=ssa)


def turned(lowering, value, node: Node):
    """A transpose as a tile of its own, where it is one of f16 or bf16, or of a row or a column; others as they are.

    Vector cores turn tiles of 16 bits over; they copy rows and columns by arithmetic, which is f32."""
    if type(value) is not Transposed:
        return value
    tile = value.tile
    is_line = 1 in (tile.rows, tile.cols)
    if tile.dtype not in (f16, bf16) and not (is_line and tile.dtype is f32):
        return value
    source = lowering.arithmetic.cast(tile, f32, node) if is_line else tile
    result = source._replace(rows=tile.cols, cols=tile.rows)
    ssa = lowering.writer.define(f"tile.transpose {source.ssa} : {source.type} -> {result.type}", node)
    return lowering.arithmetic.cast(result._replace(ssa=ssa), tile.dtype, node)
