"""Plans of calls: what calls of one form have in common is found out once, and then repeated.

What is common (types, shapes, strides, devices, integers and constants) is a plan: what is launched, what is
copied before, and how outputs are made. The next call of that form differs in addresses and floating-point numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import config
from . import layout
from .checking import Arguments, Tensors, check_arguments, check_outputs, is_empty
from .interface import Results, Signature
from .layout import LaidOut, lay_out

# So many forms of calls are remembered.
_MOST_PLANS = 1024

Launch = Callable[[list, list], Any]
"""Takes the inputs and outputs in the order of the IR, and the floats."""


class _Input(NamedTuple):
    """An array that a kernel reads: where it is among the values of a call, and whether a copy is read."""

    place: object
    copied: bool


class _Output(NamedTuple):
    """An array that a kernel writes: where it is among the values of a call, or else how it is made."""

    place: object
    make: Callable | None


class _Real(NamedTuple):
    """A floating-point argument: where it is among the values of a call, or else its default."""

    place: object
    default: float | None


class Plan:
    """How calls of one form are made.

    `launch` is None where there is nothing to compute. `returned` are the places of what a call returns among the
    outputs, None for None.
    """

    __slots__ = ("_inputs", "_copied", "_outputs", "_floats", "_launch", "_returned", "_single")

    def __init__(self, inputs, outputs, floats, launch: Launch | None, returned, single: bool):
        self._inputs = [array.place for array in inputs]
        self._copied = [index for index, array in enumerate(inputs) if array.copied]
        self._outputs = outputs
        self._floats = floats
        self._launch = launch
        self._returned = returned
        self._single = single

    def run(self, values):
        """Makes a call and returns its outputs; `values` has what the places stand for."""
        outputs = [values[place] if make is None else make() for place, make in self._outputs]
        if self._launch is not None:
            arrays = [values[place] for place in self._inputs]
            for index in self._copied:
                arrays[index] = layout.copy(arrays[index])
            self._launch(arrays + outputs, self._read_floats(values))
        if self._single:
            return outputs[self._returned[0]]
        return tuple([None if place is None else outputs[place] for place in self._returned])

    def _read_floats(self, values):
        return [values[place] if default is None else default for place, default in self._floats]

    def find_launch(self, values):
        """What a call launches, the places of its arrays among the values, and its floats, for who launches it again;
        None where a call is more than a launch: where it makes outputs, or copies what it reads."""
        if self._launch is None or self._copied or any(make is not None for _, make in self._outputs):
            return None
        return self._launch, [*self._inputs, *(place for place, _ in self._outputs)], self._read_floats(values)


class Places(NamedTuple):
    """Where the arguments, and the outputs that the caller has made, are among the values of a call, by name."""

    arguments: dict
    outputs: dict


class Prepared(NamedTuple):
    """A call that was checked and laid out, and waits for what launches it."""

    arguments: Arguments
    results: Results
    outputs: dict
    laid_out: LaidOut
    is_empty: bool

    def plan(self, launch: Launch | None, places: Places) -> Plan:
        """The plan of calls of this form."""
        floats = self.arguments.signature.of_kind("float")
        values, laid_out = self.arguments.values, self.laid_out
        return Plan(
            [_Input(places.arguments[name], array.copied) for name, array in laid_out.inputs.items()],
            [
                _Output(
                    places.outputs.get(output.name),
                    laid_out.makers[output.name].make if output.name in laid_out.makers else None,
                )
                for output in self.results.outputs
            ],
            [
                _Real(places.arguments.get(p.name), None if p.name in places.arguments else float(values[p.name]))
                for p in floats
            ],
            launch,
            self.results.returned,
            self.results.single,
        )

    def run(self, launch: Launch):
        """Makes this call, by itself."""
        names = Places({name: name for name in self.arguments.values}, {name: name for name in self.outputs})
        return self.plan(launch, names).run({**self.arguments.values, **self.outputs})


def prepare(
    signature: Signature,
    values: dict,
    describe: Tensors,
    find_results: Callable[[Arguments], Results],
    outputs: dict,
    rows_apart: bool = False,
    has_values: bool = True,
) -> Prepared:
    """Checks and lays out a call whose values are bound.

    `find_results` says what a call with checked arguments gives, `outputs` are those that the caller has made.
    """
    arguments = check_arguments(signature, values, describe)
    results = find_results(arguments)
    check_outputs(arguments, results, outputs, describe)
    nothing_to_compute = is_empty(arguments, results)
    device = describe.device
    laid_out = lay_out(arguments, results, outputs, device, rows_apart or device.type == "npu", has_values)
    return Prepared(arguments, results, outputs, laid_out, nothing_to_compute)


class PlannedCalls:
    """The forms in which something was called, with their plans.

    `names` are those of its positional arguments, `floats` those of arguments whose value decides nothing.
    `make(positional, keywords, outputs, places)` checks a call and returns its plan; places are indices of positional
    arguments, keywords and outputs, in this order.
    """

    def __init__(self, signature: Signature, make):
        import torch

        self._names = tuple(parameter.name for parameter in signature.parameters if parameter.kind != "auto")
        self._floats = frozenset(parameter.name for parameter in signature.of_kind("float"))
        self._make = make
        self._plans: dict[tuple, Plan] = {}
        # What callers keep of plans, to make the same calls again; cleared with the plans.
        self.repeats: set = set()
        self._tensor = torch.Tensor
        self._is_recording = torch.is_grad_enabled

    def run(self, positional, keywords: dict, outputs: dict | None = None, surroundings=()):
        """Makes a call; `surroundings` are what its form depends on beside its arguments."""
        plan, values = self.find(positional, keywords, outputs or {}, surroundings)
        return plan.run(values)

    def find(self, positional, keywords: dict, outputs: dict, surroundings=()):
        """The plan of a call, and the values that it takes: positional arguments, keywords, and outputs."""
        names = (*self._names[: len(positional)], *keywords)
        values = (*positional, *keywords.values(), *outputs.values())
        forms = [type(value) if name in self._floats else self._form(value) for name, value in zip(names, values)]
        around = (surroundings, config.optimize_cpu)
        form = (len(positional), names, *forms, *outputs, *map(self._form, outputs.values()), around)
        plan = self._plans.get(form)
        if plan is None:
            plan = self._plan(form, positional, keywords, outputs)
        return plan, values

    def _form(self, value):
        """What of a value decides how a call is made: all but addresses and elements. With its type: 1 is not 1.0."""
        if isinstance(value, self._tensor):
            return value.dtype, value.shape, value.stride(), value.device, value.requires_grad and self._is_recording()
        if isinstance(value, (list, tuple)):
            return tuple(map(self._form, value))
        return type(value), value if isinstance(value, int) else repr(value)

    def _plan(self, form, positional, keywords: dict, outputs: dict):
        before = len(positional) + len(keywords)
        places = Places(
            {name: index for index, name in enumerate((*self._names[: len(positional)], *keywords))},
            {name: before + index for index, name in enumerate(outputs)},
        )
        plan = self._make(positional, keywords, outputs, places)
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[form] = plan
        return plan

    def forget(self):
        """Checks and plans the next calls again."""
        self._plans.clear()
        for kept in self.repeats:
            kept.clear()
