#!/usr/bin/env python3
"""Runs every check of the project, also after a failure, and ends with totals.

The last line reads `N passed, N failed, N skipped`. A part that is one command counts as one; lit and pytest count
their tests. Parts that need the build are skipped when it fails.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"
TIMEOUT_SECONDS = 2400  # per part: a hang becomes a failure

LIT_PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def run(*command):
    """Runs a command from the root and returns its exit code."""
    sys.stdout.flush()
    try:
        return subprocess.run([str(word) for word in command], cwd=ROOT, timeout=TIMEOUT_SECONDS).returncode
    except subprocess.TimeoutExpired:
        print(f"no end after {TIMEOUT_SECONDS} s")
        return 1


def one(*command):
    return Counter(passed=1) if run(*command) == 0 else Counter(failed=1)


def with_exit_code(counts: Counter, code: int):
    """A part that failed without a failed test (a crash, nothing found) still counts as a failure."""
    if code != 0 and not counts["failed"]:
        counts["failed"] = 1
    return counts


def run_lit(build: Path):
    report = build / "lit-results.json"
    report.unlink(missing_ok=True)
    jobs = os.environ.get("JOBS") or os.cpu_count()
    code = run(sys.executable, LIT, "-sv", "--no-progress-bar", "-j", jobs, "--output", report, build / "test")
    counts: Counter[str] = Counter()
    for test in json.loads(report.read_text())["tests"] if report.is_file() else ():
        kind = test["code"]
        counts["passed" if kind in LIT_PASSED else "skipped" if kind in LIT_SKIPPED else "failed"] += 1
    return with_exit_code(counts, code)


def run_pytest(build: Path):
    report = build / "pytest-results.xml"
    report.unlink(missing_ok=True)
    options = ["-q", "-n", "2", "--dist=worksteal", f"--junitxml={report}"]
    code = run(sys.executable, "-m", "pytest", "test/python", *options)
    counts: Counter[str] = Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite") if report.is_file() else ():
        tests, failures, errors, skipped = (
            int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
        )
        failed = failures + errors
        counts.update(passed=tests - failed - skipped, failed=failed, skipped=skipped)
    return with_exit_code(counts, code)


VENDOR = "vendor packages"


def start_fetching():
    """Fetches what only tests use; the build, which runs meanwhile, does not need it."""
    return subprocess.Popen([ROOT / "scripts" / "vendor.sh"], cwd=ROOT)


def end_fetching(process: subprocess.Popen):
    try:
        return Counter(failed=1) if process.wait(TIMEOUT_SECONDS) else Counter(passed=1)
    except subprocess.TimeoutExpired:
        process.kill()
        return Counter(failed=1)


def parts(preset: str, fetching=None):
    """Name -> (what to run, whether it needs the build), in order."""
    build = ROOT / ("build" if preset == "release" else f"build-{preset}")
    script = lambda name, *arguments: one(sys.executable, f"scripts/{name}", *arguments)  # noqa: E731
    return {
        "build": (lambda: one("scripts/build.sh", preset), False),
        VENDOR: (lambda: end_fetching(fetching), False),
        "lit": (lambda: run_lit(build), True),
        "pytest": (lambda: run_pytest(build), True),
        "include direction": (lambda: script("check_includes.py"), False),
        "instruction names": (lambda: script("check_ops.py"), False),
        "chip numbers": (lambda: script("check_numbers.py"), False),
        "generated docs": (lambda: script("generate_docs.py", "--check"), False),
        "format": (lambda: one("scripts/format.sh", "--check"), False),
        "python lint": (lambda: one(sys.executable, "-m", "ruff", "check", "--quiet", "."), False),
        "python types": (lambda: one(sys.executable, "-m", "mypy"), False),
        "words": (lambda: script("check_words.py"), False),
        "whitespace": (lambda: script("check_whitespace.py"), False),
        "shown commands": (lambda: script("check_docs.py"), True),
    }


def print_totals(results, total):
    columns = ("passed", "failed", "skipped")
    print(f"\n{'':20}{'passed':>8}{'failed':>8}{'skipped':>8}{'seconds':>9}")
    for name, (counts, seconds) in results.items():
        print(f"{name:20}" + "".join(f"{counts[column]:8}" for column in columns) + f"{seconds:9.1f}")
    print()
    print(", ".join(f"{total[column]} {column}" for column in columns))


def main():
    known = list(parts("release"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="release", choices=["release", "debug", "asan"])
    parser.add_argument("--only", action="append", choices=known, help="run this part; may be repeated")
    options = parser.parse_args()
    wanted = options.only or known
    fetching = start_fetching() if VENDOR in wanted else None
    results, built = {}, True
    for name, (action, needs_build) in parts(options.preset, fetching).items():
        if name not in wanted:
            continue
        start = time.monotonic()
        print(f"\n=== {name}", flush=True)
        if needs_build and not built:
            print("skipped: the build failed")
            counts = Counter(skipped=1)
        else:
            counts = action()
        if name == "build":
            built = not counts["failed"]
        results[name] = (counts, time.monotonic() - start)
    total = sum((counts for counts, _ in results.values()), Counter())
    print_totals(results, total)
    return int(total["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
