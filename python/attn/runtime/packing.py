"""Packs the arguments of launches into the block of bytes that a sidecar describes."""

from __future__ import annotations

import itertools
import struct
from typing import NamedTuple

from .errors import LoadError

_SCALARS = {"f32": "f", "i32": "i", "i64": "q"}
_ADDRESS_BYTES = 8
_HIDDEN = ("sync_base",)
"""What the launcher knows to pass beside a kernel's own arguments."""


class Packed(NamedTuple):
    """The arguments of launches of the same shapes and integers, and where in them each launch has its own values.

    The addresses of a table go after the block; the runtime copies them to the device and writes their place into the
    block. `places` are pairs of where that is written, and where the table's addresses begin.
    """

    data: bytes
    places: list
    addresses: list
    """Where the address of each array goes, in the order of the parameters; of a table, those of its arrays."""
    floats: list
    """Where each real goes, in the order of the parameters."""


class ArgumentBlock:
    """The block of one kernel: where each argument goes.

    Arguments of a launch come by the names of the sidecar's parameters: numbers as they are, arrays as
    `(address, shape, strides)`, tables as `([address, ...], shape, strides)`.
    """

    def __init__(self, sidecar):
        self._arguments = sidecar.arguments()
        self._parameters = [parameter["name"] for parameter in sidecar.parameters]
        self.hidden = [argument["name"] for argument in self._arguments if argument["kind"] == "hidden"]
        """The names of the arguments that are of no parameter."""
        unknown = [name for name in self.hidden if name not in _HIDDEN]
        if unknown:
            raise LoadError(f"{sidecar.name}: the hidden argument '{unknown[0]}' is not known")
        self.fields = []
        """Name, offset, size and form of each argument, for messages."""
        layout, end = "<", 0
        for argument in self._arguments:
            form = _form(argument)
            layout += f"{argument['offset'] - end}x{form}"
            end = argument["offset"] + struct.calcsize(f"<{form}")
            self.fields.append((argument["name"], argument["offset"], argument["size"], _shown_as(argument)))
        self._tables = [argument for argument in self._arguments if argument["kind"] == "table"]
        places = {argument["of"]: argument["offset"] for argument in self._arguments
                  if argument["kind"] in ("array", "workspace", "table")}  # fmt: skip
        self._addresses = {name: [places[name]] for name in self._parameters if name in places}
        floats = {a["of"]: a["offset"] for a in self._arguments if (a["kind"], a["dtype"]) == ("scalar", "f32")}
        self._floats = [floats[name] for name in self._parameters if name in floats]
        size = sidecar.argument_bytes()
        self._struct = struct.Struct(f"{layout}{max(0, size - end)}x")
        if self._struct.size != size:
            raise LoadError(f"{sidecar.name}: its arguments take {self._struct.size} bytes, not {size}")

    def pack(self, values: dict, hidden: dict | None = None):
        """Packs the arguments of a launch; `hidden` are those of no parameter, by name."""
        data = bytearray(self._struct.pack(*(_read(argument, values, hidden or {}) for argument in self._arguments)))
        places, addresses = [], dict(self._addresses)
        for argument in self._tables:
            name = argument["of"]
            data += bytes(-len(data) % _ADDRESS_BYTES)
            table = struct.pack(f"<{len(values[name][0])}Q", *values[name][0])
            places.append((argument["offset"], len(data)))
            addresses[name] = range(len(data), len(data) + len(table), _ADDRESS_BYTES)
            data += table
        return Packed(bytes(data), places, list(itertools.chain(*addresses.values())), self._floats)


def _read(argument: dict, values: dict, hidden: dict):
    """The value of an argument among those of a launch."""
    kind, of, axis = argument["kind"], argument["of"], argument["axis"]
    if kind == "table":
        return 0
    if kind == "hidden":
        return hidden[argument["name"]]
    if kind == "scalar":
        return _read_number(argument, values[of])
    return values[of][{"size": 1, "stride": 2}[kind]][axis] if kind in ("size", "stride") else values[of][0]


def _read_number(argument: dict, value):
    """The number, if it has a place in its type. Of floats others come later: these are checked natively."""
    if argument["dtype"] == "f32":
        return 0.0
    if not -(1 << 8 * argument["size"] - 1) <= value < 1 << 8 * argument["size"] - 1:
        raise OverflowError(f"{argument['of']}: {value} is too large for {argument['dtype']}")
    return value


def _form(argument: dict):
    """How the struct module spells an argument."""
    if argument["kind"] == "scalar":
        return _SCALARS[argument["dtype"]]
    return "q" if argument["kind"] in ("size", "stride") else "Q"


def _shown_as(argument: dict):
    if argument["kind"] in ("array", "table", "workspace", "hidden"):
        return "p"
    return "f" if argument["dtype"] == "f32" else "i"
