"""How errors reach a user: short tracebacks, across processes, and at once when Ctrl-C asks for it."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

import pytest
import torch

import attn
import attn.language as at
import kernel_text
from attn.errors import Diagnostic


@attn.kernel
def twice(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * 2
    return Y


@attn.kernel
def wrong(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] + Z  # noqa: F821
    return Y


@attn.kernel
def row(X: at.Tensor["T D"], i: int):
    Y = at.empty("D", X.dtype)
    for _ in at.grid(1):
        Y[:] = X[i // (i - 2), :]
    return Y


SPEC = at.spec("? 64", at.f32)


# Tracebacks


def frames(call):
    """The files and functions of the traceback of what a call raises, without that of this function."""
    try:
        call()
    except Exception as error:
        return [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)[1:]]
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("call", [
    lambda: wrong(torch.zeros(3, 64)),
    lambda: wrong.run({"X": torch.zeros(3, 64)}),
    lambda: wrong.compile(X=SPEC),
    lambda: row(torch.zeros(3, 64), 3),
    lambda: row(torch.zeros(3, 64), 2),
    lambda: twice(3),
    lambda: twice.compile(X=3),
    lambda: twice.compile(X=SPEC, strips="x"),
    lambda: attn.dump(wrong, X=SPEC),
    lambda: attn.simulate(wrong, torch.zeros(3, 64)),
    lambda: attn.verify(wrong, torch.zeros(3, 64)),
    lambda: twice.compile(X=SPEC).ir("machine"),
])  # fmt: skip
def test_internal_frames_are_cut(call, monkeypatch):
    assert [name for _, name in frames(call)] == ["<lambda>", "enter"]
    monkeypatch.setenv("ATTN_TRACEBACK", "1")
    shown = frames(call)
    assert [name for _, name in shown[:2]] == ["<lambda>", "enter"] and len(shown) > 2


def test_frames_stay_where_the_package_is_wrong(monkeypatch):
    monkeypatch.setattr(type(twice), "captured", lambda kernel: kernel.no_such_attribute)
    assert len(frames(lambda: twice(torch.zeros(3, 64)))) > 2


# Other processes


def compile_width(kernel, spec):
    return kernel.compile(X=spec)


def test_a_pool_of_processes_reports(tmp_path):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        artefact = pool.submit(compile_width, twice, SPEC).result(timeout=120)
        failure = pool.submit(compile_width, wrong, SPEC).exception(timeout=120)
    here = twice.compile(X=SPEC)
    assert artefact.ascendc == here.ascendc and artefact.sidecar.data == here.sidecar.data
    assert artefact.ir("tile") == here.ir("tile")  # what was not made there is made here
    with pytest.raises(attn.CompileError) as caught:
        wrong.compile(X=SPEC)
    assert isinstance(failure, attn.CompileError) and str(failure) == str(caught.value)
    assert failure.message == "unknown name 'Z'" and failure.position == caught.value.position


def test_an_error_keeps_its_text_without_its_source(tmp_path):
    kernel = kernel_text.define(tmp_path, "@attn.kernel\ndef k(s: float):\n    return z\n")
    with pytest.raises(attn.CompileError) as caught:
        kernel.compile()
    pickled = pickle.dumps(caught.value)
    next(tmp_path.glob("*.py")).unlink()
    assert str(pickle.loads(pickled)) == str(caught.value) and "    return z" in str(caught.value)


def test_errors_of_later_stages_pickle():
    with pytest.raises(attn.CompileError) as caught:
        twice.compile(X=at.spec("? 64", at.f32), soc="Ascend910B4:ub_bytes=64")
    made = pickle.loads(pickle.dumps(caught.value))
    assert str(made) == str(caught.value) and all(type(item) is Diagnostic for item in made.diagnostics)
    assert [note.message for note in made.diagnostics[0].notes] == [
        note.message for note in caught.value.diagnostics[0].notes
    ]


def test_errors_of_launches_pickle():
    made = pickle.loads(pickle.dumps(attn.runtime.LaunchError(507015, "twice was refused")))
    assert (made.code, str(made)) == (507015, "twice was refused")


def test_what_is_pickled_by_name():
    for value in (twice, at.f32, at.bf16, SPEC.dtype):
        assert pickle.loads(pickle.dumps(value)) is value and copy.deepcopy(value) is value


def test_a_kernel_of_a_function_is_not_pickled():
    @attn.kernel
    def inner(s: float):
        return s

    with pytest.raises((pickle.PicklingError, AttributeError), match="inner"):
        pickle.dumps(inner)


# Ctrl-C

LONG = """
    import sys
    import time
    import torch
    import attn
    import attn.language as at

    @attn.kernel
    def long(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
        Y = at.empty_like(X)
        for t in at.grid(at.tiles(T, BT)):
            x = X[t, :]
    {statements}
            Y[t, :] = x
        return Y

    print("begins", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(7)
"""


@pytest.mark.parametrize("call, length, seconds", [
    ("long.compile(X=at.spec('? 256', at.f32))", 1000, 0.5),
    ("long(torch.zeros(3, 256))", 300, 0.5),
    ("long(torch.zeros(3, 256))", 300, 2.0),  # where LLVM may have begun
])  # fmt: skip
@pytest.mark.optimized
def test_ctrl_c_during_a_compilation(tmp_path, call, length, seconds):
    """It returns within a second, and the process, which goes on, ends with the status that it chooses."""
    statements = textwrap.indent("x = x * x + at.sum(x, 1)\n" * length, " " * 12)
    path = tmp_path / "long.py"
    path.write_text(textwrap.dedent(LONG.replace("    {statements}\n", statements).format(call=call)))
    process = subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, text=True, env={**os.environ, "ATTN_CACHE": "0"}
    )
    assert process.stdout.readline() == "begins\n"
    time.sleep(seconds)
    assert process.poll() is None, "the compilation has ended before it could be interrupted"
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1.0
    assert process.wait(timeout=20) == 7
