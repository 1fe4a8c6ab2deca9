"""A mistake that could be made in an emitter, and the tests that must turn red with it."""

from typing import NamedTuple


class Mistake(NamedTuple):
    name: str
    what: str
    """What goes wrong in what is emitted."""
    file: str
    snippet: str
    """Occurs once in the file."""
    replacement: str
    tests: tuple
    """Node ids of pytest, and files of lit tests: each must fail."""
    said: str = ""
    """Stands in what they print then."""
