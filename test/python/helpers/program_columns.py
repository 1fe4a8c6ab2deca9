"""Steps of random programs that take columns by spans, in loops over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import bounded
from bounded import Bounded
from program_steps import OPERATIONS, Load

DIM = "H"  # the columns of the array Z, a number of each call
COMBINE = {
    "sum": "{x} + at.sum({v}, 1)",
    "max": "at.maximum({x}, at.max({v}, 1))",
    "min": "at.minimum({x}, at.min({v}, 1))",
}
STARTS = {"sum": 0.0, "max": -64.0, "min": 64.0}


@dataclass(frozen=True)
class Columns(Load):
    """A reduction of what is computed from `array[places, h]`, in a loop over spans `h` of columns.

    With a `limit`, elements from there on are `other` instead: by the columns alone, or where a column lies further after
    the row.
    """

    kind: str = "sum"
    function: str = "copy"
    block: int = 16
    stages: int = 1
    limit: int | None = None
    other: float = 0.0
    is_diagonal: bool = False

    def text(self):
        x, start = self.targets[0], STARTS[self.kind]
        value = OPERATIONS[self.function][0].format(f"{self.array}[{', '.join((*self.places, 'h'))}].to(at.f32)")
        if self.limit is not None:
            place = "h.idx.T - t.idx" if self.is_diagonal else "h.idx.T"
            value = f"at.where({place} < {self.limit}, {value}, {self.other})"
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        return "\n".join(
            [
                f"{x} = at.full((BT, 1), {start})",
                f"for h in at.range(at.tiles({DIM}, {self.block}){stages}):",
                f"    {x} = {COMBINE[self.kind].format(x=x, v=value)}",
            ]
        )

    def run(self, state):
        place, rows = state.index((*self.places, ":"))
        values = state.arrays[self.array][place]
        values = Bounded(np.where(rows.exists[:, None], values.value, 0.0), values.bound)
        values = OPERATIONS[self.function][1](values)
        if self.limit is not None:
            columns = np.arange(values.shape[1])[None, :]
            taken = columns - rows.places[:, None] < self.limit if self.is_diagonal else columns < self.limit
            values = Bounded(np.where(taken, values.value, self.other), np.where(taken, values.bound, 0.0))
        start = Bounded(np.full((values.shape[0], 1), STARTS[self.kind]))
        if self.kind == "sum":
            result = bounded.total(bounded.join_columns([values, start]), 1)
        elif self.kind == "max":
            result = bounded.maximum(bounded.largest(values, 1), start)
        else:
            result = bounded.minimum(bounded.smallest(values, 1), start)
        state.define(self.targets[0], result, self)


@dataclass(frozen=True)
class Attend(Load):
    """`mixed, lse`: the softmax of what a row has in common with each row of the array, in a state of one row that shares
    its values. With a `limit`, rows from there on are masked, by their positions or by those within each tile.
    """

    row: str = ""
    block: str = "BS"
    stages: int = 1
    limit: int | None = None
    counts_tile: bool = False

    @property
    def names_used(self):
        return (self.row,)

    def text(self):
        state, score = f"s{self.targets[0]}", f"at.sum({self.array}[m, :].to(at.f32) * (0.125 * {self.row}), 1).T"
        if self.limit is not None:
            place = f"at.arange({self.block})" if self.counts_tile else "m.idx.T"
            score = f"at.mask({score}, {place} < {self.limit})"
        stages = f", stages={self.stages}" if self.stages > 1 else ""
        return "\n".join(
            [
                f"{state} = at.softmax_state(1, D)",
                f"for m in at.range(at.tiles(S, {self.block}){stages}):",
                f"    {state}.push({score}, {self.array}[m, :].to(at.f32))",
                f"{', '.join(self.targets)} = {state}.finish()",
            ]
        )

    def run(self, state):
        keys, size = state.arrays[self.array], state.sizes[self.block]
        query = bounded.multiply(state.values[self.row], bounded.constant(0.125))
        scores = bounded.total(bounded.multiply(keys, query), 1)
        places = np.arange(keys.shape[0])
        places = places % size if self.counts_tile else places
        taken = [row for row, place in enumerate(places) if self.limit is None or place < self.limit]
        results = Bounded(np.zeros((1, keys.shape[1]))), Bounded(np.full((1, 1), -np.inf))
        if taken:
            results = bounded.softmax([scores[row : row + 1] for row in taken], [keys[row : row + 1] for row in taken])
        for target, value in zip(self.targets, results):
            state.define(target, value, self)
