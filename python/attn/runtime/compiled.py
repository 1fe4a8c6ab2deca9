"""Kernels that were compiled ahead of time, called on tensors: what a call takes and gives is said by the sidecar."""

from __future__ import annotations

from pathlib import Path

from .. import language
from ..call.binding import bind
from ..call.checking import NPU, Tensors
from ..call.interface import Output, Parameter, Results, Signature
from ..call.overlap import check_overlap
from ..call.planning import Places, PlannedCalls, prepare
from ..errors import entry_point
from .errors import LoadError
from .program import Program

_NUMBERS = {"f32": "float", "i32": "int", "i64": "int"}


class CompiledKernel:
    """A kernel compiled ahead of time; made by `attn.runtime.load`.

    Takes tensors of an NPU (or lists of them) and numbers, in the order of the kernel's parameters or by their names,
    and returns what the kernel returns. Constants, and arrays that are None, were fixed when it was compiled.
    """

    def __init__(self, program: Program):
        self._program = program
        self.sidecar = program.sidecar
        self.signature = _read_signature(self.sidecar)
        self._results = _read_results(self.sidecar)
        self._calls = PlannedCalls(self.signature, self._plan)

    def __repr__(self):
        return f"<attn compiled kernel {self.sidecar.name}>"

    @entry_point
    def __call__(self, *arguments, **keywords):
        """Queues the kernel on the current stream of the tensors' NPU, and returns its outputs."""
        return self._calls.run(arguments, keywords)

    @entry_point
    def run(self, arguments: dict, outputs: dict | None = None):
        """The same by name; `outputs` has tensors by name that the kernel writes to instead of new ones."""
        check_overlap(arguments, outputs or {})
        return self._calls.run((), arguments, outputs)

    def _plan(self, positional, keywords: dict, outputs: dict, places: Places):
        values = bind(self.signature, {}, positional, self._without_fixed(keywords))
        call = prepare(self.signature, values, Tensors(NPU), lambda arguments: self._results, outputs)
        if call.laid_out.device.type != "npu":
            raise TypeError(f"{self.sidecar.name}: no tensor says on which NPU it runs; give one for an output")
        for parameter in self.signature.of_kind("array"):
            if call.laid_out.inputs[parameter.name].table and not parameter.about.table:
                raise TypeError(f"{parameter.name}: a tensor is expected, not a list")
        return call.plan(None if call.is_empty else self._program.prepare(call.laid_out), places)

    def _without_fixed(self, keywords: dict):
        """The keywords that a call still decides. What was fixed may not be given, except None for an absent array."""
        call = self.sidecar.data["call"] or {"absent": (), "constants": {}}
        for name, value in keywords.items():
            if name in call["absent"] and value is not None:
                raise TypeError(f"{name}: {self.sidecar.name} was compiled for None")
            if name in call["constants"]:
                fixed = call["constants"][name]
                raise TypeError(f"{name}: {self.sidecar.name} was compiled for {fixed}, which is fixed")
        return {name: value for name, value in keywords.items() if name not in call["absent"]}


def _dims(array: dict):
    """The dims of an array; one that may be anything is of no other array."""
    return tuple(f"{array['name']}.{axis}" if dim is None else dim for axis, dim in enumerate(array["dims"]))


def _dtype(sidecar, array: dict):
    dtype = getattr(language, array["dtype"], None)
    if not isinstance(dtype, language.DType):
        raise LoadError(f"{sidecar.name}: '{array['name']}' is of {array['dtype']}, which tensors of kernels have not")
    return dtype


def _read_signature(sidecar):
    parameters = []
    for about in sidecar.parameters:
        if about["kind"] == "scalar":
            parameters.append(Parameter(about["name"], _NUMBERS[about["dtype"]], None))
        elif about["role"] == "input":
            array = language.ArrayType(_dims(about), _dtype(sidecar, about), about["kind"] == "table")
            parameters.append(Parameter(about["name"], "array", array))
    return Signature(sidecar.name, tuple(parameters), {}, {}, ())


def _read_results(sidecar):
    """Outputs and results; of a kernel that was written as IR, every output in order."""
    arrays = {about["name"]: about for about in sidecar.parameters if about.get("role") == "output"}
    call = sidecar.data["call"] or {
        "outputs": [{"name": name, "like": None} for name in arrays],
        "returns": list(arrays),
        "single": len(arrays) == 1,
        "row_axes": {},
    }
    likes = {output["name"]: output["like"] for output in call["outputs"]}
    outputs = tuple(
        Output(name, _dims(about), _dtype(sidecar, about), about["kind"] == "table", likes.get(name))
        for name, about in arrays.items()
    )
    places = {output.name: index for index, output in enumerate(outputs)}
    returned = tuple(None if name is None else places[name] for name in call["returns"])
    axes = {name: tuple(axes) for name, axes in call["row_axes"].items()}
    return Results(outputs, returned, call["single"], axes)


def load(path):
    """A kernel that was compiled ahead of time, of its sidecar or of the object beside it, to be called on tensors.

    Checks that both belong together and that the NPU of this machine is one that it was compiled for.
    """
    path = Path(path)
    return CompiledKernel(Program.load(path if path.suffix == ".json" else path.with_suffix(".json")))
