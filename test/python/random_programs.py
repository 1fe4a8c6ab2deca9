"""Small random kernels in the tile language, with what they should compute.

A program is a list of steps, each a line of Python and a computation on `bounded.Bounded`. So it can be written as a
kernel, evaluated in float64 tile by tile, and made smaller by leaving steps out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import bounded
import numpy as np
import torch
from bounded import Bounded, constant

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
SCALAR = -0.75  # what the kernels' argument `s` is


def _with(number, compute):
    return lambda x: compute(x, constant(number))


def _away_from_zero(x, by):
    return bounded.add(bounded.absolute(x), constant(by))


# Name -> (text, what it computes). {0}, {1}, ... are operands.
OPERATIONS = {
    "add": ("{0} + {1}", bounded.add),
    "sub": ("{0} - {1}", bounded.subtract),
    "mul": ("{0} * {1}", bounded.multiply),
    "div": ("{0} / (at.abs({1}) + 0.5)", lambda x, y: bounded.divide(x, _away_from_zero(y, 0.5))),
    "maximum": ("at.maximum({0}, {1})", bounded.maximum),
    "minimum": ("at.minimum({0}, {1})", bounded.minimum),
    "mul_add": ("{0} * {1} + {2}", lambda x, y, z: bounded.add(bounded.multiply(x, y), z)),
    "scale": ("{0} * s", _with(SCALAR, bounded.multiply)),
    "shift": ("s + {0}", _with(SCALAR, bounded.add)),
    "from_one": ("1.0 - {0}", lambda x: bounded.subtract(constant(1.0), x)),
    "above": ("at.maximum({0}, 0.25)", _with(0.25, bounded.maximum)),
    "half": ("{0} / 2.0", _with(2.0, bounded.divide)),
    "third": ("{0} / 3.0", _with(3.0, bounded.divide)),
    "over": ("2.5 / (at.abs({0}) + 0.5)", lambda x: bounded.divide(constant(2.5), _away_from_zero(x, 0.5))),
    "negate": ("-{0}", bounded.negate),
    "abs": ("at.abs({0})", bounded.absolute),
    "sqrt": ("at.sqrt(at.abs({0}) + 0.25)", lambda x: bounded.square_root(_away_from_zero(x, 0.25))),
    "rsqrt": ("at.rsqrt(at.abs({0}) + 0.25)", lambda x: bounded.reciprocal_root(_away_from_zero(x, 0.25))),
    "exp": ("at.exp(at.minimum({0}, 2.0))", lambda x: bounded.exponential(bounded.minimum(x, constant(2.0)))),
    "log": ("at.log(at.abs({0}) + 0.5)", lambda x: bounded.logarithm(_away_from_zero(x, 0.5))),
    "sum_0": ("at.sum({0}, 0)", lambda x: bounded.total(x, 0)),
    "max_0": ("at.max({0}, 0)", lambda x: bounded.largest(x, 0)),
    "min_0": ("at.min({0}, 0)", lambda x: bounded.smallest(x, 0)),
    "sum_1": ("at.sum({0}, 1)", lambda x: bounded.total(x, 1)),
    "max_1": ("at.max({0}, 1)", lambda x: bounded.largest(x, 1)),
    "min_1": ("at.min({0}, 1)", lambda x: bounded.smallest(x, 1)),
    "mean_1": ("at.mean({0}, 1)", lambda x: bounded.mean(x, 1)),
    "to_bf16": ("{0}.to(at.bf16)", lambda x: bounded.narrow(x, "bf16")),
    "to_f16": ("{0}.to(at.f16)", lambda x: bounded.narrow(x, "f16")),
    "copy": ("{0}", lambda x: x),
    "swap": ("{1}, {0}", lambda x, y: (y, x)),
}


@dataclass(frozen=True)
class Step:
    """`targets = operation(operands)`."""

    targets: tuple
    operation: str
    operands: tuple

    @property
    def names_used(self):
        return self.operands

    def text(self):
        return f"{', '.join(self.targets)} = {OPERATIONS[self.operation][0].format(*self.operands)}"

    def run(self, state):
        result = OPERATIONS[self.operation][1](*state.operands(self.operands))
        for target, value in zip(self.targets, result if len(self.targets) > 1 else [result]):
            state.define(target, value, self)


@dataclass(frozen=True)
class Full:
    """`target = at.full((rows, columns), number)`."""

    targets: tuple
    shape: tuple
    number: float
    names_used = ()

    def text(self):
        return f"{self.targets[0]} = at.full(({self.shape[0]}, {self.shape[1]}), {self.number})"

    def run(self, state):
        rows, columns = (state.sizes.get(size, size) for size in self.shape)
        state.define(self.targets[0], Bounded(np.full((rows, columns), self.number)), self)


@dataclass(frozen=True)
class Load:
    """`target = array[places]`."""

    targets: tuple
    array: str
    places: tuple

    @property
    def names_used(self):
        return ()

    def text(self):
        return f"{self.targets[0]} = {self.array}[{', '.join(self.places)}]"

    def run(self, state):
        place, spans = state.index(self.places)
        values = state.arrays[self.array][place]
        if values.ndim < 2:
            values = values.reshape((-1, 1) if spans else (1, -1))
        state.define(self.targets[0], Bounded(values), self)


@dataclass(frozen=True)
class Store:
    """`array[places] = value`."""

    array: str
    places: tuple
    value: str
    targets = ()

    @property
    def names_used(self):
        return (self.value,)

    def text(self):
        return f"{self.array}[{', '.join(self.places)}] = {self.value}"

    def run(self, state):
        place, _ = state.index(self.places)
        output, value = state.outputs[self.array], state.values[self.value][: state.valid]
        if output.dtype != "f32":
            value = bounded.narrow(value, output.dtype)
        output.value[place] = value.value.reshape(output.value[place].shape)
        output.bound[place] = value.bound.reshape(output.bound[place].shape)


@dataclass(frozen=True)
class NewState:
    """`target = at.softmax_state(BT, D)`."""

    targets: tuple
    names_used = ()

    def text(self):
        return f"{self.targets[0]} = at.softmax_state(BT, D)"

    def run(self, state):
        state.values[self.targets[0]] = []


@dataclass(frozen=True)
class Push:
    """`state.push(scores, values, per_row=True)`."""

    state: str
    scores: str
    values: str
    targets = ()

    @property
    def names_used(self):
        return (self.state, self.scores, self.values)

    def text(self):
        return f"{self.state}.push({self.scores}, {self.values}, per_row=True)"

    def run(self, state):
        state.values[self.state].append(state.operands((self.scores, self.values), state.valid))


@dataclass(frozen=True)
class Finish:
    """`mixed, lse = state.finish()`."""

    targets: tuple
    state: str

    @property
    def names_used(self):
        return (self.state,)

    def text(self):
        return f"{', '.join(self.targets)} = {self.state}.finish()"

    def run(self, state):
        pushed = state.values[self.state]
        if pushed:
            results = bounded.softmax([score for score, _ in pushed], [value for _, value in pushed])
        else:
            rows = state.valid
            results = Bounded(np.zeros((rows, state.sizes["D"]))), Bounded(np.full((rows, 1), -np.inf))
        for target, value in zip(self.targets, results):
            state.define(target, value, self)


@dataclass(frozen=True)
class Loop:
    """`for variable in at.range(extent, stages=...)` around steps; over spans where `block` is given."""

    variable: str
    first: int
    extent: str
    stages: int
    body: tuple
    block: str | None = None
    targets = names_used = ()

    def text(self):
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        if self.block:
            return f"for {self.variable} in at.range(at.tiles({self.extent}, {self.block}){stages}):"
        first = f"{self.first}, " if self.first else ""
        return f"for {self.variable} in at.range({first}{self.extent}{stages}):"

    def run(self, state):
        extent = int(self.extent) if self.extent.isdecimal() else state.sizes[self.extent]
        step = state.sizes[self.block] if self.block else 1
        for number in range(self.first, extent, step):
            state.places[self.variable] = slice(number, min(number + step, extent)) if self.block else number
            state.run(self.body)


@dataclass
class Output:
    """An array that a kernel returns: its dims, type, and what it should hold."""

    dims: tuple
    dtype: str
    value: np.ndarray = None
    bound: np.ndarray = None


class State:
    """Where the evaluation of a program stands, within one tile of its grid."""

    def __init__(self, sizes, shapes, arrays, outputs, valid):
        self.sizes, self.shapes, self.arrays, self.outputs = sizes, shapes, arrays, outputs
        self.valid = valid  # how many rows of the tile exist
        self.values, self.places = {}, {}
        self.wild = None  # the first step whose values are too large or too uncertain

    def define(self, name, value, step):
        self.values[name] = value
        if self.wild is None and not value.is_tame():
            self.wild = step

    def operands(self, names, rows=None):
        """Values by name: of tiles with the rows of the grid, those rows that all of them have."""
        heights = [self.values[name].shape[0] for name in names if self.shapes[name][0] == "BT"]
        rows = min([*heights, *([] if rows is None else [rows])], default=None)
        return [self.values[name][:rows] if self.shapes[name][0] == "BT" else self.values[name] for name in names]

    def index(self, places):
        """An index for NumPy, and whether it has a span."""
        entries = [self._entry(place) for place in places]
        return tuple(entries), any(isinstance(self.places.get(place), slice) for place in places)

    def _entry(self, place):
        if place in self.places:
            return self.places[place]
        if ":" in place:
            return slice(*(int(end) if end else None for end in place.split(":")))
        return int(place)

    def run(self, steps):
        for step in steps:
            step.run(self)


@dataclass(frozen=True)
class Program:
    """A kernel: arguments with their dims and types, outputs, steps before and in the grid."""

    number: int
    sizes: dict
    arguments: dict  # name -> (dims, dtype)
    outputs: dict  # name -> (dims, dtype)
    before: tuple
    body: tuple
    shapes: dict = field(default_factory=dict)  # variable -> (rows, columns, dtype)
    block: int | None = None  # BT, where the caller fixes it

    @property
    def axes(self):
        return ("b", "t") if "B" in self.sizes else ("t",)

    # As a kernel

    def text(self):
        """The Python text of the kernel `k`."""
        arguments = [f'{name}: at.Tensor["{" ".join(dims)}"]' for name, (dims, _) in self.arguments.items()]
        lines = [f"def k({', '.join([*arguments, 's: float', 'BT: at.Auto(1, 64)'])}):"]
        for name, (dims, dtype) in self.outputs.items():
            lines.append(f'    {name} = at.empty("{" ".join(dims)}", at.{dtype})')
        lines += _lines(self.before, 1)
        grid = "B, at.tiles(T, BT)" if "B" in self.sizes else "at.tiles(T, BT)"
        lines.append(f"    for {', '.join(self.axes)} in at.grid({grid}):")
        lines += _lines(self.body, 2)
        lines.append(f"    return {', '.join(self.outputs)}")
        constants = [f"{name} = {size}" for name, size in self.sizes.items() if name == "BS"]
        return "\n".join([*constants, "@attn.kernel", *lines, ""])

    def tensors(self):
        """The arguments' values by name; the same for an argument whatever the others are."""
        made = {}
        for name, (dims, dtype) in self.arguments.items():
            numbers = np.random.default_rng([self.number, ord(name)]).uniform(-2, 2, [self.sizes[dim] for dim in dims])
            made[name] = torch.from_numpy(numbers.astype(np.float32)).to(DTYPES[dtype])
        return made

    # What it computes

    def evaluate(self):
        """The outputs by name, and the first step whose values are too large or too uncertain to be compared."""
        outputs = {}
        for name, (dims, dtype) in self.outputs.items():
            shape = [self.sizes[dim] for dim in dims]
            outputs[name] = Output(dims, dtype, np.full(shape, np.nan), np.zeros(shape))
        arrays = {name: tensor.double().numpy() for name, tensor in self.tensors().items()}
        block, wild = self.block or self.sizes["T"], None
        with np.errstate(all="ignore"):
            for batch in range(self.sizes.get("B", 1)):
                for first in range(0, self.sizes["T"], block):
                    rows = slice(first, min(first + block, self.sizes["T"]))
                    sizes = {**self.sizes, "BT": block}
                    state = State(sizes, self.shapes, arrays, outputs, rows.stop - rows.start)
                    state.places.update(b=batch, t=rows)
                    state.run(self.before + self.body)
                    wild = wild or state.wild
        return outputs, wild

    # Smaller programs

    def without(self, *steps):
        """The program without some steps and without all that depends on them; None where no output is left."""
        dropped = {id(step) for step in steps}
        known = set()
        before = _prune(self.before, dropped, known)
        body = _prune(self.body, dropped, known)
        stored = {step.array for step in walk(body) if isinstance(step, Store)}
        outputs = {name: about for name, about in self.outputs.items() if name in stored}
        if not outputs:
            return None
        return replace(self, before=before, body=body, outputs=outputs)._with_used_arguments()

    def _with_used_arguments(self):
        loaded = {step.array for step in walk(self.before + self.body) if isinstance(step, Load)}
        extents = {step.extent for step in walk(self.body) if isinstance(step, Loop)}
        needed = {"T", "D", *extents, *(dim for dims, _ in self.outputs.values() for dim in dims), *self.axes[:-1]}
        needed = {dim.upper() for dim in needed}
        arguments = {}
        for name, about in self.arguments.items():
            if name in loaded:
                arguments[name] = about
        for name, about in self.arguments.items():  # a dim of the body must be one of an argument
            known = {dim for dims, _ in arguments.values() for dim in dims}
            if name not in arguments and needed & set(about[0]) - known:
                arguments[name] = about
        return replace(self, arguments={name: self.arguments[name] for name in self.arguments if name in arguments})

    def renamed(self, old, new):
        """The program with another variable in place of `old`."""
        return replace(self, before=_rename(self.before, old, new), body=_rename(self.body, old, new))


def walk(steps):
    """All steps, loops before what stands in them."""
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from walk(step.body)


def _lines(steps, depth):
    lines = []
    for step in steps:
        lines.append("    " * depth + step.text())
        if isinstance(step, Loop):
            lines += _lines(step.body, depth + 1)
    return lines


def _prune(steps, dropped, known):
    """Steps that are not dropped and whose operands are defined before them."""
    kept = []
    for step in steps:
        if id(step) in dropped or not set(step.names_used) <= known:
            continue
        if isinstance(step, Loop):
            body = _prune(step.body, dropped, set(known))
            if body:
                kept.append(replace(step, body=body))
            continue
        known.update(step.targets)
        kept.append(step)
    return tuple(kept)


def _rename(steps, old, new):
    renamed = []
    for step in steps:
        if isinstance(step, Loop):
            step = replace(step, body=_rename(step.body, old, new))
        elif old in step.names_used:
            names = {f: getattr(step, f) for f in ("operands", "value", "state", "scores", "values") if hasattr(step, f)}
            swap = lambda name: new if name == old else name  # noqa: E731
            step = replace(step, **{f: tuple(map(swap, n)) if isinstance(n, tuple) else swap(n) for f, n in names.items()})
        renamed.append(step)
    return tuple(renamed)
