"""What hosts with narrower or wider vectors compile: register tiles and their panels, sweeps and exponentials differ."""

import random

import numpy as np
import pytest
import torch

from kernels_dsl.attn_res import attn_res_fwd
from kernels_dsl.flash import flash_fwd
from product_cases import KERNELS, exact, operands

LANES = [4, 8, 16]
ROWS = [1, 3, 4, 5, 8, 12, 13, 40]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("transposes", KERNELS, ids=lambda sides: "".join("nt"[side] for side in sides))
def test_products_are_exact(transposes, dtype, lanes):
    """Few rows, which take no panels, and tiles whose rows register tiles do not divide."""
    chance = random.Random(lanes)
    for rows in ROWS:
        a, b = operands(chance, rows, 70, 37, dtype, transposes)
        c = KERNELS[transposes](a, b, BM=max(rows, 8) if transposes[0] else 16, BN=80, BK=24, lanes=lanes)
        np.testing.assert_array_equal(c.double().numpy(), exact(a, b, transposes), err_msg=f"{rows} rows")


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_causal_attention(dtype, lanes):
    """Products that a mask cuts, and keys that do not fill a tile."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, 2, length, 48, generator=generator).to(dtype) for length in (70, 150, 150))
    o, lse = flash_fwd(q, k, v, scale=0.2, right=0, BM=48, BN=64, lanes=lanes)
    scores = (q.double() @ k.double().mT * 0.2).masked_fill(torch.ones(70, 150).triu(81) > 0, float("-inf"))
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    expected = scores.softmax(-1) @ v.double()
    torch.testing.assert_close(o.double(), expected, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("lanes", LANES)
def test_attention_residual(lanes):
    generator = torch.Generator().manual_seed(0)
    values, query, norm = (torch.randn(size, generator=generator) for size in ((3, 5, 83), (83,), (83,)))
    h, lse, *_ = attn_res_fwd(values, query, norm, 1e-6, lanes=lanes)
    wide = values.double()
    scores = (wide * (query * norm)).sum(-1) * torch.rsqrt((wide * wide).mean(-1) + 1e-6)
    expected = (scores.softmax(0)[..., None] * wide).sum(0)
    torch.testing.assert_close(h.double(), expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(lse.double(), scores.logsumexp(0), rtol=1e-5, atol=1e-5)
