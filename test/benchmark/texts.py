"""How long each kernel takes from Python to AscendC and to HIVM, next to the vendor's own compiler on our linalg form.

The vendor's route is bishengir-compile of ascendnpu-ir up to its call of hivmc, in whose place a script stands: so far
HIVM text has come too. Ours are times in a process that has compiled another kernel before; the vendor's are whole
processes. `inf` stands for a kernel that is refused.
"""

import argparse
import gc
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import ROOT, in_process, lower_quartile

sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

BISHENGIR = ROOT / ".vendor" / "ascendnpu-ir-1.2.0" / "ascendnpuir" / "bin" / "bishengir-compile"
OPTIONS = ["--target=Ascend910B4", "--enable-hfusion-compile=true", "--enable-hivm-compile=true",
           "--enable-triton-kernel-compile=true"]  # fmt: skip
HIVMC = "#!/bin/sh\necho handed over to hivmc >&2\n"
HANDED = re.compile("handed over to hivmc")
DTYPE = "bf16"
LISTED = ("embed", "ragged_softmax", "segment_sums", "windowed", "alibi", "decode")
GOALS = {"gemm": 0.030, **dict.fromkeys(LISTED, 0.060)}
MIXED_GOAL = 0.150
"""Seconds to AscendC that a kernel may take, and one that uses cube and vector cores."""


def listed_kernels():
    """Kernels of the tests that take counts, offsets and lists from memory, or mask by position."""
    import attn.language as at
    import list_kernels

    dtype = getattr(at, DTYPE)
    rows, row, lists = at.spec("? 128", dtype), at.spec("?", at.i32), at.spec("? ?", at.i32)
    page, pages = at.spec("? 16 128", dtype), at.spec("? ? ? 128", dtype)
    cache = {"Kc": page, "Vc": page, "table": lists, "lens": row}
    specs = {
        "embed": {"X": rows, "idx": lists},
        "ragged_softmax": {"X": at.spec("? ?", dtype), "lens": row},
        "segment_sums": {"X": rows, "offsets": row, "N": 64},
        "windowed": {"Q": rows, **cache},
        "alibi": {"Q": rows, "K": rows, "V": rows, "R": 3},
        "decode": {"Q": at.spec("? ? 128", dtype), **cache, "Kc": pages, "Vc": pages, "G": 2, "NS": 2},
    }
    return {name: (getattr(list_kernels, name), specs[name]) for name in LISTED}


def kernels():
    """Kernels of kernels_dsl by name, and those of the tests: kernel and specs."""
    import attn.language as at
    from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
    from kernels_dsl.block_sparse import block_sparse_fwd
    from kernels_dsl.flash import flash_fwd
    from kernels_dsl.gemm import gemm
    from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
    from kernels_dsl.paged import paged_fwd

    dtype = getattr(at, DTYPE)
    row, rows, V = at.spec("1024", dtype), at.spec("? 1024", dtype), at.spec("? ? 1024", dtype)
    saved = {"lse": at.spec("?", at.f32), "sc": at.spec("? ?", at.f32), "rs": at.spec("? ?", at.f32)}
    x = at.spec("? ? ? 32", dtype)
    window = {"q": x, "k": x, "v": x, "W": 7}
    head, page = at.spec("? ? ? 128", dtype), at.spec("? 128 ? 128", dtype)
    dense = {"q": head, "k": head, "v": head}
    whole = {f"{number}": at.spec(" ".join("?" * number), at.i32) for number in range(1, 5)}
    lens = {"q_lens": whole["1"], "kv_lens": whole["1"]}
    plan = {"shares": at.spec("? 2", at.i32), "tasks": at.spec("? 6", at.i32), "merges": None}
    blocks = {**dense, "index": whole["4"], "counts": whole["3"], **plan}
    pages = {"q": head, "k": page, "v": page, "table": whole["2"], "lens": whole["1"], **plan, "R": 16, "G": 16}
    return {
        "attn_res_fwd": (attn_res_fwd, {"V": V, "wq": row, "wn": row}),
        "attn_res_bwd": (attn_res_bwd, {"dh": rows, "V": V, "wq": row, "wn": row, "h": rows, **saved}),
        "neighborhood_fwd": (neighborhood_fwd, window),
        "neighborhood_bwd": (neighborhood_bwd, {"do": x, "lse": at.spec("? ? ?", at.f32), **window}),
        "gemm": (gemm, {"A": at.spec("? ?", dtype), "B": at.spec("? ?", dtype)}),
        "flash_fwd": (flash_fwd, dense),
        "flash_fwd causal": (flash_fwd, {**dense, "right": 0}),
        "flash_fwd window": (flash_fwd, {**dense, "left": 1024, "right": 0}),
        "flash_fwd lengths": (flash_fwd, {**dense, **lens}),
        "block_sparse_fwd": (block_sparse_fwd, blocks),
        "paged_fwd": (paged_fwd, pages),
        **listed_kernels(),
    }


