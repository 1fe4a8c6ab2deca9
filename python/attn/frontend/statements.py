"""Statements of a kernel: assignments and loops; part of the frontend."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from ..language import DType
from .expressions import Expressions
from .list_loops import blocks_loop, each_loop, names_of
from .parts import turned
from .signature import find_word
from .source import Node
from .values import (
    NO_AXES,
    NOTHING,
    Array,
    Mask,
    NewArray,
    Positions,
    Scalar,
    Span,
    State,
    Symbol,
    Tile,
    Tiles,
    Transposed,
    Valid,
    axes_of,
    describe,
    is_number,
    least,
)

# What other statements are called in messages.
_UNSUPPORTED = {
    ast.While: "'while' is not supported in a kernel; write for ... in at.range(...)",
    ast.Try: "'try' is not supported in a kernel",
    ast.With: "'with' is not supported in a kernel",
    ast.Import: "'import' is not supported in a kernel",
    ast.ImportFrom: "'import' is not supported in a kernel",
    ast.FunctionDef: "a function inside a kernel is not supported",
    ast.AsyncFunctionDef: "a function inside a kernel is not supported",
    ast.ClassDef: "a class inside a kernel is not supported",
    ast.AnnAssign: "an annotated assignment is not supported in a kernel",
    ast.Delete: "'del' is not supported in a kernel",
    ast.Global: "'global' is not supported in a kernel",
    ast.Nonlocal: "'nonlocal' is not supported in a kernel",
    ast.Raise: "'raise' is not supported in a kernel",
    ast.Assert: "'assert' is not supported in a kernel",
    ast.Break: "'break' is not supported in a kernel",
    ast.Continue: "'continue' is not supported in a kernel",
    ast.Return: "a kernel returns once, at its end",
}


class _Carried(NamedTuple):
    """A variable that a loop carries: its value before the loop, and where the loop assigns it."""

    name: str
    before: Any
    node: Node


def _assigned_in(statements):
    """The names that statements assign (or push to), with the node of the last assignment."""
    found = {}
    for statement in statements:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                found.update(names_of(target))
        elif isinstance(statement, ast.AugAssign):
            found.update(names_of(statement.target))
        elif isinstance(statement, ast.Expr):
            call = statement.value
            method = call.func if isinstance(call, ast.Call) else None
            if isinstance(method, ast.Attribute) and method.attr == "push":
                found.update(names_of(method.value))
        elif isinstance(statement, (ast.For, ast.If)):
            found.update(_assigned_in(statement.body))
            found.update(_assigned_in(statement.orelse))
    return found


class Statements(Expressions):
    """Lowers statements one after the other."""

    def __init__(self, source, reserved):
        super().__init__(source, reserved)
        self.loops = []  # the words of the loops around the current statement

    def run(self, statements):
        """Lowers a list of statements."""
        for statement in statements:
            handler = _HANDLERS.get(type(statement))
            if handler is None:
                other = f"'{type(statement).__name__}' is not supported in a kernel"
                raise self.error(statement, _UNSUPPORTED.get(type(statement), other))
            handler(self, statement)

    def new_array(self, name: str, value: NewArray, node: Node):
        """Names an output or a workspace and returns its array; overridden by the lowering."""
        raise NotImplementedError

    # Assignments

    def _assign(self, node: ast.Assign):
        value, target = node.value, node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            # Each value under the name of its own target; all of them before the first assignment.
            if len(target.elts) != len(value.elts):
                raise self.error(node, f"{len(value.elts)} values are assigned to {len(target.elts)} names")
            values = [self._evaluate_for(t, v) for t, v in zip(target.elts, value.elts)]
            for item, part in zip(target.elts, values):
                self._assign_to(item, part, node)
            return
        result = self._evaluate_for(target, value)
        for target in node.targets:
            self._assign_to(target, result, node)

    def _evaluate_for(self, target: Node, node: Node):
        value = self.evaluate(node, target.id if isinstance(target, ast.Name) else None)
        if type(value) in (Array, State) and isinstance(node, ast.Name):
            raise self.error(node, f"{describe(value)} cannot have a second name")
        return value

    def _assign_to(self, target: Node, value, node: Node):
        if isinstance(target, ast.Name):
            self._bind(target, value)
        elif isinstance(target, ast.Subscript):
            if "grid" not in self.loops:
                raise self.error(target, "a store must be inside at.grid: outside, every core would do it")
            self.store(target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if type(value) is not tuple:
                raise self.error(node, f"{describe(value)} cannot be taken apart into {len(target.elts)} names")
            if len(value) != len(target.elts):
                raise self.error(node, f"{len(value)} values are assigned to {len(target.elts)} names")
            for item, part in zip(target.elts, value):
                self._assign_to(item, part, node)
        else:
            raise self.error(target, "only names and parts of arrays can be assigned")

    def _bind(self, target: ast.Name, value):
        name = target.id
        if self.is_dim(name):
            raise self.error(target, f"'{name}' is a dimension and cannot be assigned")
        if type(self.environment.get(name)) is Array:
            raise self.error(target, f"'{name}' is an array and cannot be assigned; store with {name}[...] = ...")
        if type(value) is NewArray:
            if self.loops:
                raise self.error(value.node, f"at.{value.word} must be before the loops of a kernel")
            value = self.new_array(name, value, target)
        if type(value) is Span:
            value = self.spans.written(value, target, name)
        known = (
            Tile,
            Transposed,
            Mask,
            Positions,
            Scalar,
            Span,
            Valid,
            Tiles,
            State,
            Array,
            Symbol,
            tuple,
            str,
            type(None),
        )
        if type(value) not in known and not is_number(value) and not isinstance(value, (bool, DType)):
            raise self.error(target, f"{describe(value)} cannot be assigned to a variable")
        self.environment[name] = value

    def _augmented(self, node: ast.AugAssign):
        if not isinstance(node.target, ast.Name):
            raise self.error(node, "an array cannot be changed in place; store the new value")
        name = node.target.id
        value = ast.BinOp(ast.copy_location(ast.Name(name, ast.Load()), node.target), node.op, node.value)
        self._bind(node.target, self.evaluate(ast.copy_location(value, node), name))

    def _expression(self, node: ast.Expr):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return  # a docstring
        if self.evaluate(node.value) is not NOTHING:
            raise self.error(node, "the value of this expression is not used")

    def _if(self, node: ast.If):
        test = self.evaluate(node.test)
        if type(test) is Scalar and test.type == "i1":
            self._run_time_if(node, test)
            return
        self.run(node.body if self.condition(test, node.test) else node.orelse)

    def _run_time_if(self, node: ast.If, test: Scalar):
        """An `if` whose condition is known when the kernel runs: its bodies store what they compute."""
        if "grid" not in self.loops:
            raise self.error(
                node, "an 'if' known when the kernel runs must be inside at.grid: what it computes, it stores"
            )
        for name, where in _assigned_in([*node.body, *node.orelse]).items():
            if name in self.environment:
                message = f"'{name}' is defined before this 'if', whose condition is known when the kernel runs"
                raise self.error(where, f"{message}, and cannot be changed in it: store what it is")
        self.writer.open(f"tile.if {test.ssa}")
        self._run_body(node.body, "if", dict(self.environment), f"the 'if' of line {node.lineno}")
        if node.orelse:
            self.writer.alternate()
            self._run_body(node.orelse, "if", dict(self.environment), f"the 'if' of line {node.lineno}")
        self.writer.close(node)

    def _pass(self, node: ast.Pass):
        pass

    # Loops

    def _for(self, node: ast.For):
        call = node.iter
        word = find_word(call.func, self.source) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or word is None or word.name not in ("blocks", "each", "grid", "range"):
            hint = "; write at.range" if _is_call_of(node.iter, "range") else ""
            raise self.error(
                node.iter, f"a kernel loops over at.grid(...), at.range(...), at.each(...) or at.blocks(...){hint}"
            )
        if node.orelse:
            raise self.error(node.orelse[0], "'else' after a loop is not supported in a kernel")
        if word.name == "grid":
            self._grid_loop(node, call)
        elif word.name == "each":
            each_loop(self, node, call)
        elif word.name == "blocks":
            blocks_loop(self, node, call)
        else:
            self._range_loop(node, self.bind(word, call))

    def _grid_loop(self, node: ast.For, call: ast.Call):
        if self.loops:
            raise self.error(node, "at.grid must be at the top of a kernel, not inside a loop")
        self.blocks.enter_grid(self, node)
        axes, stages = self._grid_axes(call)
        names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(names) != len(axes):
            raise self.error(node.target, f"a grid of {len(axes)} axes gives {len(axes)} values, not {len(names)}")
        for name, where in _assigned_in(node.body).items():
            if name in self.environment:
                message = f"'{name}' is defined before at.grid and changed inside"
                raise self.error(where, f"{message}: its iterations do not depend on each other")
        outside = dict(self.environment)
        variables: list[str] = []
        extents: list[str] = []
        several: set[str] = set()
        for name, axis in zip(names, axes):
            # An axis of one is none, so that a kernel may fold one away; but a grid has an axis.
            if axis == 1 and (extents or any(other != 1 for other in axes)):
                self.define_loop_variable(name, 0)
            else:
                own = frozenset([name.id]) if isinstance(name, ast.Name) and not _is_one_block(axis) else NO_AXES
                several |= own
                variables.append(self._loop_variable(name, axis, own))
                extents.append(self._axis_text(axis, node.iter))
        self.indexing.grid_axes = frozenset(several)
        self.writer.open(f"tile.grid ({', '.join(variables)}) in ({', '.join(extents)}){stages}")
        self._run_body(node.body, "grid", outside, f"the loop of line {node.lineno}")
        self.writer.close(node)

    def _grid_axes(self, call: ast.Call):
        axes = [self.evaluate(argument) for argument in call.args]
        stages = 1
        for keyword in call.keywords:
            if keyword.arg != "stages":
                raise self.error(keyword.value, f"at.grid has no argument '{keyword.arg}'")
            stages = self.evaluate(keyword.value)
        if not axes:
            raise self.error(call, "at.grid needs at least one axis")
        for axis, argument in zip(axes, call.args):
            if type(axis) is Tiles:
                if axis.lower != 0:
                    raise self.error(argument, "at.tiles with a base is not supported in at.grid")
            else:
                self.arithmetic.check_index(axis, argument, "an axis of at.grid")
        return axes, self.stages(stages, call)

    def _axis_text(self, axis, node):
        if type(axis) is Tiles:
            return f"{self.arithmetic.index(axis.upper, node)} by {axis.size}"
        return self.arithmetic.index(axis, node)

    def stages(self, stages, node):
        if not isinstance(stages, int) or isinstance(stages, bool) or not 1 <= stages <= 8:
            raise self.error(node, f"stages must be a number from 1 to 8, not {describe(stages)}")
        return "" if stages == 1 else f" stages {stages}"

    def _loop_variable(self, target: Node, axis, axes: frozenset, end: int | None = None):
        """Defines the variable of a loop, which depends on these axes of the grid and is less than `end`; returns its
        text, with location."""
        name = target.id if isinstance(target, ast.Name) else None
        ssa = self.writer.fresh(name)
        is_span = type(axis) is Tiles
        value = (
            Span(ssa, axis.size, axis.over, None, axis.upper, own_axes=axes)
            if is_span
            else Scalar(ssa, "index", axes=axes, end=end)
        )
        self.define_loop_variable(target, value)
        return f"{ssa} {self.writer.location(target, name)}"

    def define_loop_variable(self, target: Node, value):
        if not isinstance(target, ast.Name):
            raise self.error(target, "the variable of a loop must be a name")
        if target.id in self.environment or self.is_dim(target.id):
            raise self.error(target, f"'{target.id}' is defined already; choose another name for the loop variable")
        self.environment[target.id] = value

    def _run_body(self, body, word: str, outside, scope: str):
        """Lowers the body of a loop or an `if` and leaves its scope; returns the names as they are at its end."""
        self.loops.append(word)
        self.run(body)
        self.loops.pop()
        inside, self.environment = self.environment, outside
        for name in inside.keys() - outside.keys():
            self._left_scopes[name] = scope
        return inside

    def _range_loop(self, node: ast.For, arguments):
        lo, hi, stages = arguments["lo"], arguments["hi"], self.stages(arguments["stages"], node.iter)
        if type(lo) is Tiles:
            if hi is not None:
                raise self.error(node.iter, "at.range takes at.tiles alone")
            axis, lo, hi, block = lo, lo.lower, lo.upper, f" by {lo.size}"
        else:
            axis, block = None, ""
            lo, hi = (0, lo) if hi is None else (lo, hi)
        is_known = axis is None and isinstance(lo, int) and isinstance(hi, int)
        if is_known and hi - lo == 1:
            self._run_once(node, lo)
            return
        bounds = [self.arithmetic.index(end, node.iter, "an end of at.range") for end in (lo, hi)]
        axes, end = axes_of(lo, hi), hi if is_known and lo >= 0 else None
        self.sequential_loop(
            node, node.body, bounds, block, stages, lambda: self._loop_variable(node.target, axis, axes, end)
        )

    def _run_once(self, node: ast.For, number: int):
        """A loop that runs once by its numbers is left out, so that a kernel may fold one away."""
        outside = dict(self.environment)
        self.define_loop_variable(node.target, number)
        inside = self._run_body(node.body, "range", outside, f"the loop of line {node.lineno}")
        self.environment.update((name, inside[name]) for name in outside)

    def sequential_loop(self, node: ast.For, body, bounds, block: str, stages: str, variable, enter=None):
        """Writes a loop from one SSA name to another that carries what its body assigns.

        `variable` gives the text of its variable, `enter` defines what its body begins with.
        """
        lower, upper = bounds
        carried = [
            _Carried(name, self._carried_value(name, where), where)
            for name, where in _assigned_in(body).items()
            if name in self.environment
        ]
        outside = dict(self.environment)
        variable = variable()
        results = [self.writer.fresh(item.name) for item in carried]
        inits = [self._enter_carried(item) for item in carried]
        head = f"{', '.join(results)} = " if results else ""
        iterated = f" iter({', '.join(inits)})" if inits else ""
        self.writer.open(f"{head}tile.range {variable} = {lower} to {upper}{block}{iterated}{stages}")
        if enter is not None:
            enter()
        inside = self._run_body(body, "range", outside, f"the loop of line {node.lineno}")
        if carried:
            self._yield(carried, inside, node)
        self.writer.close(node)
        for item, ssa in zip(carried, results):
            self.environment[item.name] = self._carried(item.before, ssa)

    def _carried_value(self, name: str, node: Node):
        """The value that enters a loop for a variable that the loop assigns."""
        value = turned(self, self.environment[name], node)
        if type(value) in (Tile, Scalar, State):
            return value
        if is_number(value):
            whole = isinstance(value, int)
            ssa = self.writer.index(value, node) if whole else self.writer.f32(value, node)
            return Scalar(ssa, "index" if whole else "f32")
        raise self.error(node, f"'{name}' is {describe(value)} before the loop and cannot be changed in it")

    def _carried(self, value, ssa: str):
        """A carried variable in or after its loop; an integer may have become anything there."""
        if type(value) is Scalar:
            return Scalar(ssa, value.type, axes=self.indexing.grid_axes)
        return value._replace(ssa=ssa)

    def _enter_carried(self, item: _Carried):
        ssa = self.writer.fresh(item.name)
        value = item.before
        self.environment[item.name] = self._carried(value, ssa)
        return f"{ssa} {self.writer.location(item.node, item.name)} = {value.ssa} : {value.type}"

    def _yield(self, carried, inside, node: ast.For):
        values = [self._leaving_value(item, inside[item.name]) for item in carried]
        types = [item.before.type for item in carried]
        self.writer.line(f"tile.yield {', '.join(values)} : {', '.join(types)}", node)

    def _leaving_value(self, item: _Carried, value):
        """The SSA name of a variable at the end of a loop's body; it must be what it was before."""
        before, value = item.before, turned(self, value, item.node)
        if type(before) is Scalar and is_number(value):
            if before.type == "f32":
                return self.writer.f32(value, item.node)
            if isinstance(value, int):
                return self.writer.index(value, item.node)
        if type(value) is not type(before) or value.type != before.type:
            hint = "; begin with at.full(...)" if type(before) is Scalar and type(value) is Tile else ""
            message = f"'{item.name}' is {describe(before)} before the loop and {describe(value)} after an iteration"
            raise self.error(item.node, message + hint)
        return value.ssa


_HANDLERS: dict[type, Callable] = {
    ast.Assign: Statements._assign,
    ast.AugAssign: Statements._augmented,
    ast.Expr: Statements._expression,
    ast.For: Statements._for,
    ast.If: Statements._if,
    ast.Pass: Statements._pass,
}


def _is_one_block(axis):
    """Whether an axis of the grid has one block at most, as far as that is known at compile time."""
    if type(axis) is not Tiles:
        return axis == 1
    return axis.single or (isinstance(axis.upper, int) and axis.upper <= least(axis.size))


def _is_call_of(node: Node, name: str):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
