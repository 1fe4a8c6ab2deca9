"""Reads a kernel's signature from its annotations and its syntax tree; part of the frontend."""

from __future__ import annotations

import ast
import re
import types

from .._surroundings import Surroundings
from ..call.interface import Parameter, Signature
from ..language import ArrayType, Auto, ConstType, DType, Word
from .source import Node, Source

_SYMBOL = re.compile(r"[A-Z][A-Z0-9_]*\Z")

# What a body may take from its surroundings.
_CAPTURABLE = (int, float, DType)

# The words whose arguments (by position) are dimensions of tiles.
_SHAPE_ARGUMENTS = {"softmax_state": (0, 1), "full": (0,), "zeros": (0,), "tiles": (1,)}


def read_signature(surroundings: Surroundings, source: Source):
    """The signature of a kernel, from its annotations and its syntax tree."""
    parameters = tuple(_read_parameters(surroundings, source))
    dims = _collect_dims(parameters, source)
    return Signature(
        surroundings.function.__name__,
        parameters,
        dims,
        dict(sorted(_find_specialised(parameters, dims, source), reverse=True)),  # the first line of each wins
        tuple(_find_captured(surroundings, dims)),
    )


def _read_parameters(surroundings: Surroundings, source: Source):
    arguments = source.tree.args
    for node in (arguments.vararg, arguments.kwarg):
        if node is not None:
            raise source.error(node, "a kernel takes a fixed number of arguments, no *args or **kwargs")
    try:
        annotations = surroundings.annotations
    except Exception as problem:
        raise source.error(source.tree, f"an annotation cannot be evaluated: {problem}") from None
    for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if not node.arg.isascii():
            raise source.error(node, f"the argument '{node.arg}' needs a name of ASCII letters")
        yield _read_parameter(node, annotations.get(node.arg), source)


def _read_parameter(node: ast.arg, about, source: Source):
    if isinstance(about, ArrayType):
        return Parameter(node.arg, "array", about)
    if isinstance(about, ConstType):
        return Parameter(node.arg, "const", about)
    if isinstance(about, Auto):
        if not _SYMBOL.match(node.arg):
            raise source.error(node, f"'{node.arg}' needs a name of capital letters, digits and underscores")
        return Parameter(node.arg, "auto", about)
    if about is float or about is int:
        return Parameter(node.arg, about.__name__, about)
    if about is None:
        raise source.error(node, f"the argument '{node.arg}' needs an annotation, such as at.Tensor[\"T D\"] or float")
    known = "at.Tensor[...], at.Tensors[...], float, int, at.Const[...] or at.Auto(lo, hi)"
    raise source.error(node, f"the argument '{node.arg}' must be annotated with {known}")


def _collect_dims(parameters, source: Source):
    names = {parameter.name for parameter in parameters}
    dims: dict[str, tuple] = {}
    for parameter in parameters:
        if parameter.kind != "array":
            continue
        for axis, dim in enumerate(parameter.about.dims):
            if dim in names:
                raise source.error(source.argument(parameter.name), f"'{dim}' is both an argument and a dimension")
            if isinstance(dim, str):
                dims[dim] = (*dims.get(dim, ()), (parameter.name, axis))
    return dims


def find_word(node: Node, source: Source):
    """The word that a call's function names, or None."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = getattr(source.lookup(node.value.id), node.attr, None)
    else:
        found = source.lookup(node.id) if isinstance(node, ast.Name) else None
    return found if isinstance(found, Word) else None


def _find_specialised(parameters, dims, source: Source):
    """The dims that become dimensions of tiles, taken whole by `:` or part of a tile's shape, with lines."""
    arrays = {parameter.name: parameter.about.dims for parameter in parameters if parameter.kind == "array"}
    nodes = _walk(source.tree.body)
    for node in nodes:
        if isinstance(node, ast.Assign):
            arrays.update(_find_outputs(node, arrays, source))
    listed = {id(part) for node in nodes if isinstance(node, ast.Call) for part in _listed(node, source)}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and id(node) not in listed:
            found = _taken_whole(node, arrays.get(node.value.id, ())) | _slice_bounds(node)
            yield from ((name, node.lineno) for name in found & dims.keys())
        elif isinstance(node, ast.Call):
            word = find_word(node.func, source)
            if word and word.name == "scratch":
                yield from ((name, node.lineno) for name in set(_dims_text(node) or ()) & dims.keys())
            if word and word.name == "lse_merge":
                yield from ((name, node.lineno) for name in {*_merged(node, arrays)} & dims.keys())
            for place in _SHAPE_ARGUMENTS.get(word.name, ()) if word else ():
                named = [keyword.value for keyword in node.keywords if keyword.arg == word.parameters[place]]
                for argument in named + node.args[place : place + 1]:
                    yield from ((name, node.lineno) for name in _names_in(argument) & dims.keys())


