"""Expressions of a kernel: what each node of the syntax tree stands for; part of the frontend."""

from __future__ import annotations

import ast
import builtins
import operator
import types
from collections.abc import Callable
from typing import Any

from .. import language
from ..errors import near_miss
from ..language import DType, Word
from .arithmetic import Arithmetic
from .blocks import Blocks
from .differences import difference
from .hints import OTHER_ATTRIBUTES, OTHER_NAMES, PLANNED, POWER_HINTS, PYTHON_HINTS, formula
from .indexing import Indexing, Slice
from .lists import lse_merge
from .masks import COMPARISONS, combine, negate, transpose
from .masks import compare as compare_values
from .parts import take_part, turned
from .products import add_product, is_product, multiply
from .softmax import finish, push
from .source import Node, Source
from .spans import METHODS, Spans
from .values import (
    NOTHING,
    Array,
    Mask,
    Method,
    Positions,
    Scalar,
    Span,
    State,
    Symbol,
    Tile,
    Transposed,
    describe,
    is_number,
)  # fmt: skip
from .words import WORDS
from .writer import Writer

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}

_LOGIC = {ast.BitAnd: "&", ast.BitOr: "|"}

_COMPARE = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip

# The same for integers that are known when the kernel runs.
_PREDICATES = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge",
}  # fmt: skip

# What other expressions are called in messages.
_UNSUPPORTED = {
    ast.Lambda: "lambda", ast.ListComp: "a comprehension", ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension", ast.GeneratorExp: "a comprehension", ast.List: "a list", ast.Dict: "a dict",
    ast.Set: "a set", ast.JoinedStr: "an f-string", ast.NamedExpr: "':='", ast.Await: "await", ast.Yield: "yield",
    ast.YieldFrom: "yield", ast.Starred: "'*'",
}  # fmt: skip

_ATTRIBUTES = {
    Array: ("dtype",),
    Tile: ("T", "dtype", "to"),
    Positions: ("T",),
    State: ("push", "finish"),
    Span: (*METHODS, "base", "count", "idx", "valid"),
}

_PLANNED_ATTRIBUTES = {(Tile, "reshape")}

_TYPES = frozenset(name for name, value in vars(language).items() if isinstance(value, DType))


