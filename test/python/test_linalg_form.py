"""The form of triton-ascend: the vendor's bishengir-compile takes every kernel up to its call of hivmc.

hivmc is not published. A script in its place keeps what it is handed, which shows that the whole front half of the
vendor's compiler went through; it says nothing about hivmc itself.
"""

import subprocess

import catalogue
import pytest
import vendor

# The vendor plans memory itself, and takes about twelve times what our plan does for these: tiles made for a smaller chip fit.
ROOM = {"neighborhood_bwd": "Ascend910B4:ub_bytes=16384"}

# Cores that meet and lists of tensors are the vendor's own ops, which this form does not have yet.
WITHOUT_FORM = [name for name in catalogue.KERNELS if name.startswith("attn_res_bwd") and "frozen" not in name]
WITHOUT_FORM += ["attn_res_fwd-list"]

FLAGS = ("--enable-hfusion-compile=true", "--enable-hivm-compile=true", "--enable-triton-kernel-compile=true")
HIVMC = '#!/bin/sh\n[ "$1" = --version ] && exit 0\ncp "$1" "{handed}"\n'


@pytest.fixture
def hivmc(tmp_path):
    """The file that hivmc is handed, once it was called, and the PATH to find it by."""
    handed, script = tmp_path / "handed.mlir", tmp_path / "bin" / "hivmc"
    script.parent.mkdir()
    script.write_text(HIVMC.format(handed=handed))
    script.chmod(0o755)
    return handed, f"{script.parent}:/usr/bin:/bin"


def hand_over(artefact, tmp_path, hivmc):
    """What hivmc gets of a kernel."""
    source = tmp_path / "kernel.mlir"
    source.write_text(artefact.ir("linalg"))
    handed, path = hivmc
    command = [vendor.bishengir_tool("bishengir-compile"), source, "--target=Ascend910B4", *FLAGS, "-o", tmp_path / "out"]
    run = subprocess.run(command, capture_output=True, text=True, env={"PATH": path}, cwd=tmp_path)
    assert handed.is_file(), run.stdout[-2000:] + run.stderr[-2000:]
    return handed.read_text()


@pytest.mark.parametrize("dtype", catalogue.DTYPES)
@pytest.mark.parametrize("name", [name for name in catalogue.KERNELS if name not in WITHOUT_FORM])
def test_the_vendor_takes_the_kernel(name, dtype, tmp_path, hivmc):
    artefact = catalogue.compile_kernel(name, dtype, ROOM.get(name.split("-")[0], "Ascend910B4"))
    text = hand_over(artefact, tmp_path, hivmc)
    assert f"func.func @{artefact.name}(" in text
    assert "hivm.hir.pipe_barrier" in text
