"""Importing the package is light and quick: neither PyTorch nor the native modules come with it."""

import json
import re
import statistics
import subprocess
import sys

import pytest


def loaded_after(program: str):
    """The names of the modules that are loaded when a program has run."""
    program += "\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_is_light():
    loaded = loaded_after("import attn\nimport attn.language as at\nimport kernels_dsl.attn_res")
    assert not loaded & {"torch", "numpy", "attn._core", "attn._host", "attn.frontend", "ast", "inspect"}


def test_import_maps_no_libraries():
    program = "import attn, attn.language, kernels_dsl.attn_res\nprint(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert not re.search("libMLIR|libLLVM|libtorch|libstdc", maps)


def test_import_is_quick():
    """Measured 15 ms; the goal of 50 ms is held by the benchmark, and a busy machine gets more time here."""
    program = "import time\nstart = time.process_time()\nimport attn\nprint(time.process_time() - start)"
    taken = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    assert statistics.median(taken) < 0.1


def test_compiling_needs_no_torch():
    loaded = loaded_after("""
import os
os.environ["ATTN_CACHE"] = "0"
import attn
import attn.language as at
from kernels_dsl.attn_res import attn_res_fwd
weight = at.spec("64", at.f32)
attn.dump(attn_res_fwd, stage="source", V=at.spec("? ? 64", at.f32), wq=weight, wn=weight)
""")
    assert "attn._core" in loaded and "torch" not in loaded


def test_public_names():
    import attn

    assert set(attn.__all__) <= set(dir(attn))
    for name in attn.__all__:
        assert getattr(attn, name).__doc__
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = attn.no_such_name
