"""Runs kernels: on the CPU, on NPUs and on the modelled chip.

An array goes to them as `(address, shape, strides)`, a list of tensors as `([address, ...], shape, strides)`, whose
first entries are the length of the list and 0. Strides count elements. Numbers go as they are, and arrays that are None
do not go at all.

Outputs are made here, or given by the caller by name: `call` and `simulate` take `outputs={"dq": tensor}`, and check
them as they check arguments. An output of `at.empty_like` has the memory order of its argument, as `torch.empty_like`
has, and is a list where that is one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from . import _arguments, cache, compiler, language, memory
from ._interface import Lowered, Output
from .cache import keys
from .language import Spec, bf16, f16, f32, i32

if TYPE_CHECKING:
    from .report import Report

_DTYPES = {"torch.float32": f32, "torch.float16": f16, "torch.bfloat16": bf16, "torch.int32": i32}


class Simulation(NamedTuple):
    """What `attn.simulate` gives: the kernel's outputs (None without values) and the chip's report."""

    outputs: object
    report: Report


def call(kernel, positional, keywords, outputs: dict | None = None):
    """Runs a kernel where its tensors are, on the CPU or on an NPU, and returns its outputs.

    `outputs` are those that the caller has made, by name. On an NPU the outputs are computed later, as those of every
    operator there.
    """
    arguments, options = compiler.split_options(kernel.signature, keywords)
    launch = _Launch(kernel, positional, arguments, outputs, devices=("cpu", "npu"))
    run = _run_on_npu if launch.device.type == "npu" else _run_on_host
    run(kernel, launch, options)
    return launch.results()


def _run_on_host(kernel, launch: _Launch, options: dict):
    import torch

    native_arguments = launch.native_arguments()
    key = (launch.specialisation, *sorted(options.items()))
    program = kernel.programs.get(key)
    if program is None:
        program = kernel.programs[key] = HostProgram(kernel.__name__, launch.lowered, options)
    if not launch.is_empty:
        launch.prepare_outputs()
        program.run(launch, native_arguments, torch.get_num_threads())


def _run_on_npu(kernel, launch: _Launch, options: dict):
    from . import runtime

    native_arguments = launch.native_arguments(rows_apart=True)
    key = ("npu", launch.specialisation, *sorted(options.items()))
    program = kernel.programs.get(key)
    if program is None:
        artefact = kernel.artefact(launch.specialisation, runtime.soc(), options)
        program = kernel.programs[key] = runtime.Program.build(artefact)
    if not launch.is_empty:
        program.run(native_arguments, launch.tensors(), launch.device.index)


def summing_blocks():
    """How many blocks of one launch sum rows on their own, at most."""
    from . import _host

    return _host.BLOCKS_WITH_PHASES


def lower(kernel, positional, arguments: dict):
    """What the frontend writes for a call, without running it."""
    return _Launch(kernel, positional, arguments).lowered


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

    def run(self, launch: _Launch, arguments: list, threads: int):
        """Runs the kernel; its results are in the outputs of the launch."""
        if self._scratch:
            blocks = self._native.count_blocks(arguments + launch.workspace(self._scratch, 1), threads)
            arguments = arguments + launch.workspace(self._scratch, blocks)
        with memory.workspace(launch.workspace_bytes):
            self._native.run(arguments, threads)


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
    launch = _Launch(kernel, positional, arguments, outputs, has_values=not timing_only)
    artefact = kernel.artefact(launch.specialisation, soc, options)
    if stage == "hivm":
        artefact = artefact.with_composites
    text = "" if stage == "ascend" else getattr(artefact, stage)
    module, native_arguments = artefact.module("ascend"), launch.native_arguments(rows_apart=True)
    with compiler.compile_errors():
        native = _core.simulate(
            module, native_arguments, timing_only=timing_only, ideal_bytes=ideal_bytes, trace=trace, stage=stage, text=text,
            record=record,
        )  # fmt: skip
    return Simulation(None if timing_only else launch.results(), Report.make(native))


class _Launch:
    """The checked arguments of one call, and its outputs, made for it or given."""

    def __init__(
        self, kernel, positional, keywords, outputs: dict | None = None, has_values: bool = True, devices=("cpu",)
    ):
        signature = self._signature = kernel.signature
        self._workspace = []
        self._bound = _arguments.bind(signature, kernel.defaults, positional, keywords)
        describe = self._describe if has_values else self._describe_maybe_spec
        self._devices, self._first = devices, None  # the name and the device of the first tensor
        self._arrays = {
            p.name: None if p.is_none(self._bound) else describe(p.name, self._bound.get(p.name))
            for p in signature.of_kind("array")
        }
        sizes = self._sizes = _arguments.check_arrays(signature, self._arrays)
        self.specialisation = _arguments.specialise(signature, self._arrays, sizes, self._bound, kernel.captured())
        self.lowered = kernel.lower(self.specialisation)
        make = self._make_output if has_values else self._make_spec
        given = outputs or {}
        self._check_given(given, describe)
        self._outputs = [given[o.name] if o.name in given else make(o) for o in self.lowered.outputs]
        self.is_empty = self._check_empty()

    @property
    def device(self):
        """Where the tensors are; a kernel that takes none runs on the CPU."""
        import torch

        return self._first[1] if self._first else torch.device("cpu")

    def _describe(self, name: str, value):
        """Describes an argument, which must be where the others are."""
        description = _describe(name, value)
        for tensor in value if description.table else [value]:
            if tensor.device.type not in self._devices:
                known = " or an NPU" if "npu" in self._devices else ""
                raise ValueError(f"{name}: a tensor on the CPU{known} is expected, not on {tensor.device}")
            first_name, device = self._first = self._first or (name, tensor.device)
            if tensor.device != device:
                raise ValueError(f"{name}: device {tensor.device} does not equal {device} of {first_name}")
        return description

    def _describe_maybe_spec(self, name: str, value):
        if not isinstance(value, Spec):
            return self._describe(name, value)
        if None in value.shape:
            raise ValueError(f"{name}: a number is needed for every dimension, not {value!r}")
        return _arguments.Description(value.shape, value.dtype, value.table)

    def _check_given(self, given: dict, describe):
        """Checks the outputs that the caller has made."""
        known = {output.name: output for output in self.lowered.outputs}
        for name, value in given.items():
            if name not in known:
                raise TypeError(f"{self._signature.name} has no output '{name}'")
            output, found = known[name], describe(name, value)
            expected = _arguments.Description(_shape(output, self._sizes), output.dtype, output.table)
            if found != expected:
                raise ValueError(f"{name}: {expected} is expected, not {found}")
            for tensor in value if output.table and not isinstance(value, Spec) else [value]:
                if not isinstance(tensor, Spec) and _shares_memory(tensor):
                    raise ValueError(f"{name}: elements of an output share memory; the strides are {tensor.stride()}")

    def _make_output(self, output: Output):
        like = self._bound[output.like] if output.like else None
        if output.table:
            return [_make_tensor(output.dtype, like[0].shape, self.device, like[0]) for _ in like]
        return _make_tensor(output.dtype, _shape(output, self._sizes), self.device, like)

    def _make_spec(self, output: Output):
        return Spec(_shape(output, self._sizes), output.dtype, output.table)

    def _check_empty(self):
        """Whether there is nothing to compute. A kernel is not launched on an empty array: where an output would still
        have elements, that is an error."""
        empty = next(((name, axis) for name, array in self._arrays.items() if array
                      for axis, size in enumerate(array.shape) if size == 0), None)  # fmt: skip
        if empty and any(0 not in _shape(output, self._sizes) for output in self.lowered.outputs):
            name, axis = empty
            raise ValueError(f"{name}: dimension {axis} is 0, and kernels do not run on empty arrays")
        return empty is not None

    def native_arguments(self, rows_apart: bool = False):
        """The arguments in the order of the IR; with `rows_apart`, those whose rows overlap in memory as copies.

        The chip's transfers step forward from row to row. Elsewhere a stride of 0 is read in place.
        """
        arguments = []
        for parameter in self._signature.parameters:
            if parameter.kind == "array":
                if self._arrays[parameter.name] is not None:
                    value = self._bound[parameter.name]
                    if rows_apart:
                        value = self._bound[parameter.name] = _with_rows_apart(value, self._row_axes(parameter.name))
                    arguments.append(_native_array(value))
            elif parameter.kind in ("float", "int"):
                arguments.append(_arguments.scalar(self._signature, parameter, self._bound))
        return arguments + [_native_array(output) for output in self._outputs]

    def _row_axes(self, name: str):
        """The axes of an array, or of each array of a list, that rows of tiles come from."""
        lists = 1 if self._arrays[name].table else 0
        return [axis - lists for axis in self.lowered.row_axes.get(name, ()) if axis >= lists]

    def workspace(self, scratch, blocks: int):
        """Arrays for a kernel's scratch; they live until the next are made."""
        sizes = {**self._sizes, "@blocks": blocks}
        arrays = [Output("", tuple(dims), getattr(language, dtype)) for dims, dtype in scratch]
        self._workspace = [_make_tensor(array.dtype, _shape(array, sizes), self.device) for array in arrays]
        return [_native_array(array) for array in self._workspace]

    @property
    def workspace_bytes(self):
        """The bytes of the scratch that was made last."""
        return sum(array.numel() * array.element_size() for array in self._workspace)

    def prepare_outputs(self):
        """Asks for huge pages, before the first write to the outputs: that can cost more than computing them."""
        from . import _host

        for output in self._outputs:
            for tensor in output if isinstance(output, (list, tuple)) else (output,):
                storage = tensor.untyped_storage()
                _host.prefer_huge_pages(storage.data_ptr(), storage.nbytes())

    def tensors(self):
        """Everything that the kernel reads and writes."""
        return [self._bound[name] for name, array in self._arrays.items() if array], self._outputs

    def results(self):
        """What the kernel returns."""
        returned = tuple(None if place is None else self._outputs[place] for place in self.lowered.returned)
        return returned[0] if self.lowered.single else returned


