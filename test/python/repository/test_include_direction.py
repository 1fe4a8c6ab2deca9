"""The include-direction check itself: it accepts what the architecture allows and catches planted violations."""

import subprocess
import sys
from pathlib import Path

import pytest

import check_includes
from repository import ROOT


def plant(root: Path, files: dict):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_this_repository_is_clean():
    assert check_includes.check(ROOT) == []


def test_table_is_closed():
    """What an allowed layer may include is allowed too; otherwise includes of includes would break the rule."""
    for layer, allowed in check_includes.ALLOWED.items():
        for lower in allowed - {layer}:
            assert check_includes.ALLOWED[lower] <= allowed | {layer}, f"{layer} -> {lower}"


def test_table_has_no_cycle():
    order = list(check_includes.ALLOWED)
    for layer, allowed in check_includes.ALLOWED.items():
        assert all(order.index(lower) < order.index(layer) for lower in allowed - {layer}), layer


@pytest.mark.parametrize(
    "file, header",
    [
        ("lib/Dialect/Tile/Transforms/FitTiles.cpp", "attn/Dialect/Tile/Analysis/Footprint.h"),
        ("lib/Dialect/Ascend/IR/Ops.cpp", "attn/Machine/Machine.h"),
        ("include/attn/Conversion/TileToAscend/Passes.td", "attn/Dialect/Ascend/IR/AscendDialect.td"),
        ("lib/Simulator/Model/Core.cpp", "attn/Dialect/Ascend/IR/AscendOps.h.inc"),
        ("lib/Pipelines/Pipelines.cpp", "attn/Target/AscendC/Emit.h"),
        ("tools/attn-opt/attn-opt.cpp", "attn/Pipelines/Pipelines.h"),
        ("lib/Dialect/Tile/IR/Ops.cpp", "mlir/IR/Builders.h"),
    ],
)
def test_allowed(tmp_path, file, header):
    plant(tmp_path, {file: f'#include "{header}"\n'})
    assert check_includes.check(tmp_path) == []


@pytest.mark.parametrize(
    "file, header",
    [
        ("lib/Machine/Machine.cpp", "attn/Dialect/Tile/IR/Tile.h"),
        ("lib/Dialect/Tile/IR/Ops.cpp", "attn/Dialect/Tile/Transforms/Passes.h"),
        ("lib/Dialect/Tile/Transforms/FitTiles.cpp", "attn/Dialect/Ascend/IR/Ascend.h"),
        ("lib/Dialect/Tile/Transforms/FitTiles.cpp", "attn/Conversion/TileToLinalg/TileToLinalg.h"),
        ("lib/Dialect/Ascend/Transforms/InsertSync.cpp", "attn/Dialect/Tile/IR/Tile.h"),
        ("lib/Conversion/TileToLinalg/TileToLinalg.cpp", "attn/Dialect/Ascend/IR/Ascend.h"),
        ("lib/Simulator/Model/Core.cpp", "attn/Dialect/Ascend/Analysis/MemoryPlan.h"),
        ("lib/Simulator/Model/Core.cpp", "attn/Dialect/Ascend/Transforms/Passes.h"),
        ("lib/Cpu/Compiler/Jit.cpp", "attn/Dialect/Tile/IR/Tile.h"),
        ("lib/Cpu/Runtime/Kernel.cpp", "attn/Cpu/Compiler/Jit.h"),
        ("include/attn/Target/AscendC/Emit.h", "attn/Simulator/Model/Core.h"),
        ("lib/Target/HIVM/Emit.cpp", "attn/Pipelines/Pipelines.h"),
    ],
)
def test_planted_include_is_found(tmp_path, file, header):
    plant(tmp_path, {file: f'// A comment.\n#include "{header}"\n'})
    (violation,) = check_includes.check(tmp_path)
    assert violation.startswith(f"{file}:2: ") and header in violation


def test_tablegen_is_read_too(tmp_path):
    file = "include/attn/Dialect/Tile/IR/TileOps.td"
    plant(tmp_path, {file: 'include "attn/Dialect/Ascend/IR/AscendOps.td"\n'})
    assert len(check_includes.check(tmp_path)) == 1


@pytest.mark.parametrize("header", ["../../Ascend/IR/Ascend.h", "attn/Unknown/Thing.h"])
def test_ways_around_the_table_are_found(tmp_path, header):
    plant(tmp_path, {"lib/Dialect/Tile/IR/Ops.cpp": f'#include "{header}"\n'})
    assert len(check_includes.check(tmp_path)) == 1


def test_a_folder_outside_the_table_is_found(tmp_path):
    plant(tmp_path, {"lib/Utils/Helper.cpp": ""})
    (violation,) = check_includes.check(tmp_path)
    assert "lies in no layer" in violation


def test_command_fails_on_a_violation(tmp_path):
    plant(tmp_path, {"lib/Machine/Machine.cpp": '#include "attn/Pipelines/Pipelines.h"\n'})
    command = [sys.executable, ROOT / "scripts/check_includes.py", "--root", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1 and "Machine must not include Pipelines" in run.stdout


@pytest.mark.parametrize(
    "file, text",
    [
        ("compiler.py", "def f():\n    from kernels_dsl import attn_res\n"),
        ("ops.py", "import kernels_dsl.attn_res\n"),
        ("ops/__init__.py", "from kernels_dsl import attn_res\n"),
    ],
)
def test_import_of_kernels_is_found(tmp_path, file, text):
    plant(tmp_path, {"python/attn/__init__.py": "", f"python/attn/{file}": text})
    (violation,) = check_includes.check(tmp_path)
    assert "kernels_dsl" in violation


def test_lazy_import_of_kernels_in_ops_is_allowed(tmp_path):
    plant(tmp_path, {"python/attn/ops.py": "def f():\n    from kernels_dsl import attn_res\n"})
    assert check_includes.check(tmp_path) == []


@pytest.mark.parametrize(
    "files",
    [
        {"__init__.py": "import torch\n"},
        {"__init__.py": "try:\n    from torch import nn\nexcept ImportError:\n    pass\n"},
        {"__init__.py": "from . import a\n", "a.py": "from .b import x\n", "b.py": "import torch.nn\n"},
        {"__init__.py": "from attn.sub.a import x\n", "sub/__init__.py": "import torch\n", "sub/a.py": "x = 1\n"},
        {"__init__.py": "from attn import _core\n"},
    ],
)
def test_heavy_import_is_found(tmp_path, files):
    plant(tmp_path, {f"python/attn/{name}": text for name, text in files.items()})
    assert check_includes.check(tmp_path)


def test_late_import_of_torch_is_allowed(tmp_path):
    checked = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n"
    text = checked + "def f():\n    import torch\n"
    plant(tmp_path, {"python/attn/__init__.py": text, "python/attn/ops.py": "import torch\n"})
    assert check_includes.check(tmp_path) == []


@pytest.mark.skipif(not (ROOT / "python/attn/__init__.py").is_file(), reason="there is no package attn")
def test_import_attn_is_light():
    heavy = "{'torch', 'attn._core', 'attn._host'} & set(sys.modules)"
    run = subprocess.run([sys.executable, "-c", f"import sys, attn; print({heavy})"], capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr
