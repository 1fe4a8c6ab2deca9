"""Writes the tile IR of a kernel for one specialisation; the entry of the frontend."""

from __future__ import annotations

import ast

from ..call.interface import Lowered, Output, Parameter, Results, Signature, Specialisation
from ..language import MAX_SIZE, Auto
from .source import Node, Source
from .statements import Statements
from .values import Array, NewArray, Scalar, Symbol


def lower(source: Source, signature: Signature, specialisation: Specialisation):
    """The tile IR of a kernel; raises CompileError."""
    lowering = _Lowering(source, signature, specialisation)
    try:
        return lowering.lower()
    except RecursionError:
        raise source.error(source.tree, "an expression or a loop nest of this kernel is too deep") from None


_RETURNS = "a kernel returns its outputs, made with at.empty"


class _Lowering(Statements):
    def __init__(self, source: Source, signature: Signature, specialisation: Specialisation):
        super().__init__(source, [parameter.name for parameter in signature.parameters])
        self._signature = signature
        self._sizes = dict(specialisation.dims)
        self._symbols: dict[str, Auto] = {}
        self._inputs: list[str] = []  # the text of each argument of the IR that is not an output
        self._outputs: list[Array] = []
        self._workspaces: list[Array] = []
        self._define_parameters(specialisation)

    # Arguments

    def _define_parameters(self, specialisation: Specialisation):
        arrays = iter(specialisation.arrays)
        constants = {name: value for name, value, _ in specialisation.constants}
        sizes = dict(specialisation.sizes)
        for parameter in self._signature.parameters:
            name, node = parameter.name, self.source.argument(parameter.name)
            if parameter.kind == "array":
                value = self._define_array(parameter, next(arrays))
            elif parameter.kind in ("float", "int"):
                value = Scalar(f"%{name}", "f32" if parameter.kind == "float" else "index", everywhere=True)
                self._inputs.append(f"%{name}: {value.type} {self.writer.location(node, name)}")
            elif parameter.kind == "const":
                value = constants[name]
            else:
                value = sizes.get(name, Symbol(name, parameter.about.lo))
                if type(value) is Symbol:
                    self._symbols[name] = parameter.about
            self.environment[name] = value

    def _define_array(self, parameter: Parameter, form):
        """An array argument in the form it is given; None where it is not."""
        if form is None:
            return None
        dtype, table = form
        dims = tuple(self._sizes.get(dim, dim) for dim in parameter.about.dims)
        array = Array(parameter.name, dims, dtype, table, "input", self.source.argument(parameter.name))
        self._inputs.append(self._array_text(array))
        return array

    def _array_text(self, array: Array):
        dims = ", ".join(f'"{dim}"' if isinstance(dim, str) else str(dim) for dim in array.dims)
        role = "" if array.role == "input" else f", launch.{array.role}"
        location = self.writer.location(array.node, array.name)
        return f"{array.ssa}: {array.type} {{launch.dims = [{dims}]{role}}} {location}"

    # Dims and outputs

    def dims(self):
        return self._signature.dims.keys()

    def dim(self, name: str, node: Node):
        if name in self._sizes:
            return self._sizes[name]
        array, axis = self._dim_place(name, node)
        return self.writer.dim(name, array, axis)

    def _dim_place(self, name: str, node: Node):
        """An array that has a dim, and the axis of it."""
        for array, axis in self._signature.dims[name]:
            if self.environment[array] is not None:
                return self.environment[array], axis
        raise self.error(node, f"the dimension {name} is not known: the arguments that have it are None")

    def output_dim(self, word: str, node: Node, what: str):
        """A dim of an output or a workspace: a number, or the name of an input's dim."""
        if self.is_dim(word):
            self._dim_place(word, node)
            return self._sizes.get(word, word)
        value = int(word) if word.isdecimal() else self.environment.get(word)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_SIZE:
            return value
        raise self.error(node, f"{what}: '{word}' is neither a dimension of an argument nor a positive number")

    def new_array(self, name: str, value: NewArray, node: Node):
        if not name.isascii():
            raise self.error(node, f"the {value.role} '{name}' needs a name of ASCII letters")
        if name in self.environment:
            raise self.error(node, f"'{name}' is defined already; choose another name for the {value.role}")
        ssa = self.writer.fresh(name)
        array = Array(ssa[1:], value.dims, value.dtype, value.table, value.role, node, value.like)
        (self._outputs if value.role == "output" else self._workspaces).append(array)
        return array

    # The whole

    def lower(self):
        """Lowers the body and puts the function together."""
        tree = self.source.tree
        if not tree.name.isascii():
            raise self.error(tree, f"the kernel '{tree.name}' needs a name of ASCII letters")
        statements, last = tree.body[:-1], tree.body[-1]
        if not isinstance(last, ast.Return):
            inner = next((node for node in ast.walk(tree) if isinstance(node, ast.Return)), None)
            hint = ", after its loops" if inner else ""
            raise self.error(inner or tree, f"the kernel '{tree.name}' must end with 'return' and its outputs{hint}")
        self.run(statements)
        self.blocks.finish(self)
        returned = self._returned(last)
        symbols = ", ".join(f"{name} = #tile.auto<{auto.lo}, {auto.hi}>" for name, auto in self._symbols.items())
        attributes = f"tile.kernel, tile.symbols = {{{symbols}}}" if symbols else "tile.kernel"
        made = [self._array_text(array) for array in self._outputs + self._workspaces]
        arguments = ",\n    ".join(self._inputs + made)
        location = self.writer.location
        text = "\n".join([
            "module {",
            f"func.func @{tree.name}(\n    {arguments})\n    attributes {{{attributes}}} {{",
            self.writer.text(),
            f"  return {location(last)}",
            f"}} {location(tree, tree.name)}",
            "} loc(unknown)\n",
        ])  # fmt: skip
        outputs = tuple(Output(a.name, a.dims, a.dtype, a.table, a.like) for a in self._outputs)
        row_axes = {name: tuple(axes) for name, axes in self.indexing.row_axes.items()}
        return Lowered(text, Results(outputs, returned, not isinstance(last.value, ast.Tuple), row_axes))

    def _returned(self, node: ast.Return):
        items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        places = {array.name: place for place, array in enumerate(self._outputs)}
        returned: list[int | None] = []
        for item in items:
            if item is None:
                raise self.error(node, _RETURNS)
            value = self.evaluate(item)
            if value is None:
                returned.append(None)
                continue
            if type(value) is not Array or value.role != "output":
                raise self.error(item, _RETURNS)
            returned.append(places.pop(value.name, None))
            if returned[-1] is None:
                raise self.error(item, f"'{value.name}' is returned twice")
        for name, place in places.items():
            raise self.error(self._outputs[place].node, f"the output '{name}' is not returned")
        return tuple(returned)
