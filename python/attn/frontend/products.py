"""Products of matrices: `a @ b`, `at.dot`, and sums that they are added to; part of the frontend."""

from __future__ import annotations

import ast

from ..language import DType, bf16, f16, f32, i8, i32
from .source import Node
from .values import Tile, Transposed, describe

_SUMS: dict[DType, DType] = {f16: f32, bf16: f32, f32: f32, i8: i32}
"""The types that are multiplied, with those of their sums."""


def is_product(node: Node):
    """Whether a node is written `a @ b`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def multiply(lowering, node: ast.BinOp, name: str | None = None):
    """`a @ b`."""
    return dot(lowering, node, name, lowering.evaluate(node.left), lowering.evaluate(node.right), None)


def add_product(lowering, node: ast.BinOp, name: str | None = None):
    """`c + a @ b` or `a @ b + c`: a tile of the product's shape and a row become what the product is added to."""
    product, other = (node.right, node.left) if is_product(node.right) else (node.left, node.right)
    assert isinstance(product, ast.BinOp)
    start = lowering.evaluate(other)
    a, b = lowering.evaluate(product.left), lowering.evaluate(product.right)
    result = _check(lowering, product, a, b)
    if type(start) is Tile and start.cols == result.cols and start.rows in (1, result.rows):
        return dot(lowering, node, name, a, b, start)
    return lowering.arithmetic.binary("+", start, dot(lowering, product, None, a, b, None), node, name)


def dot(lowering, node: Node, name: str | None, a, b, acc):
    """`at.dot(a, b, acc=acc)`."""
    result = _check(lowering, node, a, b)
    start = "" if acc is None else f" acc({_accumulator(lowering, node, acc, result).ssa})"
    form = "".join(f" transpose_{side}" for side, value in (("a", a), ("b", b)) if type(value) is Transposed)
    a, b = _stored(a), _stored(b)
    text = f"tile.dot {a.ssa}, {b.ssa}{start}{form} : {a.type}, {b.type} -> {result.type}"
    return result._replace(ssa=lowering.writer.define(text, node, name))


def _stored(value):
    """The tile of an operand as it is stored."""
    return value.tile if type(value) is Transposed else value


def _shape(value):
    rows, cols = _stored(value)[1:3]
    return (cols, rows) if type(value) is Transposed else (rows, cols)


def _check(lowering, node: Node, a, b):
    """The product of two operands, not written yet; raises where they have none."""
    for value in (a, b):
        if type(value) not in (Tile, Transposed):
            raise lowering.error(node, f"a product takes tiles, not {describe(value)}")
    left, right = _stored(a), _stored(b)
    if left.dtype is not right.dtype:
        message = "a product takes operands of one type"
        raise lowering.error(node, f"{message}, not {left.dtype.name} and {right.dtype.name}: convert one with .to()")
    if left.dtype not in _SUMS:
        raise lowering.error(node, f"a product takes f16, bf16, f32 or i8, not {left.dtype.name}")
    (rows, inner), (other, cols) = _shape(a), _shape(b)
    if inner != other:
        message = f"cannot multiply [{rows}, {inner}] by [{other}, {cols}]: {inner} columns against {other} rows"
        hint = "; is '.T' missing?" if type(b) is Tile and inner == cols else ""
        raise lowering.error(node, message + hint)
    return Tile("", rows, cols, _SUMS[left.dtype])


def _accumulator(lowering, node: Node, acc, result: Tile):
    """What a product is added to, in the shape and type of the product."""
    fits = type(acc) is Tile and acc.cols == result.cols and acc.rows in (1, result.rows)
    if not fits or (acc.dtype is i32) != (result.dtype is i32) or acc.dtype is i8:
        needed = f"a tile [{result.rows}, {result.cols}] or a row [1, {result.cols}] of {result.dtype.name}"
        raise lowering.error(node, f"this product is added to {needed}, not to {describe(acc)}")
    if result.dtype is f32:
        acc = lowering.arithmetic.operand(acc, node, "a product")
    return spread_row(lowering, node, acc, result.rows)


def spread_row(lowering, node: Node, row: Tile, rows, name: str | None = None):
    """A tile of so many rows, each the given one; a tile that has them already as it is."""
    if row.rows == rows:
        return row
    result = row._replace(rows=rows)
    return result._replace(
        ssa=lowering.writer.define(f"tile.broadcast {row.ssa} : {row.type} -> {result.type}", node, name)
    )
