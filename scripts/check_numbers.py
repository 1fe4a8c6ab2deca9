#!/usr/bin/env python3
"""Checks that numbers of the chip are in `Machine` and nowhere else.

Sizes of memories and what fields hold (`KNOWN`) are found wherever code has them. Small powers of two mean many things;
they are found where they are given a name, or where something is aligned to them, divided or multiplied by them.
`ALLOWED` has what is not a number of the chip, and says what it is.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDERS = ("include/attn", "lib", "tools", "python/attn", "python/launcher")
SUFFIXES = {".h", ".cpp", ".def", ".py"}
# The tables themselves; the twin's device headers, which are written from the vendor's documentation on purpose; and
# the CPU, which is another machine.
LEFT_OUT = (
    *("include/attn/Machine/", "lib/Machine/"),
    "include/attn/Simulator/AscendC/Device/",
    *("include/attn/Cpu/", "lib/Cpu/", "lib/Pipelines/CpuLowering.cpp"),
    *("python/attn/cache/", "python/attn/cli/"),  # files of the cache
)

KNOWN = {255, 4095, 4096, 8192, 65535, 65536, 131072, 196352, 196608, 524032, 524288, 2097151, 2097152, 0xFFFFFFFF}
SMALL = {16, 32, 64, 128, 256, 512, 1024}
ALLOWED = {
    ("include/attn/Dialect/Tile/Analysis/SoftmaxLoop.h", 32): "trips whose values are kept, a choice",
    ("include/attn/Dialect/Tile/Transforms/BandForms.h", 32): "taps that are written out, a choice",
    ("lib/Conversion/AscendToHIVM/KernelExporter.cpp", 32): "the vendor's number for a kind of task",
    ("lib/Conversion/TileToLinalg/ArrayPatterns.cpp", 64): "a cache line of the CPU",
    ("lib/Dialect/Tile/Analysis/IndexBound.cpp", 16): "a bound on the work of an analysis",
    ("lib/Dialect/Tile/Analysis/IndexBound.cpp", 32): "a bound on the work of an analysis",
    ("lib/Dialect/Tile/Transforms/SplitMaskedLoops.cpp", 64): "rows whose masks cost little, a choice",
    ("lib/TileOnChip/Transforms/SizeSearch.cpp", 256): "k and columns that the caches of a CPU hold of a product",
    ("python/attn/call/planning.py", 1024): "forms of calls that are remembered",
    ("python/attn/frontend/arithmetic.py", 1024): "bits of an integer that is computed while compiling",
    ("python/attn/ops/_attention.py", 256): "columns of a head that the operators take",
    ("python/attn/ops/_dispatch.py", 64): "rows of a tile, a choice",
    ("python/attn/ops/_dispatch.py", 128): "rows and keys of a tile, a choice",
    ("python/attn/ops/_dispatch.py", 256): "rows of a tile, a choice",
    ("python/attn/ops/_dispatch.py", 512): "keys of a tile, a choice",
    ("python/attn/ops/_dispatch.py", 8192): "bytes from which a form is predicted to be the faster one",
    ("python/attn/ops/block_sparse.py", 1024): "keys of a part, a choice",
    ("python/attn/ops/flash.py", 4096): "keys for which parts pay, a choice",
    ("python/attn/ops/_pages.py", 128): "rows of a tile, a choice",
    ("python/attn/ops/paged.py", 16): "new tokens that the operator takes",
    ("python/attn/ops/paged.py", 512): "tokens of a page that the operator takes",
    ("python/attn/planning.py", 64): "tokens that a task costs, an estimate",
    ("python/attn/planning.py", 256): "tokens of a part, a choice",
    ("python/attn/planning.py", 512): "tokens that a barrier costs, an estimate",
    ("python/attn/planning.py", 1024): "tokens of a part, a choice",
}

# Hexadecimal numbers are masks, apart from the largest of 32 bits.
NUMBER = r"(?<![\w.])(0[xX][fF_]{8,9}|[1-9][\d_']*)[uUlL]*(?![\w.])"
BEFORE = r"(?:[-+*/%]=?|(?<![=!<>])=|\b(?:alignTo|divideCeil)\([^;]*,)\s*"
ARITHMETIC = re.compile(rf"{BEFORE}{NUMBER}|{NUMBER}\s*[*/%]")
# Keyword arguments and defaults, `maxsize=64`, have no space around the sign: they are not names.
ARITHMETIC_OF_PYTHON = re.compile(rf"(?:(?<!\*)[-+*/%]=?| =) ?{NUMBER}|{NUMBER}\s*[*/%]")
NAMES_OF_PYTHON = re.compile(r"^\w+(?:, \w+)+ = [^(]*$")
ANY = re.compile(NUMBER)
STRING = r'"(?:[^"\\]|\\.)*"'
NOT_CODE, NOT_CODE_OF_PYTHON = re.compile(rf"//.*|#.*|{STRING}"), re.compile(rf"#.*|{STRING}")
DOCSTRING = re.compile(r'"""[\s\S]*?"""')


def read(text: str):
    """The value of a number as C++ and Python write it."""
    return int(re.sub("[_']", "", text), 0)


def check_text(name: str, text: str):
    """Yields (line, message) for each number of the chip."""
    text = DOCSTRING.sub(lambda found: "\n" * found.group().count("\n"), text)
    not_code, named = NOT_CODE, ARITHMETIC
    if name.endswith(".py"):
        not_code, named = NOT_CODE_OF_PYTHON, ARITHMETIC_OF_PYTHON
    for number, line in enumerate(text.splitlines(), 1):
        line = not_code.sub("", line)
        if NAMES_OF_PYTHON.match(line):
            line = line.replace(", ", " = ")
        found = {read(match) for match in ANY.findall(line)} & KNOWN
        found |= {read(match) for matches in named.findall(line) for match in matches if match} & SMALL
        for value in sorted(found):
            if (name, value) not in ALLOWED:
                yield number, f"has the number {value}; numbers of the chip are in Machine, with their source"


def check(root: Path):
    """All violations below `root`, as lines `file:line: message`."""
    found = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix in SUFFIXES and not name.startswith(LEFT_OUT):
                found += [f"{name}:{line}: {message}" for line, message in check_text(name, file.read_text())]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    violations = check(parser.parse_args().root)
    print("\n".join(violations) if violations else "numbers of the chip: no violations")
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
