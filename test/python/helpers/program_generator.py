"""Draws random programs: which steps are in a kernel, and what they work on."""

from __future__ import annotations

import random
from dataclasses import dataclass

from program_columns import DIM, Attend, Columns
from program_lists import ARRAYS, COLUMNS, CONDITIONS, INTEGERS, PARTS, Each, EachRun, Gather, Merge, Split, StoreOne
from program_steps import Accumulate, Band, Concat, Finish, Full, Load, Loop, NewState, Part, Push, Step, Store
from random_programs import Grid, Program

BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "larger", "smaller", "not_above")
UNARY = (
    "scale", "shift", "from_one", "above", "not_below", "below", "half", "third", "over", "negate", "abs", "sqrt", "rsqrt",
    "exp", "log", "whole",
)  # fmt: skip
ROW_REDUCTIONS = ("sum_1", "max_1", "min_1", "mean_1")
COLUMN_REDUCTIONS = ("sum_0", "max_0", "min_0")
COLUMN_PARTS = {"left": 16, "right": 16, "halves": 32}  # with their columns; of tiles of 32 or more
NUMBERS = (0.0, 1.0, -0.5, 2.75)
# Loops: their variable, how far they go, and the block of their spans.
LOOPS = (
    *((Loop, "n", "N", None), (Loop, "k", "S", "BS"), (Loop, "j", "3", None)) * 3,
    (Loop, "k", "L[0]", "BS"), (Loop, "j", "L[0]", None), (Split, "n", "N", None), (Each, "item", "U[0]", None),
    (EachRun, "k", "U[0]", "BS"),
)  # fmt: skip


@dataclass(frozen=True)
class Variable:
    """A tile by name and element type. Rows: 1, "BT" of the grid, "BS" of an inner loop, "NEAR" of a window around the
    tile, "ALONG" of a window around the rows of an inner loop, or a number. Columns: 1, "D", "W" or "SLOTS" of a band
    around the one or the other, or a number."""

    name: str
    rows: object
    columns: object
    dtype: str = "f32"

    @property
    def shape(self):
        return self.rows, self.columns


def draw(number: int):
    """Program `number`: always the same one. Steps whose values grow too large are left out again."""
    for attempt in range(100):
        program = Generator(number, attempt).program()
        while program is not None:
            _, wild = program.evaluate()
            if wild is None:
                return program
            program = next(program.bypassing(wild), None) or program.without(wild)
    raise AssertionError(f"no program {number} after {attempt + 1} attempts")


