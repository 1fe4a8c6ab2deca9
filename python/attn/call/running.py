"""Runs kernels where their tensors are: on the CPU by what is here, on NPUs by `attn.runtime`.

Outputs are made by the call, or given by the caller by name. An output of `at.empty_like` has the memory order of its
argument, as `torch.empty_like` has, and is a list where that is one. Arrays that are None do not go to a kernel at all.
"""

from __future__ import annotations

import functools
import json

from .. import cache, compiler, config, language, memory
from ..cache import keys
from .binding import bind
from .checking import CPU, NPU, Description, Tensors, shape_of
from .hazards import hazard_of
from .interface import Specialisation
from .layout import LaidOut, address_of, array_maker, fill
from .planning import Places, PlannedCalls, prepare


def calls_of(kernel):
    """The calls of a kernel. On an NPU outputs are computed later, as those of every operator there."""
    return PlannedCalls(kernel.signature, functools.partial(_plan, kernel))


def _plan(kernel, positional, keywords: dict, outputs: dict, places: Places):
    """Checks a call of a kernel, and compiles the kernel for it unless that is done."""
    arguments, options = compiler.split_options(kernel.signature, keywords)
    values = bind(kernel.signature, kernel.defaults, positional, arguments)
    call = prepare(kernel.signature, values, Tensors({**CPU, **NPU}), kernel.results, outputs)
    if call.is_empty:
        return call.plan(None, places)
    specialisation, device = kernel.specialise(call.arguments), call.laid_out.device
    key = (device.type, config.optimize_cpu, specialisation, *sorted(options.items()))
    program = kernel.programs.get(key)
    if program is None:
        program = kernel.programs[key] = _compile(kernel, specialisation, device, options)
    return call.plan(program.prepare(call.laid_out), places)


def _compile(kernel, specialisation: Specialisation, device, options: dict):
    if device.type != "npu":
        return HostProgram(kernel.__name__, kernel.lower(specialisation).text, options)
    from .. import runtime

    return runtime.Program.build(kernel.artefact(specialisation, runtime.soc(), options))


def summing_blocks():
    """How many blocks of one launch on the CPU sum rows on their own, at most."""
    from .. import _host

    return _host.BLOCKS_WITH_PHASES


class HostProgram:
    """A kernel compiled for this machine's CPU, and the workspace that it needs."""

    def __init__(self, name: str, text: str, options: dict):
        from .. import _host

        optimize = config.optimize_cpu

        def make():
            from .. import _core

            module = compiler.fit_for_host(text, options)
            workspaces = module.workspaces
            with compiler.compile_errors():
                module.run(compiler.pipeline_text("attn-cpu", options))
                description, code = _core.jit_compile(module, optimize=optimize)
            return {"workspaces": workspaces, "kernel": json.loads(description)}, code

        def key():
            chosen = repr((optimize, sorted(options.items())))
            return keys.digest(keys.compiler_identity(), keys.host_identity(), text, chosen)

        found = cache.obtain("cpu", name, key, make)
        self._workspaces = found.about["workspaces"]
        self._native = _host.Kernel(found.about["kernel"], found.data)
        self._checks = found.about["kernel"]["checks"]

    def prepare(self, call: LaidOut):
        """Launches with the arguments of a call, whatever its addresses and floating-point numbers are."""
        return _HostLaunch(self._native, self._checks, self._workspaces, call)


class _HostLaunch:
    """Launches of a kernel on the CPU that differ in addresses and floating-point numbers only.

    `native` launches without what is done here before and after; None where workspaces are made for each launch.
    """

    def __init__(self, native, checks: list, workspaces: list, call: LaidOut):
        from .. import _host

        self._kernel = native
        self._checks = checks  # what the numbers of reports mean
        self._violation = _host.Violation
        self._call = call
        self._workspaces = workspaces  # dims and element type of each
        # By the number of threads: what launches with workspaces, and the makers of these.
        self._with_workspaces: dict[int, tuple] = {}
        self.native = None if workspaces else native.prepare(call.native)

    def __call__(self, arrays: list, floats: list):
        try:
            self._run(arrays, floats)
        except self._violation as violation:
            raise hazard_of(self._checks, violation.args) from None

    def _run(self, arrays: list, floats: list):
        import torch

        threads, floats = torch.get_num_threads(), [*map(float, floats)]
        _prefer_huge_pages(arrays[len(arrays) - self._call.output_count :])
        if self.native is not None:
            return self.native.run([*map(address_of, arrays)], floats, threads)
        found = self._with_workspaces.get(threads)
        if found is None:
            one = [maker.layout.native() for maker in self._make_for(1)]
            arguments = fill(self._call.native, arrays, floats) + one
            makers = self._make_for(self._kernel.count_blocks(arguments, threads))
            arguments = self._call.native + [maker.layout.native() for maker in makers]
            found = self._with_workspaces[threads] = self._kernel.prepare(arguments), makers
        launch, makers = found
        workspace = [maker.make() for maker in makers]
        with memory.workspace(sum(tensor.nbytes for tensor in workspace)):
            return launch.run([*map(address_of, arrays + workspace)], floats, threads)

    def _make_for(self, blocks: int):
        """How the workspaces are made for a number of blocks."""
        sizes = {**self._call.sizes, "@blocks": blocks}
        shapes = [(shape_of(dims, sizes), getattr(language, dtype)) for dims, dtype in self._workspaces]
        return [array_maker(Description(shape, dtype, False), self._call.device) for shape, dtype in shapes]


def _prefer_huge_pages(outputs: list):
    """Before the first write to the outputs: that can cost more than computing them."""
    from .. import _host

    for output in outputs:
        for tensor in output if isinstance(output, (list, tuple)) else (output,):
            _host.prefer_huge_pages(tensor.data_ptr(), tensor.nbytes)
