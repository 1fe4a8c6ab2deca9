"""Tells which outputs of a kernel have one right answer, bit for bit, from its tile IR.

Arithmetic is IEEE in every stage and stands in the order of the source, so a result has one value unless it goes
through a sum, whose order each stage chooses, or through a function that no two libraries round alike.
"""

from __future__ import annotations

import re

# What every stage computes alike. An op that is not listed counts as one that need not be.
_EXACT = frozenset(
    "abs add band_mask cast dim div extract grid insert load make_span maximum minimum mul phase range rsqrt size "
    "span_base splat sqrt store sub undefined yield".split()
)
_EXACT_REDUCTIONS = frozenset(("max", "min"))
_WRITES = frozenset(("accumulate", "store"))

_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_OP = re.compile(r"\btile\.(?P<name>\w+)(?:\s+(?P<word>\w+))?")
_LOOP = re.compile(r"(?:(?P<result>%[\w$.-]+)(?::(?P<count>\d+))? = )?tile\.(?:range|grid)\b")
_CARRIED = re.compile(r"(?P<argument>%[\w$.-]+) = (?P<initial>%[\w$.-]+(?:#\d+)?) :")
_OUTPUT = re.compile(r"(?P<name>%[\w$.-]+): [^%]*\blaunch\.output\b")


def inexact_outputs(text: str):
    """For each output of a tile IR text, in order: what makes it inexact, such as "tile.reduce sum", or None."""
    header, *lines = text[text.index("func.func") :].splitlines()
    causes = {}
    while _spread(lines, causes):
        pass
    return [causes.get(name) for name in _OUTPUT.findall(header)]


def _spread(lines, causes: dict):
    """Hands the causes of inexactness on, line by line; whether any value was new."""
    known = len(causes)
    loops = []  # (names of the results, names of the arguments) of the loops around a line
    for line in map(str.strip, lines):
        if line.startswith("}"):
            if loops:
                loops.pop()
        elif loop := _LOOP.match(line):
            loops.append(_enter(loop, line, causes))
        elif line.startswith("tile.yield"):
            results, arguments = loops[-1]
            for value, *names in zip(_VALUE.findall(line), results, arguments):
                _mark(causes, causes.get(value), names)
        else:
            _step(line, causes)
    return len(causes) > known


def _enter(loop: re.Match, line: str, causes: dict):
    carried = _CARRIED.findall(line)
    result, count = loop["result"], loop["count"]
    results = [f"{result}#{number}" for number in range(int(count))] if count else [result]
    for (argument, initial), name in zip(carried, results):
        _mark(causes, causes.get(initial), (argument, name))
    return results, [argument for argument, _ in carried]


def _step(line: str, causes: dict):
    """One op outside of the loops' own: its results, and the array it writes, take over what its operands have."""
    op = _OP.search(line)
    if op is None:
        return
    values = _VALUE.findall(line)
    defined = line[: op.start()].count("%")
    written = defined + 1 if op["name"] in _WRITES else defined
    cause = _own_cause(op) or next((causes[value] for value in values[defined:] if value in causes), None)
    _mark(causes, cause, values[:defined] + values[written : written + (written > defined)])


def _own_cause(op: re.Match):
    name, word = op["name"], op["word"]
    if name == "reduce":
        return None if word in _EXACT_REDUCTIONS else f"tile.reduce {word}"
    return None if name in _EXACT else f"tile.{name}"


def _mark(causes: dict, cause, names):
    if cause is not None:
        for name in names:
            causes.setdefault(name, cause)
