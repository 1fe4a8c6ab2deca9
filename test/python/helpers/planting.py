"""Mistakes put in on purpose, and the notice that the test which stands against one must take of it."""

import contextlib
import re

import pytest

import kernel_text
from attn import _core, compiler
from attn.ops import _dispatch
from repository import ROOT
from stages import Chip

KERNELS = ROOT / "kernels_dsl"


class Planter:
    """Puts mistakes in, until the test ends. `guards` are the modules of the tests that stand against them."""

    def __init__(self, monkeypatch, folder, guards):
        self.patch, self._folder, self._guards = monkeypatch, folder, guards

    def kernel(self, name: str, right: str, wrong: str):
        """Changes the text of a kernel, for operators and tests."""
        (path,) = (path for path in KERNELS.glob("*.py") if f"def {name}(" in path.read_text())
        file, (_, *kernels) = path.stem, path.read_text().split("@attn.kernel\n")
        (text,) = (kernel for kernel in kernels if kernel.startswith(f"def {name}("))
        assert text.count(right) == 1, f"{name} has not one '{right}'"
        planted = kernel_text.define(self._folder, "@attn.kernel\n" + text.replace(right, wrong), name)
        self.patch.setattr(f"kernels_dsl.{file}.{name}", planted)
        for guard in self._guards:
            if hasattr(guard, name):
                self.patch.setattr(guard, name, planted)

    def function(self, owner, name: str, change):
        """Has a function replaced: `change` gets it, and the arguments of each call."""
        right = getattr(owner, name)
        self.patch.setattr(owner, name, lambda *args, **keywords: change(right, *args, **keywords))

    def chip_ir(self, right: str, wrong: str):
        """Changes the chip IR of kernels wherever it has a pattern, which must be somewhere."""

        def change(module, artefact, stage):
            made = module(artefact, stage)
            if stage != "ascend":
                return made
            text, count = re.subn(right, wrong, made.text())
            assert count, f"nothing to change: {right}"
            with compiler.compile_errors():
                return _core.Module.parse(text)

        right_module = compiler.Artefact.module
        self.patch.setattr(compiler.Artefact, "module", lambda *arguments: change(right_module, *arguments))

    def chip(self):
        """Has the operators run on the modelled chip."""
        stand_in = Chip()
        self.patch.setattr(_dispatch, "run", stand_in.run)
        return stand_in


@contextlib.contextmanager
def notices(message: str):
    """The guard fails, and says so."""
    with pytest.raises((Exception, pytest.fail.Exception)) as caught:
        yield
    assert re.search(message, str(caught.value)), caught.value
