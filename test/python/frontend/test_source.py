"""The source of a kernel is parsed alone, and is what it is in its file."""

import ast
import importlib.util

import pytest

from attn._surroundings import Surroundings
from attn.frontend import source

PLAIN = "def f(x):\n    return x\n"
ENDS = {
    "the file": "",
    "another function": "\n\ndef g():\n    pass\n",
    "a statement": "g = 1\n",
    "a comment": "# about g\ng = 1\n",
}
FUNCTIONS = {
    "plain": PLAIN,
    "decorated": "@same\n@same\n" + PLAIN,
    "decorated over lines": "@same_as(\n    1,\n)\n" + PLAIN,
    "arguments over lines": "def f(\n    x: int,\n    y=2,\n):  # why\n    return x\n",
    "a dedented comment": "def f(x):\n    y = x\n# why\n    return y\n",
    "a dedented string": 'def f(x):\n    y = """\nz = 1\n"""\n    return y\n',
    "dedented brackets": "def f(x):\n    y = (\nx,\n)\n    return y\n",
    "a continued line": "def f(x):\n    y = x + \\\n1\n    return y\n",
    "letters beyond ASCII": "def f(x):\n    return 'äöü', x\n",
    "many dedented lines": 'def f(x):\n    y = """\n' + "z = 1\n" * 9 + '"""\n    return y\n',
}
PLACES = {"a file": "", "a class": "class C:\n    ", "a condition": "if True:\n    "}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("end", ENDS)
def test_parsed_alone_as_in_its_file(tmp_path, function, end, place):
    below = PLACES[place]
    lines = FUNCTIONS[function].splitlines(keepends=True)
    text = "same = lambda f: f\nsame_as = lambda _: same\n" + below + ("    " if below else "").join(lines) + ENDS[end]
    path = tmp_path / "kernels.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f = module.C.f if place == "a class" else module.f
    found = source.load_source(Surroundings(f)).tree
    (expected,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "f")
    assert ast.dump(found, include_attributes=True) == ast.dump(expected, include_attributes=True)


def test_only_the_function_is_parsed(tmp_path):
    lines = (PLAIN + "\n" + PLAIN.replace("f", "g")).splitlines(keepends=True)
    alone = source._parse_function("kernels.py", lines, 1)
    assert [node.name for node in alone.body] == ["f"]
