"""Tensors and lists of tensors as kernels see them: what they are, how they lie in memory, and how outputs are made.

Natively an array is `(address, shape, strides)`, a list of tensors `([address, ...], shape, strides)`, whose first
entries are the length of the list and 0. Strides count elements.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ._arguments import Description, contiguous_strides
from .language import Spec, bf16, f16, f32, i32

_DTYPES = {"torch.float32": f32, "torch.float16": f16, "torch.bfloat16": bf16, "torch.int32": i32}
_TORCH_NAMES = {known.name: name.removeprefix("torch.") for name, known in _DTYPES.items()}


# What they are


def describe(name: str, value):
    """A tensor or a list of equal tensors."""
    import torch

    if isinstance(value, (list, tuple)):
        return _describe_list(name, value)
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name}: a tensor is expected, not {'nothing' if value is None else type(value).__name__}")
    dtype = _DTYPES.get(str(value.dtype))
    if dtype is None:
        raise TypeError(f"{name}: {value.dtype} is not supported; known: {', '.join(_DTYPES)}")
    if value.dim() and value.shape[-1] > 1 and value.stride(-1) != 1:
        raise ValueError(f"{name}: the last dimension must be contiguous, but the strides are {value.stride()}")
    return Description(tuple(value.shape), dtype, False)


def _describe_list(name: str, tensors):
    if not tensors:
        raise ValueError(f"{name}: the list of tensors is empty")
    first = describe(f"{name}[0]", tensors[0])
    for index, tensor in enumerate(tensors[1:], 1):
        if describe(f"{name}[{index}]", tensor) != first or tensor.stride() != tensors[0].stride():
            has, other = (f"shape {tuple(t.shape)}, strides {t.stride()}, {t.dtype}" for t in (tensor, tensors[0]))
            raise ValueError(f"{name}[{index}] differs from {name}[0]: {has} against {other}")
    return Description((len(tensors), *first.shape), first.dtype, True)


class Devices:
    """Where the tensors of a call are: all on one device, of a kind that is known."""

    def __init__(self, kinds: dict):
        self._kinds = kinds  # what people call each kind of device
        self._first = None  # the name and the device of the first tensor

    def check(self, name: str, value):
        """ValueError unless a tensor, or each of a list, is where the others are."""
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if tensor.device.type not in self._kinds:
                known = " or ".join(self._kinds.values())
                raise ValueError(f"{name}: a tensor on {known} is expected, not on {tensor.device}")
            first_name, device = self._first = self._first or (name, tensor.device)
            if tensor.device != device:
                raise ValueError(f"{name}: device {tensor.device} does not equal {device} of {first_name}")

    @property
    def device(self):
        """The device; None without a tensor."""
        return self._first and self._first[1]


def check_output(name: str, value, expected: Description, found: Description):
    """ValueError unless an output that the caller has made is what a kernel can write to."""
    if found != expected:
        raise ValueError(f"{name}: {expected} is expected, not {found}")
    for tensor in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(tensor, Spec) and _shares_memory(tensor):
            raise ValueError(f"{name}: elements of an output share memory; the strides are {tensor.stride()}")


def _shares_memory(tensor):
    return any(size > 1 and stride == 0 for size, stride in zip(tensor.shape, tensor.stride()))


# How they lie in memory


class Layout(NamedTuple):
    """An array without its address; `copied` where the kernel reads a contiguous copy of it."""

    shape: tuple
    strides: tuple
    table: bool
    copied: bool = False

    def native(self):
        """The array as natives take it, with 0 for its addresses."""
        return [0] * self.shape[0] if self.table else 0, self.shape, self.strides


def layout(value, row_axes=()):
    """The layout of a tensor, a list of them or a spec.

    Copies are read where rows along one of the axes begin before the last one's end: the chip's transfers step forward
    from row to row. Elsewhere a stride of 0 is read in place.
    """
    is_list = isinstance(value, (list, tuple))
    first = value[0] if is_list else value
    table = is_list or getattr(value, "table", False)
    shape = tuple(first.shape)
    if isinstance(value, Spec):
        strides = contiguous_strides(shape[1:] if table else shape)
        return Layout(shape, (0, *strides) if table else strides, table)
    # The last stride is 1 even where the dimension has one element and it does not matter.
    strides = (*first.stride()[:-1], 1)
    axes = [axis - table for axis in row_axes if axis >= table]
    copied = any(shape[axis] > 1 and strides[axis] < shape[-1] for axis in axes if axis < len(shape) - 1)
    if copied:
        strides = contiguous_strides(shape)
    if is_list:
        return Layout((len(value), *shape), (0, *strides), True, copied)
    return Layout(shape, strides, False, copied)


def copy(value):
    """A contiguous copy of a tensor, or of each of a list."""
    return [tensor.contiguous() for tensor in value] if isinstance(value, (list, tuple)) else value.contiguous()


def fill(arguments: list, arrays: list, reals: list):
    """Native arguments with the addresses of other arrays and with other reals, each in order."""
    arrays, reals = iter(arrays), iter(reals)

    def next_argument(argument):
        if isinstance(argument, tuple):
            return _address(next(arrays)), *argument[1:]
        return float(next(reals)) if isinstance(argument, float) else argument

    return list(map(next_argument, arguments))


def _address(value):
    return [tensor.data_ptr() for tensor in value] if isinstance(value, (list, tuple)) else value.data_ptr()


# Outputs


def output_maker(expected: Description, device, like=None):
    """A function that makes an output without values, and the output's layout.

    It has the memory order of `like`, where the last dimension stays contiguous in it, and is a list where that is one.
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
        return make, Layout(shape, (*strides[:-1], 1), False)
    count = expected.shape[0]
    return lambda: [make() for _ in range(count)], Layout(expected.shape, (0, *strides[:-1], 1), True)
