"""Predicted times of large products, f16 to f32, by the order in which cores take their tiles: never measured.

`shares` gives every core a contiguous share of the tiles, row by row; the compiler's own choice is beside it. `hbm` are the
bytes that come from HBM, where every byte of both operands must come from once.
"""

import argparse
import re
import sys

from processes import ROOT

sys.path.insert(0, str(ROOT))

# The operands of the first fit L2 of an Ascend910B2 one at a time, those of the second do not.
SHAPES = ((8192, 8192, 8192), (16384, 16384, 8192))
CHIPS = ("Ascend910B2", "Ascend910B4")


def predict(soc, m, n, k, **options):
    """Microseconds, and bytes from HBM."""
    import attn
    import attn.language as at
    from kernels_dsl.gemm import gemm

    a, b = at.spec(f"{m} {k}", at.f16), at.spec(f"{k} {n}", at.f16)
    report = attn.simulate(gemm, a, b, soc=soc, timing_only=True, **options).report
    return report.time_us, int(re.search(r"hbm: read (\d+)", report.text)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chips", nargs="+", default=CHIPS)
    parser.add_argument("--orders", nargs="*", type=int, default=[], help="rows of bands to force beside")
    arguments = parser.parse_args()
    form = "{:>14}{:>22}{:>10}{:>12}{:>10}{:>9}"
    print(form.format("chip", "m x n x k", "order", "us", "hbm MB", "faster"))
    for soc in arguments.chips:
        for shape in SHAPES:
            shares, read = predict(soc, *shape, order=0)
            rows = [("shares", shares, read)]
            rows += [(str(order), *predict(soc, *shape, order=order)) for order in arguments.orders]
            rows.append(("chosen", *predict(soc, *shape)))
            for name, time, read in rows:
                words = " x ".join(map(str, shape))
                faster = f"{1 - time / shares:.1%}"
                print(form.format(soc, words, name, f"{time:.1f}", f"{read / 1e6:.0f}", faster), flush=True)


if __name__ == "__main__":
    main()
