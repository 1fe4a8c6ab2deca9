"""Finds the source of a kernel, parses it, and turns nodes of the tree into positions; part of the frontend."""

from __future__ import annotations

import ast
import itertools
from typing import TypeAlias

from .._surroundings import Surroundings
from ..errors import CompileError, Diagnostic

# The nodes that have a place in the file.
Node: TypeAlias = ast.expr | ast.stmt | ast.arg


class Source:
    """The syntax tree of a kernel and the names that surround it."""

    def __init__(self, surroundings: Surroundings, tree: ast.FunctionDef):
        self.path = surroundings.path
        self.tree = tree
        self.lookup = surroundings.lookup
        self._lines = surroundings.lines

    def argument(self, name: str):
        """The node of an argument of the kernel."""
        arguments = self.tree.args
        nodes = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return next(node for node in nodes if node.arg == name)

    def position(self, node: Node):
        """(line, column) of a node, both counted from 1, columns in characters."""
        return node.lineno, self._column(node.lineno, node.col_offset) + 1

    def _column(self, line: int, offset: int):
        text = self._lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))

    def error(self, node: Node, message: str):
        """A CompileError that underlines `node`."""
        line, column = self.position(node)
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        width = self._column(line, len(self._lines[line - 1].encode()) if end is None else end) + 1 - column
        return CompileError([Diagnostic("error", self.path, line, column, message, width)])


# The file parsed last: the kernels of one file are usually read one after the other.
_parsed: tuple[tuple[str, str], ast.Module] | None = None


def _parse_file(path: str, lines):
    global _parsed
    text = "".join(lines)
    if _parsed is None or _parsed[0] != (path, text):
        _parsed = ((path, text), ast.parse(text, path))
    return _parsed[1]


def _parse_function(path: str, lines, first: int):
    """A module with only the function that begins in a line, at its lines and columns; None where it is not found."""
    margin = _indentation(lines[first - 1])
    # What is indented stands below a condition, for which there is a line before the first.
    before = "\n" * (first - 1) if margin == 0 else "\n" * (first - 2) + "if True:\n"
    for end in itertools.islice(_find_ends(lines, first, margin), _MOST_ENDS):
        try:
            return ast.parse(before + "".join(lines[first - 1 : end]), path)
        except SyntaxError:
            pass
    return None


_MOST_ENDS = 4
"""So many places are tried as the end of a function before the whole file is parsed."""


def _find_ends(lines, first: int, margin: int):
    """The lines after which a function may end: the next one is indented as little.

    Such a line may also be part of the header, or inside brackets or a string: what is before it does not parse then.
    """
    for number in range(first, len(lines)):
        text = lines[number].lstrip()
        if text and text[0] not in "#)]}" and _indentation(lines[number]) <= margin:
            yield number
    yield len(lines)


def _indentation(line: str):
    return len(line) - len(line.lstrip())


def _parse(surroundings: Surroundings):
    """What has the function at its lines and columns: a module of it alone, or else its whole file."""
    lines, first = surroundings.lines, surroundings.function.__code__.co_firstlineno
    alone = _parse_function(surroundings.path, lines, first) if first <= len(lines) else None
    return alone or _parse_file(surroundings.path, lines)


def load_source(surroundings: Surroundings):
    """The source of a function, with the lines and columns of its file."""
    function = surroundings.function
    code = function.__code__
    try:
        tree = _parse(surroundings) if surroundings.lines else None
    except SyntaxError:
        tree = None
    if tree is None:
        message = f"the source of '{function.__name__}' cannot be read: a kernel must be in a file"
        raise CompileError([Diagnostic("error", code.co_filename, code.co_firstlineno, 1, message)])
    for node in _functions(tree):
        if node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return _checked(Source(surroundings, node))
    message = f"the source of '{function.__name__}' is not where it was defined: a kernel is a plain function of a file"
    raise CompileError([Diagnostic("error", code.co_filename, code.co_firstlineno, 1, message)])


def _functions(tree: ast.Module):
    """The functions of a file, also those inside others, in classes and below conditions."""
    statements = list(tree.body)
    for node in statements:  # grows while it is read
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            statements += getattr(node, field, ())


def _checked(source: Source):
    if isinstance(source.tree, ast.AsyncFunctionDef):
        raise source.error(source.tree, "a kernel is a plain function, not an async one")
    return source
