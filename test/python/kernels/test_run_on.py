"""Cube cores that run on to the next tile of rows before they are done with one: the bits are those of cores that drain,
on every schedule, however many tiles of keys a tile of rows has."""

import pytest
import torch

import attn
from kernels_dsl.block_sparse import block_sparse_fwd
from kernels_dsl.flash import flash_fwd
from kernels_dsl.paged import paged_fwd
from list_kernels import pages_of, randn, whole

SOC = "Ascend910B4:vector_cores=4,cube_cores=2"
DISTANCES = [dict(preload=1, lag=1), dict(preload=2, lag=1), dict(preload=3, lag=3)]
# Of each core, how many blocks its tiles of queries keep: none, fewer than the distances, and more.
COUNTS = [
    ([5, 0, 1, 2], [3, 3, 3]),
    ([0], [0, 0, 5]),
    ([1, 1, 1, 1], [2, 2, 2, 1]),
    ([9], []),
    ([4, 1, 0, 0, 7, 2], [0, 6, 0]),
]


def draw(*shapes):
    return [randn(*shape, seed=seed).half() for seed, shape in enumerate(shapes)]


def dense(queries, keys):
    q, k, v = draw((1, 2, queries, 16), (1, 2, keys, 16), (1, 2, keys, 16))
    return {"q": q, "k": k, "v": v, "scale": 0.25, "BM": 32, "BN": 16}


def listed(cores):
    counts = [count for own in cores for count in own]
    most = max(*counts, 1)
    q, k, v = draw((1, len(counts), 16, 16), (1, 1, 32 * most, 16), (1, 1, 32 * most, 16))
    ends = [sum(map(len, cores[: number + 1])) for number in range(len(cores))]
    shares = whole([[end - len(own), end] for own, end in zip(cores, ends)])
    tasks = whole([(0, head, 0, 0, count, -1) for head, count in enumerate(counts)])
    index = torch.arange(most, dtype=torch.int32).expand(1, len(counts), 1, -1).contiguous()
    lists = {"index": index, "counts": None, "shares": shares, "tasks": tasks, "merges": None}
    return {"q": q, "k": k, "v": v, **lists, "bq": 32, "bk": 32, "scale": 0.25, "BM": 16, "BN": 32}


def paged(lens):
    k, v, table = pages_of(lens, 16, 1, 16, torch.float16)
    tasks = whole([(b, 0, 0, 0, 1, -1) for b in range(len(lens))])
    half = len(lens) // 2
    lists = {"shares": whole([[0, half], [half, len(lens)]]), "tasks": tasks, "merges": None}
    (q,) = draw((len(lens), 1, 16, 16))
    return {"q": q, "k": k, "v": v, "table": table.int(), "lens": whole(lens), **lists, "scale": 0.25, "R": 16, "G": 16}


def run(kernel, arguments, **options):
    result = attn.simulate(kernel, **arguments, soc=SOC, **options)
    assert not result.report.hazards, result.report.text
    return [output for output in result.outputs if output is not None]


def check(kernel, arguments, options, seeds=(), stages=("ascend",)):
    drained = run(kernel, arguments, run_on=0, **options)
    runs = [run(kernel, arguments, run_on=1, stage=stage, **options) for stage in stages]
    runs += [run(kernel, arguments, run_on=1, jitter=seed, **options) for seed in seeds]
    for outputs in runs:
        assert all(torch.equal(one, other) for one, other in zip(drained, outputs, strict=True))


@pytest.mark.parametrize("shape", [(200, 330), (330, 200), (100, 33), (260, 48), (40, 20)], ids=str)
@pytest.mark.parametrize("options", DISTANCES, ids=str)
def test_dense(shape, options):
    check(flash_fwd, dense(*shape), options, seeds=(1, 2))


@pytest.mark.parametrize("cores", COUNTS, ids=str)
@pytest.mark.parametrize("options", DISTANCES, ids=str)
def test_lists(cores, options):
    check(block_sparse_fwd, listed(cores), options, seeds=(1, 2))


@pytest.mark.parametrize("lens", [[70, 0, 100, 1, 16, 33], [0, 0, 40, 200]], ids=str)
def test_pages(lens):
    check(paged_fwd, paged(lens), dict(preload=3, lag=2), seeds=(1, 2))


def test_texts():
    check(block_sparse_fwd, listed(COUNTS[0]), DISTANCES[1], stages=("ascendc", "hivm"))
    check(flash_fwd, dense(100, 60), DISTANCES[1], stages=("ascendc", "hivm"))


def test_what_waits_is_there_sooner():
    """Tiles of few blocks, each of which would begin when the one before is drained."""
    q, k, v = (attn.language.spec(f"1 1 {rows} 128", attn.language.bf16) for rows in (3072, 2048, 2048))
    index = torch.arange(4, dtype=torch.int32).expand(1, 1, 24, -1).contiguous()
    tasks = whole([(0, 0, x, 0, 4, -1) for x in range(24)])
    lists = index, None, whole([[8 * core, 8 * core + 8] for core in range(3)]), tasks, None
    options = dict(BM=128, BN=512, soc="Ascend910B2", timing_only=True, blocks=3)
    times = [
        attn.simulate(block_sparse_fwd, q, k, v, *lists, 128, 512, 0.1, **options, run_on=on).report.time_us
        for on in (0, 1)
    ]
    assert times[1] < 0.95 * times[0]
