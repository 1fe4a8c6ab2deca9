"""What is installed: the ACL runtime, torch_npu and the chip. Nothing is looked for before it is needed, and what was
found or missed is kept."""

from __future__ import annotations

import functools
import os
from typing import Any

from .errors import AclUnavailable, NoDevice, TorchNpuUnavailable, UnsupportedSoc

SUPPORTED_SOCS = ("Ascend910B", "Ascend910_93")
"""How the names of chips of arch 2201 begin; their suffixes (B2C, B4-1) say no more than the number of cores."""


def _once(check):
    """Keeps the answer of a check: a value, or an error that is raised each time."""
    answer: list[tuple[Any, Exception | None]] = []

    @functools.wraps(check)
    def checked():
        if not answer:
            try:
                answer.append((check(), None))
            except Exception as error:
                answer.append((None, error))
        value, problem = answer[0]
        if problem is not None:
            raise problem.with_traceback(None)
        return value

    return checked


@_once
def acl():
    """The native launcher, with the ACL runtime opened."""
    from .. import _launcher

    try:
        _launcher.open_runtime()
    except RuntimeError as problem:
        raise AclUnavailable(f"ACL runtime not loadable: {problem}") from None
    return _launcher


@_once
def torch_npu():
    """torch_npu, with its queue found."""
    try:
        import torch_npu
    except Exception as problem:  # whatever its start-up raises
        raise TorchNpuUnavailable(f"torch_npu not installed or built for another torch: {problem}") from None
    try:
        acl().connect_queue()
    except RuntimeError as problem:
        raise TorchNpuUnavailable(f"torch_npu {torch_npu.__version__} has no queue for launches: {problem}") from None
    return torch_npu


@_once
def soc():
    """The name of the chip."""
    if acl().device_count() < 1:
        visible = os.environ.get("ASCEND_RT_VISIBLE_DEVICES", "not set")
        raise NoDevice(f"no NPU visible (ASCEND_RT_VISIBLE_DEVICES={visible})")
    name = acl().soc_name()
    if not name.startswith(SUPPORTED_SOCS):
        raise UnsupportedSoc(f"SoC {name} is not supported: this compiler targets arch 2201")
    return name


def standin():
    """What a runtime that is not CANN says about itself; empty for CANN."""
    return acl().standin_description()


def describe():
    """One line on what kernels run on: chip, number of devices, torch_npu, and the runtime below it."""
    below = f"runtime: {standin()}" if standin() else "runtime: CANN"
    return f"{soc()}, {acl().device_count()} devices, torch_npu {torch_npu().__version__}, {below}"
