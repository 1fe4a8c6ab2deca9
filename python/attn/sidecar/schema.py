"""Checks of JSON values: every field known, every type right; a mistake is named by its path.

A check is a function of a value and its path, such as `launches[0].kind`, and raises SchemaError.
"""

from __future__ import annotations

from typing import NoReturn


class SchemaError(ValueError):
    """A value that is not of its form."""


def fail(path: str, problem: str) -> NoReturn:
    """Raises SchemaError at a path."""
    raise SchemaError(f"{path or 'the sidecar'}: {problem}")


def _show(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def text(value, path: str):
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        fail(path, f"a text is expected, not {_show(value)}")


def boolean(value, path: str):
    """True or false."""
    if not isinstance(value, bool):
        fail(path, f"true or false is expected, not {_show(value)}")


def number(value, path: str):
    """A number of any kind."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        fail(path, f"a number is expected, not {_show(value)}")


def integer(low: int, high: int = 2**63 - 1):
    """An integer between two."""

    def check(value, path: str):
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            fail(path, f"an integer from {low} to {high} is expected, not {_show(value)}")

    return check


def one_of(*known):
    """One of the given values."""

    def check(value, path: str):
        if not any(type(value) is type(item) and value == item for item in known):
            fail(path, f"one of {', '.join(map(repr, known))} is expected, not {_show(value)}")

    return check


def nullable(inner):
    """Null, or what `inner` takes."""

    def check(value, path: str):
        if value is not None:
            inner(value, path)

    return check


def either(*inner):
    """What one of the checks takes; where none does, the last one says so."""

    def check(value, path: str):
        for candidate in inner[:-1]:
            try:
                return candidate(value, path)
            except SchemaError:
                pass
        return inner[-1](value, path)

    return check


def array(inner, least: int = 0):
    """A list of what `inner` takes."""

    def check(value, path: str):
        if not isinstance(value, list):
            fail(path, f"a list is expected, not {_show(value)}")
        if len(value) < least:
            fail(path, f"at least {least} entries are expected, not {len(value)}")
        for index, item in enumerate(value):
            inner(item, f"{path}[{index}]")

    return check


def mapping(inner):
    """An object with any names, whose values `inner` takes."""

    def check(value, path: str):
        if not isinstance(value, dict):
            fail(path, f"an object is expected, not {_show(value)}")
        for name, item in value.items():
            inner(item, f"{path}.{name}" if path else name)

    return check


class Fields:
    """An object with exactly these fields, which are `known` for those who list what there is."""

    def __init__(self, **known):
        self.known = known

    def __call__(self, value, path: str):
        mapping(lambda item, place: None)(value, path)
        for name in value:
            if name not in self.known:
                fail(path, f"the field '{name}' is not known; known: {', '.join(sorted(self.known))}")
        for name, inner in self.known.items():
            if name not in value:
                fail(path, f"the field '{name}' is missing")
            inner(value[name], f"{path}.{name}" if path else name)
