"""The sidecar of a kernel: how its object is launched, as JSON. Its form is described in docs/Sidecar.md.

    sidecar = attn.sidecar.load("attn_res_fwd.json")
    call = attn.sidecar.Call({"V": (8, 4096, 512), ...}, {"eps": 1e-6})
    blocks = sidecar.count_blocks(call)

Needs neither PyTorch nor the compiler.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from . import _schema as is_
from ._formula import FormulaError, evaluate, leaves
from ._formula import check as _formula
from ._schema import SchemaError

VERSION = 1
MAX_BLOCKS = 65535
BLOCKS = "@blocks"
"""The dim that is the number of launched blocks."""

_DTYPE = is_.one_of("f32", "f16", "bf16", "i8", "i16", "i32", "i64")
_SIZE = is_.integer(0)


class SidecarError(ValueError):
    """A sidecar that cannot be read, or that a call does not fit."""


# The form


_ARRAY = is_.fields(
    name=is_.text,
    kind=is_.one_of("array", "table"),
    role=is_.one_of("input", "output", "workspace"),
    dtype=_DTYPE,
    dims=is_.array(is_.nullable(is_.either(is_.text, is_.integer(1)))),
    strides=is_.array(is_.nullable(is_.either(is_.one_of("any"), is_.integer(0)))),
    alignment=is_.integer(1),
)
_SCALAR = is_.fields(name=is_.text, kind=is_.one_of("scalar"), dtype=is_.one_of("f32", "i32", "i64"))


def _parameter(value, path: str):
    is_scalar = isinstance(value, dict) and value.get("kind") == "scalar"
    (_SCALAR if is_scalar else _ARRAY)(value, path)


_ARGUMENT = is_.fields(
    name=is_.text,
    kind=is_.one_of("array", "table", "workspace", "size", "stride", "scalar", "hidden"),
    of=is_.nullable(is_.text),
    axis=is_.nullable(_SIZE),
    dtype=_DTYPE,
    offset=_SIZE,
    size=is_.one_of(4, 8),
    alignment=is_.one_of(4, 8),
)
_ROUTE = is_.fields(arguments=is_.array(_ARGUMENT), bytes=_SIZE)
_LAUNCH = is_.fields(
    symbol=is_.text,
    kind=is_.one_of("vector", "mix"),
    ratio=is_.array(is_.integer(0, 2)),
    cross_core_sync=is_.boolean,
    memory=is_.fields(ub_bytes=_SIZE, ub_bytes_used=_SIZE, buffers=_SIZE),
)
_CALL = is_.fields(
    module=is_.text,
    function=is_.text,
    source=is_.text,
    constants=is_.mapping(is_.text),
    dims=is_.mapping(is_.integer(1)),
    options=is_.mapping(is_.text),
    absent=is_.array(is_.text),
    outputs=is_.array(is_.fields(name=is_.text, like=is_.nullable(is_.text))),
    returns=is_.array(is_.nullable(is_.text)),
    single=is_.boolean,
    row_axes=is_.mapping(is_.array(_SIZE)),
)
_OBJECT = is_.fields(
    file=is_.text,
    hash=is_.text,
    form=is_.one_of("object", "shared"),
    route=is_.one_of("ascendc", "hivm"),
    toolchain=is_.text,
    command=is_.array(is_.text, least=1),
)
FORM = is_.fields(
    schema=is_.one_of("attn-sidecar"),
    version=is_.one_of(VERSION),
    compiler=is_.fields(name=is_.text, version=is_.text),
    source=is_.text,
    name=is_.text,
    target=is_.fields(
        arch=is_.one_of("dav-2201"), soc=is_.text, accepts=is_.array(is_.text), vector_cores=is_.integer(1)
    ),
    sizes=is_.mapping(is_.integer(1)),
    parameters=is_.array(_parameter),
    routes=is_.fields(ascendc=_ROUTE, hivm=_ROUTE),
    workspaces=is_.array(
        is_.fields(parameter=is_.text, bytes=_formula, alignment=is_.integer(1), zeroed=is_.boolean)
    ),
    grid=is_.fields(tiles=_formula, limit=is_.integer(1, MAX_BLOCKS), all_at_once=is_.boolean),
    launches=is_.array(_LAUNCH, least=1),
    call=is_.nullable(_CALL),
    object=is_.nullable(_OBJECT),
    predicted=is_.nullable(is_.fields(dims=is_.mapping(is_.integer(1)), microseconds=is_.number)),
)  # fmt: skip


# What fields say about each other


def _check(data: dict):
    FORM(data, "")
    parameters = {parameter["name"]: parameter for parameter in data["parameters"]}
    if len(parameters) != len(data["parameters"]):
        is_.fail("parameters", "two have the same name")
    for index, parameter in enumerate(data["parameters"]):
        if parameter["kind"] != "scalar":
            _check_array(parameter, f"parameters[{index}]")
    for name, route in data["routes"].items():
        _check_route(route, parameters, f"routes.{name}")
    _check_formula(data["grid"]["tiles"], parameters, "grid.tiles", in_grid=True)
    for index, workspace in enumerate(data["workspaces"]):
        path, owner = f"workspaces[{index}]", parameters.get(workspace["parameter"])
        if owner is None or owner.get("role") != "workspace":
            is_.fail(f"{path}.parameter", f"'{workspace['parameter']}' is no workspace among the parameters")
        _check_formula(workspace["bytes"], parameters, f"{path}.bytes")
    _check_launches(data)


def _check_array(array: dict, path: str):
    if len(array["strides"]) != len(array["dims"]):
        is_.fail(f"{path}.strides", f"{len(array['dims'])} entries are expected, as in dims")
    for axis, stride in enumerate(array["strides"]):
        if (stride is None) != (axis == 0 and array["kind"] == "table"):
            is_.fail(f"{path}.strides[{axis}]", "null stands for the length of a table, and for nothing else")


def _check_route(route: dict, parameters: dict, path: str):
    end = 0
    for index, argument in enumerate(route["arguments"]):
        place = f"{path}.arguments[{index}]"
        if argument["offset"] < end or argument["offset"] % argument["alignment"]:
            is_.fail(f"{place}.offset", f"{argument['offset']} overlaps the argument before, or is not aligned")
        end = argument["offset"] + argument["size"]
        if argument["kind"] == "hidden":
            if argument["of"] is not None:
                is_.fail(f"{place}.of", "a hidden argument belongs to no parameter")
            continue
        owner = parameters.get(argument["of"])
        if owner is None:
            is_.fail(f"{place}.of", f"there is no parameter '{argument['of']}'")
        if (argument["kind"] == "scalar") != (owner["kind"] == "scalar"):
            is_.fail(f"{place}.kind", f"'{argument['kind']}' does not fit the parameter '{argument['of']}'")
        has_axis = argument["kind"] in ("size", "stride")
        if has_axis != (argument["axis"] is not None) or (has_axis and argument["axis"] >= len(owner["dims"])):
            is_.fail(f"{place}.axis", f"{argument['axis']} is no dimension of '{argument['of']}'")
    if route["bytes"] < end:
        is_.fail(f"{path}.bytes", f"{route['bytes']} bytes do not hold the last argument, which ends at {end}")


def _check_formula(formula, parameters: dict, path: str, in_grid: bool = False):
    dims = {dim for parameter in parameters.values() for dim in parameter.get("dims", ()) if isinstance(dim, str)}
    for kind, about in leaves(formula):
        if kind == "dim" and (about not in dims or (in_grid and about == BLOCKS)):
            is_.fail(path, f"the dimension '{about}' is not known")
        if kind == "scalar" and parameters.get(about, {}).get("kind") != "scalar":
            is_.fail(path, f"there is no number '{about}' among the parameters")
        if kind == "size" and about[1] >= len(parameters.get(about[0], {}).get("dims", ())):
            is_.fail(path, f"there is no dimension {about[1]} of '{about[0]}'")


def _check_launches(data: dict):
    for index, launch in enumerate(data["launches"]):
        path = f"launches[{index}]"
        if not re.fullmatch(r"[A-Za-z_]\w{0,48}", launch["symbol"], re.ASCII):
            is_.fail(f"{path}.symbol", f"'{launch['symbol']}' is no identifier of at most 49 characters")
        if len(launch["ratio"]) != 2:
            is_.fail(f"{path}.ratio", "two numbers are expected: cube and vector cores of a group")
        if launch["memory"]["ub_bytes_used"] > launch["memory"]["ub_bytes"]:
            is_.fail(f"{path}.memory", "more bytes are used than there are")
    meets = any(launch["cross_core_sync"] for launch in data["launches"])
    if meets != data["grid"]["all_at_once"]:
        is_.fail("grid.all_at_once", "must be true exactly where a launch has cross_core_sync")


# Reading


class Call(NamedTuple):
    """The shapes of a call's arrays by name (of a list of tensors with its length first), and its numbers."""

    shapes: dict
    scalars: dict


