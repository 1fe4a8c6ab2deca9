"""How long Python takes to become AscendC text: the first kernel, further kernels, long ones, and the share of each stage.

Every figure is the lower quartile over fresh processes of this interpreter, after one process that warms the page cache.
"""

import argparse
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import ROOT, over_processes, print_row

ATTN_OPT = ROOT / "build" / "bin" / "attn-opt"
SOC = "Ascend910B4"
LENGTHS = (512, 1024, 2048, 4096)
LIMITS = {"first": 0.3, "further": 0.03, "straight": 1.0}  # seconds
FURTHER = [("bf16", 1024), ("bf16", 2048), ("f16", 4096), ("f32", 4096), ("f32", 123), ("bf16", 8192)]

#
# What runs in a process of its own; each gives seconds by name.
#


def residual_specs(at, dtype: str, columns: int):
    dtype = getattr(at, dtype)
    row = at.spec(str(columns), dtype)
    return {"V": at.spec(f"? ? {columns}", dtype), "wq": row, "wn": row}


def measure_kernels():
    """The first text, from before `import attn` on, and further kernels in the same process."""
    start = time.perf_counter()
    import attn  # noqa: F401
    import attn.language as at
    from kernels_dsl.attn_res import attn_res_fwd

    imported = time.perf_counter()
    artefact = attn_res_fwd.compile(soc=SOC, **residual_specs(at, "bf16", 4096))
    lowered = time.perf_counter()
    assert "attn_res_fwd" in artefact.ascendc
    end = time.perf_counter()
    assert "torch" not in sys.modules
    further = []
    for dtype, columns in FURTHER:
        begin = time.perf_counter()
        attn_res_fwd.compile(soc=SOC, **residual_specs(at, dtype, columns)).ascendc  # noqa: B018
        further.append(time.perf_counter() - begin)
    return {
        "first": end - start,
        "import": imported - start,
        "frontend": lowered - imported,
        "native": end - lowered,
        "further": statistics.median(further),
    }


def straight_line(length: int):
    """The source of a kernel with `length` elementwise ops in a row."""
    head = [
        "import attn",
        "import attn.language as at",
        "@attn.kernel",
        'def straight(X: at.Tensor["T D"], BT: at.Auto(1, 64)):',
        '    Y = at.empty("T D", at.f32)',
        "    for t in at.grid(at.tiles(T, BT)):",
        "        x0 = X[t, :]",
    ]
    body = [
        f"        x{index + 1} = x{index} {'+-*'[index % 3]} {f'x{max(0, index - 3)}' if index % 2 else '0.5'}"
        for index in range(length)
    ]
    return "\n".join([*head, *body, f"        Y[t, :] = x{length}", "    return Y", ""])


def load_straight(folder: Path, length: int):
    path = folder / f"straight_{length}.py"
    path.write_text(straight_line(length))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.straight


def measure_straight(length: int):
    """A long kernel, in a process that has compiled another one before."""
    import attn.language as at

    with tempfile.TemporaryDirectory() as folder:
        specs = {"X": at.spec("? 256", at.f32), "soc": SOC}
        load_straight(Path(folder), 8).compile(**specs).ascendc  # noqa: B018
        kernel = load_straight(Path(folder), length)
        start = time.perf_counter()
        kernel.compile(**specs).ascendc  # noqa: B018
        return {"straight": time.perf_counter() - start}


def pass_times():
    """Seconds by pass for the first kernel, as MLIR's own timing gives them."""
    import attn.language as at
    from kernels_dsl.attn_res import attn_res_fwd

    source = attn_res_fwd.compile(soc=SOC, **residual_specs(at, "bf16", 4096)).ir("source", debug_info=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.mlir"
        path.write_text(source)
        command = [ATTN_OPT, path, f"--soc={SOC}", "--attn-all", "--emit=ascendc", "-o", "/dev/null"]
        timing = ["--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading"]
        done = subprocess.run([*command, *timing], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"attn-opt failed:\n{done.stderr}")
    rows = re.findall(r"^\s*([\d.]+) \(\s*[\d.]+%\)\s+(.+?)\s*$", done.stderr, re.MULTILINE)
    return {name: float(seconds) for seconds, name in rows if name not in ("Total", "root")}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=20, help="fresh processes per figure")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    os.environ["ATTN_CACHE"] = "0"  # what is compiled already takes no time
    if options.child:
        kind, *rest = options.child
        print(json.dumps(measure_kernels() if kind == "kernels" else measure_straight(int(rest[0]))))
        return

    print(f"Python to AscendC text, {SOC}, lower quartile of {options.processes} processes")
    kernels = over_processes(__file__, options.processes, "kernels")
    print_row("first text, import included", kernels["first"], LIMITS["first"])
    for part in ("import", "frontend", "native"):
        print_row(f"  of which {part}", kernels[part])
    print_row("further kernel", kernels["further"], LIMITS["further"])

    straight = {}
    for length in LENGTHS:
        straight[length] = over_processes(__file__, max(2, options.processes // 4), "straight", length)["straight"]
        print_row(
            f"straight line of {length} ops", straight[length], LIMITS["straight"] if length == max(LENGTHS) else None
        )
    growth = straight[LENGTHS[-1]] / straight[LENGTHS[0]] / (LENGTHS[-1] / LENGTHS[0])
    print(f"  growth from {LENGTHS[0]} to {LENGTHS[-1]} ops: {growth:.2f} of linear")

    times = pass_times()
    total = sum(times.values())
    print("share of each stage (MLIR timing of the first kernel)")
    for name, seconds in sorted(times.items(), key=lambda item: -item[1]):
        print(f"  {name:<34}{seconds * 1e3:9.2f} ms  {100 * seconds / total:5.1f} %")


if __name__ == "__main__":
    main()
