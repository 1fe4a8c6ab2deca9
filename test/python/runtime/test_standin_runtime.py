"""The stand-in for the CANN runtime: that the real torch_npu runs on it, that its signatures are the vendor's, and that
it refuses what it does not have."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import standin
import vendor
from repository import ROOT

CHECKS = Path(__file__).with_name("standin_runtime_checks.py")
SOURCES = ROOT / "test" / "standin"
LAUNCHER = ROOT / "python" / "launcher"
CLANG = shutil.which("clang++-22") or "clang++"


def test_torch_npu_on_the_standin(subtests):
    standin.run(CHECKS).require_all(subtests, standin.names_of(CHECKS))


def test_host_access_to_memory_of_the_standin_crashes():
    crashed = standin.run(CHECKS, "crash_by_following_a_device_pointer")
    assert crashed.code == -11 and "first byte" not in crashed.output, crashed.output


def test_operators_that_the_standin_lacks_fail_by_name():
    standin.run(CHECKS, "missing_operator_is_named").require("missing_operator_is_named")


def test_standin_refuses_to_take_the_place_of_cann(tmp_path):
    """Started where the environment names a toolkit, a process ends before anything was loaded."""
    code, output = standin.run_start(ASCEND_HOME_PATH=str(tmp_path))
    assert code == 1 and "the stand-in does not take its place" in output


# Signatures


def _compile(file, *defines, text=None):
    headers = vendor.require("torch-npu") / "torch_npu" / "include"
    command = [CLANG, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command += [f"-I{ROOT / 'include'}", f"-I{SOURCES}", f"-I{LAUNCHER}", "-isystem", str(headers), *defines]
    command += ["-x", "c++", "-" if text else str(file)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


# Refusals take no arguments, and the operators' own headers are not in the wheel.
CHECKED = sorted({*SOURCES.glob("*.cpp")} - {SOURCES / "Refusals.cpp", SOURCES / "Operators.cpp"})


@pytest.mark.parametrize("file", [*CHECKED, LAUNCHER / "Acl.cpp", LAUNCHER / "Kernel.cpp"], ids=lambda file: file.stem)
def test_signatures_of_standin_and_launcher_are_the_vendors(file):
    compiled = _compile(file, "-DATTN_VENDOR_HEADERS")
    assert compiled.returncode == 0, compiled.stderr


@pytest.mark.parametrize(
    "file, right, wrong",
    [
        (SOURCES / "Device.cpp", "aclrtGetMemInfo(aclrtMemAttr attr", "aclrtGetMemInfo(int attr"),
        (SOURCES / "Launch.cpp", "aclrtBinaryUnLoad(aclrtBinHandle binHandle)", "aclrtBinaryUnLoad(int binHandle)"),
        (LAUNCHER / "Acl.cpp", "namespace {", "ATTN_CHECK_SIGNATURE(aclrtGetSocName, char *())\nnamespace {"),
    ],
    ids=["enum", "handle", "launcher"],
)
def test_wrong_signature_of_the_standin_does_not_compile(file, right, wrong):
    text = file.read_text()
    assert right in text
    compiled = _compile(file, "-DATTN_VENDOR_HEADERS", text=text.replace(right, wrong))
    assert compiled.returncode != 0


def test_standin_has_every_symbol_that_torch_npu_links():
    """Those of the vendor's libraries that no other library in the process defines."""
    folder = vendor.require("torch-npu") / "torch_npu" / "lib"
    wanted = set()
    for library in ("libtorch_npu.so", "libtensorpipe.so"):
        listing = subprocess.run(
            ["nm", "-D", "--undefined-only", "--format=just-symbols", str(folder / library)],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        wanted |= {name for name in listing.split() if name.startswith(("acl", "Hccl", "Msprof", "rt"))}
    assert len(wanted) >= 75, sorted(wanted)
    library = ctypes.CDLL(str(standin.FOLDER / "libascendcl.so"))
    assert not [name for name in sorted(wanted) if not hasattr(library, name)]
