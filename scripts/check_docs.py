#!/usr/bin/env python3
"""Runs the commands and Python snippets that the documentation shows.

In README.md, CONTRIBUTING.md and docs/, each line of a fence marked `sh` is a command and each fence marked `python`
is a program; both run from the root. `make demo` runs; of other make commands only the
targets are looked up, since `make test` is what calls this. A fence marked `sh no-run` or `python no-run` is left out.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(sh|python)[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
TIMEOUT_SECONDS = 600
MAKE_VARIABLES = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the make that may have started this


def documents():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def commands(document: Path):
    """Yields (line, kind, text): kind `python`, `make` (only looked up) or `sh`."""
    text = document.read_text()
    for fence in FENCE.finditer(text):
        start = text.count("\n", 0, fence.start()) + 2
        if fence.group(1) == "python":
            yield start, "python", fence.group(2)
            continue
        body = fence.group(2).replace("\\\n", " ")  # a continued command is one command
        for offset, command in enumerate(body.splitlines()):
            words = shlex.split(command, comments=True)
            if words:
                looked_up = words[0] == "make" and words[1:] != ["demo"]
                yield start + offset, "make" if looked_up else "sh", command


def run(kind: str, text: str):
    """Returns (succeeded, output)."""
    environment = {name: value for name, value in os.environ.items() if name not in MAKE_VARIABLES}
    with tempfile.TemporaryDirectory() as folder:
        environment["ATTN_CACHE_DIR"] = str(Path(folder) / "cache")  # never the user's
        if kind == "python":
            # A file, because the source of a kernel is read from its file.
            snippet = Path(folder) / "snippet.py"
            snippet.write_text(text)
            argv = [sys.executable, str(snippet)]
        elif kind == "make":
            argv = ["make", "--dry-run", *shlex.split(text, comments=True)[1:]]
        else:
            argv = ["bash", "-euo", "pipefail", "-c", text]
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
            return False, f"no end after {TIMEOUT_SECONDS} s"
        return done.returncode == 0, done.stdout


def main():
    failed = 0
    for document in documents():
        for line, kind, text in commands(document):
            succeeded, output = run(kind, text)
            shown = "python snippet" if kind == "python" else text.strip()
            print(f"{'ok    ' if succeeded else 'FAILED'} {document.relative_to(ROOT)}:{line}: {shown}", flush=True)
            if not succeeded:
                failed += 1
                print("  " + "\n  ".join(output.splitlines()[-20:]))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
