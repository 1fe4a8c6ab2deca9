"""The runtime for NPUs where there is none: what is said, and what is not even looked for."""

import os
import shutil
import struct
import subprocess
import sys

import pytest
import torch

import attn
import attn.language as at
from attn import _launcher, runtime
from attn.runtime import environment
from attn.runtime.packing import ArgumentBlock
from repository import ROOT


def test_import_loads_nothing_of_an_npu():
    program = "import attn, attn.runtime, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"torch", "torch_npu", "attn._launcher", "attn._core"} & set(done.stdout.split())


@pytest.mark.parametrize("ask", [runtime.soc, runtime.describe, runtime.standin])
def test_missing_runtime_is_named(ask):
    with pytest.raises(runtime.AclUnavailable, match=r"^ACL runtime not loadable: libascendcl\.so: cannot open"):
        ask()


def test_answers_are_kept():
    """A missing library is looked for once."""
    calls = []

    @environment._once
    def check():
        calls.append(1)
        raise runtime.NoDevice("none")

    for _ in range(3):
        with pytest.raises(runtime.NoDevice, match="none"):
            check()
    assert len(calls) == 1


class Launcher:
    """Stands for the native launcher: a runtime that says what it is told to."""

    def __init__(self, devices=1, soc="Ascend910B4"):
        self.device_count = lambda: devices
        self.soc_name = lambda: soc


@pytest.mark.parametrize("name", ["Ascend910B1", "Ascend910B2C", "Ascend910B4-1", "Ascend910_9391"])
def test_names_of_chips_are_taken_by_their_beginning(monkeypatch, name):
    monkeypatch.setattr(environment, "acl", lambda: Launcher(soc=name))
    assert environment.soc.__wrapped__() == name


@pytest.mark.parametrize("name", ["Ascend910A", "Ascend310P3", "Ascend910_55"])
def test_other_chips_are_refused(monkeypatch, name):
    monkeypatch.setattr(environment, "acl", lambda: Launcher(soc=name))
    with pytest.raises(runtime.UnsupportedSoc, match=f"SoC {name} is not supported: this compiler targets arch 2201"):
        environment.soc.__wrapped__()


def test_no_device(monkeypatch):
    monkeypatch.setattr(environment, "acl", lambda: Launcher(devices=0))
    monkeypatch.setenv("ASCEND_RT_VISIBLE_DEVICES", "7")
    with pytest.raises(runtime.NoDevice, match=r"no NPU visible \(ASCEND_RT_VISIBLE_DEVICES=7\)"):
        environment.soc.__wrapped__()


def test_missing_torch_npu_is_named():
    with pytest.raises(runtime.TorchNpuUnavailable, match="torch_npu not installed or built for another torch: .*npu"):
        environment.torch_npu()


# Arguments

SPEC = at.spec("? ? 64", at.f16, table=True)


@attn.kernel
def mixture(V: at.Tensors["N", "T D"], w: at.Tensor["D"], factor: float, shift: int, BT: at.Auto(1, 64) = None):
    """A kernel with every kind of argument."""
    Y = at.empty("T D", V.dtype)
    for t in at.grid(at.tiles(T, BT)):
        total = at.zeros((BT, D))
        for n in at.range(N):
            total = total + V[n, t, :] * w[:] * factor
        Y[t, :] = total
    return Y


