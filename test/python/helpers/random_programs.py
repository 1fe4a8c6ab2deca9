"""Small random kernels in the tile language, with what they should compute.

A program is a list of steps that can be written as a kernel, evaluated in float64 tile by tile, and made smaller by
leaving steps out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
import torch

import bounded
from bounded import Bounded
from program_lists import ARRAYS, EachRun, arrays_in, entry, make_integers
from program_steps import Accumulate, Load, Loop, Push, Rows, Step, Store, walk

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
DTYPES.update(u16=torch.uint16, i32=torch.int32, i64=torch.int64)
# The fields of steps that name variables.
OPERANDS = ("operands", "value", "other", "state", "scores", "values", "window", "tile", "row")
COLUMN_BLOCK = 16  # columns of a tile of the second phase


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
        self.valid = valid  # how many rows of the tile have values
        self.values, self.places, self.sums = {}, {}, []
        self.wild = None  # the first step whose values are too large or too uncertain

    def define(self, name, value, step):
        self.values[name] = value
        if self.wild is None and not value.is_tame():
            self.wild = step

    def operands(self, names):
        """Values by name: of tiles with the rows of one span, those rows that all of them have."""
        values = {name: self.values[name] for name in names}
        for span in ("BT", "BS"):
            height = min((value.shape[0] for name, value in values.items() if self.shapes[name][0] == span), default=0)
            values.update((name, value[:height]) for name, value in values.items() if self.shapes[name][0] == span)
        return [values[name] for name in names]

    def misses_rows(self, name):
        """Whether a tile has only those rows that the tile of the grid has, where that lacks some."""
        return self.shapes.get(name, (None,))[0] == "BT" and self.values[name].shape[0] < self.sizes["BT"]

    def leave_out(self, names):
        """Has tiles lack the rows that the tile of the grid lacks."""
        for name in names:
            self.values[name] = self.values[name][: self.valid]

    def index(self, places, stored=False):
        """An index for NumPy, and the rows of the span in it; of rows that are stored, only those that exist."""
        entries = [self._entry(place) for place in places]
        rows = next((entry for entry in entries if isinstance(entry, Rows)), None)
        if rows:
            entries[entries.index(rows)] = rows.places[rows.exists] if stored else rows.places
        return tuple(entries), rows

    def _entry(self, place):
        if place in self.places:
            return self.places[place]
        if "[" in place:
            return entry(self, place)
        if ":" in place:
            return slice(*(int(end) if end else None for end in place.split(":")))
        return int(place)

    def number(self, text):
        """A size by name, an integer in memory, or a number."""
        if "[" in text:
            return entry(self, text)
        return int(text) if text.isdecimal() else self.sizes[text]

    def run(self, steps):
        for step in steps:
            step.run(self)


@dataclass(frozen=True)
class Grid:
    """How the rows of an array become tiles: `dilation` classes where it is not None, `filled` rows that do not exist,
    and a window of `radius` rows around each tile where it is not None."""

    dilation: int | None = None
    filled: bool = False
    radius: int | None = None

    def lines(self, has_batch: bool):
        """The head of the loop, and what stands first in it: the span `t` of the tile, and `near` of its window."""
        names, extents, rest = (["b"], ["B"], []) if has_batch else ([], [], [])
        plain = self.dilation is None and not self.filled
        count, after = "T", ""
        if self.dilation is not None:
            names, extents = [*names, "c"], [*extents, f"at.minimum({self.dilation}, T)"]
            count, after = f"at.cdiv(T - c, {self.dilation})", f".map(c, {self.dilation})"
        rows = "T" if self.dilation is None else f"at.cdiv(T, {self.dilation})"
        if not plain:
            clip = f"i.clip(0, {count})" if self.filled else f"i.clip({count})"
            rest = [f"rows = {clip}", f"t = rows{after}"]
        if self.radius is not None:
            rest.append(f"near = {'t' if plain else 'rows'}.window({self.radius}){after}")
        names, extents = [*names, "t" if plain else "i"], [*extents, f"at.tiles({rows}, BT)"]
        return [f"for {', '.join(names)} in at.grid({', '.join(extents)}):", *(f"    {line}" for line in rest)]

    def tiles(self, length: int, block: int):
        """The spans `t` and `near` of each tile."""
        step = self.dilation or 1
        for offset in range(min(step, length)):
            limit = -(-(length - offset) // step)
            for first in range(0, -(-length // step), block):
                tile = Rows.of(first, block, limit, self.filled, offset, step)
                radius = self.radius or 0
                yield tile, Rows.of(first - radius, block + 2 * radius, limit, True, offset, step)


@dataclass(frozen=True)
class Program:
    """A kernel: arguments with their dims and types, outputs, steps before and in the grid, and after its phase."""

    number: int
    sizes: dict
    arguments: dict  # name -> (dims, dtype)
    outputs: dict  # name -> (dims, dtype)
    grid: Grid
    before: tuple
    body: tuple
    after: tuple = ()  # in the grid of the second phase, over columns
    shapes: dict = field(default_factory=dict)  # variable -> (rows, columns, dtype)
    block: int | None = None  # BT, where the caller fixes it

    @property
    def steps(self):
        """All steps, loops before what is in them."""
        return list(walk(self.before + self.body + self.after))

    # As a kernel

    def text(self):
        """The Python text of the kernel `k`."""
        arguments = [
            f'{name}: at.Tensor["{" ".join(map(str, dims))}"{f", at.{dtype}" if name in ARRAYS else ""}]'
            for name, (dims, dtype) in self.arguments.items()
        ]
        lines = [f"def k({', '.join([*arguments, 's: float', 'BT: at.Auto(1, 64)'])}):"]
        for name, (dims, dtype) in self.outputs.items():
            lines.append(f'    {name} = at.empty("{" ".join(dims)}", at.{dtype})')
        if self._sums:
            lines.append('    G = at.scratch("D", at.f32)')
        lines += _lines(self.before, 1)
        lines += [f"    {line}" for line in self.grid.lines("B" in self.sizes)]
        lines += _lines(self.body, 2)
        if self.after:
            lines += ["    at.phase()", f"    for d in at.grid(at.tiles(D, {COLUMN_BLOCK})):", *_lines(self.after, 2)]
        lines.append(f"    return {', '.join(self.outputs)}")
        constants = [f"BS = {self.sizes['BS']}"] if any(getattr(step, "block", None) for step in self.steps) else []
        return "\n".join([*constants, "@attn.kernel", *lines, ""])

    @property
    def _sums(self):
        return any(isinstance(step, Accumulate) for step in self.steps)

    def tensors(self):
        """The arguments' values by name; the same for an argument whatever the others are."""
        made = {}
        for name, (dims, dtype) in self.arguments.items():
            chance = np.random.default_rng([self.number, ord(name)])
            shape = [self.sizes.get(dim, dim) for dim in dims]
            if name in ARRAYS:
                numbers = make_integers(name, shape, self.sizes, chance)
                made[name] = torch.from_numpy(numbers).to(DTYPES[dtype])
            else:
                made[name] = torch.from_numpy(chance.uniform(-2, 2, shape).astype(np.float32)).to(DTYPES[dtype])
        return made

    # What it computes

    def evaluate(self):
        """The outputs by name, and the first step whose values are too large or too uncertain to be compared."""
        outputs = {}
        for name, (dims, dtype) in self.outputs.items():
            shape = [self.sizes[dim] for dim in dims]
            outputs[name] = Output(dims, dtype, np.full(shape, np.nan), np.zeros(shape))
        arrays = {name: Bounded(tensor.double().numpy()) for name, tensor in self.tensors().items()}
        block = self.block or self.sizes["T"]
        sizes, sums, wild = {**self.sizes, "BT": block}, [], []

        def run(places, steps, valid):
            state = State(sizes, self.shapes, arrays, outputs, valid)
            state.places.update(places)
            state.run(steps)
            sums.extend(state.sums)
            wild.append(state.wild)

        with np.errstate(all="ignore"):
            for batch in range(self.sizes.get("B", 1)):
                for tile, near in self.grid.tiles(self.sizes["T"], block):
                    run(dict(b=batch, t=tile, near=near), self.before + self.body, len(tile.exists))
            if self.after:
                arrays["G"] = bounded.total(bounded.concatenate(sums), 0).reshape(-1)
                for first in range(0, sizes["D"], COLUMN_BLOCK):
                    columns = Rows.of(first, COLUMN_BLOCK, sizes["D"])
                    run(dict(d=columns), self.before + self.after, len(columns.exists))
        return outputs, next((step for step in wild if step is not None), None)

    # Smaller programs

    def without(self, *steps):
        """The program without some steps and without all that depends on them; None where no output is left."""
        dropped = {id(step) for step in steps}
        known = set()
        before = _prune(self.before, dropped, known)
        outside = set(known)
        body = _prune(self.body, dropped, known)
        sums = any(isinstance(step, Accumulate) for step in walk(body))
        after = _prune(self.after, dropped, outside) if sums else ()
        stored = {step.array for step in walk(body + after) if isinstance(step, Store)}
        outputs = {name: about for name, about in self.outputs.items() if name in stored}
        if not {step.array for step in walk(body) if isinstance(step, Store)}:
            return None
        if not any(isinstance(step, Store) for step in after):  # then nothing needs the sums
            after, body = (), tuple(step for step in body if not isinstance(step, Accumulate))
        needed = _needed(list(walk(before + body + after)))
        before, body, after = (_prune_unneeded(steps, needed) for steps in (before, body, after))
        return replace(self, before=before, body=body, after=after, outputs=outputs)._with_used_arguments()

    def _with_used_arguments(self):
        """Those arguments that are loaded, and others for dims that the kernel names."""
        loaded = {step.array for step in self.steps if isinstance(step, Load)}
        loaded.update(*(arrays_in(step.text()) for step in self.steps))
        arguments = {name: about for name, about in self.arguments.items() if name in loaded}
        needed = {"T", "D", "B", *(step.extent for step in self.steps if isinstance(step, Loop))}
        needed.update(dim for dims, _ in self.outputs.values() for dim in dims)
        needed.update("S" for step in self.steps if isinstance(step, EachRun))  # its text names it
        for name, about in self.arguments.items():
            known = {dim for dims, _ in arguments.values() for dim in dims}
            if needed & set(about[0]) - known:
                arguments[name] = about
        return replace(self, arguments={name: self.arguments[name] for name in self.arguments if name in arguments})

    def bypassing(self, step):
        """Programs with an operand of a step in place of its result."""
        if not isinstance(step, Step) or sum(step.targets[0] in other.targets for other in self.steps) > 1:
            return
        target = step.targets[0]
        for operand in step.operands:
            if self.shapes[operand] == self.shapes[target]:
                parts = (_rename(steps, target, operand) for steps in (self.before, self.body, self.after))
                yield replace(self, **dict(zip(("before", "body", "after"), parts))).without()


