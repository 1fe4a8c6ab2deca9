"""An object with its sidecar as a program that launches: loaded once per device, in the order of torch_npu's queue."""

from __future__ import annotations

import functools
import threading
from pathlib import Path
from typing import NamedTuple

from .. import memory
from ..call.layout import LaidOut, Layout, contiguous_layout
from ..sidecar import Call, Sidecar
from ..sidecar import load as load_sidecar
from . import environment
from .errors import LaunchError, LoadError, UnsupportedSoc
from .packing import ArgumentBlock

# What kind of cores an object is for, as the runtime wants to be told.
_MAGIC_AI_CORE = 0x43554245
_MAGICS = {"vector": 0x41415246, "cube": 0x41494343}


class _Workspace(NamedTuple):
    name: str
    bytes: int
    layout: Layout


class Program:
    """A compiled kernel."""

    def __init__(self, sidecar: Sidecar, data: bytes):
        self.sidecar = sidecar
        self._data = data
        self._block = ArgumentBlock(sidecar)
        self._names = [parameter["name"] for parameter in sidecar.parameters if parameter.get("role") != "workspace"]
        self._loaded: dict[int, tuple] = {}
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
        """The program of a sidecar's file and the object beside it, which does not have to be compiled any more."""
        sidecar = load_sidecar(path)
        about = sidecar.data["object"] or {}
        if about.get("form") != "object":
            raise LoadError(f"{path}: there is no object next to it that can be loaded; compile with --form object")
        return cls(sidecar, sidecar.check_object(Path(path).parent / about["file"]))

    def prepare(self, call: LaidOut):
        """Launches with the arguments of a call on its device, for any addresses and floats."""
        launcher, device = environment.acl(), call.device.index
        # The IR's order is that of the sidecar's parameters, which also has the workspaces.
        values = dict(zip(self._names, call.native, strict=True))
        blocks, workspaces = self._measure(values, device)
        for workspace in workspaces:
            values[workspace.name] = workspace.layout.native()
        kernels, hidden = self._loaded.get(device) or self._load_once(device)
        packed = self._block.pack(values, hidden)
        plan = launcher.Plan(kernels, blocks, packed.data, packed.addresses, packed.floats, packed.places)
        return _Launch(plan, [workspace.bytes for workspace in workspaces], device)

    def _measure(self, values: dict, device: int):
        """The number of blocks of a launch, and its workspaces; checks shapes and strides."""
        sidecar = self.sidecar
        arrays = {name: value for name, value in values.items() if isinstance(value, tuple)}
        shapes = {name: shape for name, (_, shape, _) in arrays.items()}
        call = Call(shapes, {name: value for name, value in values.items() if name not in arrays})
        sidecar.check_strides(shapes, {name: strides for name, (*_, strides) in arrays.items()})
        blocks = sidecar.count_blocks(call)
        if sidecar.data["grid"]["groups"]:  # chips of one name may differ in their cores
            blocks = min(blocks, environment.acl().group_count(device))
        if not sidecar.data["workspaces"]:
            return blocks, []
        workspaces = []
        for name, size in sidecar.workspace_bytes(call, blocks).items():
            shape = sidecar.workspace_shape(name, call, blocks)
            workspaces.append(_Workspace(name, size, contiguous_layout(shape)))
        return blocks, workspaces

    def _load_once(self, device: int):
        """The kernels of the object on a device, and what the runtime gives for their hidden arguments."""
        with self._lock, environment.torch_npu().npu.device(device):
            return self._loaded.get(device) or self._loaded.setdefault(device, self._load())

    def _load(self):
        launcher, launches = environment.acl(), self.sidecar.launches
        kinds = {launch["kind"] for launch in launches}
        magic = _MAGICS.get(kinds.pop(), _MAGIC_AI_CORE) if len(kinds) == 1 else _MAGIC_AI_CORE
        try:
            handle = launcher.load_object(self._data, magic)
            kernels = [
                launcher.find_kernel(handle, launch["symbol"], self._block.fields, launch["cross_core_sync"])
                for launch in launches
            ]
            return kernels, {"sync_base": launcher.sync_base()} if self._block.hidden else {}
        except launcher.AclError as problem:
            raise LoadError(f"{self.sidecar.name}: {problem.args[1]}") from None


class _Launch:
    """Launches of a program on one device that differ in addresses and floating-point numbers only."""

    def __init__(self, plan, workspaces: list, device: int):
        import torch

        self._plan = plan
        self._workspaces = workspaces  # the bytes of each
        self._device = device
        self._launcher = environment.acl()
        self._npu = environment.torch_npu()
        self._make_bytes = functools.partial(memory.empty, dtype=torch.uint8, device=torch.device("npu", device))

    def __call__(self, arrays: list, floats: list):
        """Queues the launches on the device's current stream, and returns at once.

        The arrays live until the launches have been handed to the runtime.
        """
        if self._npu._C._npu_getDevice() == self._device:
            self._enqueue(arrays, floats)
            return
        with self._npu.npu.device(self._device):
            self._enqueue(arrays, floats)

    def _enqueue(self, arrays: list, floats: list):
        tensors: list = []  # not the caller's lists, which may change before the launch is made
        for array in arrays:
            if isinstance(array, (list, tuple)):
                tensors += array
            else:
                tensors.append(array)
        if self._workspaces:
            tensors += [self._make_bytes((size,)) for size in self._workspaces]
            memory.count_workspace(sum(self._workspaces))
        addresses = [tensor.data_ptr() for tensor in tensors]
        stream = self._npu._C._npu_getCurrentRawStreamNoWait(self._device)
        try:
            self._launcher.enqueue(self._plan, stream, addresses, floats, tensors)
        except self._launcher.AclError as problem:
            raise LaunchError(*problem.args) from None
