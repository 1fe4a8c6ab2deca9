"""Tensors that end right before memory that nothing may touch, or begin right after it: a byte too far is a crash."""

from __future__ import annotations

import ctypes
import mmap

import torch

PAGE = mmap.PAGESIZE
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_NOTHING = 0  # PROT_NONE


class Guarded:
    """Memory for tensors; `free` takes it back, after which none of them may be used."""

    def __init__(self):
        self._mapped: list[tuple[int, int]] = []

    def tensor(self, shape, strides, dtype, at_end: bool = True):
        """A tensor with values between -1 and 1 whose last element is at the end of its memory, or its first at the begin."""
        count = 0 if 0 in shape else 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
        size = count * dtype.itemsize
        pages = -(-max(size, 1) // PAGE) * PAGE
        mapped = pages + 2 * PAGE
        address = _LIBC.mmap(None, mapped, _NOTHING, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if address == ctypes.c_void_p(-1).value:
            raise MemoryError(f"{mapped} bytes")
        self._mapped.append((address, mapped))
        if _LIBC.mprotect(address + PAGE, pages, mmap.PROT_READ | mmap.PROT_WRITE):
            raise OSError(ctypes.get_errno(), "mprotect")
        begin = address + PAGE + (pages - size if at_end else 0)
        if count == 0:
            return torch.empty_strided(shape, strides, dtype=dtype)
        flat = torch.frombuffer((ctypes.c_char * size).from_address(begin), dtype=dtype)
        flat.copy_(torch.linspace(-1, 1, count) if dtype.is_floating_point else torch.arange(count) % 7)
        return flat.as_strided(shape, strides)

    def free(self):
        for address, size in self._mapped:
            _LIBC.munmap(address, size)
        self._mapped.clear()
