"""The documentation: every page is linked, every link leads somewhere, and the check of shown programs sees what is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import check_docs
from repository import ROOT

PAGES = [*check_docs.documents()]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page: Path):
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path):
    """Yields (file, anchor) of the links of a page to others of the repository."""
    for target, anchor in LINK.findall(re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)):
        if "://" not in target:
            yield ((page.parent / target).resolve() if target else page), anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), target
        assert not anchor or anchor in anchors(target), f"{target}#{anchor}"


@pytest.mark.parametrize("map_page", ["README.md", "docs/README.md"])
def test_every_page_is_linked(map_page):
    linked = {target for target, _ in links(ROOT / map_page)} | {ROOT / "README.md", ROOT / map_page}
    assert not [str(page.relative_to(ROOT)) for page in PAGES if page not in linked]


def test_programs_of_a_page():
    text = (
        "```python\nprint(1)\n```\n\nprints\n```text output\n1\n```\n```sh\nls \\\n  -l\nmake test\n```\n"
        "```python no-run\nx\n```\n```python refused=hivm,linalg\ny\n```\n"
    )
    found = check_docs.programs(text)
    assert [(program.line, program.kind, program.refused) for program in found] == [
        (2, "python", ()),
        (10, "sh", ()),
        (11, "make", ()),
        (18, "python", ("hivm", "linalg")),
    ]
    assert found[0].expected == ["1"]
    with pytest.raises(ValueError, match="line 2: no program prints this"):
        check_docs.programs("```text output\n1\n```\n")


@pytest.mark.parametrize(
    "expected, printed, agrees",
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
    ],
)
def test_what_is_printed(expected, printed, agrees):
    assert check_docs.is_printed(expected, printed) is agrees


KERNEL = """
import attn
import attn.language as at


@attn.kernel
def copy(X: at.Tensor["T D", {dtype}], BT: at.Auto(1, 64)):
    Y = at.empty("T D", {dtype})
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :]
    return Y


copy.compile(X=at.spec("? 64", {dtype}))
"""


@pytest.mark.parametrize(
    "dtype, refusing, said",
    [
        ("at.f32", [], ""),
        ("at.i8", ["hivm"], ""),
        ("at.i8", [], "copy does not compile to hivm: kernel.py:10:19: error: "),
        ("at.f32", ["hivm"], "the page says that hivm refuses a kernel, but all compile"),
        ("at.f32", ["pdf"], "'pdf' is not a text form"),
    ],
)
def test_programs_are_taken_to_every_form(tmp_path, dtype, refusing, said):
    (tmp_path / "kernel.py").write_text(KERNEL.format(dtype=dtype))
    command = [sys.executable, ROOT / "scripts" / "run_documented.py", "kernel.py", *refusing]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, said in done.stderr) == (bool(said), True), done.stderr


def test_a_changed_output_is_a_problem():
    program = check_docs.Program(1, "sh", "echo changed", expected=["as before"])
    assert check_docs.run(program)[0] == "prints something else than the page says"
    assert check_docs.run(check_docs.Program(1, "sh", "exit 3"))[0] == "exit code 3"
