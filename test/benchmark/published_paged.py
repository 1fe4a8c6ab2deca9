"""Predicted times of the public paged kernel beside its published ones, on an Ascend910B2: nothing here was measured by us.

What is known of its tiling is imitated with our kernel: tasks are single heads of keys, heads of queries that share keys
may be in several tasks, so that keys and values are read more than once, and tasks are dealt in their order, so that some
cores have nothing while the busiest one works. Both factors are published: how often keys and values are read, and the
bytes of a core, if all had the same and read once, through those of the busiest. Of a batch of one, the published time is
mostly that of the host; it is shown, and not held to anything.
"""

import itertools
import sys
from typing import NamedTuple

import predicted_attention as predicted

WITHIN = 0.25


class Row(NamedTuple):
    """A published row: 32 heads that share 8, how often keys and values are read, the balance, and microseconds."""

    sequences: int
    length: int
    reads: float
    balance: float
    published: float
    is_held: bool = True


ROWS = [
    Row(1, 4096, 2.0, 0.33, 69.3, is_held=False),
    Row(8, 2048, 1.25, 0.67, 92.1),
    Row(32, 2048, 1.06, 0.89, 263.7),
]
HEADS, KV_HEADS = 32, 8


def deal(row: Row):
    """Shares and tasks of cores: heads of sequences, then as many of them again as are read again.

    Long sequences are cut into as many parts as make the share of the busiest core whole tasks.
    """
    from attn.planning import Task

    ideal = row.sequences * KV_HEADS / predicted.GROUPS
    busiest = ideal / row.balance
    parts = 1 if busiest >= 1 else round(1 / busiest)
    most = max(1, round(busiest * parts))
    count = round(row.reads * row.sequences * KV_HEADS * parts)
    units = [(b, h, part) for b in range(row.sequences) for h in range(KV_HEADS) for part in range(parts)]
    tasks = [Task(b, h, 0, part, parts, -1) for b, h, part in (units * 2)[:count]]
    firsts = [min(core * most, count) for core in range(predicted.GROUPS + 1)]
    return list(itertools.pairwise(firsts)), tasks


def predict(row: Row):
    """The report of a launch."""
    import torch

    import attn
    import attn.language as at
    from kernels_dsl.paged import paged_fwd

    pages, group = row.length // predicted.PAGE, HEADS // KV_HEADS
    q = at.spec(f"{row.sequences} {KV_HEADS} {group} {predicted.WIDTH}", at.f16)
    cache = at.spec(f"{row.sequences * pages} {predicted.PAGE} {KV_HEADS} {predicted.WIDTH}", at.f16)
    order = torch.randperm(row.sequences * pages, generator=torch.Generator().manual_seed(0))
    lengths = torch.full((row.sequences,), row.length, dtype=torch.int32)
    arrays = (q, cache, cache, order.view(row.sequences, pages).int(), lengths)
    lists = [torch.tensor(numbers, dtype=torch.int32) for numbers in deal(row)]
    options = dict(R=group, G=group, soc=predicted.SOC, timing_only=True, phases="launches")
    return attn.simulate(paged_fwd, *arrays, *lists, None, predicted.WIDTH**-0.5, **options).report


def main():
    """Prints the rows; 1 where one that is held is further off."""
    form = "{:<28}{:>7}{:>9}{:>14}{:>14}{:>9}"
    print(form.format("case", "reads", "balance", "published us", "predicted us", "error"))
    is_near = True
    for row in ROWS:
        report = predict(row)
        least = 4 * row.sequences * row.length * KV_HEADS * predicted.WIDTH
        reads = sum(report.traffic[array][0] for array in ("k", "v")) / least
        shares, tasks = deal(row)
        parts = tasks[0].parts
        balance = row.sequences * KV_HEADS * parts / predicted.GROUPS / max(end - first for first, end in shares)
        error = report.time_us / row.published - 1
        is_near = is_near and (not row.is_held or abs(error) <= WITHIN)
        name = f"B={row.sequences} L={row.length} {HEADS}/{KV_HEADS}"
        times = f"{row.published:.1f}", f"{report.time_us:.1f}", f"{error:+.1%}"
        print(form.format(name, f"{reads:.2f}", f"{balance:.2f}", *times), flush=True)
    return 0 if is_near else 1


if __name__ == "__main__":
    sys.exit(main())
