"""Executes the linalg form of a kernel, program by program, on PyTorch tensors.

What is not computed is NaN. Programs that meet are stopped there until all have come. Between two meetings, what one of
them writes no other may read or write.
"""

from __future__ import annotations

import math
import operator
import re
import struct

import torch

import generic_mlir

DTYPES = {
    "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i1": torch.bool, "i8": torch.int8,
    "i32": torch.int32, "i64": torch.int64,
}  # fmt: skip
_INTEGERS = {
    "addi": operator.add, "subi": operator.sub, "muli": operator.mul, "minsi": min, "maxsi": max,
    "minui": min, "divui": operator.floordiv, "remui": operator.mod, "ceildivui": lambda a, b: -(-a // b),
    "ceildivsi": lambda a, b: -(-a // b), "floordivsi": operator.floordiv,
}  # fmt: skip
_FLOATS = {
    "arith.addf": torch.add, "arith.subf": torch.sub, "arith.mulf": torch.mul, "arith.divf": torch.div,
    "arith.maximumf": torch.maximum, "arith.minimumf": torch.minimum, "math.exp": torch.exp, "math.log": torch.log,
    "math.sqrt": torch.sqrt, "math.absf": torch.abs,
}  # fmt: skip
_PREDICATES = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
# None of them holds for NaN.
_ORDERED = {
    1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le, 6: lambda a, b: (a < b) | (a > b),
}  # fmt: skip
RACE = "two programs use an element without meeting"
_FOLDS = {"arith.addf": torch.sum, "arith.maximumf": torch.amax, "arith.minimumf": torch.amin}


def shape_of(text: str):
    """Element type and sizes of a tensor or memref, None for sizes that are not known."""
    found = re.match(r"(?:tensor|memref)<((?:[\d?]+x)*)(\w+)", text)
    return DTYPES[found[2]], [None if size == "?" else int(size) for size in found[1].split("x")[:-1]]


def undefined(dtype, sizes):
    if dtype.is_floating_point:
        return torch.full(sizes, math.nan, dtype=dtype)
    return torch.full(sizes, -127 if dtype == torch.int8 else -(2**31) + 1, dtype=dtype)


class Array:
    """Memory that programs share, and the stamps of who wrote and who read an element last."""

    def __init__(self, values):
        self.parts = values, *(torch.full_like(values, -1, dtype=torch.int64) for _ in range(2))

    @property
    def extent(self):
        return self.parts[0].numel()

    def view(self, sizes, strides, offset):
        assert all(size >= 0 for size in sizes), "a view of less than nothing"
        last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        assert 0 in sizes or (offset >= 0 and last < self.extent), "a view beyond the array"
        offset = 0 if 0 in sizes else offset
        return View(*(part.as_strided(sizes, strides, part.storage_offset() + offset) for part in self.parts))


class View:
    """A part of an array."""

    def __init__(self, values, writers, readers):
        self.values, self.writers, self.readers = values, writers, readers

    @property
    def shape(self):
        return self.values.shape

    def element(self, indices):
        assert all(0 <= index < size for index, size in zip(indices, self.shape, strict=True)), "beyond the view"
        return View(self.values[indices], self.writers[indices], self.readers[indices])

    def read(self, program):
        assert not program.others(self.writers).any(), RACE
        self.readers.copy_(torch.where(program.others(self.readers), program.stamp_of_many, program.stamp))
        return self.values

    def write(self, program, values):
        assert not (program.others(self.writers) | program.others(self.readers)).any(), RACE
        self.values.copy_(values)
        self.writers.fill_(program.stamp)


class Program:
    """One program of a launch."""

    def __init__(self, memory, aliases: dict, number: int, programs: int):
        self.memory, self.aliases, self.number, self.programs = memory, aliases, number, programs
        self.phase, self.values = 0, {}

    @property
    def stamp(self):
        """Of what this program does until it meets the others."""
        return self.phase * (self.programs + 1) + self.number

    @property
    def stamp_of_many(self):
        return self.phase * (self.programs + 1) + self.programs

    def others(self, stamps):
        """Which stamps are those of other programs since all have met."""
        return (stamps >= self.phase * (self.programs + 1)) & (stamps != self.stamp)

    def steps(self, function, arguments):
        """Runs the function; yields wherever the program meets others."""
        self.values.update(zip((name for name, _ in function.arguments), arguments, strict=True))
        for op in function.body:
            if op.name == "hivm.hir.sync_block":
                assert "ALL_VECTOR" in op.properties and "PIPE_ALL" in op.properties, op.properties
                yield
                self.phase += 1
            else:
                self.run(op)

    def run_body(self, op, arguments):
        """What the body of an op yields."""
        self.values.update(zip((name for name, _ in op.arguments), arguments, strict=True))
        return self.run_block(op.body)

    def run_block(self, ops):
        for inner in ops[:-1]:
            self.run(inner)
        return [self.values[name] for name in ops[-1].operands] if ops else []

    def run(self, op):
        operands = [self.values[name] for name in op.operands]
        dialect, _, name = op.name.partition(".")
        if op.name in _FLOATS:
            result = _FLOATS[op.name](*operands)
        elif dialect == "arith" and name in _INTEGERS:
            result = self.compute_integers(name, *operands)
        else:
            result = getattr(self, op.name.replace(".", "_"))(op, *operands)
        if op.result and isinstance(result, tuple):
            self.values.update((f"{op.result}#{number}", value) for number, value in enumerate(result))
            result = result[0]
        if op.result:
            self.values[op.result] = result

    @staticmethod
    def compute_integers(name, left, right):
        if isinstance(left, torch.Tensor):
            return {"addi": torch.add, "subi": torch.sub}[name](left, right)
        assert not name.endswith("ui") or (left >= 0 and right > 0), "a negative number as an unsigned one"
        return _INTEGERS[name](left, right)

    # Scalars and whole tensors

    def arith_constant(self, op):
        text = op.get("value")
        if not re.search(r" : f\d+$|e[+-]\d+", op.properties.removeprefix("value = ")):
            return text == "true" if text in ("true", "false") else int(text)
        bits = re.fullmatch(r"0x([0-9A-F]{8})", text)
        return torch.tensor(struct.unpack(">f", bytes.fromhex(bits[1]))[0] if bits else float(text))

    def arith_index_cast(self, op, value):
        return value

    def arith_extf(self, op, value):
        return torch.as_tensor(value).to(shape_of(op.types[0])[0] if "<" in op.types[0] else DTYPES[op.types[0]])

    arith_truncf = arith_uitofp = arith_sitofp = arith_extf

    def arith_cmpi(self, op, left, right):
        return _PREDICATES[int(op.get("predicate"))](left, right)

    def arith_cmpf(self, op, left, right):
        return _ORDERED[int(op.get("predicate"))](left, right)

    def arith_select(self, op, condition, one, other):
        if isinstance(condition, bool):
            return one if condition else other
        return torch.where(condition, one, other)

    def affine_min(self, op, *operands):
        text = re.sub(r"#\w+", lambda alias: self.aliases[alias[0]], op.get("map", r"#\w+|affine_map<.*>"))
        found = re.fullmatch(r"affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>", text)
        names = re.findall(r"\w+", f"{found[1]}, {found[2] or ''}")
        return min(eval(part, {}, dict(zip(names, operands, strict=True))) for part in found[3].split(","))

    def math_roundeven(self, op, value):
        return torch.round(value)

    def linalg_fill(self, op, value, target):
        if op.result:
            return torch.full_like(target, value)
        target.fill_(value)
        return None

    def linalg_copy(self, op, value, target):
        assert value.shape == target.shape
        return value.clone()

    def linalg_broadcast(self, op, value, target):
        for dimension in op.numbers("dimensions"):
            value = value.unsqueeze(dimension)
        return value.expand(target.shape)

    def linalg_reduce(self, op, value, start):
        fold, rest = op.body
        assert rest.name == "linalg.yield" and set(fold.operands) == {name for name, _ in op.arguments}
        return _FLOATS[fold.name](_FOLDS[fold.name](value, op.numbers("dimensions")), start)

    def linalg_transpose(self, op, value, target):
        value = value.permute(op.numbers("permutation"))
        assert value.shape == target.shape
        return value

    def linalg_matmul(self, op, left, right, sums):
        """Exact, and rounded once: the order of sums is the vendor's."""
        maps = [self.aliases.get(name, name) for name in re.findall(r"#map\d*", op.properties)]
        assert maps == [f"affine_map<(d0, d1, d2) -> ({dims})>" for dims in ("d0, d2", "d2, d1", "d0, d1")], maps
        return (sums.double() + left.double() @ right.double()).to(sums.dtype)

    def linalg_generic(self, op, target):
        """Only the one that counts up a dimension."""
        assert [inner.name for inner in op.body] == ["linalg.index", "arith.index_cast", "linalg.yield"]
        assert target.dim() == 1
        return torch.arange(target.shape[0], dtype=target.dtype)

    def tensor_empty(self, op):
        return undefined(*shape_of(op.types[0]))

    def tensor_collapse_shape(self, op, value):
        return value.reshape([-1 if size is None else size for size in shape_of(op.types[0])[1]])

    tensor_expand_shape = tensor_collapse_shape

    @staticmethod
    def slices(op, groups):
        """Where a part of a tensor or buffer lies: offsets, sizes, strides."""
        parts = []
        for name, dynamic in zip(("static_offsets", "static_sizes", "static_strides"), groups, strict=True):
            dynamic = iter(dynamic)
            parts.append([next(dynamic) if n == generic_mlir.DYNAMIC else n for n in op.numbers(name)])
        return parts

    def part(self, op, whole, groups):
        offsets, sizes, strides = self.slices(op, groups)
        ranges = []
        for offset, size, stride, length in zip(offsets, sizes, strides, whole.shape, strict=True):
            assert size == 0 or (offset >= 0 and offset + (size - 1) * stride < length), "a part beyond the tensor"
            ranges.append(slice(offset, offset + size * stride, stride))
        return whole[tuple(ranges)]

    def tensor_extract_slice(self, op, *operands):
        (whole,), *groups = op.segments(operands)
        part = self.part(op, whole, groups)
        return part if len(shape_of(op.types[0])[1]) == part.dim() else part.reshape(-1)

    def tensor_insert_slice(self, op, *operands):
        (value,), (whole,), *groups = op.segments(operands)
        result = whole.clone()
        part = self.part(op, result, groups)
        part.copy_(value.reshape(part.shape))
        return result

    # Loops

    def scf_for(self, op, low, high, step, *carried):
        for index in range(low, high, step):
            carried = self.run_body(op, [index, *carried])
        return tuple(carried)

    def scf_if(self, op, condition):
        return tuple(self.run_block(op.body if condition else op.otherwise))

    # Memory

    def memref_alloc(self, op):
        return undefined(*shape_of(op.types[0]))

    def memref_reinterpret_cast(self, op, *operands):
        (array,), *groups = op.segments(operands)
        (offset,), sizes, strides = self.slices(op, groups)
        return array.view(sizes, strides, offset)

    def memref_subview(self, op, *operands):
        (whole,), *groups = op.segments(operands)
        return self.part(op, whole, groups)

    def memref_copy(self, op, source, target):
        assert isinstance(source, View) and source.shape == target.shape
        target.copy_(source.read(self))

    def memref_load(self, op, array, *indices):
        if isinstance(array, Array):
            return int(array.view([1], [1], *indices).read(self))
        return int(array.element(indices).read(self))

    def bufferization_to_tensor(self, op, buffer):
        return buffer.clone()

    def bufferization_materialize_in_destination(self, op, value, target):
        assert value.shape == target.shape
        target.write(self, value)

    def hivm_hir_pointer_cast(self, op, address, extent):
        array = self.memory[address]
        assert array.extent == extent, "not the extent of the tensor"
        return array

    def hivm_hir_set_ffts_base_addr(self, op, base):
        assert self.phase == 0

    def func_return(self, op):
        pass


def launch(text: str, arguments, memory: dict, programs: int):
    """Runs a kernel with its arguments, but those that say a program's place; arrays by address in `memory`."""
    (module,), aliases = generic_mlir.parse(text)
    (function,) = module.body
    if "ffts_base_address" in function.properties:
        arguments = [0, *arguments]
    runs = []
    for number in range(programs):
        program = Program(memory, aliases, number, programs)
        runs.append(program.steps(function, [*arguments, programs, 1, 1, number, 0, 0]))
    meetings = 0
    while any(state := [next(run, "done") != "done" for run in runs]):
        assert all(state), "not all programs come to the meeting"
        meetings += 1
        # In another order after each: nothing may depend on it.
        runs.reverse()
    return meetings
