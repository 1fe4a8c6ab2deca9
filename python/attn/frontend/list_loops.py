"""Loops over lists in memory: `at.each`, also joined with `at.tiles`, and `at.blocks`; part of the frontend."""

from __future__ import annotations

import ast

from .lists import Items, items
from .parts import tile_dim
from .signature import find_word
from .source import Node
from .values import Scalar, Span, axes_of, describe


def names_of(target: Node):
    """The names that a target assigns, with their nodes."""
    if isinstance(target, ast.Name):
        yield target.id, target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from names_of(item)


def each_loop(lowering, node: ast.For, call: ast.Call):
    """`for j in at.each(...)`, with a loop over `at.tiles` inside as one loop."""
    usage = "at.each takes a list in memory, and count=, stages= and start=: at.each(idx[b, :], count=n)"
    arguments = _arguments(lowering, call, usage)
    listed = items(lowering, call, "at.each", arguments["items"], arguments["start"], arguments["count"])
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


def _arguments(lowering, call: ast.Call, usage: str):
    """The arguments of a loop over a list, of which the list stays a node."""
    word = find_word(call.func, lowering.source)
    assert word is not None
    names = word.parameters
    given = dict(zip(names, call.args))
    given.update((keyword.arg or "**", keyword.value) for keyword in call.keywords)
    needed = set(names) - word.defaults.keys()
    if len(given) != len(call.args) + len(call.keywords) or given.keys() - set(names) or needed - given.keys():
        raise lowering.error(call, usage)
    values = {key: lowering.evaluate(node) for key, node in given.items() if key != "items"}
    return {**word.defaults, **values, "items": given["items"]}


def blocks_loop(lowering, node: ast.For, call: ast.Call):
    """`for j in at.blocks(...)`: spans count the rows of all blocks, and j says where they lie."""
    usage = (
        "at.blocks takes a list in memory, the size of blocks, that of spans, step=, and count=, stages=, start= and "
    )
    arguments = _arguments(lowering, call, f"{usage}limit=: at.blocks(idx[b, :], size, BN, step=128, count=n)")
    listed = items(lowering, call, "at.blocks", arguments["items"], arguments["start"], arguments["count"])
    rows, step = tile_dim(lowering, arguments["bs"], call, "the block size"), arguments["step"]
    if not isinstance(step, int) or isinstance(step, bool) or step < 1:
        raise lowering.error(call, f"the step of at.blocks must be a positive number, not {describe(step)}")
    size, binary = arguments["size"], lowering.arithmetic.binary
    lowering.arithmetic.check_index(size, call, "the size of blocks")
    if isinstance(size, int) and size % step:
        raise lowering.error(call, f"blocks of {size} rows are not a multiple of the step of at.blocks, {step}")
    lower = binary("*", listed.start, size, call)
    upper = _last_row(lowering, call, listed, size, arguments["limit"])
    bounds = [lowering.arithmetic.index(end, call) for end in (lower, upper)]
    name = node.target.id if isinstance(node.target, ast.Name) else None
    over = Span(lowering.writer.fresh(f"{name}_rows"), rows, None, None, upper, own_axes=axes_of(lower, upper))

    def enter():
        if isinstance(rows, int) and step % rows == 0:
            span = _rows_of_one(lowering, call, listed, size, over)
        else:
            span = listed.rows(lowering, over, size, step, call)
        lowering.define_loop_variable(node.target, lowering.spans.written(span, node.target, name))

    stages, location = lowering.stages(arguments["stages"], call), lowering.writer.location(node.target)
    lowering.sequential_loop(node, node.body, bounds, f" by {rows}", stages, lambda: f"{over.ssa} {location}", enter)


def _last_row(lowering, call: ast.Call, listed: Items, size, limit):
    """Where the rows of the blocks end, counted as in their spans: only the last block may reach beyond the limit."""
    binary = lowering.arithmetic.binary
    end = binary("+", listed.start, listed.count, call)
    upper = binary("*", end, size, call)
    if limit is None:
        return upper
    lowering.arithmetic.check_index(limit, call, "the limit of at.blocks")
    place = binary("at.maximum", binary("-", end, 1, call), 0, call)
    last = listed._replace(start=0).load(lowering, place, None)
    before = binary("*", binary("-", binary("-", end, 1, call), last, call), size, call)
    return binary("at.minimum", upper, binary("+", before, limit, call), call)


def _rows_of_one(lowering, call: ast.Call, listed: Items, size, over: Span):
    """The rows of a span that lies in one block."""
    binary = lowering.arithmetic.binary
    first = lowering.spans.attribute(over, "base", call)
    entry = binary("//", first, size, call)
    block = listed._replace(start=0).load(lowering, entry, None)
    base = binary("+", binary("*", binary("-", block, entry, call), size, call), first, call)
    limit = binary("+", base, binary("-", over.limit, first, call), call)
    return Span(None, over.size, None, base, limit)


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
