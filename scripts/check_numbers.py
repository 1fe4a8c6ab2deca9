#!/usr/bin/env python3
"""Checks that numbers of the chip are in `Machine` and nowhere else.

Sizes of memories and what fields hold (`KNOWN`) are found wherever code has them. Small powers of two mean many things;
they are found in C++, where they are given a name, or where something is aligned to them, divided or multiplied by
them. `ALLOWED` has what is not a number of the chip, and says what it is.
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
    ("lib/TileOnChip/Transforms/SizeSearch.cpp", 256): "k and columns that the caches of a CPU hold of a product",
    (
        "python/attn/ops/_dispatch.py",
        8192,
    ): "bytes from which a form is predicted to be the faster one",
}

# Hexadecimal numbers are masks, apart from the largest of 32 bits.
NUMBER = r"(?<![\w.])(0[xX][fF_]{8,9}|[1-9][\d_']*)[uUlL]*(?![\w.])"
BEFORE = r"(?:[-+*/%]=?|(?<![=!<>])=|\b(?:alignTo|divideCeil)\([^;]*,)\s*"
ARITHMETIC = re.compile(rf"{BEFORE}{NUMBER}|{NUMBER}\s*[*/%]")
ANY = re.compile(NUMBER)
NOT_CODE = re.compile(r'//.*|#.*|"(?:[^"\\]|\\.)*"')
DOCSTRING = re.compile(r'"""[\s\S]*?"""')


def read(text: str):
    """The value of a number as C++ and Python write it."""
    return int(re.sub("[_']", "", text), 0)


def check_text(name: str, text: str):
    """Yields (line, message) for each number of the chip."""
    text = DOCSTRING.sub(lambda found: "\n" * found.group().count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        line = NOT_CODE.sub("", line)
        found = {read(match) for match in ANY.findall(line)} & KNOWN
        if not name.endswith(".py"):
            found |= {read(first or second) for first, second in ARITHMETIC.findall(line)} & SMALL
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
