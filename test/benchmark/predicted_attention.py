"""Predicted times of block-sparse and paged attention on an Ascend910B2, with the launch: never measured.

The published times beside them are of other kernels. Where parts are merged, that is a second launch. `reads` is how often keys and values are
read, against once for each sequence or tile.
"""

import argparse
from typing import NamedTuple

SOC, GROUPS, WIDTH, PAGE = "Ascend910B2", 24, 128, 128


class Pages(NamedTuple):
    """A decode, and the published microseconds of the public kernel and of npu_incre_flash_attention."""

    sequences: int
    length: int
    heads: tuple[int, int]
    published: str = "-"
    shorter: int = 0  # of each sequence than the one before
    dtype: str = "f16"
    tokens: int = 1  # new ones of each sequence

    @property
    def lengths(self):
        return [self.length - number * self.shorter for number in range(self.sequences)]

    @property
    def least_bytes(self):
        """Of keys and values, once."""
        return 4 * sum(self.lengths) * self.heads[1] * WIDTH


class Lists(NamedTuple):
    """Random lists of blocks in bf16, and the published microseconds of the public kernel; as many heads of keys as of
    queries unless their number is given."""

    length: int
    heads: int
    block_shape: tuple[int, int]
    sparsity: float
    published: str = "-"
    frame: tuple[int, int, int, int] = (0, 0, 0, 0)
    batch: int = 1
    kv_heads: int | None = None
    causal: bool = False


PAGED = [
    Pages(1, 4096, (32, 8), "69.3 / 78.1"),
    Pages(8, 2048, (32, 8), "92.1 / 81.8"),
    Pages(32, 2048, (32, 8), "263.7 / 272.5"),
    Pages(64, 2048, (32, 8)),
    Pages(256, 2048, (16, 1)),
]
# More rows than a product has at once, and numbers of them that strips do not divide.
NEW_TOKENS = [
    Pages(8, 2048, (128, 8), tokens=7),
    Pages(8, 2048, (128, 8), tokens=11),
    Pages(8, 2048, (128, 8), tokens=16),
    Pages(32, 2048, (128, 8), tokens=16),
]
SPARSE = [
    Lists(4096, 16, (128, 512), 0.0, "1619.9"),
    Lists(4096, 16, (128, 512), 0.5, "1114.7"),
    Lists(4096, 16, (128, 512), 0.9, "752.9"),
    Lists(4096, 16, (128, 128), 0.5),
    Lists(4096, 16, (128, 128), 0.0, causal=True),
    Lists(4096, 16, (128, 128), 0.5, causal=True),
]


def listed(plan):
    """The lists of a plan as tensors; None where there are none."""
    import torch

    rows = plan.shares, plan.tasks, plan.merges
    return [torch.tensor(numbers, dtype=torch.int32) if numbers else None for numbers in rows]


