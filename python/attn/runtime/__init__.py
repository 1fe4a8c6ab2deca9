"""Runs compiled kernels on NPUs: through the ACL runtime, in the order of torch_npu's task queue.

    print(attn.runtime.describe())
    attn_res_fwd = attn.runtime.load("build/aot/attn_res_fwd.bf16.D-4096.json")  # compiled ahead of time

Nothing here is needed, or looked for, before a kernel meets an NPU tensor. Without CANN, torch_npu or a card that
raises one of the errors below, which say what is missing.
"""

from .compiled import CompiledKernel, load
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
    "AclUnavailable", "CompiledKernel", "LaunchError", "LoadError", "NoDevice", "Program", "RuntimeUnavailable",
    "TorchNpuUnavailable", "UnsupportedSoc", "describe", "load", "soc", "standin",
]  # fmt: skip
