"""Calls on tensors: checked once, and then repeated by what they have in common.

What is common to calls of one form (types, shapes, strides, devices, whole numbers and constants) is a plan: what is
launched, what is copied before, and how outputs are made. The next call of that form differs in addresses and reals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import _arrays

# So many forms of calls are remembered.
_MOST_PLANS = 1024


class Input(NamedTuple):
    """An array that a kernel reads: where it stands among the values of a call, and whether a copy is read."""

    place: object
    copied: bool


class Output(NamedTuple):
    """An array that a kernel writes: where it stands among the values of a call, or else how it is made."""

    place: object
    make: Callable | None


class Real(NamedTuple):
    """A real: where it stands among the values of a call, or else its default."""

    place: object
    default: float | None


class Plan:
    """How calls of one form are made.

    `launch(arrays, reals)` is given inputs and outputs in the order of the IR; it is None where there is nothing to
    compute. `returned` are the places of what a call returns among the outputs, None for None.
    """

    __slots__ = ("_inputs", "_copied", "_outputs", "_reals", "_launch", "_returned", "_single")

    def __init__(self, inputs, outputs, reals, launch, returned, single: bool):
        self._inputs = [array.place for array in inputs]
        self._copied = [index for index, array in enumerate(inputs) if array.copied]
        self._outputs = outputs
        self._reals = reals
        self._launch = launch
        self._returned = returned
        self._single = single

    def run(self, values):
        """Makes a call and returns its outputs; `values` has what the places stand for."""
        outputs = [values[place] if make is None else make() for place, make in self._outputs]
        if self._launch is not None:
            arrays = [values[place] for place in self._inputs]
            for index in self._copied:
                arrays[index] = _arrays.copy(arrays[index])
            reals = [values[place] if default is None else default for place, default in self._reals]
            self._launch(arrays + outputs, reals)
        if self._single:
            return outputs[self._returned[0]]
        return tuple([None if place is None else outputs[place] for place in self._returned])


class Calls:
    """The forms in which something was called.

    `names` are those of its positional arguments, `reals` those of arguments whose value decides nothing.
    `make(positional, keywords, outputs, places, outputs' places)` checks a call and gives its plan; places are indices
    of positional arguments, keywords and outputs, in this order.
    """

    def __init__(self, names, reals, make):
        import torch

        self._names = tuple(names)
        self._reals = frozenset(reals)
        self._make = make
        self._plans = {}
        self._tensor = torch.Tensor

    def run(self, positional, keywords: dict, outputs: dict | None = None, surroundings=()):
        """Makes a call; `surroundings` are what its form depends on beside its arguments."""
        outputs = outputs or {}
        names = (*self._names[: len(positional)], *keywords)
        values = (*positional, *keywords.values(), *outputs.values())
        forms = [type(value) if name in self._reals else self._form(value) for name, value in zip(names, values)]
        form = (len(positional), names, *forms, *outputs, *map(self._form, outputs.values()), surroundings)
        plan = self._plans.get(form)
        if plan is None:
            plan = self._plan(form, positional, keywords, outputs)
        return plan.run(values)

    def _form(self, value):
        """What of a value decides how a call is made: all but addresses and elements. As text, so that 1 is not 1.0."""
        if isinstance(value, self._tensor):
            return value.dtype, value.shape, value.stride(), value.device
        if isinstance(value, (list, tuple)):
            return tuple(map(self._form, value))
        return type(value), repr(value)

    def _plan(self, form, positional, keywords: dict, outputs: dict):
        places = {name: index for index, name in enumerate((*self._names[: len(positional)], *keywords))}
        before = len(positional) + len(keywords)
        written = {name: before + index for index, name in enumerate(outputs)}
        plan = self._make(positional, keywords, outputs, places, written)
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[form] = plan
        return plan

    def forget(self):
        """Checks and plans the next calls anew."""
        self._plans.clear()
