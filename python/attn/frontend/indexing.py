"""Loads and stores: an index list against an array's dims; part of the frontend."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..language import i32, i64, u16
from .arithmetic import Arithmetic
from .hints import instead
from .source import Node, Source
from .spans import Spans
from .values import NO_AXES, Array, Dim, Scalar, Span, Symbol, Tile, Tiles, axes_of, describe, is_number
from .writer import Writer

_INDICES = (u16, i32, i64)
"""The types of integers that are read one at a time, as indices."""


class Slice(NamedTuple):
    """An evaluated `lower:upper` of an index list, or `:` where both are None.

    `size` is upper - lower, None for `lower:`.
    """

    lower: Any
    size: int | None


class Selection(NamedTuple):
    """The text of an index list, its operands' types, and the rows and columns that it selects.

    `span` is the one of its rows, None where no span selects them; `axes` are those of the grid that it depends on.
    """

    text: str
    types: list
    rows: Dim
    cols: Dim
    span: Span | None
    axes: frozenset[str]


class _List(NamedTuple):
    """Where the integers of a column were loaded from: the array, its indices, and the span among them."""

    array: Array
    selection: Selection
    span: Span
    axes: frozenset[str]


class Indexing:
    """Writes loads and stores."""

    def __init__(self, source: Source, writer: Writer, arithmetic: Arithmetic, spans: Spans):
        self._error = source.error
        self._writer = writer
        self._arithmetic = arithmetic
        self._spans = spans
        self.grid_axes: frozenset[str] = NO_AXES  # of the grid around the current statement, those of several blocks
        self.row_axes: dict[
            str, dict[int, bool]
        ] = {}  # array -> the axes whose indices are the rows of tiles, each once
        self._phase = 0
        self._written: dict[str, int] = {}  # output -> the last phase that writes it
        self._read: dict[str, int] = {}  # output -> the last phase that reads it
        self._indices: set[str] = set()  # the arrays that indices were read from
        self._lists: dict[str, _List] = {}  # the SSA name of a column of integers -> where it lies in memory

    def enter_phase(self):
        """What was written before can be read from here on."""
        self._phase += 1

    def _check_readable(self, array: Array, node: Node):
        if array.role != "output":
            return
        if array.name not in self._written or self._written[array.name] == self._phase:
            message = f"'{array.name}' is an output and cannot be read before an at.phase() after it is written"
            raise self._error(node, f"{message}: keep the tile in a variable")
        self._read[array.name] = self._phase

    # Integers

    @staticmethod
    def holds_indices(array: Array):
        """Whether elements of an array can be indices."""
        return array.dtype in _INDICES and not array.table

    def is_index(self, array: Array, indices):
        """Whether an index list takes one integer of an array, as an index."""
        return self.holds_indices(array) and not any(
            type(self._spans.of(index)) in (Slice, Span, Tile) for index in indices
        )

    def read_as_indices(self, array: Array, node: Node):
        """Checks that integers of an array can be read as indices, and that it is not written any more."""
        self._check_readable(array, node)
        self._indices.add(array.name)

    def load_index(self, array: Array, indices, nodes, node: Node, name: str | None = None):
        """One integer of an array."""
        self.read_as_indices(array, node)
        selection = self.select(array, indices, nodes, node)
        ssa = self._writer.define(f"tile.load_index {array.ssa}[{selection.text}] : {array.type}", node, name)
        return Scalar(ssa, "index", axes=axes_of(*indices))

    # Tiles

    def load(self, array: Array, selection: Selection, node: Node, name: str | None = None):
        """What an index list selects, as a tile."""
        self._check_readable(array, node)
        if array.dtype in (u16, i64):
            message = f"'{array.name}' holds {array.dtype.name}, which is read one integer at a time"
            hint = "index it by numbers alone, or loop over it with at.each; lists that name rows are of at.i32"
            raise self._error(node, f"{message}: {hint}")
        result = Tile("", selection.rows, selection.cols, array.dtype)
        types = ", ".join([array.type, *selection.types])
        text = f"tile.load {array.ssa}[{selection.text}] : ({types}) -> {result.type}"
        result = result._replace(ssa=self._writer.define(text, node, name))
        if self.holds_indices(array) and selection.span is not None and selection.cols == 1:
            self._lists[result.ssa] = _List(array, selection, selection.span, selection.axes)
        return result

    def listed_rows(self, column: Tile, node: Node):
        """The rows that a column of integers names, as a span."""
        found = self._lists.get(column.ssa)
        if found is None:
            message = f"rows are taken by a column of at.i32 as it was loaded, idx[t], not by {describe(column)}"
            raise self._error(node, f"{message} that was computed or carried")
        array, selection, span, axes = found
        self._indices.add(array.name)
        if span.step is not None:
            raise self._error(node, "the rows of a list follow each other: its span cannot have a '.map'")
        rows = Span(None, span.size, None, None, None, first=span.first, own_axes=axes, listed=True)
        types = ", ".join([array.type, *selection.types])
        text = f"tile.list_rows {array.ssa}[{selection.text}] : ({types}) -> {rows.type}"
        return rows._replace(ssa=self._writer.define(text, node))

    def store(self, array: Array, indices, nodes, value, node: Node):
        """`array[indices] = value`, rounded to the array's type."""
        if array.role != "output":
            what = "an argument and cannot be written: make an output with at.empty"
            what = "a workspace: add to it with at.accumulate" if array.role == "workspace" else what
            raise self._error(node, f"'{array.name}' is {what}")
        self._check_blocks(array, indices, node)
        if self._read.get(array.name) == self._phase:
            raise self._error(node, f"'{array.name}' is read in this phase and cannot be written in it")
        if array.name in self._indices:
            raise self._error(node, f"'{array.name}' was read as indices and cannot be written any more")
        self._written[array.name] = self._phase
        selection = self.select(array, self._as_rows(indices, value, node), nodes, node)
        rows, cols = selection.rows, selection.cols
        if is_number(value) or type(value) is Scalar:
            value = self._arithmetic.fill(rows, cols, value, array.dtype, node, array.name)
        if type(value) is not Tile:
            raise self._error(node, f"'{array.name}' takes a tile or a number, not {describe(value)}{instead(value)}")
        if (value.rows, value.cols) != (rows, cols):
            message = f"this part of '{array.name}' is [{rows}, {cols}], the tile [{value.rows}, {value.cols}]"
            is_turned = (value.cols, value.rows) == (rows, cols)
            hint = "; is '.T' missing?" if is_turned else self._say_column(array, indices)
            raise self._error(node, message + hint)
        value = self._arithmetic.cast(value, array.dtype, node, array.name)
        types = ", ".join([value.type, array.type, *selection.types])
        self._writer.line(f"tile.store {value.ssa}, {array.ssa}[{selection.text}] : ({types}) -> ()", node)

    def _as_rows(self, indices, value, node: Node):
        """The indices of a store, with the one slice among them taken by rows where the value is a column."""
        parts = [place for place, index in enumerate(indices) if type(index) in (Slice, Span, Tile, Tiles)]
        if type(value) is not Tile or value.cols != 1 or len(parts) != 1 or type(indices[parts[0]]) is not Slice:
            return indices
        lower, size = indices[parts[0]]
        if size is None or size == 1 or size != value.rows:
            return indices
        span = Span(None, size, None, lower, self._arithmetic.binary("+", lower, size, node))
        return [*indices[: parts[0]], span, *indices[parts[0] + 1 :]]

    @staticmethod
    def _say_column(array: Array, indices):
        """A span after an index is a column: what the same elements as a row are."""
        kinds = [type(index) in (Span, Tiles) for index in indices]
        if len(kinds) < 2 or not kinds[-1] or any(kinds[:-1]) or any(type(index) is Slice for index in indices):
            return ""
        before = ", ".join(["..."] * (len(kinds) > 2) + ["i:i + 1"])
        return f"; an index and a span are a column of '{array.name}', and {array.name}[{before}, k] is a row"

    def _check_blocks(self, array: Array, indices, node: Node):
        """Raises where a store goes to the same place in several blocks, which run in any order."""
        parts = [index.lower if type(index) is Slice else self._spans.of(index) for index in indices]
        lists = [self._lists[index.ssa].axes for index in indices if type(index) is Tile and index.ssa in self._lists]
        for axis in sorted(self.grid_axes - axes_of(*parts).union(*lists)):
            message = f"this store does not depend on '{axis}': several blocks of the grid would write the same part of"
            raise self._error(node, f"{message} '{array.name}'")

    def select(self, array: Array, indices, nodes, node: Node):
        """An index list against the dims of its array."""
        if len(indices) != len(array.dims):
            count = "1 index" if len(indices) == 1 else f"{len(indices)} indices"
            hint = "; ':' takes one whole" if len(indices) < len(array.dims) else ""
            raise self._error(node, f"'{array.name}' has {len(array.dims)} dimensions and is given {count}{hint}")
        entries: list[str] = []
        types: list[str] = []
        kept: list[tuple] = []  # the size of each dimension that is left, and the span, where it is one
        for axis, (index, where) in enumerate(zip(indices, nodes)):
            index = self._spans.of(index)
            if type(index) is Tile and index.dtype is i32:
                index = self.listed_rows(index, where)
            if type(index) is Slice:
                entries.append(self._slice(array, axis, index, types, kept, where))
            elif type(index) is Span:
                self._check_span(array, axis, index, where)
                index = self._spans.written(index, where)
                self.row_axes.setdefault(array.name, {})[axis] = True
                entries.append(f"{index.ssa} span")
                types.append(index.type)
                kept.append((index.size, index))
            else:
                entries.append(self._scalar(array, axis, index, where))
                types.append("index")
        if array.table and type(indices[0]) is Slice:
            raise self._error(nodes[0], f"'{array.name}' is a list of tensors: its first index is a number or a span")
        rows, cols = self._shape(array, kept, node)
        return Selection(", ".join(entries), types, rows, cols, kept[0][1] if kept else None, axes_of(*indices))

    def _shape(self, array: Array, kept, node):
        """Rows and columns of what is left when scalar indices have dropped their dimensions."""
        if len(kept) > 2:
            selects = f"this selects {len(kept)} dimensions of '{array.name}'"
            raise self._error(node, f"{selects}; a tile has two: index the others by numbers")
        if len(kept) == 2:
            (rows, _), (cols, span) = kept
            if span is not None and (span.first is not None or span.step is not None or span.listed):
                message = "the columns of a tile follow each other in memory, and only the last may be missing"
                raise self._error(
                    node, f"{message}: a span after .window, .clip(lo, hi) or .map, and a list, give rows"
                )
            return rows, cols
        if len(kept) == 1:
            size, span = kept[0]
            return (1, size) if span is None else (size, 1)
        return 1, 1

    def _slice(self, array: Array, axis: int, index: Slice, types, kept, where):
        dim = array.dims[axis]
        if index.lower is None:
            kept.append((dim, None))
            return ":"
        size = self._size_to_end(array, axis, index.lower, where) if index.size is None else index.size
        if isinstance(dim, int) and size > dim:
            message = f"this takes {size} elements of dimension {axis} of '{array.name}', which has {dim}"
            raise self._error(where, message)
        if isinstance(dim, int) and isinstance(index.lower, int) and index.lower + size > dim:
            last = index.lower + size - 1
            raise self._error(where, f"index {last} lies outside dimension {axis} of '{array.name}', which has {dim}")
        types.append("index")
        kept.append((size, None))
        return f"{self._scalar(array, axis, index.lower, where)}:{size}"

    def _size_to_end(self, array: Array, axis: int, lower, where):
        """The size of `lower:`, which must be known."""
        dim = array.dims[axis]
        if not isinstance(dim, int) or not isinstance(lower, int) or isinstance(lower, bool):
            message = "the size of a slice must be a positive number known at compile time: X[a:a + 64]"
            raise self._error(where, f"{message}, or X[a:] for a number a")
        if not 0 <= lower < dim:
            message = f"index {lower} lies outside dimension {axis} of '{array.name}', which has {dim}"
            raise self._error(where, message + (f"; write {dim + lower}:" if -dim <= lower < 0 else ""))
        return dim - lower

    def _scalar(self, array: Array, axis: int, index, where):
        if type(index) is Tiles:
            raise self._error(where, "at.tiles is a run of spans: loop over it with at.grid or at.range")
        if type(index) not in (Scalar, Symbol) and not isinstance(index, int):
            raise self._error(where, f"an index is an integer, a span or ':', not {describe(index)}")
        dim = array.dims[axis]
        if isinstance(index, int) and (index < 0 or (isinstance(dim, int) and index >= dim)):
            message = f"index {index} lies outside dimension {axis} of '{array.name}'"
            raise self._error(where, message + (f", which has {dim}" if isinstance(dim, int) else ""))
        return self._arithmetic.index(index, where, "an index")

    def _check_span(self, array: Array, axis: int, span: Span, where):
        dim = array.dims[axis]
        if span.over is not None and span.over != dim:
            message = f"the span runs over {span.over}, but dimension {axis} of '{array.name}' is {dim}"
            raise self._error(where, message)
