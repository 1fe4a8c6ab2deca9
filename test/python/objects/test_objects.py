"""Objects by the stand-in for the vendor's compiler: every kernel, what is beside its object, and errors."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

import attn
import attn.language as at
from attn import sidecar
from kernel_text import define
from repository import ROOT

STANDIN = ROOT / "test/toolchain/bin/bisheng"

DOUBLE = """
@attn.kernel
def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.exp(X[t, :])
    return Y
"""


@pytest.fixture(autouse=True)
def no_toolkit(monkeypatch, tmp_path):
    """No test finds a toolkit of this machine, and temporary files can be counted."""
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path


def compile_double(tmp_path):
    return define(tmp_path, DOUBLE).compile(X=at.spec("? 256", at.f32))


def test_standin_object_and_sidecar(tmp_path):
    artefact = compile_double(tmp_path)
    made = artefact.build(tmp_path / "k.o", bisheng=STANDIN)
    assert made.data["call"] == artefact.sidecar.data["call"]
    assert made.data == sidecar.load(tmp_path / "k.json").data
    made.check_object(tmp_path / "k.o")
    assert not any((tmp_path / "tmp").iterdir())
    with open(tmp_path / "k.o", "ab") as file:
        file.write(b"x")
    with pytest.raises(sidecar.SidecarError, match="not the object that .*k.json describes; build both again"):
        made.check_object(tmp_path / "k.o")


def test_standin_library(tmp_path):
    """The launching function takes blocks, stream and the kernel's arguments: clang has compiled it."""
    made = compile_double(tmp_path).build(tmp_path / "libk.so", form="shared", bisheng=STANDIN)
    assert made.data["object"]["form"] == "shared"
    assert made.data["object"]["command"][-5:] == ["-shared", "-fPIC", "k_launch.asc", "-o", "libk.so"]


SUMS = """
@attn.kernel
def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    S = at.empty("D", at.f32)
    G = at.scratch("D", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        at.accumulate(G, at.sum(X[t, :], 0))
    at.phase()
    for c in at.grid(at.tiles(D, 128)):
        S[c] = G[c]
    return S
"""


def test_a_library_waits_for_cores_where_blocks_meet(tmp_path, monkeypatch):
    """A kernel whose blocks meet says so to the scheduler; the stand-in refuses a library that does not."""
    artefact = define(tmp_path, SUMS).compile(X=at.spec("? 256", at.f32))
    artefact.build(tmp_path / "libk.so", form="shared", bisheng=STANDIN)
    assert "__schedmode__" not in artefact.ascendc  # a launcher of objects says it with each launch
    (tmp_path / "k.asc").write_text(artefact.ascendc)
    launcher = tmp_path / "k_launch.asc"
    launcher.write_text('#include "k.asc"\nextern "C" int launch_k(uint32_t n, void* s) { k<<<n, nullptr, s>>>(); }\n')
    flags = "-x asc --npu-arch=dav-2201 -O2 -std=c++17 --cce-auto-sync=off -shared -fPIC".split()
    done = subprocess.run([STANDIN, *flags, launcher, "-o", tmp_path / "k.so"], capture_output=True, text=True)
    assert done.returncode == 1 and "may wait for cores forever without __schedmode__(1)" in done.stderr


@pytest.mark.parametrize("columns, takes", [(24000, True), (64, False)])
def test_the_end_of_ub_is_asked_for_where_it_is_used(tmp_path, columns, takes):
    flag = "--cce-disable-asc-reserved-ubuf"
    artefact = define(tmp_path, DOUBLE).compile(X=at.spec(f"? {columns}", at.f32))
    made = artefact.build(tmp_path / "k.o", bisheng=STANDIN)
    (launch,) = made.data["launches"]
    assert launch["memory"]["takes_library_ub"] == (launch["memory"]["bytes_used"]["ub"] > 188160) == takes
    assert (flag in made.data["object"]["command"]) == takes
    source = tmp_path / "k.asc"
    source.write_text(artefact.ascendc)
    flags = "-x asc --npu-arch=dav-2201 -O2 -std=c++17 --cce-auto-sync=off --aicore-only".split()
    words = [STANDIN, *flags, source, "-c", "-o", tmp_path / "alone.o"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode == 1) == takes and (f"188160 bytes without {flag}" in done.stderr) == takes


