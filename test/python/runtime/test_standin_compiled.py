"""Kernels compiled ahead of time, called on NPU tensors under the real torch_npu on the stand-in; hidden arguments too.

Objects come from the stand-ins for the vendor's compilers: those of AscendC run on the modelled chip, those of HIVM are
the text that the vendor's own bishengir-opt has prepared, whose launches are checked and not executed.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import standin
import vendor
from catalogue import compile_kernel
from repository import ROOT

CHECKS = Path(__file__).with_name("standin_compiled_checks.py")
# As in the catalogue; every kind of argument and result is among them.
OBJECTS = {
    "attn_res_bwd-launches": "bf16",
    "attn_res_bwd-list": "f16",
    "neighborhood_bwd-carried": "f32",
    "neighborhood_fwd-dilated": "f16",
}


def _with_sync_base(folder):
    """An object of a text that takes the arguments of the HIVM route: AscendC with the sync base in front."""
    artefact = compile_kernel("attn_res_bwd-streaming", "f32")
    text, source, output = artefact.ascendc, folder / "with_base.asc", folder / "with_base.o"
    assert text.count("void attn_res_bwd(") == 1
    source.write_text(text.replace("void attn_res_bwd(", "void attn_res_bwd([[maybe_unused]] uint64_t sync_base, "))
    subprocess.run([ROOT / "build" / "bin" / "attn-sim", source, f"--build-twin={output}"], check=True)
    about = dict(
        file=output.name,
        hash=f"sha256:{hashlib.sha256(output.read_bytes()).hexdigest()}",
        form="object",
        route="hivm",
        toolchain="stand-in",
        command=["attn-sim"],
    )
    output.with_suffix(".json").write_text(artefact.sidecar.replace(object=about).json())


def _by_hivm(folder):
    """An object by the vendor's bishengir-opt and the stand-in for hivmc."""
    tools = folder / "toolkit" / "tools" / "bishengir" / "bin"
    tools.mkdir(parents=True)
    (tools / "bishengir-opt").symlink_to(vendor.bishengir_tool("bishengir-opt"))
    (tools / "hivmc").symlink_to(standin.TOOLCHAIN / "hivmc")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASCEND_HOME_PATH", str(folder / "toolkit"))
        compile_kernel("attn_res_bwd-streaming", "f32").build(folder / "hivm.o", via="hivm")


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """A folder of objects with their sidecars."""
    vendor.require("torch-npu")
    folder = tmp_path_factory.mktemp("objects")
    bisheng = standin.TOOLCHAIN / "bisheng"
    for name, dtype in OBJECTS.items():
        compile_kernel(name, dtype).build(folder / f"{name}.o", bisheng=bisheng)
    command = [sys.executable, "-m", "attn", "compile", str(ROOT / "kernels_dsl" / "attn_res.py"), "--kernel"]
    command += ["attn_res_fwd", "--dtype", "f32", "--const", "D=64", "--object", "yes", "--bisheng", str(bisheng)]
    subprocess.run([*command, "-o", str(folder)], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    product = ROOT / "test" / "Simulator" / "AscendC" / "Inputs" / "product.mlir"
    command = [ROOT / "build" / "bin" / "attn-opt", product, "--emit=object", f"--bisheng={bisheng}"]
    subprocess.run([*command, "-o", folder / "product.o"], check=True)
    command[1] = ROOT / "test" / "Simulator" / "IR" / "Inputs" / "mixed.mlir"
    subprocess.run([*command, "-o", folder / "mixed.o"], check=True)
    _with_sync_base(folder)
    _by_hivm(folder)
    return str(folder)


def test_compiled_kernels_on_the_standin(objects, subtests):
    outcome = standin.run(CHECKS, STANDIN_OBJECTS=objects)
    outcome.require_all(subtests, standin.names_of(CHECKS))
    assert outcome.require("check_results_are_those_of_the_chip_ir") == sorted(OBJECTS)


@pytest.mark.parametrize("mode", ["0", "1", "2"])
def test_launch_of_hivm_is_taken_by_the_standin(objects, mode):
    name = "hivm_launch_is_taken"
    standin.run(CHECKS, name, STANDIN_OBJECTS=objects, TASK_QUEUE_ENABLE=mode).require(name)


def test_standin_refuses_mistakes_with_hidden_arguments(objects):
    name = "hivm_mistakes_with_the_sync_base_are_refused"
    standin.run(CHECKS, name, STANDIN_OBJECTS=objects, TASK_QUEUE_ENABLE="0").require(name)
