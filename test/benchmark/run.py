"""Runs every benchmark of this folder, each in a process of its own, and says which missed its goal."""

import subprocess
import sys
from pathlib import Path


def main():
    missed = []
    for script in sorted(Path(__file__).parent.glob("*.py")):
        if script.name == Path(__file__).name:
            continue
        print(f"\n=== {script.stem}", flush=True)
        if subprocess.run([sys.executable, script]).returncode != 0:
            missed.append(script.stem)
    print(f"\nmissed its goal: {', '.join(missed)}" if missed else "\nevery goal is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
