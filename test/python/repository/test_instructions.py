"""Every row of the table of instructions has the places that CONTRIBUTING lists and the compiler cannot ask for."""

import re

import pytest

import instruction_table
from repository import ROOT

INSTRUCTIONS = instruction_table.read(ROOT)


def kinds_of(row):
    """The kinds that are an instruction each: composites are written out, and a round mode is an argument."""
    return [None] if row.group == "Composite" or row.elements == "Conversion" else row.kinds or [None]


KINDS = [
    pytest.param(row, kind, id=f"{row.mnemonic}-{kind.word if kind else 'only'}")
    for row in INSTRUCTIONS
    for kind in kinds_of(row)
]
CALLS = sorted({call for row in INSTRUCTIONS for call in row.calls})


def text_of(*patterns: str):
    return "\n".join(path.read_text() for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def spelled(row, kind):
    """Matches the op in IR."""
    return re.compile(rf"ascend\.{row.mnemonic} {kind.word}\b" if kind else rf"ascend\.{row.mnemonic}\b")


@pytest.mark.parametrize("row, kind", KINDS)
def test_is_executed_by_a_test(row, kind):
    """A test of the simulator runs it and compares the bytes it touches with its interface."""
    runs = [path.read_text() for path in ROOT.glob("test/Simulator/IR/*.mlir")]
    assert any("--check-effects" in text and spelled(row, kind).search(text) for text in runs)


@pytest.mark.parametrize("row, kind", [param for param in KINDS if param.values[0].group != "Composite"])
def test_is_spelled_in_a_test(row, kind):
    """A test compares its call in AscendC, and compiles it against the twin."""
    assert spelled(row, kind).search(text_of("test/Target/AscendC/*.mlir"))


@pytest.mark.parametrize("row, kind", KINDS)
def test_hivm_is_printed_or_refused_in_a_test(row, kind):
    kind = kind if row.hivm == "HasForm" else None
    assert spelled(row, kind).search(text_of("test/Target/HIVM/*.mlir", "test/Conversion/AscendToHIVM/*.mlir"))


def test_hivm_is_read():
    """The modelled chip reads each op of HIVM that the table names, and says on its own what it does."""
    reading = (ROOT / "lib/Simulator/HIVM/Instructions.cpp").read_text()
    ops = {kind.hivm for row in INSTRUCTIONS for kind in row.kinds if kind.hivm.startswith("V")}
    assert ops and not [op for op in ops if f"({op} op)" not in reading]


@pytest.mark.parametrize("call", CALLS)
def test_call_is_in_the_twin(call):
    """Written from the vendor's documentation, by hand."""
    headers = text_of("include/attn/Simulator/AscendC/Device/*.h")
    assert re.search(rf"\bvoid {call}\(|ATTN_TWIN_\w+\({call}[,)]", headers)


def test_words_of_kinds():
    """Members of enums and rows of the table are the same; the build compares their numbers."""
    for row in INSTRUCTIONS:
        assert all(kind.word for kind in row.kinds), row.name
