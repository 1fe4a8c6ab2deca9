"""What an expression of a kernel stands for while its tile IR is written; part of the frontend.

Integers, floats, booleans, strings, tuples and None known at compile time are Python's own. A dimension of a tile
is a number or a `Symbol`. Of each class, `ssa` is the name of the value in the IR, `type` its type there, and
`describe()` what messages call it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from ..language import DType, show_number, u16
from .source import Node


class Symbol(NamedTuple):
    """A block size that the compiler chooses, at least `lo`, and a number more: `BM + 6`."""

    name: str
    lo: int
    more: int = 0

    def __str__(self):
        return f"{self.name} + {self.more}" if self.more else self.name

    @property
    def least(self):
        """What it is at least."""
        return self.lo + self.more

    def describe(self):
        return f"'{self}', a size that the compiler chooses"


Dim: TypeAlias = int | Symbol


def add_dims(a: Dim, b: Dim):
    """`a + b` as a dimension; None where it is none."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    symbol, more = (b, a) if isinstance(a, int) else (a, b)
    if isinstance(symbol, int) or not isinstance(more, int) or symbol.more + more < 0:
        return None
    return symbol._replace(more=symbol.more + more)


def subtract_dims(a: Dim, b: Dim):
    """`a - b` as a dimension or a number; None where it is neither."""
    if isinstance(b, int):
        return add_dims(a, -b)
    return a.more - b.more if type(a) is Symbol and a.name == b.name else None


def least(dim: Dim):
    """What a dimension is at least."""
    return dim if isinstance(dim, int) else dim.least


def least_difference(a: Dim, b: Dim):
    """What `a - b` is at least; -1 where it may be anything."""
    if isinstance(b, int):
        return least(a) - b
    return a.more - b.more if type(a) is Symbol and a.name == b.name else -1


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


class Transposed(NamedTuple):
    """`tile.T`: a tile taken the other way round, by a product as it is stored."""

    tile: Tile

    def describe(self):
        return f"the transpose of {self.tile.describe()}, which only '@' and at.dot take (of f16 and bf16 it is a tile)"


class Mask(NamedTuple):
    """Where a comparison holds: a tile of f32 with 1 there and 0 elsewhere; arithmetic takes none."""

    tile: Tile

    def describe(self):
        return f"a mask [{self.tile.rows}, {self.tile.cols}]"


class Positions(NamedTuple):
    """Integers `base + tile`; `plain`: the tile is a ramp, nothing but the number of each row or column."""

    tile: Tile
    base: Any
    plain: bool = True

    def describe(self):
        return f"positions [{self.tile.rows}, {self.tile.cols}]"


NO_AXES: frozenset[str] = frozenset()


_SCALARS = {"f32": "a float", "index": "an integer", "i1": "a condition known when the kernel runs"}


class Scalar(NamedTuple):
    """A number known when the kernel runs; `type` is f32 or index, or i1 of a condition.

    `everywhere`: it is defined before the body.

    `axes` are those of the grid, by name, that an integer may depend on. `end` is a number that it is at least 0 and
    less than, where one is known: that of the variable of a loop.
    """

    ssa: str
    type: str
    everywhere: bool = False
    axes: frozenset[str] = NO_AXES
    end: int | None = None

    def describe(self):
        return _SCALARS[self.type]


class Span(NamedTuple):
    """A run of rows; `over` is the name of the dim that it runs over, where that is known.

    Its rows are `base` to `base + size`, of which those before `first` and from `limit` on are missing; with a `step`,
    row p is at `offset + step * p` of an array. Each is a number or an index scalar. `first` is None where no rows
    are missing before, `step` where rows follow each other. The variable of a loop has no `base`: it is read from the
    IR. `ssa` is None until the span is written to the IR. The rows of a `listed` one are where a list in memory says.
    """

    ssa: str | None
    size: Dim
    over: str | None
    base: Any
    limit: Any
    first: Any = None
    offset: Any = None
    step: Any = None
    own_axes: frozenset[str] = NO_AXES
    listed: bool = False

    @property
    def axes(self):
        """The axes of the grid that its rows may depend on; `own_axes` are those of the variable of a loop."""
        return self.own_axes | axes_of(self.base, self.limit, self.first, self.offset, self.step)

    @property
    def type(self):
        filled = "" if self.first is None else ", filled"
        kind = ", listed" if self.listed else "" if self.step is None else ", mapped"
        return f"!tile.span<{self.size}{filled}{kind}>"

    def describe(self):
        return "a span"


def axes_of(*values):
    """The axes of the grid that integers and spans may depend on."""
    return NO_AXES.union(*(value.axes for value in values if type(value) in (Scalar, Span)))


class Valid(NamedTuple):
    """`span.valid`: which rows of a span exist."""

    span: Span

    def describe(self):
        return "the rows of a span that exist"


class Tiles(NamedTuple):
    """The spans of `at.tiles`; ends are numbers or index scalars. `single`: there is one span."""

    lower: Any
    upper: Any
    size: Dim
    over: str | None
    single: bool

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
    """An array argument; `dims` has names for sizes known when the kernel runs, numbers for the others.

    `role` is input, output or workspace: one row per core that the kernel sums in. `like` is the input whose memory
    order an output takes.
    """

    name: str
    dims: tuple
    dtype: DType
    table: bool
    role: str
    node: Node
    like: str | None = None

    @property
    def ssa(self):
        return f"%{self.name}"

    @property
    def type(self):
        sizes = "x".join("?" if isinstance(dim, str) else str(dim) for dim in self.dims)
        element = "ui16" if self.dtype is u16 else self.dtype.name
        return f"!tile.array<{sizes}x{element}{', table' if self.table else ''}>"

    def describe(self):
        return f"the array '{self.name}'"


class NewArray(NamedTuple):
    """An array made by `word`, such as at.empty, that has no name yet; the rest as in `Array`."""

    word: str
    dims: tuple
    dtype: DType
    node: Node
    table: bool = False
    like: str | None = None

    @property
    def role(self):
        return "workspace" if self.word == "scratch" else "output"

    def describe(self):
        return f"at.{self.word}, an array without a name"


class Nothing:
    """What a call gives that stands alone, such as `at.phase()`."""

    def describe(self):
        return "a call without a value"


NOTHING = Nothing()


class Method(NamedTuple):
    """A method of a value, such as `x.to`, that waits for its call."""

    receiver: Any
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
        shown = show_number(value)
        return shown if shown.startswith("an integer") else f"the number {shown}"
    if isinstance(value, str):
        return f"the string {value!r}"
    if isinstance(value, tuple):
        return f"{len(value)} values"
    return repr(value)


def is_number(value):
    """Whether a value is a number known at compile time."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
