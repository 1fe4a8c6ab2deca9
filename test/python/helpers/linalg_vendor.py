"""The linalg form of a kernel through the vendor's bishengir-compile, up to its call of hivmc.

hivmc is not published. A script in its place keeps what it is handed, which shows that the whole front half of the
vendor's compiler went through; it says nothing about hivmc itself.
"""

import subprocess

import vendor

FLAGS = ("--enable-hfusion-compile=true", "--enable-hivm-compile=true", "--enable-triton-kernel-compile=true")
HIVMC = '#!/bin/sh\n[ "$1" = --version ] && exit 0\ncp "$1" "{handed}"\n'


def hand_over(artefact, folder):
    """What hivmc gets of a kernel."""
    handed, script, source = folder / "handed.mlir", folder / "bin" / "hivmc", folder / "kernel.mlir"
    script.parent.mkdir()
    script.write_text(HIVMC.format(handed=handed))
    script.chmod(0o755)
    source.write_text(artefact.ir("linalg"))
    command = [vendor.bishengir_tool("bishengir-compile"), source, "--target=Ascend910B4", *FLAGS, "-o", folder / "out"]
    path = f"{script.parent}:/usr/bin:/bin"
    run = subprocess.run(command, capture_output=True, text=True, env={"PATH": path}, cwd=folder)
    assert handed.is_file(), run.stdout[-2000:] + run.stderr[-2000:]
    return handed.read_text()
