"""Runs operators on a stage of choice: as they are, through the CPU JIT, or with every kernel on the modelled chip.

There the chip IR of a kernel runs first and then its emitted text, which must do the same to the bit. Also tells what of
PyTorch a call uses.

Cases that one compiled kernel serves are parts of one test, so that it is compiled once.
"""

import pytest
import torch

import attn

SOC = "Ascend910B4"


class Chip:
    """Stands for the runtime: runs kernels on the modelled chip, which must find no hazards; keeps the reports."""

    def __init__(self):
        self.runs = []

    def run(self, kernel, outputs, **arguments):
        outputs = {name: output for name, output in outputs.items() if output is not None}
        twins = {name: _like(output) for name, output in outputs.items()}
        _, report = attn.simulate(kernel, soc=SOC, outputs=outputs, record=True, **arguments)
        _, of_text = attn.simulate(kernel, soc=SOC, outputs=twins, record=True, stage="ascendc", **arguments)
        for hazards in (report.hazards, of_text.hazards):
            assert not hazards, "\n".join(map(str, hazards))
        for name, output in outputs.items():
            assert _same_bits(output, twins[name]), f"{name} of the emitted text differs from that of the chip IR"
        assert report.records.difference(of_text.records) == ""
        self.runs.append((kernel.__name__, report))

    def reports(self, name):
        """Of the runs of a kernel."""
        return [report for kernel, report in self.runs if kernel == name]


def _like(output):
    """Memory of the same shape and strides, or a list of such."""
    if isinstance(output, (list, tuple)):
        return [_like(tensor) for tensor in output]
    return torch.empty_strided(output.shape, output.stride(), dtype=output.dtype)


def _same_bits(one, other):
    if isinstance(one, (list, tuple)):
        return all(map(_same_bits, one, other))
    whole = {2: torch.int16, 4: torch.int32}[one.element_size()]
    return torch.equal(one.contiguous().view(whole), other.contiguous().view(whole))


def on_both(*cases):
    """The cases on the JIT, and the first one on the chip as well."""
    return [("jit", case) for case in cases] + [("ascend", cases[0])]


def first_on_chip(stage, *cases):
    """All cases on the JIT, the first one on the chip."""
    return cases[:1] if stage == "ascend" else cases


BOTH_STAGES = pytest.mark.parametrize("stage", ["jit", "ascend"], indirect=True)


# Operations that hand values of tensors, or how many there are, to the host: on a device, the host waits for them.
WAITING = {f"aten::{name}" for name in ("item", "_local_scalar_dense", "is_nonzero", "nonzero", "equal", "_to_copy")}


def waits_of(call):
    """The names of the operations in a call for which a host would wait for its device, within operators too."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        call()
    used = {event.key for event in profile.key_averages()}
    assert any(name.startswith("attn::") for name in used), "the profile does not show the operators"
    return used & WAITING
