"""Importing the package is light: neither PyTorch nor the native module comes with it."""

import json
import subprocess
import sys


def loaded_after(program: str):
    """The names of the modules that are loaded when a program has run."""
    program += "\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_is_light():
    loaded = loaded_after("import attn\nimport attn.language as at\nimport kernels_dsl.attn_res")
    assert not loaded & {"torch", "numpy", "attn._core"}


def test_compiling_needs_no_torch():
    loaded = loaded_after("""
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
    try:
        attn.no_such_name
    except AttributeError as error:
        assert "no_such_name" in str(error)
    else:
        raise AssertionError("an unknown name must raise")
