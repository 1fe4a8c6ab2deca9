"""What chip IR and HIVM text ask of one core, instruction by instruction, read from the texts alone.

A small interpreter of both: it follows loops and index arithmetic for given sizes and block ids, and notes for every
instruction which memory it names, by address, sizes and strides, and every flag and barrier. It computes no tile.
Instructions of both texts are noted in the same words (those of HIVM), so that the traces of a kernel can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from ir_interpreter import NAME, Interpreter, operand_names, parse_functions, split

BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i32": 4, "i64": 8}


ALIGNMENT = {"ub": 32, "l1": 32, "l0a": 512, "l0b": 512, "l0c": 1024, "bt": 64}
"""Of addresses, and so of slots, in bytes."""
SPACES = {"#gm": "gm", "#ub": "ub", "#cbuf": "l1", "#cc": "l0c"}


class View(NamedTuple):
    """Memory that an instruction names. Dimensions of one element have no stride that matters."""

    space: str
    base: object
    """In a local memory the byte, in GM the array: its number among the kernel's arrays, or (number, entry) of a table."""
    offset: int
    """Elements from the start of the array; 0 in UB."""
    dims: tuple
    """(size, stride) of each dimension that has more than one element."""
    element: str


def view(space: str, base, offset: int, sizes, strides, element: str):
    if 0 in sizes:
        return View(space, None, 0, (0,), element)  # nothing is touched
    dims = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1]
    if len(dims) == 2 and dims[0][1] == dims[1][0] * dims[1][1]:
        dims = [(dims[0][0] * dims[1][0], dims[1][1])]  # rows without a gap are one run
    return View(space, base, offset, tuple(dims), element)


@dataclass
class Array:
    """An array argument, or an entry of one that is a table: that lacks the first dimension."""

    number: int
    entry: int | None
    dropped: int
    dims: list
    element: str

    @property
    def base(self):
        return self.number if self.entry is None else (self.number, self.entry)


def _element_of(memref: str):
    return re.search(r"x?(bf16|f\d+|i\d+)[,>]", memref)[1]


