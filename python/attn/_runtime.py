"""Runs kernels on tensors: on the CPU and on the modelled chip. The only file that knows the native runtimes.

An array goes to them as `(addresses, shape, strides)`: one address, or one for each tensor of a list, whose length is
then the first entry of the shape and has the stride 0. Strides count elements. Numbers go as they are.
"""

from __future__ import annotations

from . import _arguments, compiler
from .frontend.lowering import Lowered
from .language import bf16, f16, f32, i32

_DTYPES = {"torch.float32": f32, "torch.float16": f16, "torch.bfloat16": bf16, "torch.int32": i32}


def emit_ascendc(module):
    """The AscendC text of a native module at the stage `ascend`."""
    from . import _core

    return _core.emit_ascendc(module)


def call(kernel, positional, keywords):
    """Runs a kernel on CPU tensors and returns its outputs."""
    import torch

    launch = _Launch(kernel, positional, keywords)
    program = kernel._programs.get(launch.specialisation)
    if program is None:
        program = kernel._programs[launch.specialisation] = _compile_for_host(kernel, launch.lowered)
    program.run(launch.native_arguments(), torch.get_num_threads())
    return launch.results()


def _compile_for_host(kernel, lowered: Lowered):
    from . import _core

    module = compiler.parse(lowered.text, "host")
    with compiler.compile_errors():
        return _core.jit_compile(module)


def simulate(kernel, *positional, soc: str = "Ascend910B4", timing_only: bool = False, **keywords):
    """Runs a kernel on the modelled chip: returns its outputs and a report of hazards, traffic and predicted time.

    With `timing_only` no values are computed, and the outputs are None.
    """
    from . import _core

    signature = kernel.signature
    names = {parameter.name for parameter in signature.parameters}
    options = {name: value for name, value in keywords.items() if name not in names}
    compiler.check_options(options)
    arguments = {name: value for name, value in keywords.items() if name in names}
    launch = _Launch(kernel, positional, arguments)
    artefact = compiler.Artefact(kernel.__name__, launch.lowered.text, soc, options)
    with compiler.compile_errors():
        report = _core.simulate(artefact.module("ascend"), launch.native_arguments(), timing_only=timing_only)
    return (None if timing_only else launch.results()), report


class _Launch:
    """The checked arguments of one call, and the outputs made for it."""

    def __init__(self, kernel, positional, keywords):
        signature = kernel.signature
        self._bound = _arguments.bind(signature, kernel._defaults, positional, keywords)
        self._signature = signature
        self._arrays = {p.name: _describe(p.name, self._bound.get(p.name)) for p in signature.of_kind("array")}
        self._sizes = _arguments.check_arrays(signature, self._arrays)
        captured = kernel.captured() if signature.captured else ()
        self.specialisation = _arguments.specialise(signature, self._arrays, self._sizes, self._bound, captured)
        self.lowered = kernel.lower(self.specialisation)
        self._outputs = [_make_output(output, self._sizes) for output in self.lowered.outputs]

    def native_arguments(self):
        """The arguments in the order of the IR."""
        arguments = []
        for parameter in self._signature.parameters:
            if parameter.kind == "array":
                arguments.append(_native_array(parameter.name, self._bound[parameter.name]))
            elif parameter.kind in ("float", "int"):
                arguments.append(_arguments.scalar(self._signature, parameter, self._bound))
        return arguments + [_native_array(None, output) for output in self._outputs]

    def results(self):
        """What the kernel returns."""
        returned = tuple(self._outputs[place] for place in self.lowered.returned)
        return returned[0] if self.lowered.single else returned


def _describe(name: str, value):
    """A tensor or a list of equal tensors as the signature sees it."""
    import torch

    if isinstance(value, (list, tuple)):
        if not value:
            raise ValueError(f"{name}: the list of tensors is empty")
        first = _describe(f"{name}[0]", value[0])
        for index, tensor in enumerate(value[1:], 1):
            other = _describe(f"{name}[{index}]", tensor)
            if other != first or tensor.stride() != value[0].stride():
                raise ValueError(
                    f"{name}[{index}] differs from {name}[0]: shape {tuple(tensor.shape)}, strides {tensor.stride()}, "
                    f"{tensor.dtype} against {tuple(value[0].shape)}, {value[0].stride()}, {value[0].dtype}"
                )
        return _arguments.Description((len(value), *first.shape), first.dtype, True)
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name}: a tensor is expected, not {'nothing' if value is None else type(value).__name__}")
    if value.device.type != "cpu":
        raise ValueError(f"{name}: a tensor on the CPU is expected, not on {value.device}")
    dtype = _DTYPES.get(str(value.dtype))
    if dtype is None:
        known = ", ".join(_DTYPES)
        raise TypeError(f"{name}: {value.dtype} is not supported; known: {known}")
    if value.dim() and value.shape[-1] > 1 and value.stride(-1) != 1:
        raise ValueError(f"{name}: the last dimension must be contiguous, but the strides are {value.stride()}")
    return _arguments.Description(tuple(value.shape), dtype, False)


def _make_output(output, sizes: dict):
    import torch

    shape = [sizes[dim] if isinstance(dim, str) else dim for dim in output.dims]
    return torch.empty(shape, dtype=_torch_dtypes()[output.dtype])


def _torch_dtypes():
    import torch

    return {dtype: getattr(torch, name.removeprefix("torch.")) for name, dtype in _DTYPES.items()}


def _native_array(name, value):
    if isinstance(value, (list, tuple)):
        first = value[0]
        addresses = [tensor.data_ptr() for tensor in value]
        return addresses, (len(value), *first.shape), (0, *_strides(first))
    return value.data_ptr(), tuple(value.shape), _strides(value)


def _strides(tensor):
    """Strides in elements; the last one is 1 even where the dimension has one element and it does not matter."""
    return (*tensor.stride()[:-1], 1)
