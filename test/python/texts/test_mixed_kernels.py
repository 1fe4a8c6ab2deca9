"""Texts of kernels of the language that need cube and vector cores: AscendC computes the bits of the chip IR, HIVM what the reference does."""

import pytest
import torch

import attn
import mixed_cases
import mixed_kernels as mixed
from hivm_vendor import check_halves
from references import DTYPES, names


def randn(*shape, scale=1.0):
    generator = torch.Generator().manual_seed(sum(shape))
    return (torch.randn(*shape, generator=generator) * scale).half()


CASES = {
    "epilogue": (randn(70, 72), randn(72, 48)),
    "softmax_between": (randn(70, 32), randn(32, 80), randn(80, 64)),
    "block_attention": (randn(70, 64), randn(3, 80, 64), randn(3, 80, 64), 0.125),
    "prepared": (randn(70, 96), randn(96, 32, scale=0.1), randn(96).float()),
    "three_products": (randn(70, 32), randn(2, 32, 32, scale=0.1)),
    "recurrence": (randn(70, 32), randn(3, 32, 32, scale=0.2)),
    "both_computed": (randn(70, 40, scale=0.1), randn(40, 48, scale=0.1)),
    "two_layers": (randn(70, 32, scale=0.2), randn(32, 80), randn(80, 64, scale=0.1)),
    "first_columns": (randn(64, 64, scale=0.2), randn(96, 64, scale=0.2)),
}


def run(name, **options):
    result = attn.simulate(getattr(mixed, name), *CASES[name], **options)
    assert not result.report.hazards, result.report.text
    return result.outputs


@pytest.mark.parametrize("name", CASES)
def test_ascendc_computes_the_same_bits(name):
    assert torch.equal(run(name, stage="ascendc"), run(name))


@pytest.mark.parametrize("name", CASES)
def test_hivm_computes_the_same(name):
    wide = [value.double() if isinstance(value, torch.Tensor) else value for value in CASES[name]]
    expected = getattr(mixed, f"ref_{name}")(*wide)
    torch.testing.assert_close(run(name, stage="hivm").double(), expected, rtol=4e-3, atol=4e-3)


@pytest.mark.sweep
@pytest.mark.parametrize("name", mixed_cases.CASES)
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_halves_are_taken_by_the_vendor(name, dtype, tmp_path):
    artefact = mixed_cases.compile_case(*mixed_cases.CASES[name](dtype))
    check_halves(artefact.ir("hivm"), artefact.sidecar.launches[0]["symbol"], tmp_path)
