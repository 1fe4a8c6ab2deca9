"""Launches an object on the modelled chip by what its sidecar says, and by nothing else: no compiler, no IR."""

import ctypes
import struct

import torch

from attn.sidecar import Call
from repository import ROOT

_CODES = {"f32": "f", "i32": "i", "i64": "q"}


class _Region(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("data", ctypes.c_void_p)]


class _Launch(ctypes.Structure):
    _fields_ = [
        ("soc", ctypes.c_char_p), ("blocks", ctypes.c_uint32), ("arguments", ctypes.c_char_p),
        ("argument_bytes", ctypes.c_size_t), ("regions", ctypes.POINTER(_Region)), ("region_count", ctypes.c_size_t),
    ]  # fmt: skip


def _load_chip():
    """The chip's C interface: include/attn/Simulator/AscendC/attn_chip.h."""
    chip = ctypes.CDLL(str(ROOT / "build/lib/libattn_chip.so"))
    chip.attn_chip_open.restype = chip.attn_chip_find.restype = ctypes.c_void_p
    chip.attn_chip_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    chip.attn_chip_find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    chip.attn_chip_argument_bytes.restype = ctypes.c_size_t
    chip.attn_chip_argument_bytes.argtypes = [ctypes.c_void_p]
    chip.attn_chip_run.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(_Launch), ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_char_p),
    ]  # fmt: skip
    chip.attn_chip_close.argtypes = [ctypes.c_void_p]
    return chip


class ChipLaunch:
    """One call of a kernel: tensors (or lists of them) and numbers by name, outputs among them."""

    def __init__(self, sidecar, values: dict):
        self._sidecar = sidecar
        self._values = dict(values)
        arrays = {p["name"]: values[p["name"]] for p in sidecar.parameters if self._is_given_array(p)}
        shapes = {name: self._shape(value) for name, value in arrays.items()}
        self._call = Call(shapes, {p["name"]: values[p["name"]] for p in sidecar.parameters if p["kind"] == "scalar"})
        self.blocks = sidecar.count_blocks(self._call)
        for name, size in sidecar.workspace_bytes(self._call, self.blocks).items():
            self._values[name] = torch.empty(size, dtype=torch.uint8)
        self._keep = []  # tables of addresses
        self._regions = []

    @staticmethod
    def _is_given_array(parameter):
        return parameter["kind"] != "scalar" and parameter["role"] != "workspace"

    @staticmethod
    def _shape(value):
        return (len(value), *value[0].shape) if isinstance(value, list) else tuple(value.shape)

    def _address(self, tensor):
        extent = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) + 1
        self._regions.append(_Region(tensor.data_ptr(), extent * tensor.element_size(), tensor.data_ptr()))
        return tensor.data_ptr()

    def _value(self, argument: dict):
        value, kind = self._values[argument["of"]], argument["kind"]
        if kind in ("array", "workspace"):
            return self._address(value)
        if kind == "table":
            self._keep.append(torch.tensor([self._address(tensor) for tensor in value]))
            return self._address(self._keep[-1])
        if kind == "scalar":
            return value
        (parameter,) = (p for p in self._sidecar.parameters if p["name"] == argument["of"])
        if parameter["role"] == "workspace":
            shape = self._sidecar.workspace_shape(parameter["name"], self._call, self.blocks)
            strides = torch.empty(shape, device="meta").stride()
        else:
            entry = value[0] if isinstance(value, list) else value
            shape, strides = self._shape(value), (*([None] if isinstance(value, list) else []), *entry.stride())
        return (shape if kind == "size" else strides)[argument["axis"]]

    def pack(self, route: str = "ascendc"):
        """The block of arguments."""
        block = bytearray(self._sidecar.argument_bytes(route))
        for argument in self._sidecar.arguments(route):
            is_pointer = argument["kind"] in ("array", "table", "workspace")
            code = "Q" if is_pointer else _CODES[argument["dtype"]]
            struct.pack_into(f"<{code}", block, argument["offset"], self._value(argument))
        return bytes(block)

    def run(self, path, soc: str = "Ascend910B4"):
        """Runs every launch of the object; the results are in the outputs. AssertionError for hazards."""
        chip, message = _load_chip(), ctypes.c_char_p()
        self._sidecar.check_object(path)
        library = chip.attn_chip_open(str(path).encode(), ctypes.byref(message))
        assert library, message.value
        block = self.pack()
        regions = (_Region * len(self._regions))(*self._regions)
        launch = _Launch(soc.encode(), self.blocks, block, len(block), regions, len(regions))
        for each in self._sidecar.launches:
            kernel = chip.attn_chip_find(library, each["symbol"].encode(), None)
            assert kernel, each["symbol"]
            assert chip.attn_chip_argument_bytes(kernel) == len(block)
            status = chip.attn_chip_run(kernel, ctypes.byref(launch), None, ctypes.byref(message))
            assert status == 0, message.value.decode()
        chip.attn_chip_close(library)
