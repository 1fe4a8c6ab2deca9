"""Predicted times of dense attention, D=128, one head, f16, on an Ascend910B2: never measured.

The published schedule (128 rows, 256 keys, four tiles ahead, rings of eight tiles, a block for every 128 rows) is forced
beside what `attn.ops.flash_attention` launches, the merge of parts included. `cube` is the share of the time that the
products alone would take, `causal us` our time with a causal mask.
"""

import argparse
import sys

from processes import ROOT

sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

SOC, GROUPS, MHZ = "Ascend910B2", 24, 1800
DEPTH, FRACTAL = 128, 16
LENGTHS = (4096, 8192, 16384, 32768)
PUBLISHED = dict(BM=128, preload=4, lag=2, slots=8, run_on=0)


def predict_published(length, keys=256):
    """Microseconds of the published schedule for `length` rows and keys."""
    import attn
    import attn.language as at
    from mixed_kernels import block_attention

    q, k = at.spec(f"{length} {DEPTH}", at.f16), at.spec(f"{length // keys} {keys} {DEPTH}", at.f16)
    options = dict(PUBLISHED, blocks=length // 128, soc=SOC, timing_only=True)
    return attn.simulate(block_attention, q, k, k, 1.0, **options).report.time_us


def predict(length, causal=False):
    """(Microseconds, rows of a tile) of what the operator launches."""
    import predicted_attention

    case = predicted_attention.as_computed(predicted_attention.Lists(length, 1, (128, 128), 0.0, causal=causal))
    return predicted_attention.predict_lists(case).time_us, predicted_attention.tile_rows(case)


def products_us(length):
    """What the products alone take on all cube cores."""
    return 2 * length * length * DEPTH / FRACTAL**3 / GROUPS / MHZ


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lengths", nargs="*", type=int, default=LENGTHS)
    form = "{:>8}{:>14}{:>10}{:>7}{:>9}{:>8}{:>11}"
    print(form.format("length", "published us", "ours us", "rows", "faster", "cube", "causal us"))
    for length in parser.parse_args().lengths:
        forced, (ours, rows) = predict_published(length), predict(length)
        shares = f"{1 - ours / forced:.1%}", f"{products_us(length) / ours:.1%}"
        causal, _ = predict(length, causal=True)
        print(form.format(length, f"{forced:.1f}", f"{ours:.1f}", rows, *shares, f"{causal:.1f}"), flush=True)


if __name__ == "__main__":
    main()
