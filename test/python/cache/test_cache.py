"""The cache: what is found again and what is not, and that nothing in its folder can do harm."""

import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import torch

import attn
import attn.language as at
import kernel_text
from attn import _host, cache
from attn.cache import keys, settings
from attn.cache.entry import Corrupt, Entry, pack, unpack
from attn.cache.store import Store

SCALE = """
    FACTOR = 2.0
    @attn.kernel
    def k(X: at.Tensor["T D"], C: at.Const[float], BT: at.Auto(1, 64)):
        Y = at.empty("T D", X.dtype)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[t, :] * FACTOR + C
        return Y
"""


class Folder:
    """A cache of its own: its folder, and what it said."""

    def __init__(self, path: Path, monkeypatch):
        self.path = path / "cache"
        self._log = path / "log"
        monkeypatch.setenv("ATTN_CACHE_DIR", str(self.path))
        monkeypatch.setenv("ATTN_CACHE_LOG", str(self._log))

    def said(self):
        """The notes since the last time, without their process and times."""
        text = self._log.read_text() if self._log.exists() else ""
        self._log.unlink(missing_ok=True)
        return [re.sub(r"^attn cache \[\d+\]: | in \d.* ms$", "", line) for line in text.splitlines()]

    def steps(self):
        """What was `made` or `found` since the last time, as (what, kind)."""
        return [tuple(note.split()[:2]) for note in self.said() if note.startswith(("made", "found"))]

    def files(self, kind: str):
        return sorted(self.path.glob(f"*.{kind}"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return Folder(tmp_path, monkeypatch)


def again(kernel):
    """The same kernel as another process would see it."""
    return attn.kernel(kernel._function)


def run(kernel, rows=5, constant=1.0, **options):
    return kernel(torch.arange(rows * 64, dtype=torch.float32).view(rows, 64), constant, **options)


MADE = [("made", "signature"), ("made", "lowered"), ("made", "cpu")]
FOUND = [("found", "signature"), ("found", "lowered"), ("found", "cpu")]


# What is found again


def test_found_again_with_the_same_bits(folder, tmp_path, monkeypatch):
    kernel = kernel_text.define(tmp_path, SCALE)
    first = run(kernel)
    assert folder.steps() == MADE
    second = run(again(kernel))
    assert folder.steps() == FOUND
    monkeypatch.setenv("ATTN_CACHE", "0")
    third = run(again(kernel))
    assert folder.steps() == []
    assert torch.equal(first, second) and torch.equal(first, third)


def test_other_sizes_are_the_same_program(folder, tmp_path):
    kernel = kernel_text.define(tmp_path, SCALE)
    run(kernel, rows=5)
    folder.steps()
    assert run(again(kernel), rows=9).shape == (9, 64)
    assert folder.steps() == FOUND


@pytest.mark.parametrize("name", ["attn_res_fwd", "neighborhood_fwd"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_kernels_give_the_same_bits(folder, monkeypatch, name, dtype):
    from kernels_dsl import attn_res, neighborhood

    kernel = getattr(attn_res, name, None) or getattr(neighborhood, name)
    generator = torch.Generator().manual_seed(1)
    draw = lambda *shape: torch.randn(*shape, generator=generator).to(dtype)  # noqa: E731
    if name == "attn_res_fwd":
        arguments = dict(V=draw(3, 7, 64), wq=draw(64), wn=draw(64), eps=1e-6)
    else:
        arguments = dict(q=draw(1, 2, 9, 16), k=draw(1, 2, 9, 16), v=draw(1, 2, 9, 16), scale=0.25, dilation=1, W=3,
                         dilated=False)  # fmt: skip
    results = [again(kernel)(**arguments) for _ in range(2)]
    assert folder.steps() == MADE + FOUND
    monkeypatch.setenv("ATTN_CACHE", "0")
    results.append(again(kernel)(**arguments))
    for result in results[1:]:
        for value, expected in zip(result, results[0], strict=True):
            assert torch.equal(value.view(torch.uint8), expected.view(torch.uint8))


# What is not


def changed(tmp_path, old: str, new: str):
    """The kernel with a change in its text, at the same path."""
    kernel = kernel_text.define(tmp_path, SCALE)
    run(kernel)
    path = Path(kernel._function.__code__.co_filename)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["k"]


@pytest.mark.parametrize(
    "old, new", [("+ C", "- C"), ("FACTOR = 2.0", "FACTOR = 3.0"), ("at.Auto(1, 64)", "at.Auto(1, 8)")]
)
def test_another_source_is_another_program(folder, tmp_path, old, new):
    kernel = changed(tmp_path, old, new)
    folder.steps()
    x = torch.arange(5 * 64, dtype=torch.float32).view(5, 64)
    factor, sign = (3 if "3.0" in new else 2), (-1 if "-" in new else 1)
    assert torch.equal(run(kernel), x * factor + sign)
    assert folder.steps() == MADE


def test_another_global_is_another_program(folder, tmp_path):
    kernel = kernel_text.define(tmp_path, SCALE)
    first = run(kernel)
    kernel._function.__globals__["FACTOR"] = 4.0
    folder.steps()
    second = run(again(kernel))
    assert folder.steps() == MADE
    assert torch.equal(second - 1, (first - 1) * 2)
    kernel._function.__globals__["FACTOR"] = 5.0
    assert torch.equal(run(kernel) - 1, (first - 1) * 2.5)  # also in a kernel that has been called before


def test_a_name_that_means_another_word(folder, tmp_path):
    text = (
        SCALE.replace("* FACTOR", "* 2.0").replace("FACTOR = 2.0", "word = at.maximum").replace("+ C", "+ word(C, C)")
    )
    kernel = kernel_text.define(tmp_path, text.replace("+ word(C, C)", "+ word(X[t, :], C)"))
    first = run(kernel)
    kernel._function.__globals__["word"] = at.minimum
    folder.steps()
    second = run(again(kernel))
    assert folder.steps() == MADE
    assert not torch.equal(first, second)


def test_constants_types_and_options(folder, tmp_path):
    kernel = kernel_text.define(tmp_path, SCALE)
    run(kernel)
    folder.steps()
    run(again(kernel), constant=1.5)
    assert folder.steps() == [FOUND[0], *MADE[1:]]
    run(again(kernel), constant=-0.0)
    assert folder.steps() == [FOUND[0], *MADE[1:]]
    run(again(kernel), constant=0.0)
    assert folder.steps() == [FOUND[0], *MADE[1:]]
    again(kernel)(torch.zeros(5, 64, dtype=torch.float16), 1.0)
    assert folder.steps() == [FOUND[0], *MADE[1:]]
    run(again(kernel), BT=2)
    assert folder.steps() == [FOUND[0], *MADE[1:]]
    run(again(kernel), strips=64)
    assert folder.steps() == [*FOUND[:2], MADE[2]]


@pytest.mark.parametrize("what, expected", [("host_identity", [*FOUND[:2], MADE[2]]), ("compiler_identity", MADE)])
def test_another_machine_or_version(folder, tmp_path, monkeypatch, what, expected):
    kernel = kernel_text.define(tmp_path, SCALE)
    run(kernel)
    folder.steps()
    monkeypatch.setattr(keys, what, lambda: "another")
    run(again(kernel))
    assert folder.steps() == expected


def test_the_identity_follows_the_files(tmp_path, monkeypatch):
    """Every file of the compiler counts: its Python files by content, libraries by their build ids."""
    package = tmp_path / "attn"
    for folder in ("call", "frontend"):
        (package / folder).mkdir(parents=True)
    (package / "compiler.py").write_text("a = 1\n")
    monkeypatch.setattr(keys, "_PACKAGE", str(package))
    identify = keys.compiler_identity.__wrapped__
    seen = {identify()}
    (package / "compiler.py").write_text("a = 2\n")
    seen.add(identify())
    for file in ("call/binding.py", "frontend/words.py"):
        (package / file).write_text("")
        seen.add(identify())
    monkeypatch.setattr(keys, "identify_library", lambda path: b"rebuilt")
    seen.add(identify())
    assert len(seen) == 5


def test_native_modules_carry_build_ids():
    for path in (_host.__file__, *_host.compiler_libraries):
        assert isinstance(keys.identify_library(path), bytes) and len(keys.identify_library(path)) >= 8
    assert keys.identify_library("/no/such/file") == "absent"


def test_errors_are_not_kept(folder, tmp_path):
    kernel = kernel_text.define(tmp_path, SCALE.replace("FACTOR = 2.0", "").replace("* FACTOR", "* UNKNOWN"))
    for _ in range(2):
        with pytest.raises(attn.CompileError, match="unknown name 'UNKNOWN'"):
            run(again(kernel))
    assert not folder.files("lowered")


def test_texts_of_the_stages(folder):
    from kernels_dsl.attn_res import attn_res_fwd

    def compile_it(kernel, soc="Ascend910B4"):
        row = at.spec("256", at.bf16)
        return kernel.compile(soc=soc, V=at.spec("? ? 256", at.bf16), wq=row, wn=row)

    first, second = compile_it(attn_res_fwd), compile_it(again(attn_res_fwd))
    for stage in attn.STAGES:
        assert first.ir(stage) == second.ir(stage)
    assert first.ir("tile", debug_info=True) == second.ir("tile", debug_info=True) != first.ir("tile")
    assert first.sizes == second.sizes and first.sizes
    assert list(map(repr, first.remarks)) == list(map(repr, second.remarks))
    # `compile` makes AscendC and sidecar, the others are made as they are asked for.
    stages = ["ascendc", "sidecar", *(stage for stage in attn.STAGES if stage != "ascendc")]
    steps = folder.steps()
    compiled, asked = stages[:2], [*stages[2:], "tile"]
    assert [step for step in steps if step[1] in stages] == [
        *(("made", stage) for stage in compiled),
        *(("found", stage) for stage in compiled),
        *(pair for stage in asked for pair in (("made", stage), ("found", stage))),
    ]
    compile_it(again(attn_res_fwd), soc="Ascend910B1")
    assert ("made", "ascendc") in folder.steps()


# A warm start


def test_a_warm_start_loads_no_compiler(folder, tmp_path):
    """Nor does it parse anything."""
    text = textwrap.dedent(kernel_text.HEAD) + textwrap.dedent(SCALE)
    text += textwrap.dedent("""
        import sys
        import torch
        assert k(torch.ones(3, 64), 1.0).eq(3).all()
        print("core" if "attn._core" in sys.modules else "light")
        print("frontend" if "attn.frontend" in sys.modules else "light")
        print("mapped" if any("libMLIR" in line for line in open("/proc/self/maps")) else "light")
    """)
    program = tmp_path / "program.py"
    program.write_text(text)
    said = [subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout.split()
            for _ in range(2)]  # fmt: skip
    assert said == [["core", "frontend", "mapped"], ["light"] * 3]


def test_keys_are_cheap(folder):
    """Less than a millisecond, once the identity of the compiler is known; the best of several."""
    from kernels_dsl.attn_res import attn_res_fwd

    attn_res_fwd._key("warm")
    taken = []
    for _ in range(20):
        start = time.perf_counter()
        again(attn_res_fwd)._key("part")
        taken.append(time.perf_counter() - start)
    assert min(taken) < 1e-3


# What is wrong in the folder


def test_every_wrong_byte_is_found():
    content = pack({"key": "a", "kind": "b", "name": "c"}, Entry({"n": 1}, b"data\n\0more"))
    label, entry = unpack(content)
    assert (label["name"], entry.about, entry.data) == ("c", {"n": 1}, b"data\n\0more")
    for place in range(len(content)):
        for wrong in (content[:place], content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]):
            with pytest.raises(Corrupt):
                unpack(wrong)
    with pytest.raises(Corrupt):
        unpack(content + b"x")


@pytest.mark.parametrize("kind", ["signature", "lowered", "cpu"])
@pytest.mark.parametrize("damage", ["empty", "cut", "bit", "zeros", "swapped"])
def test_a_corrupt_entry_is_made_again(folder, tmp_path, kind, damage):
    kernel = kernel_text.define(tmp_path, SCALE)
    expected = run(kernel)
    (file,) = folder.files(kind)
    content = file.read_bytes()
    middle = len(content) // 2
    file.write_bytes({
        "empty": b"",
        "cut": content[:middle],
        "bit": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "zeros": bytes(len(content)),
        "swapped": pack({"key": "0" * 40, "kind": kind, "name": "k"}, unpack(content)[1]),
    }[damage])  # fmt: skip
    folder.said()
    assert torch.equal(run(again(kernel)), expected)
    said = folder.said()
    assert any(note.startswith(f"removed {file.name}: ") for note in said)
    assert any(note.startswith(f"made {kind} ") for note in said)
    assert torch.equal(run(again(kernel)), expected)
    assert folder.steps() == FOUND


def malformed(**changes):
    """A description of a kernel without arguments, and what is wrong with it."""
    return {
        "arguments": [],
        "segments": [[0, 16, "rx"]],
        "addresses": [],
        "phases": [0],
        "grid": None,
        "launch_checks": [],
        "report_words": 1,
        "limit": 0,
        **changes,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"segments": [[0, 1 << 40, "rx"]]},
        {"segments": [[8, 8, "rx"]]},
        {"segments": [[0, 16, "r"]]},
        {"addresses": [[15, 0]]},
        {"addresses": [[(1 << 64) - 4, 0]]},
        {"addresses": [[0, 1 << 50]]},
        {"addresses": [[0, "system"]]},
        {"phases": []},
        {"phases": [16]},
        {"grid": 99},
        {"launch_checks": [16]},
        {"report_words": 65},
        {"arguments": [{"kind": "heap", "bytes": 4, "float": True}]},
        {"arguments": [{"kind": "scalar", "bytes": 0, "float": True}]},
    ],
)
def test_a_malformed_kernel_is_refused(changes):
    _host.Kernel(malformed(), bytes(16))
    with pytest.raises(ValueError, match="malformed"):
        _host.Kernel(malformed(**changes), bytes(16))


@pytest.mark.parametrize("place", ["folder", "file", "link", "pipe"])
def test_what_others_may_write_is_not_used(folder, tmp_path, place, recwarn):
    kernel = kernel_text.define(tmp_path, SCALE)
    expected = run(kernel)
    assert (folder.path.stat().st_mode & 0o777) == 0o700
    files = folder.files("cpu")
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600]
    if place == "folder":
        folder.path.chmod(0o777)
    elif place == "file":
        files[0].chmod(0o666)
    elif place == "link":
        files[0].rename(tmp_path / "elsewhere")
        files[0].symlink_to(tmp_path / "elsewhere")
    else:
        files[0].unlink()
        os.mkfifo(files[0])
    folder.steps()
    settings._warned.clear()
    assert torch.equal(run(again(kernel)), expected)
    if place == "folder":
        assert folder.steps() == MADE
        assert [str(warning.message) for warning in recwarn if "others may write to it" in str(warning.message)]
    else:
        assert folder.steps()[-1] == ("made", "cpu")


