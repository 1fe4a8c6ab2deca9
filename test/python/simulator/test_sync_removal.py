"""Takes synchronisation out of generated kernels: the modelled chip must report each removal.

Alone, a set, wait or barrier that is gone shows as a race, an imbalance or a deadlock. All sets and waits of one
event together leave the flags balanced, so what is reported must be a race: otherwise the event was not needed and
should not have been made. A meeting of all blocks that is gone is a race of blocks.
"""

import re

import pytest
import torch

from attn import _core, compiler, testing
from attn.call.binding import bind
from attn.call.checking import CPU, Tensors
from attn.call.layout import fill
from attn.call.planning import prepare
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.block_sparse import block_sparse_fwd
from kernels_dsl.flash import flash_fwd
from kernels_dsl.gemm import gemm, gemm_nt
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
from kernels_dsl.paged import paged_fwd
from list_kernels import block_sums, decode, embed, pages_of, place, randn, row_sums, rows_of, segment_sums, whole
from turned_kernels import turn

SYNC = re.compile(r"^\s*ascend\.(set_flag|wait_flag|barrier|sync_all|cross_set|cross_wait)\b")
FLAG = re.compile(r"(\w+) to\s+(\w+) event (\d+)(?: slot\([^)]*\) of (\d+))?")
EPS = 1e-6


def attn_res(blocks, tokens, width):
    V, wq, wn = testing.attn_res_inputs(blocks, tokens, width, torch.bfloat16)
    return {"V": V, "wq": wq, "wn": wn, "eps": EPS}


def attn_res_gradient(blocks, tokens, width, want_dw=False, form="streaming"):
    inputs = attn_res(blocks, tokens, width)
    h, lse, scores, norms = testing.attn_res_reference(inputs["V"], inputs["wq"], inputs["wn"], inputs.pop("eps"))
    saved = {"lse": lse.float(), "sc": scores.float().contiguous(), "rs": norms.float().contiguous()}
    given = {"h": h.bfloat16(), "dh": torch.ones_like(h).bfloat16(), "want_dw": want_dw, "form": form}
    return {**inputs, **given, **saved}


def neighborhood(positions, width, window, dilation, gradient=False, heads=1):
    generator = torch.Generator().manual_seed(0)
    names = ("q", "k", "v", "do") if gradient else ("q", "k", "v")
    arrays = {name: torch.randn(1, heads, positions, width, generator=generator).bfloat16() for name in names}
    if gradient:
        arrays["lse"] = torch.ones(1, heads, positions)
    return {**arrays, "scale": 0.5, "dilation": dilation, "W": window, "dilated": dilation != 1}


def band_gradient(positions, width, dilation, heads, **more):
    return {**neighborhood(positions, width, 3, dilation, True, heads), "BM": 16, "RUN": 64, **more}


def ragged(lens):
    return {"X": rows_of(lens, 40, 20), "lens": whole(lens), "BS": 8}


def segments(*offsets):
    return {"X": randn(60, 20), "offsets": whole(offsets), "N": len(offsets) - 1, "BT": 8}


def listed(counts):
    """Blocks of 12 rows in tiles of 8; the second tile of the last block has none."""
    lists = torch.arange(3 * len(counts)).reshape(-1, 3) % 4
    return {"X": randn(44, 20), "idx": whole(lists.tolist()), "cnt": whole(counts), "bk": 12, "BN": 8}


def paged(lens):
    K, V, table = pages_of(lens, 4, 1, 16)
    arrays = {"Q": randn(len(lens), 2, 16), "Kc": K, "Vc": V, "table": whole(table.tolist()), "lens": whole(lens)}
    return {**arrays, "scale": 0.25, "G": 2, "NS": 2}


def gathered(count):
    return {"X": randn(30, 20), "idx": whole([[7 * number % 30 for number in range(count)]]), "BT": 4}