def is_mixed(name: str):
    """Whether a kernel uses cube and vector cores."""
    return name.startswith(("flash_fwd", "block_sparse_fwd", "paged_fwd"))


def has_vendor_route(name: str):
    """Whether the vendor's compiler is asked: not for kernels of both cores, nor for those that linalg has no form of."""
    return not is_mixed(name) and name not in LISTED


def measure(name: str, folder: str):
    """Seconds of each way for one kernel; leaves its linalg form in the folder."""
    os.environ["ATTN_CACHE"] = "0"
    import attn

    known = kernels()
    other = "attn_res_fwd" if name != "attn_res_fwd" else "neighborhood_fwd"
    known[other][0].compile(**known[other][1]).ir("ascendc")
    kernel, specs = known[name]
    seconds = {}
    for way in ("ascendc", "hivm"):
        kernel._lowered.clear()
        gc.collect()  # what imports have left is not part of it
        start = time.perf_counter()
        try:
            assert name.split(maxsplit=1)[0] in kernel.prepare(**specs).ir(way)  # `compile` would make AscendC text too
        except attn.CompileError:
            seconds[way] = math.inf
            continue
        seconds[way] = time.perf_counter() - start
    if not has_vendor_route(name):
        return seconds
    (Path(folder) / f"{name}.mlir").write_text(kernel.prepare(**specs).ir("linalg"))
    return seconds


def measure_vendor(path: Path, path_variable: str, rounds: int):
    """Seconds of bishengir-compile on a text."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        command, environment = [BISHENGIR, path, *OPTIONS, "-o", path.with_suffix(".o")], {"PATH": path_variable}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=path.parent)
        found.append(time.perf_counter() - start)
        if not HANDED.search(done.stdout + done.stderr):
            sys.exit(f"bishengir-compile did not come to hivmc with {path.name}:\n{done.stderr[:2000]}")
    return lower_quartile(found)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="processes per figure")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(measure(*options.child)))
        return
    print(f"Python to text, {DTYPE}, lower quartile of {options.rounds} processes, and the vendor's compiler")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bin" / "hivmc"
        script.parent.mkdir()
        script.write_text(HIVMC)
        script.chmod(0o755)
        for name in kernels():
            rows = [in_process(__file__, name, folder) for _ in range(options.rounds)]
            ours = {way: lower_quartile([row[way] for row in rows]) for way in rows[0]}
            line = "".join(f"{way} {seconds * 1e3:8.1f} ms   " for way, seconds in ours.items())
            goal = MIXED_GOAL if is_mixed(name) else GOALS.get(name)
            if goal:
                verdict = "reached" if ours["ascendc"] <= goal else "MISSED"
                line += f"goal {goal * 1e3:.0f} ms to AscendC {verdict}   "
            if not has_vendor_route(name):
                pass
            elif BISHENGIR.is_file():
                vendor = measure_vendor(Path(folder) / f"{name}.mlir", f"{script.parent}:/usr/bin:/bin", options.rounds)
                line += (
                    f"bishengir-compile {vendor * 1e3:8.1f} ms, {vendor / ours['hivm']:.1f} times as long as to HIVM"
                )
            else:
                line += "bishengir-compile is not here: scripts/vendor.sh fetches it"
            print(f"  {name:<18}{line}", flush=True)


if __name__ == "__main__":
    main()
