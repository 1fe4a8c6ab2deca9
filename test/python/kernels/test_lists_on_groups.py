"""Attention over lists of blocks and pages on the modelled chip: loops of cube and vector cores whose counts lie in memory."""

import inspect
import re
from pathlib import Path

import pytest
import torch

import attn
import attn.language as at
import attn.ops
import references
from attn import block_index, planning
from attn.ops import _dispatch
from kernels_dsl.block_sparse import block_sparse_fwd
from kernels_dsl.lists import count_listed
from kernels_dsl.paged import paged_fwd
from list_kernels import pages_of, randn
from references import DTYPES, names

F32, F16, BF16 = DTYPES
TEXTS = ("ascendc", "hivm")


def simulate(kernel, arguments, **options):
    """The first two outputs of a run without hazards."""
    run = attn.simulate(kernel, *arguments, **options)
    assert not run.report.hazards, run.report.text
    return run.outputs[:2]


# Lists of blocks


def draw_blocks(dtype, queries=300, keys=270, batch=1, heads=(2, 1), width=32):
    """q, k and v, and which blocks of 128 keys each block of 128 queries sees: none, some and all."""
    shapes = [(heads[0], queries, width), (heads[1], keys, width), (heads[1], keys, width)]
    q, k, v = (randn(batch, *shape, dtype=dtype, seed=seed) for seed, shape in enumerate(shapes))
    blocks = (batch, heads[0], -(-queries // 128), -(-keys // 128))
    mask = torch.rand(blocks, generator=torch.Generator().manual_seed(3)) < 0.6
    mask[:, 0, 0] = False
    mask[:, -1, -1] = True
    return q, k, v, mask


def count_seen(mask, rows, queries, keys, q_lens, kv_lens, causal):
    """Of the blocks of 128 keys of a mask, how many tiles of so many queries see: [B, H, X]."""
    tiles = torch.arange(-(-queries // rows))
    seen = mask[:, :, tiles * rows // 128]
    for b in range(len(mask)):
        m, n = queries if q_lens is None else q_lens[b], keys if kv_lens is None else kv_lens[b]
        ends = ((tiles + 1) * rows + n - m).clamp(max=n) if causal else torch.full_like(tiles, n)
        seen[b] &= torch.arange(mask.shape[3]) * 128 < ends[:, None]
    return seen.sum(-1, dtype=torch.int32)


def check_blocks(
    dtype, stage="ascend", causal=False, lengths=None, sizes=(32, 64), cores=3, queries=300, keys=270, least=None,
    drawn=None,
):  # fmt: skip
    q, k, v, mask = drawn or draw_blocks(dtype, queries, keys, batch=len(lengths) if lengths else 1)
    q_lens, kv_lens = ([list(column) for column in zip(*lengths)]) if lengths else (None, None)
    options = {}
    if lengths:
        for entry, length in enumerate(kv_lens):
            k[entry, :, length:], v[entry, :, length:] = torch.nan, torch.nan
        options = dict(q_lens=torch.tensor(q_lens, dtype=torch.int32), kv_lens=torch.tensor(kv_lens, dtype=torch.int32))
    options.update(zip(("BM", "BN"), sizes))
    counts = count_seen(mask, sizes[0], queries, keys, q_lens, kv_lens, causal)
    plan = planning.block_plan(counts.tolist(), cores=cores, least=least)
    lists = [torch.tensor(rows, dtype=torch.int32) if rows else None for rows in (plan.shares, plan.tasks, plan.merges)]
    arguments = (q, k, v, block_index.from_mask(mask), counts, *lists, 128, 128, 32**-0.5)
    o, lse = simulate(block_sparse_fwd, arguments, causal=causal, stage=stage, phases="launches", **options)
    *expected, fewest = references.block_sparse(q, k, v, mask, (128, 128), 32**-0.5, causal, q_lens, kv_lens)
    references.assert_flash(o, lse, expected, fewest)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_lists_of_blocks(dtype, causal):
    check_blocks(dtype, causal=causal)


def test_lists_of_blocks_with_lengths():
    check_blocks(F16, causal=True, lengths=[(300, 270), (130, 40), (0, 270), (17, 0)])


def test_parts_of_lists_of_blocks():
    """More cores than tiles of queries: lists are cut, and the parts are merged."""
    check_blocks(BF16, sizes=(128, 64), cores=20)


@pytest.mark.parametrize("stage", ["ascend", "ascendc"])
@pytest.mark.parametrize("cores", [3, 20])
def test_cores_that_are_put_off(cores, stage, monkeypatch):
    """Tasks that see nothing store results that the next one stores again: of whole lists and of parts."""
    monkeypatch.setattr(planning, "_LONG_LOAD", 0)
    check_blocks(BF16, stage=stage, sizes=(128, 64), cores=cores, least=1)


@pytest.mark.parametrize("stage", ["ascend", "ascendc"])
@pytest.mark.parametrize("queries", [640, 700])
def test_tiles_dealt_in_circles(queries, stage, monkeypatch):
    """Lists of all blocks, cut so that cores end their tiles at other times: of five tiles on three cores and of six."""
    for limit in ("_LONG_LOAD", "_CUT_LOAD", "_CUT_PARTS"):
        monkeypatch.setattr(planning, limit, 0)
    q, k, v, mask = draw_blocks(BF16, queries, 500, heads=(1, 1))
    check_blocks(BF16, stage, sizes=(128, 64), queries=queries, keys=500, least=1, drawn=(q, k, v, mask | True))


@pytest.mark.parametrize("sizes", [(32, 256), (64, 192), (32, 512)], ids=names)
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_tiles_of_several_blocks(dtype, sizes):
    check_blocks(dtype, sizes=sizes)


def test_tiles_of_several_blocks_with_lengths():
    check_blocks(F16, sizes=(32, 256), lengths=[(300, 270), (130, 40), (0, 270), (17, 0)])


def test_tiles_of_several_blocks_in_parts():
    check_blocks(BF16, sizes=(128, 256), cores=20)


@pytest.mark.parametrize("queries, keys, lengths, cores", [
    (700, 700, None, 3), (200, 600, None, 3), (600, 300, None, 3), (260, 600, None, 20),
    (300, 600, [(300, 600), (130, 517), (77, 40), (0, 600)], 3),
])  # fmt: skip
def test_causal_tiles_of_several_blocks(queries, keys, lengths, cores):
    """Blocks before the diagonal share wide tiles, those that it cuts are narrow ones."""
    check_blocks(F16, "ascend", True, lengths, (64, 512), cores, queries, keys)


@pytest.mark.parametrize("sizes", [(32, 64), (32, 256)], ids=names)
@pytest.mark.parametrize("stage", TEXTS)
def test_lists_of_blocks_in_texts(stage, sizes):
    check_blocks(F16, stage=stage, sizes=sizes)


@pytest.mark.parametrize("keys", [512, 128])
def test_tiles_are_as_wide_as_blocks_fill_them(tmp_path, keys):
    """n blocks of 128 keys are ceil(n / 4) tiles of 512, each one exchange of scores, and n copies to L1. With tiles that
    start again at every gap there would be n exchanges."""
    mask = torch.zeros(1, 1, 3, 12, dtype=torch.bool)
    kept = [0, 2, 3, 5, 7, 8, 11], [1, 4], [0, 1, 2, 3]
    for row, blocks in enumerate(kept):
        mask[0, 0, row, list(blocks)] = True
    counts, trace = mask.sum(-1, dtype=torch.int32), tmp_path / "trace.txt"
    lists = (
        torch.tensor([[0, 1], [1, 2], [2, 3]]).int(),
        torch.tensor([(0, 0, x, 0, len(ids), -1) for x, ids in enumerate(kept)]).int(),
    )
    q, k = randn(1, 1, 384, 32, dtype=F16), randn(1, 1, 1500, 32, dtype=F16)
    arguments = (q, k, k, block_index.from_mask(mask), counts, *lists, None, 128, 128, 32**-0.5)
    simulate(block_sparse_fwd, arguments, BM=128, BN=keys, phases="launches", trace=str(trace))
    records = [line for line in trace.read_text().splitlines() if "cube core" in line]
    source = Path(inspect.getsourcefile(inspect.unwrap(block_sparse_fwd))).read_text().splitlines()
    line, text = next((number, text) for number, text in enumerate(source, 1) if "k[b, h * Hk // H, j, :].T" in text)
    product, copied = (f":{line}:{text.index(part) + 1} " for part in ("queries @", "k[b, h * Hk // H, j, :]"))
    for group, blocks in enumerate(kept):
        own = [record for record in records if f"group {group}," in record]
        assert sum("cross_set" in record and product in record for record in own) == -(-len(blocks) * 128 // keys)
        assert sum("nd_to_nz" in record and copied in record for record in own) == len(blocks)


def test_cores_are_busy_alike(tmp_path):
    """Rows at the top that keep everything: the products of the busiest cube core take a tenth more than the mean at most."""
    index = block_index.random_index(4096, 4096, (128, 128), 0.85, (0, 0, 3, 0))[None, None]
    counts, trace, cores = (index >= 0).sum(-1), tmp_path / "trace.txt", 4
    plan = planning.block_plan(counts.tolist(), cores=cores)
    lists = [torch.tensor(rows, dtype=torch.int32) if rows else None for rows in (plan.shares, plan.tasks, plan.merges)]
    array = at.spec("1 1 4096 64", at.f16)
    options = dict(BM=128, phases="launches", timing_only=True, trace=str(trace))
    attn.simulate(block_sparse_fwd, array, array, array, index, None, *lists, 128, 128, 0.125, **options)
    busy = dict.fromkeys(range(cores), 0.0)
    for start, end, group in re.findall(
        r"^ *([\d.]+) to +([\d.]+) us .* mmad .* group (\d+)", trace.read_text(), re.MULTILINE
    ):
        busy[int(group)] += float(end) - float(start)
    assert 0 < max(busy.values()) <= 1.1 * sum(busy.values()) / cores, f"cores are busy for {busy}"


def test_blocks_are_read_once_for_each_tile():
    q, k, v, mask = draw_blocks(F16)
    counts = mask.sum(-1, dtype=torch.int32)
    plan = planning.block_plan(counts.tolist(), cores=3)
    lists = [torch.tensor(rows, dtype=torch.int32) if rows else None for rows in (plan.shares, plan.tasks, plan.merges)]
    arguments = (q, k, v, block_index.from_mask(mask), counts, *lists, 128, 128, 32**-0.5)
    options = dict(BM=128, BN=128, phases="launches", timing_only=True)
    report = attn.simulate(block_sparse_fwd, *arguments, **options).report
    tokens = int((mask * torch.tensor([128, 128, 14])).sum())
    for array in ("k", "v"):
        assert report.traffic[array][0] <= 1.02 * tokens * 32 * 2


# Pages


def draw_pages(lengths, dtype, rows=4):
    """q, the caches with NaN wherever nothing may be read, and the table; unused entries name no page."""
    k, v, table = pages_of(lengths, page=32, heads=2, width=64, dtype=dtype)
    return randn(len(lengths), 2, rows, 64, dtype=dtype), k, v, table.to(torch.int32)


def plan_lists(lengths, num_splits, cores=3, heads=2, **options):
    plan = attn.paged_plan(lengths, block_size=32, kv_heads=heads, cores=cores, num_splits=num_splits, **options)
    return [torch.tensor(rows, dtype=torch.int32) if rows else None for rows in (plan.shares, plan.tasks, plan.merges)]


def check_pages(
    lengths, num_splits, dtype, stage="ascend", tokens=1, group=4, kept=None, lists=None, rows=None, **options
):
    """`rows` of a tile, of which the last may be short; all without."""
    arrays, rows = draw_pages(lengths, dtype, group * tokens), rows or group * tokens
    tiles = -(-group * tokens // rows)
    lists = plan_lists(lengths, num_splits, row_tiles=tiles) if lists is None else lists
    arguments = (*arrays, torch.tensor(lengths, dtype=torch.int32), *lists, 0.125)
    given = dict(options)
    if "sinks" in options:
        given["sinks"] = options["sinks"].view(2, 1, group).expand(2, tokens, group).reshape(2, -1)
    if kept is not None:
        counts = (kept >= 0).sum(-1, dtype=torch.int32)
        given.update(index=kept, counts=torch.minimum(counts, torch.tensor(lengths)[:, None].add(31) // 32).int())
    short = tiles * rows != group * tokens
    given.update(R=rows, G=group, T=tokens, short=short, phases="launches", stage=stage)
    out, lse = simulate(paged_fwd, arguments, **given)
    options.pop("run", None), options.pop("cuts", None)
    if "left" in options:
        options["window"] = options.pop("left"), 0
    q = arrays[0].unflatten(2, (tokens, group)).transpose(1, 2).flatten(2, 3)
    expected, expected_lse = references.paged(q, *arrays[1:], lengths, 0.125, page_index=kept, **options)
    expected = expected.unflatten(2, (2, group)).transpose(1, 2).flatten(2, 3)
    expected_lse = expected_lse.unflatten(1, (2, group)).transpose(2, 3).flatten(2)
    references.assert_flash(out, lse, (expected, expected_lse), keys=1)


@pytest.mark.parametrize("lengths, num_splits", [([70, 1, 0, 130], 1), ([70, 1, 0, 130], 3), ([300], 5)])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_pages(lengths, num_splits, dtype):
    """Whole sequences and parts of them, none, one and many pages for a core."""
    check_pages(lengths, num_splits, dtype)


@pytest.mark.parametrize("lengths, num_splits", [([70, 1, 0, 130], 1), ([300, 20], 5)])
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_pages_of_two_heads_at_once(lengths, num_splits, dtype):
    check_two_heads(lengths, num_splits, dtype)


@pytest.mark.parametrize("stage", TEXTS)
def test_pages_of_two_heads_in_texts(stage):
    check_two_heads([70, 0, 33], 2, F16, stage=stage)


def check_two_heads(lengths, num_splits, dtype, **options):
    """Keys and values of two heads are copied together; what one head has reaches nothing of the other."""
    q, k, v, table = draw_pages(lengths, dtype)
    arguments = torch.tensor(lengths, dtype=torch.int32), *plan_lists(lengths, num_splits, heads=1), 0.125
    pairs = [cache.flatten(2).unsqueeze(2) for cache in (k, v)]
    out, lse = simulate(paged_fwd, (q, *pairs, table, *arguments), R=4, G=4, heads=2, phases="launches", **options)
    expected, expected_lse = references.paged(q.flatten(1, 2).unsqueeze(1), k, v, table, lengths, 0.125)
    references.assert_flash(out, lse, (expected.view(out.shape), expected_lse.view(lse.shape)), keys=1)
    k[..., 0, :] = float("nan")
    pairs[0] = k.flatten(2).unsqueeze(2)
    again, _ = simulate(paged_fwd, (q, *pairs, table, *arguments), R=4, G=4, heads=2, phases="launches", **options)
    assert torch.equal(again[:, 1], out[:, 1])


def test_the_last_part_has_what_is_left():
    """Lengths that only the device knows may be longer than a plan was made for."""
    run = 1024 // 32
    check_pages([1200, 0], None, F16, lists=plan_lists([40, 2000], None, batch_invariant=True), run=run)


@pytest.mark.parametrize("stage", TEXTS)
def test_pages_in_texts(stage):
    check_pages([70, 0, 33], 2, F16, stage=stage)


@pytest.mark.parametrize("stage, window", [("ascend", {}), ("ascend", dict(left=40)), *((text, {}) for text in TEXTS)])
def test_many_rows_are_masked_in_the_last_pages_only(stage, window):
    """Pages before the newest tokens have a loop of their own: with pages before them, without, and none at all."""
    check_pages([170, 33, 0, 16, 5], 1, F16, tokens=16, group=8, stage=stage, **window)


@pytest.mark.parametrize("stage", ["ascend", "ascendc"])
@pytest.mark.parametrize("tokens, rows", [(11, 192), (13, 256), (16, 256), (7, 128), (11, 128)])
def test_tiles_have_rows_to_spare(stage, tokens, rows):
    """Of more rows than are multiplied at once, of fewer than there is room for, and of several tiles, the last short."""
    check_pages([170, 33, 0, 5], 2, F16, tokens=tokens, group=16, rows=rows, stage=stage)


@pytest.mark.parametrize("options", [dict(), dict(tokens=3), dict(left=40), dict(
    kept=torch.tensor([[[0, 2, -1], [1, -1, -1]], [[0, 1, -1], [-1, -1, -1]], [[0, 3, 4], [1, 2, -1]]]).int()
)], ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("stage", ["ascend", *TEXTS])
def test_pages_in_cuts(stage, options):
    check_pages([70, 0, 130], 2, F16, stage=stage, cuts=2, **options)


def test_keys_are_read_once_for_many_rows():
    """16 new tokens of 16 heads: all rows of a product, for which keys and values stay in L1."""
    lengths, spec = [300, 70], lambda *shape: at.spec(" ".join(map(str, shape)), at.f16)
    _, _, table = pages_of(lengths, page=32, heads=2, width=64, dtype=F16)
    arrays = spec(2, 2, 256, 64), *[spec(int(table.max()) + 1, 32, 2, 64)] * 2, table.int()
    rest = torch.tensor(lengths, dtype=torch.int32), *plan_lists(lengths, 3), 0.125
    report = attn.simulate(paged_fwd, *arrays, *rest, R=256, G=16, T=16, phases="launches", timing_only=True).report
    for array in ("k", "v"):
        assert report.traffic[array][0] <= 1.02 * sum(lengths) * 2 * 64 * 2


@pytest.mark.parametrize("options", [
    dict(tokens=3), dict(tokens=3, left=20), dict(left=40, softcap=2.0), dict(sinks=randn(8, seed=5)),
    dict(kept=torch.tensor([[[0, 2, -1], [1, -1, -1]], [[0, 1, -1], [-1, -1, -1]], [[0, 3, 4], [1, 2, -1]]]).int()),
], ids=" ".join)  # fmt: skip
def test_pages_with_options(options):
    check_pages([70, 0, 130], 2, F16, **options)


def test_time_without_values():
    """Without values, counts and tables are still read: the predicted time is the same."""
    lengths = [70, 0, 130]
    arrays = draw_pages(lengths, F16)
    rest = (torch.tensor(lengths, dtype=torch.int32), *plan_lists(lengths, 2), 0.125)
    whole = attn.simulate(paged_fwd, *arrays, *rest, R=4, G=4, phases="launches").report
    specs = [at.spec(" ".join(map(str, array.shape)), at.f16) for array in arrays[:3]]
    timed = attn.simulate(paged_fwd, *specs, arrays[3], *rest, R=4, G=4, phases="launches", timing_only=True).report
    assert timed.time_us == pytest.approx(whole.time_us, rel=0.01) and timed.instructions == whole.instructions
    for array in ("k", "v"):  # each token once for each head of keys, in f16
        assert whole.traffic[array][0] <= 1.02 * sum(lengths) * 2 * 64 * 2
    shorter = (torch.tensor([3, 0, 1], dtype=torch.int32), *rest[1:])
    timed = attn.simulate(paged_fwd, *specs, arrays[3], *shorter, R=4, G=4, phases="launches", timing_only=True).report
    assert timed.instructions < whole.instructions


@pytest.mark.parametrize("group", [1, 4, 16])
def test_keys_are_read_once_for_each_group(monkeypatch, group):
    """By the operator, in parts: each token once for each head of keys, whose queries are the rows of one product."""
    runs = []
    monkeypatch.setattr(_dispatch, "run", lambda kernel, outputs, **given: runs.append((kernel, given)))
    monkeypatch.setattr("attn.ops.paged.heads_together", lambda *_: 1)  # a CPU would take both
    lengths = [300, 70]
    k, v, table = pages_of(lengths, page=32, heads=2, width=64, dtype=F16)
    attn.ops.paged_attention(randn(2, 2 * group, 64, dtype=F16), k, v, table.int(), lengths, num_splits=3)
    ((kernel, given),) = runs
    run = attn.simulate(kernel, **given)
    assert not run.report.hazards, run.report.text
    for array in ("k", "v"):
        times = run.report.traffic[array][0] / (sum(lengths) * 2 * 64 * 2)
        assert times <= 1.02, f"{array} is read {times:.2f} times"


@pytest.mark.parametrize("stage", ["ascend", *TEXTS])
@pytest.mark.parametrize("num_splits", [1, 2])
def test_what_no_task_names_is_not_computed(stage, num_splits):
    """What runs is the kernel with its plan: where a task is missing, so is what it computes, and nothing else. A part that
    is missing is not merged unnoticed."""
    lengths = [70, 33, 40]
    arrays, (shares, tasks, merges) = draw_pages(lengths, F16), plan_lists(lengths, num_splits)
    fewer = shares.clone()
    fewer[-1, 1] -= 1
    sequence, head = tasks[-1, :2].tolist()

    def run(shares):
        out = torch.full_like(arrays[0], torch.nan)
        arguments = (*arrays, torch.tensor(lengths, dtype=torch.int32), shares, tasks, merges, 0.125)
        options = dict(R=4, G=4, phases="launches", stage=stage, outputs=dict(o=out))
        return out, attn.simulate(paged_fwd, *arguments, **options).report.hazards

    (whole, hazards), (without, missed) = run(shares), run(fewer)
    assert not hazards and whole.isfinite().all()
    if num_splits == 1:
        assert not missed and without[sequence, head].isnan().all()
    else:
        assert {hazard.kind for hazard in missed} == {"read of uninitialised memory"}
    whole[sequence, head] = without[sequence, head] = 0
    assert torch.equal(whole, without)


@pytest.mark.parametrize("ahead", [{}, dict(preload=2, lag=1)], ids=str)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_jitter_changes_no_bit(seed, ahead):
    """Of parts of sequences, some long enough that products run ahead of weights, and of their merge."""
    lengths = [70, 1, 330]
    arguments = (*draw_pages(lengths, F16), torch.tensor(lengths, dtype=torch.int32), *plan_lists(lengths, 2), 0.125)
    steady, shaken = (
        simulate(paged_fwd, arguments, R=4, G=4, phases="launches", jitter=jitter, **ahead) for jitter in (None, seed)
    )
    assert all(map(torch.equal, steady, shaken))


# Counts


def test_counts_of_lists():
    lists = torch.randint(-1, 40, (2, 3, 70, 33), generator=torch.Generator().manual_seed(0)).int()
    lists[0, 0, 0] = block_index.PAD_U16
    lens = torch.tensor([3000, 100], dtype=torch.int32)
    for lengths, blocks in ((None, 32), (lens, (lens + 127).view(-1, 1, 1, 1) // 128)):
        expected = ((lists >= 0) & (lists < blocks)).sum(-1)
        run = attn.simulate(count_listed, lists, 128, 4000, lengths)
        assert torch.equal(run.outputs[..., 0], expected.int()) and not run.report.hazards
        assert torch.equal(count_listed(lists, 128, 4000, lengths)[..., 0], expected.int())


@pytest.mark.parametrize("size, tiles", [(128, 1), (256, 4)])
@pytest.mark.parametrize("queries, keys", [(700, 700), (700, 1500), (1500, 700)])
def test_counts_of_causal_lists(size, tiles, queries, keys):
    """A tile of 128 queries counts the blocks up to its last one."""
    rows = -(-queries // (128 * tiles))
    mask = torch.rand((2, 2, rows, -(-keys // size)), generator=torch.Generator().manual_seed(0)) < 0.6
    for lens, q_lens in ((None, None), ([keys, 333], [queries, 401])):
        n, m = (torch.tensor(given or [whole] * 2) for given, whole in ((lens, keys), (q_lens, queries)))
        ends = (torch.arange(1, rows * tiles + 1) * 128 + (n - m)[:, None]).minimum(n[:, None])
        seen = mask.repeat_interleave(tiles, 2) & (torch.arange(mask.shape[3]) * size < ends[:, None, :, None])
        expected = seen.sum(-1).int().view(2, 2, rows, tiles)
        given = [None if x is None else torch.tensor(x, dtype=torch.int32) for x in (lens, q_lens)]
        arguments = (block_index.from_mask(mask), size, keys, *given, queries)
        options = dict(causal=True, P=tiles, BM=128)
        run = attn.simulate(count_listed, *arguments, **options)
        assert torch.equal(run.outputs, expected) and not run.report.hazards
        assert torch.equal(count_listed(*arguments, **options), expected)
