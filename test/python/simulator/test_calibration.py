"""Holds the timing model of the simulator to published measurements (test/Inputs/calibration.csv).

Not held, because the ascend dialect cannot say it: rows whose inputs bypass L2 (their stores stay there), rows with
L2 reuse, and rows without a shape. All measurements are from an Atlas A2 at 1.85 GHz with 48 vector cores.
"""

import csv
import math
import re
import subprocess

import pytest

from repository import ROOT

SIMULATOR = ROOT / "build/bin/attn-sim"
# The double-buffered add uses all of UB, the part reserved by the compiler included.
CHIP = "Ascend910B1:ub_bytes=196608"

pytestmark = pytest.mark.skipif(not SIMULATOR.is_file(), reason="attn-sim is not built")


def ub(elements, kind):
    return f"memref<{elements}x{kind}, #ascend.space<ub>>"


class Kernel:
    """Text of a kernel under construction."""

    def __init__(self, arguments=""):
        self.arguments = arguments
        self.lines, self.types, self.constants = [], {}, {}

    def add(self, line):
        self.lines.append(line)

    def constant(self, value):
        self.constants[value] = f"  %c{value} = arith.constant {value} : index"
        return f"%c{value}"

    def buffer(self, name, address, elements, kind):
        self.types[name] = ub(elements, kind)
        self.add(f'%{name} = ascend.alloc "{name}" at {address} : {self.types[name]}')

    def vector(self, op, *operands, count):
        names = ", ".join("%" + name for name in operands)
        types = ", ".join(self.types.get(name, "f32") for name in operands)
        self.add(f"ascend.{op} {names} count({self.constant(count)}) : {types}")
        self.add("ascend.barrier v")

    def reduce(self, op, operands, repeats, strides):
        names, types = ", ".join("%" + n for n in operands), ", ".join(self.types[n] for n in operands)
        self.add(f"ascend.{op} {names} mask 64 repeat({self.constant(repeats)}) strides {strides} : {types}")
        self.add("ascend.barrier v")

    def text(self):
        body = "\n  ".join(self.lines)
        constants = "\n".join(self.constants.values())
        head = f"func.func @kernel({self.arguments}) attributes {{ascend.kernel}} {{"
        return f"{head}\n{constants}\n  {body}\n  ascend.barrier all\n  return\n}}\n"


