#!/usr/bin/env python3
"""Runs the commands and Python programs that the documentation shows.

In README.md, CONTRIBUTING.md and docs/, each line of a fence marked `sh` is a command and each fence marked `python`
is a program; both run from the root. `make demo` runs; of other make commands only the targets are looked up, since
`make test` is what calls this. A fence marked `sh no-run` or `python no-run` is left out.

A fence marked `text output` is what the program or the commands before it print; a line `...` stands for any lines, and
the program's own path for `kernel.py`. The kernels of a program are also taken to every text form
(`scripts/run_documented.py`); `python refused=hivm` says that a form must refuse them.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from prepared import Prepared

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w+)[ \t]*([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TIMEOUT_SECONDS = 600
MAKE_VARIABLES = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the make that may have started this
ANY_LINES = "..."
SHOWN_PATH = "kernel.py"


@dataclass
class Program:
    """Something that a page shows and that can be run."""

    line: int
    kind: str  # `python`, `sh`, or `make`, which is only looked up
    text: str
    refused: tuple = ()
    expected: list = field(default_factory=list)  # what it prints: lines, ANY_LINES among them


def documents():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def commands(line: int, body: str):
    """The programs of a fence of commands."""
    for offset, command in enumerate(body.replace("\\\n", " ").splitlines()):  # a continued command is one command
        words = shlex.split(command, comments=True)
        if words:
            looked_up = words[0] == "make" and words[1:] != ["demo"]
            yield Program(line + offset, "make" if looked_up else "sh", command)


def programs(text: str):
    """The programs of a page, each with what the page says that it prints."""
    found: list[Program] = []
    for fence in FENCE.finditer(text):
        language, marks, body = fence.group(1), fence.group(2).split(), fence.group(3)
        line = text.count("\n", 0, fence.start()) + 2
        if (language, marks) == ("text", ["output"]):
            if not found or found[-1].expected:
                raise ValueError(f"line {line}: no program prints this")
            found[-1].expected = body.splitlines()
        elif "no-run" in marks:
            continue
        elif language == "python":
            refused = next((mark.removeprefix("refused=") for mark in marks if mark.startswith("refused=")), "")
            found.append(Program(line, "python", body, tuple(refused.split(",")) if refused else ()))
        elif language == "sh":
            found += commands(line, body)
    return found


def is_printed(expected, printed):
    """Whether lines are what a page says, with any lines in the place of ANY_LINES."""
    if not expected:
        return not printed
    if expected[0] == ANY_LINES:
        return any(is_printed(expected[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and expected[0].rstrip() == printed[0].rstrip() and is_printed(expected[1:], printed[1:])


# Each program runs once, so nothing is optimised for it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in MAKE_VARIABLES}
ENVIRONMENT["ATTN_OPTIMIZE_CPU"] = "0"
# Pages run beside each other: threads of PyTorch that wait leave the cores to those that work.
ENVIRONMENT.setdefault("OMP_WAIT_POLICY", "PASSIVE")


THREAD = threading.local()
"""Has the process of each thread that runs Python programs."""


def run_python(program: Program, folder: Path, environment):
    """Exit code, None for a program that does not end, and what it prints."""
    if not hasattr(THREAD, "prepared"):
        THREAD.prepared = Prepared(ROOT / "scripts" / "run_documented.py", ENVIRONMENT, cwd=ROOT)
    # A file, because the source of a kernel is read from its file.
    snippet, output = folder / SHOWN_PATH, folder / "output"
    snippet.write_text(program.text)
    request = str(snippet), program.refused
    code = THREAD.prepared.ask(*request, output=output, environment=environment, seconds=TIMEOUT_SECONDS)
    return None if code == -signal.SIGALRM else code, output.read_text()


def run_command(program: Program, _, environment):
    if program.kind == "make":
        argv = ["make", "--dry-run", *shlex.split(program.text, comments=True)[1:]]
    else:
        argv = ["bash", "-euo", "pipefail", "-c", program.text]
    try:
        done = subprocess.run(
            argv,
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def run(program: Program):
    """Returns (problem, output); no problem where all is as the page says."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**ENVIRONMENT, "ATTN_CACHE_DIR": str(Path(folder) / "cache")}  # never the user's
        start = run_python if program.kind == "python" else run_command
        code, output = start(program, Path(folder), environment)
        output = output.replace(f"{folder}/", "")
    if code is None:
        return f"no end after {TIMEOUT_SECONDS} s", output
    if code != 0:
        return f"exit code {code}", output
    if program.expected and not is_printed(program.expected, output.rstrip("\n").splitlines()):
        return "prints something else than the page says", output
    return "", output


def check(document: Path):
    """Runs the programs of a page in order, since commands use what those before have made: whether all is well with
    each, and what is said of it."""
    found = []
    for program in programs(document.read_text()):
        problem, output = run(program)
        shown = "python program" if program.kind == "python" else program.text.strip()
        place = f"{document.relative_to(ROOT)}:{program.line}"
        said = f"{'FAILED' if problem else 'ok    '} {place}: {shown}"
        if problem:
            said = "\n  ".join([said, f"  {problem}; it printed", *output.splitlines()[-40:]])
        found.append((not problem, said))
    return found


def main():
    all_well = True
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(check, documents()):
            for well, said in found:
                all_well &= well
                print(said, flush=True)
    return not all_well


if __name__ == "__main__":
    sys.exit(main())
