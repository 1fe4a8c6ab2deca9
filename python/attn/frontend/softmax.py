"""Softmax states: `at.softmax_state`, `.push` and `.finish`; part of the frontend."""

from __future__ import annotations

import ast

from ..language import bf16, f16, f32
from .parts import tile_dim
from .values import Scalar, State, Tile, describe


def softmax_state(lowering, node: ast.Call, name, m, d):
    """`at.softmax_state(m, d)`."""
    rows = tile_dim(lowering, m, node, "the number of rows")
    cols = tile_dim(lowering, d, node, "the number of columns")
    state = State("", rows, cols)
    return state._replace(ssa=lowering.writer.define(f"tile.softmax_init : {state.type}", node, name))


def push(lowering, node: ast.Call, state: State, variable: str, s, v, per_row=False, part=None):
    """`st.push(s, v, per_row=..., part=...)`: the state after it."""
    for value, what in ((s, "scores"), (v, "values")):
        if type(value) is not Tile:
            raise lowering.error(node, f"push takes {what} as a tile, not {describe(value)}")
    if not isinstance(per_row, bool):
        raise lowering.error(node, "per_row is True or False")
    s = lowering.arithmetic.operand(s, node, "push")
    rows, place = (state.rows, "") if part is None else _part(lowering, node, state, s, part)
    inner = 1 if per_row else v.rows
    if (s.rows, s.cols) != (rows, inner) or v.cols != state.cols or (per_row and v.rows != rows):
        form = "scores [m, 1] and values [m, d]" if per_row else "scores [m, k] and values [k, d]"
        given = f"[{s.rows}, {s.cols}] and [{v.rows}, {v.cols}]"
        message = f"a state [{state.rows}, {state.cols}] takes {form}, not {given}"
        if not per_row and s.cols == 1 and v.rows == state.rows:
            message += "; for a value of its own in each row add per_row=True"
        raise lowering.error(node, message)
    if per_row:
        v = lowering.arithmetic.operand(v, node, "push")
    elif v.dtype not in (f16, bf16, f32):
        raise lowering.error(node, f"push takes values of f16, bf16 or f32, not {v.dtype.name}")
    form = "per_row" if per_row else "shared"
    text = f"tile.softmax_push {form} {state.ssa}{place}, {s.ssa}, {v.ssa} : {state.type}, {s.type}, {v.type}"
    return state._replace(ssa=lowering.writer.define(text, node, variable))


def _part(lowering, node: ast.Call, state: State, scores: Tile, part):
    """The rows of one of the equal parts of a state, as many as scores have, and the text that names it."""
    if not isinstance(state.rows, int) or not isinstance(scores.rows, int) or state.rows % scores.rows:
        message = f"a state [{state.rows}, {state.cols}] does not have parts of {scores.rows} rows"
        raise lowering.error(node, f"{message}: both must be numbers, the first a multiple of the second")
    count = state.rows // scores.rows
    end = part + 1 if isinstance(part, int) and part >= 0 else part.end if type(part) is Scalar else None
    if isinstance(part, bool) or end is None or end > count:
        message = f"part must be a number from 0 to {count - 1}, or the variable of at.range({count})"
        raise lowering.error(node, f"{message}, not {describe(part)}")
    return scores.rows, "" if count == 1 else f" part {lowering.arithmetic.index(part, node)}"


def finish(lowering, node: ast.Call, state: State, variable: str | None = None):
    """`st.finish()`: the weighted sum and the log-sum-exp."""
    output = Tile(lowering.writer.fresh(), state.rows, state.cols, f32)
    lse = Tile(lowering.writer.fresh(), state.rows, 1, f32)
    text = f"tile.softmax_finish {state.ssa} : {state.type} -> {output.type}, {lse.type}"
    lowering.writer.line(f"{output.ssa}, {lse.ssa} = {text}", node, variable)
    return output, lse
