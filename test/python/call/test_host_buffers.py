"""Kernels whose tiles cannot simply share buffers on the CPU: each value must live as long as it is read."""

import pytest
import torch

import attn.language as at
import kernel_text
from attn import _core, compiler
from kernels_dsl.attn_res import attn_res_fwd

pytestmark = pytest.mark.optimized

EXCHANGED = """
@attn.kernel
def k(x: at.Tensor["T D"], y: at.Tensor["T D"], N: int, BT: at.Auto(1, 64) = None):
    o, p = at.empty_like(x), at.empty_like(y)
    for t in at.grid(at.tiles(T, BT)):
        a, b = x[t, :], y[t, :]
        for j in at.range(3):
            {step}
            for n in at.range(N):
                a = a + {added}
        o[t, :], p[t, :] = a, b
    return o, p
"""


def exchanged(a, b, count: int, step: str, added: str):
    """What EXCHANGED computes."""
    for _ in range(3):
        values = {"a": a, "b": b}
        exec(step, values)
        for _ in range(count):
            values["a"] = values["a"] + eval(added, values)
        a, b = values["a"], values["b"]
    return a, b


@pytest.mark.parametrize("added", ["a", "b"])
@pytest.mark.parametrize("step", ["a, b = b, a", "a, b = b, a; a = b", "a = b", "b = a"])
def test_carried_tiles_change_places(tmp_path, step, added):
    kernel = kernel_text.define(tmp_path, EXCHANGED.format(step=step, added=added))
    x, y = torch.arange(12.0).reshape(3, 4), -torch.arange(12.0).reshape(3, 4)
    for count in (0, 1, 5):
        for result, expected in zip(kernel(x, y, count), exchanged(x, y, count, step, added)):
            assert torch.equal(result, expected)


@pytest.mark.parametrize("rows", [5, 8])
def test_a_column_is_reduced_changed_and_stored(tmp_path, rows):
    kernel = kernel_text.define(
        tmp_path,
        """
        @attn.kernel
        def k(x: at.Tensor["T"], BT: at.Auto(1, 64) = None):
            first, last = at.empty("T", at.f32), at.empty("T", at.f32)
            for t in at.grid(at.tiles(T, BT)):
                s = x[t]
                first[t] = s + at.sum(s, 0)
                last[t] = s
            return first, last
        """,
    )
    x = torch.arange(float(rows))
    first, last = kernel(x, BT=8)
    assert torch.equal(first, x + x.sum())
    assert torch.equal(last, x)


def test_bf16_is_streamed_as_words():
    """LLVM would make a plain store of a store of bf16 past the caches."""
    weights = at.spec("64", at.bf16)
    source = attn_res_fwd.prepare(V=at.spec("? ? 64", at.bf16), wq=weights, wn=weights, soc="host").ir("source")
    module = compiler.fit_for_host(source, {})
    module.run("attn-cpu")
    streamed = [line for line in _core.print_llvm(module).splitlines() if "!nontemporal" in line]
    assert any("x i16>" in line for line in streamed)
    assert not any("bfloat" in line for line in streamed)
