"""The linalg form of kernels that need cube and vector cores: its values, and that the vendor's compiler takes it."""

import re

import pytest
import torch

from linalg_launch import call
from linalg_vendor import hand_over
from mixed_cases import CASES, compile_case
from references import DTYPES, names

# Of the largest value: weights are rounded before they are multiplied, where another order of sums may be seen.
TOLERANCE = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_values(name, dtype):
    kernel, arguments, sizes = CASES[name](dtype)
    artefact = compile_case(kernel, arguments, sizes)
    found, _ = call(artefact, {name: value for name, value in arguments.items() if value is not None}, programs=3)
    expected = kernel(**arguments, **sizes)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, wanted in list(zip(found.values(), expected))[:2]:  # partial results have no meaning of their own
        largest = float(wanted[wanted.isfinite()].abs().max())
        torch.testing.assert_close(result.float(), wanted.float(), rtol=0, atol=TOLERANCE[dtype] * largest)


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
def test_the_vendor_takes_it(name, dtype, tmp_path):
    artefact = compile_case(*CASES[name](dtype))
    text = hand_over(artefact, tmp_path)
    assert re.search(r"func\.func @\w+_mix_aic\(", text) and re.search(r"func\.func @\w+_mix_aiv\(", text)
