"""Holds the arrays of a call against the kernel's signature, and finds the specialisation that the call asks for.

A mistake here is a mistake of the caller: ValueError or TypeError that names the argument and its value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..language import MAX_SIZE, DType, Spec, bf16, f16, f32, i8, i32, i64, u16
from .binding import read_block_size, read_constant
from .interface import Output, Parameter, Results, Signature, Specialisation

DTYPES = {
    "torch.float32": f32,
    "torch.float16": f16,
    "torch.bfloat16": bf16,
    "torch.int8": i8,
    "torch.int32": i32,
    "torch.int64": i64,
    "torch.uint16": u16,
}
"""The element types that kernels know, by PyTorch's names."""

CPU = {"cpu": "the CPU"}
NPU = {"npu": "an NPU"}
"""Kinds of devices by PyTorch's names, as people call them."""


# What arrays are


class Description(NamedTuple):
    """An array as its caller gives it; a size is None where it is not known yet."""

    shape: tuple
    dtype: DType
    table: bool

    def __str__(self):
        return f"{'a list' if self.table else 'an array'} {_show_shape(self.shape)} of {self.dtype.name}"

    @classmethod
    def of(cls, output: Output, sizes: dict):
        """What an output is, by the sizes of a call."""
        return cls(shape_of(output.dims, sizes), output.dtype, output.table)


def shape_of(dims, sizes: dict):
    """Dims, which are names or numbers, as numbers."""
    return tuple(sizes[dim] if isinstance(dim, str) else dim for dim in dims)


def _show_shape(shape):
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


Describe = Callable[[str, object], Description]
"""Describes the array of that name; ValueError or TypeError where it is none that the kernel can take."""


class Tensors:
    """Describes arrays that are tensors or lists of equal tensors, all on one device of a known kind."""

    def __init__(self, kinds: dict):
        self._kinds = kinds  # what people call each kind of device
        self._first: tuple[str, Any] | None = None  # the name and the device of the first tensor

    def __call__(self, name: str, value) -> Description:
        description = _describe(name, value)
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            self._check_device(name, tensor.device)
            _check_gradient(name, tensor)
        return description

    def _check_device(self, name: str, device):
        if device.type not in self._kinds:
            known = " or ".join(self._kinds.values())
            raise ValueError(f"{name}: a tensor on {known} is expected, not on {device}")
        if self._first is None:
            self._first = name, device
        first_name, expected = self._first
        if device != expected:
            raise ValueError(f"{name}: device {device} does not equal {expected} of {first_name}")

    @property
    def device(self):
        """Where the tensors are; a kernel that takes none runs on the CPU."""
        import torch

        return self._first[1] if self._first else torch.device("cpu")


class TensorsOrSpecs(Tensors):
    """The same, where specs with a number for every dimension may stand for tensors."""

    def __call__(self, name: str, value) -> Description:
        if not isinstance(value, Spec):
            return super().__call__(name, value)
        if None in value.shape:
            raise ValueError(f"{name}: a number is needed for every dimension, not {value!r}")
        return Description(value.shape, value.dtype, value.table)


class Specs:
    """Describes arrays that are given as specs; those of a list need not say that it is one, as the signature does."""

    def __init__(self, signature: Signature):
        self._lists = {parameter.name for parameter in signature.of_kind("array") if parameter.about.table}

    def __call__(self, name: str, value) -> Description:
        if not isinstance(value, Spec):
            problem = "is missing" if value is None else f"is {_show_value(value)}"
            raise TypeError(f'{name}: a spec such as at.spec("? 4096", at.bf16) is expected; it {problem}')
        return Description(value.shape, value.dtype, value.table or name in self._lists)


def _show_value(value):
    """For messages: what holds arrays by its type alone."""
    return repr(value) if isinstance(value, (str, int, float)) else f"of type {type(value).__name__}"


def _describe(name: str, value) -> Description:
    import torch

    if isinstance(value, (list, tuple)):
        return _describe_list(name, value)
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name}: a tensor is expected, not {'nothing' if value is None else type(value).__name__}")
    dtype = DTYPES.get(str(value.dtype))
    if dtype is None:
        raise TypeError(f"{name}: {value.dtype} is not supported; known: {', '.join(DTYPES)}")
    if value.layout != torch.strided:
        raise TypeError(f"{name}: a tensor with strides is expected, not one of {value.layout}")
    if value.is_neg():
        raise ValueError(f"{name}: a view that negates other memory: call on {name}.resolve_neg()")
    if value.dim() and value.shape[-1] > 1 and value.stride(-1) != 1:
        raise ValueError(f"{name}: the last dimension must be contiguous, but the strides are {value.stride()}")
    return Description(tuple(value.shape), dtype, False)


def _check_gradient(name: str, tensor):
    """A result without a gradient must not look like one that has it."""
    import torch

    if tensor.requires_grad and torch.is_grad_enabled():
        raise ValueError(
            f"{name}: the tensor requires grad, and kernels compute no gradients: call on {name}.detach() or under "
            "torch.no_grad(), or use an operator of attn.ops"
        )


