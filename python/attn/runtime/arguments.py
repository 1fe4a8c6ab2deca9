"""Packs the arguments of a launch into the block of bytes that a sidecar describes."""

from __future__ import annotations

import struct

from .errors import LoadError

_SCALARS = {"f32": "f", "i32": "i", "i64": "q"}
_ADDRESS = struct.Struct("<Q")


class ArgumentBlock:
    """The block of one kernel: where each argument goes.

    Arguments of a launch come by the names of the sidecar's parameters: numbers as they are, arrays as
    `(address, shape, strides)`, tables as `([address, ...], shape, strides)`. The addresses of a table go behind the
    block; the runtime copies them to the device and writes their place into the block.
    """

    def __init__(self, sidecar):
        self._tables = []
        self._readers = [self._reader(sidecar.name, argument) for argument in sidecar.arguments()]
        self.fields = []
        """Name, offset, size and form of each argument, for messages."""
        layout, end = "<", 0
        for argument in sidecar.arguments():
            form = _form(argument)
            layout += f"{argument['offset'] - end}x{form}"
            end = argument["offset"] + struct.calcsize(f"<{form}")
            self.fields.append((argument["name"], argument["offset"], argument["size"], _shown_as(argument)))
        size = sidecar.argument_bytes()
        self._struct = struct.Struct(f"{layout}{max(0, size - end)}x")
        if self._struct.size != size:
            raise LoadError(f"{sidecar.name}: its arguments take {self._struct.size} bytes, not {size}")

    def _reader(self, kernel: str, argument: dict):
        """How the value of an argument is taken from those of a launch."""
        kind, of, axis = argument["kind"], argument["of"], argument["axis"]
        if kind == "table":
            self._tables.append((of, argument["offset"]))
            return lambda values: 0
        if kind == "scalar":
            return lambda values: values[of]
        if kind == "size":
            return lambda values: values[of][1][axis]
        if kind == "stride":
            return lambda values: values[of][2][axis]
        if kind == "hidden":
            raise LoadError(f"{kernel}: the hidden argument '{argument['name']}' is not known")
        return lambda values: values[of][0]

    def pack(self, values: dict):
        """The bytes, and for each table the places of its address and of its data."""
        block = self._struct.pack(*(read(values) for read in self._readers))
        if not self._tables:
            return block, ()
        data, places = bytearray(block), []
        data += bytes(-len(data) % _ADDRESS.size)
        for name, offset in self._tables:
            places.append((offset, len(data)))
            data += b"".join(map(_ADDRESS.pack, values[name][0]))
        return bytes(data), places


def _form(argument: dict):
    """How the struct module spells an argument."""
    if argument["kind"] == "scalar":
        return _SCALARS[argument["dtype"]]
    return "q" if argument["kind"] in ("size", "stride") else "Q"


def _shown_as(argument: dict):
    if argument["kind"] in ("array", "table", "workspace"):
        return "p"
    return "f" if argument["dtype"] == "f32" else "i"
