#!/usr/bin/env python3
"""Plants mistakes in the emitters, one at a time, and sees that the tests named for each turn red.

The list is in test/mistakes. A mistake that does not build is not caught, nor one whose tests end without a verdict.
The files are as before at the end, however it ends.
"""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LIT = "/usr/lib/llvm-22/bin/lit"
TIMEOUT_SECONDS = 600  # for the tests of one mistake

sys.path.insert(0, str(ROOT / "test" / "mistakes"))
from emitters import MISTAKES  # noqa: E402
from mistake import LostPlace, find, find_test  # noqa: E402


def run(*command):
    """Exit code and output of a command; no code where it does not end."""
    # CI: where the vendor's packages are missing, tests fail instead of being skipped.
    environment = {**os.environ, "CI": "true", "ATTN_WHOLE_MATRIX": "1"}
    try:
        done = subprocess.run(
            [str(word) for word in command], cwd=ROOT, env=environment, timeout=TIMEOUT_SECONDS,
            text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"no end after {TIMEOUT_SECONDS} s"
    return done.returncode, done.stdout


def is_lit(test: str):
    return test.endswith(".mlir")


def targets_of(tests):
    """What tests run that emits something."""
    lit = {"attn-opt"} if any(map(is_lit, tests)) else set()
    return lit | (set() if all(map(is_lit, tests)) else {"_core", "_launcher"})


def build(*targets):
    """What the build says where it fails."""
    settings = (BUILD / "CMakeCache.txt").read_text()
    (ninja,) = re.findall(r"^CMAKE_MAKE_PROGRAM:\w+=(.*)$", settings, re.MULTILINE)
    code, output = run(ninja, "-C", BUILD, *targets)
    return None if code == 0 else output


def run_tests(tests):
    """Whether they pass, and what they print. None for tests that end without a verdict, such as those not found."""
    tests = [find_test(test, ROOT) for test in tests]
    if is_lit(tests[0]):
        code, output = run(sys.executable, LIT, "-v", *(BUILD / test for test in tests))
    else:
        code, output = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    return {0: True, 1: False}.get(code), output


@contextlib.contextmanager
def planted(mistake):
    """The mistake is in its file meanwhile."""
    file, start, end = find(mistake, ROOT)
    original = file.read_bytes()
    text = original.decode()
    try:
        file.write_text(text[:start] + mistake.replacement + text[end:])
        yield
    finally:
        file.write_bytes(original)


def judge(mistake):
    """Why the mistake is not caught, and what was printed; no reason where it is."""
    if problem := build(*targets_of(mistake.tests)):
        return "does not build", problem
    printed = ""
    for test in mistake.tests:
        passed, output = run_tests([test])
        printed += output
        if passed is not False:
            return f"{'survives' if passed else 'no verdict of'} {test}", output
    return ("" if mistake.said in printed else f"nothing says '{mistake.said}'"), printed


def check_clean(mistakes):
    """Without mistakes, the files are those of git, and all tests are green."""
    files = sorted({find(mistake, ROOT).path for mistake in mistakes})
    code, output = run("git", "-c", "safe.directory=*", "status", "--porcelain", "--", *files)
    if code != 0 or output:
        sys.exit(f"these files have changes that a mistake would mix with:\n{output}")
    if problem := build():
        sys.exit(f"without mistakes the build fails:\n{problem}")
    tests = dict.fromkeys(test for mistake in mistakes for test in mistake.tests)
    for suite in ([test for test in tests if is_lit(test)], [test for test in tests if not is_lit(test)]):
        passed, output = run_tests(suite) if suite else (True, "")
        if not passed:
            sys.exit(f"without mistakes these tests are not green:\n{output}")


def choose(names):
    """The mistakes of that name, or whose name begins so; all without names. With their emitters."""
    pairs = [(emitter, mistake) for emitter, mistakes in MISTAKES.items() for mistake in mistakes]
    unknown = [name for name in names if not any(mistake.name.startswith(name) for _, mistake in pairs)]
    if unknown:
        sys.exit(f"no mistake is named {', '.join(unknown)}")
    return [pair for pair in pairs if not names or pair[1].name.startswith(tuple(names))]


def short(test: str):
    """A test without its folder."""
    file, colons, name = test.partition("::")
    return file.rpartition("/")[2] + colons + name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mistakes, or how their names begin; default: all")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    options = parser.parse_args()
    chosen = choose(options.names)
    if options.list:
        for emitter, mistake in chosen:
            print(f"{emitter:8} {mistake.name:32} {mistake.what}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        check_clean([mistake for _, mistake in chosen])
    except LostPlace as error:
        sys.exit(str(error))
    rows, failed = [], 0
    try:
        for emitter, mistake in chosen:
            start = time.monotonic()
            with planted(mistake):
                reason, printed = judge(mistake)
            seconds = time.monotonic() - start
            print(f"{mistake.name}: {reason or 'caught'} ({seconds:.0f} s)", flush=True)
            if reason:
                failed += 1
                print("\n".join(printed.splitlines()[-30:]), flush=True)
            caught = f"**{reason}**" if reason else ", ".join(f"`{short(test)}`" for test in mistake.tests)
            rows.append(f"| `{mistake.name}`: {mistake.what} | {emitter} | {caught} | {seconds:.0f} |")
    finally:
        print("building without mistakes", flush=True)
        problem = build()
    print("\n| mistake | emitter | caught by | seconds |\n|---|---|---|---|", *rows, sep="\n")
    print(f"\n{len(rows) - failed} caught, {failed} not")
    if problem:
        print(f"the build without mistakes fails:\n{problem}")
    return int(bool(failed or problem))


if __name__ == "__main__":
    sys.exit(main())
