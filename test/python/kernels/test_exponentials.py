"""Exponentials on the CPU: the same bits wherever an element is in a row, also where the result is barely a number."""

import numpy as np
import pytest
import torch

import attn
import attn.language as at


@attn.kernel
def exponentials(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = at.exp(X[t, :])
    return Y


def draw_arguments():
    """Numbers whose exponentials are large, near 1, small, without leading bit and zero, and NaN."""
    generator = torch.Generator().manual_seed(0)
    spread = torch.cat([torch.linspace(-110, 95, 40_000), torch.linspace(-104, -86, 20_000)])
    near = torch.randn(4_000, generator=generator)
    special = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 88.72283, 88.72284, -103.97, -103.98])
    return torch.cat([spread, near, special])


@pytest.mark.parametrize("width", [17, 31, 48])
def test_an_element_has_the_same_bits_wherever_it_is(width):
    values = draw_arguments()
    alone = exponentials(values[:, None].contiguous())[:, 0]
    rows = values[: values.numel() // width * width].view(-1, width)
    together = exponentials(rows).flatten()
    np.testing.assert_array_equal(
        together.view(torch.int32).numpy(), alone[: together.numel()].view(torch.int32).numpy()
    )


def test_results_are_within_two_units_of_the_last_place():
    values = draw_arguments()
    ours, exact = exponentials(values[:, None].contiguous())[:, 0], torch.exp(values.double())
    numbers = torch.isfinite(exact) & (exact < torch.finfo(torch.float32).max)
    spacing = torch.from_numpy(np.spacing(exact[numbers].float().numpy())).double()
    assert ((ours[numbers].double() - exact[numbers]).abs() <= 2 * spacing).all()
    assert torch.equal(torch.isnan(ours), torch.isnan(values))
    assert (ours[exact > torch.finfo(torch.float32).max] == float("inf")).all()
