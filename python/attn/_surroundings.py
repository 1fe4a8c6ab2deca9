"""What surrounds a kernel: the file it is in, its annotations, and the names that it takes from outside.

All of it together decides what is compiled, so it can be described for keys of the cache, without parsing anything.
"""

from __future__ import annotations

import functools
import linecache
import os
import types

from .errors import CompileError, Diagnostic
from .language import ArrayType, Auto, ConstType, DType, Word


def _file_state(path: str):
    """What changes when a file is written; None where there is no file."""
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def read_annotations(function):
    """The annotations of a function, those that are strings evaluated."""
    annotations = function.__annotations__
    if any(isinstance(annotation, str) for annotation in annotations.values()):
        import inspect

        annotations = inspect.get_annotations(function, eval_str=True)
    return annotations


class Surroundings:
    """The surroundings of one function."""

    def __init__(self, function):
        self.function = function
        self.path = function.__code__.co_filename
        self.names = (*function.__code__.co_names, *function.__code__.co_freevars)
        """The names that the body reads without defining them; attributes are among them."""
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        self._state = _file_state(self.path)

    @functools.cached_property
    def lines(self):
        """The lines of the file, as they are when they are first asked for; none where it cannot be read.

        A kernel must be what its module was when it was imported, or the body that is compiled and the names around it
        would be of two versions.
        """
        linecache.checkcache(self.path)
        lines = linecache.getlines(self.path, self.function.__globals__)
        if lines and _file_state(self.path) != self._state and not self._is_unchanged("".join(lines)):
            code = self.function.__code__
            message = f"the file has changed since '{code.co_name}' was imported: import it again"
            raise CompileError([Diagnostic("error", self.path, code.co_firstlineno, 1, message)])
        return lines

    def _is_unchanged(self, text: str):
        """Whether the function is the same in a text; a file may be written again without a change."""
        try:
            codes = [compile(text, self.path, "exec", dont_inherit=True)]
        except (SyntaxError, ValueError):
            return False
        for code in codes:  # grows while it is read
            codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        return self.function.__code__ in codes

    @functools.cached_property
    def annotations(self):
        """The annotations by name; raises what evaluating them raises."""
        return read_annotations(self.function)

    def lookup(self, name: str, default=None):
        """What a name outside the kernel's body stands for: a closure's cell, then a global. `a.b` is a's attribute."""
        name, _, attribute = name.partition(".")
        if attribute:
            return getattr(self.lookup(name), attribute, default)
        cell = self._cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:  # not assigned yet
                return default
        return self.function.__globals__.get(name, default)

    def describe(self):
        """The file, which function of it this is, its annotations, and what its names stand for now, as text."""
        code = self.function.__code__
        names = sorted({name: _describe_value(self.lookup(name), self.names) for name in self.names}.items())
        return "\n".join([self.text, f"{code.co_name} {code.co_firstlineno}", self._annotations_text, repr(names)])

    @functools.cached_property
    def text(self):
        """The text of the file."""
        return "".join(self.lines)

    @functools.cached_property
    def _annotations_text(self):
        try:
            annotations = self.annotations
        except Exception as problem:  # the frontend tells it at its place
            return repr(problem)
        return repr([(name, _describe_annotation(about)) for name, about in annotations.items()])


def _describe_annotation(about):
    if isinstance(about, (ArrayType, Auto, ConstType)):
        return type(about).__name__, [repr(getattr(about, field)) for field in about.__slots__]
    return repr(about)


def _describe_value(value, attributes=()):
    """A number, a type or a word of the language, or a module with those of its attributes; a body takes no others."""
    if isinstance(value, (int, float, DType)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, Word):
        return f"word {value.name}"
    if isinstance(value, types.ModuleType):
        return {name: _describe_value(getattr(value, name, None)) for name in attributes}
    return "other"
