"""The vendor's packages that tests use, where `scripts/vendor.sh` could fetch them.

Without a package its tests are skipped, with the reason; on a CI machine (CI=true) that is a failure.
"""

import os
from pathlib import Path

import pytest

from repository import ROOT

FOLDER = ROOT / ".vendor"
VERSIONS = {"ascendnpu-ir": "1.2.0", "torch-npu": "2.13.0"}


def require(name: str) -> Path:
    """The folder of a package, or a skipped test."""
    folder = FOLDER / f"{name}-{VERSIONS[name]}"
    if folder.is_dir():
        return folder
    reason = f"{folder.name} is not here: scripts/vendor.sh fetches it"
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason)
    pytest.skip(reason)


def bishengir_tool(name: str) -> Path:
    """A tool of the vendor's open compiler: bishengir-opt or bishengir-compile."""
    return require("ascendnpu-ir") / "ascendnpuir" / "bin" / name


def bishengir_templates(unit: str) -> Path:
    """The bitcode of the templates that vector kernels (aiv) or cube kernels (aic) call."""
    return require("ascendnpu-ir") / "ascendnpuir" / "lib" / f"meta_op.{unit}.bc"
