"""Compares the stages of a kernel with each other and with a reference, and names the first that disagrees.

What "equal" means: a stage is right where it lies within a bound of a float64 reference. Where a result goes through no
sum and no transcendental function, all stages must also agree bit for bit; elsewhere they are never compared with one
another, since a bound that is loose enough for both says little about either. Chip IR and emitted text run on the same
modelled chip: all their outputs must agree bit for bit. Of AscendC, each pipe must also have done the same; HIVM, whose
ops are composites, is held against the chip IR that keeps them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from . import compiler
from .call.binding import bind
from .call.checking import CPU, Tensors, check_arguments
from .call.interface import Results
from .errors import Diagnostic, format_diagnostic
from .simulation import simulate
from .stages import RUNNING
from .stages import check as check_stage
from .testing import Comparison, compare

TOLERANCE = {"torch.float32": (1e-5, 1e-5), "torch.float16": (2e-3, 1e-3), "torch.bfloat16": (2e-2, 1e-2)}
"""What |x - y| <= atol + rtol * |y| must hold with where nothing else is asked for, by the type of the output; whole
numbers are equal."""


class Run(NamedTuple):
    """What a stage computed, and what the modelled chip says about it where it ran there."""

    outputs: object
    hazards: list
    report: object = None


def _run(kernel, positional, keywords: dict, soc: str, stage: str):
    """Runs the whole kernel in a stage."""
    if stage == "jit":
        return Run(kernel(*positional, **keywords), [])
    outputs, report = simulate(kernel, *positional, soc=soc, stage=stage, record=True, **keywords)
    return Run(outputs, report.hazards, report)


class VerificationError(AssertionError):
    """Stages of a kernel disagree; the text is that of the verification."""


@dataclass(frozen=True)
class Finding:
    """One output of one stage: what it was compared with, and how that went."""

    stage: str
    output: str
    against: str
    comparison: Comparison

    @property
    def ok(self):
        return self.comparison.holds

    def __str__(self):
        element = self.comparison.first_wrong
        if element is None:
            return f"{self.stage}: {self.output} {self._agreement()}"
        place = f"[{', '.join(map(str, element.index))}]" if element.index else ""
        bound = f"within {element.bound:.9g}" if element.bound else "bit for bit"
        return (
            f"{self.stage}: {self.output}{place} is {element.got:.9g}, expected {element.expected:.9g} {bound} "
            f"({self.against}); {self.comparison.wrong} wrong, the largest error is {self.comparison.max_error:.3g}"
        )

    def _agreement(self):
        if self.against == REFERENCE:
            return f"lies within its bound of the {self.against}, the largest error is {self.comparison.max_error:.3g}"
        return f"equals that of {self.against} bit for bit"


REFERENCE = "float64 reference"


@dataclass(frozen=True)
class Verification:
    """What `attn.verify` found. `repr()` tells all of it; `check()` raises it where something is wrong."""

    kernel: str
    runs: dict
    """The runs of the stages, by name."""
    findings: list = field(default_factory=list)
    unchecked: dict = field(default_factory=dict)
    """Outputs that nothing was compared with, and the op that keeps the stages from being equal bit for bit."""
    trace_difference: str = ""
    """The first instruction that the emitted text executes otherwise than the chip IR, in words."""

    @property
    def ok(self):
        """Whether no stage disagrees and none has hazards."""
        return self.stage is None

    @property
    def stage(self):
        """The first stage that disagrees or has hazards."""
        wrong = {finding.stage for finding in self.findings if not finding.ok}
        if self.trace_difference:
            wrong.add("ascendc")
        return next((name for name, run in self.runs.items() if run.hazards or name in wrong), None)

    @property
    def first(self):
        """The first finding of something wrong; None where a stage has hazards or another trace only."""
        return next((finding for finding in self.findings if not finding.ok and finding.stage == self.stage), None)

    @property
    def hazards(self):
        """The hazards of all stages."""
        return [hazard for run in self.runs.values() for hazard in run.hazards]

    def check(self):
        """Raises VerificationError unless all is right; returns the verification otherwise."""
        if not self.ok:
            raise VerificationError(repr(self))
        return self

    def __repr__(self):
        lines = [f"{self.kernel}, {', '.join(self.runs)}: {self._summary()}"]
        order = list(self.runs)
        lines += map(str, sorted(self.findings, key=lambda finding: (order.index(finding.stage), finding.ok)))
        if self.trace_difference:
            lines.append(f"ascendc: its instructions are not those of ascend: {self.trace_difference}")
        for name, run in self.runs.items():
            lines += [f"{name}: {_format_hazard(hazard)}" for hazard in run.hazards]
        for output, cause in self.unchecked.items():
            lines.append(f"{output} is not compared: it goes through {cause}, so give a reference")
        return "\n  ".join(lines)

    def _summary(self):
        if not self.ok:
            return f"{self.stage} is the first that is wrong"
        return "all that was compared agrees" if self.unchecked else "all agree"


def verify(
    kernel, *positional, reference=None, tolerance=None, soc: str = "Ascend910B4", stages=("jit", "ascend"), **keywords
):
    """Runs a kernel in several stages and compares them; returns a `Verification`.

    `reference` takes the kernel's arguments without block sizes, tensors as float64 and numbers rounded to f32, and
    returns what the kernel should. `tolerance` is (atol, rtol), numbers or tensors, or a dict of such pairs by output;
    what it does not name has that of `TOLERANCE`. Without a reference, outputs that must be equal bit for bit are
    compared, and the others are named.
    """
    if not stages:
        raise ValueError(f"no stage is given; known: {', '.join(RUNNING)}")
    for name in stages:
        check_stage(name, RUNNING)
    arguments, _ = compiler.split_options(kernel.signature, keywords)
    lowered = _lower(kernel, positional, arguments)
    with _unwritten_is_nan():
        runs = {name: _run(kernel, positional, keywords, soc, name) for name in stages}
    outputs = {name: _by_name(lowered.results, run.outputs) for name, run in runs.items()}
    findings = []
    if reference is not None:
        expected = _by_name(lowered.results, _call_reference(kernel, reference, positional, arguments))
        findings += _compare_with_reference(outputs, expected, tolerance)
    causes = _causes(lowered, outputs[stages[0]])
    findings += _compare_stages(outputs, [name for name, cause in causes.items() if cause is None])
    difference = ""
    if {"ascend", "ascendc"} <= runs.keys():
        findings += _compare_bits("ascendc", outputs["ascendc"], "ascend", outputs["ascend"])
        difference = runs["ascend"].report.records.difference(runs["ascendc"].report.records)
    if "hivm" in runs:
        with _unwritten_is_nan():
            kept = _run(kernel, positional, {**keywords, "composites": True}, soc, "ascend")
        expected = _by_name(lowered.results, kept.outputs)
        findings += _compare_bits("hivm", outputs["hivm"], "ascend with composites", expected)
    compared = {finding.output for finding in findings}
    unchecked = {name: cause for name, cause in causes.items() if name not in compared}
    return Verification(kernel.__name__, runs, findings, unchecked, difference)


def _lower(kernel, positional, arguments: dict):
    """What the frontend writes for a call, without running it."""
    values = bind(kernel.signature, kernel.defaults, positional, arguments)
    return kernel.lower(kernel.specialise(check_arguments(kernel.signature, values, Tensors(CPU))))


@contextmanager
def _unwritten_is_nan():
    """Fills what PyTorch allocates with NaN, so that an unwritten element is never right by chance."""
    import torch

    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])


# Outputs by name


def _by_name(results: Results, returned):
    """What a call returned by the names of the outputs; those of a list have their place in it appended.

    Where the kernel returns None, there is nothing to compare, whatever a reference gives.
    """
    named = {}
    for place, result in zip(results.returned, (returned,) if results.single else returned, strict=True):
        if place is None:
            continue
        name = results.outputs[place].name
        if isinstance(result, (list, tuple)):
            named.update({f"{name}[{index}]": tensor for index, tensor in enumerate(result)})
        else:
            named[name] = result
    return named


def _causes(lowered, outputs: dict):
    """For each output by name: the op that keeps stages from being equal bit for bit, or None."""
    causes = compiler.parse(lowered.text, "host").inexact_outputs
    by_array = {output.name: cause for output, cause in zip(lowered.results.outputs, causes, strict=True)}
    return {name: by_array[name.partition("[")[0]] for name in outputs}


# Comparisons


def _call_reference(kernel, reference, positional, arguments: dict):
    """The reference's results on what the kernel sees: numbers and tensors that are rounded already."""
    import torch

    def widen(value):
        if isinstance(value, (list, tuple)):
            return [widen(item) for item in value]
        if isinstance(value, torch.Tensor):
            return value.double() if value.is_floating_point() else value
        return torch.tensor(value, dtype=torch.float32).item() if isinstance(value, float) else value

    sizes = {parameter.name for parameter in kernel.signature.of_kind("auto")}
    named = {name: widen(value) for name, value in arguments.items() if name not in sizes}
    return reference(*map(widen, positional), **named)


