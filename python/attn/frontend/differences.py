"""How far two indices are apart, by what they have in common: `(i + 1) * G - i * G` is G; part of the frontend."""

from __future__ import annotations

import ast

from .source import Node

_Sum = dict[tuple[str, ...], int]
"""A sum of products: how often each product of names, in their order, is in it."""


def difference(lowering, left: Node, right: Node) -> int | None:
    """`left - right` where that is a number, whatever the names in them stand for; else None."""
    sums = _sum_of(lowering, left), _sum_of(lowering, right)
    if sums[0] is None or sums[1] is None:
        return None
    rest = _combine(sums[0], sums[1], -1)
    return rest.get((), 0) if rest.keys() <= {()} else None


def _sum_of(lowering, node: Node) -> _Sum | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        left, right = _sum_of(lowering, node.left), _sum_of(lowering, node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return _multiply(left, right)
        return _combine(left, right, 1 if isinstance(node.op, ast.Add) else -1)
    value = None if isinstance(node, ast.Subscript) else lowering.evaluate(node)  # which would read memory twice
    if isinstance(value, int) and not isinstance(value, bool):
        return {(): value}
    return {(node.id,): 1} if isinstance(node, ast.Name) else {(ast.dump(node),): 1}


def _combine(left: _Sum, right: _Sum, factor: int) -> _Sum:
    total = dict(left)
    for product, times in right.items():
        total[product] = total.get(product, 0) + factor * times
    return {product: times for product, times in total.items() if times != 0}


def _multiply(left: _Sum, right: _Sum) -> _Sum:
    total: _Sum = {}
    for one, times in left.items():
        total = _combine(total, {tuple(sorted(one + other)): times * more for other, more in right.items()}, 1)
    return total
