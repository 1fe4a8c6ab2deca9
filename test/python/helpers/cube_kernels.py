"""Kernels of cube cores in chip IR as published measurements describe them: products of matrices and plain copies."""

from dataclasses import dataclass

_GM = "memref<?x{}, #ascend.space<gm>>"
_ARRAY = "memref<?x?x{}, strided<[?, 1]>, #ascend.space<gm>>"


def _space(elements, kind, space, slots=1):
    count = f"{slots}x{elements}" if slots > 1 else elements
    return f"memref<{count}x{kind}, #ascend.space<{space}>>"


class _Text:
    """Lines of a kernel, with constants made where they are used first."""

    def __init__(self):
        self.lines, self.constants, self.names = [], {}, 0

    def add(self, line):
        self.lines.append("  " + line)

    def constant(self, value):
        self.constants.setdefault(value, f"%c{value}")
        return f"%c{value}"

    def value(self, op, *operands, type="index"):
        """The name of a new value."""
        self.names += 1
        words = [word if isinstance(word, str) else self.constant(word) for word in operands]
        self.add(f"%v{self.names} = {op} {', '.join(words)} : {type}")
        return f"%v{self.names}"

    def loop(self, name, first, last, step):
        first, last, step = (bound if isinstance(bound, str) else self.constant(bound) for bound in (first, last, step))
        self.add(f"scf.for %{name} = {first} to {last} step {step} {{")
        return f"%{name}"

    def end(self, loops=1):
        for _ in range(loops):
            self.add("}")

    def text(self, arguments):
        head = (
            f"func.func @kernel({arguments}) attributes {{ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>}} {{"
        )
        constants = [f"  {name} = arith.constant {value} : index" for value, name in self.constants.items()]
        return "\n".join([head, *constants, *self.lines, "  ascend.barrier all", "  return", "}", ""])


@dataclass
class _Buffer:
    """A buffer with slots, and the flags between the pipe that fills it and the one that empties it."""

    text: _Text
    name: str
    address: int
    elements: int
    kind: str
    space: str
    slots: int
    filler: str
    user: str
    event: int

    def __post_init__(self):
        self.type = _space(self.elements, self.kind, self.space, self.slots)
        self.one = _space(self.elements, self.kind, self.space)
        self.text.add(f'%{self.name} = ascend.alloc "{self.name}" at {self.address} : {self.type}')

    def take(self, turn):
        """The slot of a turn: its memory, and the words that flags name it by."""
        if self.slots == 1:
            return f"%{self.name}", ""
        slot = self.text.value("arith.remui", turn, self.slots)
        self.text.names += 1
        place = f"%v{self.text.names}"
        self.text.add(f"{place} = ascend.slot %{self.name}[{slot}] : {self.type} -> {self.one}")
        return place, f" slot({slot}) of {self.slots}"

    def flag(self, word, source, target, slot=""):
        self.text.add(f"ascend.{word}_flag {source} to {target} event {self.event}{slot}")

    def around(self, word):
        """Before the first turn all slots are free; after the last one they are again."""
        for slot in range(self.slots):
            self.text.add(f"ascend.{word}_flag {self.user} to {self.filler} event {self.event + slot}")

    def begin_fill(self, slot):
        self.flag("wait", self.user, self.filler, slot)

    def end_fill(self, slot):
        self.flag("set", self.filler, self.user, slot)

    def begin_use(self, slot):
        self.flag("wait", self.filler, self.user, slot)

    def end_use(self, slot):
        self.flag("set", self.user, self.filler, slot)


