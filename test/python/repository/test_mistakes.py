"""The mistakes that `make mistakes` plants in the emitters: the list fits the sources, the tests, and what is documented of it.

Planting them takes a build each, so it is not a part of this suite.
"""

import ast
import functools
import re
import subprocess
import sys
from collections import Counter

import pytest

import plant_mistakes
from emitters import MISTAKES
from mistake import LostPlace, Mistake, find, find_test
from repository import ROOT

ALL = [mistake for mistakes in MISTAKES.values() for mistake in mistakes]


@functools.cache
def functions(file: str):
    """The names of a file's functions."""
    return {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.name)
def test_a_mistake_can_be_planted(mistake):
    file, start, end = find(mistake, ROOT)
    assert file.read_text()[start:end] != mistake.replacement
    assert mistake.tests
    for test in mistake.tests:
        file, _, name = find_test(test, ROOT).partition("::")
        if file.endswith(".mlir"):
            assert not name
        else:
            assert name.partition("[")[0] in functions(file), test


def test_names():
    assert max(Counter(mistake.name for mistake in ALL).values()) == 1
    for emitter, mistakes in MISTAKES.items():
        assert {mistake.name.partition("-")[0] for mistake in mistakes} == {emitter.lower()}


def test_what_was_tried_is_documented():
    documented = re.findall(r"^\| `([\w-]+)`: ", (ROOT / "docs" / "Testing.md").read_text(), re.MULTILINE)
    assert documented == [mistake.name for mistake in ALL]


def test_the_script_knows_them():
    script = [sys.executable, ROOT / "scripts" / "plant_mistakes.py"]
    listed = subprocess.run([*script, "--list", "hivm-missing"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[1] for line in listed.splitlines()] == [
        "hivm-missing-set",
        "hivm-missing-wait",
        "hivm-missing-barrier",
    ]
    unknown = subprocess.run([*script, "no-such"], capture_output=True, text=True)
    assert unknown.returncode == 1 and "no mistake is named no-such" in unknown.stderr


PLANTED = Mistake("planted", "", 'call(a, "b c")', "wrong()", ("test_none.py::test_none",), "is wrong")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A tree with one source file, which is returned."""
    monkeypatch.setattr(plant_mistakes, "ROOT", tmp_path)
    (tmp_path / "lib").mkdir()
    return tmp_path / "lib" / "file.cpp"


@pytest.mark.parametrize("text", ['call(a, "b c")', 'call(\n      a,\n      "b c")', 'call (a,"b c" )'])
def test_the_file_is_restored(sources, text):
    """Also where the code is formatted in another way than in the list of mistakes."""
    sources.write_text(f"x = {text};\n")
    with pytest.raises(KeyboardInterrupt), plant_mistakes.planted(PLANTED):
        assert sources.read_text() == "x = wrong();\n"
        raise KeyboardInterrupt
    assert sources.read_text() == f"x = {text};\n"


def test_a_lost_place_is_named(sources):
    root = sources.parent.parent
    sources.write_text('call(a, "bc"); mycall(a, "b c");\n')
    with pytest.raises(
        LostPlace, match=r"planted has lost its place: nothing in lib, include, python matches\n  call\(a"
    ):
        find(PLANTED, root)  # neither another string nor the end of another name
    with pytest.raises(LostPlace, match="nothing in the files named other.cpp matches"):
        find(PLANTED._replace(file="other.cpp"), root)
    sources.write_text('call(a, "b c");\ncall(a, "b c");\n')
    with pytest.raises(LostPlace, match="matches 2 places; .*:\n  lib/file.cpp:1\n  lib/file.cpp:2$"):
        find(PLANTED, root)


def test_tests_are_found_where_they_are(tmp_path):
    (tmp_path / "test" / "python" / "stages").mkdir(parents=True)
    (tmp_path / "test" / "python" / "stages" / "test_x.py").touch()
    assert find_test("test_x.py::test_a[1/2]", tmp_path) == "test/python/stages/test_x.py::test_a[1/2]"
    with pytest.raises(LostPlace, match="the test test_y.py::test_a is nowhere below test/"):
        find_test("test_y.py::test_a", tmp_path)
    (tmp_path / "test" / "test_x.py").touch()
    with pytest.raises(LostPlace, match="ambiguous"):
        find_test("test_x.py::test_a", tmp_path)
    assert find_test("stages/test_x.py::test_a", tmp_path) == "test/python/stages/test_x.py::test_a"


@pytest.mark.parametrize(
    "build, verdict, reason",
    [
        ("error: no", (False, "it is wrong"), "does not build"),
        (None, (True, ""), "survives test_none.py::test_none"),
        (None, (None, ""), "no verdict of test_none.py::test_none"),
        (None, (False, "something else"), "nothing says 'is wrong'"),
        (None, (False, "it is wrong"), ""),
    ],
)
def test_verdicts(monkeypatch, build, verdict, reason):
    monkeypatch.setattr(plant_mistakes, "build", lambda *targets: build)
    monkeypatch.setattr(plant_mistakes, "run_tests", lambda tests: verdict)
    assert plant_mistakes.judge(PLANTED)[0] == reason
