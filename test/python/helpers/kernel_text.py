"""Kernels given as text: written to a file, because the source of a kernel is read from its file, and imported."""

import importlib.util
import itertools
import re
import textwrap

import pytest

import attn
import attn.language as at

_count = itertools.count()

HEAD = "import attn\nimport attn.language as at\nHELPER, INF, HUGE = object(), float('inf'), 10**4000\n"


def define(tmp_path, text: str, name: str = "k"):
    """The kernel `name` of a Python text."""
    path = tmp_path / f"kernel{next(_count)}.py"
    path.write_text(HEAD + textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def in_grid(body: str, before: str = ""):
    """The text of a kernel with `body` in its grid."""
    lines = [
        "@attn.kernel",
        'def k(X: at.Tensor["T D"], W: at.Tensor["D"], J: at.Tensor["T", at.i32], s: float, i: int, C: at.Const[int],',
        "      BT: at.Auto(1, 64)):",
        '    Y, L = at.empty("T D", X.dtype), at.empty("T", at.f32)',
        *(f"    {line}" for line in textwrap.dedent(before).strip("\n").splitlines()),
        "    for t in at.grid(at.tiles(T, BT)):",
        "        x = X[t, :]",
        *(f"        {line}" for line in textwrap.dedent(body).strip("\n").splitlines()),
        "        Y[t, :], L[t] = x, 0.0",
        "    return Y, L",
    ]
    return "\n".join(lines)


def compile_in_grid(tmp_path, body: str, before: str = "", dtype=at.bf16, **arguments):
    """The artefact of `in_grid(body, before)` with D = 256; its tile IR has been parsed and verified."""
    arguments = {"C": 3, **arguments}
    specs = {"X": at.spec("? 256", dtype), "W": at.spec("256", at.f32), "J": at.spec("?", at.i32)}
    artefact = define(tmp_path, in_grid(body, before)).prepare(**specs, **arguments)
    artefact.module("source")
    return artefact


def source_ir(artefact):
    """The frontend's text without locations."""
    return re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", artefact._source)


def body_lines(artefact):
    """The lines between the load of `x` and the store of `Y` in `in_grid`, stripped."""
    lines = [line.strip() for line in source_ir(artefact).splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("%x = tile.load"))
    end = next(i for i, line in enumerate(lines) if line.startswith("tile.store") and "%Y[" in line)
    return lines[start + 1 : end]


def expect_error(call, message: str, underlined: str):
    """Checks that `call` raises a CompileError which says `message` and underlines `underlined` in the source."""
    with pytest.raises(attn.CompileError) as caught:
        call()
    first, line, caret = str(caught.value).splitlines()[:3]
    position = re.fullmatch(r"(?P<file>.*):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.*)", first)
    assert position, first
    assert position["message"] == message
    with open(position["file"]) as file:
        assert file.read().splitlines()[int(position["line"]) - 1] == line
    start = int(position["column"]) - 1
    assert caret.index("^") == start
    assert line[start : start + len(caret.strip())] == underlined
