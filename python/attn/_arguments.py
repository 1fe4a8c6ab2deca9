"""Checks what a kernel is called or compiled with, and finds the specialisation it asks for.

A mistake here is a mistake of the caller: ValueError or TypeError that names the argument and its value.
"""

from __future__ import annotations

from typing import NamedTuple

from ._interface import Parameter, Signature, Specialisation
from .language import MAX_SIZE, DType


class Description(NamedTuple):
    """An array as its caller gives it; a size is None where it is not known yet."""

    shape: tuple
    dtype: DType
    table: bool

    def __str__(self):
        return f"{'a list' if self.table else 'an array'} {_show_shape(self.shape)} of {self.dtype.name}"


def _show_shape(shape):
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def bind(signature: Signature, defaults: dict, positional, keywords):
    """The values of a call by parameter name. Sizes that the compiler chooses are given by keyword only."""
    names = [parameter.name for parameter in signature.parameters if parameter.kind != "auto"]
    if len(positional) > len(names):
        raise TypeError(f"{signature.name} takes {len(names)} arguments ({', '.join(names)}), not {len(positional)}")
    bound = dict(zip(names, positional))
    known = {parameter.name for parameter in signature.parameters}
    for name, value in keywords.items():
        if name not in known:
            raise TypeError(f"{signature.name} has no argument '{name}'")
        if name in bound:
            raise TypeError(f"{signature.name} is given '{name}' twice")
        bound[name] = value
    for name in names:
        if name not in bound and name in defaults:
            bound[name] = defaults[name]
    return bound


def check_arrays(signature: Signature, arrays: dict):
    """Checks arrays (name -> Description, or None) against the signature.

    Gives the sizes of its dims, None where not known.
    """
    sizes, origins = {}, {}
    for parameter in signature.of_kind("array"):
        if parameter.name not in arrays:
            raise TypeError(f"{signature.name} needs the array '{parameter.name}'")
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
    return sizes


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


def specialise(signature: Signature, arrays: dict, sizes: dict, bound: dict, captured: tuple):
    """The specialisation for checked arrays, the sizes of their dims, and the other arguments of a call."""
    return Specialisation(
        tuple(array and (array.dtype, array.table) for array in (arrays[p.name] for p in signature.of_kind("array"))),
        tuple(
            (name, _specialised_size(name, line, sizes[name]))
            for name, line in signature.specialised.items()
            if name in sizes  # not where all arrays that have it are None
        ),
        tuple((p.name, *_constant(signature, p, bound)) for p in signature.of_kind("const")),
        tuple((p.name, _fixed_size(p, bound[p.name])) for p in signature.of_kind("auto") if p.name in bound),
        captured,
    )


def _specialised_size(name: str, line: int, size):
    if size is None:
        raise ValueError(f"dimension {name} is a dimension of tiles (line {line}): give its number, not '?'")
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"dimension {name} must be between 1 and {MAX_SIZE}, not {size}")
    return size


def _constant(signature: Signature, parameter: Parameter, bound: dict):
    name, kind = parameter.name, parameter.about.type
    if name not in bound:
        raise TypeError(f"{signature.name} needs the constant '{name}'")
    value = bound[name]
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise TypeError(f"{name}: a constant of type {kind.__name__} is expected, not {value!r}")
    return value, repr(value)


def _fixed_size(parameter: Parameter, value):
    auto = parameter.about
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{parameter.name}: a whole number is expected, not {value!r}")
    if not auto.lo <= value <= auto.hi:
        raise ValueError(f"{parameter.name}: {value} lies outside {auto.lo} to {auto.hi}")
    return value


def scalar(signature: Signature, parameter: Parameter, bound: dict):
    """The value of a float or int parameter."""
    if parameter.name not in bound:
        raise TypeError(f"{signature.name} needs the number '{parameter.name}'")
    value = bound[parameter.name]
    allowed = (int, float) if parameter.kind == "float" else (int,)
    if not isinstance(value, allowed) or isinstance(value, bool):
        raise TypeError(f"{parameter.name}: {parameter.kind} is expected, not {value!r}")
    return float(value) if parameter.kind == "float" else value


def contiguous_strides(shape):
    """The strides of an array without gaps, in elements, as PyTorch counts them."""
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))