def plan_pages(case: Pages):
    """The plan as the operator makes it, its rows, and how many heads of keys are loaded at a time."""
    import torch

    import attn
    from attn.ops import _pages

    heads, kv_heads = case.heads
    meta = dict(dtype=torch.float16, device="meta")
    rows = _pages.Rows(torch.empty(case.sequences, case.tokens, heads, WIDTH, **meta), kv_heads)
    cache = torch.empty(1, PAGE, kv_heads, WIDTH, **meta)
    together = _pages.heads_together(rows, cache, cache)
    options = dict(block_size=PAGE, kv_heads=kv_heads // together, cores=GROUPS, row_tiles=rows.tiles)
    return attn.paged_plan(case.lengths, **options), rows, together


def predict_pages(case: Pages):
    import torch

    import attn
    import attn.language as at
    from kernels_dsl.paged import paged_fwd

    (heads, kv_heads), dtype = case.heads, getattr(at, case.dtype)
    pages, group = -(-case.length // PAGE), heads // kv_heads
    plan, rows, together = plan_pages(case)
    q = at.spec(f"{case.sequences} {kv_heads} {case.tokens * group} {WIDTH}", dtype)
    cache = at.spec(f"{case.sequences * pages} {PAGE} {kv_heads // together} {together * WIDTH}", dtype)
    order = torch.randperm(case.sequences * pages, generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor(case.lengths, dtype=torch.int32)
    arrays = (q, cache, cache, order.view(case.sequences, pages).int(), lengths)
    options = dict(R=rows.tile, G=group, T=case.tokens, short=rows.is_short, heads=together)
    options.update(soc=SOC, timing_only=True, phases="launches")
    return attn.simulate(paged_fwd, *arrays, *listed(plan), WIDTH**-0.5, **options).report


def as_computed(case: Lists):
    """A case with the blocks that the operator computes with: others where lists have all of them."""
    from attn.ops import block_sparse

    return case if case.sparsity else case._replace(block_shape=block_sparse.dense_shape(case.causal))


def tile_rows(case: Lists):
    """The queries of a tile, which divide those of a block."""
    from attn.ops import _dispatch

    tall = _dispatch.TALL_ROWS
    tiles = case.batch * case.heads * -(-case.length // tall)
    if not case.causal and case.block_shape[0] % tall == 0 and _dispatch.has_tall_rows(2 * WIDTH, 2, tiles, GROUPS):
        return tall
    return _dispatch.block_sparse_rows(WIDTH, WIDTH)


def plan_lists(case: Lists):
    """The index [B, N, R, W], how many blocks tiles of queries keep, and the plan of the tiles."""
    import torch

    from attn import block_index, planning
    from attn.ops import _lists, block_sparse

    rows, least = tile_rows(case), max(1, block_sparse._LEAST_KEYS // case.block_shape[1])
    size = (case.length, case.length, case.block_shape, case.sparsity, case.frame)
    heads = [(batch, head) for batch in range(case.batch) for head in range(case.heads)]
    index = torch.stack([block_index.random_index(*size, batch=batch, head=head) for batch, head in heads])
    index = index.unflatten(0, (case.batch, case.heads))
    tiles = _lists.Tiles(rows, case.block_shape[0] // rows, case.length, case.causal, None)
    counts = _lists.count_listed(index, case.block_shape[1], case.length, None, tiles)
    return index, counts, planning.block_plan(counts.tolist(), cores=GROUPS, least=least)


def run_lists(case: Lists, index, counts, lists):
    """The report of a launch for an index and the lists of a plan."""
    import attn
    import attn.language as at
    from attn.ops import _dispatch
    from kernels_dsl.block_sparse import block_sparse_fwd

    batch, heads, rows, _ = index.shape
    queries = at.spec(f"{batch} {heads} {rows * case.block_shape[0]} {WIDTH}", at.bf16)
    keys = at.spec(f"{batch} {min(heads, case.kv_heads or heads)} {case.length} {WIDTH}", at.bf16)
    # Of the case, also where the lists are samples; causal, a tile sees half on the average.
    seen = case.length * (1 - case.sparsity) / (2 if case.causal else 1)
    sizes = dict(BM=tile_rows(case), **_dispatch.block_sparse_choices(seen, case.causal, 2 * WIDTH))
    options = dict(sizes, soc=SOC, timing_only=True, phases="launches")
    arrays = (queries, keys, keys, index, counts if case.causal else None, *lists)
    return attn.simulate(
        block_sparse_fwd, *arrays, *case.block_shape, WIDTH**-0.5, causal=case.causal, **options
    ).report


def predict_lists(case: Lists):
    case = as_computed(case)
    index, counts, plan = plan_lists(case)
    return run_lists(case, index, counts, listed(plan))


# Of the shorter lists of a sample.
SAMPLED_KEYS = 3072

# Long sequences: tiles that keep as many blocks take as long. What a tile and a block take is found out with all cores at
# work, by lists of few blocks, and multiplied for the core that has most to do.


def sample_us(case: Lists, tiles: int, blocks: int):
    """Microseconds in which each core computes so many tiles, which keep so many blocks. The second tile of a core has the
    list of the first one of the next core: its keys are in L2, as they are for nearly all tiles of a long sequence. Cores
    are put off as in its plan."""
    import torch

    from attn import planning

    columns = -(-case.length // case.block_shape[1])
    generator = torch.Generator().manual_seed(0)
    kept = [torch.randperm(columns, generator=generator)[:blocks].sort().values for _ in range(GROUPS)]
    lists = [kept[(core + tile) % GROUPS] for core in range(GROUPS) for tile in range(tiles)]
    index = torch.stack(lists).int()[None, None]
    step = case.block_shape[0] // tile_rows(case)  # a tile of each block of queries
    dealt = [[(core * tiles + tile) * step for tile in range(tiles)] for core in range(GROUPS)]
    dealt = [[planning.BlockTask(0, 0, place, 0, blocks, -1) for place in places] for places in dealt]
    tasks, shares = planning.list_tasks([planning.put_off(own, core) for core, own in enumerate(dealt)])
    return run_lists(case, index, None, listed(planning.BlockPlan(tasks, shares, ()))).time_us


def measure_rates(case: Lists, keys: int | None = None):
    """Microseconds of a launch, of each tile, and of each block, from lists of so many keys and three times as many. What
    it takes until the first keys are in L2 is a part of the launch.

    Cores fall into step only after many blocks, and ask L2 for the same from then on: where lists have all blocks, the
    longer ones of the sample have nearly all of them too, unless it is said how many keys to take."""
    case = as_computed(case)
    if keys is None:
        keys = SAMPLED_KEYS if case.sparsity else max(SAMPLED_KEYS, case.length // 3)
    few = max(1, min(keys // case.block_shape[1], -(-case.length // case.block_shape[1]) // 3))
    first = sample_us(case, 1, few)
    second = sample_us(case, 2, few) - first
    longer = sample_us(case, 2, 3 * few) - sample_us(case, 1, 3 * few)
    block = (longer - second) / (2 * few)
    return first - second, second - block * few, block


def merge_us(case: Lists, merges):
    """Microseconds in which the rows of a plan are merged: of tasks that see nothing, with and without."""
    import torch

    columns, heads = -(-case.length // case.block_shape[1]), max(head for _, head, *_ in merges) + 1
    tasks = torch.tensor([(0, head, tile, 0, 0, row) for row, (_, head, tile, _) in enumerate(merges)]).int()
    shares = torch.tensor([(0, len(merges))]).int()
    index = torch.zeros(1, heads, -(-case.length // case.block_shape[0]), columns, dtype=torch.int32)
    rows = torch.tensor([(0, *merge[1:]) for merge in merges]).int()
    merged, plain = (run_lists(case, index, None, (shares, tasks, given)).time_us for given in (rows, None))
    return merged - plain


def predict_by_classes(case: Lists, rates):
    """Microseconds of a whole launch, and of the one that merges. Tasks that put cores off are a part of the launch."""
    launch, tile, block = rates
    case = as_computed(case)
    _, _, plan = plan_lists(case)
    kept = ([task.end - task.first for task in plan.tasks[i:j] if task.end > task.first] for i, j in plan.shares)
    loads = (tile * len(blocks) + block * sum(blocks) for blocks in kept)
    return launch + max(loads) + (merge_us(case, plan.merges) if plan.merges else 0)


def report_long(whole: bool):
    """Three heads of 118,806 positions with the frame of the specification; `whole` is without sparsity once more."""
    form = "{:<47}{:>13}{:>16}"
    print(form.format("by classes of tiles, S=118806 N=3", "predicted ms", "published ms"))
    for keys, published in ((128, ("200.8", "117.7", "24.6")), (512, ("198.7", "85.4", "17.9"))):
        frame = (-(-3600 // keys), 1, -(-3600 // 128), 1)
        cases = [Lists(118806, 3, (128, keys), sparsity, frame=frame) for sparsity in (0.0, 0.5, 0.9)]
        # Lists of all blocks are computed in other tiles.
        rates = [measure_rates(cases[0]), *[measure_rates(cases[1])] * 2]
        for case, other, found in zip(cases, published, rates):
            time = predict_by_classes(case, found) / 1e3
            print(form.format(f"block-sparse 128x{keys} p={case.sparsity}", f"{time:.1f}", other), flush=True)
    if whole:
        time = predict_lists(cases[0]).time_us / 1e3
        print(form.format("nothing left out, as one run", f"{time:.1f}", "-"), flush=True)


def rows():
    """Names, reports, and the bytes of keys and values that are read at least."""
    for case in (*PAGED, *NEW_TOKENS):
        heads, kv_heads = case.heads
        name = f"paged B={case.sequences} L={case.length} {heads}/{kv_heads}"
        name += f" {case.tokens} new tokens" if case.tokens > 1 else ""
        yield name, case, predict_pages(case), case.least_bytes
    for case in SPARSE:
        blocks = "x".join(map(str, case.block_shape))
        name = f"block-sparse S={case.length} N={case.heads} {blocks} p={case.sparsity}{' causal' * case.causal}"
        yield name, case, predict_lists(case), None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="also run the longest case as a whole: a minute or more")
    options = parser.parse_args()
    form = "{:<47}{:>13}{:>12}{:>9}{:>7}{:>16}"
    print(form.format("case", "predicted us", "roofline us", "reached", "reads", "published us"))
    errors = []
    for name, case, report, least in rows():
        read = sum(report.traffic[array][0] for array in ("k", "v"))
        reads = "-" if least is None else f"{read / least:.2f}"
        times = f"{report.time_us:.1f}", f"{report.roofline_us:.1f}", f"{report.roofline_share:.0%}"
        print(form.format(name, *times, reads, case.published), flush=True)
        errors = report.known_errors
    report_long(options.whole)
    print("\n".join(["known errors of the model:", *errors]))


if __name__ == "__main__":
    main()