@dataclass
class Product:
    """C[m, n] = A[m, k] B[n, k] in f16, with sums in f32; `steps` of the base tile along k per load into L1."""

    m: int
    n: int
    k: int
    cores_m: int
    cores_n: int
    share_m: int = 0
    share_n: int = 0
    base_m: int = 128
    base_n: int = 256
    base_k: int = 64
    steps_a: int = 4
    steps_b: int = 4
    stages: int = 2
    passes: int = 1
    out: str = "f32"

    def write(self):
        """The kernel's text."""
        text = _Text()
        share_m = self.share_m or -(-self.m // self.cores_m)
        share_n = self.share_n or -(-self.n // self.cores_n)
        deep_a, deep_b = self.steps_a * self.base_k, self.steps_b * self.base_k
        bytes_a, bytes_b = self.base_m * deep_a * 2, self.base_n * deep_b * 2
        l1a = _Buffer(text, "left1", 0, bytes_a // 2, "f16", "l1", self.stages, "mte2", "mte1", 0)
        at = self.stages * bytes_a
        l1b = _Buffer(text, "right1", at, bytes_b // 2, "f16", "l1", self.stages, "mte2", "mte1", self.stages)
        l0a = _Buffer(text, "left0", 0, self.base_m * self.base_k, "f16", "l0a", 2, "mte1", "m", 0)
        l0b = _Buffer(text, "right0", 0, self.base_n * self.base_k, "f16", "l0b", 2, "mte1", "m", 2)
        l0c = _Buffer(text, "sums", 0, self.base_m * self.base_n, "f32", "l0c", 1, "m", "fix", 0)
        buffers = (l1a, l1b, l0a, l0b, l0c)
        array, place = _ARRAY.format("f16"), _GM.format("f16")
        out_array, out_place = _ARRAY.format(self.out), _GM.format(self.out)
        part = {name: _space("?", "f16", "l1") for name in "ab"}
        for name, array_type in (("a", array), ("b", array), ("c", out_array)):
            text.add(f"%pitch_{name} = ascend.stride %{name}, 0 : {array_type}")
        text.add("%id = ascend.block_id")
        row = text.value("arith.divui", "%id", self.cores_n)
        column = text.value("arith.remui", "%id", self.cores_n)
        first_n = text.value("arith.muli", column, share_n)
        last_n = text.value("arith.minui", text.value("arith.addi", first_n, share_n), self.n)
        for buffer in buffers:
            buffer.around("set")
        # All cores take one part of the rows of A before the next.
        pass_m, share_m = self.m // self.passes, -(-share_m // self.passes)
        of_pass = text.value("arith.muli", text.loop("pass", 0, self.passes, 1), pass_m)
        first_m = text.value("arith.addi", of_pass, text.value("arith.muli", row, share_m))
        end_m = text.value("arith.addi", of_pass, pass_m)
        last_m = text.value("arith.minui", text.value("arith.addi", first_m, share_m), end_m)
        i = text.loop("i", first_m, last_m, self.base_m)
        j = text.loop("j", first_n, last_n, self.base_n)
        rows = text.value("arith.minui", text.value("arith.subi", last_m, i), self.base_m)
        columns = text.value("arith.minui", text.value("arith.subi", last_n, j), self.base_n)
        c, _ = l0c.take(0)
        l0c.begin_fill("")
        outer = text.loop("ko", 0, self.k, max(deep_a, deep_b))
        # Where both operands are loaded together, both slots are waited for before: the second load follows at once.
        together = self.steps_a == self.steps_b
        if together:
            _, ahead = l1b.take(text.value("arith.divui", outer, deep_b))
            l1b.begin_fill(ahead)
        a, a_slot = self._load(text, l1a, "a", i, outer, deep_a, rows, array, place)
        middle = text.loop("kb", 0, max(deep_a, deep_b), deep_b)
        depth = text.value("arith.addi", outer, middle)
        b, b_slot = self._load(text, l1b, "b", j, depth, deep_b, columns, array, place, waits=not together)
        inner = text.loop("kk", 0, deep_b, self.base_k)
        at_k = text.value("arith.addi", depth, inner)
        step = text.value("arith.divui", at_k, self.base_k)
        in_a = text.value("arith.addi", middle, inner)
        for name, source, offset, l0, extent in (
            ("a", a, in_a, l0a, self.base_m),
            ("b", b, inner, l0b, self.base_n),
        ):
            l1 = l1a if name == "a" else l1b
            to, to_slot = l0.take(step)
            start = text.value("arith.muli", offset, extent)
            text.names += 1
            view = f"%v{text.names}"
            text.add(f"{view} = ascend.slice {source}[{start}] : {l1.one} -> {part[name]}")
            l0.begin_fill(to_slot)
            words = f"rows({text.constant(extent)}) cols({text.constant(self.base_k)}) src_rows {extent}"
            if name == "a":
                text.add(f"ascend.load_tile {to}, {view} {words} : {l0.one}, {part[name]}")
            else:
                fractals = extent * self.base_k // 256
                words = f"repeat({text.constant(fractals)}) strides [1, 1]"
                text.add(f"ascend.load_fractals {to}, {view} {words} : {l0.one}, {part[name]}")
            l0.end_fill(to_slot)
            l0.begin_use(to_slot)
            if name == "a":
                left, left_slot = to, to_slot
        text.names += 1
        is_first = f"%v{text.names}"
        text.add(f"{is_first} = arith.cmpi eq, {at_k}, {text.constant(0)} : index")
        extents = f"m({rows}) n({columns}) k({text.constant(self.base_k)}) init({is_first})"
        text.add(f"ascend.mmad {c}, {left}, {to} {extents} : {l0c.one}, {l0a.one}, {l0b.one}")
        l0a.end_use(left_slot)
        l0b.end_use(to_slot)
        text.end()
        l1b.end_use(b_slot)
        text.end()
        l1a.end_use(a_slot)
        text.end()
        l0c.end_fill("")
        l0c.begin_use("")
        text.add(f"%p = ascend.address %c[{i}, {j}] : {out_array} -> {out_place}")
        words = f"rows({rows}) cols({columns}) dst_pitch(%pitch_c) src_rows {self.base_m}"
        text.add(f"ascend.fix_out %p, {c} {words} : {out_place}, {l0c.one}")
        l0c.end_use("")
        text.end(3)
        for buffer in buffers:
            buffer.around("wait")
        return text.text(f"%a: {array}, %b: {array}, %c: {out_array} {{launch.output}}")

    @staticmethod
    def _load(text, buffer, name, row, depth, deep, rows, array, place, waits=True):
        """Loads part of an operand into its slot of L1, and lets the next pipe have it."""
        turn = text.value("arith.divui", depth, deep)
        memory, slot = buffer.take(turn)
        text.names += 1
        at = f"%v{text.names}"
        text.add(f"{at} = ascend.address %{name}[{row}, {depth}] : {array} -> {place}")
        if waits:
            buffer.begin_fill(slot)
        most = buffer.elements // deep
        words = f"rows({rows}) cols({text.constant(deep)}) src_pitch(%pitch_{name}) dst_rows {most}"
        text.add(f"ascend.nd_to_nz {memory}, {at} {words} : {buffer.one}, {place}")
        buffer.end_fill(slot)
        buffer.begin_use(slot)
        return memory, slot

    def arguments(self):
        """Those of `attn-sim`."""
        shapes = ((self.m, self.k, "f16"), (self.n, self.k, "f16"), (self.m, self.n, self.out))
        arrays = (f"--arg=undef:{rows}x{columns}x{kind}" for rows, columns, kind in shapes)
        return [*arrays, f"--blocks={self.cores_m * self.cores_n}"]


def write_copies_to_l1(size, rows, columns, sweeps, quarters, cores):
    """Every core loads its rows of a matrix into L1, `rows` by `columns` at a time; all of it `sweeps` times, or each of
    its `quarters` so often before the next."""
    text = _Text()
    array, place = _ARRAY.format("f16"), _GM.format("f16")
    one = _space(rows * columns, "f16", "l1")
    share = size // cores // quarters
    text.add(f'%l1 = ascend.alloc "l1" at 0 : {one}')
    text.add(f"%pitch = ascend.stride %m, 0 : {array}")
    text.add("%id = ascend.block_id")
    quarter = text.loop("q", 0, quarters, 1)
    text.loop("s", 0, sweeps, 1)
    part = text.value("arith.addi", text.value("arith.muli", quarter, cores), "%id")
    first = text.value("arith.muli", part, share)
    last = text.value("arith.addi", first, share)
    row = text.loop("r", first, last, rows)
    column = text.loop("k", 0, size, columns)
    text.add(f"%p = ascend.address %m[{row}, {column}] : {array} -> {place}")
    words = f"rows({text.constant(rows)}) cols({text.constant(columns)}) src_pitch(%pitch) dst_rows {rows}"
    text.add(f"ascend.nd_to_nz %l1, %p {words} : {one}, {place}")
    text.end(4)
    return text.text(f"%m: {array}")