class Expressions:
    """Evaluates expressions; the statements that hold them are the subclass's part.

    `environment` holds what the names of the body stand for now.
    """

    def __init__(self, source: Source, reserved):
        self.source = source
        self.error = source.error
        self.writer = Writer(source, reserved)
        self.arithmetic = Arithmetic(source, self.writer)
        self.environment: dict[str, Any] = {}
        self.spans = Spans(source, self.writer, self.arithmetic)
        self.indexing = Indexing(source, self.writer, self.arithmetic, self.spans)
        self.blocks = Blocks()
        self._left_scopes: dict[str, str] = {}  # names that were defined in a loop or an 'if' which has ended: which

    def evaluate(self, node: Node, name: str | None = None):
        """The value of an expression; `name` is the variable it is assigned to."""
        handler = _HANDLERS.get(type(node))
        if handler is None:
            what = _UNSUPPORTED.get(type(node), f"'{type(node).__name__}'")
            raise self.error(node, f"{what} is not supported in a kernel")
        return handler(self, node, name)

    def is_dim(self, name: str):
        """Whether a name is a dim of an array."""
        return name in self.dims()

    def dim(self, name: str, node: Node):
        """The value of a dim; overridden by the lowering."""
        raise NotImplementedError

    def dims(self):
        """The names of the dims; overridden by the lowering."""
        raise NotImplementedError

    # Names and constants

    def _constant(self, node: ast.Constant, name):
        if node.value is Ellipsis or isinstance(node.value, (complex, bytes)):
            raise self.error(node, f"{ast.unparse(node)} is not supported in a kernel")
        return self.arithmetic.checked(node.value, node)

    def _name(self, node: ast.Name, name):
        value = self.environment.get(node.id, self)
        if value is not self:
            return value
        if node.id in self._left_scopes:
            raise self.error(node, f"'{node.id}' is defined only inside {self._left_scopes[node.id]}")
        if self.is_dim(node.id):
            return self.dim(node.id, node)
        value = self.source.lookup(node.id, self)
        if isinstance(value, (bool, int, float, DType, Word, types.ModuleType)):
            return self.arithmetic.checked(value, node)
        if value is not self:
            raise self.error(node, f"'{node.id}' is neither a number nor a word of attn.language")
        if hasattr(builtins, node.id):
            hint = f"; {PYTHON_HINTS[node.id]}" if node.id in PYTHON_HINTS else ""
            raise self.error(node, f"Python's '{node.id}' is not supported in a kernel{hint}")
        raise self.error(node, f"unknown name '{node.id}'{near_miss(node.id, {*self.environment, *self.dims()})}")

    def _tuple(self, node: ast.Tuple, name):
        return tuple(self.evaluate(item) for item in node.elts)

    def _value(self, node: Node):
        """A value for anything but a product, which takes transposes as they are stored."""
        return turned(self, self.evaluate(node), node)

    # Operators

    def _binary(self, node: ast.BinOp, name):
        symbol = _BINARY.get(type(node.op))
        if type(node.op) in _LOGIC:
            operands = (self._value(node.left), self._value(node.right))
            return combine(self, _LOGIC[type(node.op)], *operands, node, name)
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        if is_product(node):
            return multiply(self, node, name)
        if symbol == "+" and (is_product(node.left) or is_product(node.right)):
            return add_product(self, node, name)
        if symbol is None:
            raise self.error(node, "this operator is not supported in a kernel")
        return self.arithmetic.binary(symbol, self._value(node.left), self._value(node.right), node, name)

    def _power(self, node: ast.BinOp):
        """`a ** b` of two numbers known at compile time."""
        base, exponent = self.evaluate(node.left), self.evaluate(node.right)
        if is_number(base) and is_number(exponent):
            return self.arithmetic.power(base, exponent, node)
        hint = POWER_HINTS.get(exponent, "at.exp(y * at.log(x))")
        unknown = base if is_number(exponent) else exponent
        raise self.error(node, f"'**' takes numbers known at compile time, not {describe(unknown)}; write {hint}")

    def _unary(self, node: ast.UnaryOp, name):
        value = self._value(node.operand)
        if isinstance(node.op, ast.USub):
            return self.arithmetic.negate(value, node, name)
        if isinstance(node.op, ast.Not):
            return not self.condition(value, node)
        if isinstance(node.op, ast.Invert):
            return negate(self, value, node, name)
        raise self.error(node, "this operator is not supported in a kernel")

    def condition(self, value, node: Node):
        """A truth value known at compile time."""
        if isinstance(value, (bool, int, float)) or value is None:
            return bool(value)
        if type(value) is Scalar and value.type == "i1":
            message = "a condition known when the kernel runs must be all of the test of an 'if' statement"
            raise self.error(node, f"{message}: put one 'if' inside another instead of 'and', 'or' and 'not'")
        hint = "; masks are joined by '&', '|' and '~'" if type(value) is Mask else ""
        raise self.error(node, f"a condition must be known at compile time (at.Const), not {describe(value)}{hint}")

    def _compare(self, node: ast.Compare, name):
        if len(node.ops) > 1:
            raise self.error(node, "a chained comparison is not supported in a kernel; join two by '&' or 'and'")
        left, right = self._value(node.left), self._value(node.comparators[0])
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            if left is not None and right is not None:
                raise self.error(node, "'is' asks for None: x is None, x is not None")
            return (left is right) == isinstance(node.ops[0], ast.Is)
        compare = _COMPARE.get(type(node.ops[0]))
        if compare is None:
            raise self.error(node, "this comparison is not supported in a kernel")
        if _is_integer(left) and _is_integer(right) and not (is_number(left) and is_number(right)):
            return self.arithmetic.compare(_PREDICATES[type(node.ops[0])], left, right, node)
        if any(type(value) in (Tile, Positions) for value in (left, right)):
            return compare_values(self, COMPARISONS[type(node.ops[0])], left, right, node, name)
        for value in (left, right):
            if not isinstance(value, (bool, int, float, str, DType)):
                raise self.error(node, f"a comparison must be known at compile time (at.Const), not {describe(value)}")
        try:
            return compare(left, right)
        except TypeError:
            raise self.error(node, f"cannot compare {describe(left)} with {describe(right)}") from None

    def _boolean(self, node: ast.BoolOp, name):
        # As Python: stops at the first operand that decides.
        decides = isinstance(node.op, ast.Or)
        for operand in node.values:
            if self.condition(self.evaluate(operand), operand) == decides:
                return decides
        return not decides

    def _conditional(self, node: ast.IfExp, name):
        return self.evaluate(node.body if self.condition(self.evaluate(node.test), node.test) else node.orelse, name)

    # Indexing

    def indices(self, node: ast.Subscript):
        """The evaluated index list of a subscript, and the node of each index."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return [self._slice(n) if isinstance(n, ast.Slice) else self.evaluate(n) for n in nodes], nodes

    def _slice(self, node: ast.Slice):
        if node.step is not None:
            raise self.error(
                node, "a slice with a step is not supported; of rows, t.map(offset, step) takes every step-th"
            )
        if node.lower is None and node.upper is None:
            return Slice(None, None)
        lower = 0 if node.lower is None else self.evaluate(node.lower)
        if node.upper is None:
            return Slice(lower, None)
        size = self._slice_size(lower, node)
        if size is None or size < 1:
            raise self.error(node, "the size of a slice must be a positive number known at compile time: X[a:a + 64]")
        return Slice(lower, size)

    def _slice_size(self, lower, node: ast.Slice):
        """upper - lower, where both are numbers or what is not cancels out: a:a + 64, i * G:(i + 1) * G."""
        upper = node.upper
        if upper is None:
            return None
        if isinstance(lower, int):
            value = self.evaluate(upper)
            return value - lower if isinstance(value, int) else None
        return difference(self, upper, node.lower) if node.lower is not None else None

    def _subscript(self, node: ast.Subscript, name):
        value = self._value(node.value)
        if type(value) is Array:
            indices, nodes = self.indices(node)
            if value.role == "workspace":
                return self.blocks.total(self, value, indices, nodes, node, name)
            if self.indexing.is_index(value, indices):
                return self.indexing.load_index(value, indices, nodes, node, name)
            return self.indexing.load(value, self.indexing.select(value, indices, nodes, node), node, name)
        if type(value) is tuple:
            index = self.evaluate(node.slice)
            if isinstance(index, int) and -len(value) <= index < len(value):
                return value[index]
            raise self.error(node, f"an index into {len(value)} values must be a number inside it")
        if type(value) is Tile:
            return take_part(self, value, node, name)
        raise self.error(node, f"{describe(value)} cannot be indexed")

    def store(self, node: ast.Subscript, value):
        """`node = value`."""
        array = self.evaluate(node.value)
        if type(array) is not Array:
            hint = "; tiles are never changed: write at.where or at.concat" if type(array) is Tile else ""
            raise self.error(node, f"only arrays can be stored to, not {describe(array)}{hint}")
        indices, nodes = self.indices(node)
        self.indexing.store(array, indices, nodes, turned(self, value, node), node)

    # Attributes and calls

    def _attribute(self, node: ast.Attribute, name):
        value = self.spans.of(self.evaluate(node.value))
        attribute = node.attr
        if isinstance(value, types.ModuleType):
            return self._module_attribute(value, node)
        if attribute == "dtype" and type(value) is Array:
            return value.dtype
        if attribute == "T" and type(value) in (Tile, Transposed):
            return Transposed(value) if type(value) is Tile else value.tile
        if attribute == "T" and type(value) is Positions:
            return transpose(self, value, node)
        if type(value) is Transposed and attribute in ("dtype", "to"):
            value = turned(self, value, node)
        if attribute == "dtype" and type(value) is Tile:
            return value.dtype
        if (type(value), attribute) in ((Tile, "to"), (State, "push"), (State, "finish")):
            return Method(value, attribute)
        if type(value) is Span:
            if attribute in METHODS:
                return Method(value, attribute)
            found = self.spans.attribute(value, attribute, node, name)
            if found is not None:
                return found
        if (type(value), attribute) in _PLANNED_ATTRIBUTES:
            raise self.error(node, f"'.{attribute}' is not supported yet")
        hint = near_miss(attribute, _ATTRIBUTES.get(type(value), ()), "'.{}'")
        if type(value) is Tile and attribute in WORDS:
            hint = f"; write at.{attribute}"
        if type(value) is Tile and attribute in OTHER_ATTRIBUTES:
            hint = f"; did you mean {OTHER_ATTRIBUTES[attribute]}?"
        raise self.error(node, f"{describe(value)} has no '.{attribute}'{hint}")

    def _module_attribute(self, module, node: ast.Attribute):
        found = getattr(module, node.attr, None)
        if isinstance(found, (bool, int, float, DType, Word)):
            return found
        if module.__name__ == "attn.language":
            if node.attr in PLANNED:
                raise self.error(node, f"at.{node.attr} is not supported yet{formula(node.attr)}")
            if found is not None:
                raise self.error(node, f"at.{node.attr} does not belong in the body of a kernel")
            hint = near_miss(
                node.attr, WORDS.keys() | {"blocks", "each", "grid", "lse_merge", "range"} | _TYPES, "at.{}"
            )
            if node.attr in OTHER_NAMES:
                hint = f"; did you mean {OTHER_NAMES[node.attr]}?"
            raise self.error(node, f"attn.language has no word '{node.attr}'{formula(node.attr) or hint}")
        word = f"at.{node.attr}" if node.attr in WORDS else OTHER_NAMES.get(node.attr)
        hint = f"; write {word}" if word else formula(node.attr)
        raise self.error(node, f"'{ast.unparse(node)}' is neither a number nor a word of attn.language{hint}")

    def _call(self, node: ast.Call, name):
        if self._is_python_float(node.func) and len(node.args) == 1 and not node.keywords:
            value = self.evaluate(node.args[0])
            if isinstance(value, str) or is_number(value):
                return self._read_float(value, node)
        function = self.evaluate(node.func)
        if isinstance(function, Word):
            if function.name == "lse_merge":  # its arguments are parts of arrays, which are not values
                return lse_merge(self, node, name)
            if function.name not in WORDS:
                raise self.error(node, f"{function!r} must be in a for statement: for ... in {function!r}(...)")
            bound = self.bind(function, node)
            if function.name != "dot":
                bound = {parameter: turned(self, value, node) for parameter, value in bound.items()}
            return WORDS[function.name](self, node, name, **bound)
        if type(function) is Method:
            return self._call_method(function, node, name)
        raise self.error(node, f"only words of attn.language can be called, not {describe(function)}")

    def _is_python_float(self, node: Node):
        return (
            isinstance(node, ast.Name)
            and node.id == "float"
            and node.id not in self.environment
            and self.source.lookup(node.id, self) is self
        )

    def _read_float(self, value, node: ast.Call):
        """`float("-inf")`, or another number known at compile time."""
        try:
            return float(value)
        except (ValueError, OverflowError):
            raise self.error(node, f"{describe(value)} is not a number that a float holds") from None

    def bind(self, word: Word, node: ast.Call):
        """The evaluated arguments of a call, by parameter name."""
        positional, keywords = self._arguments(node)
        parameters = word.parameters
        if len(positional) > len(parameters):
            takes = ", ".join(parameters)
            raise self.error(node, f"at.{word.name} takes {takes}, and is given {len(positional)} arguments")
        bound = dict(zip(parameters, positional))
        for key, value in keywords.items():
            if key not in parameters:
                hint = "; axes are kept" if key in ("keepdim", "keepdims") else near_miss(key, parameters)
                raise self.error(node, f"at.{word.name} has no argument '{key}'{hint}")
            if key in bound:
                raise self.error(node, f"at.{word.name} is given '{key}' twice")
            bound[key] = value
        for parameter in parameters:
            if parameter not in bound:
                if parameter not in word.defaults:
                    raise self.error(node, self._missing(word, parameter))
                bound[parameter] = word.defaults[parameter]
        return bound

    def bind_parts(self, node: ast.Call, names):
        """The first arguments of a call, given in their order or by these names, evaluated."""
        given = dict(zip(names, node.args))
        given.update((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in names)
        for name in names:
            if name not in given:
                raise self.error(node, f"{ast.unparse(node.func)} needs '{name}'")
        return {name: self.evaluate(given[name]) for name in names}

    @staticmethod
    def _missing(word: Word, parameter: str):
        if (word.name, parameter) == ("tiles", "bs"):
            return "at.tiles needs a block size: at.tiles(n, bs)"
        return f"at.{word.name} needs '{parameter}'"

    def _arguments(self, node: ast.Call):
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(keyword.value, "'**' is not supported in a kernel")
        positional: list[Any] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                values = self.evaluate(argument.value)
                if type(values) is not tuple:
                    raise self.error(argument, f"'*' takes several values apart, not {describe(values)}")
                positional += values
            else:
                positional.append(self.evaluate(argument))
        return positional, {k.arg: self.evaluate(k.value) for k in node.keywords}

    def _call_method(self, method: Method, node: ast.Call, name):
        positional, keywords = self._arguments(node)
        if method.name == "to":
            if len(positional) != 1 or keywords or not isinstance(positional[0], DType):
                raise self.error(node, ".to takes one dtype, such as at.f32")
            return self.arithmetic.cast(method.receiver, positional[0], node, name)
        if type(method.receiver) is Span:
            return self.spans.call(method.receiver, method.name, positional, keywords, node)
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if not isinstance(receiver, ast.Name):
            raise self.error(node, f"a softmax state needs a name before '.{method.name}'")
        variable = receiver.id
        if method.name == "finish":
            if positional or keywords:
                raise self.error(node, ".finish takes no arguments")
            return finish(self, node, method.receiver, variable)
        if len(positional) != 2 or keywords.keys() - {"per_row", "part"}:
            raise self.error(node, ".push takes scores and values, and per_row and part")
        positional = [turned(self, value, node) for value in positional]
        self.environment[variable] = push(self, node, method.receiver, variable, *positional, **keywords)
        return NOTHING


def _is_integer(value):
    return (
        type(value) is Symbol
        or (isinstance(value, int) and not isinstance(value, bool))
        or (type(value) is Scalar and value.type == "index")
    )


_HANDLERS: dict[type, Callable] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Tuple: Expressions._tuple,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._boolean,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions._subscript,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call,
}
