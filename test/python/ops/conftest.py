"""Where the kernels of operators run in a test."""

import pytest

from attn.ops import _kernels
from stages import Chip


@pytest.fixture
def chip(monkeypatch):
    """Has operators run on the modelled chip."""
    stand_in = Chip()
    monkeypatch.setattr(_kernels, "run", stand_in.run)
    return stand_in


@pytest.fixture
def stage(request, monkeypatch):
    """For tests that are parametrised, indirectly, with "jit" or "chip"."""
    if request.param == "chip":
        monkeypatch.setattr(_kernels, "run", Chip().run)
    return request.param
