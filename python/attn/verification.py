"""Compares the stages of a kernel with each other and with a reference, and names the first that disagrees.

What "equal" means: a stage is right where it lies within a bound of a float64 reference. Where a result goes through no
sum and no transcendental function, all stages must also agree bit for bit; elsewhere they are never compared with one
another, since a bound that is loose enough for both says little about either. Chip IR and emitted text run on the same
modelled chip: all their outputs must agree bit for bit. Of AscendC, each pipe must also have done the same; HIVM, whose
ops are composites, is held against the chip IR that keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from . import compiler
from .call.binding import bind
from .call.checking import CPU, Tensors, check_arguments
from .call.interface import Results
from .call.planning import prepare
from .errors import Diagnostic, HazardError, entry_point, format_diagnostic
from .report import Hazard
from .simulation import simulate
from .stages import RUNNING
from .stages import check as check_stage
from .testing import Comparison, compare, first_index

TOLERANCE = {"torch.float32": (1e-5, 1e-5), "torch.float16": (2e-3, 1e-3), "torch.bfloat16": (2e-2, 1e-2)}
"""What |x - y| <= atol + rtol * |y| must hold with where nothing else is asked for, by the type of the output; whole
numbers are equal."""


class Run(NamedTuple):
    """What a stage computed, and what the modelled chip says about it where it ran there.

    `unwritten` are masks of the elements that hold what they held before, by the names of outputs that have some. A run
    that was `skipped`, for the reason given there, has no outputs, nor has one that the CPU stopped for a hazard.
    """

    outputs: object
    hazards: list
    report: object = None
    unwritten: Mapping = MappingProxyType({})
    skipped: str = ""


# What memory holds before a kernel writes to it, by the bytes of an element: NaN in every type that has it, with bits
# that a kernel hardly gives itself. What holds the first is tried with the second.
_FILLS = {1: 0x55, 2: 0x7FD5, 4: 0x7FD5A5D5}, {1: 0x6A, 2: 0x7FEA, 4: 0x7FEA5AEA}


class _Call(NamedTuple):
    """A call of a kernel that is run in stages."""

    kernel: Any
    positional: tuple
    keywords: dict
    values: dict  # by the names of the parameters
    soc: str

    def run(self, stage: str):
        """Runs the whole kernel in a stage."""
        run, held = self._run_on(_FILLS[0], stage)
        if any(mask.any() for mask in held.values()):
            again = self._run_on(_FILLS[1], stage)[1]
            held = {name: mask & again[name] for name, mask in held.items()}
        return run._replace(unwritten={name: mask for name, mask in held.items() if mask.any()})

    def _run_on(self, fill: dict, stage: str):
        """A run on outputs that hold a number, and masks of the elements that hold it afterwards, by name."""
        call = prepare(self.kernel.signature, self.values, Tensors(CPU), self.kernel.results, {})
        with _unwritten_is_nan():
            outputs = {name: maker.make() for name, maker in call.laid_out.makers.items()}
            for tensor in _flat(outputs).values():
                _bits(tensor).fill_(fill[tensor.element_size()])
            run = self._run_into(outputs, stage)
        return run, {name: _bits(tensor) == fill[tensor.element_size()] for name, tensor in _flat(outputs).items()}

    def _run_into(self, outputs: dict, stage: str):
        if stage == "jit":
            return Run(self.kernel.launch(self.positional, self.keywords, outputs), [])
        given = dict(soc=self.soc, stage=stage, record=True, outputs=outputs)
        results, report = simulate(self.kernel, *self.positional, **self.keywords, **given)
        return Run(results, report.hazards, report)


def _run_stages(call: _Call, stages):
    """The runs by stage, in the order asked for. The chip runs first: it reports what would corrupt this process."""
    runs = {stage: call.run(stage) for stage in stages if stage != "jit"}
    leaves = any(hazard.kind == "out of bounds" for run in runs.values() for hazard in run.hazards)
    if "jit" in stages:
        why = "the modelled chip reports memory outside of the kernel's arrays"
        runs["jit"] = Run(None, [], skipped=why) if leaves else _run_on_cpu(call)
    return {stage: runs[stage] for stage in stages}


def _run_on_cpu(call: _Call):
    """The run on the CPU, which raises a hazard where the chip reports it and goes on."""
    try:
        return call.run("jit")
    except HazardError as error:
        return Run(None, [Hazard(error.kind, error.message, error.position, block=0, pipe="", notes=[])])


@dataclass(frozen=True)
class Unwritten:
    """Elements of an output that a stage did not write: the first of them, and how many of all."""

    stage: str
    output: str
    index: tuple
    count: int
    elements: int

    def __str__(self):
        if self.count == self.elements:
            return f"{self.stage}: {self.output} is never written"
        place = f"[{', '.join(map(str, self.index))}]"
        return f"{self.stage}: {self.output}{place} is never written, nor are {self.count - 1} more of {self.elements}"


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
    """Outputs that nothing was compared with, and the op that keeps the stages from being equal bit for bit, if any."""
    trace_difference: str = ""
    """The first instruction that the emitted text executes otherwise than the chip IR, in words."""

    @property
    def ok(self):
        """Whether no stage disagrees, none has hazards, and all of them write every element."""
        return self.stage is None

    @property
    def stage(self):
        """The first stage that disagrees, has hazards or leaves something unwritten."""
        wrong = {finding.stage for finding in self.findings if not finding.ok}
        if self.trace_difference:
            wrong.add("ascendc")
        return next((name for name, run in self.runs.items() if run.hazards or run.unwritten or name in wrong), None)

    @property
    def unwritten(self):
        """The elements of outputs that stages leave as they were."""
        return [
            Unwritten(stage, name, first_index(mask), int(mask.sum()), mask.numel())
            for stage, run in self.runs.items()
            for name, mask in run.unwritten.items()
        ]

    @property
    def first(self):
        """The first comparison that fails; None where a stage has hazards, unwritten elements or another trace only."""
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
        lines += map(str, self.unwritten)
        lines += map(str, sorted(self.findings, key=lambda finding: (order.index(finding.stage), finding.ok)))
        if self.trace_difference:
            lines.append(f"ascendc: its instructions are not those of ascend: {self.trace_difference}")
        for name, run in self.runs.items():
            if run.skipped:
                lines.append(f"{name}: not run, as {run.skipped}")
            lines += [f"{name}: {_format_hazard(hazard)}" for hazard in run.hazards]
        for output, cause in self.unchecked.items():
            reason = f"it goes through {cause}" if cause else "no other stage ran"
            lines.append(f"{output} is not compared: {reason}, so give a reference")
        return "\n  ".join(lines)

    def _summary(self):
        if not self.ok:
            return f"{self.stage} is the first that is wrong"
        return "all that was compared agrees" if self.unchecked else "all agree"


@entry_point
def verify(
    kernel, *positional, reference=None, tolerance=None, soc: str = "Ascend910B4", stages=("jit", "ascend"), **keywords
):
    """Runs a kernel in several stages and compares them; returns a `Verification`.

    `reference` takes the kernel's arguments without block sizes, tensors as float64 and numbers rounded to f32, and
    returns what the kernel should. `tolerance` is (atol, rtol), numbers or tensors, or a dict of such pairs by output;
    what it does not name has that of `TOLERANCE`. Without a reference, outputs that must be equal bit for bit are
    compared, and the others are named.
    """
    compiler.check_kernel(kernel, "attn.verify")
    if isinstance(stages, str):
        raise TypeError(f"stages: several are expected, such as ({stages!r},), not {stages!r}")
    if not stages:
        raise ValueError(f"no stage is given; known: {', '.join(RUNNING)}")
    for name in stages:
        check_stage(name, RUNNING)
    arguments, _ = compiler.split_options(kernel.signature, keywords)
    values = bind(kernel.signature, kernel.defaults, positional, arguments)
    lowered = kernel.lower(kernel.specialise(check_arguments(kernel.signature, values, Tensors(CPU))))
    _check_comparison(lowered.results, reference, tolerance)
    call = _Call(kernel, positional, keywords, values, soc)
    runs = _run_stages(call, stages)
    outputs = {name: _by_name(lowered.results, run.outputs) for name, run in runs.items() if run.outputs is not None}
    findings = []
    if reference is not None:
        expected = _name_expected(lowered.results, _call_reference(kernel, reference, positional, arguments))
        findings += _compare_with_reference(outputs, expected, tolerance)
    causes = _causes(lowered, next(iter(outputs.values()), {}))
    findings += _compare_stages(outputs, [name for name, cause in causes.items() if cause is None])
    difference = ""
    if {"ascend", "ascendc"} <= runs.keys():
        findings += _compare_bits("ascendc", outputs["ascendc"], "ascend", outputs["ascend"])
        difference = runs["ascend"].report.records.difference(runs["ascendc"].report.records)
    if "hivm" in runs:
        kept = call._replace(keywords={**keywords, "composites": True}).run("ascend")
        expected = _by_name(lowered.results, kept.outputs)
        findings += _compare_bits("hivm", outputs["hivm"], "ascend with composites", expected)
    # That nothing was written says more than that what was there before is equal.
    findings = [found for found in findings if not (found.ok and found.output in runs[found.stage].unwritten)]
    compared = {finding.output for finding in findings}
    unwritten = {name for run in runs.values() for name in run.unwritten}
    unchecked = {name: cause for name, cause in causes.items() if name not in compared | unwritten}
    return Verification(kernel.__name__, runs, findings, unchecked, difference)


@contextmanager
def _unwritten_is_nan():
    """Fills what PyTorch allocates with NaN, so that an element of a workspace is never right by chance."""
    import torch

    # Not by use_deterministic_algorithms, which also tells inductor: importing that takes seconds.
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("error")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)


# Outputs by name


def _by_name(results: Results, returned):
    """What a call returned by the names of the outputs; those of a list have their place in it appended.

    Where the kernel returns None, there is nothing to compare, whatever a reference gives.
    """
    pairs = zip(results.returned, (returned,) if results.single else returned, strict=True)
    return _flat({results.outputs[place].name: result for place, result in pairs if place is not None})


def _name_expected(results: Results, returned):
    """What a reference returned, by the names of the outputs."""
    import torch

    names = [None if place is None else results.outputs[place].name for place in results.returned]
    given = (returned,) if results.single else returned
    if not isinstance(given, (tuple, list)) or len(given) != len(names):
        many = f"{len(given)} results" if isinstance(given, (tuple, list)) else type(given).__name__
        raise ValueError(f"reference: {len(names)} results are expected ({', '.join(map(str, names))}), not {many}")
    for name, value in zip(names, given):
        tensors = value if isinstance(value, (list, tuple)) else [value]
        if name is not None and not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
            raise TypeError(f"reference: a tensor is expected for '{name}', not {type(value).__name__}")
    return _by_name(results, returned)


def _flat(outputs: dict):
    """Outputs by name; those of a list have their place in it appended."""
    flat = {}
    for name, output in outputs.items():
        if isinstance(output, (list, tuple)):
            flat.update({f"{name}[{index}]": tensor for index, tensor in enumerate(output)})
        else:
            flat[name] = output
    return flat


def _bits(tensor):
    """A tensor as integers of its size, in the same memory."""
    import torch

    return tensor.view({1: torch.int8, 2: torch.int16, 4: torch.int32}[tensor.element_size()])


def _causes(lowered, outputs: dict):
    """For each output by name: the op that keeps stages from being equal bit for bit, or None."""
    causes = compiler.parse(lowered.text, "host").inexact_outputs
    by_array = {output.name: cause for output, cause in zip(lowered.results.outputs, causes, strict=True)}
    return {name: by_array[name.partition("[")[0]] for name in outputs}


# Comparisons


def _check_comparison(results: Results, reference, tolerance):
    """TypeError or ValueError unless there is a function, and bounds for outputs that there are."""
    if reference is not None and not callable(reference):
        raise TypeError(f"reference: a function is expected, not {type(reference).__name__}")
    pairs = [tolerance] if tolerance is not None else []
    if isinstance(tolerance, dict):
        known, pairs = [output.name for output in results.outputs], [*tolerance.values()]
        for name in tolerance:
            # An output that is None has no name here.
            if name not in known and None not in results.returned:
                raise ValueError(f"tolerance: '{name}' is not an output; known: {', '.join(known)}")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or any(isinstance(bound, str) for bound in pair):
            raise TypeError(f"tolerance: a pair (atol, rtol) is expected, not {pair!r}")


def _call_reference(kernel, reference, positional, arguments: dict):
    """The reference's results on what the kernel sees: numbers and tensors that are rounded already."""
    import torch

    def widen(value):
        if isinstance(value, (list, tuple)):
            return [widen(item) for item in value]
        if isinstance(value, torch.Tensor):
            return value.double() if value.is_floating_point() else value
        return torch.tensor(value, dtype=torch.float32, device="cpu").item() if isinstance(value, float) else value

    sizes = {parameter.name for parameter in kernel.signature.of_kind("auto")}
    named = {name: widen(value) for name, value in arguments.items() if name not in sizes}
    _check_signature(reference, positional, named)
    return reference(*map(widen, positional), **named)


