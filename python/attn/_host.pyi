"""Runs compiled kernels on the CPU, without the compiler: for type checkers and readers. Not a public interface."""

from collections.abc import Callable, Sequence
from typing import Any

Array = tuple[int | list[int], tuple[int, ...], tuple[int, ...]]
"""Address (or those of a list of tensors, whose length is the first size), shape, strides in elements."""

BLOCKS_WITH_PHASES: int
"""Blocks of a kernel with several phases, at most; each sums its part of a workspace."""

MAX_GRID: int
"""Blocks of one launch on the chip, at most."""

MAX_ROW_GAP_BYTES: int
"""From the end of a row to the next one that a transfer of the chip can step over, at most."""

WORKSPACE_ALIGNMENT: int
"""Bytes that the parts of a workspace begin at multiples of."""

REPEAT_BYTES: int
"""What a repeat of a vector instruction computes."""

FRACTAL_ROWS: int
"""Rows of a fractal, of which the operands of products on cube cores are made."""

L2_LINE_BYTES: int

MEMORY_BYTES: dict[str, int]
"""The bytes of each local memory of a core, by its name in the IR."""

class Violation(Exception):
    """A check of a kernel does not hold; `args` are the number of the check, from 1 on, and numbers of its own."""

    args: tuple[int, ...]

class Kernel:
    """A kernel in memory, as `attn._core.jit_compile` made it; ValueError where that is not well formed."""

    def __init__(self, description: dict, code: bytes) -> None: ...
    def prepare(self, arguments: list[Array | float | int]) -> Launch:
        """What launches with these arguments but for their addresses and floating-point numbers, which do not count."""

    def count_blocks(self, arguments: list[Array | float | int], threads: int) -> int:
        """How many blocks are launched, unless Violation; workspace has as many parts."""

class Launch:
    """Launches of a kernel that `Kernel.prepare` has prepared."""

    def run(self, addresses: list[int | list[int]], floats: list[float], threads: int) -> None:
        """Runs all blocks on that many threads, unless Violation; the interpreter's lock is released. Each address or
        float takes the place of one of the arguments, in their order."""

class PagedCall:
    """Calls of `paged_attention` of one form."""

    def keep(
        self,
        threads: int,
        pages: Sequence[int],
        launch: Launch,
        sources: list[tuple[int | None, int]],
        floats: list[float],
        kept: object,
    ) -> None:
        """Has calls with so many pages of each sequence launched like that. A source is what an array of the launch is:
        (the place of a tensor among those of the call, the output and the log-sum-exps; any), or (None, an address that
        is always the same). `kept` is kept as long."""

class PagedCalls:
    """Calls of `paged_attention` on a CPU that are made again. `make_like` makes a tensor like the queries, `make_sums`
    one of f32 of a shape."""

    def __init__(self, tensor: type, make_like: Callable, make_sums: Callable) -> None: ...
    def add(self, tensors: tuple, numbers: tuple, repeat: Callable, returns_sums: bool) -> None:
        """Calls like this one (of its types, shapes, strides and numbers) are made by `repeat`, unless `PagedCall.keep`
        has told how; it takes the `PagedCall` and the tensors. Not where tensors cannot be read like that."""

    def run(self, tensors: tuple, numbers: tuple, threads: int, checked: bool) -> Any:
        """What a call returns; None where none like it was added, or its lengths or pages are wrong, as far as they are
        `checked`."""

    def clear(self) -> None: ...

def prefer_huge_pages(address: int, bytes: int) -> None:
    """Asks the system for huge pages where memory is large and not touched yet."""

def find_wrong_page(
    table: int, strides: tuple[int, int], lengths: list[int], page_size: int, pages: int
) -> tuple[int, int] | None:
    """The first (row, column) of a table of 32-bit entries whose page does not exist, although its row is so long.

    The table is an address, with the strides of its entries; it must have as many as the lengths take.
    """

def describe_cpu() -> str:
    """What tells this CPU from those that may not run code made for it."""

compiler_libraries: tuple[str, ...]
"""The files of the libraries that the compiler takes its code generation from."""