def _lines(steps, depth):
    lines = []
    for step in steps:
        lines += ["    " * depth + line for line in step.text().splitlines()]
        if isinstance(step, Loop):
            lines += _lines(step.body, depth + step.depth)
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


def _has_effect(step, needed):
    """Whether a step matters, given the variables that do."""
    if isinstance(step, Loop):
        return any(_has_effect(inner, needed) for inner in step.body)
    if isinstance(step, Push):
        return step.state in needed
    return isinstance(step, (Store, Accumulate)) or not needed.isdisjoint(step.targets)


def _needed(steps):
    """The variables that outputs depend on."""
    needed = set()
    while True:
        more = {name for step in steps if _has_effect(step, needed) for name in step.names_used} - needed
        if not more:
            return needed
        needed |= more


def _prune_unneeded(steps, needed):
    kept = [step for step in steps if _has_effect(step, needed)]
    return tuple(replace(s, body=_prune_unneeded(s.body, needed)) if isinstance(s, Loop) else s for s in kept)


def _rename(steps, old, new):
    def rename(value):
        if isinstance(value, tuple):
            return tuple(map(rename, value))
        return new if value == old else value

    renamed = []
    for step in steps:
        if isinstance(step, Loop):
            step = replace(step, body=_rename(step.body, old, new))
        elif old in step.names_used:
            read = [f.name for f in fields(step) if f.name in OPERANDS]
            step = replace(step, **{name: rename(getattr(step, name)) for name in read})
        renamed.append(step)
    return tuple(renamed)
