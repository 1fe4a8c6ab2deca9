#!/usr/bin/env python3
"""Runs a program of the documentation, and then takes the kernels that it defines to every text form.

run_documented.py PROGRAM [FORM...]: the kernels must compile to each form of `attn.STAGES` but those named, which must
refuse at least one of them. What the program prints is printed, and nothing else unless something is wrong.

Without arguments, it is a process that `check_docs.py` asks for one program after the other (`prepared.py`).
"""

import sys
from pathlib import Path

import attn
from attn._kernel import Kernel
from prepared import serve

SOC = "Ascend910B4"


def collect():
    """The specialisations of the program's kernels, in the order in which they are compiled first."""
    used: dict[tuple, None] = {}
    lower = Kernel.lower

    def remember(kernel, specialisation):
        lowered = lower(kernel, specialisation)
        if kernel.__module__ == "__main__":
            used.setdefault((kernel, specialisation))
        return lowered

    setattr(Kernel, "lower", remember)  # noqa: B010 - to mypy, a method is not a variable
    return used


def problems_of(form: str, used, must_refuse: bool):
    """Yields what is wrong with a form."""
    refusals = []
    for kernel, specialisation in used:
        try:
            kernel.artefact(specialisation, SOC, {}).ir(form)
        except attn.CompileError as error:
            refusals.append(f"{kernel.__name__} does not compile to {form}: {error}")
    if must_refuse and not refusals:
        yield f"the page says that {form} refuses a kernel, but all compile"
    if not must_refuse:
        yield from refusals


def main(program: str, refusing):
    used = collect()
    sys.argv = [program]
    exec(compile(Path(program).read_text(), program, "exec"), {"__name__": "__main__", "__file__": program})
    kernels = list(used)
    unknown = [form for form in refusing if form not in attn.STAGES]
    problems = [f"'{form}' is not a text form" for form in unknown]
    for form in attn.STAGES:
        problems += problems_of(form, kernels, form in refusing)
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


def prepare():
    """Imports what most programs do."""
    import torch  # noqa: F401


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]) if sys.argv[1:] else serve(prepare, main))
