"""What an author may write instead of something that a kernel does not take: the ends of messages."""

from typing import Any

from .values import Array, Mask, Span, State, Tile, Transposed

# Words of the language that are planned: an author who knows them should hear that they come.
PLANNED = frozenset(
    "alloc asc assert_ barrier copy exp2 flag hint log2 manual print reshape sigmoid static_assert tanh".split()
)

# What words and methods of other libraries are called here.
OTHER_NAMES = {
    **dict.fromkeys(("matmul", "mm", "bmm", "gemm"), "at.dot"),
    "float32": "at.f32", "float16": "at.f16", "half": "at.f16", "bfloat16": "at.bf16", "f64": "at.f32",
    "int8": "at.i8", "int32": "at.i32", "int64": "at.i64", "uint16": "at.u16",
}  # fmt: skip
OTHER_ATTRIBUTES = {
    **dict.fromkeys(("transpose", "t", "mT"), "'.T'"),
    "float": "'.to(at.f32)'", "half": "'.to(at.f16)'", "bfloat16": "'.to(at.bf16)'",
}  # fmt: skip

# Functions that the language lacks, in its words.
_FORMULAS = {
    "sigmoid": "1.0 / (1.0 + at.exp(-x))",
    "silu": "x / (1.0 + at.exp(-x))",
    "tanh": "1.0 - 2.0 / (at.exp(2.0 * x) + 1.0)",
    "gelu": "x / (1.0 + at.exp(-1.5957691 * (x + 0.044715 * x * x * x))), which is its form by tanh",
    "softplus": "at.maximum(x, 0.0) + at.log(1.0 + at.exp(-at.abs(x)))",
    "exp2": "at.exp(0.6931471805599453 * x)",
    "log2": "1.4426950408889634 * at.log(x)",
    "square": "x * x",
    "clamp": "at.minimum(at.maximum(x, low), high)",
    "cumsum": "the product with a triangle of ones: at.where(at.tiles(n, n).idx <= at.arange(n), 1.0, 0.0)",
    "argmax": "at.min(at.where(x == at.max(x, 1), at.arange(n), n), 1)",
    "argmin": "at.min(at.where(x == at.min(x, 1), at.arange(n), n), 1)",
    "ones": "at.full((rows, columns), 1.0)",
}

# What to do instead of calling functions of Python.
PYTHON_HINTS = {
    "range": "write at.range", "sum": "write at.sum", "max": "write at.max or at.maximum",
    "min": "write at.min or at.minimum", "abs": "write at.abs", "pow": "write x * x", "round": "write .to(at.bf16)",
    "float": "write .to(at.f32)", "int": "write a // b", "len": "write the name of the dim",
    "print": "it is never executed: make the value an output to look at it",
}  # fmt: skip

# Powers of values that are known only when the kernel runs.
POWER_HINTS: dict[Any, str] = {2: "x * x", 0.5: "at.sqrt(x)", -0.5: "at.rsqrt(x)", -1: "1 / x"}


def formula(name: str):
    """`; write ...` for a function that the language lacks and that a few words make up, else nothing."""
    return f"; write {_FORMULAS[name]}" if name in _FORMULAS else ""


def instead(value):
    """`; write w[:]` for a value that arithmetic does not take but a form of it does, else nothing."""
    if type(value) is Array:
        return f"; load what is needed of it, such as {value.name}[{', '.join([*['t'] * (len(value.dims) - 1), ':'])}]"
    if type(value) is Span:
        return "; .shift(n) moves a span, .base is its first index, .idx the column of all of them"
    if type(value) is Mask:
        return "; write at.where(mask, a, b)"
    if type(value) is State:
        return "; .finish() gives its rows and their log-sum-exps"
    if type(value) is tuple:
        return f"; give them names: {', '.join('abcdef'[: len(value)])} = ..."
    if type(value) is Transposed and is_integer(value.tile):
        return "; write .to(at.f32).T"
    return ""


def is_integer(tile: Tile):
    """Whether a tile has integers, of which arithmetic takes none."""
    return not tile.dtype.name.startswith(("f", "bf"))
