"""Calls with random shapes, strides, numbers and mistakes, by a process of their own: it must not die, nor hang.

ATTN_FUZZ_CALLS says how many, ATTN_FUZZ_START which is the first.
"""

import os
import subprocess
import sys

import repository

START = int(os.environ.get("ATTN_FUZZ_START", "1"))
CALLS = int(os.environ.get("ATTN_FUZZ_CALLS", "2000"))


def test_no_call_kills_the_process(tmp_path):
    place = tmp_path / "place"
    helpers = repository.ROOT / "test" / "python" / "helpers"
    command = [sys.executable, helpers / "call_fuzz.py", f"--start={START}", f"--calls={CALLS}", f"--place={place}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    at = place.read_text() if place.exists() else "none yet"
    assert run.returncode == 0, f"exit code {run.returncode} at call {at}\n{run.stdout}{run.stderr}"
    print(run.stdout, end="")
