"""How long kernels take to be compiled for the CPU, and how much of that is LLVM.

Processor time, the least of some rounds in one process: what else the machine does must not count.
"""

import argparse
import sys
import time

from processes import ROOT

sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

DTYPES = ("f32", "bf16")


def measure(text: str):
    """Processor seconds of our passes and of LLVM for one kernel, given as tile IR."""
    from attn import _core, compiler

    start = time.process_time()
    module = compiler.fit_for_host(text, {})
    module.run(compiler.pipeline_text("attn-cpu", {}))
    lowered = time.process_time()
    _core.jit_compile(module)
    return lowered - start, time.process_time() - lowered


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args(arguments).rounds

    import catalogue

    print(f"Tile IR to machine code of this CPU, processor time, least of {rounds} rounds")
    passes = llvm = 0.0
    for name, (kernel, arrays, constants) in catalogue.KERNELS.items():
        for dtype in DTYPES:
            text = kernel.prepare(**arrays(catalogue.DTYPES[dtype]), **constants).ir("source")
            ours, theirs = map(min, zip(*(measure(text) for _ in range(rounds))))
            print(f"  {name:<28}{dtype:<6}passes {ours * 1e3:7.1f} ms   LLVM {theirs * 1e3:7.1f} ms", flush=True)
            passes, llvm = passes + ours, llvm + theirs
    print(f"  all: passes {passes:.2f} s, LLVM {llvm:.2f} s")


if __name__ == "__main__":
    main()
