"""How a kernel is called and what it gives, as plain data: what the frontend finds out and everyone else uses.

Nothing here needs a syntax tree, and all of it can be written as JSON and read back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import language


class Parameter(NamedTuple):
    """One parameter; `kind` is array, float, int, const or auto, `about` what its annotation says."""

    name: str
    kind: str
    about: Any

    def is_none(self, bound: dict):
        """Whether it is an array that may be None, and is."""
        return self.kind == "array" and self.about.optional and self.name in bound and bound[self.name] is None


class Signature(NamedTuple):
    """The parameters of a kernel and the dims its arrays name.

    `dims` gives for each name the array parameters that have it, and on which axis. The dims in `specialised` become
    dimensions of tiles, at the line given there: a kernel is compiled again for each of their values. `captured` are
    the names of numbers that the kernel takes from its surroundings.
    """

    name: str
    parameters: tuple
    dims: dict
    specialised: dict
    captured: tuple

    def of_kind(self, *kinds: str):
        """The parameters of the given kinds, in order."""
        return [parameter for parameter in self.parameters if parameter.kind in kinds]

    def to_json(self):
        """All of it but the annotations."""
        kinds = [(parameter.name, parameter.kind) for parameter in self.parameters]
        return {**self._asdict(), "parameters": kinds}

    @classmethod
    def from_json(cls, read: dict, annotations: dict):
        """What `to_json` gave, with the annotations of the same kernel."""
        return cls(
            read["name"],
            tuple(Parameter(name, kind, annotations[name]) for name, kind in read["parameters"]),
            {dim: tuple(map(tuple, places)) for dim, places in read["dims"].items()},
            read["specialised"],
            tuple(read["captured"]),
        )


class Specialisation(NamedTuple):
    """What one compiled form of a kernel is made for; two equal ones give equal code."""

    arrays: tuple  # dtype and whether it is a table, for each array parameter in order; None for one that is None
    dims: tuple  # name and size of each specialised dim
    constants: tuple  # name and value, and its text, so that 0.0 is not -0.0
    sizes: tuple  # name and value of each block size that the caller fixes
    captured: tuple  # name and text of each number from the kernel's surroundings


class Output(NamedTuple):
    """An array that the caller makes: its dims, names or numbers, and its element type.

    A `table` is a list of equal arrays, whose first dim is the length of the list. `like` names the array argument
    whose memory order it takes, if any.
    """

    name: str
    dims: tuple
    dtype: language.DType
    table: bool = False
    like: str | None = None


class Results(NamedTuple):
    """What a call gives: the outputs in the order of the IR's arguments, and which of them are returned, in order.

    Where the kernel returns None, `returned` has None. `single`: the kernel returns an array, not a tuple of arrays.
    `row_axes` gives for each array the axes that it takes rows of tiles from, by name.
    """

    outputs: tuple[Output, ...]
    returned: tuple[int | None, ...]
    single: bool
    row_axes: dict[str, tuple[int, ...]]

    def to_json(self):
        """All of it."""
        outputs = [{**output._asdict(), "dtype": output.dtype.name} for output in self.outputs]
        return {**self._asdict(), "outputs": outputs}

    @classmethod
    def from_json(cls, read: dict):
        """What `to_json` gave."""
        outputs = [
            Output(**{**output, "dims": tuple(output["dims"]), "dtype": getattr(language, output["dtype"])})
            for output in read["outputs"]
        ]
        return cls(
            tuple(outputs),
            tuple(read["returned"]),
            read["single"],
            {name: tuple(axes) for name, axes in read["row_axes"].items()},
        )


class Lowered(NamedTuple):
    """What the frontend makes of a kernel for one specialisation: tile IR as text, and what a call gives."""

    text: str
    results: Results
