"""What the words of the language do when a kernel is lowered; part of the frontend.

Each function takes the lowering, the call's node, the bound arguments, and the name of the variable that the result is
assigned to.
"""

from __future__ import annotations

import ast

from ..language import DType, i32
from .bands import band_dot, band_mix, band_spread, mask, softmax
from .blocks import accumulate, phase, scratch
from .indexing import Slice
from .lists import split
from .masks import arange, where
from .parts import concat, tile_dim
from .products import dot, spread_row
from .softmax import softmax_state
from .source import Node
from .values import Array, NewArray, Scalar, Tile, Tiles, describe


def _function(mnemonic: str):
    return lambda lowering, node, name, x: lowering.arithmetic.function(mnemonic, x, node, name)


def _binary(symbol: str):
    return lambda lowering, node, name, a, b: lowering.arithmetic.binary(symbol, a, b, node, name)


def _leaky_relu(lowering, node: ast.Call, name, x, slope):
    return lowering.arithmetic.leaky_relu(x, slope, node, name)


def _relu(lowering, node: ast.Call, name, x):
    return lowering.arithmetic.binary("at.maximum", x, 0.0, node, name)


def _reduction(kind: str):
    return lambda lowering, node, name, x, axis: lowering.arithmetic.reduce(kind, x, axis, node, name)


def _gather(lowering, node: ast.Call, name, X, rows):
    if type(X) is not Array or type(rows) is not Tile:
        given = f"{describe(X)} and {describe(rows)}"
        raise lowering.error(node, f"at.gather takes an array and a column of rows, not {given}")
    if len(X.dims) > 2:
        message = f"'{X.name}' has {len(X.dims)} dimensions, and at.gather takes rows of two"
        raise lowering.error(node, f"{message}: index it, such as {X.name}[b, rows, :]")
    indices = [rows, Slice(None, None)][: len(X.dims)]
    selection = lowering.indexing.select(X, indices, [node] * len(indices), node)
    return lowering.indexing.load(X, selection, node, name)


def _check_dtype(lowering, dtype, node: Node):
    if not isinstance(dtype, DType):
        raise lowering.error(node, f"a dtype such as at.f32 is expected, not {describe(dtype)}")


def _tiles(lowering, node: ast.Call, name, n, bs, base, limit):
    size = tile_dim(lowering, bs, node, "the block size")
    arithmetic = lowering.arithmetic
    for value, what in ((n, "the extent of at.tiles"), (base, "the base of at.tiles")):
        arithmetic.check_index(value, node, what)
    upper = n if base == 0 else arithmetic.binary("+", base, n, node)
    if limit is not None:
        arithmetic.check_index(limit, node, "the limit of at.tiles")
        upper = arithmetic.binary("at.minimum", upper, limit, node)
    # Where the spans cover a dim, what they index must have that dim.
    extent = node.args[0] if node.args else None
    dim = extent.id if isinstance(extent, ast.Name) and lowering.is_dim(extent.id) and type(n) is Scalar else None
    over = dim if base == 0 and limit is None else None
    return Tiles(base, upper, size, over, single=n == size)


def _empty(lowering, node: ast.Call, name, dims, dtype):
    _check_dtype(lowering, dtype, node)
    if not isinstance(dims, str) or not dims.split():
        raise lowering.error(node, f'at.empty takes its dims as a string such as "T D", not {describe(dims)}')
    return NewArray("empty", tuple(lowering.output_dim(word, node, "at.empty") for word in dims.split()), dtype, node)


def _empty_like(lowering, node: ast.Call, name, array):
    if type(array) is not Array or array.role != "input":
        message = "at.empty_like takes an argument of the kernel that is an array"
        raise lowering.error(node, f"{message}, not {describe(array)}")
    return NewArray("empty_like", array.dims, array.dtype, node, array.table, array.name)


def _filled(lowering, node: ast.Call, name, shape, value, dtype, example: str):
    if type(shape) is not tuple or len(shape) != 2:
        raise lowering.error(node, f"{example.partition('(')[0]} takes a shape of rows and columns: {example}")
    _check_dtype(lowering, dtype, node)
    rows, cols = (tile_dim(lowering, dim, node, "a tile dimension") for dim in shape)
    if type(value) is Tile:
        return _repeated(lowering, node, name, rows, cols, value, dtype)
    return lowering.arithmetic.fill(rows, cols, value, dtype, node, name)


def _repeated(lowering, node: ast.Call, name, rows, cols, row: Tile, dtype: DType):
    """`at.full((rows, cols), row)`: every row of the tile is the given one."""
    if (row.rows, row.cols) != (1, cols) or (row.dtype is i32) != (dtype is i32):
        message = f"at.full repeats a number or a row [1, {cols}] of {dtype.name}"
        raise lowering.error(node, f"{message}, not {describe(row)}")
    return spread_row(lowering, node, lowering.arithmetic.cast(row, dtype, node), rows, name)


def _full(lowering, node: ast.Call, name, shape, value, dtype):
    return _filled(lowering, node, name, shape, value, dtype, "at.full((1, D), 0.0)")


def _zeros(lowering, node: ast.Call, name, shape, dtype):
    return _filled(lowering, node, name, shape, 0, dtype, "at.zeros((1, D))")


WORDS = {
    "exp": _function("exp"),
    "log": _function("log"),
    "sqrt": _function("sqrt"),
    "rsqrt": _function("rsqrt"),
    "abs": _function("abs"),
    "leaky_relu": _leaky_relu,
    "relu": _relu,
    "maximum": _binary("at.maximum"),
    "minimum": _binary("at.minimum"),
    "cdiv": _binary("at.cdiv"),
    "sum": _reduction("sum"),
    "max": _reduction("max"),
    "min": _reduction("min"),
    "mean": _reduction("mean"),
    "tiles": _tiles,
    "empty": _empty,
    "empty_like": _empty_like,
    "full": _full,
    "zeros": _zeros,
    "concat": concat,
    "dot": dot,
    "band_dot": band_dot,
    "band_mix": band_mix,
    "band_spread": band_spread,
    "mask": mask,
    "where": where,
    "arange": arange,
    "softmax": softmax,
    "scratch": scratch,
    "accumulate": accumulate,
    "phase": phase,
    "softmax_state": softmax_state,
    "split": split,
    "gather": _gather,
}
"""The words by name, but the loops, which are statements."""
