"""What a wheel installs: the package, the command `attn`, and the tools, which run from where they are installed."""

import importlib
import os
import re
import subprocess

import pytest

from repository import ROOT

TOOLS = sorted(path.name for path in (ROOT / "tools").iterdir() if path.is_dir())
CMAKE = re.search(r"^CMAKE_COMMAND:\w+=(.*)$", (ROOT / "build/CMakeCache.txt").read_text(), re.MULTILINE)[1]


def read_project():
    tomllib = pytest.importorskip("tomllib", reason="Python reads TOML from 3.11 on")
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the component of the tools installs."""
    folder = tmp_path_factory.mktemp("installed")
    command = [CMAKE, "--install", ROOT / "build", "--component", "attn-tools", "--prefix", folder]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_the_tools_are_installed_and_nothing_else(installed):
    files = sorted(path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file())
    assert files == [f"bin/{name}" for name in TOOLS]


@pytest.mark.parametrize("tool", TOOLS)
def test_an_installed_tool_finds_its_libraries(installed, tool):
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([installed / "bin" / tool, "--help"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "USAGE" in done.stdout, done.stderr


def test_the_wheel_takes_the_modules_and_the_tools():
    settings = read_project()["tool"]["scikit-build"]
    assert settings["install"]["components"] == ["attn-python", "attn-tools"]


def test_the_command_line_is_a_command(capsys):
    module, _, function = read_project()["project"]["scripts"]["attn"].partition(":")
    with pytest.raises(SystemExit, match="0"):
        getattr(importlib.import_module(module), function)(["--help"])
    assert capsys.readouterr().out.startswith("usage: attn ")