class AscendInterpreter(Interpreter):
    """Chip IR, as `--emit=ascend` prints it."""

    def bind_argument(self, name, text):
        dims = re.search(r"launch\.dims = \[(.*?)\]", text)
        if not dims:
            self.values[name] = name[1:] if "f32" in text else self.size(name[1:])
            return
        named = [word.strip().strip('"').split(" ")[0] for word in dims[1].split(",")]
        self.values[name] = Array(len(self.arrays), None, 0, named, _element_of(text))
        self.arrays.append(name)

    def index(self, word: str):
        return self.values[word] if word.startswith("%") else int(word)

    def run_op(self, name: str, text: str):
        handler = getattr(self, name.removeprefix("ascend."), None)
        if not name.startswith("ascend.") or handler is None:
            raise ValueError(f"chip IR has an unknown op: {text}")
        return handler(text)

    def dim(self, text):
        array, dimension = re.match(rf"ascend\.dim ({NAME}), (\d+)", text).groups()
        array = self.values[array]
        word = array.dims[int(dimension) + array.dropped]
        return self.blocks if word == "@blocks" else int(word) if word.isdecimal() else self.size(word)

    def stride(self, text):
        array, dimension = re.match(rf"ascend\.stride ({NAME}), (\d+)", text).groups()
        return self.get_stride(self.values[array], int(dimension))

    def get_stride(self, array, dimension):
        if dimension + array.dropped == len(array.dims) - 1:
            return 1
        return self.stride_of(array.number, dimension + array.dropped)

    def lookup(self, text):
        table, index = re.match(rf"ascend\.lookup ({NAME})\[({NAME})\]", text).groups()
        table = self.values[table]
        return Array(table.number, self.values[index], 1, table.dims, table.element)

    def address(self, text):
        array, indices = re.match(rf"ascend\.address ({NAME})\[(.*?)\]", text).groups()
        array = self.values[array]
        positions = [self.values[name] for name in indices.split(", ")]
        offset = sum(position * self.get_stride(array, number) for number, position in enumerate(positions))
        return ("gm", array.base, offset, array.element)

    def block_id(self, text):
        return self.block

    def block_count(self, text):
        return self.blocks

    def alloc(self, text):
        match = re.match(
            r"ascend\.alloc \".*?\" at (\d+).*? : memref<(?:(\d+)x)?(\d+)x(\w+), #ascend\.space<(\w+)>", text
        )
        pitch = -(-int(match[3]) * BYTES[match[4]] // ALIGNMENT[match[5]]) * ALIGNMENT[match[5]]
        return (match[5], int(match[1]), match[4], pitch, int(match[3]))

    def slot(self, text):
        buffer, index = re.match(rf"ascend\.slot ({NAME})\[({NAME})\]", text).groups()
        space, start, element, pitch, elements = self.values[buffer]
        return (space, start + self.values[index] * pitch, element, pitch, elements)

    def slice(self, text):
        buffer, offset = re.match(rf"ascend\.slice ({NAME})\[({NAME})\]", text).groups()
        space, start, element, pitch, elements = self.values[buffer]
        offset = self.values[offset]
        return (space, start + offset * BYTES[element], element, pitch, elements - offset)

    def ub(self, name: str, sizes, strides):
        _, start, element, _, _ = self.values[name]
        return view("ub", start, 0, sizes, strides, element)

    def whole(self, name: str):
        return self.ub(name, [self.values[name][4]], [1])

    def gm(self, name: str, sizes, strides):
        _, base, offset, element = self.values[name]
        return view("gm", base, offset, sizes, strides, element)

    def number(self, text: str, key: str):
        value = re.search(rf"\b{key}\s*\(?({NAME}|\d+)\)?", text)[1]
        return self.index(value)

    def copy_in(self, text):
        self.copy_rows(text, "load", "src_pitch", "dst_pitch")

    def copy_out(self, text):
        self.copy_rows(text, "store", "dst_pitch", "src_pitch")

    def copy_rows(self, text, name, far, near):
        dst, src = operand_names(text)[:2]
        sizes = [self.number(text, "rows"), self.number(text, "length")]
        array = self.gm(src if name == "load" else dst, sizes, [self.number(text, far), 1])
        local = self.ub(dst if name == "load" else src, sizes, [self.number(text, near), 1])
        if array.dims == (0,) or local.dims == (0,):
            return
        self.note(name, array, local)

    def elementwise(self, text, name, count: int, scalar: bool = False):
        """The first `count` operands are buffers, destination first."""
        operands = operand_names(text)
        if " mask " in text:
            mask, repeat = self.number(text, "mask"), self.number(text, "repeat")
            strides = [int(word) for word in re.search(r"strides \[(.*?)\]", text)[1].split(",")]
            assert all(stride == 1 for stride in strides[:count]), text
            views = [
                self.ub(name, [repeat, mask], [strides[count + at] * 32 // BYTES[self.values[name][2]], 1])
                for at, name in enumerate(operands[:count])
            ]
        else:
            amount = self.number(text, "count")
            views = [self.ub(name, [amount], [1]) for name in operands[:count]]
        if views[0].dims == (0,):
            return
        self.note(name, *views[1:], *([self.values[operands[count]]] if scalar else []), views[0])

    def unary(self, text):
        self.elementwise(text, "v" + text.split()[1], 2)

    def binary(self, text):
        self.elementwise(text, "v" + text.split()[1], 3)

    def scalar(self, text):
        self.elementwise(text, "v" + text.split()[1].removesuffix("s"), 2, scalar=True)

    def cast(self, text):
        mode = {"none": "rint"}.get(text.split()[1], text.split()[1])
        self.elementwise(text, f"vcast {mode}", 2)

    def duplicate(self, text):
        self.elementwise(text, "vbrc", 1, scalar=True)

    def copy(self, text):
        self.elementwise(text, "copy", 2)

    def row_reduce(self, text):
        dst, src, scratch = operand_names(text)[:3]
        rows, cols, pitch = (self.number(text, key) for key in ("rows", "cols", "pitch"))
        # Templates for rows of up to a repeat take no scratch, but for few elements, an even number.
        takes_scratch = cols > 64 or cols in (2, 4, 6)
        self.note(f"vreduce {text.split()[1]}", self.ub(src, [rows, cols], [pitch, 1]), self.ub(dst, [rows], [1]),
                  *([("scratch", self.whole(scratch))] if takes_scratch else []))  # fmt: skip

    def row_binary(self, text):
        dst, src, column, scratch = operand_names(text)[:4]
        rows, pitch = self.number(text, "rows"), self.number(text, "pitch")
        sizes, strides = [rows, pitch], [pitch, 1]
        self.note(f"v{text.split()[1]}", self.ub(src, sizes, strides), self.ub(column, [rows], [1]),
                  self.ub(dst, sizes, strides), ("scratch", self.whole(scratch)))  # fmt: skip

    def col_binary(self, text):
        dst, src, row = operand_names(text)[:3]
        rows, pitch = self.number(text, "rows"), self.number(text, "pitch")
        sizes, strides = [rows, pitch], [pitch, 1]
        self.note(f"v{text.split()[1]}", self.ub(src, sizes, strides), self.ub(row, [pitch], [1]),
                  self.ub(dst, sizes, strides))  # fmt: skip

    # Cube cores. A matrix in fractals is its memory, its place and the rows that a column block has room for.

    def nd_to_nz(self, text):
        dst, src = operand_names(text)[:2]
        sizes = [self.number(text, "rows"), self.number(text, "cols")]
        array = self.gm(src, sizes, [self.number(text, "src_pitch"), 1])
        if array.dims != (0,):
            self.note("nd2nz", array, (*self.values[dst][:2], self.number(text, "dst_rows")))

    def fill(self, text):
        dst, scalar = operand_names(text)[:2]
        space, start, element, _, _ = self.values[dst]
        value = self.values[scalar]
        if element == "i32" and value == 0:  # HIVM has no template for i32: zeros are written as f32
            element, value = "f32", "0.000000e+00"
        repeat, blocks, pitch = (self.number(text, key) for key in ("repeat", "blocks", "pitch"))
        for number in range(repeat if blocks else 0):
            run = view(space, start + number * pitch * 32, 0, [blocks * 32 // BYTES[element]], [1], element)
            self.note("vbrc", value, run)

    def matmul(self, text):
        dst, a, b = operand_names(text)[:3]
        m, n, k = (self.number(text, key) for key in "mnk")
        left, right = re.search(r"rows \[(\d+), (\d+)\]", text).groups()
        turned = ("transpose_a" in text, "transpose_b" in text)
        sums = (*self.values[dst][:2], -(-m // 16) * 16)
        factors = (*self.values[a][:2], int(left)), (*self.values[b][:2], int(right))
        bias = re.search(rf"bias\(({NAME}) ", text)
        row = (*self.values[bias[1]][:2], 1) if bias else None
        self.note("mmadL1", turned, bool(self.number(text, "init")), *factors, sums, (m, k, n), row)

    def fix_out(self, text):
        dst, src = operand_names(text)[:2]
        sizes = [self.number(text, "rows"), self.number(text, "cols")]
        array = self.gm(dst, sizes, [self.number(text, "dst_pitch"), 1])
        if array.dims != (0,):
            room = self.number(text, "computed" if " computed(" in text else "src_rows")
            sums = (*self.values[src][:2], room)
            self.note("fixpipe", sums, array, " relu " in text)

    def flag(self, name, text):
        match = re.match(rf"ascend\.\w+ (\w+) to (\w+) event (\d+)(?: slot\(({NAME})\))?", text)
        slot = self.values[match[4]] if match[4] else 0
        self.note(name, match[1], match[2], int(match[3]) + slot)

    def set_flag(self, text):
        self.flag("set_flag", text)

    def wait_flag(self, text):
        self.flag("wait_flag", text)

    def barrier(self, text):
        self.note("barrier", text.split()[1])

    def sync_all(self, text):
        self.note("barrier", "all")
        self.note("meet: set")
        self.note("meet: wait")


class HIVMInterpreter(Interpreter):
    """HIVM, as `--emit=hivm` prints it."""

    def bind_argument(self, name, text):
        memory = re.match(r"memref<\?x(\w+), #gm>", text)
        stride = re.fullmatch(r"(%.*)_stride(\d+)", name)
        if memory:
            self.values[name] = ("gm", len(self.arrays), 0, (1,), (1,), memory[1])
            self.arrays.append(name)
        elif stride and stride[1] in self.arrays:
            self.values[name] = self.stride_of(self.arrays.index(stride[1]), int(stride[2]))
        else:
            self.values[name] = name[1:] if text.startswith("f32") else self.size(name[1:])

    def run_op(self, name: str, text: str):
        if name == "memref.load":
            table, index = re.match(rf"memref\.load ({NAME})\[({NAME})\]", text).groups()
            return ("entry", self.values[table][1], self.values[index])
        if name in ("memref.reinterpret_cast", "memref.subview"):
            return getattr(self, name.removeprefix("memref."))(text)
        word = re.match(r"hivm\.hir\.(\w+)", text)
        if not word:
            raise ValueError(f"HIVM text has an unknown op: {text}")
        return getattr(self, word[1], lambda text: self.arithmetic(word[1], text))(text)

    def list_of(self, text: str):
        return [self.values[word] if word.startswith("%") else int(word) for word in split(text)]

    def pointer_cast(self, text):
        address, sizes, memref = re.match(
            rf"hivm\.hir\.pointer_cast\(({NAME})\)(?: \[(.*?)\])? : memref<(.*)>$", text
        ).groups()
        address = self.values[address]
        parts = split(memref)
        *shape, element = parts[0].split("x")
        given = iter(self.list_of(sizes or ""))
        shape = [next(given) if size == "?" else int(size) for size in shape]
        if isinstance(address, tuple):
            return ("gm", address[1:], 0, shape, [1], element)
        strides = re.search(r"strided<\[(.*?)\]", memref)
        strides = [int(word) for word in strides[1].split(",")] if strides else [*shape[1:], 1]
        return (SPACES[parts[-1]], address, 0, shape, strides, element)

    def reinterpret_cast(self, text):
        source, *lists = re.match(
            rf"memref\.reinterpret_cast ({NAME}) to offset: \[(.*?)\], sizes: \[(.*?)\], strides: \[(.*?)\] :", text
        ).groups()
        offset, sizes, strides = map(self.list_of, lists)
        space, base, _, _, _, element = self.values[source]
        return (space, base, offset[0], sizes, strides, element)

    def subview(self, text):
        source, *lists = re.match(rf"memref\.subview ({NAME})\[(.*?)\] \[(.*?)\] \[(.*?)\] :", text).groups()
        offsets, sizes, steps = map(self.list_of, lists)
        assert not any(offsets) and all(step == 1 for step in steps), text
        space, base, offset, most, strides, element = self.values[source]
        assert all(size <= limit for size, limit in zip(sizes, most)), f"{text}: {sizes} of {most}"
        return (space, base, offset, sizes, strides, element)

    def get_block_idx(self, text):
        return self.block

    def get_block_num(self, text):
        return self.blocks

    def set_mask_norm(self, text):
        pass

    set_ffts_base_addr = set_mask_norm

    def memory(self, name):
        return view(*self.values[name])

    def operands_of(self, text, word):
        found = re.search(rf"\b{word}\((.*?) : ", text)
        names = found[1].split(", ") if found else []
        return [self.memory(name) if isinstance(self.values[name], tuple) else self.values[name] for name in names]

    def load(self, text):
        self.note_unless_empty("load", *self.operands_of(text, "ins"), *self.operands_of(text, "outs"))

    def store(self, text):
        self.note_unless_empty("store", *self.operands_of(text, "outs"), *self.operands_of(text, "ins"))

    def fractals(self, name):
        space, address, _, shape, _, _ = self.values[name]
        return (space, address, shape[1] * shape[2])

    def nd2nz(self, text):
        array, matrix = re.search(rf"ins\(({NAME}) .* outs\(({NAME}) ", text).groups()
        self.note_unless_empty("nd2nz", self.memory(array), self.fractals(matrix))

    def mmadL1(self, text):
        a, b, init, *sizes = re.search(r"ins\((.*?) : ", text)[1].split(", ")
        turned = ("a_transpose" in text, "b_transpose" in text)
        sums = self.fractals(re.search(rf"outs\(({NAME}) ", text)[1])
        row = self.fractals(sizes.pop()) if len(sizes) == 4 else None
        sizes = tuple(self.values[name] for name in sizes)
        self.note("mmadL1", turned, bool(self.values[init]), self.fractals(a), self.fractals(b), sums, sizes, row)

    def fixpipe(self, text):
        matrix, array = re.search(rf"ins\(({NAME}) .* outs\(({NAME}) ", text).groups()
        self.note_unless_empty("fixpipe", self.fractals(matrix), self.memory(array), "NORMAL_RELU" in text)

    def note_unless_empty(self, *event):
        if not any(isinstance(part, View) and part.dims == (0,) for part in event):
            self.note(*event)

    def arithmetic(self, name, text):
        mode = re.search(r"round_mode = <(\w+)>", text) or re.match(r"hivm\.hir\.vreduce <(\w+)>", text)
        scratch = [("scratch", part) for part in self.operands_of(text, "temp_buffer")]
        sources, outputs = self.operands_of(text, "ins"), self.operands_of(text, "outs")
        self.note_unless_empty(f"{name} {mode[1]}" if mode else name, *sources, *outputs, *scratch)

    def flag(self, name, text):
        source, target, event = re.match(r"hivm\.hir\.\w+\[<PIPE_(\w+)>, <PIPE_(\w+)>, (.*)\]", text).groups()
        number = self.values[event] if event.startswith("%") else int(re.fullmatch(r"<EVENT_ID(\d)>", event)[1])
        self.note(name, source.lower(), target.lower(), number)

    def set_flag(self, text):
        self.flag("set_flag", text)

    def wait_flag(self, text):
        self.flag("wait_flag", text)

    def pipe_barrier(self, text):
        self.note("barrier", re.search(r"PIPE_(\w+)", text)[1].lower())

    def sync_block_set(self, text):
        assert "[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9 ffts_base_addr = %ffts" in text, text
        assert "sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>" in text, text
        self.note("meet: set")

    def sync_block_wait(self, text):
        assert "[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 9" in text, text
        self.note("meet: wait")


TASK_TYPE = "_infer_task_type_function"
"""The end of the names of functions that run on the host."""


def traces(text: str, interpreter, sizes: dict, block: int, blocks: int):
    """The trace of one core for every kernel of a text, by name."""
    found = {}
    for name, (arguments, statements) in parse_functions(text).items():
        if not name.endswith(("_grid", TASK_TYPE)):
            found[name] = interpreter(sizes, block, blocks).run(arguments, statements)
    return found
