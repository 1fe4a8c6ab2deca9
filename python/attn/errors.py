"""Errors that point into a kernel's source: file, line and column, the line itself and a caret below it."""

from __future__ import annotations

import functools
import linecache
import os


class CompileError(Exception):
    """A kernel that cannot be compiled.

    `diagnostics` lists what was said, the first error first; `str()` shows each with its source line and a caret.
    """

    def __init__(self, diagnostics, text: str | None = None):
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join(map(format_diagnostic, self.diagnostics)) if text is None else text)

    def __reduce__(self):
        # With its text: another process may not have the source.
        return CompileError, (self.diagnostics, str(self))

    def _first(self):
        return next((item for item in self.diagnostics if item.severity == "error"), self.diagnostics[0])

    @property
    def message(self):
        """The first error, without its position."""
        return self._first().message

    @property
    def position(self):
        """(file, line, column) of the first error; lines and columns count from 1."""
        first = self._first()
        return first.file, first.line, first.column


class HazardError(Exception):
    """What a kernel would have done wrong on the CPU: the launch is over, and its outputs hold nothing of use.

    `kind` and `message` are in the words of the modelled chip; `str()` shows the source line with a caret.
    """

    def __init__(self, diagnostic: Diagnostic):
        super().__init__(diagnostic)
        self.kind = diagnostic.severity
        self.message = diagnostic.message
        self.position = diagnostic.file, diagnostic.line, diagnostic.column

    def __str__(self):
        return format_diagnostic(self.args[0])


class OutOfBoundsError(HazardError, IndexError):
    """An access of elements that an array does not have; nothing outside of the arrays was touched."""


class DivisionError(HazardError, ZeroDivisionError):
    """A division of integers that has no quotient."""


class Diagnostic:
    """One message with its position; has the attributes of the native module's diagnostics."""

    __slots__ = ("severity", "file", "line", "column", "width", "message", "notes")

    def __init__(self, severity: str, file: str, line: int, column: int, message: str, width: int = 1, notes=()):
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.width = width
        self.message = message
        self.notes = notes

    def __repr__(self):
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"

    def to_json(self):
        """All of it, with its notes."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "notes": [note.to_json() for note in self.notes]}

    @classmethod
    def from_json(cls, read: dict):
        """What `to_json` gave."""
        return cls(**{**read, "notes": [cls.from_json(note) for note in read["notes"]]})

    @classmethod
    def from_native(cls, native):
        """The same as the native module tells it."""
        position = native.severity, native.file, native.line, native.column
        return cls(*position, native.message, notes=[cls.from_native(note) for note in native.notes])


def entry_point(function):
    """What users of the package call: mistakes of theirs are raised without the frames of the package.

    Other errors keep them, as they are mistakes of the package; all do where ATTN_TRACEBACK is 1.
    """

    @functools.wraps(function)
    def enter(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except (CompileError, HazardError, TypeError, ValueError) as error:
            shows_frames = os.environ.get("ATTN_TRACEBACK", "0") not in ("", "0")
            raise error if shows_frames else error.with_traceback(None)  # noqa: B904

    return enter


def near_miss(name: str, known, form: str = "'{}'"):
    """`; did you mean 'axis'?` where a known name is close to one that is not known, else nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=2)
    return f"; did you mean {' or '.join(map(form.format, close))}?" if close else ""


def format_diagnostic(diagnostic):
    """`file:line:col: severity: message`, the source line and a caret; notes follow in the same form."""
    text = f"{diagnostic.severity}: {diagnostic.message}"
    if diagnostic.file:
        text = f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: {text}"
        text += _show_line(diagnostic)
    return "\n".join([text, *map(format_diagnostic, diagnostic.notes)])


def _show_line(diagnostic):
    line = linecache.getline(diagnostic.file, diagnostic.line).rstrip("\n")
    if not line.strip():
        return ""
    before = max(diagnostic.column - 1, 0)
    width = max(min(getattr(diagnostic, "width", 1), len(line) - before), 1)
    # Tabs before the caret stay tabs, so that it lands below its column.
    padding = "".join("\t" if letter == "\t" else " " for letter in line[:before])
    return f"\n{line}\n{padding}^{'~' * (width - 1)}"
