"""The words of the tile language, imported as `import attn.language as at`.

Kernels are parsed, never executed: what stands here gives each word its name, its parameters and its documentation.
Calling a word outside a kernel raises an error, except `at.spec`, which describes an array for `kernel.compile`.
"""

from __future__ import annotations

__all__ = [
    "Auto", "Const", "Spec", "Tensor", "Tensors",
    "abs", "cdiv", "empty", "exp", "full", "grid", "log", "max", "maximum", "mean", "min", "minimum", "range",
    "rsqrt", "softmax_state", "spec", "sqrt", "sum", "tiles",
    "bf16", "f16", "f32", "i32",
]  # fmt: skip


MAX_SIZE = 2**31 - 1
"""The largest size that is compiled in."""


class DType:
    """The type of an array's or a tile's elements."""

    __slots__ = ("name", "bytes")

    def __init__(self, name: str, size: int):
        self.name = name
        self.bytes = size

    def __repr__(self):
        return f"at.{self.name}"


f32 = DType("f32", 4)
f16 = DType("f16", 2)
bf16 = DType("bf16", 2)
i32 = DType("i32", 4)


def _parse_dims(text, what: str):
    """'N T 64' as ('N', 'T', 64)."""
    if not isinstance(text, str):
        raise TypeError(f"{what} takes its dimensions as a string such as \"N T D\", not {text!r}")
    dims = tuple(int(word) if word.isdecimal() else word for word in text.split())
    if not dims:
        raise ValueError(f"{what} needs at least one dimension")
    for dim in dims:
        if isinstance(dim, str) and not (dim.isascii() and dim.isidentifier()):
            raise ValueError(f"{what}: '{dim}' is neither a name nor a number")
        if isinstance(dim, int) and not 1 <= dim <= MAX_SIZE:
            raise ValueError(f"{what}: a dimension must be between 1 and {MAX_SIZE}, not {dim}")
    return dims


def _check_dtype(dtype, what: str):
    if dtype is not None and not isinstance(dtype, DType):
        raise TypeError(f"{what} takes a dtype such as at.f32, not {dtype!r}")
    return dtype


class ArrayType:
    """What `at.Tensor[...]` and `at.Tensors[...]` say about an argument."""

    __slots__ = ("dims", "dtype", "table", "optional")

    def __init__(self, dims, dtype, table: bool, optional: bool = False):
        self.dims = dims
        self.dtype = dtype
        self.table = table
        self.optional = optional

    def __or__(self, other):
        if other is not None:
            return NotImplemented
        return ArrayType(self.dims, self.dtype, self.table, optional=True)

    __ror__ = __or__


class Tensor:
    """An array argument: `at.Tensor["N T D"]`, or with a fixed element type `at.Tensor["N T D", at.bf16]`.

    The names become dims in the body; equal names mean equal sizes, checked when the kernel is called. Without a
    dtype the kernel is specialised on that of the tensor it is called with.
    """

    def __class_getitem__(cls, item):
        dims, dtype = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        return ArrayType(_parse_dims(dims, "at.Tensor"), _check_dtype(dtype, "at.Tensor"), table=False)


class Tensors:
    """A list of equal tensors as one array: `at.Tensors["N", "T D"]` is indexed like `at.Tensor["N T D"]`.

    It is passed as a table of addresses; nothing is copied.
    """

    def __class_getitem__(cls, item):
        if not isinstance(item, tuple) or len(item) not in (2, 3):
            raise TypeError('at.Tensors takes the list\'s name and the dims of its tensors: at.Tensors["N", "T D"]')
        count = _parse_dims(item[0], "at.Tensors")
        if len(count) != 1 or not isinstance(count[0], str):
            raise ValueError(f"at.Tensors: the length of the list is one name, not {item[0]!r}")
        dtype = _check_dtype(item[2] if len(item) == 3 else None, "at.Tensors")
        return ArrayType(count + _parse_dims(item[1], "at.Tensors"), dtype, table=True)


class ConstType:
    """What `at.Const[...]` says about an argument."""

    __slots__ = ("type",)

    def __init__(self, kind: type):
        self.type = kind


class Const:
    """A compile-time constant: `at.Const[int]`, `at.Const[float]` or `at.Const[bool]`."""

    def __class_getitem__(cls, kind):
        if kind not in (int, float, bool):
            raise TypeError(f"at.Const takes int, float or bool, not {kind!r}")
        return ConstType(kind)


class Auto:
    """A block size between `lo` and `hi` that the compiler chooses: `BT: at.Auto(1, 64)`.

    The caller may fix it: `kernel.compile(..., BT=2)`.
    """

    __slots__ = ("lo", "hi")

    def __init__(self, lo: int, hi: int):
        if not isinstance(lo, int) or not isinstance(hi, int) or not 1 <= lo <= hi <= MAX_SIZE:
            raise ValueError(f"at.Auto needs whole numbers with 1 <= lo <= hi, not {lo!r} and {hi!r}")
        self.lo = lo
        self.hi = hi