def runs(count):
    """Rows that follow each other, up to three at a time."""
    return {
        "X": randn(30, 20),
        "idx": whole([[(number % 3 + 7 * (number // 3)) % 30 for number in range(count)]]),
        "BT": 4,
    }


def turned(count):
    return {"X": randn(count, 32).half(), "BT": 16}


def placed(count):
    order = whole([(5 * number + 3) % count for number in range(count)])
    return {"X": randn(count, 20), "c": randn(count, seed=1), "idx": order, "BT": 4}


def products(shape, kernel, dtype=torch.float16, far=False, **blocks):
    """Operands of small integers; with `far` rows are further apart than one copy into fractals takes."""
    m, n, k = shape
    generator = torch.Generator().manual_seed(0)

    def matrix(rows, cols):
        whole = torch.zeros(rows, 65600 if far else cols, dtype=dtype)
        whole[:, :cols] = torch.randint(-4, 5, (rows, cols), generator=generator).to(dtype)
        return whole[:, :cols]

    return {"A": matrix(m, k), "B": matrix(k, n) if kernel is gemm else matrix(n, k), **blocks}


def dense(queries, keys, batch=1, heads=1, **options):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(batch, heads, rows, 16, generator=generator).half() for rows in (queries, keys, keys))
    return {"q": q, "k": k, "v": v, "scale": 0.25, "BM": 96, "BN": 16, **options}


def dense_lengths(queries, keys):
    lens = {"q_lens": whole(queries), "kv_lens": whole(keys)}
    return dense(100, 140, batch=len(queries), **lens, BM=48)


def blocks(counts, size=512):
    """Causal, of each head a tile of 16 queries at the end of so many blocks: those before share wide tiles, and of the
    last one, which the diagonal cuts, there are four where it has 512 keys. Other sizes leave tails to each block."""
    heads, most = len(counts), max(*counts, 1)
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, number, size * most, 16, generator=generator).half() for number in (heads, 1, 1))
    index = torch.arange(most, dtype=torch.int32).expand(1, heads, most, -1).contiguous()
    ends = 16 * torch.arange(1, -(-size * most // 16) + 1, dtype=torch.int32)
    seen = (-(-ends // size)).clamp(max=most).expand(1, heads, -1).contiguous()
    tasks = [(0, head, max(size * count // 16 - 1, 0), 0, count, -1) for head, count in enumerate(counts)]
    lists = {"shares": whole([[0, heads - 1], [heads - 1, heads]]), "tasks": whole(tasks), "merges": None}
    sizes = {"bq": size, "bk": size, "scale": 0.25, "causal": True, "BM": 16, "BN": 256}
    return {"q": q, "k": k, "v": v, "index": index, "counts": seen, **lists, **sizes}


def ragged_blocks(*cores, size=32):
    """Of each core tiles of 16 queries, each of a head of its own that keeps so many blocks."""
    counts = [count for own in cores for count in own]
    heads, most = len(counts), max(*counts, 1)
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, number, size * most, 16, generator=generator).half() for number in (heads, 1, 1))
    index = torch.arange(most, dtype=torch.int32).expand(1, heads, most, -1).contiguous()
    ends = [sum(map(len, cores[: number + 1])) for number in range(len(cores))]
    shares = [[end - len(own), end] for own, end in zip(cores, ends)]
    lists = {"shares": whole(shares), "merges": None, "counts": None}
    lists["tasks"] = whole([(0, head, 0, 0, count, -1) for head, count in enumerate(counts)])
    return {"q": q, "k": k, "v": v, "index": index, **lists, "bq": size, "bk": size, "scale": 0.25, "BM": 16, "BN": 32}


def pages(lens):
    """Two heads of keys of each sequence over pages of 16 tokens."""
    k, v, table = pages_of(lens, 16, 2, 16, torch.float16)
    tasks = [(b, h, 0, 0, 1, -1) for b in range(len(lens)) for h in range(2)]
    half = len(lens)
    lists = {"shares": whole([[0, half], [half, 2 * half]]), "tasks": whole(tasks), "merges": None}
    arrays = {"q": randn(len(lens), 2, 16, 16).half(), "k": k, "v": v, "table": table.int(), "lens": whole(lens)}
    return {**arrays, **lists, "scale": 0.25, "R": 16, "G": 16}


# Kernel, its arguments, bytes of UB, options: every loop makes at least three trips and a tail on each core, and
# cores come to more than one head.
CASES = {
    "online": (attn_res_fwd, attn_res(7, 15, 4096), 196352, {"softmax": "online"}),
    "odd-width": (attn_res_fwd, attn_res(5, 25, 123), 8192, {"softmax": "online"}),
    "reload": (attn_res_fwd, attn_res(5, 15, 4096), 196352, {"softmax": "two-phase-reload"}),
    "strips": (attn_res_fwd, attn_res(4, 9, 300), 8192, {}),
    "resident": (attn_res_fwd, {**attn_res(5, 25, 123), "form": "resident"}, 24000, {}),
    "gradient": (attn_res_bwd, attn_res_gradient(5, 25, 123), 8192, {}),
    "whole-gradient": (attn_res_bwd, attn_res_gradient(4, 9, 800, True), 16384, {}),
    "whole-gradient-launches": (attn_res_bwd, attn_res_gradient(4, 9, 800, True), 16384, {"phases": "launches"}),
    "resident-gradient": (attn_res_bwd, attn_res_gradient(4, 9, 800, True, "resident"), 65536, {}),
    "band": (neighborhood_fwd, {**neighborhood(60, 16, 3, 1), "BM": 8}, 196352, {}),
    "gathered-band": (neighborhood_fwd, {**neighborhood(60, 16, 3, 2), "BM": 8}, 196352, {"band": "gathered"}),
    "band-gradient": (neighborhood_bwd, band_gradient(150, 16, 1, 3), 196352, {}),
    "tight-band-gradient": (neighborhood_bwd, band_gradient(150, 80, 2, 3), 48000, {}),
    "reload-band-gradient": (neighborhood_bwd, band_gradient(150, 16, 1, 3, reload=True), 196352, {}),
    "gathered-band-gradient": (
        neighborhood_bwd, band_gradient(150, 16, 2, 3, reload=True), 196352, {"band": "gathered"}
    ),
    "products": (gemm, products((100, 90, 200), gemm, BM=32, BN=48, BK=64), 196352, {}),
    "products-in-parts": (gemm, products((40, 330, 1200), gemm, BM=16, BN=256, BK=256), 196352, {}),
    "products-of-transposed": (gemm_nt, products((100, 90, 200), gemm_nt, torch.float32, BM=32, BN=48, BK=64), 196352, {}),
    "products-of-far-rows": (gemm, products((40, 40, 40), gemm, far=True, BM=16, BN=32, BK=16), 196352, {}),
    "products-of-bytes": (gemm, products((100, 90, 200), gemm, torch.int8, BM=32, BN=64, BK=64), 196352, {}),
    "ragged": (row_sums, ragged([40, 0, 33, 1, 27, 30]), 196352, {}),
    "segments": (segment_sums, segments(0, 30, 30, 55, 56, 60, 60), 196352, {}),
    "lists": (block_sums, listed([3, 0, 1, 3, 2, 3]), 196352, {}),
    "paged": (decode, paged([17, 0, 1, 20]), 196352, {}),
    "gathered": (embed, gathered(37), 196352, {}),
    "runs": (embed, runs(37), 196352, {}),
    "turned": (turn, turned(168), 196352, {}),
    "placed": (place, placed(37), 196352, {}),
}  # fmt: skip


# All parts of the keys that masks make have a steady state with these distances, and a core has more than one tile of
# rows.
FAR = {"preload": 3, "lag": 3}
ON = {**FAR, "run_on": 1}
MIXED = {
    "dense": (flash_fwd, dense(200, 330), 196352, FAR),
    "causal": (flash_fwd, dense(200, 330, right=0), 196352, FAR),
    "window": (flash_fwd, dense(330, 330, left=8, right=220), 196352, FAR),
    "lengths": (flash_fwd, dense_lengths([100, 7, 0, 48], [140, 33, 5, 0]), 196352, FAR),
    "blocks": (block_sparse_fwd, blocks([2, 3, 0, 1, 3]), 196352, {"preload": 2, "lag": 1}),
    "pages": (paged_fwd, pages([70, 0, 100, 1]), 196352, {"preload": 2, "lag": 1}),
    "dense-on": (flash_fwd, dense(330, 200), 196352, ON),
    "blocks-on": (block_sparse_fwd, ragged_blocks([7, 0, 1, 5, 2, 3], [4, 3, 2, 6]), 196352, ON),
    "pages-on": (paged_fwd, pages([70, 0, 100, 1]), 196352, {"preload": 2, "lag": 1, "run_on": 1}),
}
SMALLER = {
    attn_res_fwd: [(1, 1), (2, 2), (1, 5)],
    attn_res_bwd: [(1, 1), (2, 2)],
    neighborhood_fwd: [(1,), (9,)],
    neighborhood_bwd: [(1,), (65,)],
    gemm: [(1, 1, 1), (20, 50, 65)],
    gemm_nt: [(1, 1, 1), (20, 50, 65)],
}
SHAPES = [(1, 1), (40, 20), (97, 97), (100, 120), (17, 400), (400, 33), (330, 200), (700, 10)]
# The last keys lie in each of the parts that the mask makes, in its first tile and in a later one.
WINDOW_SHAPES = [(1, 1), (15, 15), (92, 92), (100, 100), (150, 150), (261, 261), (400, 33), (17, 400)]
# Where counts come from memory, other counts instead: none, one, and none before many. By case or by kernel.
FEWER = {
    "dense": [dense(*shape) for shape in SHAPES],
    "dense-on": [dense(*shape) for shape in SHAPES],
    "causal": [dense(*shape, right=0) for shape in SHAPES],
    "window": [dense(*shape, left=8, right=220) for shape in WINDOW_SHAPES],
    "lengths": [
        dense_lengths(*lens)
        for lens in (
            ([0, 0], [0, 0]),
            ([1, 1], [1, 1]),
            ([60, 100], [16, 15]),
            ([100, 100], [5, 130]),
            ([100] * 4, [140] * 4),
        )
    ],
    "blocks": [blocks([1, 0]), blocks([0, 2, 1]), blocks([2, 1], 300), blocks([4, 1, 2], 100), blocks([2, 1], 20)],
    "pages": [pages([0, 1]), pages([40, 0])],
    "blocks-on": [
        ragged_blocks(*cores)
        for cores in (
            ([0], [1]),
            ([1, 1, 1], [2, 2, 1, 2]),
            ([0, 9], [9, 0, 1]),
            ([5, 1, 0, 0, 4], [3, 3, 3]),
            ([4, 4, 4], [1, 6, 1, 6]),
        )
    ]
    + [ragged_blocks([1, 5], [4, 3], size=20)],
    "pages-on": [pages([0, 1]), pages([40, 0])],
    row_sums: [ragged([0]), ragged([0, 0, 0]), ragged([1, 1]), ragged([0, 40, 0, 40])],
    segment_sums: [segments(*[0] * 7), segments(*range(7)), segments(0, 0, 30, 30, 60, 60, 60)],
    block_sums: [listed([0]), listed([1, 1]), listed([0, 3, 0, 3])],
    decode: [paged([0]), paged([1, 1]), paged([0, 17, 0])],
    embed: [gathered(1), gathered(4), gathered(9), runs(9)],
    place: [placed(1), placed(4), placed(9)],
}


class Kernel:
    """A generated kernel as lines of chip IR, and a small run of it."""

    def __init__(self, name):
        self.name = name
        self.function, self.given, ub_bytes, options = (CASES | MIXED)[name]
        self.launch = self._prepare(self.given)
        self.smaller = [self._shrink(shape) for shape in SMALLER.get(self.function, ())]
        fewer = FEWER.get(name) or FEWER.get(self.function, ())
        self.smaller += [self._prepare(arguments) for arguments in fewer]
        soc = f"Ascend910B4:ub_bytes={ub_bytes},vector_cores=2,cube_cores=2"
        lowered = self.function.lower(self.function.specialise(self.launch.arguments))
        artefact = compiler.Artefact("kernel", lowered.text, soc, options)
        self.lines = artefact.ir("ascend").splitlines()
        self.known = {}

    def _shrink(self, shape):
        """A launch of fewer blocks and tokens, or of fewer positions."""
        arguments = {
            name: shrink(self.function, name, value, shape) if isinstance(value, torch.Tensor) else value
            for name, value in self.given.items()
        }
        return self._prepare(arguments)

    def _prepare(self, arguments):
        values = bind(self.function.signature, self.function.defaults, (), arguments)
        return prepare(self.function.signature, values, Tensors(CPU), self.function.results, {})

    def sync_lines(self, *kinds):
        """The lines that synchronise, or those of some kinds."""
        found = ((number, SYNC.match(line)) for number, line in enumerate(self.lines))
        return [number for number, sync in found if sync and (not kinds or sync[1] in kinds)]

    def ends(self):
        """The last barrier of each kernel: what it holds is over afterwards."""
        returns = [number for number, line in enumerate(self.lines) if line.strip() == "return"]
        barriers = self.sync_lines("barrier")
        return {max(number for number in barriers if number < end) for end in returns}

    def is_rest(self, number):
        """Whether all pipes wait there, before the end: where a loop that a mask has made of one begins, or ids are short."""
        return self.lines[number].split()[-1] == "all" and number not in self.ends()

    def is_for_a_tail_that_is_elsewhere(self, number):
        """Whether columns may be missing there, in the causal tiles that all queries see whole: those lie before the last key."""
        if self.name != "causal" or self.is_rest(number):
            return False
        rests = [rest for rest in self.sync_lines("barrier") if self.is_rest(rest)]
        end = min(end for end in self.ends() if end >= number)
        in_a_part = any(rest < number for rest in rests) and any(number < rest < end for rest in rests)
        before = next(line for line in reversed(self.lines[:number]) if "ascend." in line or line.strip() == "}")
        return in_a_part and (self.around(number)[0] == "scf.if" or before.strip() == "}")

    def around(self, number):
        """What begins the regions around a line, the innermost first."""
        found, indent = [], len(self.lines[number]) - len(self.lines[number].lstrip())
        for line in reversed(self.lines[:number]):
            if 0 < (begin := len(line) - len(line.lstrip())) < indent:
                found.append(re.search(r"[a-z]+\.[a-z]+|else", line.strip())[0])
                indent = begin
        return found

    def hazards_without(self, removed, launch=None):
        """The kinds of hazards of the kernel without some of its lines. Several tests ask for the same."""
        call = launch or self.launch
        key = frozenset(removed), id(call)
        if key not in self.known:
            self.known[key] = self._simulate_without(removed, call)
        return self.known[key]

    def is_come_to(self, number):
        """Whether a run executes a line of a vector core: it would stop at a wait there for what nothing raises."""
        assert not any("mte3 to  mte2" in line for line in self.lines)
        lines = [*self.lines]
        lines[number] = "ascend.wait_flag mte3 to mte2 event 0"
        return any("deadlock" in self._simulate(lines, launch) for launch in [self.launch, *self.smaller])

    def _simulate_without(self, removed, call):
        return self._simulate([line for number, line in enumerate(self.lines) if number not in removed], call)

    def _simulate(self, lines, call):
        module, kinds = _core.Module.parse("\n".join(lines)), set()

        def simulate(arrays, floats):
            arguments = fill(call.laid_out.native, arrays, floats)
            kinds.update(hazard["kind"] for hazard in _core.simulate(module, arguments)["hazards"])

        call.run(simulate)
        return kinds

    def reports(self, kind, removed):
        """Whether a hazard shows without some lines: in the run, or in a smaller one, whose loops may make no trip."""
        return any(kind in self.hazards_without(removed, launch) for launch in [self.launch, *self.smaller])

    def events(self):
        """Lines by event: flags of one pipe pair whose ids overlap belong together."""
        groups = []
        for number in self.sync_lines("set_flag", "wait_flag"):
            flag = FLAG.search(self.lines[number])
            source, target, first = flag[1], flag[2], int(flag[3])
            ids = {(source, target, first + slot) for slot in range(int(flag[4] or 1))}
            lines = {number}
            for group in [group for group in groups if group[0] & ids]:
                groups.remove(group)
                ids, lines = ids | group[0], lines | group[1]
            groups.append((ids, lines))
        return [lines for _, lines in groups]


@pytest.fixture(scope="module", params=CASES)
def kernel(request):
    return Kernel(request.param)


def test_the_whole_kernel_is_clean(kernel):
    assert kernel.hazards_without(set()) == set()


def test_each_op_alone_is_missed(kernel):
    for number in kernel.sync_lines():
        assert kernel.hazards_without({number}), f"nothing misses {kernel.lines[number].strip()} in line {number}"


def test_each_event_prevents_a_race(kernel):
    for lines in kernel.events():
        assert kernel.reports("race", lines), [kernel.lines[number].strip() for number in sorted(lines)]


def test_each_barrier_prevents_a_race(kernel):
    for number in kernel.sync_lines("barrier", "sync_all"):
        kind = "outstanding work" if number in kernel.ends() else "race"
        assert kernel.reports(kind, {number}), f"line {number}: {kernel.lines[number].strip()}"


@pytest.fixture(scope="module", params=MIXED)
def mixed_kernel(request):
    return Kernel(request.param)


def test_each_flag_of_mixed_kernels_is_missed(mixed_kernel):
    kernel = mixed_kernel
    launches = [kernel.launch, *kernel.smaller]
    assert not any(kernel.hazards_without(set(), launch) for launch in launches)
    for number in kernel.sync_lines("set_flag", "wait_flag", "cross_set", "cross_wait"):
        is_missed = any(kernel.hazards_without({number}, launch) for launch in launches)
        assert is_missed, f"nothing misses {kernel.lines[number].strip()} in line {number}"


def test_each_event_of_mixed_kernels_prevents_a_race(mixed_kernel):
    """Cube cores that run on, with two slots for queries, are done with them where the first products of the next tile begin. What
    says so, and the event of the loads, keep each other from being raised again too early: that shows as misuse."""
    kinds = ("race", "flag misuse") if mixed_kernel.name in ("dense", "dense-on") else ("race",)
    for lines in mixed_kernel.events():
        is_missed = any(mixed_kernel.reports(kind, lines) for kind in kinds)
        assert is_missed, [mixed_kernel.lines[number].strip() for number in sorted(lines)]


def test_each_barrier_of_mixed_kernels_prevents_a_race(mixed_kernel):
    kernel = mixed_kernel
    for number in kernel.sync_lines("barrier"):
        if kernel.is_rest(number) or kernel.is_for_a_tail_that_is_elsewhere(number):
            continue
        kind = "outstanding work" if number in kernel.ends() else "race"
        assert kernel.reports(kind, {number}), f"line {number}: {kernel.lines[number].strip()}"


def test_tails_that_are_elsewhere_are_not_come_to(mixed_kernel):
    """What no run misses, no run needs: the conditions around it do not hold where all queries see a tile whole."""
    kernel, found = mixed_kernel, {False: [], True: []}
    for number in kernel.sync_lines("barrier"):
        if kernel.name == "causal" and kernel.around(number)[0] == "scf.if" and number < min(kernel.ends()):
            found[kernel.is_for_a_tail_that_is_elsewhere(number)].append(number)
    assert not any(kernel.is_come_to(number) for number in found[True])
    assert all(kernel.is_come_to(number) for number in found[False])
    assert all(found.values()) or kernel.name != "causal"


def test_each_rest_of_mixed_kernels_is_missed(mixed_kernel):
    """Flags of the loops around a rest may keep all that they move in order. After it events are raised again, and only
    it says that their last ones were awaited: without it that shows, on each kind of core."""
    kernel, end = mixed_kernel, min(mixed_kernel.ends())
    rests = [number for number in kernel.sync_lines("barrier") if kernel.is_rest(number)]
    for number in rests:
        is_missed = kernel.reports("race", {number}) or kernel.reports("flag misuse", {number})
        assert is_missed, f"nothing misses the rest in line {number}"
    halves = {number < end for number in rests}
    assert halves == ({True, False} if kernel.name in ("causal", "window", "blocks") else set())


def test_rests_of_vector_cores_prevent_a_race(mixed_kernel):
    end = min(mixed_kernel.ends())
    rests = {number for number in mixed_kernel.sync_lines("barrier") if mixed_kernel.is_rest(number) and number < end}
    assert mixed_kernel.reports("race", rests) or not rests


def test_few_trips_leave_flags_balanced(kernel):
    for launch in kernel.smaller:
        assert kernel.hazards_without(set(), launch) == set()


def shrink(function, name, value, shape):
    """An argument of fewer blocks and tokens, or of fewer positions."""
    if function in (neighborhood_fwd, neighborhood_bwd):
        return value[:, :, : shape[0]].contiguous()
    if function in (gemm, gemm_nt):
        m, n, k = shape
        rows, cols = (m, k) if name == "A" else (k, n) if function is gemm else (n, k)
        return value[:rows, :cols]
    blocks, tokens = shape
    if name in ("wq", "wn"):
        return value
    if name == "V":
        return value[:blocks, :tokens].contiguous()
    return (value[:tokens, :blocks] if name in ("sc", "rs") else value[:tokens]).contiguous()
