"""Kernels stay short, and say what is computed, not how a chip does it."""

import ast
import io
import re
import tokenize

import pytest

from repository import ROOT

FOLDER = ROOT / "kernels_dsl"
MAX_LINES = 80
# What the compiler decides: memory, its places, and the order of pipes.
FORBIDDEN = re.compile(
    r"\b(ub|unified buffers?|buffers?|flags?|events?|barriers?|pipes?|set_flag|wait_flag)\b", re.IGNORECASE
)
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code_lines(text: str):
    """The numbers of the lines that hold code: not those that are empty, comments or documentation."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


def problems(text: str):
    """What is wrong with the text of a kernel file."""
    found = []
    count = len(code_lines(text))
    if count >= MAX_LINES:
        found.append(f"{count} lines of code, the limit is {MAX_LINES - 1}")
    for number, line in enumerate(text.splitlines(), 1):
        found += [f"line {number} mentions '{word}'" for word in FORBIDDEN.findall(line)]
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_kernel_file(path):
    assert problems(path.read_text()) == []


@pytest.mark.parametrize("text, found", [
    ('"""A text\nof two lines."""\n# and a comment\n\nx = 1\n', []),
    ("x = [\n    1,\n]\n" * 27, ["81 lines of code, the limit is 79"]),
    ("x = 1\n" * 79, []),
    ("# kept in UB\nx = 1\n", ["line 1 mentions 'UB'"]),
    ('x = 1\n"""Sets a flag."""\n', ["line 2 mentions 'flag'"]),
    ("buffers, flagged, club = 1, 2, 3\n", ["line 1 mentions 'buffers'"]),
], ids=["documentation", "long", "longest", "memory", "order", "names"])  # fmt: skip
def test_planted_problems(text, found):
    assert problems(text) == found
