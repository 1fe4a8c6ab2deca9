"""An object with its sidecar as a program that launches: loaded once per device, in the order of torch_npu's queue."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import NamedTuple

from .. import memory
from .._arguments import contiguous_strides
from ..sidecar import Call, Sidecar
from ..sidecar import load as load_sidecar
from . import environment
from .arguments import ArgumentBlock
from .errors import LaunchError, LoadError, UnsupportedSoc

# What kind of cores an object is for, as the runtime wants to be told.
_MAGIC_AI_CORE = 0x43554245
_MAGIC_VECTOR_CORE = 0x41415246


# So many combinations of shapes and numbers are remembered.
_MOST_PLANS = 1024


class _Workspace(NamedTuple):
    name: str
    bytes: int
    shape: tuple


class _Plan(NamedTuple):
    blocks: int
    workspaces: list


class Program:
    """A compiled kernel."""

    def __init__(self, sidecar: Sidecar, data: bytes):
        self.sidecar = sidecar
        self._data = data
        self._block = ArgumentBlock(sidecar)
        self._names = [parameter["name"] for parameter in sidecar.parameters]
        self._plans = {}
        self._loaded = {}
        self._lock = threading.Lock()
        chip = environment.soc()
        if not sidecar.accepts(chip):
            known = ", ".join(sidecar.data["target"]["accepts"])
            raise UnsupportedSoc(f"{sidecar.name} was compiled for {known}, not for {chip}")

    @classmethod
    def build(cls, artefact):
        """Compiles an artefact with the vendor's compiler, unless the cache has its object."""
        return cls(*artefact.obtain_object())

    @classmethod
    def load(cls, path):
        """The program of a sidecar's file and the object beside it, which nobody has to compile any more."""
        sidecar = load_sidecar(path)
        about = sidecar.data["object"] or {}
        if about.get("form") != "object" or about["route"] != "ascendc":
            raise LoadError(f"{path}: no object made of AscendC, which is what can be loaded")
        return cls(sidecar, sidecar.check_object(Path(path).parent / about["file"]))

    def run(self, arguments: list, kept, device: int):
        """Queues the launches of the kernel on the device's current stream, and returns at once.

        `arguments` are in the order of the sidecar's parameters, without workspaces. `kept` lives until the launches
        have been handed to the runtime.
        """
        launcher, npu = environment.acl(), environment.torch_npu()
        plan = self._plan(arguments)
        values = dict(zip(self._names, arguments))
        with _on_device(npu, device):
            tensors = [self._make_workspace(workspace, values, device) for workspace in plan.workspaces]
            block, places = self._block.pack(values)
            stream = npu._C._npu_getCurrentRawStreamNoWait(device)
            for kernel in self._kernels(device):
                try:
                    launcher.enqueue(kernel, plan.blocks, stream, block, places, (kept, tensors))
                except launcher.AclError as problem:
                    raise LaunchError(*problem.args) from None

    def _plan(self, arguments: list):
        """What follows from shapes and numbers; kept, since a program mostly meets the same again."""
        key = tuple(value[1] if isinstance(value, tuple) else value for value in arguments)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._make_plan(dict(zip(self._names, arguments)))
        return plan

    def _make_plan(self, values: dict):
        sidecar = self.sidecar
        call = Call(
            {name: value[1] for name, value in values.items() if isinstance(value, tuple)},
            {name: value for name, value in values.items() if not isinstance(value, tuple)},
        )
        blocks = sidecar.count_blocks(call)
        sizes = sidecar.workspace_bytes(call, blocks)
        return _Plan(blocks, [_Workspace(n, s, sidecar.workspace_shape(n, call, blocks)) for n, s in sizes.items()])

    def _make_workspace(self, workspace: _Workspace, values: dict, device: int):
        """Makes a workspace and enters it into the values of a launch."""
        import torch

        tensor = torch.empty(workspace.bytes, dtype=torch.uint8, device=torch.device("npu", device))
        values[workspace.name] = (tensor.data_ptr(), workspace.shape, contiguous_strides(workspace.shape))
        memory.count_workspace(workspace.bytes)
        return tensor

    def _kernels(self, device: int):
        """The kernels of the object on a device; it is loaded at the first launch there."""
        kernels = self._loaded.get(device)
        if kernels is None:
            with self._lock:
                kernels = self._loaded.get(device) or self._loaded.setdefault(device, self._load())
        return kernels

    def _load(self):
        launcher, launches = environment.acl(), self.sidecar.launches
        is_vector = all(launch["kind"] == "vector" for launch in launches)
        try:
            handle = launcher.load_object(self._data, _MAGIC_VECTOR_CORE if is_vector else _MAGIC_AI_CORE)
            return [
                launcher.find_kernel(handle, launch["symbol"], self._block.fields, launch["cross_core_sync"])
                for launch in launches
            ]
        except launcher.AclError as problem:
            raise LoadError(f"{self.sidecar.name}: {problem.args[1]}") from None


def _on_device(npu, device: int):
    """Makes a device the current one, where it is not."""
    if npu.npu.current_device() == device:
        return contextlib.nullcontext()
    return npu.npu.device(device)
