"""Runs compiled kernels on NPUs: through the ACL runtime, in the order of torch_npu's task queue.

    print(attn.runtime.describe())

Nothing here is needed, or looked for, before a kernel meets an NPU tensor. Without CANN, torch_npu or a card that
raises one of the errors below, which say what is missing.
"""

from .environment import describe, soc, standin
from .errors import (
    AclUnavailable,
    LaunchError,
    LoadError,
    NoDevice,
    RuntimeUnavailable,
    TorchNpuUnavailable,
    UnsupportedSoc,
)
from .program import Program

__all__ = [
    "AclUnavailable", "LaunchError", "LoadError", "NoDevice", "Program", "RuntimeUnavailable", "TorchNpuUnavailable",
    "UnsupportedSoc", "describe", "soc", "standin",
]  # fmt: skip
