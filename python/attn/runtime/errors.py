"""What can be missing between a kernel and an NPU, each with a type of its own, and what can go wrong there."""


class RuntimeUnavailable(RuntimeError):
    """Kernels cannot run on an NPU here. Emission of source, the CPU and the modelled chip do not need one."""


class AclUnavailable(RuntimeUnavailable):
    """CANN's runtime library cannot be loaded."""


class TorchNpuUnavailable(RuntimeUnavailable):
    """torch_npu cannot be imported, or is not one that launches can be queued in."""


class NoDevice(RuntimeUnavailable):
    """No NPU is visible."""


class UnsupportedSoc(RuntimeUnavailable):
    """The NPU is of another architecture, or not one that an object was compiled for."""


class LoadError(RuntimeError):
    """An object that the runtime does not load, or that lacks what its sidecar says."""


class LaunchError(RuntimeError):
    """A launch that the runtime refused; says the ACL code, the kernel, its blocks and its arguments."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return LaunchError, (self.code, str(self))
