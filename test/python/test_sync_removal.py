"""Takes synchronisation out of generated kernels: the modelled chip must report each removal.

Alone, a set, wait or barrier that is gone shows as a race, an imbalance or a deadlock. All sets and waits of one
event together leave the flags balanced, so what is reported must be a race: otherwise the event was not needed and
should not have been made.
"""

import re

import pytest
import torch

import attn.language as at
from attn import _core, testing
from kernels_dsl.attn_res import attn_res_fwd

SYNC = re.compile(r"^\s*ascend\.(set_flag|wait_flag|barrier)\b")
FLAG = re.compile(r"(\w+) to\s+(\w+) event (\d+)(?: slot\([^)]*\) of (\d+))?")
EPS = 1e-6

# Softmax form, memory of the chip, blocks, tokens, width: every loop makes at least three trips and a tail.
CASES = {
    "online": ("online", 196352, 7, 15, 4096),
    "odd-width": ("online", 8192, 5, 25, 123),
    "reload": ("two-phase-reload", 196352, 5, 15, 4096),
    "strips": ("auto", 8192, 4, 9, 300),
}


class Kernel:
    """A generated kernel as lines of chip IR, and a small run of it."""

    def __init__(self, form, ub_bytes, blocks, tokens, width):
        self.inputs = testing.attn_res_inputs(blocks, tokens, width, torch.bfloat16)
        soc = f"Ascend910B4:ub_bytes={ub_bytes},vector_cores=2"
        weights = at.spec(str(width), at.bf16)
        artefact = attn_res_fwd.compile(
            V=at.spec(f"? ? {width}", at.bf16), wq=weights, wn=weights, soc=soc, softmax=form
        )
        self.lines = artefact.ir("ascend").splitlines()
        self.shape = (blocks, tokens, width)

    def sync_lines(self):
        return [number for number, line in enumerate(self.lines) if SYNC.match(line)]

    def hazards_without(self, removed):
        """The kinds of hazards of the kernel without some of its lines."""
        text = "\n".join(line for number, line in enumerate(self.lines) if number not in removed)
        blocks, tokens, width = self.shape
        outputs = [torch.empty(tokens, width, dtype=torch.bfloat16), torch.empty(tokens)]
        outputs += [torch.empty(tokens, blocks), torch.empty(tokens, blocks)]
        arguments = [(t.data_ptr(), tuple(t.shape), t.stride()) for t in self.inputs] + [EPS]
        arguments += [(t.data_ptr(), tuple(t.shape), t.stride()) for t in outputs]
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


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def kernel(request):
    return Kernel(*request.param)


def test_the_whole_kernel_is_clean(kernel):
    assert kernel.hazards_without(set()) == set()


def test_each_op_alone_is_missed(kernel):
    for number in kernel.sync_lines():
        assert kernel.hazards_without({number}), f"nobody misses {kernel.lines[number].strip()} in line {number}"


def test_each_event_prevents_a_race(kernel):
    for lines in kernel.events():
        kinds = kernel.hazards_without(lines)
        assert "race" in kinds, f"{kinds} without {[kernel.lines[number].strip() for number in sorted(lines)]}"


def test_each_barrier_prevents_a_race(kernel):
    barriers = [number for number in kernel.sync_lines() if "barrier" in kernel.lines[number]]
    for number in barriers[:-1]:
        assert "race" in kernel.hazards_without({number}), f"line {number}: {kernel.lines[number].strip()}"
    assert "outstanding work" in kernel.hazards_without({barriers[-1]})


@pytest.mark.parametrize("blocks, tokens", [(1, 0), (1, 1), (2, 2), (1, 5)])
def test_few_trips_leave_flags_balanced(kernel, blocks, tokens):
    width = kernel.shape[2]
    small = object.__new__(Kernel)
    small.lines, small.shape = kernel.lines, (blocks, tokens, width)
    small.inputs = testing.attn_res_inputs(blocks, tokens, width, torch.bfloat16)
    assert small.hazards_without(set()) == set()
