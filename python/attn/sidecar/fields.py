"""The fields of a sidecar: which there are, of which types, and what they say about each other."""

from __future__ import annotations

import re

from .._host import MAX_GRID
from . import schema as is_
from .formulas import check as _formula
from .formulas import leaves

VERSION = 4
BLOCKS, GROUPS, CORES = "@blocks", "@groups", "@cores"
"""The dims that a launch decides: its blocks, its groups of cube and vector cores, its cores of one kind."""

_DTYPE = is_.one_of("f32", "f16", "bf16", "i8", "i16", "u16", "i32", "i64")
_SIZE = is_.integer(0)


# Fields


_ARRAY = is_.Fields(
    name=is_.text,
    kind=is_.one_of("array", "table"),
    role=is_.one_of("input", "output", "workspace"),
    dtype=_DTYPE,
    dims=is_.array(is_.nullable(is_.either(is_.text, is_.integer(1)))),
    strides=is_.array(is_.nullable(is_.either(is_.one_of("any"), is_.integer(0)))),
    alignment=is_.integer(1),
)
_SCALAR = is_.Fields(name=is_.text, kind=is_.one_of("scalar"), dtype=is_.one_of("f32", "i32", "i64"))


def _parameter(value, path: str):
    is_scalar = isinstance(value, dict) and value.get("kind") == "scalar"
    (_SCALAR if is_scalar else _ARRAY)(value, path)


_ARGUMENT = is_.Fields(
    name=is_.text,
    kind=is_.one_of("array", "table", "workspace", "size", "stride", "scalar", "hidden"),
    of=is_.nullable(is_.text),
    axis=is_.nullable(_SIZE),
    dtype=_DTYPE,
    offset=_SIZE,
    size=is_.one_of(4, 8),
    alignment=is_.one_of(4, 8),
)
_ROUTE = is_.Fields(arguments=is_.array(_ARGUMENT), bytes=_SIZE)
_LAUNCH = is_.Fields(
    symbol=is_.text,
    kind=is_.one_of("vector", "cube", "mix"),
    ratio=is_.array(is_.integer(0, 2)),
    cross_core_sync=is_.boolean,
    memory=is_.Fields(
        bytes=is_.mapping(_SIZE), bytes_used=is_.mapping(_SIZE), takes_library_ub=is_.boolean, buffers=_SIZE
    ),
)
_CALL = is_.Fields(
    module=is_.text,
    function=is_.text,
    source=is_.text,
    constants=is_.mapping(is_.text),
    dims=is_.mapping(is_.integer(1)),
    options=is_.mapping(is_.text),
    absent=is_.array(is_.text),
    outputs=is_.array(is_.Fields(name=is_.text, like=is_.nullable(is_.text))),
    returns=is_.array(is_.nullable(is_.text)),
    single=is_.boolean,
    row_axes=is_.mapping(is_.array(_SIZE)),
)
_OBJECT = is_.Fields(
    file=is_.text,
    hash=is_.text,
    form=is_.one_of("object", "shared"),
    route=is_.one_of("ascendc", "hivm"),
    toolchain=is_.text,
    command=is_.array(is_.text, least=1),
)
FORM = is_.Fields(
    schema=is_.one_of("attn-sidecar"),
    version=is_.one_of(VERSION),
    compiler=is_.Fields(name=is_.text, version=is_.text),
    source=is_.text,
    name=is_.text,
    target=is_.Fields(
        arch=is_.one_of("dav-2201"), soc=is_.text, accepts=is_.array(is_.text),
        cube_cores=is_.integer(1), vector_cores=is_.integer(1),
    ),
    sizes=is_.mapping(is_.integer(1)),
    parameters=is_.array(_parameter),
    routes=is_.Fields(ascendc=_ROUTE, hivm=_ROUTE),
    workspaces=is_.array(
        is_.Fields(parameter=is_.text, bytes=_formula, alignment=is_.integer(1), zeroed=is_.boolean)
    ),
    grid=is_.Fields(tiles=_formula, limit=is_.integer(1, MAX_GRID), all_at_once=is_.boolean, groups=is_.boolean),
    launches=is_.array(_LAUNCH, least=1),
    call=is_.nullable(_CALL),
    object=is_.nullable(_OBJECT),
    predicted=is_.nullable(is_.Fields(dims=is_.mapping(is_.integer(1)), microseconds=is_.number)),
)  # fmt: skip


# What fields say about each other


def check(data: dict):
    """SchemaError unless the data is a sidecar."""
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
            is_.fail(f"{path}.parameter", f"'{workspace['parameter']}' is not a workspace among the parameters")
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
            is_.fail(f"{place}.axis", f"{argument['axis']} is not a dimension of '{argument['of']}'")
    if route["bytes"] < end:
        is_.fail(f"{path}.bytes", f"{route['bytes']} bytes do not hold the last argument, which ends at {end}")


def _check_formula(formula, parameters: dict, path: str, in_grid: bool = False):
    dims = {dim for parameter in parameters.values() for dim in parameter.get("dims", ()) if isinstance(dim, str)}
    for kind, about in leaves(formula):
        if kind == "dim" and (about not in dims or (in_grid and about in (BLOCKS, GROUPS, CORES))):
            is_.fail(path, f"the dimension '{about}' is not known")
        if kind == "scalar" and parameters.get(about, {}).get("kind") != "scalar":
            is_.fail(path, f"there is no number '{about}' among the parameters")
        if kind == "size" and about[1] >= len(parameters.get(about[0], {}).get("dims", ())):
            is_.fail(path, f"there is no dimension {about[1]} of '{about[0]}'")


def _check_launches(data: dict):
    for index, launch in enumerate(data["launches"]):
        path = f"launches[{index}]"
        if not re.fullmatch(r"[A-Za-z_]\w{0,48}", launch["symbol"], re.ASCII):
            is_.fail(f"{path}.symbol", f"'{launch['symbol']}' is not an identifier of at most 49 characters")
        if len(launch["ratio"]) != 2:
            is_.fail(f"{path}.ratio", "two numbers are expected: cube and vector cores of a group")
        expected = {"vector": [0, 1], "cube": [1, 0]}.get(launch["kind"], launch["ratio"])
        if launch["ratio"] != expected:
            is_.fail(f"{path}.ratio", f"of the kind '{launch['kind']}' it is {expected}")
        memory = launch["memory"]
        if memory["bytes"].keys() != memory["bytes_used"].keys():
            is_.fail(f"{path}.memory", "bytes and bytes_used must be of the same memories")
        for name, used in memory["bytes_used"].items():
            if used > memory["bytes"][name]:
                is_.fail(f"{path}.memory", f"more bytes of {name} are used than there are")
    has_groups = any(all(launch["ratio"]) for launch in data["launches"])
    if has_groups != data["grid"]["groups"]:
        is_.fail("grid.groups", "must be true exactly where a launch has cube and vector cores")
    meets = any(launch["cross_core_sync"] for launch in data["launches"])
    if meets != data["grid"]["all_at_once"]:
        is_.fail("grid.all_at_once", "must be true exactly where a launch has cross_core_sync")