# Arrays as the signature sees them


def _describe(name: str, value):
    """A tensor or a list of equal tensors."""
    import torch

    if isinstance(value, (list, tuple)):
        return _describe_list(name, value)
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name}: a tensor is expected, not {'nothing' if value is None else type(value).__name__}")
    dtype = _DTYPES.get(str(value.dtype))
    if dtype is None:
        raise TypeError(f"{name}: {value.dtype} is not supported; known: {', '.join(_DTYPES)}")
    if value.dim() and value.shape[-1] > 1 and value.stride(-1) != 1:
        raise ValueError(f"{name}: the last dimension must be contiguous, but the strides are {value.stride()}")
    return _arguments.Description(tuple(value.shape), dtype, False)


def _describe_list(name: str, tensors):
    if not tensors:
        raise ValueError(f"{name}: the list of tensors is empty")
    first = _describe(f"{name}[0]", tensors[0])
    for index, tensor in enumerate(tensors[1:], 1):
        if _describe(f"{name}[{index}]", tensor) != first or tensor.stride() != tensors[0].stride():
            has, other = (f"shape {tuple(t.shape)}, strides {t.stride()}, {t.dtype}" for t in (tensor, tensors[0]))
            raise ValueError(f"{name}[{index}] differs from {name}[0]: {has} against {other}")
    return _arguments.Description((len(tensors), *first.shape), first.dtype, True)


