"""How the arrays of a call lie in memory, as native code takes them, and how outputs are made.

Natively an array is `(address, shape, strides)`, a list of tensors `([address, ...], shape, strides)`, whose first
entries are the length of the list and 0. Strides count elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..language import Spec
from .binding import read_number
from .checking import DTYPES, Arguments, Description
from .interface import Output, Results

_TORCH_NAMES = {known.name: name.removeprefix("torch.") for name, known in DTYPES.items()}


class Layout(NamedTuple):
    """An array without its address; `copied` where the kernel reads a contiguous copy of it."""

    shape: tuple
    strides: tuple
    table: bool
    copied: bool = False

    def native(self):
        """The array as natives take it, with 0 for its addresses."""
        return [0] * self.shape[0] if self.table else 0, self.shape, self.strides


def contiguous_strides(shape):
    """The strides of an array without gaps, in elements, as PyTorch counts them."""
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))


def contiguous_layout(shape, table: bool = False):
    """The layout of an array without gaps, or of a list of such."""
    strides = contiguous_strides(shape[1:] if table else shape)
    return Layout(shape, (0, *strides) if table else strides, table)


def layout_of(value, row_axes=()):
    """The layout of a tensor, a list of them or a spec.

    Copies are read where rows along one of the axes begin before the last one's end: the chip's transfers step forward
    from row to row. Elsewhere a stride of 0 is read in place.
    """
    if isinstance(value, Spec):
        return contiguous_layout(tuple(value.shape), value.table)
    is_list = isinstance(value, (list, tuple))
    first = value[0] if is_list else value
    shape = tuple(first.shape)
    # The last stride is 1 even where the dimension has one element and it does not matter.
    strides = (*first.stride()[:-1], 1)
    axes = [axis - is_list for axis in row_axes if axis >= is_list]
    copied = any(shape[axis] > 1 and strides[axis] < shape[-1] for axis in axes if axis < len(shape) - 1)
    if copied:
        strides = contiguous_strides(shape)
    if is_list:
        return Layout((len(value), *shape), (0, *strides), True, copied)
    return Layout(shape, strides, False, copied)


def max_row_gap():
    """Bytes from the end of a row to the next one that a transfer of the chip can step over, at most."""
    from .. import _host

    return _host.MAX_ROW_GAP_BYTES


def _check_gaps(name: str, layout: Layout, item_bytes: int, row_axes):
    """ValueError where a transfer of the chip cannot step from one row of a tile to the next.

    Rows of the last dimension but one only: of others kernels move one row at a time where they must. A row may be as
    short as one element.
    """
    axis = len(layout.shape) - 2
    if axis in row_axes and axis >= (1 if layout.table else 0) and layout.shape[axis] > 1:
        gap = (layout.strides[axis] - 1) * item_bytes
        if gap > max_row_gap():
            raise ValueError(
                f"{name}: rows along dimension {axis} are {gap} bytes apart, but transfers of the chip reach "
                f"{max_row_gap()}; give a copy whose rows follow each other"
            )


def copy(value):
    """A contiguous copy of a tensor, or of each of a list."""
    return [tensor.contiguous() for tensor in value] if isinstance(value, (list, tuple)) else value.contiguous()


def fill(arguments: list, arrays: list, floats: list):
    """Native arguments with the addresses of other arrays and with other floats, each in order."""
    next_array, next_float = iter(arrays), iter(floats)

    def next_argument(argument):
        if isinstance(argument, tuple):
            return address_of(next(next_array)), *argument[1:]
        return float(next(next_float)) if isinstance(argument, float) else argument

    return list(map(next_argument, arguments))


def address_of(value):
    """The address of a tensor, or those of a list of tensors."""
    return [tensor.data_ptr() for tensor in value] if isinstance(value, (list, tuple)) else value.data_ptr()


class Maker(NamedTuple):
    """How an array without values is made, and how it then lies in memory."""

    make: Callable[[], Any]
    layout: Layout


def array_maker(expected: Description, device, like=None):
    """Makes arrays of a description.

    They have the memory order of `like`, where the last dimension stays contiguous in it, and are lists where that is
    one.
    """
    import torch

    shape = expected.shape[1:] if expected.table else expected.shape
    strides = contiguous_strides(shape)
    if like is not None:
        first = like[0] if expected.table else like
        preserved = torch.empty_like(first, device="meta", memory_format=torch.preserve_format)
        if preserved.shape[-1] <= 1 or preserved.stride(-1) == 1:
            strides = preserved.stride()
    dtype = getattr(torch, _TORCH_NAMES[expected.dtype.name])
    make = functools.partial(torch.empty_strided, shape, strides, dtype=dtype, device=device)
    if not expected.table:
        return Maker(make, Layout(shape, (*strides[:-1], 1), False))
    count = expected.shape[0]
    return Maker(lambda: [make() for _ in range(count)], Layout(expected.shape, (0, *strides[:-1], 1), True))


# A whole call


class LaidOut(NamedTuple):
    """The arguments and outputs of a call in memory."""

    device: Any
    sizes: dict
    """Of the dims by name."""
    inputs: dict[str, Layout]
    """The arrays that are read, by name."""
    makers: dict[str, Maker]
    """How the outputs are made that the caller has not made, by name."""
    output_count: int
    native: list
    """The arguments in the order of the IR, with 0 for every address."""


def lay_out(arguments: Arguments, results: Results, outputs: dict, device, rows_apart: bool, has_values: bool = True):
    """Lays out a checked call; `outputs` are those that the caller has made.

    `rows_apart`: rows of tiles must lie one after the other in memory. Without values, nothing needs to be made.
    """
    values, sizes = arguments.values, arguments.sizes
    axes = results.row_axes if rows_apart else {}
    inputs = {}
    for name, array in arguments.arrays.items():
        if array is not None:
            inputs[name] = layout_of(values[name], axes.get(name, ()))
            _check_gaps(name, inputs[name], array.dtype.bytes, axes.get(name, ()))
    makers = {
        output.name: array_maker(Description.of(output, sizes), device, values[output.like] if output.like else None)
        for output in results.outputs
        if has_values and output.name not in outputs
    }

    def layout_of_output(output: Output):
        layout = layout_of_any_output(output)
        _check_gaps(output.name, layout, output.dtype.bytes, axes.get(output.name, ()))
        return layout

    def layout_of_any_output(output: Output):
        if output.name in makers:
            return makers[output.name].layout
        if output.name in outputs:
            return layout_of(outputs[output.name])
        expected = Description.of(output, sizes)
        return contiguous_layout(expected.shape, expected.table)

    native: list = []
    for parameter in arguments.signature.parameters:
        if parameter.name in inputs:
            native.append(inputs[parameter.name].native())
        elif parameter.kind in ("float", "int"):
            native.append(read_number(arguments.signature, parameter, values))
    native += [layout_of_output(output).native() for output in results.outputs]
    return LaidOut(device, sizes, inputs, makers, len(results.outputs), native)