class Sidecar:
    """A checked sidecar; `data` is its JSON."""

    def __init__(self, data: dict, origin: str = "sidecar"):
        try:
            _check(data)
        except SchemaError as problem:
            raise SidecarError(f"{origin}: {problem}") from None
        self.data = data
        self.origin = origin

    def __repr__(self):
        return f"<attn sidecar of {self.name}>"

    def replace(self, **sections):
        """A sidecar with other sections in the place of its own."""
        return Sidecar({**self.data, **sections}, self.origin)

    @property
    def name(self):
        """The name of the kernel."""
        return self.data["name"]

    @property
    def parameters(self):
        """The arguments of the kernel as its author knows them, in order."""
        return self.data["parameters"]

    @property
    def launches(self):
        """The kernels of the object, in the order of their launches."""
        return self.data["launches"]

    @property
    def route(self):
        """The way its object was made; AscendC where it stands beside none."""
        return self.data["object"]["route"] if self.data["object"] else "ascendc"

    def arguments(self, route: str | None = None):
        """The arguments of a launch with their places in the block of bytes, in order; by default of its own route."""
        return self.data["routes"][route or self.route]["arguments"]

    def argument_bytes(self, route: str | None = None):
        """The bytes of all arguments of a launch; by default of its own route."""
        return self.data["routes"][route or self.route]["bytes"]

    def accepts(self, soc: str):
        """Whether a chip of that name, as the runtime gives it, runs the object. Suffixes of known names are taken."""
        return any(soc.startswith(known) for known in self.data["target"]["accepts"])

    def check_object(self, path):
        """The content of the object at `path`; SidecarError where it is not the one that this sidecar describes."""
        described = self.data["object"]
        if described is None:
            raise SidecarError(f"{self.origin}: it describes no object")
        try:
            content = Path(path).read_bytes()
        except OSError as problem:
            raise SidecarError(f"{path}: {problem}") from None
        if described["hash"] != f"sha256:{hashlib.sha256(content).hexdigest()}":
            raise SidecarError(f"{path}: not the object that {self.origin} describes; build both again")
        return content

    def dims(self, call: Call):
        """Checks the shapes of a call; gives the sizes of the dims by name."""
        sizes, origins = {}, {}
        for parameter in self.parameters:
            name = parameter["name"]
            if parameter["kind"] == "scalar" or parameter["role"] == "workspace":
                continue
            if name not in call.shapes:
                raise SidecarError(f"{self.name} needs the array '{name}'")
            shape = tuple(call.shapes[name])
            if len(shape) != len(parameter["dims"]):
                raise SidecarError(f"{name}: {len(parameter['dims'])} dimensions are expected, not the shape {shape}")
            for axis, (dim, size) in enumerate(zip(parameter["dims"], shape)):
                if isinstance(dim, str) and dim not in sizes:
                    sizes[dim], origins[dim] = size, name
                expected = sizes.get(dim, dim) if isinstance(dim, str) else dim
                if expected is not None and size != expected:
                    known = f", which is {dim} of {origins[dim]}" if isinstance(dim, str) else ""
                    raise SidecarError(f"{name}: dimension {axis} must be {expected}{known}, not {size}")
        return sizes

    def check_strides(self, shapes: dict, strides: dict):
        """Checks the strides of arrays against those that the kernel counts on; of a list with its length first."""
        for parameter in self.parameters:
            name = parameter["name"]
            for axis, expected in enumerate(parameter.get("strides", ()) if name in strides else ()):
                found = strides[name][axis]
                if isinstance(expected, int) and shapes[name][axis] > 1 and found != expected:
                    raise SidecarError(f"{name}: the stride of dimension {axis} must be {expected}, not {found}")

    def count_tiles(self, call: Call):
        """The tiles of the kernel's grid."""
        return self._evaluate(self.data["grid"]["tiles"], call, self.dims(call))

    def count_blocks(self, call: Call):
        """The blocks to launch."""
        return max(1, min(self.count_tiles(call), self.data["grid"]["limit"]))

    def workspace_bytes(self, call: Call, blocks: int):
        """The bytes of each workspace by the name of its parameter."""
        dims = {**self.dims(call), BLOCKS: blocks}
        return {item["parameter"]: self._evaluate(item["bytes"], call, dims) for item in self.data["workspaces"]}

    def workspace_shape(self, name: str, call: Call, blocks: int):
        """The shape of a workspace, which is contiguous."""
        dims = {**self.dims(call), BLOCKS: blocks}
        (parameter,) = (item for item in self.parameters if item["name"] == name)
        return tuple(dims[dim] if isinstance(dim, str) else dim for dim in parameter["dims"])

    def _evaluate(self, formula, call: Call, dims: dict):
        try:
            return evaluate(formula, dims, call.scalars, call.shapes)
        except FormulaError as problem:
            raise SidecarError(f"{self.name}: {problem}") from None

    def json(self):
        """The text of the sidecar."""
        return json.dumps(self.data, indent=2, sort_keys=True) + "\n"


def _no_duplicates(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the field '{next(n for n in names if names.count(n) > 1)}' is given twice")
    return found


def parse(text: str, origin: str = "sidecar"):
    """The sidecar of a JSON text."""
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as problem:
        raise SidecarError(f"{origin}: no JSON: {problem}") from None
    version = data.get("version") if isinstance(data, dict) else None
    if isinstance(version, int) and version != VERSION and data.get("schema") == "attn-sidecar":
        raise SidecarError(f"{origin}: version {version} of the form, but this attn reads version {VERSION}")
    return Sidecar(data, origin)


def load(path):
    """The sidecar in a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SidecarError(f"{path}: {problem}") from None
    return parse(text, str(path))
