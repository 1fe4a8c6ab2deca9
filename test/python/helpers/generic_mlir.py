"""Reads MLIR text in generic form, as far as kernels are printed in it: one op a line, at most two regions each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ir_interpreter import split

DYNAMIC = -(2**63)
_OP = re.compile(r'(?:(%[\w.$-]+)(?::\d+)? = )?"([\w.]+)"\((.*?)\)(?: <\{(.*?)\}>)?( \(\{$)?(.*)')
_TYPES = re.compile(r".*: \((.*)\) -> (.*)")


@dataclass
class Op:
    name: str
    result: str | None
    operands: list
    properties: str
    types: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    body: list = field(default_factory=list)
    otherwise: list = field(default_factory=list)

    def get(self, name: str, pattern: str = r"[^,]*"):
        """The text of a property; None where the op has none of that name."""
        found = re.search(rf"\b{name} = ({pattern})", self.properties)
        return found and found[1].split(" : ")[0]

    def numbers(self, name: str):
        """The numbers of a property that is an array of them."""
        text = self.get(name, r"array<i\d+(?:: [^>]*)?>")
        return [int(number) for number in re.findall(r"-?\d+", text.partition(":")[2])]

    def segments(self, values):
        """Operands by the groups that the op has of them."""
        groups, start = [], 0
        for size in self.numbers("operandSegmentSizes"):
            groups.append(values[start : start + size])
            start += size
        return groups


def parse(text: str):
    """The ops of a text, and what its aliases stand for."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    aliases = dict(line.split(" = ", 1) for line in lines if line.startswith("#"))
    return _parse_block(iter(line for line in lines if not line.startswith("#")))[0], aliases


def _parse_block(lines):
    """Ops up to the end of a region, and the line that ends it."""
    ops, arguments = [], []
    for line in lines:
        if line.startswith("}"):
            return ops, arguments, line
        if line.startswith("^bb0("):
            arguments = [tuple(part.split(": ", 1)) for part in split(line[5:-2])]
            continue
        found = _OP.fullmatch(line)
        assert found, f"cannot read: {line}"
        op = Op(found[2], found[1], split(found[3]), found[4] or "")
        rest = found[6]
        if found[5]:
            op.body, op.arguments, rest = _parse_block(lines)
            if rest.startswith("}, {"):
                op.otherwise, _, rest = _parse_block(lines)
        op.types = split(re.sub(r"^\((.*)\)$", r"\1", _TYPES.fullmatch(rest)[2]))
        ops.append(op)
    return ops, arguments, ""
