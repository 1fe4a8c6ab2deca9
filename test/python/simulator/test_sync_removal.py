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
from kernels_dsl.flash import flash_fwd
from kernels_dsl.gemm import gemm, gemm_nt
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
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


def dense(queries, keys, **options):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, 1, rows, 16, generator=generator).half() for rows in (queries, keys, keys))
    return {"q": q, "k": k, "v": v, "scale": 0.25, "BM": 16, "BN": 16, **options}


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


# Each half of a mixed kernel is planned without what flags between cores order. Some of its barriers and events are not
# missed, which that may explain; what is asked is that every flag is. Causal, both parts of the keys have a steady state.
MIXED = {
    "dense": (flash_fwd, dense(85, 75), 196352, {"preload": 2, "lag": 1}),
    "causal": (flash_fwd, dense(100, 120, right=0, BM=48), 196352, {"preload": 2, "lag": 1}),
}
SMALLER = {
    attn_res_fwd: [(1, 1), (2, 2), (1, 5)],
    attn_res_bwd: [(1, 1), (2, 2)],
    neighborhood_fwd: [(1,), (9,)],
    neighborhood_bwd: [(1,), (65,)],
    gemm: [(1, 1, 1), (20, 50, 65)],
    gemm_nt: [(1, 1, 1), (20, 50, 65)],
}
# Where counts come from memory, other counts instead: none, one, and none before many. By case or by kernel.
FEWER = {
    "dense": [dense(1, 1), dense(40, 20)],
    "causal": [dense(1, 1, right=0, BM=48), dense(40, 20, right=0, BM=48)],
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

    def hazards_without(self, removed, launch=None):
        """The kinds of hazards of the kernel without some of its lines. Several tests ask for the same."""
        call = launch or self.launch
        key = frozenset(removed), id(call)
        if key not in self.known:
            self.known[key] = self._simulate_without(removed, call)
        return self.known[key]

    def _simulate_without(self, removed, call):
        text = "\n".join(line for number, line in enumerate(self.lines) if number not in removed)
        module, kinds = _core.Module.parse(text), set()

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


@pytest.mark.parametrize("name", MIXED)
def test_each_flag_of_mixed_kernels_is_missed(name):
    kernel = Kernel(name)
    launches = [kernel.launch, *kernel.smaller]
    assert not any(kernel.hazards_without(set(), launch) for launch in launches)
    for number in kernel.sync_lines("set_flag", "wait_flag", "cross_set", "cross_wait"):
        is_missed = any(kernel.hazards_without({number}, launch) for launch in launches)
        assert is_missed, f"nothing misses {kernel.lines[number].strip()} in line {number}"


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
