"""Random tile kernels on the modelled chip against NumPy.

Each kernel mixes shapes, loops that carry tiles, parts of tiles and multiply-adds, so that the sharing of buffers is
tried in ways no written test thinks of. The chip's values must agree and no hazard may be reported. A run is
reproducible: ATTN_FUZZ_SEED and ATTN_FUZZ_KERNELS (kernels per shard) choose it.
"""

import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from repository import ROOT

TOOLS = Path(os.environ.get("ATTN_BUILD_DIR", ROOT / "build")) / "bin"
SEED = int(os.environ.get("ATTN_FUZZ_SEED", "20240229"))
KERNELS_PER_SHARD = int(os.environ.get("ATTN_FUZZ_KERNELS", "8"))
SHARDS = 4
SECONDS = 120

pytestmark = pytest.mark.skipif(not (TOOLS / "attn-sim").is_file(), reason="attn-sim is not built")

SCALARS = {"%s0": 1.5, "%s1": -0.75, "%two": 2.0, "%three": 3.0}
ONE = "!tile.tile<1 x 1 x f32>"
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "div": np.divide,
}
UNARY = {"abs": np.abs, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x)}
REDUCE = {"sum": np.sum, "max": np.max, "min": np.min}


def round_to_bf16(value):
    bits = value.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


@dataclass
class Tile:
    """A value of the kernel and what NumPy makes of it; rows that are not valid are NaN."""

    name: str
    value: np.ndarray
    # Whether all rows, only the valid ones, or (out of a loop) an unknown number have values.
    rows_with_values: str

    @property
    def shape(self):
        return self.value.shape

    @property
    def type(self):
        return f"!tile.tile<{self.shape[0]} x {self.shape[1]} x f32>"