def run(kernel, *arguments):
    command = [SIMULATOR, "-", f"--soc={CHIP}", "--timing-only", *arguments]
    command = [str(word) for word in command]
    done = subprocess.run(command, input=kernel.text(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    find = lambda pattern: float(re.search(pattern, done.stdout).group(1))  # noqa: E731
    return {"cycles": find(r"device: ([\d.]+) cycles"), "us": find(r"predicted time: ([\d.]+) us")}


def per_step(build):
    """Cycles that one more step takes, in the middle of many."""
    few, many = (run(build(steps))["cycles"] for steps in (20, 120))
    return (many - few) / 100


def vector(op, type, repeats, sources):
    """One op again and again, each after a barrier."""
    lanes = {"f32": 64, "f16": 128}[type]
    after = (repeats * 256 + 511) // 512 * 512  # in the bank of the first source
    # Sources 256 B apart modulo 512 B do not meet. A destination in another 64 KiB meets no source, nor one that
    # starts in the bank of a source; shifted from there by a block it does.
    first, second, result = {
        "apart": (0, after + 256, 131072),
        "same_group": (0, after, 131072),
        "read_write": (0, 65536 + 256, after + 32),
        "same_bank": (0, 65536 + 256, after),
        "in_place": (0, after + 256, after + 256),
    }[sources]

    def build(steps):
        kernel = Kernel()
        elements = repeats * lanes
        for name, address in (("a", first), ("b", second), ("d", result)):
            kernel.buffer(name, address, elements, type)
        for _ in range(steps):
            kernel.vector(f"binary {op}", "d", "a", "b", count=elements)
        return kernel

    return per_step(build)


def gelu(repeats):
    """x / (1 + exp(a x + b x^3)), eight dependent ops."""
    elements = repeats * 64

    def build(steps):
        kernel = Kernel("%x: f32")
        kernel.buffer("v", 0, elements, "f32")
        kernel.buffer("t", 65536, elements, "f32")
        for _ in range(steps):
            kernel.vector("binary mul", "t", "v", "v", count=elements)
            kernel.vector("binary mul", "t", "t", "v", count=elements)
            kernel.vector("scalar muls", "t", "t", "x", count=elements)
            kernel.vector("binary add", "t", "t", "v", count=elements)
            kernel.vector("scalar muls", "t", "t", "x", count=elements)
            kernel.vector("unary exp", "t", "t", count=elements)
            kernel.vector("scalar adds", "t", "t", "x", count=elements)
            kernel.vector("binary div", "t", "v", "t", count=elements)
        return kernel

    few, many = (run(build(steps), "--arg=f32:1")["cycles"] for steps in (2, 12))
    return (many - few) / 10


def reduction(elements):
    """What summing by whole reductions alone takes more than a tree of additions."""

    def whole(steps):
        kernel = Kernel()
        kernel.buffer("a", 0, 32768, "f32")
        kernel.buffer("b", 131072, 512, "f32")
        for _ in range(steps):
            left, names = elements, ["a", "b"]
            while left > 1:
                repeats = -(-left // 64)
                for begin in range(0, repeats, 255):
                    kernel.reduce("whole_reduce sum", names[::-1], min(255, repeats - begin), "[1, 1, 8]")
                left = repeats
                names.reverse()
        return kernel

    def tree(steps):
        kernel = Kernel()
        kernel.buffer("a", 0, 32768, "f32")
        kernel.buffer("b", 131072, 16, "f32")
        halves = []
        left = elements
        while left > 64:
            left = math.ceil(left / 128) * 64
            halves.append(left)
        for half in halves:
            whole, part = ub(32768, "f32"), ub("?", "f32")
            kernel.add(f"%s{half} = ascend.slice %a[{kernel.constant(half)}] : {whole} -> {part}")
            kernel.types[f"s{half}"] = part
        for _ in range(steps):
            for half in halves:
                kernel.vector("binary add", "a", "a", f"s{half}", count=half)
            kernel.reduce("whole_reduce sum", ["b", "a"], 1, "[1, 1, 8]")
        return kernel

    return per_step(whole) - per_step(tree)


def copies(size, pitch, rows, columns, sweeps):
    """Every core loads its rows of a matrix, `rows` by `columns` at a time, and does nothing with them."""
    array, place = "memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>", "memref<?xf16, #ascend.space<gm>>"
    kernel = Kernel(f"%m: {array}")
    kernel.buffer("b", 0, rows * columns, "f16")
    zero, one, height, width = (kernel.constant(value) for value in (0, 1, rows, columns))
    share, end, turns = (kernel.constant(value) for value in (size // 48, size, sweeps))
    kernel.add(f"%pitch = ascend.stride %m, 0 : {array}")
    kernel.add("%id = ascend.block_id")
    kernel.add(f"%first = arith.muli %id, {share} : index")
    kernel.add(f"%last = arith.addi %first, {share} : index")
    kernel.add(f"scf.for %s = {zero} to {turns} step {one} {{")
    kernel.add(f"scf.for %r = %first to %last step {height} {{")
    kernel.add(f"scf.for %k = {zero} to {end} step {width} {{")
    kernel.add(f"%p = ascend.address %m[%r, %k] : {array} -> {place}")
    form = f"rows({height}) length({width}) src_pitch(%pitch) dst_pitch {columns} right_pad 0"
    kernel.add(f"ascend.copy_in %b, %p {form} : {kernel.types['b']}, {place}")
    kernel.add("} } }")
    return run(kernel, f"--arg=undef:{size}x{size}xf16@{pitch},1", "--blocks=48")["us"]


def add(cores, kib, stages):
    """The devkit's add example: two loads, one Add, one store per tile; `stages` buffers of each."""
    elements, total = kib * 512, 8192 * 8192
    array = "memref<?xf16, #ascend.space<gm>>"
    kernel = Kernel(f"%x: {array}, %y: {array}, %z: {array}")
    for index, name in enumerate("xyz"):
        kernel.types["b" + name] = f"memref<{stages}x{elements}xf16, #ascend.space<ub>>"
        kernel.add(f'%b{name} = ascend.alloc "{name}" at {index * stages * kib * 1024} : {kernel.types["b" + name]}')
    one = ub(elements, "f16")
    unit, size = kernel.constant(1), kernel.constant(elements)
    tiles, count, depth = kernel.constant(total // elements), kernel.constant(cores), kernel.constant(stages)

    def flags(kind, source, target, first, number=1):
        for event in range(first, first + number):
            slot = f" slot(%parity) of {stages}" if stages > 1 else ""
            kernel.add(f"ascend.{kind}_flag {source} to {target} event {event * stages}{slot}")

    def around(kind):
        for slot in range(stages):
            for source, target, number in (("v", "mte2", 2), ("mte3", "v", 1)):
                for event in range(number):
                    kernel.add(f"ascend.{kind}_flag {source} to {target} event {event * stages + slot}")

    kernel.add("%id = ascend.block_id")
    around("set")
    kernel.add(f"scf.for %i = %id to {tiles} step {count} {{")
    kernel.add(f"%turn = arith.divui %i, {count} : index")
    kernel.add(f"%parity = arith.remui %turn, {depth} : index")
    kernel.add(f"%at = arith.muli %i, {size} : index")
    for name in "xyz":
        kernel.add(f"%{name}s = ascend.slot %b{name}[%parity] : {kernel.types['b' + name]} -> {one}")
        kernel.add(f"%{name}p = ascend.address %{name}[%at] : {array} -> {array}")
    for event, name in enumerate("xy"):
        flags("wait", "v", "mte2", event)
        form = f"rows({unit}) length({size}) src_pitch({size}) dst_pitch {elements} right_pad 0"
        kernel.add(f"ascend.copy_in %{name}s, %{name}p {form} : {one}, {array}")
        flags("set", "mte2", "v", event)
    flags("wait", "mte2", "v", 0, 2)
    flags("wait", "mte3", "v", 0)
    kernel.add(f"ascend.binary add %zs, %xs, %ys count({size}) : {one}, {one}, {one}")
    flags("set", "v", "mte2", 0, 2)
    flags("set", "v", "mte3", 0)
    flags("wait", "v", "mte3", 0)
    form = f"rows({unit}) length({size}) dst_pitch({size}) src_pitch {elements}"
    kernel.add(f"ascend.copy_out %zp, %zs {form} : {array}, {one}")
    flags("set", "mte3", "v", 0)
    kernel.add("}")
    around("wait")
    arrays = [f"--arg=undef:{total}xf16"] * 3
    return run(kernel, *arrays, f"--blocks={cores}")["us"]


def published():
    with (ROOT / "test/Inputs/calibration.csv").open() as file:
        for row in csv.DictReader(file):
            yield pytest.param(row, id=row["test"] + " " + row["parameters"])


@pytest.mark.parametrize("row", list(published()))
def test_prediction_is_near_the_measurement(row):
    parameters = dict(word.split("=") for word in row["parameters"].split())
    parameters = {name: int(value) if value.isdigit() else value for name, value in parameters.items()}
    predicted = globals()[row["test"]](**parameters)
    measured = float(row["published"])
    error = predicted / measured - 1
    print(f"{predicted:.1f} {row['unit']} predicted, {measured} published: {error:+.1%}")
    assert abs(error) <= float(row["tolerance"])
