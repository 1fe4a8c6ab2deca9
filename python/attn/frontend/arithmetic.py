"""Arithmetic of kernels: numbers, scalars and tiles, with NumPy's broadcasting; part of the frontend.

Arithmetic on tiles is f32: narrower tiles are widened before, and a scalar enters as a 1 x 1 tile.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import NamedTuple

from ..language import DType, bf16, f16, f32, i8, i32, show_number
from .hints import instead
from .source import Node, Source
from .values import Positions, Scalar, Symbol, Tile, add_dims, axes_of, describe, is_number, subtract_dims
from .writer import Writer

_FLOATS = (f32, f16, bf16)

_CASTS = {f32: (f16, bf16, i32, i8), f16: (f32,), bf16: (f32,), i32: (f32, i8)}
"""The types that each type is converted to in one step; floats and i32 reach all of these by way of f32."""

_WORDS = range(-(2**31), 2**31)
"""What elements of i32 are among."""


class _Operation(NamedTuple):
    """How an operation is spelled for tiles, floats and integers, and how it folds; None where there is none."""

    tile: str | None
    real: str | None
    whole: str | None
    fold: Callable


_OPERATIONS = {
    "+": _Operation("add", "addf", "addi", operator.add),
    "-": _Operation("sub", "subf", "subi", operator.sub),
    "*": _Operation("mul", "mulf", "muli", operator.mul),
    "/": _Operation("div", "divf", None, operator.truediv),
    "//": _Operation(None, None, "floordivsi", operator.floordiv),
    "%": _Operation(None, None, "remainder", operator.mod),
    "at.cdiv": _Operation(None, None, "ceildivsi", lambda a, b: -(-a // b)),
    "at.maximum": _Operation("maximum", "maximumf", "maxsi", max),
    "at.minimum": _Operation("minimum", "minimumf", "minsi", min),
}

# What leaves an integer as it is, on the right and, where operands commute, on the left.
_NEUTRAL = {"+": 0, "-": 0, "*": 1, "//": 1, "at.cdiv": 1}

_DIVISIONS = ("//", "%", "at.cdiv")

_MOST_FACTOR = 2**8
"""Positions are multiplied by no more, so that those of 2**16 rows or columns are integers that f32 holds."""

_MOST_BITS = 1024
"""Of an integer known at compile time: as many as floats have."""

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "abs": abs,
}


class Arithmetic:
    """Writes arithmetic ops and returns their results."""

    def __init__(self, source: Source, writer: Writer):
        self._error = source.error
        self._writer = writer

    # Two operands

    def binary(self, symbol: str, a, b, node: Node, name: str | None = None):
        """`a symbol b` for any mix of numbers, sizes, scalars and tiles."""
        operation = _OPERATIONS[symbol]
        if type(a) is Symbol or type(b) is Symbol:
            size = self._combine_sizes(symbol, a, b)
            if size is not None:
                return size
            a, b = self.size(a, node), self.size(b, node)
        if type(a) is Positions or type(b) is Positions:
            combined = self._combine_positions(symbol, a, b, node)
            if combined is not None:
                return combined
            a, b = self._plain(a, node), self._plain(b, node)
        if type(a) is Tile or type(b) is Tile:
            if operation.tile is None:
                raise self._error(node, f"'{symbol}' takes integers, not {describe(a if type(a) is Tile else b)}")
            return self._tile_binary(symbol, operation.tile, a, b, node, name)
        for value in (a, b):
            if not is_number(value) and type(value) is not Scalar:
                raise self._error(node, f"'{symbol}' takes tiles and numbers, not {describe(value)}{instead(value)}")
        if type(a) is not Scalar and type(b) is not Scalar:
            return self._fold(symbol, operation, a, b, node)
        return self._scalar_binary(symbol, operation, a, b, node, name)

    @staticmethod
    def _combine_sizes(symbol: str, a, b):
        """`a + b` or `a - b` where the result is a size of tiles too."""
        sizes = all(
            type(value) is Symbol or (isinstance(value, int) and not isinstance(value, bool)) for value in (a, b)
        )
        if not sizes or symbol not in "+-":
            return None
        return add_dims(a, b) if symbol == "+" else subtract_dims(a, b)

    def size(self, value, node: Node):
        """A size that the compiler chooses as an integer; other values as they are."""
        if type(value) is not Symbol:
            return value
        return Scalar(self._writer.once(f"tile.size {value}", node, label=value.name), "index", everywhere=True)

    def checked(self, value, node: Node):
        """A value known at compile time; integers have no more digits than messages can show."""
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise self._error(node, f"{show_number(value)} is too large for a kernel")
        return value

    def _fold(self, symbol: str, operation: _Operation, a, b, node):
        if operation.tile is None and not (isinstance(a, int) and isinstance(b, int)):
            raise self._error(node, f"'{symbol}' takes integers, not {a!r} and {b!r}")
        try:
            return self.checked(operation.fold(a, b), node)
        except ZeroDivisionError:
            raise self._error(node, "division by zero") from None
        except OverflowError:
            raise self._error(node, f"the result of '{symbol}' is too large") from None

    def power(self, base, exponent, node: Node):
        """`base ** exponent` of two numbers."""
        is_whole = isinstance(base, int) and isinstance(exponent, int)
        if is_whole and (abs(base).bit_length() - 1) * exponent > _MOST_BITS:
            raise self._error(node, "the result of '**' is too large")
        result = self._fold("**", _Operation("", None, None, operator.pow), base, exponent, node)
        if isinstance(result, complex):
            raise self._error(node, f"{base!r} ** {exponent!r} is a complex number")
        return result

    def _tile_binary(self, symbol: str, mnemonic: str, a, b, node, name):
        a = self.operand(a, node, f"'{symbol}'")
        b = self.operand(b, node, f"'{symbol}'")
        result = self.broadcast([a, b], node)
        text = f"tile.{mnemonic} {a.ssa}, {b.ssa} : {a.type}, {b.type} -> {result.type}"
        return result._replace(ssa=self._writer.define(text, node, name))

    def broadcast(self, tiles, node: Node):
        """The f32 tile that several tiles are broadcast to, not written yet."""
        result = Tile("", 1, 1, f32)
        for tile in tiles:
            rows, cols = self._broadcast_dim(result.rows, tile.rows), self._broadcast_dim(result.cols, tile.cols)
            if rows is None or cols is None:
                message = f"cannot broadcast [{result.rows}, {result.cols}] with [{tile.rows}, {tile.cols}]"
                raise self._error(node, message)
            result = Tile("", rows, cols, f32)
        return result

    @staticmethod
    def _broadcast_dim(a, b):
        if a == b or b == 1:
            return a
        return b if a == 1 else None

    # Positions

    def _combine_positions(self, symbol: str, a, b, node: Node):
        """`a symbol b` as positions again; None where the result is none."""
        if symbol == "*" and (isinstance(a, int) or isinstance(b, int)):
            places, factor = (b, a) if isinstance(a, int) else (a, b)
            if abs(factor) > _MOST_FACTOR:
                return None
            tile = self._tile_binary("*", "mul", places.tile, factor, node, None)
            return Positions(tile, self.binary("*", places.base, factor, node), plain=False)
        if symbol not in "+-" or not all(type(value) is Positions or _is_whole(value) for value in (a, b)):
            return None
        first, second = (value.base if type(value) is Positions else value for value in (a, b))
        base = self.binary(symbol, first, second, node)
        if type(b) is not Positions:
            return a._replace(base=base)
        if type(a) is not Positions:
            return b._replace(base=base) if symbol == "+" else Positions(self.negate(b.tile, node), base, plain=False)
        return Positions(self.binary(symbol, a.tile, b.tile, node), base, plain=False)

    def _plain(self, value, node: Node):
        """Positions as a tile of floats, exact up to 2**24; other values as they are."""
        if type(value) is not Positions:
            return value
        return value.tile if value.base == 0 else self.binary("+", value.tile, value.base, node)

    def _scalar_binary(self, symbol: str, operation: _Operation, a, b, node, name):
        if _is_whole(a) and _is_whole(b) and operation.whole is not None:
            if b == _NEUTRAL.get(symbol):
                return a
            if a == _NEUTRAL.get(symbol) and symbol in "+*":
                return b
            if symbol in _DIVISIONS and is_number(b) and b == 0:
                raise self._error(node, "division by zero")
            axes = axes_of(a, b)
            a, b = self.index(a, node), self.index(b, node)
            if operation.whole == "remainder":  # Python's: the sign of the divisor
                quotient = self._writer.define(f"arith.floordivsi {a}, {b} : index", node)
                product = self._writer.define(f"arith.muli {quotient}, {b} : index", node)
                text = f"arith.subi {a}, {product} : index"
            else:
                text = f"arith.{operation.whole} {a}, {b} : index"
            return Scalar(self._writer.define(text, node, name), "index", axes=axes)
        if operation.real is None:
            raise self._error(node, f"'{symbol}' takes integers, not {describe(b if _is_whole(a) else a)}")
        a, b = self.float(a, node), self.float(b, node)
        return Scalar(self._writer.define(f"arith.{operation.real} {a}, {b} : f32", node, name), "f32")

    def compare(self, predicate: str, a, b, node: Node):
        """A condition on two integers, of which one is known when the kernel runs."""
        ends = ", ".join(self.index(value, node) for value in (a, b))
        ssa = self._writer.define(f"arith.cmpi {predicate}, {ends} : index", node)
        return Scalar(ssa, "i1", axes=axes_of(a, b))

    # One operand

    def function(self, mnemonic: str, x, node: Node, name: str | None = None):
        """`exp`, `log`, `sqrt`, `rsqrt` or `abs`."""
        if is_number(x):
            try:
                return _FUNCTIONS[mnemonic](x)
            except (ValueError, ZeroDivisionError, OverflowError):
                raise self._error(node, f"at.{mnemonic} has no finite value at {x!r}") from None
        x = self.operand(x, node, f"at.{mnemonic}")
        return x._replace(ssa=self._writer.define(f"tile.{mnemonic} {x.ssa} : {x.type}", node, name))

    def leaky_relu(self, x, slope, node: Node, name: str | None = None):
        """`x` where it is not negative, else `x * slope`."""
        if is_number(x) and is_number(slope):
            return x if x >= 0 else x * slope
        x = self.operand(x, node, "at.leaky_relu")
        slope = self.float(slope, node, "the slope of at.leaky_relu")
        return x._replace(ssa=self._writer.define(f"tile.leaky_relu {x.ssa}, {slope} : {x.type}", node, name))

    def negate(self, x, node: Node, name: str | None = None):
        """`-x`."""
        x = self.size(x, node)
        if type(x) is Positions:
            return self.binary("-", 0, x, node, name)
        if is_number(x):
            return -x
        if type(x) is Scalar:
            if x.type == "index":
                return self.binary("-", 0, x, node, name)
            return Scalar(self._writer.define(f"arith.negf {x.ssa} : f32", node, name), "f32")
        # Not 0 - x, which loses the sign of a zero.
        return self._tile_binary("-", "mul", x, -1.0, node, name)

    def reduce(self, kind: str, x, axis, node: Node, name: str | None = None):
        """`sum`, `max`, `min` or `mean` over rows (0) or columns (1)."""
        if type(x) is not Tile:
            raise self._error(node, f"at.{kind} takes a tile, not {describe(x)}")
        if axis not in (0, 1, -1, -2) or isinstance(axis, bool):
            raise self._error(node, f"at.{kind} reduces rows (axis 0) or columns (axis 1), not axis {axis!r}")
        axis %= 2
        x = self.operand(x, node, f"at.{kind}")
        if kind == "mean":
            if axis == 0:
                message = "at.mean over rows is not supported: how many are valid is known only when the kernel runs"
                raise self._error(node, message)
            if type(x.cols) is Symbol:
                raise self._error(node, f"at.mean over {describe(x.cols)}, is not supported")
            total = self.reduce("sum", x, axis, node)
            return self._tile_binary("*", "mul", total, 1.0 / x.cols, node, name)
        result = x._replace(rows=1) if axis == 0 else x._replace(cols=1)
        text = f"tile.reduce {kind} {x.ssa} axis {axis} : {x.type} -> {result.type}"
        return result._replace(ssa=self._writer.define(text, node, name))

    # Conversions

    def operand(self, value, node: Node, what: str):
        """A value as an f32 tile that arithmetic can take."""
        value = self._plain(self.size(value, node), node)
        if type(value) is Tile:
            if value.dtype is f32:
                return value
            if value.dtype not in _FLOATS:
                hint = "; write .to(at.f32)" if f32 in _CASTS.get(value.dtype, ()) else ""
                raise self._error(node, f"arithmetic on {value.dtype.name} tiles is not supported yet{hint}")
            return self.cast(value, f32, node)
        if not is_number(value) and type(value) is not Scalar:
            raise self._error(node, f"{what} takes tiles and numbers, not {describe(value)}{instead(value)}")
        scalar = self.float(value, node)
        text = f"tile.splat {scalar} : f32 -> !tile.tile<1 x 1 x f32>"
        everywhere = is_number(value) or (value.everywhere and value.type == "f32")
        if everywhere:
            ssa = self._writer.once(text, node, label=f"{scalar[1:]}_tile")
        else:
            ssa = self._writer.define(text, node)
        return Tile(ssa, 1, 1, f32)

    def cast(self, tile: Tile, dtype: DType, node: Node, name: str | None = None):
        """A tile with another element type; narrowing rounds to nearest even, to integers the nearest that there is."""
        if tile.dtype is dtype:
            return tile
        if dtype not in _CASTS.get(tile.dtype, ()):
            if f32 not in _CASTS.get(tile.dtype, ()) or dtype not in _CASTS[f32]:
                raise self._error(node, f"a cast from {tile.dtype.name} to {dtype.name} is not supported yet")
            tile = self.cast(tile, f32, node)
        result = tile._replace(dtype=dtype)
        text = f"tile.cast {tile.ssa} : {tile.type} -> {result.type}"
        return result._replace(ssa=self._writer.define(text, node, name))

    def fill(self, rows, cols, value, dtype: DType, node: Node, name: str | None = None):
        """A tile filled with one number."""
        if dtype is i32:
            return self._fill_whole(rows, cols, value, node, name)
        result = Tile("", rows, cols, f32)
        text = f"tile.splat {self.float(value, node)} : f32 -> {result.type}"
        splat = result._replace(ssa=self._writer.define(text, node, name if dtype is f32 else None))
        return self.cast(splat, dtype, node, name)

    def _fill_whole(self, rows, cols, value, node: Node, name: str | None):
        """A tile of i32 filled with one integer."""
        if not isinstance(value, int) or isinstance(value, bool) or value not in _WORDS:
            raise self._error(node, f"a tile of i32 is filled with an integer of 32 bits, not {describe(value)}")
        number = self._writer.once(f"arith.constant {value} : i32", node, label=f"i{value}")
        result = Tile("", rows, cols, i32)
        text = f"tile.splat {number} : i32 -> {result.type}"
        return result._replace(ssa=self._writer.define(text, node, name))

    def index(self, value, node: Node, what: str = "this"):
        """The SSA name of an integer."""
        self.check_index(value, node, what)
        value = self.size(value, node)
        return value.ssa if type(value) is Scalar else self._writer.index(value, node)

    def check_index(self, value, node: Node, what: str):
        """Raises unless a value is an integer."""
        if isinstance(value, bool) or not _is_whole(value):
            raise self._error(node, f"{what} must be an integer, not {describe(value)}")

    def float(self, value, node: Node, what: str = "this"):
        """The SSA name of a float."""
        value = self.size(value, node)
        if is_number(value):
            return self._writer.f32(value, node)
        if type(value) is not Scalar:
            raise self._error(node, f"{what} must be a number, not {describe(value)}")
        if value.type == "f32":
            return value.ssa
        define = self._writer.once if value.everywhere else self._writer.define
        whole = define(f"arith.index_cast {value.ssa} : index to i64", node)
        return define(f"arith.sitofp {whole} : i64 to f32", node)


def _is_whole(value):
    return isinstance(value, int) or type(value) is Symbol or (type(value) is Scalar and value.type == "index")
