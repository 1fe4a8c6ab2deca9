"""The mistakes that `make mistakes` plants in the emitters: the list fits the sources, the tests, and what is documented of it.

Planting them takes a build each, so it is no part of this suite.
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
from mistake import Mistake
from repository import ROOT

ALL = [mistake for mistakes in MISTAKES.values() for mistake in mistakes]


@functools.cache
def functions(file: str):
    """The names of a file's functions."""
    return {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.name)
def test_a_mistake_can_be_planted(mistake):
    assert (ROOT / mistake.file).read_text().count(mistake.snippet) == 1
    assert mistake.replacement != mistake.snippet
    assert mistake.tests
    for test in mistake.tests:
        file, _, name = test.partition("::")
        if file.endswith(".mlir"):
            assert (ROOT / file).is_file() and not name
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


PLANTED = Mistake("planted", "", "file.cpp", "right", "wrong", ("test/python/test_none.py::test_none",), "is wrong")


def test_the_file_is_restored(tmp_path, monkeypatch):
    monkeypatch.setattr(plant_mistakes, "ROOT", tmp_path)
    file = tmp_path / "file.cpp"
    file.write_text("all right\n")
    with pytest.raises(KeyboardInterrupt), plant_mistakes.planted(PLANTED):
        assert file.read_text() == "all wrong\n"
        raise KeyboardInterrupt
    assert file.read_text() == "all right\n"
    file.write_text("right, right\n")
    with pytest.raises(AssertionError, match="must occur once"), plant_mistakes.planted(PLANTED):
        pass


@pytest.mark.parametrize(
    "build, verdict, reason",
    [
        ("error: no", (False, "it is wrong"), "does not build"),
        (None, (True, ""), "survives test/python/test_none.py::test_none"),
        (None, (None, ""), "no verdict of test/python/test_none.py::test_none"),
        (None, (False, "something else"), "nothing says 'is wrong'"),
        (None, (False, "it is wrong"), ""),
    ],
)
def test_verdicts(monkeypatch, build, verdict, reason):
    monkeypatch.setattr(plant_mistakes, "build", lambda *targets: build)
    monkeypatch.setattr(plant_mistakes, "run_tests", lambda tests: verdict)
    assert plant_mistakes.judge(PLANTED)[0] == reason
