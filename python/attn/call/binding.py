"""Gives each value of a call the name of its parameter, and reads those that are not arrays.

A mistake here is a mistake of the caller: ValueError or TypeError that names the argument and its value.
"""

from __future__ import annotations

from ..language import INTEGERS, show_number
from .interface import Parameter, Signature


def bind(signature: Signature, defaults: dict, positional, keywords) -> dict:
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


def read_number(signature: Signature, parameter: Parameter, bound: dict):
    """The value of a float or int parameter."""
    if parameter.name not in bound:
        raise TypeError(f"{signature.name} needs the number '{parameter.name}'")
    value = bound[parameter.name]
    allowed = (int, float) if parameter.kind == "float" else (int,)
    if not isinstance(value, allowed) or isinstance(value, bool):
        raise TypeError(f"{parameter.name}: {parameter.kind} is expected, not {value!r}")
    if parameter.kind == "int":
        return _checked_integer(parameter.name, value)
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{parameter.name}: {show_number(value)} does not fit f32") from None


def read_constant(signature: Signature, parameter: Parameter, bound: dict):
    """The value of a constant, and its text."""
    name, kind = parameter.name, parameter.about.type
    if name not in bound:
        raise TypeError(f"{signature.name} needs the constant '{name}'")
    value = bound[name]
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise TypeError(f"{name}: a constant of type {kind.__name__} is expected, not {value!r}")
    if kind is int:
        _checked_integer(name, value)
    return value, repr(value)


def read_block_size(parameter: Parameter, bound: dict):
    """The value of a block size that the caller fixes."""
    value, limits = bound[parameter.name], parameter.about
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{parameter.name}: an integer is expected, not {value!r}")
    if not limits.lo <= value <= limits.hi:
        raise ValueError(f"{parameter.name}: {show_number(value)} lies outside {limits.lo} to {limits.hi}")
    return value


def _checked_integer(name: str, value):
    if value not in INTEGERS:
        raise ValueError(f"{name}: {show_number(value)} does not fit 64 bits")
    return value