def _compare_with_reference(outputs: dict, expected: dict, tolerance):
    for stage, results in outputs.items():
        for name, result in results.items():
            yield Finding(stage, name, REFERENCE, compare(result, expected[name], _tolerance(tolerance, name, result)))


def _tolerance(tolerance, name: str, result):
    if isinstance(tolerance, dict):
        tolerance = tolerance.get(name.partition("[")[0])
    return TOLERANCE.get(str(result.dtype), (0.0, 0.0)) if tolerance is None else tolerance


def _compare_stages(outputs: dict, names):
    """Later stages against the first, bit for bit. Signs of zeros do not count: narrowing drops them on the chip."""
    first, *others = outputs
    for stage in others:
        for name in names:
            yield Finding(stage, name, first, compare(outputs[stage][name], outputs[first][name], (0.0, 0.0)))


def _compare_bits(stage: str, results: dict, against: str, expected: dict):
    """Every output of a stage against another's, signs of zeros and the bits of NaN included."""
    import torch

    whole = {2: torch.int16, 4: torch.int32}
    for name, result in results.items():
        comparison = compare(result, expected[name], (0.0, 0.0))
        if comparison.holds:
            got, right = (t.contiguous().view(whole[t.element_size()]) for t in (result, expected[name]))
            comparison = compare(got, right, (0.0, 0.0))
        yield Finding(stage, name, against, comparison)


def _format_hazard(hazard):
    def diagnostic(severity: str, place: tuple, text: str, notes=()):
        file, line, column = place
        return Diagnostic(severity, file, line, column, text, notes=notes)

    notes = [diagnostic("note", place, text) for place, text in hazard.notes]
    return format_diagnostic(diagnostic(hazard.kind, hazard.place, hazard.message, notes))