# Arrays as the native runtimes see them


def _make_tensor(dtype, shape, device, like=None):
    """A tensor without values; in the memory order of `like`, where the last dimension stays contiguous in it."""
    import torch

    name = next(name for name, known in _DTYPES.items() if known is dtype)
    if like is not None:
        tensor = torch.empty_like(like, memory_format=torch.preserve_format)
        if tensor.shape[-1] <= 1 or tensor.stride(-1) == 1:
            return tensor
    return torch.empty(shape, dtype=getattr(torch, name.removeprefix("torch.")), device=device)


def _shape(output, sizes: dict):
    return tuple(sizes[dim] if isinstance(dim, str) else dim for dim in output.dims)


def _native_array(value):
    if isinstance(value, Spec):
        addresses = [0] * value.shape[0] if value.table else 0
        strides = _arguments.contiguous_strides(value.shape[1:] if value.table else value.shape)
        return addresses, value.shape, (0, *strides) if value.table else strides
    if isinstance(value, (list, tuple)):
        first = value[0]
        addresses = [tensor.data_ptr() for tensor in value]
        return addresses, (len(value), *first.shape), (0, *_strides(first))
    return value.data_ptr(), tuple(value.shape), _strides(value)


def _with_rows_apart(value, axes):
    """The array, or a copy where rows along one of the axes begin before the last one's end."""
    if isinstance(value, Spec):
        return value
    if isinstance(value, (list, tuple)):
        return [_with_rows_apart(tensor, axes) for tensor in value]
    rows = [axis for axis in axes if axis < value.dim() - 1 and value.shape[axis] > 1]
    return value.contiguous() if any(value.stride(axis) < value.shape[-1] for axis in rows) else value


def _strides(tensor):
    """Strides in elements; the last one is 1 even where the dimension has one element and it does not matter."""
    return (*tensor.stride()[:-1], 1)


def _shares_memory(tensor):
    return any(size > 1 and stride == 0 for size, stride in zip(tensor.shape, tensor.stride()))
