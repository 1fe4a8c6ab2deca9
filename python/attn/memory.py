"""How much memory the operators take for temporaries: the limit, and what was used.

Temporaries are copies of arrays that kernels cannot read in place, and the workspaces of kernels; outputs and what is
saved for the backward do not count. A forward takes at most 8 per cent of the memory, a backward 18; beyond that the
operators work in parts.
"""

from __future__ import annotations

import contextlib
import functools
import math
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


@functools.cache
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
        if bytes == 0:
            yield
            return
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


# Given by the caller


class Workspace:
    """Memory for temporaries that a caller lends to operators, again and again: `workspace = attn.Workspace()`.

    What a call lacks it allocates itself; the next call finds it here, so that calls of the same shapes allocate
    nothing from the second one on. Calls that share a workspace must be on one stream.
    """

    def __init__(self):
        self._memory = None
        self._taken = 0

    @property
    def bytes(self):
        """How many bytes it has."""
        return 0 if self._memory is None else self._memory.nbytes

    def __enter__(self):
        if getattr(_lent, "workspace", None) is not None:
            raise RuntimeError("a workspace is in use by this thread already")
        _lent.workspace, self._taken = self, 0
        return self

    def __exit__(self, *_):
        _lent.workspace = None

    def take(self, shape, dtype, device):
        """A tensor for the time of a call, not yet written."""
        import torch

        from ._host import WORKSPACE_ALIGNMENT

        size = math.prod(shape) * dtype.itemsize
        first, self._taken = self._taken, self._taken + -(-size // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
        if self._memory is None or self._memory.device != device or self._taken > self._memory.nbytes:
            self._memory = torch.empty(self._taken, dtype=torch.uint8, device=device)
        return self._memory[first : first + size].view(dtype).view(shape)


_lent = threading.local()


def lent():
    """The workspace that was lent to the operator that this thread runs, or None."""
    return getattr(_lent, "workspace", None)


def empty(shape, dtype, device):
    """A temporary that is not yet written: of the workspace that was lent, or new."""
    import torch

    workspace = lent()
    return torch.empty(shape, dtype=dtype, device=device) if workspace is None else workspace.take(shape, dtype, device)


def peak_workspace():
    """The most bytes of temporaries that were held at one time since `reset_peak_workspace`."""
    return _peak


def reset_peak_workspace():
    """Begins a new measurement for `peak_workspace`."""
    global _peak
    with _lock:
        _peak = _held