def _describe_list(name: str, tensors):
    if not tensors:
        raise ValueError(f"{name}: the list of tensors is empty")
    first = _describe(f"{name}[0]", tensors[0])
    for index, tensor in enumerate(tensors[1:], 1):
        if _describe(f"{name}[{index}]", tensor) != first or tensor.stride() != tensors[0].stride():
            has, other = (f"shape {tuple(t.shape)}, strides {t.stride()}, {t.dtype}" for t in (tensor, tensors[0]))
            raise ValueError(f"{name}[{index}] differs from {name}[0]: {has} against {other}")
    return Description((len(tensors), *first.shape), first.dtype, True)


# Arguments


class Arguments(NamedTuple):
    """The arguments of a call, which are what the kernel's signature says."""

    signature: Signature
    values: dict
    """By the names of the parameters."""
    arrays: dict[str, Description | None]
    """None for those that are None."""
    sizes: dict[str, int | None]
    """Of the dims by name; None where a size is not known yet."""

    def specialise(self, captured: tuple) -> Specialisation:
        """What a kernel is compiled for to take these arguments; `captured` are the numbers that surround it."""
        signature, values = self.signature, self.values
        return Specialisation(
            tuple(array and (array.dtype, array.table) for array in self.arrays.values()),
            tuple(
                (name, _specialised_size(name, line, self.sizes[name]))
                for name, line in signature.specialised.items()
                if name in self.sizes  # not where all arrays that have it are None
            ),
            tuple((p.name, *read_constant(signature, p, values)) for p in signature.of_kind("const")),
            tuple((p.name, read_block_size(p, values)) for p in signature.of_kind("auto") if p.name in values),
            captured,
        )


def check_arguments(signature: Signature, values: dict, describe: Describe) -> Arguments:
    """Checks the arrays among the values of a call."""
    arrays = {
        parameter.name: None if parameter.is_none(values) else describe(parameter.name, values.get(parameter.name))
        for parameter in signature.of_kind("array")
    }
    sizes: dict[str, int | None] = {}
    origins: dict[str, str] = {}
    for parameter in signature.of_kind("array"):
        array = arrays[parameter.name]
        if array is None:
            continue
        _check_array(parameter, array)
        for axis, (dim, size) in enumerate(zip(parameter.about.dims, array.shape)):
            if isinstance(dim, int):
                if size is not None and size != dim:
                    raise ValueError(f"{parameter.name}: dimension {axis} must be {dim}, not {size}")
            elif sizes.get(dim) is None:
                sizes[dim], origins[dim] = size, parameter.name
            elif size is not None and size != sizes[dim]:
                known = f"{dim} = {sizes[dim]} of {origins[dim]}"
                raise ValueError(f"{parameter.name}: dimension {axis} ({dim}) is {size}, which does not equal {known}")
    return Arguments(signature, values, arrays, sizes)


def _check_array(parameter: Parameter, array: Description):
    name, about = parameter.name, parameter.about
    if about.table and not array.table:
        raise TypeError(f"{name}: a list of tensors is expected")
    if len(array.shape) != len(about.dims):
        dims = " ".join(map(str, about.dims))
        shape = _show_shape(array.shape)
        raise ValueError(f"{name}: {len(about.dims)} dimensions ({dims}) are expected, not the shape {shape}")
    if about.dtype is not None and about.dtype is not array.dtype:
        raise TypeError(f"{name}: dtype {about.dtype.name} is expected, not {array.dtype.name}")


def _specialised_size(name: str, line: int, size):
    if size is None:
        raise ValueError(f"dimension {name} is a dimension of tiles (line {line}): give its number, not '?'")
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"dimension {name} must be between 1 and {MAX_SIZE}, not {size}")
    return size


# Outputs


def check_outputs(arguments: Arguments, results: Results, outputs: dict, describe: Describe):
    """Checks the outputs that the caller has made, by name."""
    known = {output.name: output for output in results.outputs}
    for name, value in outputs.items():
        if name not in known:
            raise TypeError(f"{arguments.signature.name} has no output '{name}'")
        expected, found = Description.of(known[name], arguments.sizes), describe(name, value)
        if found != expected:
            raise ValueError(f"{name}: {expected} is expected, not {found}")
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if not isinstance(tensor, Spec):
                check_places(name, tensor)


def check_places(name: str, tensor):
    """ValueError unless each element of an output has a place of its own."""
    if any(size > 1 and stride == 0 for size, stride in zip(tensor.shape, tensor.stride())):
        raise ValueError(f"{name}: elements of an output share memory; the strides are {tensor.stride()}")


def is_empty(arguments: Arguments, results: Results):
    """Whether there is nothing to compute.

    A kernel is not launched on an empty array: where an output would still have elements, that is an error.
    """
    for name, array in arguments.arrays.items():
        if array is None or 0 not in array.shape:
            continue
        if any(0 not in Description.of(output, arguments.sizes).shape for output in results.outputs):
            raise ValueError(f"{name}: dimension {array.shape.index(0)} is 0, and kernels do not run on empty arrays")
        return True
    return False