class Spec:
    """The shape and type of an array that is not there yet; made by `at.spec`."""

    __slots__ = ("shape", "dtype", "table")

    def __init__(self, shape, dtype, table: bool):
        self.shape = shape
        self.dtype = dtype
        self.table = table

    def __repr__(self):
        shape = " ".join("?" if size is None else str(size) for size in self.shape)
        return f'at.spec("{shape}", {self.dtype!r}{", table=True" if self.table else ""})'


def spec(shape: str, dtype: DType, table: bool = False):
    """Describes an array for `kernel.compile`: `at.spec("? ? 4096", at.bf16)`.

    Give a number for every dim that becomes a dimension of a tile; `?` for those known when the kernel runs.
    `table=True` describes a list of equal tensors.
    """
    if not isinstance(shape, str) or not shape.split():
        raise TypeError(f'at.spec takes a shape such as "? ? 4096", not {shape!r}')
    if not isinstance(dtype, DType):
        raise TypeError(f"at.spec takes a dtype such as at.f32, not {dtype!r}")
    sizes = []
    for word in shape.split():
        if word != "?" and not (word.isdecimal() and 1 <= int(word) <= MAX_SIZE):
            raise ValueError(f"at.spec: '{word}' is neither '?' nor a number between 1 and {MAX_SIZE}")
        sizes.append(None if word == "?" else int(word))
    return Spec(tuple(sizes), dtype, table)


class Word:
    """A word that has a meaning only in a kernel; the frontend knows what it does."""

    def __init__(self, function):
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        defaults = function.__defaults__ or ()
        self.name = function.__name__
        self.parameters = names
        self.defaults = dict(zip(names[code.co_argcount - len(defaults) : code.co_argcount], defaults))
        self.defaults.update(function.__kwdefaults__ or {})
        self.__doc__ = function.__doc__

    def __repr__(self):
        return f"at.{self.name}"

    def __call__(self, *arguments, **keywords):
        raise RuntimeError(f"at.{self.name} has a meaning only inside a function decorated with @attn.kernel")


# The words below hide Python's own `range`, `sum`, `max`, `min` and `abs` in this module: use none of them here.


@Word
def grid(*axes, stages=1):
    """Parallel axes, whole numbers or `at.tiles`, spread over the cores: `for b, t in at.grid(B, at.tiles(T, BT))`."""


@Word
def range(lo, hi=None, stages=1):
    """A sequential loop: `at.range(n)`, `at.range(lo, hi)` or `at.range(at.tiles(n, bs))`.

    `stages` is how many iterations' loads may be in flight. Variables defined before the loop and assigned in it are
    carried from one iteration to the next.
    """


@Word
def tiles(n, bs, base=0, limit=None):
    """Spans of `bs` indices that cover `base` to `base + n`, and end at `limit` where it is given."""


@Word
def empty(dims, dtype):
    """An output array, made by the caller: `at.empty("T D", V.dtype)`. The kernel returns it."""


@Word
def full(shape, value, dtype=f32):
    """A tile filled with one number: `at.full((1, D), 0.0)`."""


@Word
def softmax_state(m, d):
    """The running state of a softmax-weighted sum with result [m, d].

    `st.push(s, v)` adds scores [m, k] and values [k, d] shared by all rows; `st.push(s, v, per_row=True)` scores [m, 1]
    and values [m, d]. `o, lse = st.finish()` gives the sum and the log-sum-exp.
    """


@Word
def exp(x):
    """The natural exponential."""


@Word
def log(x):
    """The natural logarithm."""


@Word
def sqrt(x):
    """The square root."""


@Word
def rsqrt(x):
    """One over the square root."""


@Word
def abs(x):
    """The absolute value."""


@Word
def maximum(a, b):
    """The larger of two, element by element; NaN if either is NaN."""


@Word
def minimum(a, b):
    """The smaller of two, element by element; NaN if either is NaN."""


@Word
def sum(x, axis):
    """The sum over rows (axis 0) or columns (axis 1); the axis stays, with size 1."""


@Word
def max(x, axis):
    """The largest over rows (axis 0) or columns (axis 1); the axis stays, with size 1."""


@Word
def min(x, axis):
    """The smallest over rows (axis 0) or columns (axis 1); the axis stays, with size 1."""


@Word
def mean(x, axis):
    """The mean over columns (axis 1); the axis stays, with size 1."""


@Word
def cdiv(a, b):
    """`a / b` rounded up, for whole numbers."""
