"""Predicted times of attention by blocks of keys, D=128, one head, f16, on an Ascend910B2: never measured.

The published schedule (128 rows, 256 keys, four tiles ahead, rings of eight tiles, a block for every 128 rows) is forced
beside what the compiler chooses for the rows and keys that are predicted fastest. `cube` is the share of the time that the
products alone would take.
"""

import argparse
import sys

from processes import ROOT

sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

SOC, GROUPS, MHZ = "Ascend910B2", 24, 1800
DEPTH, FRACTAL = 128, 16
LENGTHS = (4096, 8192, 16384, 32768)
SIZES = ((128, 512), (112, 512), (96, 512), (128, 256), (96, 256))  # rows and keys of a tile
PUBLISHED = dict(BM=128, preload=4, lag=2, slots=8)


def predict(length, keys, **options):
    """Microseconds for `length` rows and keys."""
    import attn
    import attn.language as at
    from mixed_kernels import block_attention

    q, k = at.spec(f"{length} {DEPTH}", at.f16), at.spec(f"{length // keys} {keys} {DEPTH}", at.f16)
    return attn.simulate(block_attention, q, k, k, 1.0, soc=SOC, timing_only=True, **options).report.time_us


def products_us(length):
    """What the products alone take on all cube cores."""
    return 2 * length * length * DEPTH / FRACTAL**3 / GROUPS / MHZ


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lengths", nargs="*", type=int, default=LENGTHS)
    form = "{:>8}{:>14}{:>12}{:>13}{:>9}{:>8}"
    print(form.format("length", "published us", "chosen us", "rows x keys", "faster", "cube"))
    for length in parser.parse_args().lengths:
        forced = predict(length, 256, blocks=length // 128, **PUBLISHED)
        chosen, rows, keys = min((predict(length, keys, BM=rows), rows, keys) for rows, keys in SIZES)
        shares = f"{1 - chosen / forced:.1%}", f"{products_us(length) / chosen:.1%}"
        print(form.format(length, f"{forced:.1f}", f"{chosen:.1f}", f"{rows} x {keys}", *shares), flush=True)


if __name__ == "__main__":
    main()
