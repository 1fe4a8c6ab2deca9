"""Across the cores: `at.scratch`, `at.accumulate`, the total of a workspace, and `at.phase`; part of the frontend.

A workspace has a row for each launched block. Each block sums its share of a grid in its own row; after a phase, the
sum of the rows in their order is the sum over the grid, the same bits in every run.
"""

from __future__ import annotations

import ast

from ..language import f32
from .values import NOTHING, Array, NewArray, Scalar, Tile, describe

BLOCKS = "@blocks"
"""The name of a workspace's first dim, the number of launched blocks."""


class Blocks:
    """What has been accumulated so far, and where phases begin."""

    def __init__(self):
        self._grid = None  # the node of the last grid
        self._phase = None  # the node of the last phase, while no grid follows it
        self._accumulated = {}  # workspace -> the node of its at.accumulate
        self._complete = set()  # the workspaces that a phase has completed

    def enter_grid(self, lowering, node: ast.For):
        """Checks that a phase is between two grids."""
        if self._grid is not None and self._phase is None:
            line = self._grid.lineno
            raise lowering.error(node, f"a second at.grid (the first is in line {line}) needs at.phase() before it")
        self._grid, self._phase = node, None

    def enter_phase(self, lowering, node: ast.Call):
        """`at.phase()`."""
        if lowering.loops:
            raise lowering.error(node, "at.phase must be between the grids of a kernel, not inside a loop")
        if self._grid is None or self._phase is not None:
            raise lowering.error(node, "at.phase must be between two grids: no at.grid is before it")
        self._phase = node
        self._complete |= self._accumulated.keys()
        lowering.indexing.enter_phase()
        lowering.writer.line("tile.phase", node)
        return NOTHING

    def finish(self, lowering):
        """Checks the whole kernel."""
        if self._phase is not None:
            raise lowering.error(self._phase, "at.phase must be between two grids: no at.grid follows it")

    def accumulate(self, lowering, node: ast.Call, array, value):
        """`at.accumulate(G, g)`."""
        if type(array) is not Array or array.role != "workspace":
            raise lowering.error(node, f"at.accumulate adds to an at.scratch, not to {describe(array)}")
        if lowering.loops != ["grid"]:
            raise lowering.error(node, "at.accumulate must be in at.grid, outside of other loops")
        if array.name in self._accumulated:
            line = self._accumulated[array.name].lineno
            raise lowering.error(node, f"'{array.name}' is accumulated already in line {line}: add up before")
        columns = array.dims[1]
        if type(value) is not Tile or (value.rows, value.cols, value.dtype) != (1, columns, f32):
            raise lowering.error(node, f"'{array.name}' takes a row [1, {columns}] of f32, not {describe(value)}")
        self._accumulated[array.name] = node
        lowering.writer.line(f"tile.accumulate {value.ssa}, {array.ssa} : {value.type}, {array.type}", node)
        return NOTHING

    def total(self, lowering, array: Array, indices, nodes, node: ast.Subscript, name: str | None):
        """`G[...]` after a phase: the sum over all blocks."""
        if array.name not in self._complete:
            what = "read" if array.name in self._accumulated else "read before at.accumulate"
            raise lowering.error(node, f"'{array.name}' is {what}: its total is known after at.phase()")
        writer, arithmetic = lowering.writer, lowering.arithmetic
        block = Scalar(writer.fresh("block"), "index")
        row = lowering.indexing.select(array, [block, *indices], [node, *nodes], node)
        start = arithmetic.fill(row.rows, row.cols, 0.0, f32, node)
        count = writer.dim(f"{array.name}_blocks", array, 0)
        total, before = writer.fresh(name), start._replace(ssa=writer.fresh())
        zero = arithmetic.index(0, node)
        carried = f"iter({before.ssa} = {start.ssa} : {start.type})"
        writer.open(f"{total} = tile.range {block.ssa} = {zero} to {count.ssa} {carried} stages 2")
        after = arithmetic.binary("+", before, lowering.indexing.load(array, row, node), node)
        writer.line(f"tile.yield {after.ssa} : {after.type}", node)
        writer.close(node, name)
        return start._replace(ssa=total)


def scratch(lowering, node: ast.Call, name, dims, dtype):
    """`at.scratch("D", at.f32)`: a row for each block."""
    if dtype is not f32 or not isinstance(dims, str) or len(dims.split()) != 1:
        raise lowering.error(node, 'at.scratch is a row of f32 for each core: at.scratch("D", at.f32)')
    columns = lowering.output_dim(dims.split()[0], node, "at.scratch")
    if isinstance(columns, str):
        raise lowering.error(node, f"at.scratch: the size of '{columns}' must be known at compile time")
    return NewArray("scratch", (BLOCKS, columns), dtype, node)


def accumulate(lowering, node: ast.Call, name, array, value):
    """`at.accumulate`."""
    return lowering.blocks.accumulate(lowering, node, array, value)


def phase(lowering, node: ast.Call, name):
    """`at.phase`."""
    return lowering.blocks.enter_phase(lowering, node)
