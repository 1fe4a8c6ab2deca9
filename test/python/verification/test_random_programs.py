"""Random kernels through every stage: each within its bounds of float64, equal where it must be, and without hazards.

Which programs are tried is printed at the start of the run. ATTN_RANDOM_START chooses the first, ATTN_RANDOM_COUNT how
many follow. A program that fails is made smaller as long as it fails in the same way, and shown as a Python file.
"""

import itertools
import linecache
import os
import random
import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

import attn
import bounded
import kernel_text
from program_generator import draw
from program_lists import ARRAYS
from program_steps import OPERATIONS, SCALAR, Loop
from random_programs import DTYPES, Program, walk
from sweeps import some_optimized

START = int(os.environ.get("ATTN_RANDOM_START", "1"))
COUNT = int(os.environ.get("ATTN_RANDOM_COUNT", "500"))
SHARD = 25
SMALLER = dict(B=1, T=1, N=1, S=1, D=8)


def failure(program: Program, folder):
    """What is wrong with a program: (kind, text), or None."""
    kernel = kernel_text.define(folder, program.text())
    tensors = program.tensors()
    expected, _ = program.evaluate()
    outputs = [torch.from_numpy(output.value) for output in expected.values()]
    bounds = {name: (torch.from_numpy(output.bound), 0.0) for name, output in expected.items()}
    block = {} if program.block is None else {"BT": program.block}
    try:
        result = attn.verify(
            kernel, *tensors.values(), SCALAR, **block, tolerance=bounds,
            reference=lambda *_, **__: outputs[0] if len(outputs) == 1 else outputs,
        )  # fmt: skip
    except attn.CompileError as error:
        return f"compile error: {re.sub('[0-9]+', '0', error.message)}", str(error)
    if result.ok:
        return None
    kinds = sorted({hazard.kind for hazard in result.hazards})
    return f"{result.stage} {kinds or result.first.against}", repr(result)


