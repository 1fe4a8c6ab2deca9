"""Many processes that want the same kernels, and are killed: what they leave is right or not there.

ATTN_CACHE_ROUNDS says how many rounds (8); `make stress` tries 200. Processes are forked from this one, which has the
compiler already, so that nearly all of their time goes into what is tested.
"""

import os
import random
import signal
import time
from pathlib import Path

import pytest
import torch

import attn
import attn.language as at
import kernel_text
from attn import _core, cache  # noqa: F401 - the children have them, too
from attn.cache import keys, store
from attn.cache.entry import Entry
from attn.call import running  # noqa: F401

ROUNDS = int(os.environ.get("ATTN_CACHE_ROUNDS", "8"))
PROCESSES = 16

KERNELS = """
    @attn.kernel
    def k(X: at.Tensor["T D"], F: at.Const[float], BT: at.Auto(1, 64)):
        Y = at.empty("T D", X.dtype)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[t, :] * F
        return Y
"""
FACTORS = (2.0, 0.5, -3.0)


def work(kernel, order):
    """Compiles and runs every kernel, as a process does that has none of them yet; wrong values raise."""
    values = torch.arange(192, dtype=torch.float32).view(3, 64)
    for factor in order:
        fresh = attn.kernel(kernel._function)
        if not torch.equal(fresh(values, factor), values * factor):
            raise AssertionError(f"factor {factor} gives a wrong result")
        artefact = fresh.compile(X=at.spec("? 64", at.f32), F=factor)
        if not artefact.ascendc.rstrip().endswith("}"):
            raise AssertionError("the text is cut off")


def start(task, gate=None):
    """A process that does `task` and nothing else; its exit code is 0 where that returns. It waits for a `gate`, a pipe, to be
    closed at its other end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if gate:
                os.close(gate[1])
                os.read(gate[0], 1)
            task()
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    return child


@pytest.fixture
def one_thread():
    """Forked processes have no threads of their parent's."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def kernel(tmp_path):
    keys.compiler_identity(), keys.host_identity()
    return kernel_text.define(tmp_path, KERNELS)


def run_round(kernel, chance: random.Random, seconds: float = 0):
    """One round: kills some of the processes at random moments of `seconds`; without them, none. Gives the exit codes of the
    others, and the kills."""
    orders = [chance.sample(FACTORS, len(FACTORS)) for _ in range(PROCESSES)]
    gate = os.pipe()
    children = [start(lambda order=order: work(kernel, order), gate) for order in orders]
    victims = chance.sample(children, chance.randint(4, PROCESSES - 4)) if seconds else []
    for end in gate:
        os.close(end)
    for victim in victims:
        time.sleep(chance.uniform(0, seconds / len(victims)))
        os.kill(victim, signal.SIGKILL)
    codes = {child: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
    killed = sum(code == -signal.SIGKILL for code in codes.values())
    return [code for child, code in codes.items() if child not in victims], killed


def test_processes_that_are_killed_leave_nothing_wrong(tmp_path, monkeypatch, kernel, one_thread, record_property):
    monkeypatch.setenv("ATTN_CACHE_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("ATTN_CACHE_DIR", str(tmp_path / "cache"))
    begin, killed = time.monotonic(), 0
    run_round(kernel, random.Random(0))
    seconds = time.monotonic() - begin
    for number in range(ROUNDS):
        monkeypatch.setenv("ATTN_CACHE_DIR", str(tmp_path / f"cache{number}"))
        codes, kills = run_round(kernel, random.Random(number), seconds)
        killed += kills
        assert set(codes) <= {0}, f"round {number}: a process that was not killed failed"
        entries = cache.current_store().verify()
        assert entries and all(problem is None for _, problem in entries), f"round {number}: {entries}"
        work(kernel, FACTORS)  # what is left serves everyone
    notes = (tmp_path / "log").read_text()
    assert "removed" not in notes
    assert killed > ROUNDS
    record_property("killed", killed)
    print(f"{ROUNDS} rounds of {PROCESSES} processes, {killed} killed: no corrupt load")


# Kills at each single step


class KillAt:
    """Stands for the modules that the store calls; kills its process at the n-th call."""

    def __init__(self, module, countdown, names):
        self._module, self._countdown, self._names = module, countdown, names

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if name not in self._names:
            return found

        def call(*arguments, **keywords):
            self._countdown[0] -= 1
            if self._countdown[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return found(*arguments, **keywords)

        return call


def save_and_die(folder: Path, step: int):
    countdown = [step]
    names = ("open", "makedirs", "rename", "unlink", "close", "scandir", "flock", "fstat")
    store.os = KillAt(os, countdown, names)
    store.fcntl = KillAt(store.fcntl, countdown, names)
    limited = store.Store(str(folder), 3000)
    with limited.turn("ab" * 20, "cpu") as found:
        if found is None:
            limited.save("ab" * 20, "cpu", "k", Entry({}, b"x" * 1000))
    limited.save("cd" * 20, "cpu", "k", Entry({}, b"y" * 2500))  # evicts the first
    if limited.load("cd" * 20, "cpu") is None:
        raise AssertionError("what was saved is not there")


def test_a_kill_at_every_step(tmp_path):
    for step in range(1, 200):
        folder = tmp_path / f"cache{step}"
        child = start(lambda: save_and_die(folder, step))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        left = store.Store(str(folder), 3000)
        assert all(problem is None for _, problem in left.verify()), step
        for key, data in (("ab", b"x" * 1000), ("cd", b"y" * 2500)):
            entry = left.load(key * 20, "cpu")
            assert entry is None or entry.data == data, step
        with left.turn("ab" * 20, "cpu"):  # no process is kept waiting
            left.save("ab" * 20, "cpu", "k", Entry({}, b"x" * 1000))
        assert left.load("ab" * 20, "cpu").data == b"x" * 1000
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert code == 0 and step > 20


def test_a_write_that_is_cut_off(tmp_path, monkeypatch):
    """A process that dies inside a write leaves a part of a temporary file, which nothing reads."""

    class Half:
        def __init__(self, opened):
            self.opened = opened

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def fileno(self):
            return self.opened

        def write(self, content):
            os.write(self.opened, content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    def save():
        store.open = lambda opened, *_, **__: Half(opened)
        store.Store(str(tmp_path / "cache"), 3000).save("ab" * 20, "cpu", "k", Entry({}, b"x" * 1000))

    assert os.waitstatus_to_exitcode(os.waitpid(start(save), 0)[1]) == -signal.SIGKILL
    left = store.Store(str(tmp_path / "cache"), 3000)
    assert [file.name[:4] for file in (tmp_path / "cache").iterdir()] == ["tmp-"]
    assert left.load("ab" * 20, "cpu") is None and left.list() == []
