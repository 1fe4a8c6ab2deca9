"""Every kernel in every form and type: the CPU, the chip IR, and the emitted texts on the modelled chip agree.

AscendC does on each pipe what the chip IR does, HIVM computes the same bits; nothing has hazards.
"""

import pytest
import torch

import attn
import references
from attn import testing
from catalogue import DTYPES, KERNELS, VARIANTS
from catalogue_values import make_arguments
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

STAGES = ("jit", "ascend", "ascendc", "hivm")
EPS = 1e-6
SMALL = "Ascend910B4:ub_bytes=8192,vector_cores=3"
FEW = "Ascend910B4:vector_cores=3"


FORWARD = {
    "tail": (5, 25, 123, SMALL, {}),
    "online": (4, 9, 64, FEW, {"softmax": "online"}),
    "reload": (4, 9, 64, FEW, {"softmax": "two-phase-reload"}),
    "strips": (4, 9, 300, SMALL, {}),
    "resident": (3, 9, 64, FEW, {"form": "resident", "NMAX": 4}),
    "rounded-key": (3, 9, 64, FEW, {"round_key": True}),
}


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", FORWARD)
def test_attn_res_forward(name, dtype):
    blocks, tokens, width, soc, options = FORWARD[name]
    inputs = testing.attn_res_inputs(blocks, tokens, width, dtype)
    rounds = "round_key" in options
    result = attn.verify(
        attn_res_fwd, *inputs, EPS, **options, soc=soc, stages=STAGES,
        reference=None if rounds else lambda V, wq, wn, eps, **_: testing.attn_res_reference(V, wq, wn, eps),
        tolerance={"h": testing.ATTN_RES_H_TOLERANCE[dtype]},
    ).check()  # fmt: skip
    assert result.runs["ascendc"].report.instructions == result.runs["ascend"].report.instructions > 0


BACKWARD = {
    "phases-meet": (5, 25, 123, SMALL, {"phases": "barrier"}),
    "phases-are-launches": (5, 25, 123, SMALL, {"phases": "launches"}),
    "values-only": (3, 9, 64, FEW, {"want_dw": False}),
    "exact": (3, 9, 64, FEW, {"exact_delta": True}),
    "resident": (3, 9, 64, FEW, {"form": "resident", "NMAX": 4}),
}


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", BACKWARD)
def test_attn_res_backward(name, dtype):
    blocks, tokens, width, soc, options = BACKWARD[name]
    V, wq, wn = testing.attn_res_inputs(blocks, tokens, width, dtype)
    g = torch.randn(tokens, width, generator=torch.Generator().manual_seed(1)).to(dtype)
    h, lse, scores, norms = testing.attn_res_reference(V, wq, wn, EPS)
    saved = {"lse": lse.float(), "sc": scores.float().contiguous(), "rs": norms.float().contiguous()}
    reads_h = "exact_delta" not in options and "form" not in options
    expected = references.attn_res(V, wq, wn, g, EPS)

    def reference(**_):
        want_dw = options.get("want_dw", True)
        return expected["dV"], *((expected["dw_query"], expected["dw_norm"]) if want_dw else (None, None))

    weights = {f"dw{part}": (references.ATTN_RES_DW[dtype] * expected[f"dw_{word}"].norm(), 0.0)
               for part, word in (("q", "query"), ("n", "norm"))}  # fmt: skip
    attn.verify(
        attn_res_bwd, dh=g, V=V, wq=wq, wn=wn, h=h.to(dtype) if reads_h else None, **saved, **options, soc=soc,
        stages=STAGES, reference=reference, tolerance={"dV": references.ATTN_RES_DV[dtype], **weights},
    ).check()  # fmt: skip


def test_lists_of_tensors():
    values, *weights = testing.attn_res_inputs(3, 21, 64, torch.float16)

    def reference(V, wq, wn, eps):
        return testing.attn_res_reference(torch.stack(V), wq, wn, eps)

    tolerance = {"h": testing.ATTN_RES_H_TOLERANCE[torch.float16]}
    attn.verify(
        attn_res_fwd, list(values), *weights, EPS, soc=FEW, stages=STAGES, reference=reference, tolerance=tolerance
    ).check()


def test_lists_of_gradients():
    V, wq, wn = testing.attn_res_inputs(3, 21, 64, torch.float16)
    g = torch.randn(21, 64, generator=torch.Generator().manual_seed(1)).half()
    h, lse, scores, norms = testing.attn_res_reference(V, wq, wn, EPS)
    expected = references.attn_res(V, wq, wn, g, EPS)["dV"]
    saved = {"lse": lse.float(), "sc": scores.float().contiguous(), "rs": norms.float().contiguous()}
    attn.verify(
        attn_res_bwd, dh=g, V=list(V), wq=wq, wn=wn, h=h.half(), **saved, want_dw=False, soc=FEW, stages=STAGES,
        reference=lambda **_: (list(expected), None, None), tolerance=references.ATTN_RES_DV[torch.float16],
    ).check()  # fmt: skip


BANDS = {
    "plain": (60, 16, 3, 1, FEW, {}),
    "dilated": (61, 24, 5, 2, FEW, {}),
    "gathered": (60, 16, 3, 2, FEW, {"band": "gathered"}),
    "reload": (61, 24, 5, 2, FEW, {"band": "gathered", "reload": True}),
    "tight": (45, 80, 3, 2, "Ascend910B4:ub_bytes=48000,vector_cores=3", {}),
}


def band_inputs(positions, width, dtype):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, 2, positions, width, generator=generator).to(dtype) for _ in range(4)]


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", ["plain", "dilated", "gathered", "tight"])
def test_neighborhood_forward(name, dtype):
    positions, width, window, dilation, soc, options = BANDS[name]
    q, k, v, _ = band_inputs(positions, width, dtype)

    def reference(q, k, v, scale, dilation, W, dilated):
        return references.neighborhood_forward(q, k, v, W, dilation, scale)

    attn.verify(
        neighborhood_fwd, q, k, v, 0.5, dilation, W=window, dilated=dilation != 1, **options, soc=soc, stages=STAGES,
        reference=reference, tolerance={"o": references.NEIGHBORHOOD_O[dtype]},
    ).check()  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", references.DTYPES, ids=references.names)
@pytest.mark.parametrize("name", ["plain", "dilated", "tight", "reload"])
def test_neighborhood_backward(name, dtype):
    positions, width, window, dilation, soc, options = BANDS[name]
    q, k, v, g = band_inputs(positions, width, dtype)
    expected = references.neighborhood(q, k, v, g, window, dilation, 0.5)
    attn.verify(
        neighborhood_bwd, g, q, k, v, expected["lse"].float(), 0.5, dilation, W=window, dilated=dilation != 1,
        BM=16, RUN=64, **options, soc=soc, stages=STAGES,
        reference=lambda *_, **__: (expected["dq"], expected["dk"], expected["dv"]),
        tolerance=references.NEIGHBORHOOD_GRADIENT[dtype],
    ).check()  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KERNELS | VARIANTS)
def test_texts_of_every_form(name, dtype):
    """Each text computes the bits of the chip IR that it was printed from."""
    torch.manual_seed(0)
    kernel, _, constants = (KERNELS | VARIANTS)[name]
    attn.verify(kernel, **make_arguments(name, dtype), **constants, stages=("ascend", "ascendc", "hivm")).check()
