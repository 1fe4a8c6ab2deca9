"""The sidecar of a kernel: how its object is launched, as JSON. Its form is described in docs/Sidecar.md.

    sidecar = attn.sidecar.load("attn_res_fwd.json")
    call = attn.sidecar.Call({"V": (8, 4096, 512), ...}, {"eps": 1e-6})
    blocks = sidecar.count_blocks(call)

Needs neither PyTorch nor the compiler.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from .fields import BLOCKS, CORES, GROUPS, VERSION, check
from .formulas import FormulaError, evaluate
from .schema import SchemaError


class SidecarError(ValueError):
    """A sidecar that cannot be read, or that a call does not fit."""


class Call(NamedTuple):
    """The shapes of a call's arrays by name (of a list of tensors with its length first), and its numbers."""

    shapes: dict
    scalars: dict


class Sidecar:
    """A checked sidecar; `data` is its JSON."""

    def __init__(self, data: dict, origin: str = "sidecar"):
        try:
            check(data)
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
        """The way its object was made; AscendC where it is beside none."""
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
        """Checks the shapes of a call; returns the sizes of the dims by name."""
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
        dims = {**self.dims(call), **self._launch_dims(blocks)}
        return {item["parameter"]: self._evaluate(item["bytes"], call, dims) for item in self.data["workspaces"]}

    def workspace_shape(self, name: str, call: Call, blocks: int):
        """The shape of a workspace, which is contiguous."""
        dims = {**self.dims(call), **self._launch_dims(blocks)}
        (parameter,) = (item for item in self.parameters if item["name"] == name)
        return tuple(dims[dim] if isinstance(dim, str) else dim for dim in parameter["dims"])

    def _launch_dims(self, blocks: int):
        ratios = [launch["ratio"] for launch in self.data["launches"]]
        dims = {BLOCKS: blocks, CORES: blocks * max(max(ratio) for ratio in ratios)}
        if any(all(ratio) for ratio in ratios):
            dims[GROUPS] = blocks
        return dims

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
