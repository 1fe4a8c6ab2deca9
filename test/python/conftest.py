"""What is printed at the start and the end of a run, a cache of its own for each run, and how kernels are compiled."""

import os
import random
import shutil
import tempfile

import pytest

import attn
from sweeps import WHOLE, in_part

# Two workers, each with as many threads as there are cores: where PyTorch's threads wait by spinning, they take the time of
# those that work. Read when PyTorch is loaded, which is later.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def pytest_report_header():
    start, count = os.environ.get("ATTN_RANDOM_START", "1"), os.environ.get("ATTN_RANDOM_COUNT", "500")
    return f"random programs: {count} from ATTN_RANDOM_START={start}"


def pytest_configure(config):
    """Compiled kernels never go to, or come from, the user's cache. The workers of a run share one, and the seed of random
    products, of which each takes a part."""
    if not hasattr(config, "workerinput"):
        os.environ.setdefault("ATTN_PRODUCT_SEED", str(random.randrange(1, 2**31)))
        folder = tempfile.mkdtemp(prefix="attn-cache-")
        os.environ["ATTN_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_modifyitems(config, items):
    """Of a test that is a sweep over names and types, some cases are enough for a change; `make stress` has all."""
    sweeps: dict[str, list] = {}
    for item in items:
        if item.get_closest_marker("sweep"):
            sweeps.setdefault(item.nodeid.split("[")[0], []).append(item)
    left_out = {case for cases in sweeps.values() for case in set(cases).difference(in_part(cases))}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def optimization(request, monkeypatch):
    """Kernels for the CPU are optimised where a test is about how they run, and everywhere by `make stress`: LLVM takes much
    of the time of a small kernel. Our own lowering is the same in both, and processes that a test starts follow it."""
    mark = request.node.get_closest_marker("optimized")
    is_optimized = WHOLE or (mark is not None and mark.args != (False,))
    monkeypatch.setattr(attn.config, "optimize_cpu", is_optimized)
    monkeypatch.setenv("ATTN_OPTIMIZE_CPU", str(int(is_optimized)))


def pytest_terminal_summary(terminalreporter):
    """What tests on the stand-in for the CANN runtime have measured; their names say so."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name.startswith("stand-in"):
                terminalreporter.line(f"{name}: {value}")
