"""Where the kernels of operators run in a test."""

import pytest

from attn.ops import _dispatch
from stages import Chip


@pytest.fixture
def chip(monkeypatch):
    """Has operators run on the modelled chip."""
    stand_in = Chip()
    monkeypatch.setattr(_dispatch, "run", stand_in.run)
    return stand_in


@pytest.fixture
def stage(request, monkeypatch):
    """For tests that are parametrised, indirectly, with "jit" or "ascend"."""
    if request.param == "ascend":
        monkeypatch.setattr(_dispatch, "run", Chip().run)
    return request.param