class Generator:
    """Draws one program."""

    def __init__(self, number: int, attempt: int):
        self.number = number
        self.random = random.Random(f"{number} {attempt}")
        choose = self.random.choice
        self.sizes = dict(T=choose((1, 2, 5, 7, 13, 33)), D=choose((1, 8, 16, 33, 64, 123, 130)))
        self.sizes.update(N=choose((1, 2, 3, 4)), S=choose((1, 3, 6, 9, 20)), M=3, BS=choose((1, 2, 4, 8)))
        self.sizes.update(SLOTS=choose((3, 5, 7)), **{DIM: choose((1, 5, 15, 16, 17, 40, 70))})
        if self.random.random() < 0.3:
            self.sizes["B"] = choose((1, 2, 3))
        self.block = choose((1, 2, 3, 4, 8, 16, 40)) if self.random.random() < 0.7 else None
        self.batch = ("b",) if "B" in self.sizes else ()
        if self.block:  # not too many tiles
            self.block = max(self.block, self.sizes["T"] // 8)
        self.grid = self.draw_grid()
        self.count = 0
        self.outputs, self.shapes = {}, {}
        self.used, self.carried = set(), set()  # names of variables

    def draw_grid(self):
        """Plain tiles in most programs; else with windows, missing rows filled, or by residue classes."""
        if self.random.random() < 0.6:
            return Grid()
        dilation, filled = self.random.choice((None, None, 1, 2, 3)), self.random.random() < 0.5
        radius = self.random.choice((None, 0, 1, 2, 3))
        if radius is not None:
            self.sizes.update(R=radius, W=2 * radius + 1)
            if self.block:
                self.block = max(self.block, 2)  # a band takes two rows or more
        return Grid(dilation, filled, radius)

    def program(self):
        dims = tuple(place.upper() for place in self.batch)
        arrays = dict(X=(*dims, "T", "D"), V=(*dims, "N", "T", "D"), C=(*dims, "T"), E=(*dims, "T", "M"), W=("D",))
        arrays.update(K=("S", "D"), Q=(*dims, "T", "D"), Z=(*dims, "T", DIM), **PARTS)
        self.arguments = {name: (dims, self.random.choice(("f32", "f16", "bf16"))) for name, dims in arrays.items()}
        for name, dims in ARRAYS.items():
            self.arguments[name] = (dims, "i32" if name in COLUMNS else self.random.choice(INTEGERS))
        before, rows = [], []
        self.grow(before, rows, self.random.randint(0, 3), loops=("before",))
        self.outside = {tile.name for tile in rows}  # cannot be assigned in the grid
        body = []
        tiles = rows + [self.load(body, *place) for place in self.random.sample(self.tile_places(), 2)]
        self.grow(body, tiles, self.random.randint(4, 14), loops=())
        after = self.sum_up(body, tiles, rows) if self.random.random() < 0.2 else []
        self.store(body, tiles)
        program = Program(self.number, self.sizes, self.arguments, self.outputs, self.grid, tuple(before), tuple(body),
                          tuple(after), self.shapes, self.block)  # fmt: skip
        return program.without()  # without what nothing needs

    # Variables

    def new(self, rows, columns, dtype="f32"):
        self.count += 1
        variable = Variable(f"x{self.count}", rows, columns, dtype)
        self.shapes[variable.name] = (rows, columns, dtype)
        return variable

    def pick(self, tiles):
        """Any variable, rather one that nothing has used yet."""
        unused = [tile for tile in tiles if tile.name not in self.used]
        picked = self.random.choice(unused if unused and self.random.random() < 0.6 else tiles)
        self.used.add(picked.name)
        return picked

    def has_known_rows(self, tile):
        """Whether rows can be reduced, and their reduction has one right answer: how many there are may depend on the
        block size. Bands are reduced over their slots only."""
        if tile.columns == "W":
            return False
        return tile.rows == "BS" or (tile.rows in ("NEAR", "BT") and self.block is not None)

    def step(self, steps, operation, operands, shape, dtype="f32"):
        result = self.new(*shape, dtype)
        steps.append(Step((result.name,), operation, tuple(operand.name for operand in operands)))
        return result

    # Loads and stores

    def tile_places(self):
        """Arrays with their places, and the shape there, for loads in the grid."""
        batch = self.batch
        listed = [("K", ("J[t]", ":"), ("BT", "D"))] if self.grid.dilation is None else []
        return [
            ("X", (*batch, "t", ":"), ("BT", "D")),
            ("C", (*batch, "t"), ("BT", 1)),
            ("E", (*batch, "t", str(self.random.randint(0, 2))), ("BT", 1)),
            ("V", (*batch, "0", "t", ":"), ("BT", "D")),
            *listed,
        ]

    def load(self, steps, array, places, shape):
        result = self.new(*shape, self.arguments[array][1])
        is_gathered = places[0] == "J[t]" and self.random.random() < 0.5
        steps.append((Gather if is_gathered else Load)((result.name,), array, places))
        return result

    def load_some(self, steps, tiles, loops):
        places = [
            ("W", (":",), (1, "D")),
            ("K", ("0", ":"), (1, "D")),
            ("K", (f"I[{self.random.randint(0, 2)}]", ":"), (1, "D")),
        ]
        if self.sizes["D"] >= 16:
            places.append(("W", ("3:11",), (1, 8)))
        if "before" not in loops:
            places += self.tile_places()
            if self.sizes["D"] >= 16:
                places.append(("X", (*self.batch, "t", "8:16"), ("BT", 8)))
            if self.grid.radius is not None:
                places += [("X", (*self.batch, "near", ":"), ("NEAR", "D"))] * 4
        if "n" in loops:
            places += [("V", (*self.batch, "n", "t", ":"), ("BT", "D"))] * 4
        if "k" in loops:
            places += [("K", ("k", ":"), ("BS", "D"))] * 4
        if "item" in loops:
            places += [("K", ("item", ":"), (1, "D"))] * 4
        return [self.load(steps, *self.random.choice(places))]

    def store(self, steps, tiles):
        """Outputs that depend on all variables that nothing has used yet."""
        unused = [tile for tile in tiles if tile.name not in self.used and tile.rows in (1, "BT")]
        unused = [self.reduce_row(steps, tile) if tile.columns not in (1, "D") else tile for tile in unused]
        stored = [tile for tile in tiles if tile.rows == "BT" and tile.columns in (1, "D")]
        stored = stored[-self.random.randint(1, 3) :]
        for tile in unused:
            place, kind = self.random.randrange(len(stored)), self.random.choice(("add", "maximum", "mul"))
            stored[place] = self.step(steps, kind, [stored[place], tile], broadcast(stored[place], tile))
        for tile in stored:
            row = "P[t]" if self.grid.dilation is None and self.random.random() < 0.1 else "t"
            self.store_one(steps, tile, (*self.batch, row, *((":",) if tile.columns == "D" else ())), stored)

    def store_one(self, steps, tile, places, others=()):
        """Stores a tile, or one of `others` that is like it, by a condition."""
        name = f"Y{len(self.outputs)}"
        dims = tuple({"b": "B", "t": "T", "P[t]": "T", "n": "N", "d": "D", ":": "D"}[place] for place in places)
        self.outputs[name] = (dims, self.random.choice(("f32", "f32", "f16", "bf16")))
        others = [other for other in others if other.shape == tile.shape]
        if others and self.random.random() < 0.15:
            condition = ("L[0]", self.random.choice(tuple(CONDITIONS)), self.random.randint(0, 4))
            steps.append(StoreOne(name, places, tile.name, self.random.choice(others).name, *condition))
        else:
            steps.append(Store(name, places, tile.name))

    # Steps

    def grow(self, steps, tiles, count, loops):
        """Adds steps; `loops` are the variables of the loops around them."""
        makers = [self.binary] * 5 + [self.mul_add] * 2 + [self.unary] * 3 + [self.reduce] * 3 + [self.cast]
        makers += [self.load_some, self.full, self.part_of_columns, self.turn]
        if "before" not in loops and self.grid.radius is not None:
            makers += [self.band] * 6 + [self.window] * 4
        if "before" not in loops:
            makers += [self.columns] * 2
            makers += [self.softmax, self.loop, self.loop, self.loop] if len(loops) < 2 else []
            makers += [self.walk_along] if not loops and self.sizes["BS"] > 1 else []
            makers += [self.merge] if not loops and self.random.random() < 0.5 else []
            makers += [self.attend] if not loops else []
        if not tiles:
            tiles += self.load_some(steps, tiles, loops)
        for _ in range(count):
            tiles += self.random.choice(makers)(steps, tiles, loops)

    def binary(self, steps, tiles, loops):
        operands = [self.pick(tiles), self.pick(tiles)]
        shape = broadcast(*operands)
        return [self.step(steps, self.random.choice(BINARY), operands, shape)] if shape else []

    def mul_add(self, steps, tiles, loops):
        operands = [self.pick(tiles), self.pick(tiles), self.pick(tiles)]
        product = broadcast(*operands[:2])
        shape = product and broadcast(Variable("", *product), operands[2])
        return [self.step(steps, "mul_add", operands, shape)] if shape else []

    def unary(self, steps, tiles, loops):
        operand = self.pick(tiles)
        return [self.step(steps, self.random.choice(UNARY), [operand], operand.shape)]

    def reduce(self, steps, tiles, loops):
        operand = self.pick(tiles)
        over_rows = self.has_known_rows(operand) and (operand.rows == "BS" or self.random.random() < 0.5)
        if operand.rows == "NEAR" and not over_rows:
            return []
        kind = self.random.choice(COLUMN_REDUCTIONS if over_rows else ROW_REDUCTIONS)
        return [self.step(steps, kind, [operand], (1, operand.columns) if over_rows else (operand.rows, 1))]

    def cast(self, steps, tiles, loops):
        operand, kind = self.pick(tiles), self.random.choice(("f16", "bf16"))
        return [self.step(steps, f"to_{kind}", [operand], operand.shape, kind)]

    def full(self, steps, tiles, loops):
        shapes = [("BT", "D"), ("BT", 1), (1, "D")] if "before" not in loops else [(1, "D")]
        return [self.full_of(steps, self.random.choice(shapes))]

    def full_of(self, steps, shape):
        result = self.new(*shape)
        steps.append(Full((result.name,), shape, self.random.choice(NUMBERS)))
        return result

    # Columns

    def columns(self, steps, tiles, loops):
        """A reduction in a loop over spans of columns, with a mask in some."""
        choose = self.random.choice
        limit = choose((None, None, -3, 0, 1, 16, 20, 33))
        is_diagonal = self.grid.dilation is None and self.random.random() < 0.5
        result = self.new("BT", 1)
        steps.append(
            Columns((result.name,), "Z", (*self.batch, "t"), choose(("sum", "max", "min")), choose(("copy", *UNARY)),
                    choose((16, 24, 64)), choose((1, 2)), limit, choose((0.0, 0.25)), is_diagonal)
        )  # fmt: skip
        return [result]

    def part_of_columns(self, steps, tiles, loops):
        wide = [tile for tile in tiles if tile.columns == "D" and self.sizes["D"] >= 33]
        if not wide:
            return []
        operand, kind = self.pick(wide), self.random.choice(tuple(COLUMN_PARTS))
        return [self.step(steps, kind, [operand], (operand.rows, COLUMN_PARTS[kind]), operand.dtype)]

    def turn(self, steps, tiles, loops):
        """A column as a row, or a tile of squares as one of 16 bits, and back."""
        is_square = self.sizes["D"] % 16 == 0 and (self.block is None or self.block % 16 == 0)
        squares = [tile for tile in tiles if tile.shape == ("BT", "D")] if is_square else []
        if squares and self.random.random() < 0.5:
            kind = self.random.choice(("f16", "bf16"))
            return [self.step(steps, f"turn_{kind}", [self.pick(squares)], ("BT", "D"), kind)]
        columns = [tile for tile in tiles if tile.columns == 1 and tile.rows in (1, "BT")]
        if not columns:
            return []
        operand = self.pick(columns)
        return [self.step(steps, "turn", [operand], operand.shape)]

    # Bands

    def band(self, steps, tiles, loops):
        """A band out of rows and their window, changed a little, and rows out of the band."""
        rows = [tile for tile in tiles if tile.shape == ("BT", "D")]
        windows = [tile for tile in tiles if tile.shape == ("NEAR", "D")]
        if not rows or not windows or self.random.random() < 0.3:
            windows.append(self.load(steps, self.random.choice("XQ"), (*self.batch, "near", ":"), ("NEAR", "D")))
            rows.append(self.load(steps, *self.tile_places()[0]))
        band = self.band_step(steps, "dot", [self.pick(rows), self.pick(windows)], ("BT", "W"))
        new = [band, *(tile for tile in tiles if tile.shape in (("BT", 1), ("BT", "W")))]
        for _ in range(self.random.randint(0, 3)):
            new += self.random.choice((self.unary, self.binary))(steps, new, loops)
        scores = self.pick([tile for tile in new if tile.columns == "W"])
        if self.random.random() < 0.7:
            scores, lse = self.new("BT", "W"), self.new("BT", 1)
            plain = self.grid.filled or self.random.random() < 0.3  # masks of filled rows hide whole rows
            kind = "softmax" if plain else "masked_softmax"
            steps.append(Band((scores.name, lse.name), kind, (new[-1].name if new[-1].columns == "W" else band.name,)))
            new.append(lse)
        if self.grid.filled and self.block and self.random.random() < 0.6:
            new.append(self.band_step(steps, "spread", [scores, self.pick(rows)], ("NEAR", "D")))
            new += self.window(steps, new, loops)
        else:
            new.append(self.band_step(steps, "mix", [scores, self.pick(windows)], ("BT", "D")))
        return [tile for tile in new if tile not in tiles]

    def band_step(self, steps, kind, operands, shape):
        result = self.new(*shape)
        steps.append(Band((result.name,), kind, tuple(operand.name for operand in operands)))
        return result

    def window(self, steps, tiles, loops):
        """Rows of a window as a tile; the window may be made of another one and a tile."""
        windows = [tile for tile in tiles if tile.shape == ("NEAR", "D")]
        radius = self.sizes["R"]
        if not windows:
            return []
        window = self.pick(windows)
        filled = [tile for tile in tiles if tile.shape == ("BT", "D") and tile.dtype == window.dtype]
        if radius and self.block and self.grid.filled and filled and self.random.random() < 0.5:
            joined = self.new("NEAR", "D", window.dtype)
            steps.append(Concat((joined.name,), window.name, self.pick(filled).name, 2 * radius))
            window = joined
        result = self.new("BT", "D", window.dtype)
        steps.append(Part((result.name,), window.name, self.random.randint(0, 2 * radius)))
        return [window, result]

    def sum_up(self, steps, tiles, rows):
        """Adds a row to the sum over the grid; returns the steps of the second phase, which takes that sum."""
        sums = [tile for tile in tiles if tile.shape == (1, "D") and tile.dtype == "f32"]
        sums = [tile for tile in sums if tile.name not in self.outside]
        if not sums or self.block is None:
            return []
        steps.append(Accumulate(self.pick(sums).name))
        after = []
        total, weight = self.new("C", 1), self.new("C", 1, self.arguments["W"][1])
        after += [Load((total.name,), "G", ("d",)), Load((weight.name,), "W", ("d",))]
        columns = [total, weight]
        for _ in range(self.random.randint(1, 3)):
            columns += self.random.choice((self.unary, self.binary))(after, columns, ())
        self.store_one(after, self.step(after, "mul", [self.pick(columns), total], total.shape), ("d",))
        return after

    # Loops

    def softmax(self, steps, tiles, loops):
        """A softmax over a loop of its own."""
        if "n" in loops:
            return []
        self.count += 1
        state = f"st{self.count}"
        steps.append(NewState((state,)))
        body, inside = [], list(tiles)
        inside.append(self.load(body, "V", (*self.batch, "n", "t", ":"), ("BT", "D")))
        self.grow(body, inside, self.random.randint(0, 3), (*loops, "n"))
        scores = [self.reduce_row(body, tile) for tile in inside[-2:] if tile.rows == "BT"] or [
            self.reduce_row(body, inside[len(tiles)])
        ]
        values = [tile for tile in inside if tile.shape == ("BT", "D")]
        body.append(Push(state, self.pick(scores).name, self.pick(values).name))
        steps.append(Loop("n", 0, "N", self.random.randint(1, 2), tuple(body)))
        mixed, lse = self.new("BT", "D"), self.new("BT", 1)
        steps.append(Finish((mixed.name, lse.name), state))
        return [mixed, lse]

    def reduce_row(self, steps, tile):
        return self.step(steps, self.random.choice(ROW_REDUCTIONS), [tile], (tile.rows, 1))

    def loop(self, steps, tiles, loops):
        """A loop that carries variables and may store."""
        kind, variable, extent, block = self.random.choice(LOOPS)
        if variable in loops:
            return []
        first = self.random.choice((0, 0, 0, 1, 3)) if kind is Loop and not block else 0
        if kind is Split:
            first = self.random.randint(0, 1)
        carried = self.start_carried(steps, tiles, loops)
        body, inside = [], tiles + carried
        for _ in range(self.random.randint(1, 3)):
            self.grow(body, inside, self.random.randint(1, 3), (*loops, variable))
            self.carry(body, inside, carried)
        if variable == "n" and kind is Loop and not first and not loops and self.random.random() < 0.4:
            columns = [tile for tile in inside if tile.shape == ("BT", 1)]
            if columns:
                self.store_one(body, self.pick(columns), (*self.batch, "t", "n"))
        steps.append(kind(variable, first, extent, self.random.randint(1, 3), tuple(body), block))
        return carried

    def merge(self, steps, tiles, loops):
        """What parts have left of an attention, merged; a row of it."""
        mixed, lse = self.new(3, "D"), self.new(3, 1)
        steps.append(Merge((mixed.name, lse.name), self.random.randint(0, 2)))
        return [self.step(steps, "sum_0", [tile], (1, tile.columns)) for tile in (mixed, lse)]

    def attend(self, steps, tiles, loops):
        """A row over all rows of K, of which some are masked; what is left of those is 0, and no log-sum-exp."""
        rows = [tile for tile in tiles if tile.shape == (1, "D")]
        if not rows:
            rows = [self.load(steps, "W", (":",), (1, "D"))]
        mixed, lse = self.new(1, "D"), self.new(1, 1)
        limit = self.random.choice((None, None, 0, 1, 3, 100))
        steps.append(
            Attend((mixed.name, lse.name), "K", ("m", ":"), self.pick(rows).name, "BS", self.random.randint(1, 2), limit,
                   self.random.random() < 0.5)
        )  # fmt: skip
        return [mixed] if limit == 0 else [mixed, lse]

    def walk_along(self, steps, tiles, loops):
        """A loop over tiles that carries the last rows of each to the next, and of what it spreads over them."""
        rest = self.sizes["SLOTS"] - 1
        last, spread_last = (self.full_of(steps, (rest, "D")) for _ in range(2))
        total = self.full_of(steps, (1, "D"))
        self.carried.update(tile.name for tile in (last, spread_last, total))
        body = []
        rows = self.load(body, "K", ("k.clip(0, S)", ":"), ("BS", "D"))
        rows = self.step(body, "scale", [rows], rows.shape)
        window = self.concat(body, last, rows)
        body.append(Part((last.name,), window.name, "BS", rest))
        band = self.band_step(body, "dot", [rows, window], ("BS", "SLOTS"))
        if self.random.random() < 0.5:
            band, scores = self.new("BS", "SLOTS"), band
            body.append(Band((band.name, self.new("BS", 1).name), "softmax", (scores.name,)))
        else:
            band = self.step(body, "over", [band], band.shape)
        if self.random.random() < 0.7:
            zeros = self.full_of(body, ("BS", "D"))
            onto = self.concat(body, spread_last, zeros)
            spread = self.band_step(body, "spread_on", [band, rows, onto], ("ALONG", "D"))
            done = self.new("BS", "D")
            body.append(Part((done.name,), spread.name, 0, "BS"))
            body.append(Part((spread_last.name,), spread.name, "BS", rest))
        else:
            done = self.band_step(body, "mix", [band, window], ("BS", "D"))
        row = self.step(body, self.random.choice(COLUMN_REDUCTIONS), [done], (1, "D"))
        body.append(Step((total.name,), self.random.choice(("add", "maximum")), (total.name, row.name)))
        steps.append(Loop("k", 0, "S", self.random.randint(1, 3), tuple(body), "BS"))
        ends = [self.step(steps, "sum_0", [tile], (1, "D")) for tile in (last, spread_last)]
        return [total, *ends]

    def concat(self, steps, first, second):
        """The rows that the last iteration left, and those of this one."""
        joined = self.new("ALONG", "D", second.dtype)
        steps.append(Concat((joined.name,), first.name, second.name))
        return joined

    def start_carried(self, steps, tiles, loops):
        """Variables that a loop changes: new ones, or those that are there and that may be changed."""
        carried = []
        for _ in range(self.random.randint(1, 3)):
            tile = self.pick(tiles)
            fixed = tile.name in self.outside or (loops and tile.name not in self.carried)
            plain = tile.dtype == "f32" and tile.rows in (1, "BT") and tile.columns != "W"
            if fixed or not plain or self.random.random() < 0.5:
                tile = self.full(steps, tiles, ())[0]
            if tile not in carried:
                carried.append(tile)
        self.carried.update(tile.name for tile in carried)
        return carried

    def carry(self, steps, tiles, carried):
        """Assigns a carried variable, or exchanges two."""
        target = self.random.choice(carried)
        twins = [tile for tile in carried if tile.shape == target.shape and tile is not target]
        if twins and self.random.random() < 0.3:
            pair = (target.name, self.random.choice(twins).name)
            steps.append(Step(pair, "swap", pair))
            return
        fitting = [tile for tile in tiles if broadcast(tile, target) == target.shape]
        same = [tile for tile in fitting if tile.shape == target.shape and tile.dtype == "f32"]
        kind = self.random.choice(("add", "add", "maximum", "mul_add", "copy"))
        if kind == "copy":
            operands = [self.pick(same)]
        elif kind == "mul_add":
            operands = [target, self.pick(fitting), self.pick(fitting)]
        else:
            operands = self.random.sample([target, self.pick(fitting)], 2)
        steps.append(Step((target.name,), kind, tuple(operand.name for operand in operands)))


def broadcast(a: Variable, b: Variable):
    """The shape of a result of both; None where they do not fit."""
    shape = tuple(x if y == 1 else y for x, y in zip(a.shape, b.shape))
    return shape if all(1 in (x, y) or x == y for x, y in zip(a.shape, b.shape)) else None