class RandomKernel:
    """Text, arguments and expected outputs of one kernel."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.RandomState(seed % 2**32)
        self.rows = self.random.choice([1, 2, 3, 5, 9])
        self.valid = self.random.randint(max(1, self.rows - 2), self.rows)
        self.cols = self.random.choice([16, 40, 64, 123])
        self.lines, self.count = [], 0
        self.parameters, self.arguments, self.expected = [], [], {}
        tiles = self.grow(self.load_inputs(), self.random.randint(6, 20), depth=0)
        self.store_some(tiles)

    def add(self, text, value, rows_with_values):
        """One op that makes a tile."""
        self.count += 1
        name = f"%t{self.count}"
        self.lines.append(f"{name} = {text}")
        return Tile(name, value.astype(np.float32), rows_with_values)

    def pick(self, tiles):
        return self.random.choice(tiles[-5:] if self.random.random() < 0.6 else tiles)

    def join(self, tiles, rows):
        kinds = [tile.rows_with_values for tile in tiles if tile.shape[0] == rows]
        return next((kind for kind in ("valid", "unknown") if kind in kinds), "all")

    # Inputs and outputs

    def parameter(self, name, type_, argument):
        self.parameters.append(f"{name}: {type_}")
        self.arguments.append(argument)

    def array(self, name, type_, values):
        numbers = ",".join(f"{number:.9g}" for number in values.ravel())
        self.parameter(name, f"!tile.array<{type_}xf32>", f"values:{numbers}:{'x'.join(map(str, values.shape))}xf32")

    def load(self, place, operands, value):
        rows = "valid" if "span" in place else "all"
        whole = np.full((self.rows, value.shape[1]), np.nan) if rows == "valid" else value
        whole[: value.shape[0]] = value
        type_ = Tile("", whole, rows).type
        return self.add(f"tile.load {place} : ({operands}) -> {type_}", whole, rows)

    def load_inputs(self):
        cols, span = self.cols, f"!tile.span<{self.rows}>"

        def uniform(*shape):
            return self.numbers.uniform(-2, 2, shape).astype(np.float32)

        x, c, s, r = uniform(2, self.valid, cols), uniform(self.valid), uniform(self.valid, 3), uniform(cols)
        self.array("%X", f"?x?x{cols}", x)
        self.array("%C", "?", c)
        self.array("%S", "?x3", s)
        self.array("%R", f"{cols}", r)
        for name in ("%s0", "%s1"):
            self.parameter(name, "f32", f"f32:{SCALARS[name]}")
        for name in ("two", "three"):
            self.lines.append(f"%{name} = arith.constant {SCALARS['%' + name]} : f32")
        for number in range(0, 128, 16):
            self.lines.append(f"%c{number} = arith.constant {number} : index")
        for number in range(1, 4):
            self.lines.append(f"%c{number} = arith.constant {number} : index")
        self.lines.append("%T = tile.dim %C, 0 : !tile.array<?xf32>")
        self.lines.append(f"%t = tile.make_span %c0 to %T : {span}")
        rows = f"!tile.array<?x?x{cols}xf32>, index, {span}"
        return [
            self.load("%X[%c0, %t span, :]", rows, x[0]),
            self.load("%X[%c1, %t span, :]", rows, x[1]),
            self.load("%C[%t span]", f"!tile.array<?xf32>, {span}", c[:, None]),
            self.load("%S[%t span, %c1]", f"!tile.array<?x3xf32>, {span}, index", s[:, 1:2]),
            self.load("%R[:]", f"!tile.array<{cols}xf32>", r[None]),
            self.load("%R[%c1]", f"!tile.array<{cols}xf32>, index", r[None, 1:2]),
        ]

    def store_some(self, tiles):
        span = f"!tile.span<{self.rows}>"
        for number, tile in enumerate(self.random.sample(tiles, min(4, len(tiles)))):
            rows, cols = tile.shape
            expected = tile.value[: self.valid if rows == self.rows else rows]
            if not np.all(np.abs(expected) < 1e18):
                continue
            if rows == self.rows and self.random.random() < 0.5 and cols == 1:
                array, place, operands = "?x1", "[%t span, %c0]", f", {span}, index"
            elif rows == self.rows and cols == 1:
                array, place, operands = "?", "[%t span]", f", {span}"
            elif rows == self.rows:
                array, place, operands = f"?x{cols}", "[%t span, :]", f", {span}"
            else:
                array, place, operands = f"{rows}x{cols}", "[:, :]", ""
            type_ = f"!tile.array<{array}xf32>"
            self.expected[len(self.arguments)] = expected
            sizes = "x".join(map(str, expected.shape[: array.count("x") + 1]))
            self.parameter(f"%O{number}", type_, f"undef:{sizes}xf32")
            self.lines.append(f"tile.store {tile.name}, %O{number}{place} : ({tile.type}, {type_}{operands}) -> ()")

    # Ops

    def splat(self, shape):
        name = self.random.choice(sorted(SCALARS))
        value = np.full(shape, SCALARS[name])
        return self.add(f"tile.splat {name} : f32 -> {Tile('', value, 'all').type}", value, "all")

    def combine(self, op, lhs, rhs):
        value = BINARY[op](lhs.value, rhs.value)
        type_ = Tile("", value, "all").type
        rows = self.join((lhs, rhs), value.shape[0])
        return self.add(f"tile.{op} {lhs.name}, {rhs.name} : {lhs.type}, {rhs.type} -> {type_}", value, rows)

    def away_from_zero(self, tile):
        positive = self.add(f"tile.abs {tile.name} : {tile.type}", np.abs(tile.value), tile.rows_with_values)
        half = self.add(f"tile.splat %s0 : f32 -> {ONE}", np.full((1, 1), SCALARS["%s0"]), "all")
        return self.combine("add", positive, half)

    def binary(self, tiles):
        lhs, rhs = self.pick(tiles), self.splat((1, 1)) if self.random.random() < 0.2 else self.pick(tiles)
        if self.random.random() < 0.5:
            lhs, rhs = rhs, lhs
        if any(a != b and 1 not in (a, b) for a, b in zip(lhs.shape, rhs.shape)):
            return []
        op = self.random.choice(sorted(BINARY))
        return [self.combine(op, lhs, self.away_from_zero(rhs) if op == "div" else rhs)]

    def multiply_add(self, tiles):
        other = self.pick(tiles)
        same = [tile for tile in tiles if tile.shape == other.shape]
        factors = same + [tile for tile in tiles if tile.shape == (other.shape[0], 1)]
        product = self.combine("mul", self.random.choice(same), self.random.choice(factors))
        return [self.combine("add", *self.random.sample([product, other], 2))]

    def unary(self, tiles):
        op, tile = self.random.choice(sorted(UNARY)), self.pick(tiles)
        if op != "abs":
            tile = self.away_from_zero(tile)
        return [self.add(f"tile.{op} {tile.name} : {tile.type}", UNARY[op](tile.value), tile.rows_with_values)]

    def reduce(self, tiles):
        tile, axis, kind = self.pick(tiles), self.random.randint(0, 1), self.random.choice(sorted(REDUCE))
        several = axis == 0 and tile.shape[0] > 1
        if several and tile.rows_with_values == "unknown":
            return []
        source = tile.value[: self.valid] if several and tile.rows_with_values == "valid" else tile.value
        value = REDUCE[kind](source.astype(np.float64), axis=axis, keepdims=True)
        type_ = Tile("", value, "all").type
        text = f"tile.reduce {kind} {tile.name} axis {axis} : {tile.type} -> {type_}"
        return [self.add(text, value, tile.rows_with_values if value.shape[0] > 1 else "all")]

    def round(self, tiles):
        tile, kind = self.pick(tiles), self.random.choice(["bf16", "f16"])
        value = round_to_bf16(tile.value) if kind == "bf16" else tile.value.astype(np.float16)
        narrow_type = tile.type.replace("f32", kind)
        narrow = self.add(f"tile.cast {tile.name} : {tile.type} -> {narrow_type}", value, tile.rows_with_values)
        return [self.add(f"tile.cast {narrow.name} : {narrow_type} -> {tile.type}", value, tile.rows_with_values)]

    def part(self, tiles):
        """Takes a part of a tile, changes it and puts it back, there or elsewhere."""
        wholes = [tile for tile in tiles if tile.shape[1] >= 32]
        if not wholes:
            return []
        whole = self.pick(wholes)
        size, rows = self.random.choice([16, 32]), self.random.choice([1, whole.shape[0]])

        def place():
            return 16 * self.random.randint(0, (whole.shape[1] - size) // 16)

        col, kept = place(), whole.rows_with_values if rows == whole.shape[0] else "all"
        value = whole.value[:rows, col : col + size]
        type_ = Tile("", value, kept).type
        part = taken = self.add(f"tile.extract {whole.name}[%c0, %c{col}] : {whole.type} -> {type_}", value, kept)
        for _ in range(self.random.randint(0, 2)):
            part = self.combine(*self.random.choice([("mul", part, self.splat((1, 1))), ("add", part, taken)]))
        if self.random.random() < 0.2:
            part = self.splat(part.shape)
        col = place() if self.random.random() < 0.3 else col
        changed = whole.value.copy()
        changed[:rows, col : col + size] = part.value
        text = f"tile.insert {part.name}, {whole.name}[%c0, %c{col}] : {type_} into {whole.type}"
        return [taken, self.add(text, changed, whole.rows_with_values)]

    def loop(self, tiles, depth):
        """A loop that carries tiles. Its body is written once and computed for every trip."""
        inits = [self.pick(tiles) for _ in range(self.random.randint(1, 3))]
        inits = [self.splat(init.shape) if self.random.random() < 0.3 else init for init in inits]
        trips, stages = self.random.randint(0, 3), self.random.choice(["", " stages 2"])
        self.count += 1
        name, first_line, count = f"%r{self.count}", len(self.lines), self.count
        carried, state = [init.value for init in inits], self.random.getstate()
        for _ in range(max(trips, 1)):
            del self.lines[first_line:]
            self.count = count
            self.random.setstate(state)
            arguments = [Tile(f"{name}_{i}", value, "unknown") for i, value in enumerate(carried)]
            inside = self.grow(tiles + arguments, self.random.randint(1, 5), depth + 1)
            following = [self.pick([tile for tile in inside if tile.shape == init.shape]) for init in inits]
            if trips:
                carried = [tile.value for tile in following]
        types = ", ".join(init.type for init in inits)
        iteration = ", ".join(f"{name}_{i} = {init.name} : {init.type}" for i, init in enumerate(inits))
        head = f"{name}:{len(inits)} = tile.range {name}_n = %c0 to %c{trips} iter({iteration}){stages} {{"
        self.lines.insert(first_line, head)
        self.lines.append(f"tile.yield {', '.join(tile.name for tile in following)} : {types}")
        self.lines.append("}")
        return [Tile(f"{name}#{i}", value, "unknown") for i, value in enumerate(carried)]

    def grow(self, tiles, ops, depth):
        """Adds ops; returns all tiles that can be used after them."""
        tiles = list(tiles)
        makers = [self.binary] * 4 + [self.multiply_add] * 2 + [self.unary, self.reduce, self.round, self.part]
        for _ in range(ops):
            if depth < 2 and self.random.random() < 0.15:
                tiles += self.loop(tiles, depth)
            else:
                tiles += self.random.choice(makers)(tiles)
        return tiles

    def text(self):
        parameters, body = ", ".join(self.parameters), "\n    ".join(self.lines)
        return f"""module attributes {{machine.target = #machine.target<"Ascend910B4">}} {{
  func.func @kernel({parameters}) attributes {{tile.kernel, launch.limit = 1 : i64}} {{
    {body}
    return
  }}
}}
"""


def run(command, text=None):
    return subprocess.run(command, input=text, text=True, capture_output=True, timeout=SECONDS)


def read_values(output):
    """The printed arguments by number."""
    sections = re.split(r"values of argument (\d+):", output)[1:]
    numbers = [np.array(text.split(), dtype=np.float64) for text in sections[1::2]]
    return dict(zip(map(int, sections[::2]), numbers))


def check(seed, directory):
    with np.errstate(all="ignore"):
        kernel = RandomKernel(seed)
    file = directory / f"kernel-{seed}.mlir"
    file.write_text(kernel.text())
    lowered = directory / f"kernel-{seed}.chip.mlir"
    result = run([TOOLS / "attn-opt", file, "--canonicalize", "--cse", "--attn-ascend", "-o", lowered])
    assert result.returncode == 0, f"{file}: {result.stderr}"
    arguments = [f"--arg={argument}" for argument in kernel.arguments]
    printed = [f"--print={number}" for number in kernel.expected]
    result = run([TOOLS / "attn-sim", lowered, *arguments, *printed])
    assert result.returncode == 0, f"{file}: {result.stderr}"
    values = read_values(result.stdout)
    for number, expected in kernel.expected.items():
        actual = values[number].reshape(expected.shape)
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4, err_msg=f"{file}, argument {number}")


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_kernels(shard, tmp_path):
    for number in range(KERNELS_PER_SHARD):
        check(SEED + shard * KERNELS_PER_SHARD + number, tmp_path)
