"""Loops over lists in memory: `at.each`, also joined with a loop over `at.tiles`; part of the frontend."""

from __future__ import annotations

import ast

from .lists import Items, items
from .parts import tile_dim
from .signature import find_word
from .source import Node
from .values import Scalar, Span, axes_of


def names_of(target: Node):
    """The names that a target assigns, with their nodes."""
    if isinstance(target, ast.Name):
        yield target.id, target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from names_of(item)


def each_loop(lowering, node: ast.For, call: ast.Call):
    """`for j in at.each(...)`, with a loop over `at.tiles` inside as one loop."""
    arguments = _each_arguments(lowering, call)
    listed = items(lowering, call, arguments["items"], arguments["start"], arguments["count"])
    joined = _find_joined(lowering, node)
    stages = lowering.stages(arguments["stages"], call)
    zero = lowering.arithmetic.index(0, call)
    if joined is not None:
        _joined_loop(lowering, node, listed, joined, zero)
        return
    ends = [zero, lowering.arithmetic.index(listed.count, call)]
    name = node.target.id if isinstance(node.target, ast.Name) else None
    place = Scalar(lowering.writer.fresh(f"{name}_place"), "index", axes=axes_of(listed.count))

    def enter():
        lowering.define_loop_variable(node.target, listed.load(lowering, place, name))

    location = lowering.writer.location(node.target)
    lowering.sequential_loop(node, node.body, ends, "", stages, lambda: f"{place.ssa} {location}", enter)


def _each_arguments(lowering, call: ast.Call):
    """The arguments of at.each, of which the list stays a node."""
    word = find_word(call.func, lowering.source)
    names = word.parameters if word else ()
    given = dict(zip(names, call.args))
    given.update((keyword.arg or "**", keyword.value) for keyword in call.keywords)
    if len(given) != len(call.args) + len(call.keywords) or given.keys() - set(names) or "items" not in given:
        raise lowering.error(
            call, "at.each takes a list in memory, and count=, stages= and start=: at.each(idx[b, :], count=n)"
        )
    values = {key: lowering.evaluate(given[key]) for key in ("count", "stages", "start") if key in given}
    return {"items": given["items"], "count": None, "stages": 1, "start": 0, **values}


def _find_joined(lowering, node: ast.For):
    """The loop over at.tiles that is all of a body, where its number of tiles is the same for every item."""
    inner = node.body[0]
    if len(node.body) != 1 or not isinstance(inner, ast.For) or inner.orelse or not isinstance(inner.iter, ast.Call):
        return None
    word = find_word(inner.iter.func, lowering.source)
    tiles = inner.iter.args[0] if len(inner.iter.args) == 1 else None
    spans = find_word(tiles.func, lowering.source) if isinstance(tiles, ast.Call) else None
    if (
        word is None
        or word.name != "range"
        or spans is None
        or spans.name != "tiles"
        or not isinstance(tiles, ast.Call)
    ):
        return None
    given = _tiles_arguments(tiles)
    sizes = [given[name] for name in ("n", "bs") if name in given]
    if any(name in _names_in(size) for size in sizes for name, _ in names_of(node.target)):
        return None
    # The limit says how many tiles there can be only if none of them begins before 0.
    base = given.get("base", ast.Constant(0))
    may_be_negative = any(isinstance(part, (ast.Sub, ast.USub)) for part in ast.walk(base))
    return None if may_be_negative and _is_open(lowering, given.get("n")) else inner


def _joined_loop(lowering, node: ast.For, listed: Items, inner: ast.For, zero: str):
    """Iteration i is tile i % m of item i // m, where every item has m tiles."""
    call = inner.iter
    assert isinstance(call, ast.Call)
    tiles = call.args[0]
    assert isinstance(tiles, ast.Call)
    stages = {keyword.arg: keyword.value for keyword in call.keywords}
    if stages.keys() - {"stages"}:
        raise lowering.error(call, "at.range takes at.tiles alone, and stages=")
    depth = lowering.stages(lowering.evaluate(stages["stages"]) if stages else 1, call)
    words = lowering.bind_parts(tiles, ("n", "bs"))
    binary = lowering.arithmetic.binary
    size = tile_dim(lowering, words["bs"], tiles, "the block size")
    lowering.arithmetic.check_index(words["n"], tiles, "the extent of at.tiles")
    extent = _existing_extent(lowering, node, tiles, words["n"])
    count = lowering.arithmetic.size(binary("at.cdiv", extent, size, tiles), tiles)
    total = lowering.arithmetic.index(binary("*", listed.count, count, node.iter), node.iter)
    name = node.target.id if isinstance(node.target, ast.Name) else None
    place = Scalar(lowering.writer.fresh(f"{name}_tile"), "index", axes=axes_of(listed.count))

    def enter():
        item = binary("//", place, count, node.iter)
        lowering.define_loop_variable(node.target, listed.load(lowering, item, name))
        number = binary("-", place, binary("*", item, count, node.iter), node.iter)
        spans = lowering.evaluate(tiles)
        base = binary("+", spans.lower, binary("*", number, size, tiles), tiles)
        span = Span(None, size, None, base, spans.upper)
        label = inner.target.id if isinstance(inner.target, ast.Name) else None
        lowering.define_loop_variable(inner.target, lowering.spans.written(span, inner.target, label))

    location = lowering.writer.location(node.target)
    lowering.sequential_loop(node, inner.body, [zero, total], "", depth, lambda: f"{place.ssa} {location}", enter)


def _tiles_arguments(tiles: ast.Call):
    """The arguments of at.tiles, not evaluated."""
    given = dict(zip(("n", "bs", "base", "limit"), tiles.args))
    given.update((keyword.arg or "", keyword.value) for keyword in tiles.keywords)
    return given


def _is_open(lowering, node: Node | None):
    """Whether a number follows from more than sizes, and so may be anything."""
    return node is not None and not all(map(lowering.is_dim, _names_in(node)))


def _existing_extent(lowering, node: ast.For, tiles: ast.Call, n):
    """How many of `n` rows from a base on, which is at least 0, can lie before the limit, whatever the item is."""
    given = _tiles_arguments(tiles)
    if type(n) is not Scalar or not _is_open(lowering, given["n"]):
        return n
    limit = given.get("limit")
    if limit is not None and not any(name in _names_in(limit) for name, _ in names_of(node.target)):
        n = lowering.arithmetic.binary("at.minimum", n, lowering.evaluate(limit), tiles)
    return lowering.arithmetic.binary("at.maximum", n, 0, tiles)


def _names_in(node: Node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
