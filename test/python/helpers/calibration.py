"""Published measurements of the chip, and what the model predicts for the same kernels (test/Inputs/calibration.csv).

Kernels of cube cores are written in the language (`published_kernels`), those of vector cores in chip IR. Profilers let a
kernel run before they measure it, so copies to UB and additions have a warm-up here: L2 holds what that left.
Kernels of cube cores do not need it: of copies L2 holds nothing that is read soon, and what products read first is little
beside what they read again. Not held are
the two `24 x 6144x512` and the two `48 x 6144x512` rows, taken with L2 switched off in a way that is not published, and
rows without a shape. All measurements but those that name another chip are from an Atlas A2 at 1.85 GHz with 24 groups.
"""

import csv
import functools
import math
import re
import statistics
import subprocess
from dataclasses import dataclass

from published_kernels import predict_copies, predict_product
from repository import ROOT

SIMULATOR = ROOT / "build/bin/attn-sim"
CSV = ROOT / "test/Inputs/calibration.csv"
# The double-buffered kernels use all of UB and L1, the part reserved by the compiler included.
CHIP = "Ascend910B1:ub_bytes=196608,l1_bytes=524288"


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


@dataclass(frozen=True)
class Prediction:
    """What the report of a run says; `busy` is the busy share of the pipes in per cent of all of the time."""

    cycles: float
    us: float
    busy: dict


