"""Formulas of a sidecar: small trees of JSON over the dims and numbers of a call.

A formula is an integer, a leaf such as `{"dim": "T"}`, `{"scalar": "dilation"}` or `{"size": ["V", 0]}`, or an
operator with its operands: `{"uceildiv": [{"dim": "T"}, 16]}`. Numbers have 64 bits; operators with a `u` take none
below 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from . import schema as is_


class FormulaError(ValueError):
    """A formula without a value for a call."""


def _ceildiv(a: int, b: int):
    return -(-a // b)


def _truncating_div(a: int, b: int):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int):
    return a - b * _truncating_div(a, b)


# Name -> the function of its operands, and how many there are; None for one or more.
_SIGNED: dict[str, tuple[Callable[..., int], int | None]] = {
    "add": (lambda *values: sum(values), None),
    "sub": (lambda a, b: a - b, 2),
    "mul": (lambda *values: math.prod(values), None),
    "div": (_truncating_div, 2),
    "floordiv": (lambda a, b: a // b, 2),
    "ceildiv": (_ceildiv, 2),
    "rem": (_remainder, 2),
    "min": (min, 2),
    "max": (max, 2),
    "eq": (lambda a, b: int(a == b), 2),
    "ne": (lambda a, b: int(a != b), 2),
    "lt": (lambda a, b: int(a < b), 2),
    "le": (lambda a, b: int(a <= b), 2),
    "gt": (lambda a, b: int(a > b), 2),
    "ge": (lambda a, b: int(a >= b), 2),
    "select": (lambda condition, a, b: a if condition else b, 3),
}
_UNSIGNED = {f"u{name}": _SIGNED[name] for name in ("div", "ceildiv", "rem", "min", "max", "lt", "le", "gt", "ge")}
_OPERATORS = {**_SIGNED, **_UNSIGNED}
_LEAVES = {
    "dim": is_.text,
    "scalar": is_.text,
    "size": is_.array(is_.either(is_.text, is_.integer(0))),
}
_MAX_DEPTH = 200
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


def check(value, path: str, depth: int = 0):
    """Checks the form of a formula; SchemaError where it has another."""
    if isinstance(value, int) and not isinstance(value, bool):
        return is_.integer(_LOWEST, _HIGHEST)(value, path)
    if depth > _MAX_DEPTH:
        is_.fail(path, f"the formula is deeper than {_MAX_DEPTH}")
    if not isinstance(value, dict) or len(value) != 1:
        is_.fail(path, "a formula is expected: an integer, or an object with one field")
    ((name, about),) = value.items()
    if name in _LEAVES:
        _LEAVES[name](about, f"{path}.{name}")
        if name == "size" and [type(item) for item in about] != [str, int]:
            is_.fail(f"{path}.size", "the name of an array and a dimension are expected")
        return None
    if name not in _OPERATORS:
        is_.fail(path, f"the operator '{name}' is not known")
    is_.array(lambda item, place: check(item, place, depth + 1), least=1)(about, f"{path}.{name}")
    count = _OPERATORS[name][1]
    if count is not None and len(about) != count:
        is_.fail(f"{path}.{name}", f"{count} operands are expected, not {len(about)}")
    return None


def leaves(formula):
    """What a checked formula reads: pairs of "dim", "scalar" or "size" and which."""
    if isinstance(formula, int):
        return
    ((name, about),) = formula.items()
    if name in _LEAVES:
        yield name, about
        return
    for operand in about:
        yield from leaves(operand)


def evaluate(formula, dims: dict, scalars: dict, shapes: dict):
    """The value of a checked formula for a call: sizes of dims, numbers, and shapes of arrays, all by name."""
    if isinstance(formula, int):
        return formula
    ((name, about),) = formula.items()
    if name in _LEAVES:
        return _read_leaf(name, about, {"dim": dims, "scalar": scalars, "size": shapes}[name])
    operands = [evaluate(operand, dims, scalars, shapes) for operand in about]
    if name in _UNSIGNED and min(operands) < 0:
        raise FormulaError(f"{show(formula)} has a negative operand: {operands}")
    try:
        result = _OPERATORS[name][0](*operands)
    except ZeroDivisionError:
        raise FormulaError(f"{show(formula)} divides by zero") from None
    if not _LOWEST <= result <= _HIGHEST:
        raise FormulaError(f"{show(formula)} exceeds 64 bits: {result}")
    return result


def _read_leaf(name: str, about, values: dict):
    key = about[0] if name == "size" else about
    if key not in values:
        raise FormulaError(f"'{key}' is needed, but not given")
    value = values[key][about[1]] if name == "size" else values[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormulaError(f"'{key}' must be an integer, not {value!r}")
    return value


_INFIX = {"add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def show(formula):
    """A formula as people write it: `ceildiv(T, 16) * H`."""
    if isinstance(formula, int):
        return str(formula)
    ((name, about),) = formula.items()
    if name == "size":
        return f"{about[0]}.shape[{about[1]}]"
    if name in _LEAVES:
        return about
    name = name[1:] if name in _UNSIGNED else name
    texts = [show(operand) for operand in about]
    if name not in _INFIX:
        return f"{name}({', '.join(texts)})"
    simple = [isinstance(o, int) or next(iter(o)) in (*_LEAVES, "mul") or next(iter(o)) not in _INFIX for o in about]
    return f" {_INFIX[name]} ".join(text if plain else f"({text})" for text, plain in zip(texts, simple))
