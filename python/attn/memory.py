"""How much memory the operators take for temporaries: the limit, and what was used.

Temporaries are copies of arrays that kernels cannot read in place, and the workspaces of kernels; outputs and what is
saved for the backward do not count. A forward takes at most 8 per cent of the memory, a backward 18; beyond that the
operators work in parts.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading

FORWARD_PERCENT = 8
BACKWARD_PERCENT = 18

_lock = threading.Lock()  # a backward may run on a thread of its own
_pretended: int | None = None
_held = 0
_peak = 0


class memory_limit:
    """Sets how many bytes of memory there are, for good: `attn.memory_limit(2**30)`, or for the time of a `with`.

    `None`, as at the start, stands for the memory of the machine, or of the NPU that an operator runs on.
    """

    def __init__(self, bytes: int | None):
        global _pretended
        if bytes is not None and (not isinstance(bytes, int) or isinstance(bytes, bool)):
            raise TypeError(f"bytes: an integer or None is expected, not {bytes!r}")
        if bytes is not None and bytes <= 0:
            raise ValueError(f"bytes ({bytes}) must be positive")
        self._before, _pretended = _pretended, bytes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        global _pretended
        _pretended = self._before


def memory_bytes(device=None):
    """The bytes of memory that the limit stands for: those of an NPU (a torch.device), or of the machine."""
    if _pretended is not None:
        return _pretended
    return _npu_bytes(device.index) if device is not None and device.type == "npu" else _machine_bytes()


@functools.cache
def _npu_bytes(index: int):
    import torch

    return torch.npu.get_device_properties(index).total_memory


def _machine_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@contextlib.contextmanager
def workspace(bytes: int):
    """Counts temporaries of that many bytes for as long as it is entered."""
    global _held, _peak
    with _lock:
        _held += bytes
        _peak = max(_peak, _held)
    try:
        yield
    finally:
        with _lock:
            _held -= bytes


def count_workspace(bytes: int):
    """Counts temporaries of that many bytes that the device frees when it is done with them."""
    with workspace(bytes):
        pass


class Budget:
    """The temporaries of one pass of an operator: how many bytes there may be, and how many are left."""

    def __init__(self, operator: str, percent: int, device=None):
        self.operator = operator
        self.limit = self.left = memory_bytes(device) * percent // 100

    @contextlib.contextmanager
    def take(self, bytes: int):
        """Takes that many bytes for as long as it is entered."""
        self.check(bytes)
        self.left -= bytes
        try:
            with workspace(bytes):
                yield
        finally:
            self.left += bytes

    def reserve(self, bytes: int):
        """Leaves that many bytes to a kernel, which counts what it takes itself."""
        self.check(bytes)
        self.left -= bytes

    def check(self, bytes: int):
        """MemoryError where that many bytes are more than are left."""
        if bytes > self.left:
            needed = self.limit - self.left + bytes
            raise MemoryError(
                f"{self.operator}: its smallest part needs {needed} bytes of workspace, which exceeds the limit of "
                f"{self.limit} bytes"
            )


def peak_workspace():
    """The most bytes of temporaries that were held at one time since `reset_peak_workspace`."""
    return _peak


def reset_peak_workspace():
    """Begins a new measurement for `peak_workspace`."""
    global _peak
    with _lock:
        _peak = _held
