"""Cube instructions on the modelled chip, against layouts written from their formulas alone and products of PyTorch.

Memories are read through instructions. A copy of rows of 32 bytes is a copy of bytes, and so is a load of fractals one after
the other. A product with the identity shows L0A or L0B: k = C0 makes every 32 bytes a row. The way out of L0C by 16 columns
shows its bytes.
"""

from dataclasses import dataclass, field

import pytest

torch = pytest.importorskip("torch")
core = pytest.importorskip("attn._core")

NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int32: "i32"}
FLOATS = (torch.float16, torch.bfloat16, torch.float32)
DTYPES = (*FLOATS, torch.int8)
BYTES = {"l1": 524032, "l0a": 65536, "l0b": 65536, "l0c": 131072, "bt": 1024}


def per_block(dtype):
    return 32 // dtype.itemsize


def sum_type(dtype):
    return torch.int32 if dtype == torch.int8 else torch.float32


def up(value, unit):
    return -(-value // unit) * unit


# The formulas of the architecture: where element (r, c) lies, in elements.


def nz(room, c0):
    return lambda r, c: ((c // c0) * (room // 16) + r // 16) * 16 * c0 + (r % 16) * c0 + c % c0


def zz(cols, c0):
    return lambda m, k: ((m // 16) * -(-cols // c0) + k // c0) * 16 * c0 + (m % 16) * c0 + k % c0


def zn(cols, c0):
    return lambda k, n: ((k // c0) * -(-cols // 16) + n // 16) * 16 * c0 + (n % 16) * c0 + k % c0


def place(matrix, position, memory):
    """The matrix in a layout, over what `memory` held."""
    memory = memory.clone()
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            memory[position(r, c)] = matrix[r, c]
    return memory


def distinct(rows, cols, dtype):
    """Integers that every type holds, without a period that a layout has."""
    return (torch.arange(rows * cols) % 251 - 125).reshape(rows, cols).to(dtype)


def small(rows, cols, dtype, seed):
    return torch.randint(-4, 5, (rows, cols), generator=torch.Generator().manual_seed(seed)).to(dtype)


@dataclass
class Kernel:
    """Chip IR of one cube core, an instruction at a time."""

    dtype: torch.dtype
    arrays: list = field(default_factory=list)
    outputs: set = field(default_factory=set)
    lines: list = field(default_factory=list)

    def number(self, value):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = arith.constant {value} : index")
        return name

    def memory(self, space, dtype=None, offset=0):
        """A memory from byte `offset` on, as elements of a type."""
        dtype = dtype or (sum_type(self.dtype) if space in ("l0c", "bt") else self.dtype)
        type_ = f"memref<{(BYTES[space] - offset) // dtype.itemsize}x{NAMES[dtype]}, #ascend.space<{space}>>"
        name = f"%v{len(self.lines)}"
        self.lines.append(f'{name} = ascend.alloc "{space}" at {offset} : {type_}')
        return name, type_

    def array(self, tensor, is_output=False):
        """The first element of a new argument."""
        index = len(self.arrays)
        self.arrays.append(tensor)
        if is_output:
            self.outputs.add(index)
        type_, zero, name = self.array_type(tensor), self.number(0), f"%v{len(self.lines)}"
        gm = f"memref<?x{NAMES[tensor.dtype]}, #ascend.space<gm>>"
        self.lines.append(f"{name} = ascend.address %a{index}[{zero}, {zero}] : {type_} -> {gm}")
        return name, gm

    @staticmethod
    def array_type(tensor):
        return f"memref<?x?x{NAMES[tensor.dtype]}, strided<[?, 1]>, #ascend.space<gm>>"

    def add(self, name, operands, form):
        """An instruction, and a barrier: order is no matter of these tests."""
        values, types = ", ".join(value for value, _ in operands), ", ".join(type_ for _, type_ in operands)
        self.lines += [f"ascend.{name} {values} {form} : {types}", "ascend.barrier all"]

    def amounts(self, **amounts):
        return " ".join(f"{name}({self.number(value)})" for name, value in amounts.items())

    # Instructions.

    def nd_to_nz(self, tensor, room, offset=0):
        rows, cols = tensor.shape
        form = self.amounts(rows=rows, cols=cols, src_pitch=tensor.stride(0)) + f" dst_rows {room}"
        self.add("nd_to_nz", [self.memory("l1", tensor.dtype, offset), self.array(tensor)], form)

    def put(self, elements, offset=0):
        """Elements to L1 as they are."""
        self.nd_to_nz(
            elements.reshape(-1, per_block(elements.dtype)),
            up(elements.numel() // per_block(elements.dtype), 16),
            offset,
        )

    def copy_fractals(self, space, count, offset=0):
        """Fractals of L1 as they are."""
        self.load_fractals(space, count, (1, 1), offset=offset)

    def load_fractals(self, space, count, strides, transpose=False, offset=0):
        form = self.amounts(repeat=count) + f" strides [{strides[0]}, {strides[1]}]" + " transpose" * transpose
        self.add("load_fractals", [self.memory(space), self.memory("l1", offset=offset)], form)

    def load_tile(self, space, rows, cols, room, transpose=False, offset=0):
        form = self.amounts(rows=rows, cols=cols) + f" src_rows {room}" + " transpose" * transpose
        self.add("load_tile", [self.memory(space), self.memory("l1", offset=offset)], form)

    def load_squares(self, space, count, strides, offset=0, to=0):
        form = self.amounts(repeat=count) + f" strides {list(strides)}"
        self.add("load_squares", [self.memory(space, offset=to), self.memory("l1", offset=offset)], form)

    def mmad(self, m, n, k, init=True, bias=False):
        flag = f"%v{len(self.lines)}"
        self.lines.append(f"{flag} = arith.constant {str(init).lower()}")
        value, type_ = self.memory("bt") if bias else (None, None)
        extra = f"bias({value} : {type_}) " if bias else ""
        form = f"{extra}{self.amounts(m=m, n=n, k=k)} init({flag})"
        self.add("mmad", [self.memory(space) for space in ("l0c", "l0a", "l0b")], form)

    def fix_out(self, result, room, words=""):
        rows, cols = result.shape
        form = self.amounts(rows=rows, cols=cols, dst_pitch=result.stride(0)) + f" src_rows {room} {words}"
        self.add("fix_out", [self.array(result, is_output=True), self.memory("l0c")], form)

    # What several tests do.

    def show(self, space, fractals):
        """The elements of the first fractals of L0A or L0B; the other one takes the identity. At most 255."""
        c0 = per_block(self.dtype)
        side = up(c0, 16)
        identity = torch.eye(side).to(self.dtype)[:, :c0]
        other = "l0b" if space == "l0a" else "l0a"
        self.put(identity.reshape(-1), offset=BYTES["l1"] // 2 // 512 * 512)
        self.copy_fractals(other, side // 16, offset=BYTES["l1"] // 2 // 512 * 512)
        lines = 16 * fractals
        shape = (lines, side) if space == "l0a" else (side, lines)
        result = torch.empty(shape, dtype=sum_type(self.dtype))
        self.mmad(*shape, c0)
        self.fix_out(result, up(shape[0], 16))
        self.run()
        lines = result if space == "l0a" else result.T
        return lines[:, :c0].to(self.dtype).reshape(-1)

    def show_sums(self, fractals):
        """The first fractals of L0C as they lie there."""
        result = torch.empty((16 * fractals, 16), dtype=sum_type(self.dtype))
        self.fix_out(result, 16)
        return result

    def run(self, check_effects=True):
        arguments = ", ".join(
            f"%a{i}: {self.array_type(tensor)}" + (" {launch.output}" if i in self.outputs else "")
            for i, tensor in enumerate(self.arrays)
        )
        body = "\n  ".join(self.lines)
        text = f"func.func @kernel({arguments}) attributes {{ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>}} {{\n  {body}\n  return\n}}"
        module = core.Module.parse(text, "Ascend910B4")
        places = [(t.data_ptr(), tuple(t.shape), tuple(t.stride())) for t in self.arrays]
        report = core.simulate(module, places, check_effects=check_effects)
        assert [hazard["message"] for hazard in report["hazards"]] == []
        return report


# Layouts.


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
@pytest.mark.parametrize("rows, cols, room", [(16, 64, 16), (37, 50, 48), (5, 33, 64), (1, 70, 16)])
def test_nd_to_nz_positions(dtype, rows, cols, room):
    """Rows beyond the last stay as they were, columns beyond it become zero."""
    c0, matrix = per_block(dtype), distinct(rows, cols, dtype)
    before = torch.full((room * up(cols, c0),), 7).to(dtype)
    kernel = Kernel(dtype)
    kernel.put(before)
    kernel.nd_to_nz(matrix, room)
    kernel.copy_fractals("l0a", len(before) // (16 * c0))
    padded = torch.zeros((rows, up(cols, c0))).to(dtype)
    padded[:, :cols] = matrix
    assert torch.equal(kernel.show("l0a", len(before) // (16 * c0)), place(padded, nz(room, c0), before))


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
def test_single_row_stays_a_row(dtype):
    c0, row = per_block(dtype), distinct(1, 100, dtype)
    fractals = up(up(100, c0), 16 * c0) // (16 * c0)
    kernel = Kernel(dtype)
    kernel.put(torch.full((fractals * 16 * c0,), 7).to(dtype))
    kernel.nd_to_nz(row, 1)
    kernel.copy_fractals("l0b", fractals)
    assert torch.equal(kernel.show("l0b", fractals)[:100], row[0])


@pytest.mark.parametrize("space", ["l0a", "l0b"])
@pytest.mark.parametrize(
    "dtype, transpose",
    [*((dtype, False) for dtype in DTYPES), *((dtype, True) for dtype in DTYPES if dtype.itemsize == 2)],
)
def test_load_fractals(dtype, space, transpose):
    """Fractals of 16-bit elements are square and can be turned over."""
    c0 = per_block(dtype)
    source = distinct(12 * 16, c0, dtype)
    kernel = Kernel(dtype)
    kernel.put(torch.full((9 * 16 * c0,), 7).to(dtype))
    kernel.copy_fractals(space, 9)
    kernel.put(source.reshape(-1))
    kernel.load_fractals(space, 4, (2, 3), transpose)
    expected = torch.full((9, 16, c0), 7).to(dtype)
    for i in range(4):
        fractal = source.reshape(12, 16, c0)[3 * i]
        expected[2 * i] = fractal.T if transpose else fractal
    assert torch.equal(kernel.show(space, 9), expected.reshape(-1))


@pytest.mark.parametrize(
    "dtype, form",
    [*((dtype, "left") for dtype in DTYPES), *((dtype, form) for dtype in FLOATS for form in ("left turned", "right"))],
)
@pytest.mark.parametrize("rows, cols, room", [(16, 32, 16), (48, 32, 48), (32, 64, 80), (64, 96, 64)])
def test_load_tile(dtype, rows, cols, room, form):
    """Matrices of 8-bit elements are turned over by squares only."""
    c0, matrix = per_block(dtype), distinct(rows, cols, dtype)
    kernel = Kernel(dtype)
    kernel.put(torch.full((room * cols,), 7).to(dtype))
    kernel.nd_to_nz(matrix, room)
    space = "l0b" if form == "right" else "l0a"
    kernel.load_tile(space, rows, cols, room, transpose=form == "left turned")
    memory = torch.zeros(rows * cols).to(dtype)
    if form == "left":
        expected = place(matrix, zz(cols, c0), memory)
    elif form == "right":
        expected = place(matrix, zn(cols, c0), memory)
    else:
        expected = place(matrix.T, zz(rows, c0), memory)
    assert torch.equal(kernel.show(space, rows * cols // (16 * c0)), expected)


@pytest.mark.parametrize("space", ["l0a", "l0b"])
@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
def test_load_squares(dtype, space):
    c0 = per_block(dtype)
    side, fractals = max(16, c0), 1 if dtype.itemsize == 2 else 2
    source = distinct(5 * fractals * 16, c0, dtype)
    kernel = Kernel(dtype)
    kernel.put(torch.full((16 * 16 * c0,), 7).to(dtype))
    kernel.copy_fractals(space, 16)
    kernel.put(source.reshape(-1))
    kernel.load_squares(space, 3, (4, 2, 3))
    expected = torch.full((16, 16, c0), 7).to(dtype)
    for i in range(3):
        parts = source.reshape(5, fractals, 16, c0)[2 * i]
        # Fractals of a square lie below each other in 8 bits, beside each other in 32.
        square = parts.reshape(side, side) if dtype == torch.int8 else torch.cat(list(parts), dim=1)
        for h in range(fractals):
            rows, cols = (
                (slice(16 * h, 16 * h + 16), slice(None))
                if dtype == torch.int8
                else (slice(None), slice(c0 * h, c0 * h + c0))
            )
            expected[4 * i + 3 * h] = square.T[rows, cols]
    assert torch.equal(kernel.show(space, 16), expected.reshape(-1))


# Products.


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
@pytest.mark.parametrize("m, n, k", [(16, 16, 32), (48, 80, 64), (37, 21, 45), (2, 100, 7), (130, 3, 1)])
def test_mmad_layouts(dtype, m, n, k):
    """Operands put into L0 byte by byte, sums read as they lie in L0C; what surrounds the matrices is not looked at."""
    c0, a, b = per_block(dtype), small(m, k, dtype, 1), small(k, n, dtype, 2)
    left = place(a, zz(k, c0), torch.full((up(m, 16) * up(k, c0),), 99).to(dtype))
    right = place(b, zn(n, c0), torch.full((up(n, 16) * up(k, c0),), 99).to(dtype))
    kernel = Kernel(dtype)
    kernel.put(left)
    kernel.copy_fractals("l0a", len(left) // (16 * c0))
    kernel.put(right)
    kernel.copy_fractals("l0b", len(right) // (16 * c0))
    kernel.mmad(m, n, k)
    kernel.mmad(m, n, k, init=False)
    # Whole fractals first: column blocks of 16, whose rows beyond m hold no value.
    results = [torch.empty((m, 16 if n >= j + 16 else n - j), dtype=sum_type(dtype)) for j in range(0, n, 16)]
    for j, result in enumerate(results):
        form = kernel.amounts(rows=m, cols=result.shape[1], dst_pitch=result.stride(0)) + " src_rows 16"
        begin = j * up(m, 16) * 16 * 4
        kernel.add("fix_out", [kernel.array(result, is_output=True), kernel.memory("l0c", offset=begin)], form)
    kernel.run()
    expected = 2 * (a.to(torch.float64) @ b.to(torch.float64))
    assert torch.equal(torch.cat(results, dim=1).to(torch.float64), expected)


def load_left(kernel, a, is_turned, dtype):
    """A [m, k] into L0A as ZZ, from an array that holds it or its transpose."""
    (m, k), c0 = a.shape, per_block(dtype)
    room = up(k if is_turned else m, max(16, c0)) + 32
    kernel.nd_to_nz(a.T.contiguous() if is_turned else a, room)
    if not is_turned:
        return kernel.load_tile("l0a", up(m, 16), up(k, c0), room)
    if dtype == torch.int8:
        # Squares of 32 x 32 of [k, m]: column block j holds rows of ZZ 32 j on.
        for j in range(up(m, 32) // 32):
            blocks = up(k, 32) // 32
            kernel.load_squares("l0a", blocks, (1, 1, blocks), offset=j * room * 32, to=2 * j * blocks * 512)
        return None
    return kernel.load_tile("l0a", up(k, 16), up(m, 16), room, transpose=True)


def load_right(kernel, b, is_turned, dtype):
    """B [k, n] into L0B as ZN, from an array that holds it or its transpose."""
    (k, n), c0 = b.shape, per_block(dtype)
    begin = 262144
    room = up(n if is_turned else k, max(16, c0))
    kernel.nd_to_nz(b.T.contiguous() if is_turned else b, room, offset=begin)
    if is_turned:
        # NZ of [n, k] is ZN of [k, n], column block by column block.
        assert room == up(n, 16) or k <= c0
        return kernel.load_fractals("l0b", up(n, 16) // 16 * (up(k, c0) // c0), (1, 1), offset=begin)
    if dtype == torch.int8:
        for j in range(up(k, 32) // 32):
            columns = up(n, 32) // 32
            squares = room // 32
            kernel.load_squares("l0b", columns, (2, squares, 1), offset=begin + j * 1024, to=j * 2 * columns * 512)
        return None
    return kernel.load_tile("l0b", up(k, 16), up(n, 16), room, offset=begin)


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("m, n, k", [(64, 32, 32), (48, 96, 64), (35, 32, 64), (20, 50, 30), (100, 32, 17)])
def test_product_of_matrices_in_arrays(dtype, turned, m, n, k):
    if dtype == torch.int8 and not turned[1]:
        n = up(n, 32)  # squares are two fractals of ZN wide
    if dtype == torch.float32 and turned[0] and up(k, 8) != up(k, 16):
        k = up(k, 16)  # what is loaded has 16 rows along k, two fractals
    a, b = small(m, k, dtype, 3), small(k, n, dtype, 4)
    kernel = Kernel(dtype)
    load_left(kernel, a, turned[0], dtype)
    load_right(kernel, b, turned[1], dtype)
    kernel.mmad(m, n, k)
    result = torch.empty((m, n), dtype=sum_type(dtype))
    kernel.fix_out(result, up(m, 16))
    kernel.run()
    assert torch.equal(result.to(torch.float64), a.to(torch.float64) @ b.to(torch.float64))


def test_order_of_sums():
    """In the order of k, each product rounded and added on its own."""
    m, n, k = 16, 16, 96
    generator = torch.Generator().manual_seed(5)
    a, b = torch.randn((m, k), generator=generator), torch.randn((k, n), generator=generator)
    kernel = Kernel(torch.float32)
    load_left(kernel, a, False, torch.float32)
    load_right(kernel, b, False, torch.float32)
    kernel.mmad(m, n, k)
    result = torch.empty((m, n))
    kernel.fix_out(result, 16)
    kernel.run()
    expected = torch.zeros((m, n))
    for i in range(k):
        expected = expected + a[:, i : i + 1] * b[i : i + 1, :]
    assert torch.equal(result, expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.int8], ids=NAMES.get)
@pytest.mark.parametrize("init", [True, False])
def test_bias(dtype, init):
    """With `init` sums start from the row of the table; without it the table is not read."""
    m, n, k = 32, 64, 32
    a, b = small(m, k, dtype, 6), small(k, n, dtype, 7)
    bias = distinct(1, n, sum_type(dtype))
    kernel = Kernel(dtype)
    load_left(kernel, a, False, dtype)
    load_right(kernel, b, True, dtype)
    kernel.mmad(m, n, k)
    kernel.nd_to_nz(bias, 1, offset=131072)
    sums = sum_type(dtype)
    kernel.add("load_bias", [kernel.memory("bt"), kernel.memory("l1", sums, 131072)], kernel.amounts(count=n))
    kernel.mmad(m, n, k, init=init, bias=True)
    result = torch.empty((m, n), dtype=sums)
    kernel.fix_out(result, m)
    kernel.run()
    product = (a.to(torch.float64) @ b.to(torch.float64)).to(sums)
    assert torch.equal(result, product + (bias if init else product))


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES.get)
@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
def test_composite_product(dtype, turned):
    m, n, k = 37, 50, 70
    a, b = small(m, k, dtype, 8), small(k, n, dtype, 9)
    rooms = [up(k if turned[0] else m, 16) + 16, up(n if turned[1] else k, 16) + 32]
    kernel = Kernel(dtype)
    kernel.nd_to_nz(a.T.contiguous() if turned[0] else a, rooms[0])
    kernel.nd_to_nz(b.T.contiguous() if turned[1] else b, rooms[1], offset=262144)
    kernel.lines.append("%init = arith.constant true")
    operands = [kernel.memory("l0c"), kernel.memory("l1"), kernel.memory("l1", offset=262144)]
    form = f"{kernel.amounts(m=m, n=n, k=k)} init(%init) rows {rooms}"
    form += " transpose_a" * turned[0] + " transpose_b" * turned[1]
    kernel.add("matmul", [*operands, kernel.memory("l0a"), kernel.memory("l0b")], form)
    result = torch.empty((m, n), dtype=sum_type(dtype))
    kernel.fix_out(result, up(m, 16))
    kernel.run()
    assert torch.equal(result.to(torch.float64), a.to(torch.float64) @ b.to(torch.float64))


# The way out.


def sums_of(kernel, values):
    """Has L0C hold 16 columns of sums, by a product with the identity."""
    dtype, rows = kernel.dtype, values.shape[0]
    load_left(kernel, values, False, dtype)
    load_right(kernel, torch.eye(16).to(dtype), True, dtype)
    kernel.mmad(rows, 16, 16)


def numbers_to_round():
    generator = torch.Generator().manual_seed(10)
    exponents = torch.randint(-30, 20, (1024, 16), generator=generator)
    values = torch.randn((1024, 16), generator=generator) * torch.pow(2.0, exponents)
    values[0, :8] = torch.tensor([65504.0, 65519.996, 65520.0, -65520.0, 1e30, 3.4e38, 2049.0, 2051.0])
    return values


@pytest.mark.parametrize("to", [torch.float16, torch.bfloat16], ids=NAMES.get)
@pytest.mark.parametrize("relu", [False, True])
def test_narrowing(to, relu):
    """Nearest, ties to even, infinite where too large."""
    values, kernel = numbers_to_round(), Kernel(torch.float32)
    sums_of(kernel, values)
    result = torch.empty((1024, 16), dtype=to)
    kernel.fix_out(result, 1024, "relu" if relu else "")
    kernel.run()
    expected = values.relu() if relu else values
    assert torch.equal(result, expected.to(to))
    assert result.isinf().any() or to == torch.bfloat16


def cut(scale):
    """Ten bits of the mantissa."""
    return (torch.tensor(scale).view(torch.int32) >> 13 << 13).view(torch.float32)


@pytest.mark.parametrize("scale", [0.25, 1.7182818, 0.0123456789])
@pytest.mark.parametrize("relu", [False, True])
def test_scale_of_floats(scale, relu):
    generator = torch.Generator().manual_seed(11)
    values, kernel = torch.randn((64, 16), generator=generator) * 200, Kernel(torch.float32)
    values[0, :4] = torch.tensor([2.0, 6.0, 1e9, -1e9])
    sums_of(kernel, values)
    result = torch.empty((64, 16), dtype=torch.int8)
    kernel.fix_out(result, 64, ("relu " if relu else "") + f"scale {scale:e}")
    kernel.run()
    expected = ((values.relu() if relu else values) * cut(scale)).round().clamp(-128, 127)
    assert torch.equal(result.to(torch.float32), expected)


@pytest.mark.parametrize("to", [torch.int8, torch.float16], ids=NAMES.get)
def test_scale_of_integers(to):
    dtype, m, k = torch.int8, 32, 64
    a, b = distinct(m, k, dtype), distinct(k, 32, dtype)
    kernel = Kernel(dtype)
    load_left(kernel, a, False, dtype)
    load_right(kernel, b, True, dtype)
    kernel.mmad(m, 32, k)
    result = torch.empty((m, 32), dtype=to)
    kernel.fix_out(result, m, f"scale {0.00123:e}")
    kernel.run()
    expected = (a.to(torch.float64) @ b.to(torch.float64)).to(torch.float32) * cut(0.00123)
    expected = expected.round().clamp(-128, 127) if to == torch.int8 else expected
    assert torch.equal(result, expected.to(to))


@pytest.mark.parametrize("through_l1", [False, True])
def test_fractals_on_the_way_out(through_l1):
    """NZ in an array, and in L1, where it is an operand again."""
    values = distinct(40, 16, torch.float16)
    kernel = Kernel(torch.float16)
    sums_of(kernel, values)
    pitch = 48
    if through_l1:
        target = kernel.memory("l1")
    else:
        result = torch.zeros((1, pitch * 16), dtype=torch.float16)
        target = kernel.array(result, is_output=True)
    form = kernel.amounts(rows=40, cols=16, dst_pitch=pitch) + " src_rows 48 nz"
    kernel.add("fix_out", [target, kernel.memory("l0c")], form)
    if through_l1:
        kernel.copy_fractals("l0a", 3)
        kernel.mmad(40, 16, 16)
        result = torch.empty((40, 16))
        kernel.fix_out(result, 48)
    kernel.run()
    got = result.to(torch.float16) if through_l1 else result.reshape(pitch, 16)[:40]
    assert torch.equal(got, values)