def test_block_of_arguments():
    """By hand: addresses, sizes, strides and numbers at the sidecar's offsets; the table after them."""
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    values = {
        "V": ([0x1000, 0x2000, 0x3000], (3, 9, 64), (0, 80, 1)),
        "w": (0x4000, (64,), (1,)),
        "Y": (0x5000, (9, 64), (64, 1)),
        "factor": 0.5,
        "shift": -3,
    }
    block, places, addresses, floats = ArgumentBlock(sidecar).pack(values)
    offsets = {argument["name"]: argument["offset"] for argument in sidecar.arguments()}
    size = sidecar.argument_bytes()
    (place,) = places
    assert place == (offsets["V"], (size + 7) // 8 * 8)
    assert block[place[1] :] == b"".join(address.to_bytes(8, "little") for address in (0x1000, 0x2000, 0x3000))
    read = lambda name, bytes=8: int.from_bytes(block[offsets[name] :][:bytes], "little", signed=True)  # noqa: E731
    assert (read("V"), read("w"), read("Y"), read("N"), read("T")) == (0, 0x4000, 0x5000, 3, 9)
    strides = {argument["of"]: argument["offset"] for argument in sidecar.arguments() if argument["kind"] == "stride"}
    assert int.from_bytes(block[strides["V"] :][:8], "little") == 80
    assert read("shift", 4) == -3
    assert addresses == [*range(place[1], place[1] + 24, 8), offsets["w"], offsets["Y"]]
    assert floats == [offsets["factor"]]


def test_later_launches_are_packed_natively():
    """A plan writes addresses and floating-point numbers into what was packed once; what does not fit is refused."""
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    pack = lambda V, w, Y: ArgumentBlock(sidecar).pack(  # noqa: E731
        {"V": (V, (2, 9, 64), (0, 80, 1)), "w": (w, (64,), (1,)), "Y": (Y, (9, 64), (64, 1)), "factor": 0.5, "shift": 7}
    )
    first, later = pack([1, 2], 3, 4), pack([0x1000, 0x2000], 0x3000, 0x4000)
    plan = _launcher.Plan([], 4, first.data, first.addresses, first.floats, first.places)
    assert plan.pack([0x1000, 0x2000, 0x3000, 0x4000], [0]) == later.data
    assert plan.pack([1, 2, 3, 4], [0.0]) == first.data and plan.blocks == 4
    place = first.floats[0]
    assert plan.pack([1, 2, 3, 4], [-0.5])[place : place + 4] == b"\x00\x00\x00\xbf"
    two = _launcher.Plan([], 1, bytes(12), [], [8, 0], [])
    assert two.pack([], [2.0, 1.0]) == struct.pack("<fif", 1.0, 0, 2.0)
    with pytest.raises(ValueError, match="a launch takes 4 addresses and 1 floats, not 3 and 1"):
        plan.pack([1, 2, 3], [0.5])
    with pytest.raises(OverflowError, match=rf"the argument at {first.floats[0]}: the number is too large for f32"):
        plan.pack([1, 2, 3, 4], [1e300])
    with pytest.raises(ValueError, match="an address lies outside the arguments"):
        _launcher.Plan([], 4, first.data, [len(first.data) - 7], [], [])
    with pytest.raises(ValueError, match="a real lies outside the arguments"):
        _launcher.Plan([], 4, first.data, [], [len(first.data) - 3], [])


def test_whole_numbers_that_do_not_fit_are_named():
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    array = (0, (9, 64), (64, 1))
    values = {"V": ([1], (1, 9, 64), (0, 64, 1)), "w": (0, (64,), (1,)), "Y": array, "factor": 0.5, "shift": 1 << 63}
    with pytest.raises(OverflowError, match="shift: 9223372036854775808 is too large for i64"):
        ArgumentBlock(sidecar).pack(values)


def test_size_of_the_block_is_checked():
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    sidecar.argument_bytes = lambda: 8
    with pytest.raises(runtime.LoadError, match=r"mixture: its arguments take \d+ bytes, not 8"):
        ArgumentBlock(sidecar)


def hidden_argument(name: str):
    return dict(name=name, kind="hidden", of=None, axis=None, dtype="i64", offset=0, size=8, alignment=8)


def test_hidden_arguments_go_to_their_place():
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    sidecar.arguments = lambda: [hidden_argument("sync_base")]
    sidecar.argument_bytes = lambda: 8
    block = ArgumentBlock(sidecar)
    assert block.hidden == ["sync_base"]
    assert block.pack({}, {"sync_base": 0xFF00_1234}).data == (0xFF00_1234).to_bytes(8, "little")
    with pytest.raises(KeyError):
        block.pack({})


def test_unknown_hidden_arguments_are_refused():
    sidecar = mixture.compile(V=SPEC, w=at.spec("64", at.f16)).sidecar
    sidecar.arguments = lambda: [hidden_argument("overflow_status")]
    with pytest.raises(runtime.LoadError, match="mixture: the hidden argument 'overflow_status' is not known"):
        ArgumentBlock(sidecar)


def test_simulator_and_kernels_want_the_cpu():
    V, w = [torch.zeros(9, 64)], torch.zeros(64)
    with pytest.raises(ValueError, match="w: a tensor on the CPU is expected, not on meta"):
        attn.simulate(mixture, V, w.to("meta"), 0.5, 1)
    with pytest.raises(ValueError, match="w: a tensor on the CPU or an NPU is expected, not on meta"):
        mixture(V, w.to("meta"), 0.5, 1)


# Objects in the cache


@pytest.fixture
def toolchain(tmp_path, monkeypatch):
    """A folder in PATH with the stand-in for the vendor's compiler."""
    program = ROOT / "test" / "toolchain" / "bin" / "bisheng"
    (tmp_path / "bisheng").symlink_to(program)
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ATTN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_objects_are_kept(toolchain, monkeypatch):
    """The same object is built once, and again where another compiler would build it."""
    built = []
    build = attn.Artefact.build
    monkeypatch.setattr(attn.Artefact, "build", lambda *arguments: built.append(1) or build(*arguments))
    obtain = lambda: mixture.compile(V=SPEC, w=at.spec("64", at.f16)).obtain_object()  # noqa: E731
    sidecar, data = obtain()
    again, same = obtain()
    assert (again.data, same, len(built)) == (sidecar.data, data, 1)
    assert sidecar.data["object"]["toolchain"].startswith("stand-in for bisheng")
    (toolchain / "bisheng").unlink()
    for program in ("bisheng", "ld.lld"):
        shutil.copy(ROOT / "test" / "toolchain" / "bin" / program, toolchain / program)
    (toolchain / "attn-sim").symlink_to(ROOT / "build" / "bin" / "attn-sim")  # which a copy finds by its name
    obtain()
    assert len(built) == 2


def test_missing_compiler_is_an_error_of_the_compiler(monkeypatch, tmp_path):
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ATTN_CACHE_DIR", str(tmp_path))
    with pytest.raises(attn.CompileError, match="CANN not found: ASCEND_HOME_PATH is not set; source set_env.sh"):
        mixture.compile(V=SPEC, w=at.spec("64", at.f16)).obtain_object()
