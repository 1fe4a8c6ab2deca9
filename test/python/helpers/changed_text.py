"""Emitted texts with a mistake in them, on the modelled chip."""

import re

import torch

import attn
import attn.language as at
from attn import compiler, testing
from kernels_dsl.attn_res import attn_res_fwd

EPS = 1e-6
FEW = "Ascend910B4:vector_cores=3"


@attn.kernel
def scale(X: at.Tensor["T D"], s: float, BT: at.Auto(1, 64)):
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :].to(at.f32) * s
    return Y


LINE_OF_PRODUCT = scale._function.__code__.co_firstlineno + 4


def change_text(monkeypatch, stage: str, pattern: str, replacement: str):
    """Every kernel's text of a stage has the first match of a pattern changed."""

    def change(text):
        changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
        assert changed != text, f"nothing to change: {pattern}"
        return changed

    original = getattr(compiler.Artefact, stage).fget
    monkeypatch.setattr(compiler.Artefact, stage, property(lambda artefact: change(original(artefact))))


def check_mistake(monkeypatch, stage: str, mistake):
    """A mistake, (pattern, replacement, what is said), in the text of a stage is found, and in no stage before."""
    pattern, replacement, said = mistake
    change_text(monkeypatch, stage, pattern, replacement)
    inputs = testing.attn_res_inputs(3, 21, 128, torch.bfloat16)
    result = attn.verify(attn_res_fwd, *inputs, EPS, BT=8, soc=FEW, stages=("ascend", stage))
    assert not result.ok and result.stage == stage, repr(result)
    assert said in repr(result)