def _listed(node: ast.Call, source: Source):
    """What at.each, at.blocks and at.lse_merge go over: its dim is counted, not taken whole."""
    word = find_word(node.func, source)
    parts = {"blocks": ("items",), "each": ("items",), "lse_merge": ("o", "lse")}.get(word.name) if word else None
    if parts:
        yield from node.args[: len(parts)]
        yield from (keyword.value for keyword in node.keywords if keyword.arg in parts)


def _merged(node: ast.Call, arrays):
    """The rows, where a span does not say which, and the columns of the parts that at.lse_merge merges."""
    given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "o")]
    for part in given:
        name = part.value if isinstance(part, ast.Subscript) else part
        dims = arrays.get(name.id, ()) if isinstance(name, ast.Name) else ()
        indices = _indices(part) if isinstance(part, ast.Subscript) else []
        whole = [*map(_is_whole, indices), *[True] * (len(dims) - len(indices))]
        if len(dims) > 2:
            yield from (dim for dim, is_whole in zip(dims[-2:], whole[-2:]) if is_whole)


def _is_whole(index: Node):
    return isinstance(index, ast.Slice) and index.lower is None and index.upper is None


_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator)


def _walk(statements):
    """All nodes below statements but the leaves; much faster than ast.walk on a long kernel."""
    nodes = list(statements)
    for node in nodes:  # grows while it is read
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes += [item for item in value if not isinstance(item, _LEAVES) and isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                nodes.append(value)
    return nodes


def _taken_whole(node: ast.Subscript, dims):
    """The dims of an array that a subscript takes whole, or to their end."""
    pairs = zip(dims, _indices(node))
    return {dim for dim, index in pairs if isinstance(index, ast.Slice) and not index.upper}


def _slice_bounds(node: ast.Subscript):
    """The names in the bounds of a subscript's slices."""
    return {name for index in _indices(node) if isinstance(index, ast.Slice) for name in _names_in(index)}


def _indices(node: ast.Subscript):
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _find_outputs(node: ast.Assign, arrays: dict, source: Source):
    """The arrays that an assignment makes with `at.empty` or `at.empty_like`, with their dims."""
    for name, call in _pairs(node.targets[0], node.value):
        word = find_word(call.func, source) if isinstance(call, ast.Call) else None
        if not isinstance(name, ast.Name) or word is None:
            continue
        if word.name == "empty" and _dims_text(call):
            yield name.id, _dims_text(call)
        elif word.name == "empty_like" and call.args and isinstance(call.args[0], ast.Name):
            yield name.id, arrays.get(call.args[0].id, ())


def _pairs(target: Node, value: Node):
    """What is assigned to what, with both sides of a condition and tuples taken apart."""
    if isinstance(value, ast.IfExp):
        yield from _pairs(target, value.body)
        yield from _pairs(target, value.orelse)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for pair in zip(target.elts, value.elts):
            yield from _pairs(*pair)
    else:
        yield target, value


def _dims_text(call: ast.Call):
    """The dims that a call of `at.empty` or `at.scratch` names; None where they are not a string."""
    text = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "dims"), None)
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return None
    return tuple(text.value.split())


def _names_in(node: Node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _find_captured(surroundings: Surroundings, dims):
    """The numbers that the body takes from outside: they are part of what a kernel is specialised on.

    Attributes among the names do no harm.
    """
    names = [name for name in surroundings.names if name not in dims]
    for name in names:
        value = surroundings.lookup(name)
        if isinstance(value, _CAPTURABLE):
            yield name
        elif isinstance(value, types.ModuleType) and value.__name__ != "attn.language":
            yield from (f"{name}.{part}" for part in names if isinstance(getattr(value, part, None), _CAPTURABLE))
