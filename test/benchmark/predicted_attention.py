"""Predicted times of block-sparse and paged attention on an Ascend910B2, without the launch: never measured.

The published times beside them are of other kernels, measured with their launch. `reads` is how often keys and values are
read, against once for each sequence or tile.
"""

import argparse
from typing import NamedTuple

SOC, GROUPS, WIDTH, PAGE = "Ascend910B2", 24, 128, 128


class Pages(NamedTuple):
    """A decode in f16, and the published microseconds of the public kernel and of npu_incre_flash_attention."""

    sequences: int
    length: int
    heads: tuple[int, int]
    published: str = "-"


class Lists(NamedTuple):
    """Random lists of blocks in bf16, and the published microseconds of the public kernel."""

    length: int
    heads: int
    block_shape: tuple[int, int]
    sparsity: float
    published: str = "-"


PAGED = [
    Pages(1, 4096, (32, 8), "69.3 / 78.1"),
    Pages(8, 2048, (32, 8), "92.1 / 81.8"),
    Pages(32, 2048, (32, 8), "263.7 / 272.5"),
    Pages(64, 2048, (32, 8)),
    Pages(256, 2048, (16, 1)),
]
SPARSE = [
    Lists(4096, 16, (128, 512), 0.0, "1619.9"),
    Lists(4096, 16, (128, 512), 0.5, "1114.7"),
    Lists(4096, 16, (128, 512), 0.9, "752.9"),
    Lists(4096, 16, (128, 128), 0.5),
]


def listed(plan):
    """The lists of a plan as tensors; None where there are none."""
    import torch

    rows = plan.shares, plan.tasks, plan.merges
    return [torch.tensor(numbers, dtype=torch.int32) if numbers else None for numbers in rows]


def predict_pages(case: Pages):
    import torch

    import attn
    import attn.language as at
    from kernels_dsl.paged import paged_fwd

    heads, kv_heads = case.heads
    pages, group = case.length // PAGE, heads // kv_heads
    plan = attn.paged_plan([case.length] * case.sequences, block_size=PAGE, kv_heads=kv_heads, cores=GROUPS)
    q = at.spec(f"{case.sequences} {kv_heads} {group} {WIDTH}", at.f16)
    cache = at.spec(f"{case.sequences * pages} {PAGE} {kv_heads} {WIDTH}", at.f16)
    order = torch.randperm(case.sequences * pages, generator=torch.Generator().manual_seed(0))
    lengths = torch.full((case.sequences,), case.length, dtype=torch.int32)
    arrays = (q, cache, cache, order.view(case.sequences, pages).int(), lengths)
    return attn.simulate(
        paged_fwd, *arrays, *listed(plan), WIDTH**-0.5, R=group, G=group, soc=SOC, timing_only=True, phases="launches"
    ).report


def predict_lists(case: Lists):
    import torch

    import attn
    import attn.language as at
    from attn import block_index, planning
    from attn.ops import _dispatch
    from kernels_dsl.block_sparse import block_sparse_fwd

    rows, size = _dispatch.block_sparse_rows(WIDTH, WIDTH), (case.length, case.length, case.block_shape, case.sparsity)
    index = torch.stack([block_index.random_index(*size, head=head) for head in range(case.heads)])[None]
    counts = (index >= 0).sum(-1, dtype=torch.int32)
    tiles = torch.arange(-(-case.length // rows)) * rows // case.block_shape[0]
    plan = planning.block_plan(counts[..., tiles].tolist(), cores=GROUPS)
    array = at.spec(f"1 {case.heads} {case.length} {WIDTH}", at.bf16)
    arrays = (array, array, array, index, counts, *listed(plan))
    options = dict(BM=rows, BN=_dispatch.BLOCK_KEYS, soc=SOC, timing_only=True, phases="launches")
    return attn.simulate(block_sparse_fwd, *arrays, *case.block_shape, WIDTH**-0.5, **options).report


def rows():
    """Names, reports, and the bytes of keys and values that are read at least."""
    for case in PAGED:
        heads, kv_heads = case.heads
        least = 4 * case.sequences * case.length * kv_heads * WIDTH
        yield f"paged B={case.sequences} L={case.length} {heads}/{kv_heads}", case, predict_pages(case), least
    for case in SPARSE:
        blocks = "x".join(map(str, case.block_shape))
        name = f"block-sparse S={case.length} N={case.heads} {blocks} p={case.sparsity}"
        yield name, case, predict_lists(case), None


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    form = "{:<38}{:>13}{:>12}{:>9}{:>7}{:>16}"
    print(form.format("case", "predicted us", "roofline us", "reached", "reads", "published us"))
    errors = []
    for name, case, report, least in rows():
        read = sum(report.traffic[array][0] for array in ("k", "v"))
        reads = "-" if least is None else f"{read / least:.2f}"
        times = f"{report.time_us:.1f}", f"{report.roofline_us:.1f}", f"{report.roofline_share:.0%}"
        print(form.format(name, *times, reads, case.published), flush=True)
        errors = report.known_errors
    print("\n".join(["known errors of the model:", *errors]))


if __name__ == "__main__":
    main()
