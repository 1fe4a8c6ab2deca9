"""Runs kernels: on the CPU, on NPUs and on the modelled chip.

Outputs are made here, or given by the caller by name: calls and `simulate` take `outputs={"dq": tensor}`, and check
them as they check arguments. An output of `at.empty_like` has the memory order of its argument, as `torch.empty_like`
has, and is a list where that is one. Arrays that are None do not go to a kernel at all.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, NamedTuple

from . import _arguments, _arrays, _calls, cache, compiler, language, memory
from ._interface import Lowered, Output
from .cache import keys
from .language import Spec

if TYPE_CHECKING:
    from .report import Report

_CPU = {"cpu": "the CPU"}
_CPU_OR_NPU = {"cpu": "the CPU", "npu": "an NPU"}


class Simulation(NamedTuple):
    """What `attn.simulate` gives: the kernel's outputs (None without values) and the chip's report."""

    outputs: object
    report: Report


# Calls


def calls_of(kernel):
    """The calls of a kernel: where its tensors are, on the CPU or on an NPU.

    On an NPU outputs are computed later, as those of every operator there.
    """
    names = [parameter.name for parameter in kernel.signature.parameters if parameter.kind != "auto"]
    reals = [parameter.name for parameter in kernel.signature.of_kind("float")]
    return _calls.Calls(names, reals, functools.partial(_plan, kernel))


def _plan(kernel, positional, keywords: dict, outputs: dict, places: dict, written: dict):
    """Checks a call of a kernel, and compiles the kernel for it unless that is done."""
    arguments, options = compiler.split_options(kernel.signature, keywords)
    call = CheckedCall(kernel, positional, arguments, outputs, kinds=_CPU_OR_NPU)
    key = (call.device.type, call.specialisation, *sorted(options.items()))
    program = kernel.programs.get(key)
    if program is None:
        program = kernel.programs[key] = _compile(kernel, call, options)
    return call.plan(None if call.is_empty else program.prepare(call), places, written)


def _compile(kernel, call: CheckedCall, options: dict):
    if call.device.type != "npu":
        return HostProgram(kernel.__name__, call.lowered, options)
    from . import runtime

    return runtime.Program.build(kernel.artefact(call.specialisation, runtime.soc(), options))


def summing_blocks():
    """How many blocks of one launch sum rows on their own, at most."""
    from . import _host

    return _host.BLOCKS_WITH_PHASES


def lower(kernel, positional, arguments: dict):
    """What the frontend writes for a call, without running it."""
    return CheckedCall(kernel, positional, arguments).lowered


class HostProgram:
    """A kernel compiled for this machine's CPU, and the workspace that it needs."""

    def __init__(self, name: str, lowered: Lowered, options: dict):
        from . import _host

        def make():
            from . import _core

            module = compiler.fit_for_host(lowered.text, options)
            scratch = module.scratch
            with compiler.compile_errors():
                module.run("attn-cpu")
                description, code = _core.jit_compile(module)
            return {"scratch": scratch, "kernel": json.loads(description)}, code

        def key():
            asked = lowered.text, repr(sorted(options.items()))
            return keys.digest(keys.compiler_identity(), keys.host_identity(), *asked)

        found = cache.obtain("cpu", name, key, make)
        self._scratch = found.about["scratch"]
        self._native = _host.Kernel(found.about["kernel"], found.data)

    def prepare(self, call: CheckedCall):
        """Launches with the arguments of a call, whatever its addresses and reals are."""
        return _HostLaunch(self._native, self._scratch, call)


