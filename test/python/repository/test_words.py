"""The list of banned phrasings: the repository keeps to it, and each entry is seen when it is planted."""

import subprocess

import pytest

import check_words
from repository import ROOT

PLANTED = {
    "what comes be" + "hind it": "after, following",
    "a whole " + "number of bytes": "integer",
    "two re" + "als": "floating-point number",
    "this is " + "no kernel": "is not a, are not",
    'emit("run tile-fit-tiles ' + 'before")': "must be lowered first by",
    "run 'tile-fit-tiles' " + "before this": "must run first",
    "flags out of " + "balance": "unbalanced set/wait",
    "it gives " + "back a tile": "returns",
    "who" + "ever reads it": "say what is done, not by whom",
    "no" + "body waits": "nothing, no instruction, another process",
    "it stands " + "in a loop": "is, must be",
    "made a" + "new": "again",
    "as " + "of tile-fit-tiles": "as in",
    "is yet " + "to be planned": "is not … yet",
}


def test_every_phrasing_is_planted():
    assert list(PLANTED.values()) == [phrasing.instead for phrasing in check_words.BANNED]


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_phrasing_is_found(tmp_path, capsys, text):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "File.cpp").write_text(f"// Fine.\n// {text}\n")
    assert check_words.check(tmp_path) == 1
    assert capsys.readouterr().out.startswith("lib/File.cpp:2: '")


@pytest.mark.parametrize("text", ["there is no kernel", "it is no longer there", "what was left behind", "a stand-in"])
def test_what_is_english_is_not(text):
    assert not list(check_words.findings(text))


def test_the_repository_keeps_to_it():
    assert check_words.check(ROOT) == 0
