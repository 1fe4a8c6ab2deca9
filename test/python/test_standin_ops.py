"""The operators on NPU tensors, forward and backward, under the real torch_npu on the stand-in: over twenty shapes."""

import functools

import pytest
import standin

CHECKS = "standin_ops_checks"

pytestmark = pytest.mark.xdist_group("standin ops")


@functools.cache
def outcome():
    return standin.run(CHECKS)


@pytest.mark.parametrize("name", standin.names_of(CHECKS))
def test_operators_on_the_standin(name):
    outcome().require(name)


def test_enough_shapes_on_the_standin(capsys):
    names = outcome().require("check_attn_res_cases") + outcome().require("check_neighborhood_cases")
    assert len(names) >= 20
    with capsys.disabled():
        print(f"\nstand-in: forward and backward of {len(names)} shapes under torch_npu: {', '.join(names)}")
