"""Figures over fresh processes: a benchmark calls itself with `--child`, and the child prints its figures as JSON."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def in_process(script: str, *arguments):
    """The figures of one process, by name."""
    command = [sys.executable, str(Path(script).resolve()), "--child", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def lower_quartile(values):
    return statistics.quantiles(values, n=4)[0] if len(values) > 1 else values[0]


def over_processes(script: str, count: int, *arguments):
    """The lower quartile of each figure over `count` processes, after one that warms the page cache."""
    in_process(script, *arguments)
    rows = [in_process(script, *arguments) for _ in range(count)]
    return {name: lower_quartile([row[name] for row in rows]) for name in rows[0]}


def print_row(name: str, seconds: float, limit: float | None = None):
    """A figure in milliseconds, and whether it keeps its limit; gives that."""
    keeps = limit is None or seconds <= limit
    verdict = "" if limit is None else f"  limit {limit * 1e3:6.0f} ms  {'ok' if keeps else 'OVER'}"
    print(f"  {name:<34}{seconds * 1e3:9.2f} ms{verdict}")
    return keeps
