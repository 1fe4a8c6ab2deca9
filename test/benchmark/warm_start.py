"""How long a process takes until its first results, when kernels are in the cache and when they are not.

Every figure is the lower quartile over fresh processes. A kernel's time is that of its first call, on a few elements:
keys, reading, checking and mapping it are in it, and so are importing what runs it and looking at the compiler's files,
which the first kernel pays for all. PyTorch is imported before, as tensors need it, and runs one thread: waking others
takes as long as the machine is busy.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from processes import over_processes, print_row

LIMITS = {"import": 0.05, "kernel": 0.005}  # seconds


def measure_import():
    start = time.perf_counter()
    import attn  # noqa: F401

    figures = {"import": time.perf_counter() - start}
    maps = Path("/proc/self/maps").read_text()
    assert not {"torch", "numpy", "attn._core", "attn._host"} & set(sys.modules)
    assert "libMLIR" not in maps and "libLLVM" not in maps
    return figures


def calls(dtype):
    """(name, call) of each kernel on small arrays."""
    import torch

    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
    from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

    values, row, head = torch.ones(3, 5, 64), torch.ones(64), torch.ones(1, 2, 9, 32)
    values, row, head = values.to(dtype), row.to(dtype), head.to(dtype)
    statistic, scores, lse = torch.ones(5), torch.ones(5, 3), torch.ones(1, 2, 9)
    window = dict(scale=0.5, dilation=1, W=7, dilated=False)
    residual = dict(dh=values[0], V=values, wq=row, wn=row, h=values[0], lse=statistic, sc=scores, rs=scores)
    yield "attn_res_fwd", lambda: attn_res_fwd(V=values, wq=row, wn=row, eps=1e-6)
    yield "attn_res_bwd", lambda: attn_res_bwd(**residual)
    yield "neighborhood_fwd", lambda: neighborhood_fwd(q=head, k=head, v=head, **window)
    yield "neighborhood_bwd", lambda: neighborhood_bwd(do=head, q=head, k=head, v=head, lse=lse, **window)


def measure_calls(is_warm: bool):
    """The first call of each kernel in two types, and the mean of all of them."""
    import torch

    import attn  # noqa: F401

    torch.set_num_threads(1)
    if not is_warm:
        shutil.rmtree(os.environ["ATTN_CACHE_DIR"], ignore_errors=True)
    figures = {}
    for dtype in (torch.float32, torch.bfloat16):
        for name, call in calls(dtype):
            start = time.perf_counter()
            call()
            figures[f"{name} {str(dtype).removeprefix('torch.')}"] = time.perf_counter() - start
    assert ("attn._core" in sys.modules) is not is_warm
    return {**figures, "mean": sum(figures.values()) / len(figures)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=8, help="fresh processes per figure")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure = {"import": measure_import, "warm": lambda: measure_calls(True), "cold": lambda: measure_calls(False)}
        print(json.dumps(measure[options.child]()))
        return
    folder = tempfile.mkdtemp(prefix="attn-cache-")
    os.environ["ATTN_CACHE_DIR"] = str(Path(folder) / "cache")
    try:
        print(f"warm start, lower quartile of {options.processes} processes")
        imported = over_processes(__file__, options.processes, "import")["import"]
        cold = over_processes(__file__, max(2, options.processes // 4), "cold")
        warm = over_processes(__file__, options.processes, "warm")
    finally:
        shutil.rmtree(folder)
    keeps = print_row("import attn", imported, LIMITS["import"])
    for name in cold:
        print_row(f"{name}, not cached", cold[name])
        keeps &= print_row(f"{name}, cached", warm[name], LIMITS["kernel"] if name == "mean" else None)
    sys.exit(0 if keeps else 1)


if __name__ == "__main__":
    main()
