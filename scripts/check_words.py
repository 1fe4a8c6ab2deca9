#!/usr/bin/env python3
"""Rejects phrasings that the project does not use; docs/Glossary.md has the terms that it does.

A phrasing is on the list because it is translated word for word, or because it stands for something that has a plain
name in MLIR, C++ or numerics.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".md", ".h", ".cpp", ".td", ".def", ".py", ".pyi", ".mlir", ".test", ".txt", ".cmake", ".sh", ".toml"}
# The list itself, its test, and what is generated from files that are checked.
LEFT_OUT = {"scripts/check_words.py", "docs/Passes.md"}


class Phrasing(NamedTuple):
    """A regular expression, and what to say in its place."""

    pattern: str
    instead: str


PLACE = "in(?! for)|on|at|outside|inside|directly|between|before|after|beside|there|among|last"
BANNED = [
    Phrasing(r"(?<!left )(?<!leaves )(?<!leaves nothing )\bbehind\b", "after, following"),
    Phrasing(r"\bwhole numbers?\b", "integer"),
    Phrasing(r"\breals\b|\breal numbers?\b", "floating-point number"),
    Phrasing(r"(?:\bthere\W+)?\b(is|are|was|were) no (?!longer\b|more\b|matter\b)", "is not a, are not"),
    Phrasing(r"\bruns? [\w-]+ before\b[\"'.;]", "must be lowered first by"),
    Phrasing(r"\brun '[\w-]+' before\b|\bremains; run\b|\brun \w+-[\w-]+ first\b", "must run first"),
    Phrasing(r"\bout of balance\b|\bset more often than\b", "unbalanced set/wait"),
    Phrasing(r"\bg[ia]ves? back\b|\bgiven back\b", "returns"),
    Phrasing(r"\bwho(ever)? (asks|wants|adds|needs|reads)\b", "say what is done, not by whom"),
    Phrasing(r"\b(no|some|every)body\b", "nothing, no instruction, another process"),
    Phrasing(rf"\bstands? ({PLACE})\b", "is, must be"),
    Phrasing(r"\banew\b", "again"),
    Phrasing(r"\bas of (tile|ascend|linalg|jit)-", "as in"),
    Phrasing(r"\b(is|are) yet to be\b", "is not … yet"),
]


def is_held(name: str):
    """Whether a file keeps to the list."""
    return name not in LEFT_OUT and not name.startswith("docs/Dialects/")


def files(root: Path):
    """The files under version control, or about to be, that hold words."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in sorted(set(listed)):
        path = root / name
        if is_held(name) and (path.suffix in SUFFIXES or path.name == "Makefile") and path.is_file():
            yield name, path


def findings(text: str):
    """Yields (line, words, what to say instead)."""
    for pattern, instead in BANNED:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            words = " ".join(match.group().split())
            if not words.lower().startswith("there "):  # "there is no …" is English
                yield text.count("\n", 0, match.start()) + 1, words, instead


def check(root: Path):
    """Prints what is found; returns how much."""
    count = 0
    for name, path in files(root):
        for line, words, instead in sorted(findings(path.read_text())):
            print(f"{name}:{line}: '{words}': say '{instead}'")
            count += 1
    return count


if __name__ == "__main__":
    sys.exit(bool(check(ROOT)))
