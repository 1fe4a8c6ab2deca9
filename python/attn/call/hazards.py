"""Says in words what a check of a kernel on the CPU found, as the modelled chip does."""

from __future__ import annotations

from ..errors import Diagnostic, DivisionError, HazardError, OutOfBoundsError


def hazard_of(checks: list, report: tuple) -> HazardError:
    """The error for a report, by the checks of the compiled kernel."""
    check = checks[report[0] - 1]
    numbers = report[1 : 1 + check["numbers"]]
    if "division" in check:
        dividend, divisor = numbers
        message = f"{check['division']} divides by zero or overflows: {dividend} by {divisor}"
        return DivisionError(_diagnostic("scalar unit", check, message))
    if check["access"] in ("list", "loop"):
        return OutOfBoundsError(_diagnostic("out of bounds", check, _count(check, numbers)))
    message = f"{check['access']} {_access(check, numbers)}"
    return OutOfBoundsError(_diagnostic("out of bounds", check, message))


def _diagnostic(kind: str, check: dict, message: str):
    file, line, column = check["place"]
    return Diagnostic(kind, file, line, column, message)


def _count(check: dict, numbers: tuple):
    if check["access"] == "list":
        end, limit, dimension = numbers
        return f'index {end - 1} of dimension {dimension} of array "{check["array"]}", which has {limit}'
    end, _, first, step, most = numbers
    iterations = -((first - end) // step)
    return f'loop has {iterations} iterations by "{check["array"]}"; where no array ends a loop, it has at most {most}'


def _access(check: dict, numbers: tuple):
    offsets, sizes, steps, shape = (numbers[number::4] for number in range(4))
    if check["access"] == "lookup":
        return f'takes entry {offsets[0]} of a list of {shape[0]}, "{check["array"]}"'
    where = f'[{", ".join(map(str, offsets))}] of array "{check["array"]}" of shape {"x".join(map(str, shape))}'
    if check["access"] == "read":
        return f"takes the integer at {where}: {_first_outside(offsets, sizes, steps, shape)}"
    *rows, length = sizes
    count = max(rows, default=1)
    return f"moves {count} rows of {length} elements at {where}: {_first_outside(offsets, sizes, steps, shape)}"


def _first_outside(offsets, sizes, steps, shape):
    for dimension, (offset, size, step, limit) in enumerate(zip(offsets, sizes, steps, shape)):
        for index in (offset, offset + (size - 1) * step):
            if not 0 <= index < limit:
                return f"index {index} of dimension {dimension}, which has {limit}"
    raise AssertionError("all of it is inside")
