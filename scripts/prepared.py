"""A process that has imported what takes long to import, and answers each request in a fork of itself.

PyTorch alone takes longer to import than most that a test, or a program of the documentation, does with it. A fork
shares nothing with those before it: it has an environment, an output and an end of its own.
"""

import json
import os
import signal
import subprocess
import sys
import threading


class Prepared:
    """The process, which runs a Python file that calls `serve`. It ends with this one, which closes its input."""

    def __init__(self, file, environment: dict[str, str], cwd=None):
        self._file, self._environment, self._cwd = file, environment, cwd
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None

    def ask(self, *arguments, output, environment: dict[str, str], seconds: int):
        """Has the arguments, which JSON can hold, acted on; returns the exit code, negative for a signal: SIGALRM
        after so many seconds. What the fork prints is written to a file."""
        request = json.dumps([arguments, str(output), environment, seconds])
        with self._lock:
            if self._process is None:
                self._process = subprocess.Popen(
                    [sys.executable, str(self._file)], cwd=self._cwd, env=self._environment,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )  # fmt: skip
            assert self._process.stdin and self._process.stdout
            print(request, file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
            if not answer:
                raise RuntimeError(f"'{self._file}' ended with exit code {self._process.wait()}")
        return int(answer)


def serve(prepare, act):
    """Prepares, and answers requests until there are no more. In a fork, returns what `act` gives for the arguments,
    its exit code."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries may print something while they are imported
    prepare()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            arguments, output, environment, seconds = json.loads(line)
            _enter(output, environment, seconds)
            return act(*arguments)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
    return 0


def _enter(output: str, environment: dict[str, str], seconds: int):
    """Makes a fork what a new process would be."""
    signal.alarm(seconds)  # ends the process, whatever hangs
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    written = os.open(output, os.O_WRONLY | os.O_CREAT, 0o644)
    os.dup2(written, 1)
    os.dup2(written, 2)
