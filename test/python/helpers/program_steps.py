"""The steps of random programs: each a line of Python, and what it computes on `bounded.Bounded`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import bounded
from bounded import Bounded, constant

SCALAR = -0.75  # what the kernels' argument `s` is


def _with(number, compute):
    return lambda x: compute(x, constant(number))


def _away_from_zero(x, by):
    return bounded.add(bounded.absolute(x), constant(by))


def _turned(x, dtype):
    """What is turned over, halved and turned back, in a type of 16 bits."""
    return bounded.narrow(bounded.multiply(bounded.narrow(x, dtype), constant(0.5)), dtype)


# Name -> (text, what it computes). {0}, {1}, ... are operands.
OPERATIONS = {
    "add": ("{0} + {1}", bounded.add),
    "sub": ("{0} - {1}", bounded.subtract),
    "mul": ("{0} * {1}", bounded.multiply),
    "div": ("{0} / (at.abs({1}) + 0.5)", lambda x, y: bounded.divide(x, _away_from_zero(y, 0.5))),
    "maximum": ("at.maximum({0}, {1})", bounded.maximum),
    "minimum": ("at.minimum({0}, {1})", bounded.minimum),
    "larger": ("at.where({0} >= {1}, {0}, {1})", bounded.maximum),
    "smaller": ("at.where(({0} < {1}) | ({0} == {1}), {0}, {1})", bounded.minimum),
    "not_above": ("at.where(({0} > {1}) & ({0} != {1}), {1}, {0})", bounded.minimum),
    "mul_add": ("{0} * {1} + {2}", lambda x, y, z: bounded.add(bounded.multiply(x, y), z)),
    "scale": ("{0} * s", _with(SCALAR, bounded.multiply)),
    "shift": ("s + {0}", _with(SCALAR, bounded.add)),
    "from_one": ("1.0 - {0}", lambda x: bounded.subtract(constant(1.0), x)),
    "above": ("at.maximum({0}, 0.25)", _with(0.25, bounded.maximum)),
    "not_below": ("at.where(~({0} < 0.25), {0}, 0.25)", _with(0.25, bounded.maximum)),
    "below": ("at.where({0} <= 0.25, {0}, 0.25)", _with(0.25, bounded.minimum)),
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
    "left": ("{0}[:, 0:16]", lambda x: x[:, :16]),
    "right": ("{0}[:, 16:32]", lambda x: x[:, 16:32]),
    "halves": ("at.concat({0}[:, 16:32], {0}[:, :16], axis=1)", lambda x: x[:, [*range(16, 32), *range(16)]]),
    "turn": ("(0.5 * {0}.T).T", _with(0.5, bounded.multiply)),
    "turn_f16": ("({0}.to(at.f16).T * 0.5).to(at.f16).T", lambda x: _turned(x, "f16")),
    "turn_bf16": ("({0}.to(at.bf16).T * 0.5).to(at.bf16).T", lambda x: _turned(x, "bf16")),
    "whole": ("({0} * 8.0).to(at.i32).to(at.f32)", lambda x: bounded.whole(bounded.multiply(x, constant(8.0)))),
    "swap": ("{1}, {0}", lambda x, y: (y, x)),
}


@dataclass(frozen=True, eq=False)
class Rows:
    """Which rows of an array a span stands for. Of a filled span those that do not exist are zeros, else they are left
    out."""

    places: np.ndarray
    exists: np.ndarray
    filled: bool = False

    @staticmethod
    def of(base, count, limit, filled=False, offset=0, step=1):
        """`count` rows from `base`; they exist from 0 to `limit`, and row p is at `offset + step * p`."""
        rows = np.arange(base, base + count)
        exists = (rows >= 0) & (rows < limit)
        if not filled:
            rows, exists = rows[exists], exists[exists]
        return Rows(np.where(exists, offset + step * rows, 0), exists, filled)


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
        place, rows = state.index(self.places)
        values = state.arrays[self.array][place]
        if values.value.ndim < 2:
            values = values.reshape((-1, 1) if rows else (1, -1))
        if rows and not rows.exists.all():
            values = Bounded(np.where(rows.exists[:, None], values.value, 0.0), values.bound)
        state.define(self.targets[0], values, self)


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
        output, value = state.outputs[self.array], state.values[self.value]
        place, rows = state.index(self.places, stored=True)
        value = value[: len(rows.exists)][rows.exists]
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
        state.values[self.state].append((state.values[self.scores], state.values[self.values]))


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
    depth = 1  # of its body, in indentations

    def text(self):
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        if self.block:
            return f"for {self.variable} in at.range(at.tiles({self.extent}, {self.block}){stages}):"
        first = f"{self.first}, " if self.first else ""
        return f"for {self.variable} in at.range({first}{self.extent}{stages}):"

    def run(self, state):
        carried = self._carried_with_missing_rows(state)
        state.leave_out(carried)
        for _ in self.run_places(state):
            state.run(self.body)
            state.leave_out(carried)

    def run_places(self, state):
        """Sets the variable for each iteration."""
        extent = state.number(self.extent)
        step = state.sizes[self.block] if self.block else 1
        for number in range(self.first, extent, step):
            state.places[self.variable] = Rows.of(number, step, extent) if self.block else number
            state.places[f"{self.variable}.clip(0, {self.extent})"] = Rows.of(number, step, extent, filled=True)
            yield

    def _carried_with_missing_rows(self, state):
        """Carried tiles have the rows that their first and their next values have, however often the loop runs."""
        missing = {name for name in state.values if state.misses_rows(name)}
        settle_missing_rows(self, missing, state.shapes)
        return missing & set(state.values) & {target for step in walk(self.body) for target in step.targets}


@dataclass(frozen=True)
class Band:
    """`targets = at.band_...(operands)`, or a softmax over the slots of a band."""

    targets: tuple
    operation: str
    operands: tuple

    TEXTS: ClassVar[dict] = {
        "dot": "at.band_dot({0}, {1})",
        "mix": "at.band_mix({0}, {1})",
        "spread": "at.band_spread({0}, {1})",
        "spread_on": "at.band_spread({0}, {1}, {2})",
        "softmax": "at.softmax({0})",
        "masked_softmax": "at.softmax(at.mask({0}, near.valid))",
    }

    @property
    def names_used(self):
        return self.operands

    def text(self):
        return f"{', '.join(self.targets)} = {self.TEXTS[self.operation].format(*self.operands)}"

    def run(self, state):
        operands = state.operands(self.operands)
        if self.operation == "dot":
            results = [bounded.band_dot(*operands, state.sizes[state.shapes[self.targets[0]][1]])]
        elif self.operation == "mix":
            results = [bounded.band_mix(*operands)]
        elif self.operation == "spread":
            results = [bounded.band_spread(*operands)]
        elif self.operation == "spread_on":
            results = [bounded.add(bounded.band_spread(*operands[:2]), operands[2])]
        else:
            results = bounded.row_softmax(*operands, self._exists(state, operands[0]))
        for target, value in zip(self.targets, results):
            state.define(target, value, self)

    def _exists(self, state, scores):
        """Which slots take part."""
        if self.operation == "softmax":
            return np.True_
        rows, slots = scores.shape
        return np.stack([state.places["near"].exists[t : t + rows] for t in range(slots)], 1)


@dataclass(frozen=True)
class Part:
    """`target = window[first:first + count]`, some rows of a window; `count` is a number or the rows of a tile."""

    targets: tuple
    window: str
    first: object
    count: object = "BT"

    @property
    def names_used(self):
        return (self.window,)

    def text(self):
        return f"{self.targets[0]} = {self.window}[{self.first}:{self.count} + {self.first}]"

    def run(self, state):
        first, count = (state.sizes.get(number, number) for number in (self.first, self.count))
        rows = slice(first, first + count)
        state.define(self.targets[0], state.values[self.window][rows], self)


@dataclass(frozen=True)
class Concat:
    """`target = at.concat(window[0:first], tile)`, again a window; the whole of the first where nothing is cut off."""

    targets: tuple
    window: str
    tile: str
    first: int | None = None

    @property
    def names_used(self):
        return (self.window, self.tile)

    def text(self):
        part = self.window if self.first is None else f"{self.window}[0:{self.first}]"
        return f"{self.targets[0]} = at.concat({part}, {self.tile})"

    def run(self, state):
        parts = [state.values[self.window][: self.first], state.values[self.tile]]
        state.define(self.targets[0], bounded.concatenate(parts), self)


@dataclass(frozen=True)
class Accumulate:
    """`at.accumulate(G, row)`."""

    row: str
    targets = ()

    @property
    def names_used(self):
        return (self.row,)

    def text(self):
        return f"at.accumulate(G, {self.row})"

    def run(self, state):
        state.sums.append(state.values[self.row])


def walk(steps):
    """All steps, loops before what is in them."""
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from walk(step.body)


def hand_on_missing_rows(steps, missing, shapes):
    """Changes `missing`, the tiles that lack rows where a tile of the grid does, to what it is after the steps.

    A tile that is computed lacks them where any operand of as many rows does. Scores and values of a softmax count
    apart: log-sum-exps have the rows of the scores.
    """

    def put(name, lacks):
        (missing.add if lacks and shapes.get(name, ("BT",))[0] == "BT" else missing.discard)(name)

    for step in steps:
        lacks = [name in missing for name in step.names_used]
        if isinstance(step, Loop):
            settle_missing_rows(step, missing, shapes)
        elif isinstance(step, Push):
            put(step.state, step.scores in missing)
            put(f"values of {step.state}", step.values in missing)
        elif isinstance(step, Finish):
            put(step.targets[0], step.state in missing or f"values of {step.state}" in missing)
            put(step.targets[1], step.state in missing)
        elif isinstance(step, Load):
            put(step.targets[0], not {"t", "J[t]"}.isdisjoint(step.places))
        elif isinstance(step, Step) and step.operation == "swap":
            put(step.targets[0], lacks[1])
            put(step.targets[1], lacks[0])
        else:
            for target in step.targets:
                put(target, any(lacks))


def settle_missing_rows(loop, missing, shapes):
    """The same at the start of each iteration of a loop, and after it."""
    while True:
        after = set(missing)
        hand_on_missing_rows(loop.body, after, shapes)
        if after <= missing:
            return
        missing |= after
