"""Rows that lie further apart than one transfer of the chip steps, whose field for the gap has 32 bits.

Kernels move them one by one where that can happen in an array without gaps; other calls are refused. Nothing but the few
elements that are read is ever in memory.
"""

import pytest
import torch

import attn
import attn.language as at
from kernels_dsl.attn_res import attn_res_fwd

SOC = "Ascend910B4"
STAGES = pytest.mark.parametrize("stage", ["ascend", "ascendc", "hivm"])
REACH = 1 << 32
"""The first gap in bytes that the field does not hold."""


@attn.kernel
def every(X: at.Tensor["S D"], step: int, BT: at.Auto(1, 8)):
    """Rows 0, step, 2 * step and 3 * step."""
    Y = at.empty("4 D", X.dtype)
    for t in at.grid(at.tiles(4, BT)):
        Y[t, :] = X[t.map(0, step), :]
    return Y


@attn.kernel
def spread(X: at.Tensor["4 D"], places: at.Tensor["S"], step: int, BT: at.Auto(1, 8)):
    """Rows of X at 0, step, 2 * step and 3 * step of as many as there are places."""
    Y = at.empty("S D", X.dtype)
    for t in at.grid(at.tiles(4, BT)):
        Y[t.map(0, step), :] = X[t, :]
    return Y


@attn.kernel
def rows(X: at.Tensor["S D"], BT: at.Auto(1, 8)):
    Y = at.empty("S D", X.dtype)
    for t in at.grid(at.tiles(S, BT)):
        Y[t, :] = X[t, :]
    return Y


@attn.kernel
def first_elements(X: at.Tensor["N T"], BN: at.Auto(1, 8)):
    Y = at.empty("N", X.dtype)
    for n in at.grid(at.tiles(N, BN)):
        Y[n] = X[n, 0]
    return Y


def far_rows(count: int, gap_bytes: int, columns: int = 16):
    """Rows of f32 of which each has its number in every element."""
    memory = torch.empty_strided((count, columns), (gap_bytes // 4 + columns, 1))
    return memory.copy_(torch.arange(float(count))[:, None].expand(count, columns))


def between(tensor, step: int):
    """A view with further rows between those of the tensor, which are at multiples of the step."""
    count, columns = tensor.shape
    assert tensor.stride(0) % step == 0
    return tensor.as_strided(((count - 1) * step + 1, columns), (tensor.stride(0) // step, 1))


GAPS = pytest.mark.parametrize("gap", [REACH - 16, REACH, REACH + 16])


@STAGES
@GAPS
def test_mapped_rows_are_read(stage, gap):
    far = far_rows(4, gap)
    result = attn.simulate(every, between(far, 4), 4, soc=SOC, stage=stage)
    assert not result.report.hazards
    assert torch.equal(result.outputs, far)


@STAGES
@GAPS
def test_mapped_rows_are_written(stage, gap):
    X, far = far_rows(4, 0), far_rows(4, gap).zero_()
    result = attn.simulate(spread, X, torch.zeros(13), 4, soc=SOC, stage=stage, outputs={"Y": between(far, 4)})
    assert not result.report.hazards
    assert torch.equal(far, X)


def test_one_transfer_where_it_reaches(tmp_path):
    """Elsewhere, one for each row."""

    def count_loads(gap: int):
        trace = tmp_path / f"{gap}.txt"
        attn.simulate(every, between(far_rows(4, gap), 4), 4, soc=SOC, BT=4, trace=str(trace))
        return trace.read_text().count("copy_in")

    assert count_loads(REACH - 16) == 1 and count_loads(REACH) == 4


@STAGES
@pytest.mark.parametrize("gap", [REACH - 2, REACH])
def test_blocks_are_read(stage, gap):
    """The resident form takes the blocks of a token as rows of one tile."""
    V = torch.empty_strided((2, 1, 64), (gap // 2 + 64, 64, 1), dtype=torch.bfloat16)
    V[:] = 1.0
    w = torch.ones(64, dtype=torch.bfloat16)
    result = attn.simulate(attn_res_fwd, V, w, w, 1e-6, form="resident", NMAX=2, soc=SOC, stage=stage)
    assert not result.report.hazards
    assert torch.equal(result.outputs[0], torch.ones(1, 64, dtype=torch.bfloat16))


def test_rows_of_a_view_are_refused():
    """Rows of the last dimension but one: a text that moved them one by one would serve such views alone."""
    result = attn.simulate(rows, far_rows(4, REACH - 64), soc=SOC)
    assert torch.equal(result.outputs, far_rows(4, 0))
    with pytest.raises(
        ValueError, match=r"X: rows along dimension 0 are 4294967356 bytes apart, but transfers of the "
    ):
        attn.simulate(rows, far_rows(4, REACH), soc=SOC)


def test_single_elements_of_rows_are_refused():
    """The gap counts from the end of what is read, which need not be the end of the row."""
    with pytest.raises(ValueError, match=r"X: rows along dimension 0 are 4294967296 bytes apart"):
        attn.simulate(first_elements, at.spec(f"4 {(1 << 30) + 1}", at.f32), soc=SOC, timing_only=True)