def run(text, *arguments, warm_ups=1):
    """Predicts a kernel that is given as text, after so many runs that do not count."""
    command = [str(SIMULATOR), "-", f"--soc={CHIP}", "--timing-only", f"--warm-ups={warm_ups}", *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return read_report(done.stdout)


def read_report(report, part=1):
    """What a report says of a kernel that is `part` times as long."""
    find = lambda pattern: float(re.search(pattern, report).group(1))  # noqa: E731
    cycles, us = find(r"device: ([\d.]+) cycles"), find(r"predicted time: ([\d.]+) us")
    launch_us = us - cycles / find(r": (\d+) MHz")
    cycles, us = part * cycles, part * (us - launch_us) + launch_us
    on_device = 1 - launch_us / us
    shares = re.findall(r"pipe (\w+): busy ([\d.]+)%", report)
    return Prediction(cycles, us, {pipe: float(share) * on_device for pipe, share in shares})


def per_step(build):
    """Cycles that one more step takes, in the middle of many."""
    few, many = (run(build(steps).text()).cycles for steps in (20, 120))
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

    few, many = (run(build(steps).text(), "--arg=f32:1").cycles for steps in (2, 12))
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


def copies(size, pitch, rows, columns, sweeps, quarters=1):
    """Every core loads its rows of a matrix, `rows` by `columns` at a time, and does nothing with them; all of it
    `sweeps` times, or each of its `quarters` so often before the next."""
    array, place = "memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>", "memref<?xf16, #ascend.space<gm>>"
    kernel = Kernel(f"%m: {array}")
    kernel.buffer("b", 0, rows * columns, "f16")
    zero, one, height, width = (kernel.constant(value) for value in (0, 1, rows, columns))
    share, end, turns = (kernel.constant(value) for value in (size // 48 // quarters, size, sweeps))
    cores, parts = kernel.constant(48), kernel.constant(quarters)
    kernel.add(f"%pitch = ascend.stride %m, 0 : {array}")
    kernel.add("%id = ascend.block_id")
    kernel.add(f"scf.for %q = {zero} to {parts} step {one} {{")
    kernel.add(f"%before = arith.muli %q, {cores} : index")
    kernel.add("%part = arith.addi %before, %id : index")
    kernel.add(f"%first = arith.muli %part, {share} : index")
    kernel.add(f"%last = arith.addi %first, {share} : index")
    kernel.add(f"scf.for %s = {zero} to {turns} step {one} {{")
    kernel.add(f"scf.for %r = %first to %last step {height} {{")
    kernel.add(f"scf.for %k = {zero} to {end} step {width} {{")
    kernel.add(f"%p = ascend.address %m[%r, %k] : {array} -> {place}")
    form = f"rows({height}) length({width}) src_pitch(%pitch) dst_pitch {columns} right_pad 0"
    kernel.add(f"ascend.copy_in %b, %p {form} : {kernel.types['b']}, {place}")
    kernel.add("} } } }")
    return run(kernel.text(), f"--arg=undef:{size}x{size}xf16@{pitch},1", "--blocks=48")


def write_add(cores, kib, stages, bypass=0):
    """The devkit's add example: two loads, one Add, one store per tile; `stages` buffers of each."""
    hint = " bypass_l2" if bypass else ""
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
        form = f"rows({unit}) length({size}) src_pitch({size}) dst_pitch {elements} right_pad 0{hint}"
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
    return kernel.text(), [*arrays, f"--blocks={cores}"]


def add(**parameters):
    """The time of that."""
    text, arguments = write_add(**parameters)
    return run(text, *arguments)


def copies_to_l1(rows, columns, pitch=12288, sweeps=1, quarters=1):
    """As `copies`, by cube cores and in the language."""
    return read_report(predict_copies("Ascend910B1", 12288, rows, columns, pitch, sweeps, quarters, cores=24).text)


def product(soc, size=8192, run=1, part=1, **tiling):
    """A product of square matrices in the language; `run` tells apart rows that measured the same kernel. Where tiles
    without any overlap make it long, one of `part` parts of the rows is simulated and multiplied."""
    return read_report(_run_product(soc, size // part, size, **tiling), part)


def _predict_mixed(kernel, *arguments, soc, **options):
    """A kernel of the language that needs cube and vector cores."""
    import attn

    report = attn.simulate(kernel, *arguments, soc=soc, timing_only=True, **options).report
    return Prediction(0, report.time_us, {name.split()[-1]: 100 * share for name, share in report.pipes.items()})


@functools.cache
def flash(length, rows=None):
    """Attention of `rows` (or `length`) query rows over `length` keys with the published schedule: 128 rows, 256 keys, the
    cube core four tiles ahead, rings of eight tiles, a block for every 128 rows. L2 holds what a run before has left, as far
    as that matters."""
    import attn.language as at
    from mixed_kernels import block_attention

    q, k = at.spec(f"{rows or length} 128", at.f16), at.spec(f"{length // 256} 256 128", at.f16)
    schedule = dict(BM=128, preload=4, lag=2, slots=8, run_on=0, blocks=(rows or length) // 128)
    warm_ups = int(length <= 8192)
    return _predict_mixed(block_attention, q, k, k, 1.0, soc="Ascend910B2", warm_ups=warm_ups, **schedule)


def flash_slope(rows):
    """Cycles that 128 rows and 256 keys more take of one group in the middle of many."""
    tiles, mhz = (8192 - 4096) // 256, 1800
    return (flash(8192, rows).us - flash(4096, rows).us) * mhz / tiles


def product_gelu(size, part):
    """A product and GELU of it; one of `part` parts of the rows is simulated and multiplied."""
    import attn.language as at
    from mixed_kernels import gemm_gelu

    a, b = at.spec(f"{size // part} {size}", at.f16), at.spec(f"{size} {size}", at.f16)
    found = _predict_mixed(gemm_gelu, a, b, soc="Ascend910B1", BM=128, BN=256)
    launch_us = 10
    return Prediction(0, part * (found.us - launch_us) + launch_us, found.busy)


@functools.cache
def _run_product(*arguments, **tiling):
    return predict_product(*arguments, **tiling).text


@dataclass(frozen=True)
class Row:
    """A published measurement."""

    test: str
    parameters: str
    published: float
    unit: str
    tolerance: float
    use: str
    busy: dict
    source: str

    def predict(self):
        """(what the model says, busy shares)"""
        words = dict(word.split("=") for word in self.parameters.split())
        given = {name: int(value) if value.isdigit() else value for name, value in words.items()}
        predicted = globals()[self.test](**given)
        return (predicted.us, predicted.busy) if isinstance(predicted, Prediction) else (predicted, {})

    @property
    def name(self):
        return f"{self.test} {self.parameters}"


def read_rows():
    """All published rows that are held."""
    with CSV.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        busy = dict(word.split("=") for word in row.pop("busy").split())
        row |= {key: float(row[key]) for key in ("published", "tolerance")}
        yield Row(**row, busy={pipe: float(share) for pipe, share in busy.items()})


@functools.cache
def predict_all():
    """Each row with its prediction and the relative error."""
    found = []
    for row in read_rows():
        predicted, busy = row.predict()
        found.append((row, predicted, predicted / row.published - 1, busy))
    return found


# What the rows of a test are called in reports.
GROUPS = {
    "vector instructions": ("vector", "gelu", "reduction"),
    "copies to UB": ("copies",),
    "elementwise add": ("add",),
    "copies to L1": ("copies_to_l1",),
    "products": ("product",),
    "mixed kernels": ("flash", "flash_slope", "product_gelu"),
}


def summarise():
    """(group, rows, allowed, median and largest error, the same of the rows that nothing was fitted on) of each group."""
    for group, tests in GROUPS.items():
        rows = [(row, abs(error)) for row, _, error, _ in predict_all() if row.test in tests]
        errors = [error for _, error in rows]
        unseen = [error for row, error in rows if row.use == "not fitted"]
        allowed = max(row.tolerance for row, _ in rows)
        yield group, len(rows), allowed, statistics.median(errors), max(errors), len(unseen), max(unseen)
