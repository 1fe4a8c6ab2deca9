"""What an expression of a kernel stands for while its tile IR is written; part of the frontend.

Whole numbers, floats, booleans, strings and tuples known at compile time are Python's own. A dimension of a tile is a
number or the name of a symbol. Of each class, `ssa` is the name of the value in the IR, `type` its type there, and
`describe()` what messages call it.
"""

from __future__ import annotations

import ast
from typing import NamedTuple, Union

from ..language import DType

Dim = Union[int, str]


class Tile(NamedTuple):
    """A tile, rows by columns."""

    ssa: str
    rows: Dim
    cols: Dim
    dtype: DType

    @property
    def type(self):
        return f"!tile.tile<{self.rows} x {self.cols} x {self.dtype.name}>"

    def describe(self):
        return f"a tile [{self.rows}, {self.cols}] of {self.dtype.name}"


class Scalar(NamedTuple):
    """A number known when the kernel runs; `type` is f32 or index. `everywhere`: it is defined before the body."""

    ssa: str
    type: str
    everywhere: bool = False

    def describe(self):
        return "a float" if self.type == "f32" else "a whole number"


class Span(NamedTuple):
    """A run of rows; `over` is the name of the dim that it runs over, where that is known."""

    ssa: str
    size: Dim
    over: str | None

    @property
    def type(self):
        return f"!tile.span<{self.size}>"

    def describe(self):
        return "a span"


class Tiles(NamedTuple):
    """The spans of `at.tiles`; ends are numbers or index scalars."""

    lower: object
    upper: object
    size: Dim
    over: str | None

    def describe(self):
        return "at.tiles, a run of spans"


class State(NamedTuple):
    """A softmax state."""

    ssa: str
    rows: Dim
    cols: Dim

    @property
    def type(self):
        return f"!tile.softmax_state<{self.rows} x {self.cols}>"

    def describe(self):
        return f"a softmax state [{self.rows}, {self.cols}]"


class Array(NamedTuple):
    """An array argument; `dims` has names for sizes known when the kernel runs, numbers for the others."""

    name: str
    dims: tuple
    dtype: DType
    table: bool
    output: bool
    node: ast.AST

    @property
    def ssa(self):
        return f"%{self.name}"

    @property
    def type(self):
        sizes = "x".join("?" if isinstance(dim, str) else str(dim) for dim in self.dims)
        return f"!tile.array<{sizes}x{self.dtype.name}{', table' if self.table else ''}>"

    def describe(self):
        return f"the array '{self.name}'"


class Symbol(NamedTuple):
    """A block size that the compiler chooses."""

    name: str

    def describe(self):
        return f"'{self.name}', a size that the compiler chooses"


class NewArray(NamedTuple):
    """An `at.empty` that has no name yet."""

    dims: tuple
    dtype: DType
    node: ast.AST

    def describe(self):
        return "at.empty, an output without a name"


class Method(NamedTuple):
    """A method of a value, such as `x.to`, that waits for its call."""

    receiver: object
    name: str

    def describe(self):
        return f"the method '.{self.name}'"


def describe(value):
    """What a value is, for messages."""
    if hasattr(value, "describe"):
        return value.describe()
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, (int, float)):
        return f"the number {value!r}"
    if isinstance(value, str):
        return f"the string {value!r}"
    if isinstance(value, tuple):
        return f"{len(value)} values"
    return repr(value)


def is_number(value):
    """Whether a value is a number known at compile time."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