def smaller_programs(program: Program):
    """Programs that have a little less, those that have much less first."""
    steps = program.steps
    for step in sorted(steps, key=lambda step: -len(list(walk((step,))))):
        yield program.without(step)
    for step in steps:
        if isinstance(step, Loop):
            for simpler in (replace(step, stages=1), replace(step, first=0)):
                yield with_step(program, step, simpler) if simpler != step else None
        yield from program.bypassing(step)
    for name, size in program.sizes.items():
        if name in SMALLER and size > SMALLER[name] and not (name == "D" and size < 16):
            yield replace(program, sizes={**program.sizes, name: SMALLER[name]})
            yield replace(program, sizes={**program.sizes, name: size - 1})
    if program.block and program.block > 1:
        yield replace(program, block=program.block // 2)


def with_step(program: Program, old, new):
    def change(steps):
        changed = []
        for step in steps:
            inner = replace(step, body=change(step.body)) if isinstance(step, Loop) and step is not old else step
            changed.append(new if step is old else inner)
        return tuple(changed)

    return replace(program, body=change(program.body))


def shrink(program: Program, kind: str, fails):
    """A smaller program that fails in the same way; `fails` gives the kind of a program's failure."""
    while True:
        for candidate in smaller_programs(program):
            if candidate is not None and candidate != program and fails(candidate) == kind:
                program = candidate
                break
        else:
            return program


def as_file(program: Program):
    """A program as a Python file of its own."""
    lines = ["import attn", "import attn.language as at", "import numpy as np", "import torch"]
    lines += ["", "", program.text(), ""]
    names = []
    for name, (dims, dtype) in program.arguments.items():
        shape = tuple(program.sizes.get(dim, dim) for dim in dims)
        names.append(name)
        if name in ARRAYS:
            lines.append(f"{name} = torch.tensor({program.tensors()[name].tolist()}).to({DTYPES[dtype]})")
            continue
        numbers = f"np.random.default_rng([{program.number}, {ord(name)}]).uniform(-2, 2, {shape}).astype(np.float32)"
        lines.append(f"{name} = torch.from_numpy({numbers}).to({DTYPES[dtype]})")
    block = "" if program.block is None else f", BT={program.block}"
    lines.append(f"print(attn.verify(k, {', '.join(names)}, {SCALAR}{block}))")
    return "\n".join(lines) + "\n"


def check(program: Program, folder):
    found = failure(program, folder)
    if found is None:
        return

    def kind_of(candidate):
        if candidate.evaluate()[1] is not None:
            return None  # its values say nothing
        found = failure(candidate, folder)
        return found and found[0]

    small = shrink(program, found[0], kind_of)
    _, text = failure(small, folder)
    pytest.fail(f"program {program.number} fails: {text}\n\n{as_file(small)}", pytrace=False)


@pytest.mark.slow
@pytest.mark.parametrize("first", some_optimized(range(START, START + COUNT, SHARD)))
def test_random_programs(first, tmp_path):
    for number in range(first, min(first + SHARD, START + COUNT)):
        check(draw(number), tmp_path)


WRONG = (-1, -(2**31), 2**31 - 1, 2**40, 7, 100)
WRONG_PROGRAMS = int(os.environ.get("ATTN_WRONG_PROGRAMS", "30"))
MOST_SHORT = 300  # of 16 bits: a larger count is allowed, but takes long


def spoil(tensor, chance):
    """Some integers of an array changed to any others."""
    limits = torch.iinfo(tensor.dtype)
    most = MOST_SHORT if limits.bits == 16 else limits.max
    numbers = [
        min(max(chance.choice(WRONG), limits.min), most) if chance.random() < 0.5 else number
        for number in tensor.tolist()
    ]
    return torch.tensor(numbers).to(tensor.dtype)


def is_of_loop(hazard):
    """Whether a hazard is at the head of a loop, and so about its count."""
    return linecache.getline(*hazard.place[:2]).lstrip().startswith("for ")


def look_at_wrong_numbers(program: Program, folder):
    """Checks that wrong integers lead nowhere outside: the CPU raises or none was used, the modelled chip reports each and
    goes on, and texts have nothing to report: what they store is what the chip's IR stores."""
    kernel, chance = kernel_text.define(folder, program.text()), random.Random(program.number)
    tensors = {name: spoil(x, chance) if name in ARRAYS else x for name, x in program.tensors().items()}
    block = {} if program.block is None else {"BT": program.block}
    try:
        kernel(*tensors.values(), SCALAR, **block)
        is_wrong = False
    except attn.OutOfBoundsError:
        is_wrong = True
    runs = {
        stage: attn.simulate(kernel, *tensors.values(), SCALAR, **block, stage=stage) for stage in ("ascend", "ascendc")
    }
    # Rows that a wrong list names twice are written twice. Loops that change nothing are none on the CPU.
    kinds = {
        stage: {hazard.kind for hazard in run.report.hazards if is_wrong or not is_of_loop(hazard)}
        - {"race", "overlap"}
        for stage, run in runs.items()
    }
    assert kinds == {"ascend": {"out of bounds"} if is_wrong else set(), "ascendc": set()}, program.text()
    if all(not run.report.hazards for stage, run in runs.items() if stage != "ascend"):
        for output, other in zip(runs["ascend"].outputs, runs["ascendc"].outputs):
            torch.testing.assert_close(output, other, atol=0, rtol=0, equal_nan=True)


def test_wrong_numbers_in_memory(tmp_path):
    numbers = (
        number for number in range(START, START + 1000) if any(f"{name}[" in draw(number).text() for name in ARRAYS)
    )
    for number in itertools.islice(numbers, WRONG_PROGRAMS):
        look_at_wrong_numbers(draw(number), tmp_path)


def complaint(program, folder):
    """The number of a program and what is said of it; nothing for one that is right."""
    try:
        check(program, folder)
    except pytest.fail.Exception as error:
        return program.number, str(error)
    return None


def test_a_planted_error_is_found_and_made_small(monkeypatch, tmp_path):
    """With a wrong idea of the square root, a program that takes one fails, and little else of it is left."""
    text, compute = OPERATIONS["sqrt"]
    monkeypatch.setitem(OPERATIONS, "sqrt", (text, lambda x: bounded.multiply(compute(x), bounded.constant(1.0625))))
    # A value that comes out of a band or a state needs every step of it, and could not become small.
    large = ("at.band", "at.softmax_state")
    small = (program for program in map(draw, range(1000)) if not any(word in program.text() for word in large))
    number, said = next(
        found for program in small if "at.sqrt" in program.text() and (found := complaint(program, tmp_path))
    )
    shown = said[said.index("def k(") : said.index("    return")].splitlines()
    assert f"program {number} fails: k, jit, ascend: jit is the first that is wrong\n  jit: Y" in said
    assert sum("at.sqrt" in line for line in shown) == 1 and len(shown) <= 10, said
    file = tmp_path / "shown.py"
    file.write_text(said[said.index("import attn\n") :])
    subprocess.run([sys.executable, file], check=True, stdout=subprocess.DEVNULL)
