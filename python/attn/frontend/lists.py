"""Lists in memory and parts of work: `at.split`, `at.lse_merge`, and what `at.each` goes over; part of the frontend."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from .indexing import Slice
from .softmax import finish
from .source import Node
from .values import Array, Scalar, Span, State, axes_of


class ArrayPart(NamedTuple):
    """What some indices leave of an array: the indices, None for those that are open, and where they stand.

    An index may be a span, where that is asked for.
    """

    array: Array
    indices: tuple
    nodes: tuple

    def filled(self, *rest):
        """The indices with the open ones filled in."""
        left = iter(rest)
        return [next(left) if index is None else index for index in self.indices]

    @property
    def open_dims(self):
        """The dims that are left, with their axes."""
        dims = enumerate(self.array.dims)
        return [(axis, dim) for axis, dim in dims if self.indices[axis] is None]

    @property
    def span(self):
        """The span among the indices; None where there is none."""
        return next((index for index in self.indices if type(index) is Span), None)

    @property
    def sizes(self):
        """The sizes of what is left: dims, and the size of a span."""
        taken = zip(self.array.dims, self.indices)
        return [dim if index is None else index.size for dim, index in taken if index is None or type(index) is Span]


def array_part(lowering, node: Node, what: str, with_span: bool = False) -> ArrayPart:
    """`X[i, j]` with indices left out at its end, or `X[i, :, :]`; with a span, also `X[:, i, t, :]`."""
    array = lowering.evaluate(node.value) if isinstance(node, ast.Subscript) else None
    if type(array) is not Array or not isinstance(node, ast.Subscript):
        raise lowering.error(node, f"{what} takes a part of an array, such as X[b, h]")
    indices, nodes = lowering.indices(node)
    if len(indices) > len(array.dims):
        message = f"'{array.name}' has {len(array.dims)} dimensions and is given {len(indices)} indices"
        raise lowering.error(node, message)
    left = len(array.dims) - len(indices)
    taken = [None if index == Slice(None, None) else index for index in indices] + [None] * left
    if with_span:
        taken = [lowering.spans.of(index) for index in taken]
    for index, where in zip(taken, nodes):
        if index is not None and not (with_span and type(index) is Span):
            lowering.arithmetic.check_index(index, where, "an index of it")
    return ArrayPart(array, tuple(taken), (*nodes, *[node] * left))


class Items(NamedTuple):
    """A run of integers in memory, `count` of them from `start` on, along one axis of an array."""

    part: ArrayPart
    start: Any
    count: Any
    node: Node

    def load(self, lowering, place: Scalar, name: str | None):
        """The integer at a place of it."""
        place = lowering.arithmetic.binary("+", place, self.start, self.node)
        return lowering.indexing.load_index(self.part.array, self.part.filled(place), self.part.nodes, self.node, name)

    def rows(self, lowering, over: Span, size, step: int, node: Node):
        """The rows of blocks of a size that the list names, where `over` counts the rows of all of them."""
        array, indices = self.part.array, self.part.filled(over)
        lowering.indexing.read_as_indices(array, node)
        selection = lowering.indexing.select(array, indices, self.part.nodes, node)
        rows = Span(None, over.size, None, None, None, own_axes=axes_of(*indices, size), listed=True)
        types = ", ".join([array.type, *selection.types, "index"])
        by = f"by {lowering.arithmetic.index(size, node)} step {step}"
        text = f"tile.list_rows {array.ssa}[{selection.text}] {by} : ({types}) -> {rows.type}"
        return rows._replace(ssa=lowering.writer.define(text, node))


def items(lowering, node: ast.Call, word: str, what: Node, start, count):
    """What `at.each(what, start=start, count=count)`, or another word, goes over."""
    part = array_part(lowering, what, word)
    array = part.array
    if not lowering.indexing.holds_indices(array):
        message = f"{word} goes over integers of memory (at.u16, at.i32, at.i64), not over {array.dtype.name}"
        raise lowering.error(what, f"{message} of '{array.name}'")
    if len(part.open_dims) != 1:
        raise lowering.error(what, f"{word} goes over one dimension of '{array.name}': index the others by numbers")
    ((axis, dim),) = part.open_dims
    size = dim if isinstance(dim, int) else lowering.writer.dim(dim, array, axis)
    lowering.arithmetic.check_index(start, node, f"the start of {word}")
    if isinstance(start, int) and start < 0:
        raise lowering.error(node, f"{word} starts at {start} of '{array.name}', before its first integer")
    if count is not None:
        lowering.arithmetic.check_index(count, node, f"the count of {word}")
    end = size if count is None else lowering.arithmetic.binary("+", start, count, node)
    if isinstance(end, int) and isinstance(size, int) and end > size:
        message = f"{word} goes over {count} integers of '{array.name}'"
        raise lowering.error(node, f"{message}: index {end - 1} of dimension {axis}, which has {size}")
    # Nothing else may ever look at the list, so it bounds the loop itself.
    if not isinstance(start, int):
        start = _bound(lowering, node, "first", start, array, axis)
    if end is not size and not (isinstance(end, int) and isinstance(size, int)):
        end = _bound(lowering, node, "end", end, array, axis)
    return Items(part, start, lowering.arithmetic.binary("-", end, start, node), what)


def _bound(lowering, node: ast.Call, kind: str, number, array, axis: int):
    """The nearest number that does no harm where a run of the array begins or ends."""
    given = lowering.arithmetic.index(number, node)
    ssa = lowering.writer.define(f"tile.bound_index {kind} {given} in {array.ssa}, {axis} : {array.type}", node)
    return Scalar(ssa, "index", axes=axes_of(number))


def split(lowering, node: ast.Call, name, n, parts, i):
    """`at.split(n, parts, i)`: where part i begins and ends."""
    for value, what in ((n, "n"), (parts, "parts"), (i, "i")):
        lowering.arithmetic.check_index(value, node, f"'{what}' of at.split")
    if isinstance(parts, int) and parts < 1:
        raise lowering.error(node, f"at.split needs at least one part, not {parts}")
    binary = lowering.arithmetic.binary

    def begin(part):
        return binary("//", binary("*", n, part, node), parts, node)

    return begin(i), begin(binary("+", i, 1, node))


def lse_merge(lowering, node: ast.Call, name):
    """`at.lse_merge(o, lse, start=, count=)`: a softmax over the parts, each weighted by its own log-sum-exp."""
    given = dict(zip(("o", "lse", "start", "count"), node.args))
    given.update((keyword.arg or "**", keyword.value) for keyword in node.keywords)
    known = given.keys() <= {"o", "lse", "start", "count"} and {"o", "lse"} <= given.keys()
    if not known or len(node.args) + len(node.keywords) != len(given):
        raise lowering.error(node, "at.lse_merge takes o and lse, parts of arrays such as po[b, h] and pl[b, h]")
    sums, lses = (array_part(lowering, given[key], "at.lse_merge", with_span=True) for key in ("o", "lse"))
    dims, others = sums.sizes, lses.sizes
    if len(dims) != 3 or others != dims[:2]:
        message = "at.lse_merge takes o with parts, rows and columns left and lse with the same parts and rows"
        raise lowering.error(node, f"{message}, not {_show(dims)} and {_show(others)}")
    for dim in dims[1:]:
        if isinstance(dim, str):
            raise lowering.error(node, f"at.lse_merge: the size of '{dim}' must be known at compile time")
    start, count = (lowering.evaluate(given[key]) if key in given else None for key in ("start", "count"))
    for value, what in ((start, "start"), (count, "count")):
        if value is not None:
            lowering.arithmetic.check_index(value, node, f"the {what} of at.lse_merge")
    return _merge(lowering, node, sums, lses, 0 if start is None else start, count)


def _show(dims):
    return "[" + ", ".join(map(str, dims)) + "]"


def _merge(lowering, node: ast.Call, sums: ArrayPart, lses: ArrayPart, start, count):
    writer, arithmetic, indexing = lowering.writer, lowering.arithmetic, lowering.indexing
    (axis, parts), *_ = sums.open_dims
    _, rows, cols = sums.sizes
    end = parts if isinstance(parts, int) else writer.dim(parts, sums.array, axis)
    if count is not None:
        end = arithmetic.binary("+", start, count, node)
    state = State("", rows, cols)
    first = writer.define(f"tile.softmax_init : {state.type}", node)
    before = state._replace(ssa=writer.fresh())
    merged = state._replace(ssa=writer.fresh())
    part = Scalar(writer.fresh("part"), "index", axes=axes_of(start, end))
    bounds = f"{arithmetic.index(start, node)} to {arithmetic.index(end, node)}"
    carried = f"iter({before.ssa} = {first} : {state.type})"
    writer.open(f"{merged.ssa} = tile.range {part.ssa} = {bounds} {carried} stages 2")
    whole = () if sums.span is not None else (Span(None, rows, None, 0, rows),)
    tiles = []
    for source, rest in ((lses, (part, *whole)), (sums, (part, *whole, Slice(None, None)))):
        selection = indexing.select(source.array, source.filled(*rest), source.nodes, node)
        tiles.append(arithmetic.operand(indexing.load(source.array, selection, node), node, "at.lse_merge"))
    lse, values = tiles
    text = f"tile.softmax_push per_row {before.ssa}, {lse.ssa}, {values.ssa} : {state.type}, {lse.type}, {values.type}"
    writer.line(f"tile.yield {writer.define(text, node)} : {state.type}", node)
    writer.close(node)
    return finish(lowering, node, merged)
