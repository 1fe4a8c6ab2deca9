"""The words of the tile language, imported as `import attn.language as at`.

Kernels are parsed, never executed: what stands here gives each word its name, its parameters and its documentation.
Calling a word outside a kernel raises an error, except `at.spec`, which describes an array for `kernel.compile`.
"""

from __future__ import annotations

__all__ = [
    "Auto", "Const", "Spec", "Tensor", "Tensors",
    "abs", "accumulate", "arange", "band_dot", "band_mix", "band_spread", "blocks", "cdiv", "concat", "dot", "each",
    "empty", "empty_like", "exp", "full", "gather", "grid", "leaky_relu", "log", "lse_merge", "mask", "max", "maximum",
    "mean", "min", "minimum", "phase", "range", "relu", "rsqrt", "scratch", "softmax", "softmax_state", "spec", "split",
    "sqrt", "sum", "tiles", "where", "zeros",
    "bf16", "f16", "f32", "i32", "i64", "i8", "u16",
]  # fmt: skip


MAX_SIZE = 2**31 - 1
"""The largest size that is compiled in."""

MAX_MORE = 2**16
"""The most that a size is larger than a block size: `BM + 6`."""

INTEGERS = range(-(2**63), 2**63)
"""What integers of kernels are among."""


def show_number(value):
    """A value for messages; a very large integer by its size, as its digits may be too many to print."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


class DType:
    """The type of an array's or a tile's elements."""

    __slots__ = ("name", "bytes")

    def __reduce__(self):
        return self.name  # the one of this module, also in another process

    def __init__(self, name: str, size: int):
        self.name = name
        self.bytes = size

    def __repr__(self):
        return f"at.{self.name}"


f32 = DType("f32", 4)
f16 = DType("f16", 2)
bf16 = DType("bf16", 2)
i32 = DType("i32", 4)
i8 = DType("i8", 1)
u16 = DType("u16", 2)
i64 = DType("i64", 8)


def _parse_dims(text, what: str):
    """'N T 64' as ('N', 'T', 64)."""
    if not isinstance(text, str):
        raise TypeError(f'{what} takes its dimensions as a string such as "N T D", not {text!r}')
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
    dtype the kernel is specialised on that of the tensor it is called with. `at.Tensor["T"] | None` may be None.
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
    """A compile-time constant: `at.Const[int]`, `at.Const[float]`, `at.Const[bool]` or `at.Const[str]`."""

    def __class_getitem__(cls, kind):
        if kind not in (int, float, bool, str):
            raise TypeError(f"at.Const takes int, float, bool or str, not {kind!r}")
        return ConstType(kind)


class Auto:
    """A block size between `lo` and `hi` that the compiler chooses: `BT: at.Auto(1, 64)`.

    The caller may fix it: `kernel.compile(..., BT=2)`.
    """

    __slots__ = ("lo", "hi")

    def __init__(self, lo: int, hi: int):
        if not isinstance(lo, int) or not isinstance(hi, int) or not 1 <= lo <= hi <= MAX_SIZE:
            raise ValueError(f"at.Auto needs integers with 1 <= lo <= hi, not {lo!r} and {hi!r}")
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
    """Parallel axes, integers or `at.tiles`, spread over the cores: `for b, t in at.grid(B, at.tiles(T, BT))`.

    A kernel has one grid, or several with an `at.phase()` between each two.
    """


@Word
def range(lo, hi=None, stages=1):
    """A sequential loop: `at.range(n)`, `at.range(lo, hi)` or `at.range(at.tiles(n, bs))`.

    `stages` is how many iterations' loads may be in flight. Variables defined before the loop and assigned in it are
    carried from one iteration to the next.
    """


@Word
def each(items, count=None, stages=1, start=0):
    """A loop over integers in memory: `for j in at.each(idx[b, h, :], count=n)`, the first `count` of them or all.

    With `start` they are counted from that place on. Nothing else is read. Where the body is one loop over
    `at.tiles(n, bs, base=, limit=)`, whose base and limit may depend on j, both are one loop, with stages that run on
    from one integer to the next.
    """


@Word
def blocks(items, size, bs, step, count=None, stages=1, start=0, limit=None):
    """A loop over the rows of listed blocks: `for j in at.blocks(idx[b, :], size, BN, step=128, count=n)`.

    Each integer of the list, as in `at.each`, names a block of `size` rows. The blocks are taken one after the other in
    spans of `bs` rows, whatever lies between them: a span may hold rows of several. Rows of an array from `limit` on do
    not exist; only the last block may have such. `size` is a multiple of `step`, a number.
    """


@Word
def gather(X, rows):
    """The rows of an array that a column of integers names: `at.gather(X, idx[t])`, which is `X[idx[t], :]`.

    The column is one of at.i32 that was loaded. `Y[rows, :] = x` stores to the rows that it names, each once.
    """


@Word
def split(n, parts, i):
    """Part i of n things that are divided into equal parts, as first and end: `at.range(*at.split(n, parts, i))`.

    Where n is not a multiple, some parts have one more than others; where it is smaller, some have none.
    """


@Word
def tiles(n, bs, base=0, limit=None):
    """Spans of `bs` indices that cover `base` to `base + n`, and end at `limit` where it is given.

    Where `n` is `bs`, it is a single span, which may be used without a loop. Methods of spans: `.clip(n)` and
    `.clip(lo, hi)` cut off what lies outside, `.window(left, right=, limit=)` adds rows at both ends, `.shift(by)`
    moves, and `.map(offset, step)` goes to rows `offset + step * p`; `.base` is the first index, `.idx` the column of
    all of them (`.idx.T` the row), `.count` the number of rows that exist, `.valid` says which do, for `at.mask`.
    """


@Word
def empty(dims, dtype):
    """An output array, made by the caller: `at.empty("T D", V.dtype)`. The kernel returns it."""


@Word
def empty_like(array):
    """An output with the dims, the type and the memory order of an argument, a list where that is a list."""


@Word
def scratch(dims, dtype):
    """A workspace with a row of f32 for each core, to sum in with `at.accumulate`: `G = at.scratch("D", at.f32)`.

    After `at.phase()`, `G[...]` is the sum over all cores.
    """


@Word
def accumulate(array, value):
    """Adds a row [1, D] to the sum over the grid in an `at.scratch`; no atomics, the same bits in every run."""


@Word
def phase():
    """All cores finish what is above before any begins what is below; must be between two grids."""


@Word
def zeros(shape, dtype=f32):
    """A tile of zeros: `at.zeros((1, D))`."""


@Word
def concat(a, b, axis=0):
    """The rows of `a`, and after them those of `b`; their columns with `axis=1`."""


@Word
def full(shape, value, dtype=f32):
    """A tile filled with one number, `at.full((1, D), 0.0)`, or with a row [1, D] in each of its rows."""


@Word
def dot(a, b, acc=None):
    """The product of a [m, k] and b [k, n], also written `a @ b`, added to `acc`: a tile [m, n], or a row [1, n].

    Operands are f16, bf16 or f32, summed in f32, or i8, summed in i32. An operand that is stored the other way round is
    given as `.T`. `acc + a @ b` is the same as `at.dot(a, b, acc=acc)`.
    """


@Word
def softmax_state(m, d):
    """The running state of a softmax-weighted sum with result [m, d].

    `st.push(s, v)` adds scores [m, k] and values [k, d] shared by all rows; `st.push(s, v, per_row=True)` scores [m, 1]
    and values [m, d]. `o, lse = st.finish()` gives the sum and the log-sum-exp.
    """


@Word
def softmax(s):
    """The softmax over the columns of a tile, and the log-sum-exp of each row: `p, lse = at.softmax(s)`."""


@Word
def lse_merge(o, lse, start=0, count=None):
    """The attention of all parts from that of each: `o, lse = at.lse_merge(po[b, h], pl[b, h])`.

    Of `po`, the dimensions that are left are parts, rows and columns, of `pl` parts and rows: the weighted sums and the
    log-sum-exps of `.finish()`. Rows may be those of a span, `po[:, t, :]` and `pl[:, t]`; parts are all, or `count` of
    them from `start` on. A part whose log-sum-exp is minus infinity counts nothing.
    """


@Word
def band_dot(q, k):
    """Rows q [m, d] against a window k [m + 2r, d]: [m, 2r + 1], the products of row i with rows i to i + 2r of k."""


@Word
def band_mix(p, v):
    """Weights p [m, 2r + 1] and a window v [m + 2r, d]: [m, d], the weighted sum of rows i to i + 2r of v."""


@Word
def band_spread(p, q, acc=None):
    """The transpose of `at.band_mix`: [m + 2r, d], row i of q, weighted by p, added to rows i to i + 2r of `acc`."""


@Word
def mask(s, mask):
    """Scores, those that a mask excludes below all others: `at.mask(s, q.idx >= k.idx.T)`.

    A mask is a comparison of tiles, positions and numbers, or several joined by `&`, `|` and `~`. The `.valid` of a
    window excludes the taps of a band whose rows do not exist. A softmax over a row that is excluded whole is 0, with
    -inf.
    """


@Word
def where(mask, a, b):
    """`a` where the mask holds, else `b`; nothing of what is not taken shows, not even NaN."""


@Word
def arange(n):
    """The row of positions 0, 1, 2 up to n - 1; those of a span are its `.idx`."""


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
def leaky_relu(x, slope):
    """x where it is not negative, else x * slope; the slope is a number."""


@Word
def relu(x):
    """x where it is not negative, else 0; NaN stays NaN."""


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
    """`a / b` rounded up, for integers."""
