"""Objects by HIVM: the vendor's bishengir-opt prepares our text, and a stand-in takes the place of hivmc, which is not published."""

import re

import pytest

import attn
import vendor
from catalogue import KERNELS, compile_kernel
from repository import ROOT

HIVMC = ROOT / "test/toolchain/bin/hivmc"


@pytest.fixture(autouse=True)
def toolkit(monkeypatch, tmp_path):
    """A toolkit with the vendor's own bishengir-opt and the stand-in for hivmc."""
    folder = tmp_path / "toolkit" / "tools" / "bishengir" / "bin"
    folder.mkdir(parents=True)
    (folder / "bishengir-opt").symlink_to(vendor.bishengir_tool("bishengir-opt"))
    (folder / "hivmc").symlink_to(HIVMC)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "toolkit"))
    return folder


@pytest.mark.parametrize("name", ["attn_res_fwd-streaming", "attn_res_bwd-streaming", "neighborhood_bwd-carried"])
def test_standin_object(tmp_path, name):
    made = compile_kernel(name, "bf16").build(tmp_path / "k.o", via="hivm")
    about = made.data["object"]
    assert about["route"] == "hivm" and about["toolchain"].startswith("stand-in for hivmc")
    assert about["command"][:2] == ["bishengir-opt", f"{made.name}.hivm.mlir"] and "hivmc" in about["command"]
    text = made.check_object(tmp_path / "k.o").decode()
    # The function that is handed over takes as many arguments as the sidecar lists for this route.
    for launch in made.launches:
        (arguments,) = re.findall(rf"func\.func @{launch['symbol']}\((.*?)\) attributes", text)
        assert len(re.findall(r"%\w+: ", arguments)) == len(made.arguments("hivm"))
    hidden = [argument["name"] for argument in made.arguments("hivm") if argument["kind"] == "hidden"]
    assert hidden == (["sync_base"] if KERNELS[name][0].__name__ == "attn_res_bwd" else [])


def test_errors_of_the_vendors_pass(tmp_path, toolkit):
    """bishengir-opt does not know the chip: its message comes out, with the command and the kept text."""
    (toolkit / "bishengir-opt").unlink()
    script = toolkit / "bishengir-opt"
    script.write_text("#!/bin/sh\necho '<unknown>:0: error: unknown target' >&2\nexit 1\n")
    script.chmod(0o755)
    with pytest.raises(
        attn.CompileError, match="bishengir-opt failed with exit code 1; the source is kept as .*hivm.mlir"
    ):
        compile_kernel("attn_res_fwd-resident", "f32").build(tmp_path / "k.o", via="hivm")
    assert not list(tmp_path.glob("k.*"))


def test_no_library_by_hivm(tmp_path):
    with pytest.raises(attn.CompileError, match="a self-registering library is built by AscendC only"):
        compile_kernel("attn_res_fwd-resident", "f32").build(tmp_path / "k.so", form="shared", via="hivm")


def test_one_launch_per_object(tmp_path):
    with pytest.raises(attn.CompileError, match="takes one kernel per HIVM text, and 'attn_res_bwd' has one for each"):
        compile_kernel("attn_res_bwd-launches", "f32").build(tmp_path / "k.o", via="hivm")


def test_without_hivmc(tmp_path, toolkit, monkeypatch):
    (toolkit / "hivmc").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        attn.CompileError, match="CANN found at .*toolkit but no hivmc compiler: runtime-only installation?"
    ):
        compile_kernel("attn_res_fwd-resident", "f32").build(tmp_path / "k.o", via="hivm")
