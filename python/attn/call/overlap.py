"""Outputs that the caller has made must not share memory with what a kernel reads or writes beside them.

Tiles are read and written in no order that an author could rely on. A plan of calls knows no addresses, so this is
looked at in each call that comes with outputs.
"""

from __future__ import annotations

from typing import NamedTuple


class _Extent(NamedTuple):
    """Where a tensor lies: its first byte, and size and stride in bytes of each dimension that takes memory."""

    start: int
    element: int
    dims: list[tuple[int, int]]

    @classmethod
    def of(cls, tensor):
        element = tensor.element_size()
        dims = [(size, stride * element) for size, stride in zip(tensor.shape, tensor.stride()) if size > 1 and stride]
        return cls(tensor.data_ptr(), element, dims)

    def bytes(self, below: float = float("inf")):
        """From the first byte to the end of the last element, along the dimensions with strides below a number."""
        return self.element + sum((size - 1) * stride for size, stride in self.dims if stride < below)


def check_overlap(arguments: dict, outputs: dict):
    """ValueError where an output shares memory with an argument or with another output, all by name."""
    before = [(name, extent) for name, value in arguments.items() for extent in _extents(value)]
    for name, value in outputs.items():
        extents = _extents(value)
        for own in extents:
            for other_name, other in before:
                if _overlap(own, other):
                    raise ValueError(f"{name}: the output shares memory with '{other_name}'; give it memory of its own")
        before += [(name, extent) for extent in extents]


def _extents(value):
    """Those of a tensor or of a list of them; empty ones, those of the device `meta` and other values have none."""
    tensors = value if isinstance(value, (list, tuple)) else [value]
    return [_Extent.of(tensor) for tensor in tensors if hasattr(tensor, "data_ptr") and tensor.data_ptr()]


def _overlap(one: _Extent, other: _Extent):
    """Whether two tensors may have an element in common.

    They have none where they are parts of one array side by side, such as columns of the same rows or every second row:
    at a stride that divides all larger ones, what lies below takes different parts of it.
    """
    if one.start >= other.start + other.bytes() or other.start >= one.start + one.bytes():
        return False
    strides = {stride for _, stride in one.dims + other.dims}
    pitches = [pitch for pitch in strides if not any(stride % pitch for stride in strides if stride > pitch)]
    return not any(_are_apart(one, other, pitch) for pitch in pitches)


def _are_apart(one: _Extent, other: _Extent, pitch: int):
    gap = (other.start - one.start) % pitch
    return one.bytes(below=pitch) <= gap and gap + other.bytes(below=pitch) <= pitch
