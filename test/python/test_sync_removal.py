"""Takes synchronisation out of generated kernels: the modelled chip must report each removal.

Alone, a set, wait or barrier that is gone shows as a race, an imbalance or a deadlock. All sets and waits of one
event together leave the flags balanced, so what is reported must be a race: otherwise the event was not needed and
should not have been made.
"""

import re

import pytest
import torch

from attn import _core, _runtime, testing
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

SYNC = re.compile(r"^\s*ascend\.(set_flag|wait_flag|barrier)\b")
ORDER_OF_STORES = re.compile(r"^\s*ascend\.barrier\s+mte3$")
FLAG = re.compile(r"(\w+) to\s+(\w+) event (\d+)(?: slot\([^)]*\) of (\d+))?")
EPS = 1e-6


def attn_res(blocks, tokens, width):
    V, wq, wn = testing.attn_res_inputs(blocks, tokens, width, torch.bfloat16)
    return {"V": V, "wq": wq, "wn": wn, "eps": EPS}


def attn_res_gradient(blocks, tokens, width):
    inputs = attn_res(blocks, tokens, width)
    h, lse, scores, norms = testing.attn_res_reference(inputs["V"], inputs["wq"], inputs["wn"], inputs.pop("eps"))
    saved = {"lse": lse.float(), "sc": scores.float().contiguous(), "rs": norms.float().contiguous()}
    return {**inputs, "h": h.bfloat16(), "dh": torch.ones_like(h).bfloat16(), "want_dw": False, **saved}


def neighborhood(positions, width, window, dilation, gradient=False):
    generator = torch.Generator().manual_seed(0)
    names = ("q", "k", "v", "do") if gradient else ("q", "k", "v")
    arrays = {name: torch.randn(1, 1, positions, width, generator=generator).bfloat16() for name in names}
    if gradient:
        arrays["lse"] = torch.ones(1, 1, positions)
    return {**arrays, "scale": 0.5, "dilation": dilation, "W": window, "dilated": dilation != 1}


# Kernel, its arguments, memory of the chip, options: every loop makes at least three trips and a tail.
CASES = {
    "online": (attn_res_fwd, attn_res(7, 15, 4096), 196352, {"softmax": "online"}),
    "odd-width": (attn_res_fwd, attn_res(5, 25, 123), 8192, {"softmax": "online"}),
    "reload": (attn_res_fwd, attn_res(5, 15, 4096), 196352, {"softmax": "two-phase-reload"}),
    "strips": (attn_res_fwd, attn_res(4, 9, 300), 8192, {}),
    "gradient": (attn_res_bwd, attn_res_gradient(5, 25, 123), 8192, {}),
    "band": (neighborhood_fwd, {**neighborhood(60, 16, 3, 1), "BM": 8}, 196352, {}),
    "gathered-band": (neighborhood_fwd, {**neighborhood(60, 16, 3, 2), "BM": 8}, 196352, {"band": "gathered"}),
    "band-gradient": (neighborhood_bwd, {**neighborhood(150, 16, 3, 1, True), "BM": 16, "RUN": 64}, 196352, {}),
    "tight-band-gradient": (neighborhood_bwd, {**neighborhood(150, 80, 3, 2, True), "BM": 16, "RUN": 64}, 48000, {}),
}


# Events between iterations that show no race: an iteration has more vector instructions than the queue of the pipe holds,
# so that the scalar unit does not issue the next transfers before the vector unit is far enough.
SPARE_EVENTS = {"gathered-band": 5, "band-gradient": 7, "tight-band-gradient": 2}


class Kernel:
    """A generated kernel as lines of chip IR, and a small run of it."""

    def __init__(self, name):
        self.name = name
        self.function, self.given, ub_bytes, options = CASES[name]
        self.launch = _runtime._Launch(self.function, (), self.given)
        soc = f"Ascend910B4:ub_bytes={ub_bytes},vector_cores=2"
        artefact = _runtime.compiler.Artefact("kernel", self.launch.lowered.text, soc, options)
        self.lines = artefact.ir("ascend").splitlines()

    def sync_lines(self):
        """The lines whose sync something needs in these runs."""
        return [number for number, line in enumerate(self.lines) if SYNC.match(line) and not self._is_careful(number)]

    def _is_careful(self, number):
        """Whether a barrier keeps apart what the compiler cannot know never meets. In the gradient of bands, rows are
        clipped at both ends: stores of one tile and the next, and what is loaded and what is filled of one tile."""
        if self.function is not neighborhood_bwd or "barrier" not in self.lines[number]:
            return False
        return ORDER_OF_STORES.match(self.lines[number]) or "ascend.duplicate" in self.lines[number + 1]

    def hazards_without(self, removed, launch=None):
        """The kinds of hazards of the kernel without some of its lines."""
        text = "\n".join(line for number, line in enumerate(self.lines) if number not in removed)
        arguments = (launch or self.launch).native_arguments()
        return {hazard["kind"] for hazard in _core.simulate(_core.Module.parse(text), arguments)["hazards"]}

    def events(self):
        """Lines by event: flags of one pipe pair whose ids overlap belong together."""
        groups = []
        for number in self.sync_lines():
            flag = FLAG.search(self.lines[number])
            if not flag:
                continue
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
        assert kernel.hazards_without({number}), f"nobody misses {kernel.lines[number].strip()} in line {number}"


def test_each_event_prevents_a_race(kernel):
    spare = []
    for lines in kernel.events():
        kinds = kernel.hazards_without(lines)
        if "race" not in kinds:
            spare.append(f"{kinds} without {[kernel.lines[number].strip() for number in sorted(lines)]}")
    assert len(spare) <= SPARE_EVENTS.get(kernel.name, 0), "\n".join(spare)


def test_each_barrier_prevents_a_race(kernel):
    barriers = [number for number in kernel.sync_lines() if "barrier" in kernel.lines[number]]
    for number in barriers[:-1]:
        assert "race" in kernel.hazards_without({number}), f"line {number}: {kernel.lines[number].strip()}"
    assert "outstanding work" in kernel.hazards_without({barriers[-1]})


SMALLER = {
    attn_res_fwd: [(1, 1), (2, 2), (1, 5)],
    attn_res_bwd: [(1, 1), (2, 2)],
    neighborhood_fwd: [(1,), (9,)],
    neighborhood_bwd: [(1,), (65,)],
}


def test_few_trips_leave_flags_balanced(kernel):
    for shape in SMALLER[kernel.function]:
        arguments = dict(kernel.given)
        for name, value in arguments.items():
            if isinstance(value, torch.Tensor):
                arguments[name] = shrink(kernel.function, name, value, shape)
        assert kernel.hazards_without(set(), _runtime._Launch(kernel.function, (), arguments)) == set(), shape


def shrink(function, name, value, shape):
    """An argument of fewer blocks and tokens, or of fewer positions."""
    if function in (neighborhood_fwd, neighborhood_bwd):
        return value[:, :, : shape[0]].contiguous()
    blocks, tokens = shape
    if name in ("wq", "wn"):
        return value
    if name == "V":
        return value[:blocks, :tokens].contiguous()
    return (value[:tokens, :blocks] if name in ("sc", "rs") else value[:tokens]).contiguous()