@pytest.mark.parametrize("place", ["/proc/attn-cache", "a-file", "full"])
def test_without_a_usable_folder_kernels_run(folder, tmp_path, monkeypatch, place):
    """As root, permissions forbid nothing: /proc stands for a read-only folder, a limit of files for a full disk."""
    settings._warned.clear()
    kernel = kernel_text.define(tmp_path, SCALE)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if place == "full":
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        monkeypatch.delenv("ATTN_CACHE_LOG")
    else:
        (tmp_path / "a-file").write_text("")
        monkeypatch.setenv("ATTN_CACHE_DIR", str(tmp_path / place) if place == "a-file" else place)
    try:
        with pytest.warns(RuntimeWarning) as said:
            if place == "full":
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
            results = [run(again(kernel)) for _ in range(2)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        if place == "full":
            signal.signal(signal.SIGXFSZ, ignored)
    assert torch.equal(*results)
    assert len([warning for warning in said if "attn's cache" in str(warning.message)]) == 1
    if place == "full":
        assert not [file for file in folder.path.iterdir() if not file.name.startswith("lock-")]


def test_a_removed_folder_is_made_again(folder, tmp_path):
    kernel = kernel_text.define(tmp_path, SCALE)
    run(kernel)
    for file in folder.path.iterdir():
        file.unlink()
    folder.path.rmdir()
    folder.steps()
    run(again(kernel))
    assert folder.steps() == MADE and folder.files("cpu")


# The limit


def put(store: Store, number: int, size: int):
    """An entry of about `size` bytes, last used `number` seconds after the epoch."""
    key = f"{number:040x}"
    store.save(key, "cpu", "k", Entry({}, os.urandom(size)))
    return key


def test_the_least_recently_used_go_first(tmp_path):
    store = Store(str(tmp_path / "cache"), 100_000)
    names = [put(store, number, 10_000) for number in range(8)]
    for number, key in enumerate(names):
        os.utime(tmp_path / "cache" / f"{key}.cpu", (number, number))
    assert store.load(names[0], "cpu") is not None  # a use, which makes it the last to go
    put(store, 8, 15_000)
    put(store, 9, 15_000)
    kept = {entry.key for entry in store.list()}
    assert names[0] in kept and names[1] not in kept and f"{9:040x}" in kept
    assert sum(entry.bytes for entry in store.list()) <= 90_000
    put(store, 10, 200_000)  # more than there may be
    assert store.load(f"{10:040x}", "cpu") is None and kept <= {entry.key for entry in store.list()} | {names[2]}


def test_a_reader_keeps_what_is_evicted(tmp_path):
    store = Store(str(tmp_path / "cache"), 30_000)
    key = put(store, 1, 20_000)
    with open(tmp_path / "cache" / f"{key}.cpu", "rb") as reader:
        put(store, 2, 20_000)
        assert store.load(key, "cpu") is None
        unpack(reader.read())


def test_abandoned_files_go(tmp_path):
    store = Store(str(tmp_path / "cache"), 1 << 20)
    put(store, 1, 10)
    left, fresh = tmp_path / "cache" / "tmp-1-a", tmp_path / "cache" / "tmp-1-b"
    for file in (left, fresh):
        file.write_bytes(b"half")
    os.utime(left, (1, 1))
    put(Store(store.folder, store.limit), 2, 10)
    assert not left.exists() and fresh.exists()


# Several processes


def in_child(work):
    """Starts a process that does `work`; its exit code is 0 where that returns."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def obtain(seconds: float = 0.0, mark: Path | None = None):
    """An entry that takes long to make; a file counts how often it is."""

    def make():
        if mark:
            with open(mark, "a") as file:
                file.write("x")
        time.sleep(seconds)
        return {}, b"data"

    return cache.obtain("cpu", "k", lambda: "ab" * 20, make)


def test_one_process_makes_it_and_the_others_wait(folder, tmp_path):
    mark = tmp_path / "mark"
    children = [in_child(lambda: obtain(0.3, mark)) for _ in range(8)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert mark.read_text() == "x"


def test_a_killed_process_leaves_its_turn(folder, tmp_path):
    mark = tmp_path / "mark"
    child = in_child(lambda: obtain(60, mark))
    while not mark.exists() or mark.read_text() != "x":
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    start = time.monotonic()
    assert obtain(0, mark).data == b"data"
    assert time.monotonic() - start < 30 and mark.read_text() == "xx"
    os.waitpid(child, 0)


# The command


def attn_cache(action: str, code: int = 0):
    done = subprocess.run([sys.executable, "-m", "attn", "cache", action], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def test_the_command(folder, tmp_path):
    assert attn_cache("path").stdout.strip() == str(folder.path)
    assert "entries  0" in attn_cache("info").stdout
    run(kernel_text.define(tmp_path, SCALE))
    info = attn_cache("info").stdout
    assert "entries  3" in info and str(folder.path) in info and "cpu" in info
    listed = attn_cache("list").stdout.splitlines()
    assert len(listed) == 3 and all(line.endswith(" k") for line in listed)
    assert attn_cache("verify").stdout == "3 entries are right, 0 were corrupt\n"
    (file,) = folder.files("cpu")
    file.write_bytes(b"attn-cache 1 ")
    verified = attn_cache("verify", code=1)
    assert "2 entries are right, 1 were corrupt" in verified.stdout and file.name in verified.stderr
    assert "removed 2 entries" in attn_cache("clear").stdout
    assert "entries  0" in attn_cache("info").stdout


@pytest.mark.parametrize("text, size", [("", 1 << 30), ("500", 500), ("3K", 3072), ("2MiB", 2 << 20), ("1g", 1 << 30)])
def test_sizes(monkeypatch, text, size):
    monkeypatch.setenv("ATTN_CACHE_SIZE", text)
    assert settings.size_limit() == size


def test_a_wrong_size_is_said(monkeypatch):
    monkeypatch.setenv("ATTN_CACHE_SIZE", "much")
    settings._warned.clear()
    with pytest.warns(RuntimeWarning, match="ATTN_CACHE_SIZE is 'much'"):
        assert settings.size_limit() == settings.DEFAULT_SIZE


def test_places(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTN_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert settings.folder() == str(tmp_path / "attn")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings.folder() == str(tmp_path / ".cache" / "attn")


def test_without_a_home(monkeypatch):
    monkeypatch.delenv("ATTN_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    settings._warned.clear()
    with pytest.warns(RuntimeWarning, match="no home folder"):
        assert obtain().data == b"data"
