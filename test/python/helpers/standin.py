"""Runs checks under the real torch_npu, on attn's stand-in for the CANN runtime, in processes of their own.

A file of checks (`standin_*_checks.py`) has functions named `check_...`. A test runs those of a file in one process, as
its subtests. What ends a process, or leaves its queue dead, has a process of its own. Processes are forks of one that has
imported torch_npu and done nothing with it, since the import takes longer than most checks.
The stand-in is taken only here, on request, and never where CANN is installed: docs/Runtime.md says what such a test
can and cannot show.
"""

import contextlib
import ctypes
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import vendor
from prepared import Prepared, serve
from repository import ROOT

FOLDER = ROOT / "build" / "standin"
LIBRARIES = ("ascendcl", "hccl", "acl_op_compiler", "ge_runner", "graph", "acl_tdt_channel", "opapi")
PROCESS_SECONDS = 600
"""So long a process may take; most take a few seconds on an idle machine."""


# Variables that must not reach a process of checks: they would change how torch_npu looks for its libraries.
_FOREIGN = ("ASCEND_", "LD_PRELOAD", "TASK_QUEUE_ENABLE")
# The program named bisheng that compiles emitted text for the modelled chip; only these processes have it in PATH.
TOOLCHAIN = ROOT / "test" / "toolchain" / "bin"


def _path():
    return f"{TOOLCHAIN}{os.pathsep}{os.environ.get('PATH', '')}"


class Outcome:
    """How a process of checks ended: its exit code, what it wrote, and the outcome of each check by name."""

    def __init__(self, code: int, output: str, checks: dict):
        self.code = code
        self.output = output
        self.checks = checks

    def require_all(self, subtests, names):
        """Every check as a subtest."""
        for name in names:
            with subtests.test(check=name):
                self.require(name)

    def require(self, name: str):
        """AssertionError unless that check was run and went well; gives what it returned."""
        assert name in self.checks, f"the stand-in process (exit code {self.code}) never ended {name}:\n{self.output}"
        problem, value = self.checks[name]
        assert problem is None, f"under torch_npu on the stand-in:\n{problem}\n{self.output}"
        return value


def run(file: Path, *names: str, **environment: str):
    """Runs checks of a file in a process of their own: all of them, or those that are named."""
    vendor.require("torch-npu")
    assert FOLDER.is_dir(), "the stand-in is not built: scripts/build.sh builds it"
    with tempfile.TemporaryDirectory() as folder:
        report, output = Path(folder) / "report", Path(folder) / "output"
        code = _prepared().ask(
            str(file), str(report), names,
            output=output, environment={**_environment(), **environment}, seconds=PROCESS_SECONDS,
        )  # fmt: skip
        lines = report.read_text().splitlines() if report.exists() else []
        said = output.read_bytes().decode(errors="replace")
    checks = {name: (problem, value) for name, problem, value in map(json.loads, lines)}
    return Outcome(code, said, checks)


def run_start(**environment: str):
    """Starts a new process up to where checks would begin; gives its exit code and what it wrote."""
    done = subprocess.run(
        [sys.executable, __file__], env={**_environment(), **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PROCESS_SECONDS, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def _environment():
    """That of processes of checks."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    folders = Path(__file__).parent, ROOT / "scripts"
    return {**inherited, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PATH": _path()}


@functools.cache
def _prepared():
    return Prepared(__file__, _environment())


def names_of(file: Path):
    """The checks of a file, without importing it: it needs torch_npu."""
    lines = file.read_text().splitlines()
    return [line[4:].split("(")[0] for line in lines if line.startswith("def check_")]


# In the process of the checks


@functools.cache
def start():
    """Puts the stand-in in the place of CANN's libraries and imports torch_npu; returns the stand-in."""
    import torch  # noqa: F401  torch_npu needs it, and finds its libraries

    if os.environ.get("ASCEND_HOME_PATH") or _is_installed("libascendcl.so"):
        raise RuntimeError("CANN is installed here: the stand-in does not take its place")
    first, *_ = [ctypes.CDLL(str(FOLDER / f"lib{name}.so")) for name in LIBRARIES]
    sys.path.insert(0, str(vendor.require("torch-npu")))
    import torch_npu  # noqa: F401

    first.attn_standin_count.restype = ctypes.c_uint64
    first.attn_standin_description.restype = ctypes.c_char_p
    first.attn_standin_last_kernel.restype = ctypes.c_char_p
    first.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return first


def _is_installed(library: str):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def count(entry_point: str):
    """How often an entry point of the stand-in was called."""
    return start().attn_standin_count(entry_point.encode())


def to_npu(tensor):
    """A tensor of the same shape and strides on the NPU: its whole storage is copied, and viewed there."""
    storage = tensor.as_strided((tensor.untyped_storage().nbytes() // tensor.element_size(),), (1,), 0)
    return storage.to("npu").as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def last_arguments():
    """The bytes of the last launch's arguments, with what lay after them."""
    buffer = ctypes.create_string_buffer(4096)
    size = start().attn_standin_last_arguments(buffer, ctypes.c_size_t(len(buffer)))
    return buffer.raw[:size]


def median_microseconds(call, count=60):
    """The host time of a call; the device works on meanwhile."""
    import torch

    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    torch.npu.synchronize()
    return round(sorted(times)[count // 2] * 1e6, 1)


def _drain():
    """Waits for what a check has left in the queue: torch_npu ends the process with the interpreter's lock held, for
    which a Python function in its queue would wait for ever."""
    import torch

    with contextlib.suppress(RuntimeError):
        torch.npu.synchronize()


def _run_checks(file: str, report: str, names):
    """Runs checks of a file, all or some, and reports each as it ends."""
    sys.path.insert(0, str(Path(file).parent))  # its neighbours
    module = importlib.import_module(Path(file).stem)
    with open(report, "a") as lines:
        for name in names or names_of(Path(file)):
            problem = value = None
            begin = time.perf_counter()
            try:
                value = getattr(module, name)()
            except Exception:
                problem = traceback.format_exc()
            _drain()
            seconds = time.perf_counter() - begin
            print(f"stand-in: {name} {'failed' if problem else 'done'} in {seconds:.2f} s", flush=True)
            print(json.dumps([name, problem, value]), file=lines, flush=True)


if __name__ == "__main__":
    sys.modules["standin"] = sys.modules["__main__"]
    sys.exit(serve(start, _run_checks))