def _check_signature(reference, positional, named: dict):
    """TypeError where a reference does not take what the kernel was called with."""
    import inspect

    try:
        signature = inspect.signature(reference)
    except ValueError:  # of a function that is not Python's
        return
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        given = [f"{len(positional)} in order"] * bool(positional) + [f"{name}=" for name in named]
        raise TypeError(f"reference: {error}; it is given what the kernel is: {', '.join(given)}") from None


def _compare_with_reference(outputs: dict, expected: dict, tolerance):
    for stage, results in outputs.items():
        if results.keys() != expected.keys():
            names = ", ".join(results), ", ".join(expected)
            raise ValueError(f"reference: {names[0]} is expected, as the kernel returns it, not {names[1]}")
        for name, result in results.items():
            if expected[name].shape != result.shape:
                shapes = f"{tuple(expected[name].shape)}, not {tuple(result.shape)}"
                raise ValueError(f"reference: '{name}' has the shape {shapes}")
            yield Finding(stage, name, REFERENCE, compare(result, expected[name], _tolerance(tolerance, name, result)))


def _tolerance(tolerance, name: str, result):
    if isinstance(tolerance, dict):
        tolerance = tolerance.get(name.partition("[")[0])
    return TOLERANCE.get(str(result.dtype), (0.0, 0.0)) if tolerance is None else tolerance


def _compare_stages(outputs: dict, names):
    """Later stages against the first, bit for bit. Signs of zeros do not count: narrowing drops them on the chip."""
    first, *others = outputs or [""]
    for stage in others:
        for name in names:
            yield Finding(stage, name, first, compare(outputs[stage][name], outputs[first][name], (0.0, 0.0)))


def _compare_bits(stage: str, results: dict, against: str, expected: dict):
    """Every output of a stage against another's, signs of zeros and the bits of NaN included."""
    for name, result in results.items():
        comparison = compare(result, expected[name], (0.0, 0.0))
        if comparison.holds:
            comparison = compare(_bits(result), _bits(expected[name]), (0.0, 0.0))
        yield Finding(stage, name, against, comparison)


def _format_hazard(hazard):
    def diagnostic(severity: str, place: tuple, text: str, notes=()):
        file, line, column = place
        return Diagnostic(severity, file, line, column, text, notes=notes)

    notes = [diagnostic("note", place, text) for place, text in hazard.notes]
    return format_diagnostic(diagnostic(hazard.kind, hazard.place, hazard.message, notes))
