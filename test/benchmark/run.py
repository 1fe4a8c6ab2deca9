"""Runs the benchmarks of this folder, one after the other, each in a process of its own: `make bench`.

A benchmark is a file with a `main`. Names on the command line choose some of them.
"""

import argparse
import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def find_benchmarks():
    """Files by name, in order."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        if path == Path(__file__).resolve():
            continue
        names = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        if "main" in names:
            found[path.stem] = path
    return found


def main():
    benchmarks = find_benchmarks()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(benchmarks)}; all without")
    names = parser.parse_args().names or list(benchmarks)
    unknown = [name for name in names if name not in benchmarks]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(benchmarks)}")
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, benchmarks[name]], cwd=FOLDER.parents[1]).returncode != 0:
            failed.append(name)
    if failed:
        sys.exit(f"failed, or short of its goal: {', '.join(failed)}")


if __name__ == "__main__":
    main()