def test_device_code_must_be_linked(tmp_path):
    """What the compiler alone makes is not what the loader takes."""
    source = tmp_path / "k.asc"
    source.write_text(define(tmp_path, DOUBLE).compile(X=at.spec("? 64", at.f32)).ascendc)
    flags = "-x asc --npu-arch=dav-2201 -O2 -std=c++17 --cce-auto-sync=off --aicore-only".split()
    compiled, linked = tmp_path / "compiled.o", tmp_path / "linked.o"
    assert subprocess.run([STANDIN, *flags, source, "-c", "-o", compiled]).returncode == 0
    linker = [STANDIN.with_name("ld.lld"), "-m", "aicorelinux", "-Ttext=0"]
    assert subprocess.run([*linker, compiled, "-static", "-o", linked]).returncode == 0
    assert not compiled.read_bytes().startswith(b"\x7fELF") and linked.read_bytes().startswith(b"\x7fELF")
    assert subprocess.run([*linker, linked, "-static", "-o", compiled]).returncode == 1


def test_without_toolkit_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(attn.CompileError) as caught:
        compile_double(tmp_path).build(tmp_path / "k.o")
    assert str(caught.value) == (
        "error: CANN not found: ASCEND_HOME_PATH is not set; source set_env.sh. "
        "Source emission, JIT and simulation work without it."
    )
    assert not list(tmp_path.glob("k.*"))


def test_standin_errors_at_the_python_line(tmp_path, monkeypatch):
    header = tmp_path / "no-exp.h"
    header.write_text('#include "kernel_operator.h"\n#define Exp NoSuchInstruction\n')
    monkeypatch.setenv("STANDIN_CLANG_FLAGS", f"-include {header}")
    with pytest.raises(attn.CompileError) as caught:
        compile_double(tmp_path).build(tmp_path / "k.o", bisheng=STANDIN)
    assert caught.value.message == "bisheng: no member named 'NoSuchInstruction' in namespace 'AscendC'"
    text = str(caught.value)
    assert "Y[t, :] = at.exp(X[t, :])\n" in text  # the author's line, with a caret below
    (kept,) = re.findall(r"the source is kept as (\S+)", text)
    assert "AscendC::Exp(" in Path(kept).read_text()
    assert "note: the command was: " + str(STANDIN) in text
    assert not list(tmp_path.glob("k.*"))


def test_old_files_stay_where_a_build_fails(tmp_path, monkeypatch):
    artefact = compile_double(tmp_path)
    artefact.build(tmp_path / "k.o", bisheng=STANDIN)
    before = {name: (tmp_path / name).read_bytes() for name in ("k.o", "k.json")}
    monkeypatch.setenv("STANDIN_CLANG_FLAGS", "-DLocalTensor=1")
    with pytest.raises(attn.CompileError):
        artefact.build(tmp_path / "k.o", bisheng=STANDIN)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_no_half_of_a_pair(tmp_path):
    """The sidecar's place is taken by a folder: the object does not appear either, and nothing else is left."""
    (tmp_path / "out" / "k.json").mkdir(parents=True)
    with pytest.raises(attn.CompileError, match="cannot write: .*k.json"):
        compile_double(tmp_path).build(tmp_path / "out" / "k.o", bisheng=STANDIN)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["k.json"]


def test_signals_stay_with_python(tmp_path):
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        compile_double(tmp_path).build(tmp_path / "k.o", bisheng=STANDIN)
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [1]


def test_names_never_reach_a_shell(tmp_path):
    """A folder whose name a shell would take apart; the stand-in itself refuses spaces only."""
    folder = tmp_path / "$(touch${IFS}hurt);`id`'\""
    folder.mkdir()
    compile_double(tmp_path).build(folder / "k.o", bisheng=STANDIN).check_object(folder / "k.o")
    assert not (tmp_path / "hurt").exists() and not Path("hurt").exists()


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"form": "library"}, ValueError, "form: 'object' or 'shared' is expected, not 'library'"),
        ({"via": "ptx"}, attn.CompileError, "unknown way 'ptx' of objects; known: ascendc, hivm"),
        (
            {"via": "hivm", "hivmc": "/nowhere/hivmc"},
            attn.CompileError,
            "'/nowhere/hivmc' is not a program that can be started",
        ),
        ({"bisheng": "/nowhere/bisheng"}, attn.CompileError, "'/nowhere/bisheng' is not a program that can be started"),
    ],
)
def test_arguments_of_build(tmp_path, arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        compile_double(tmp_path).build(tmp_path / "k.o", **arguments)


def test_standin_refuses_other_command_lines(tmp_path):
    source = tmp_path / "k.asc"
    source.write_text(compile_double(tmp_path).ascendc)
    right = "-x asc --npu-arch=dav-2201 -O2 -std=c++17 --cce-auto-sync=off --aicore-only".split()
    for flags in (right[2:], [*right, "-g"], [f if f != "-O2" else "-O3" for f in right], [*right[:-1]]):
        done = subprocess.run([STANDIN, *flags, source, "-c", "-o", tmp_path / "k.o"], capture_output=True, text=True)
        assert done.returncode == 1 and "would not be called like this" in done.stderr
    assert subprocess.run([STANDIN, *right, source, "-c", "-o", tmp_path / "k.o"]).returncode == 0
