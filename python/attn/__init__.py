"""attn: attention kernels in a small tile language, compiled for Ascend 910B NPUs and for the CPU.

    import attn
    import attn.language as at

    @attn.kernel
    def double(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
        Y = at.empty("T D", X.dtype)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[t, :] * 2
        return Y

Importing this package loads neither PyTorch nor the compiler's native module: both come when they are needed.
"""

from ._kernel import Kernel, kernel
from .errors import CompileError, DivisionError, HazardError, OutOfBoundsError
from .language import Spec, spec

__all__ = [
    "Artefact", "CompileError", "DivisionError", "HazardError", "Kernel", "OutOfBoundsError", "STAGES", "Spec",
    "VerificationError", "Workspace",
    "block_index", "config", "dump", "kernel", "memory_limit", "nn", "ops", "paged_plan", "runtime", "sidecar",
    "simulate", "spec", "verify",
]  # fmt: skip

# Name -> the module that has it; imported at first use. A module may stand for itself.
_LAZY = {
    "Artefact": "compiler",
    "STAGES": "stages",
    "VerificationError": "verification",
    "Workspace": "memory",
    "block_index": "block_index",
    "config": "config",
    "dump": "compiler",
    "memory_limit": "memory",
    "nn": "nn",
    "ops": "ops",
    "paged_plan": "planning",
    "runtime": "runtime",
    "sidecar": "sidecar",
    "simulate": "simulation",
    "verify": "verification",
}


def __getattr__(name: str):
    if name not in _LAZY:
        raise AttributeError(f"module 'attn' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(f".{_LAZY[name]}", __name__)
    value = module if _LAZY[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LAZY})
