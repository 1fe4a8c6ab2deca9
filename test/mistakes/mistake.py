"""A mistake that could be made in an emitter, and the tests that must turn red with it.

A mistake is found by its text alone: files may move and lines may be formatted differently. `find` says where it is now.
"""

import functools
import itertools
import re
from pathlib import Path
from typing import NamedTuple

FOLDERS = ("lib", "include", "python")
SUFFIXES = {".cpp", ".h", ".td", ".def", ".py"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|[^\w\s]')


class Mistake(NamedTuple):
    name: str
    what: str
    """What goes wrong in what is emitted."""
    snippet: str
    """Occurs once in the sources, whatever the white space between its tokens."""
    replacement: str
    tests: tuple
    """Node ids of pytest and lit tests, from the name of the file on: each must fail."""
    said: str = ""
    """Part of what they print then."""
    file: str = ""
    """The name of the file, for a snippet that occurs in several."""


class LostPlace(Exception):
    """A mistake cannot be planted: nothing, or more than one place, is what it changes."""


class Place(NamedTuple):
    path: Path
    start: int
    end: int


def _pattern(snippet: str):
    """Matches the tokens of a snippet with any white space between them."""
    tokens = _TOKEN.findall(snippet)
    pairs = itertools.pairwise(tokens)
    gaps = [r"\s+" if re.match(r"\w\w", left[-1] + right[0]) else r"\s*" for left, right in pairs]
    matching = "".join(re.escape(token) + gap for token, gap in zip(tokens, [*gaps, ""]))
    return re.compile(rf"(?<!\w){matching}" if tokens[0][0].isalnum() else matching)


@functools.cache
def _read(path: Path, changed: int):
    return path.read_text()


def _sources(root: Path):
    """Yields the source files and their texts."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path, _read(path, path.stat().st_mtime_ns)


def find(mistake: Mistake, root: Path):
    """The place that a mistake changes."""
    pattern, found = _pattern(mistake.snippet), []
    longest = max(_TOKEN.findall(mistake.snippet), key=len)  # most files do not have it
    for path, text in _sources(root):
        if longest in text and mistake.file in ("", path.name):
            found += [Place(path, match.start(), match.end()) for match in pattern.finditer(text)]
    if len(found) == 1:
        return found[0]
    where = f"the files named {mistake.file}" if mistake.file else ", ".join(FOLDERS)
    if not found:
        raise LostPlace(
            f"the mistake {mistake.name} has lost its place: nothing in {where} matches\n  {mistake.snippet}"
        )
    places = "".join(
        f"\n  {path.relative_to(root)}:{path.read_text().count(chr(10), 0, start) + 1}" for path, start, _ in found
    )
    raise LostPlace(
        f"the mistake {mistake.name} matches {len(found)} places; say more of the code, or its file:{places}"
    )


def find_test(test: str, root: Path):
    """The test as pytest or lit takes it, from the root on: `test/…/test_stages.py::test_x`."""
    file, separator, name = test.partition("::")
    found = sorted(path for path in (root / "test").rglob(Path(file).name) if path.as_posix().endswith(f"/{file}"))
    if len(found) != 1:
        raise LostPlace(f"the test {test} is {'nowhere' if not found else 'ambiguous'} below test/")
    return f"{found[0].relative_to(root).as_posix()}{separator}{name}"
