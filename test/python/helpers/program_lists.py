"""Steps of random programs whose indices, counts and conditions are integers in memory."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

import bounded
from program_steps import Load, Loop, Rows, Store

INTEGERS = ("u16", "i32", "i64")
# Integers of kernels: their dims and what they are for. Rows of K: I and J, which is a column. How many of those: L. How
# many of I: U. An order of the rows of a tile: P.
ARRAYS = {"I": ("M",), "J": ("T",), "L": ("N",), "U": ("N",), "P": ("T",)}
COLUMNS = ("J", "P")  # which are at.i32
# What parts of an attention may have left, merged by their log-sum-exps.
PARTS = {"O": ("M", "N", 3, "D"), "A": ("M", "N", 3)}
CONDITIONS = {"<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne, "<=": operator.le}
RUN = 2  # rows from each of those that a list names


def make_integers(name: str, shape, sizes: dict, chance: np.random.Generator):
    """What an array of integers holds."""
    if name == "P":
        return chance.permutation(sizes["T"])
    if name == "J" and chance.random() < 0.5:  # rows that follow each other, in runs
        return np.minimum(chance.integers(0, sizes["S"]) + np.arange(sizes["T"]) % 5, sizes["S"] - 1)
    ends = {"I": sizes["S"], "J": sizes["S"], "L": sizes["S"] + 1, "U": sizes["M"] + 1}
    return chance.integers(0, ends[name], shape)


def arrays_in(text: str):
    """The arrays of integers that a line names."""
    return {name for name in ARRAYS if f"{name}[" in text} | {name for name in PARTS if f"{name}[" in text}


def entry(state, place: str):
    """What `I[2]` or `J[t]` stands for: a number, or rows."""
    name, index = place.rstrip("]").split("[")
    numbers = state.arrays[name].value
    if index.isdecimal():
        return int(numbers[int(index)])
    rows = state.places[index]
    return Rows(np.where(rows.exists, numbers[rows.places], 0).astype(int), rows.exists, rows.filled)


@dataclass(frozen=True)
class Gather(Load):
    """`target = at.gather(K, J[t])`."""

    def text(self):
        return f"{self.targets[0]} = at.gather({self.array}, {self.places[0]})"


@dataclass(frozen=True)
class Each(Loop):
    """`for variable in at.each(I[:], count=extent)`."""

    def text(self):
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        return f"for {self.variable} in at.each(I[:], count={self.extent}{stages}):"

    def run_places(self, state):
        for item in state.arrays["I"].value[: entry(state, self.extent)]:
            state.places[self.variable] = int(item)
            yield


@dataclass(frozen=True)
class EachRun(Loop):
    """The same, with a loop over some rows from each item on inside, which is one loop."""

    depth = 2

    def text(self):
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        tiles = f"at.tiles({RUN}, {self.block}, base=item, limit=S)"
        return f"for item in at.each(I[:], count={self.extent}):\n    for {self.variable} in at.range({tiles}{stages}):"

    def run_places(self, state):
        step = state.sizes[self.block]
        for item in map(int, state.arrays["I"].value[: entry(state, self.extent)]):
            for first in range(item, item + RUN, step):
                state.places[self.variable] = Rows.of(first, step, min(item + RUN, state.sizes["S"]))
                yield


@dataclass(frozen=True)
class Split(Loop):
    """`for variable in at.range(*at.split(extent, 2, first))`."""

    def text(self):
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        return f"for {self.variable} in at.range(*at.split({self.extent}, 2, {self.first}){stages}):"

    def run_places(self, state):
        count = state.sizes[self.extent]
        for number in range(count * self.first // 2, count * (self.first + 1) // 2):
            state.places[self.variable] = number
            yield


@dataclass(frozen=True)
class Merge:
    """`target, lse = at.lse_merge(O[place], A[place])`."""

    targets: tuple
    place: int
    names_used = ()

    def text(self):
        return f"{', '.join(self.targets)} = at.lse_merge(O[{self.place}], A[{self.place}])"

    def run(self, state):
        values, scores = (state.arrays[name][self.place] for name in PARTS)
        parts = range(state.sizes["N"])
        results = bounded.softmax([scores[part].reshape((-1, 1)) for part in parts], [values[part] for part in parts])
        for target, value in zip(self.targets, results):
            state.define(target, value, self)


@dataclass(frozen=True)
class StoreOne(Store):
    """`array[places] = value` or `= other`, by a condition of an integer in memory."""

    other: str = ""
    integer: str = "L[0]"
    comparison: str = "<"
    number: int = 1

    @property
    def names_used(self):
        return (self.value, self.other)

    def text(self):
        place = f"{self.array}[{', '.join(self.places)}]"
        condition = f"{self.integer} {self.comparison} {self.number}"
        return f"if {condition}:\n    {place} = {self.value}\nelse:\n    {place} = {self.other}"

    def run(self, state):
        holds = CONDITIONS[self.comparison](entry(state, self.integer), self.number)
        Store(self.array, self.places, self.value if holds else self.other).run(state)
