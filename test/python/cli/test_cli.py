"""The command line: compiling ahead of time, and explaining what came of it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import attn
import attn.language as at
from attn import cli, sidecar
from kernels_dsl.neighborhood import neighborhood_fwd
from repository import ROOT

STANDIN = str(ROOT / "test/toolchain/bin/bisheng")
ATTN_RES = str(ROOT / "kernels_dsl/attn_res.py")
NEIGHBORHOOD = str(ROOT / "kernels_dsl/neighborhood.py")

KERNELS = """
import attn
import attn.language as at
from kernels_dsl.neighborhood import neighborhood_fwd  # another file's kernel is not this one's


@attn.kernel
def scale(X: at.Tensor["T D"], W: at.Tensor["D"], M: at.Tensor["T", at.f32] | None, s: float, C: at.Const[int],
          on: at.Const[bool] = True, BT: at.Auto(1, 64) = None):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * W[:] * s * C
    return Y


@attn.kernel
def wrong(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :].no_such_word()
    return Y
"""


@pytest.fixture(autouse=True)
def no_toolkit(monkeypatch, tmp_path):
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "my_kernels.py"
    path.write_text(KERNELS)
    yield str(path)
    sys.modules.pop("my_kernels", None)
    sys.path.remove(str(tmp_path))


@pytest.fixture
def run(capsys):
    """Runs a command; returns its exit code, output and errors."""

    def run(*words):
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def names(folder: Path):
    return sorted(path.name for path in folder.iterdir())


def test_every_combination(run, kernels, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "out" / "deep"
    code, said, errors = run(
        "compile", kernels, "--kernel", "scale", "--dtype", "f16,bf16", "--dtype", "W=f32", "--const", "D=64,128",
        "--const", "C=3", "--none", "M", "-o", out,
    )  # fmt: skip
    assert code == 0
    assert errors.splitlines()[0].startswith("no objects: CANN not found: ASCEND_HOME_PATH is not set")
    stems = [f"scale.{dtype}.W-f32.D-{size}.C-3" for dtype in ("f16", "bf16") for size in (64, 128)]
    assert [line.split(":")[0] for line in said.splitlines()] == stems
    assert names(out) == sorted(f"{stem}.{ending}" for stem in stems for ending in _endings())
    made = sidecar.load(out / f"{stems[1]}.json")
    assert made.data["call"]["constants"] == {"C": "3", "on": "True"} and made.data["call"]["absent"] == ["M"]
    dtypes = {parameter["name"]: parameter["dtype"] for parameter in made.parameters}
    assert dtypes == {"X": "f16", "W": "f32", "s": "f32", "Y": "f16"}


def _endings():
    return ["asc", "json", *(["hivm.mlir"] if "hivm" in attn.STAGES else [])]


def test_standin_objects_and_what_info_says(run, tmp_path):
    code, said, errors = run(
        "compile", NEIGHBORHOOD, "--kernel", "neighborhood_fwd", "--dtype", "bf16", "--const", "D=64", "--const", "W=7",
        "--bisheng", STANDIN, "--object", "yes", "--predict", "B=1,H=2,S=500,dilation=2,scale=0.125", "-o", tmp_path,
    )  # fmt: skip
    assert (code, errors) == (0, "")
    stem = "neighborhood_fwd.bf16.D-64.W-7"
    assert f"{stem}.o" in said
    spec = at.spec("? ? ? 64", at.bf16)
    assert (tmp_path / f"{stem}.asc").read_text() == neighborhood_fwd.compile(q=spec, k=spec, v=spec, W=7).ascendc
    sizes = at.spec("1 2 500 64", at.bf16)
    report = attn.simulate(neighborhood_fwd, sizes, sizes, sizes, 0.125, 2, 7, timing_only=True).report
    code, said, errors = run("info", tmp_path / f"{stem}.o")
    assert (code, errors) == (0, "")
    for line in (
        "from          kernels_dsl.neighborhood.neighborhood_fwd with D=64, W=7, dilated=True",
        r"grid          min(B * H * min(dilation, S) * ceildiv(ceildiv(S, dilation), 64), 40) blocks",
        "q: [B, H, S, 64] of bf16, strides [any, any, any, 1]",
        "lse: [B, H, S] of f32, strides [any, any, 1], output",
        "176  scalar    f32  scale",
        "made by       stand-in for bisheng",
        f"predicted     {report.time_us:.1f} us for B=1, D=64, H=2, S=500, by the chip model",
    ):
        assert line in said, line
    assert run("info", tmp_path) == (0, said, "")
    (tmp_path / f"{stem}.o").write_bytes(b"another")
    code, _, errors = run("info", tmp_path)
    assert code == 1 and "not the object that" in errors


def test_workspaces_phases_and_lists(run, tmp_path):
    arguments = ("--kernel", "attn_res_bwd", "--dtype", "bf16", "--const", "D=256", "--list", "V", "--object", "no")
    assert run("compile", ATTN_RES, *arguments, "-o", tmp_path / "barrier")[0] == 0
    said = run("info", tmp_path / "barrier")[1]
    assert "blocks, all at once: they wait for each other" in said
    assert "launch        attn_res_bwd (mix 0:1)" in said
    assert "workspace     G: 4 * @blocks * 256 bytes, aligned to 512" in said
    assert "V: a list of tensors, [N, T, 256] of bf16, strides [-, any, 1]" in said
    assert "hidden    i64  sync_base" in said
    assert "object        none" in said
    assert run("compile", ATTN_RES, *arguments, "--option", "phases=launches", "-o", tmp_path / "launches")[0] == 0
    said = run("info", tmp_path / "launches")[1]
    assert "launch        attn_res_bwd_phase1 (vector)" in said and "hidden" not in said


def test_a_wrong_kernel_stops_no_other(run, kernels, tmp_path):
    out = tmp_path / "out"
    code, said, errors = run(
        "compile", kernels, "--dtype", "f32", "--const", "D=64", "--const", "C=1", "--none", "M", "--object", "no",
        "-o", out,
    )  # fmt: skip
    assert code == 1
    assert said.startswith("scale.f32.D-64.C-1: ")
    assert "wrong.f32.D-64: failed\n" in errors and "no_such_word" in errors
    assert errors.endswith("error: 1 of 2 variants failed\n")
    assert names(out) == sorted(f"scale.f32.D-64.C-1.{ending}" for ending in _endings())


SCALE = ("--kernel", "scale", "--dtype", "f16", "--const", "D=64", "--const", "C=1", "--none", "M")


@pytest.mark.parametrize(
    "words, message",
    [
        (("--const", "D=64"), "scale needs a dtype for 'X': --dtype f16,bf16"),
        (("--dtype", "f64"), "--dtype f64: 'f64' is not a dtype; known: f32, f16, bf16"),
        (("--dtype", "Z=f16"), "--dtype: no kernel has 'Z'; known: M, W, X"),
        (("--dtype", "f16", "--dtype", "bf16"), "--dtype bf16: '--dtype' is given twice"),
        (("--dtype", "f16", "--dtype", "M=f16"), "--dtype M: scale gives it a dtype of its own"),
        (("--dtype", "f16"), "scale needs the dimension D: --const D=NUMBER"),
        (("--dtype", "f16", "--const", "D=x"), "--const D: scale takes int, not 'x'"),
        (("--dtype", "f16", "--const", "D=64"), "scale needs the constant C: --const C=VALUE"),
        ((*SCALE, "--const", "on=maybe"), "--const on: scale takes bool, not 'maybe'"),
        ((*SCALE, "--const", "D=64"), "--const D=64: 'D' is given twice"),
        ((*SCALE, "--const", "BT"), "--const BT: NAME=VALUE is expected"),
        ((*SCALE, "--const", "Q=1"), "--const: no kernel has 'Q'; known: BT, C, D, on"),
        ((*SCALE, "--none", "X"), "--none: scale needs its array 'X'"),
        ((*SCALE, "--predict", "T=x"), "--predict T: a number is expected, not 'x'"),
        ((*SCALE, "--predict", "T=-3"), "--predict T: a positive integer is expected, not -3"),
        ((*SCALE, "--predict", "T=0.5"), "--predict T: a positive integer is expected, not 0.5"),
        ((*SCALE, "--predict", "s=1"), "--predict: scale needs T=NUMBER"),
        ((*SCALE, "--predict", "T=8"), "scale needs the number 's'"),
        ((*SCALE, "--option", "fast=1"), "'fast' is neither an argument of the kernel nor an option of the compiler"),
        ((*SCALE, "--const", "BT=65"), "BT: 65 lies outside 1 to 64"),
        (("--kernel", "scale,none"), "no kernel 'none'; there are scale, wrong"),
    ],
)
def test_mistakes_of_the_user(run, kernels, tmp_path, words, message):
    code, said, errors = run("compile", kernels, *words, "--object", "no", "-o", tmp_path / "out")
    assert (code, said) == (1, "")
    assert errors.startswith("error: ") and message in errors and errors.count("\n") == 1


def test_chips_and_toolkits_that_are_not_there(run, kernels, tmp_path, monkeypatch):
    code, _, errors = run("compile", kernels, *SCALE, "--soc", "Ascend999", "-o", tmp_path / "out")
    assert code == 1 and "unknown chip 'Ascend999'; known chips: Ascend910B1" in errors
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, errors = run("compile", kernels, *SCALE, "--object", "yes", "-o", tmp_path / "out")
    assert code == 1 and "CANN not found" in errors
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize(
    "file, message",
    [
        ("none.py", "none.py: no such file"),
        ("no.such.module", "no.such.module: cannot be imported: ModuleNotFoundError"),
        (str(ROOT / "python/attn/errors.py"), "no kernel (a function with @attn.kernel) is defined there"),
    ],
)
def test_files_without_kernels(run, tmp_path, file, message):
    code, _, errors = run("compile", file, "-o", tmp_path)
    assert code == 1 and message in errors


def test_modules_by_name(run, tmp_path):
    arguments = (
        "--kernel",
        "neighborhood_fwd",
        "--dtype",
        "f16",
        "--const",
        "D=64",
        "--const",
        "W=3",
        "--object",
        "no",
    )
    assert run("compile", "kernels_dsl.neighborhood", *arguments, "-o", tmp_path)[0] == 0
    assert "neighborhood_fwd.f16.D-64.W-3.json" in names(tmp_path)


def test_info_of_nothing(run, tmp_path):
    assert run("info", tmp_path / "k.o")[0] == 1
    code, _, errors = run("info", tmp_path)
    assert code == 1 and "no sidecar (*.json) is there" in errors
    (tmp_path / "k.json").write_text(json.dumps({"schema": "attn-sidecar", "version": 99}))
    code, _, errors = run("info", tmp_path / "k.json")
    assert code == 1 and "version 99 of the form" in errors


def test_as_a_program():
    """One process: the exit code and the help, whose commands all load without PyTorch and the compiler."""
    heavy = "print(sorted({'torch', 'attn._core'} & set(sys.modules)))"
    script = f"import sys; from attn.cli import main\ntry: main(['--help'])\nfinally: {heavy}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("[]\n")
    for command in cli.COMMANDS:
        assert re.search(rf"^    {command} ", done.stdout, re.MULTILINE)
    done = subprocess.run([sys.executable, "-m", "attn", "info", "none.json"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: none.json")
