"""Logical grids of any size: no more blocks are launched than the chip has cores, and every tile is computed once."""

import pytest
import torch

import attn
import attn.language as at


@attn.kernel
def add_one(X: at.Tensor["T D"]):
    Y = at.empty_like(X)
    for t in at.grid(T):
        Y[t, :] = X[t, :] + 1.0
    return Y


@attn.kernel
def add_one_to_all(X: at.Tensor["A B D"]):
    Y = at.empty_like(X)
    for a, b in at.grid(A, B):
        Y[a, b, :] = X[a, b, :] + 1.0
    return Y


@pytest.mark.parametrize("tiles", [1, 39, 40, 41, 65535, 65536, 65537, 100003])
def test_any_number_of_tiles(tiles):
    simulated = attn.simulate(add_one, at.spec(f"{tiles} 8", at.f32), timing_only=True)
    assert simulated.report.blocks == min(tiles, 40)
    assert simulated.report.gm_bytes_read == tiles * 32


@pytest.mark.parametrize("tiles", [65535, 65536, 65537])
def test_every_tile_is_computed_once(tiles):
    X = torch.arange(tiles * 8, dtype=torch.float32).reshape(tiles, 8) % 1021
    assert torch.equal(add_one(X), X + 1)
    simulated = attn.simulate(add_one, X)
    assert not simulated.report.hazards
    assert simulated.report.blocks == 40
    assert torch.equal(simulated.outputs, X + 1)


def test_axes_whose_product_is_beyond_a_launch():
    simulated = attn.simulate(add_one_to_all, at.spec("300 300 8", at.f32), timing_only=True)
    assert simulated.report.blocks == 40
    assert simulated.report.gm_bytes_read == 300 * 300 * 32


def test_a_chip_with_more_cores_than_a_launch_has_blocks():
    tile = add_one.compile(X=at.spec("? 8", at.f32), soc="Ascend910B4:vector_cores=70000").ir("tile")
    assert "launch.limit = 65535" in tile
    simulated = attn.simulate(
        add_one, at.spec("1000 8", at.f32), timing_only=True, soc="Ascend910B4:vector_cores=64,max_grid=48"
    )
    assert simulated.report.blocks == simulated.report.cores == 48
