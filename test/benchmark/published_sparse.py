"""Predicted times of the public block-sparse kernel beside its published ones (test/Inputs/block_sparse_published.csv).

What is known of its schedule is imitated by a kernel of the language: each vector core is a worker with 128 queries of its
own, the scores of a tile are computed one tile ahead, tiles are runs of consecutive blocks of at most 512 keys, and rows
are dealt to workers by turns, however much they see. Two workers share a cube core, so that a tile of one takes twice as
long as one that both vector cores compute. Each call takes 0.58 ms besides, which was fitted on these very rows. How late
the product with the values is added is not known: one tile later is assumed, and `--lag 0` shows what adding it at once
would take. Nothing here was measured by us.
"""

import argparse
import csv
import sys
from typing import NamedTuple

from processes import ROOT

sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

TABLE = ROOT / "test" / "Inputs" / "block_sparse_published.csv"
SOC, GROUPS, WORKERS, DEPTH = "Ascend910B2", 24, 48, 128
ROWS, MOST_KEYS, STEP = 128, 512, 128
CALL_US = 580.0
WITHIN, SHARE = 0.25, 0.8


class Case(NamedTuple):
    """A row of the table."""

    block_shape: tuple[int, int]
    heads: int
    length: int
    frame: tuple[int, ...]
    sparsity: float
    published: float

    @classmethod
    def of(cls, row: dict):
        frame = tuple(map(int, row["frame"].split("/"))) if row["frame"] else (0, 0, 0, 0)
        shape = int(row["block_q"]), int(row["block_kv"])
        return cls(shape, int(row["heads"]), int(row["length"]), frame, float(row["sparsity"]), float(row["published"]))


def read_cases():
    with TABLE.open(encoding="utf-8") as table:
        return [Case.of(row) for row in csv.DictReader(table)]


def simulate_us(lag: int, keys: int, tiles: int, rows: int):
    """Microseconds in which each group computes `rows` tiles of queries, each over so many tiles of so many keys."""
    import attn
    import attn.language as at
    from mixed_kernels import block_attention

    q, k = at.spec(f"{GROUPS * ROWS * rows} {DEPTH}", at.bf16), at.spec(f"{tiles} {keys} {DEPTH}", at.bf16)
    schedule = dict(BM=ROWS, preload=1, lag=lag, run_on=0)
    return attn.simulate(block_attention, q, k, k, 1.0, soc=SOC, timing_only=True, **schedule).report.time_us


class Rates(NamedTuple):
    """Microseconds that a worker takes for a tile of queries, and for each tile of scores by its keys."""

    tile: float
    scores: dict[int, float]

    @classmethod
    def predict(cls, lag: int, tiles: int = 16):
        scores = {}
        for keys in range(STEP, MOST_KEYS + STEP, STEP):
            scores[keys] = (simulate_us(lag, keys, 2 * tiles, 1) - simulate_us(lag, keys, tiles, 1)) / tiles
        once, twice = (simulate_us(lag, MOST_KEYS, tiles, rows) for rows in (1, 2))
        again = twice - once - tiles * scores[MOST_KEYS]
        workers = WORKERS // GROUPS
        return cls(workers * again, {keys: workers * us for keys, us in scores.items()})


def list_us(ids, block: int, length: int, rates: Rates):
    """Microseconds of the tiles of one list: runs of consecutive blocks, cut after so many keys."""
    total, at = 0.0, 0
    while at < len(ids):
        end = at + 1
        while end < len(ids) and ids[end] == ids[end - 1] + 1:
            end += 1
        keys = min(length, (ids[end - 1] + 1) * block) - ids[at] * block
        full, rest = divmod(keys, MOST_KEYS)
        total += full * rates.scores[MOST_KEYS]
        if rest:
            total += rates.scores[-(-rest // STEP) * STEP]
        at = end
    return rates.tile + total


def predict_us(case: Case, rates: Rates):
    """Microseconds of a call."""
    from attn import block_index

    loads, tile = [0.0] * WORKERS, 0
    for head in range(case.heads):
        index = block_index.random_index(
            case.length, case.length, case.block_shape, case.sparsity, case.frame, head=head
        )
        for first, row in zip(range(0, case.length, case.block_shape[0]), index.tolist()):
            us = list_us([number for number in row if number >= 0], case.block_shape[1], case.length, rates)
            for _ in range(first, min(first + case.block_shape[0], case.length), ROWS):
                loads[tile % WORKERS] += us
                tile += 1
    return CALL_US + max(loads)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lag", type=int, default=1, help="tiles after which products with values are added")
    rates = Rates.predict(parser.parse_args().lag)
    widths = ", ".join(f"{us:.1f} for {keys}" for keys, us in rates.scores.items())
    print(f"microseconds of a tile of scores by keys: {widths}; of a tile of queries besides {rates.tile:.1f}")
    form = "{:>9}{:>4}{:>8}{:>14}{:>10}{:>14}{:>14}{:>9}"
    print(form.format("blocks", "N", "S", "frame", "sparsity", "published us", "predicted us", "error"))
    errors = []
    for case in read_cases():
        predicted = predict_us(case, rates)
        errors.append(predicted / case.published - 1)
        sizes = "x".join(map(str, case.block_shape)), case.heads, case.length, "/".join(map(str, case.frame))
        times = f"{case.published:.0f}", f"{predicted:.0f}", f"{errors[-1]:+.1%}"
        print(form.format(*sizes, case.sparsity, *times), flush=True)
    near = sum(abs(error) <= WITHIN for error in errors)
    median = sorted(map(abs, errors))[len(errors) // 2]
    print(f"{near} of {len(errors)} within {WITHIN:.0%}, median error {median:.1%}, worst {max(errors, key=abs):+.1%}")
    return 0 if near >= SHARE * len(errors) else 1


if __name__ == "__main__":
    sys.exit(main())
