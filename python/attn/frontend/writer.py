"""Writes the text of tile IR: names, locations, constants and lines; part of the frontend."""

from __future__ import annotations

import math
import struct

from ..language import INTEGERS, show_number
from .source import Node, Source
from .values import Array, Scalar


def quote(text: str):
    """A string literal of MLIR."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    plain = b" !#$%&'()*+,-./:;<=>?@[]^_`{|}~"
    letters = (chr(c) if (chr(c).isalnum() and c < 128) or c in plain else f"\\{c:02X}" for c in text.encode())
    return '"' + "".join(letters) + '"'


def format_f32(value: float):
    """A float literal of MLIR for an f32; raises OverflowError for a number that f32 cannot hold."""
    if math.isinf(value) or math.isnan(value):
        return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X}"
    struct.pack("<f", value)
    text = repr(float(value))
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"


class Writer:
    """Collects the lines of a function's body.

    What depends on nothing but the arguments (constants, dims, splats of scalar arguments) goes to a prologue and is
    written once, so that every line of the body can use it.
    """

    def __init__(self, source: Source, reserved):
        self._source = source
        self._path = quote(source.path)
        self._prologue: list[str] = []
        self._body: list[str] = []
        self._indent = "  "
        self._taken = dict.fromkeys(reserved, 0)
        self._numbered = 0
        self._once: dict[str, str] = {}

    # Names and locations

    def fresh(self, name: str | None = None):
        """A new SSA name, after a variable where there is one."""
        if name is None or not name.isascii():
            self._numbered += 1
            return f"%{self._numbered - 1}"
        taken = self._taken
        unique = name
        while unique in taken:
            taken[name] += 1
            unique = f"{name}_{taken[name]}"
        taken[unique] = 0
        return f"%{unique}"

    def location(self, node: Node, name: str | None = None):
        """The location of a node, with the name of the variable it is assigned to."""
        line, column = self._source.position(node)
        if name is None:
            return f"loc({self._path}:{line}:{column})"
        return f"loc({quote(name)}({self._path}:{line}:{column}))"

    # Lines

    def line(self, text: str, node: Node, name: str | None = None):
        """One op without a result."""
        self._body.append(f"{self._indent}{text} {self.location(node, name)}")

    def define(self, text: str, node: Node, name: str | None = None):
        """One op with one result; returns its SSA name."""
        ssa = self.fresh(name)
        self._body.append(f"{self._indent}{ssa} = {text} {self.location(node, name)}")
        return ssa

    def open(self, text: str):
        """Begins a region."""
        self._body.append(f"{self._indent}{text} {{")
        self._indent += "  "

    def alternate(self):
        """Ends a region and begins the other one of the same op."""
        self._body.append(f"{self._indent[2:]}}} else {{")

    def close(self, node: Node, name: str | None = None):
        """Ends a region; the location is that of the op it belongs to."""
        self._indent = self._indent[2:]
        self._body.append(f"{self._indent}}} {self.location(node, name)}")

    def once(self, text: str, node: Node, name: str | None = None, label: str | None = None):
        """One op of the prologue; the same text gives the same SSA name. It is located at its first use.

        `label` is a readable SSA name for what has no name in the source.
        """
        ssa = self._once.get(text)
        if ssa is None:
            ssa = self._once[text] = self.fresh(label or name)
            self._prologue.append(f"  {ssa} = {text} {self.location(node, name)}")
        return ssa

    # Scalars

    def index(self, value: int, node: Node):
        """The SSA name of an integer."""
        if value not in INTEGERS:
            raise self._source.error(node, f"{show_number(value)} does not fit 64 bits")
        return self.once(f"arith.constant {value} : index", node, label=f"c{value}")

    def f32(self, value: float, node: Node):
        """The SSA name of a number as a float."""
        try:
            literal = format_f32(float(value))
        except OverflowError:
            raise self._source.error(node, f"{show_number(value)} does not fit f32") from None
        return self.once(f"arith.constant {literal} : f32", node, label=f"f{literal.replace('+', '')}")

    def dim(self, name: str, array: Array, axis: int):
        """The size of an array's dimension."""
        ssa = self.once(f"tile.dim {array.ssa}, {axis} : {array.type}", array.node, name)
        return Scalar(ssa, "index", everywhere=True)

    def text(self):
        """The lines of the body, prologue first."""
        return "\n".join(self._prologue + self._body)