class _HostLaunch:
    """Launches of a kernel on the CPU that differ in addresses and reals only."""

    def __init__(self, native, scratch, call: CheckedCall):
        self._native = native
        self._arguments = call.native_arguments
        self._outputs = len(call.lowered.outputs)
        self._sizes = call.sizes
        self._scratch = [Output("", tuple(dims), getattr(language, dtype)) for dims, dtype in scratch]
        self._workspaces = {}  # how they are made, by the number of threads

    def __call__(self, arrays: list, reals: list):
        import torch

        threads = torch.get_num_threads()
        _prefer_huge_pages(arrays[len(arrays) - self._outputs :])
        arguments = _arrays.fill(self._arguments, arrays, reals)
        if not self._scratch:
            return self._native.run(arguments, threads)
        if threads not in self._workspaces:
            one = [layout.native() for _, layout in self._workspace_makers(1)]
            blocks = self._native.count_blocks(arguments + one, threads)
            self._workspaces[threads] = self._workspace_makers(blocks)
        makers = self._workspaces[threads]
        workspace = [make() for make, _ in makers]
        arguments += _arrays.fill([layout.native() for _, layout in makers], workspace, [])
        with memory.workspace(sum(tensor.nbytes for tensor in workspace)):
            return self._native.run(arguments, threads)

    def _workspace_makers(self, blocks: int):
        """How the arrays of the kernel's scratch are made for a number of blocks, with their layouts."""
        import torch

        sizes = {**self._sizes, "@blocks": blocks}
        return [_arrays.output_maker(_expected(array, sizes), torch.device("cpu")) for array in self._scratch]


def _prefer_huge_pages(outputs: list):
    """Before the first write to the outputs: that can cost more than computing them."""
    from . import _host

    for output in outputs:
        for tensor in output if isinstance(output, (list, tuple)) else (output,):
            storage = tensor.untyped_storage()
            _host.prefer_huge_pages(storage.data_ptr(), storage.nbytes())


def simulate(
    kernel,
    *positional,
    soc: str = "Ascend910B4",
    timing_only: bool = False,
    ideal_bytes: int | None = None,
    trace: str = "",
    outputs: dict | None = None,
    stage: str = "ascend",
    record: bool = False,
    **keywords,
):
    """Runs a kernel on the modelled chip; gives its `outputs` and a `report` of hazards, traffic and predicted time.

    `stage` is what runs: the chip IR ("ascend"), or emitted text, compiled by clang ("ascendc") or read ("hivm"). With
    `record`, the report has what each pipe did in `records`.
    With `timing_only` no values are computed, and arrays may be given as `at.spec` with a number for every dim.
    `ideal_bytes` are what the roofline counts, by default the bytes moved. `trace` names a file for Chrome or Perfetto.
    `outputs` are those that the caller has made, by name.
    """
    from . import _core
    from .report import Report

    if stage not in ("ascend", "ascendc", "hivm"):
        raise ValueError(f"the modelled chip runs the stages ascend, ascendc and hivm, not {stage!r}")
    arguments, options = compiler.split_options(kernel.signature, keywords)
    call = CheckedCall(kernel, positional, arguments, outputs, has_values=not timing_only, rows_apart=True)
    artefact = kernel.artefact(call.specialisation, soc, options)
    if stage == "hivm":
        artefact = artefact.with_composites
    text = "" if stage == "ascend" else getattr(artefact, stage)
    module = artefact.module("ascend")
    reports = []

    def launch(arrays: list, reals: list):
        given = call.native_arguments if timing_only else _arrays.fill(call.native_arguments, arrays, reals)
        with compiler.compile_errors():
            native = _core.simulate(
                module, given, timing_only=timing_only, ideal_bytes=ideal_bytes, trace=trace, stage=stage, text=text,
                record=record,
            )  # fmt: skip
        reports.append(Report.make(native))

    if timing_only:
        launch([], [])
        return Simulation(None, reports[0])
    return Simulation(call.run(launch), reports[0])


