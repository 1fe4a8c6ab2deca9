"""Runs kernels on the modelled chip: `attn.simulate`."""

from __future__ import annotations

from typing import NamedTuple

from . import compiler, stages
from .call.binding import bind
from .call.checking import CPU, Tensors, TensorsOrSpecs
from .call.layout import fill
from .call.overlap import check_overlap
from .call.planning import Prepared, prepare
from .errors import entry_point
from .language import Spec
from .report import Report


class Simulation(NamedTuple):
    """What `attn.simulate` returns: the kernel's outputs (None without values) and the chip's report."""

    outputs: object
    report: Report


@entry_point
def simulate(
    kernel,
    *positional,
    soc: str = "Ascend910B4",
    timing_only: bool = False,
    ideal_bytes: int | None = None,
    trace: str = "",
    outputs: dict | None = None,
    stage: str = "ascend",
    record: bool = False,
    jitter: int | None = None,
    warm_ups: int = 0,
    blocks: int | None = None,
    **keywords,
):
    """Runs a kernel on the modelled chip; returns its `outputs` and a `report` of hazards, traffic and predicted time.

    `stage` is what runs: the chip IR ("ascend"), or emitted text, compiled by clang ("ascendc") or read ("hivm"). With
    `record`, the report has what each pipe did in `records`.
    With `timing_only` no values are computed, and arrays may be given as `at.spec` with a number for every dim; those
    that counts and indices are read from must be tensors.
    `ideal_bytes` are what the roofline counts, by default the bytes moved, of no array more than it has each way.
    `warm_ups` are runs before the one that counts, which finds in L2 what they left (with `timing_only`), and `blocks`
    are launched instead of as many as the chip has cores or the grid has tiles.
    `jitter` is a seed that shakes latencies, so that the kernel meets another schedule: results must not change.
    `trace` names a file for Chrome or Perfetto, or one that ends in `.txt`, to be read. `outputs` are those that the
    caller has made, by name.
    """
    compiler.check_kernel(kernel, "attn.simulate")
    stages.check(stage, stages.ON_CHIP)
    arguments, options = compiler.split_options(kernel.signature, keywords)
    values = bind(kernel.signature, kernel.defaults, positional, arguments)
    check_overlap(values, outputs or {})
    describe = TensorsOrSpecs(CPU) if timing_only else Tensors(CPU)
    call = prepare(
        kernel.signature, values, describe, kernel.results, outputs or {}, rows_apart=True, has_values=not timing_only
    )
    artefact = kernel.artefact(kernel.specialise(call.arguments), soc, options)
    about = dict(timing_only=timing_only, ideal_bytes=ideal_bytes, trace=trace, record=record, jitter=jitter)
    about |= dict(warm_ups=warm_ups, blocks=blocks)
    launch = _ChipLaunch(artefact, stage, call.laid_out.native, about)
    if timing_only:
        return Simulation(None, launch.simulate(_with_integers(call)))
    results = call.run(launch)
    return Simulation(results, launch.reports[0])


def _with_integers(call: Prepared):
    """The native arguments of a call without values, but for integers in memory that are given: loops count by them."""
    native = list(call.laid_out.native)
    places = (place for place, argument in enumerate(native) if isinstance(argument, tuple))
    for place, (name, layout) in zip(places, call.laid_out.inputs.items()):
        value = call.arguments.values[name]
        if isinstance(value, (Spec, list, tuple)) or layout.copied or value.is_floating_point():
            continue
        native[place] = (value.data_ptr(), *native[place][1:])
    return native


class _ChipLaunch:
    """Launches on the modelled chip, with a report of each."""

    def __init__(self, artefact, stage: str, arguments: list, about: dict):
        if stage == "hivm":
            artefact = artefact.with_composites
        self._module = artefact.module("ascend")
        self._stage = stage
        self._text = "" if stage == "ascend" else getattr(artefact, stage)
        self._arguments = arguments
        self._about = about
        self.reports: list[Report] = []

    def __call__(self, arrays: list, floats: list):
        self.reports.append(self.simulate(fill(self._arguments, arrays, floats)))

    def simulate(self, arguments: list):
        """Runs with native arguments."""
        from . import _core

        with compiler.compile_errors():
            native = _core.simulate(self._module, arguments, stage=self._stage, text=self._text, **self._about)
        return Report.make(native)
