"""The check that analyses and passes of the ascend dialect name no instruction: it catches planted ones."""

import subprocess
import sys
from pathlib import Path

import pytest

import check_ops
from repository import ROOT

ANALYSIS = "lib/Dialect/Ascend/Analysis/SyncPlan.cpp"


def check_text(root: Path, file: str, text: str):
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return check_ops.check(root)


def test_this_repository_is_clean():
    assert check_ops.check(ROOT) == []


@pytest.mark.parametrize(
    "text",
    [
        "if (isa<CopyInOp>(op))",
        "auto fill = dyn_cast<ascend::DuplicateOp>(op);",
        "kernel.walk([&](MulAddOp op) {",
        "using Load = CopyInOp;",
    ],
)
@pytest.mark.parametrize(
    "file",
    [ANALYSIS, "include/attn/Dialect/Ascend/Analysis/SyncPlan.h", "lib/Dialect/Ascend/Transforms/GroupLoads.cpp"],
)
def test_planted_instruction_is_found(tmp_path, file, text):
    (violation,) = check_text(tmp_path, file, f"// A comment.\n{text}\n")
    assert violation.startswith(f"{file}:2: names the instruction ")


@pytest.mark.parametrize(
    "text",
    [
        "auto loop = dyn_cast<scf::ForOp>(op);",
        "mlir::func::FuncOp kernel;",
        "AllocOp buffer = getBuffer(access.memory); // as a CopyInOp has",
        "auto instruction = dyn_cast<InstructionOpInterface>(op);",
        "template <typename FlagOp> LogicalResult verify(FlagOp flag);",
    ],
)
def test_structure_is_allowed(tmp_path, text):
    assert check_text(tmp_path, ANALYSIS, text) == []


@pytest.mark.parametrize("file", sorted(check_ops.EXPANSION))
def test_expansion_may_name_what_it_writes(tmp_path, file):
    assert check_text(tmp_path, file, "BinaryOp::create(builder);") == []
    assert (ROOT / file).is_file()


def test_command_fails_on_a_violation(tmp_path):
    check_text(tmp_path, ANALYSIS, "isa<BrcbOp>(op)")
    command = [sys.executable, ROOT / "scripts/check_ops.py", "--root", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1 and "BrcbOp" in run.stdout