class CheckedCall:
    """The checked arguments of one call, what the kernel is specialised for, and the outputs that it has."""

    def __init__(
        self, kernel, positional, keywords, outputs=None, has_values: bool = True, kinds=_CPU, rows_apart: bool = False
    ):
        signature = self._signature = kernel.signature
        self._given = outputs or {}
        self._bound = _arguments.bind(signature, kernel.defaults, positional, keywords)
        self._devices = _arrays.Devices(kinds)
        describe = self._describe if has_values else self._describe_maybe_spec
        self._descriptions = {
            p.name: None if p.is_none(self._bound) else describe(p.name, self._bound.get(p.name))
            for p in signature.of_kind("array")
        }
        self.sizes = _arguments.check_arrays(signature, self._descriptions)
        captured = kernel.captured()
        self.specialisation = _arguments.specialise(signature, self._descriptions, self.sizes, self._bound, captured)
        self.lowered = kernel.lower(self.specialisation)
        self._check_given(describe)
        self.is_empty = self._check_empty()
        rows_apart = rows_apart or self.device.type == "npu"
        axes = self.lowered.row_axes if rows_apart else {}
        present = [name for name, description in self._descriptions.items() if description is not None]
        self.layouts = {name: _arrays.layout(self._bound[name], axes.get(name, ())) for name in present}
        self._makers = {} if not has_values else {
            output.name: self._make_output(output) for output in self.lowered.outputs if output.name not in self._given
        }  # fmt: skip
        self.native_arguments = self._native_arguments()
        """The arguments in the order of the IR, with 0 for every address."""

    @property
    def device(self):
        """Where the tensors are; a kernel that takes none runs on the CPU."""
        import torch

        return self._devices.device or torch.device("cpu")

    def _describe(self, name: str, value):
        """Describes an argument, which must be where the others are."""
        description = _arrays.describe(name, value)
        self._devices.check(name, value)
        return description

    def _describe_maybe_spec(self, name: str, value):
        if not isinstance(value, Spec):
            return self._describe(name, value)
        if None in value.shape:
            raise ValueError(f"{name}: a number is needed for every dimension, not {value!r}")
        return _arguments.Description(value.shape, value.dtype, value.table)

    def _check_given(self, describe):
        """Checks the outputs that the caller has made."""
        known = {output.name: output for output in self.lowered.outputs}
        for name, value in self._given.items():
            if name not in known:
                raise TypeError(f"{self._signature.name} has no output '{name}'")
            _arrays.check_output(name, value, _expected(known[name], self.sizes), describe(name, value))

    def _make_output(self, output: Output):
        like = self._bound[output.like] if output.like else None
        return _arrays.output_maker(_expected(output, self.sizes), self.device, like)

    def _check_empty(self):
        """Whether there is nothing to compute. A kernel is not launched on an empty array: where an output would still
        have elements, that is an error."""
        empty = next(((name, axis) for name, array in self._descriptions.items() if array
                      for axis, size in enumerate(array.shape) if size == 0), None)  # fmt: skip
        if empty and any(0 not in _expected(output, self.sizes).shape for output in self.lowered.outputs):
            name, axis = empty
            raise ValueError(f"{name}: dimension {axis} is 0, and kernels do not run on empty arrays")
        return empty is not None

    def _native_arguments(self):
        arguments = []
        for parameter in self._signature.parameters:
            if parameter.name in self.layouts:
                arguments.append(self.layouts[parameter.name].native())
            elif parameter.kind in ("float", "int"):
                arguments.append(_arguments.scalar(self._signature, parameter, self._bound))
        return arguments + [self._output_layout(output).native() for output in self.lowered.outputs]

    def _output_layout(self, output: Output):
        if output.name in self._makers:
            return self._makers[output.name][1]
        description = _expected(output, self.sizes)
        spec = Spec(description.shape, description.dtype, description.table)
        return _arrays.layout(self._given.get(output.name, spec))

    def plan(self, launch, places: dict, written: dict):
        """How calls of this form are made: `launch` takes the arrays and reals that are found at those places."""
        inputs = [_calls.Input(places[name], layout.copied) for name, layout in self.layouts.items()]
        outputs = [
            _calls.Output(written.get(output.name), self._makers.get(output.name, (None,))[0])
            for output in self.lowered.outputs
        ]
        reals = [
            _calls.Real(places.get(p.name), None if p.name in places else float(self._bound[p.name]))
            for p in self._signature.of_kind("float")
        ]
        return _calls.Plan(inputs, outputs, reals, launch, self.lowered.returned, self.lowered.single)

    def run(self, launch):
        """Makes this call, by itself."""
        names = {name: name for name in (*self._bound, *self._given)}
        return self.plan(launch, names, names).run({**self._bound, **self._given})


def _expected(output: Output, sizes: dict):
    """What an output is, by the sizes of a call."""
    shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in output.dims)
    return _arguments.Description(shape, output.dtype, output.table)
