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


@pytest.mark.parametrize("mode", ["0", "2"])
def test_operators_on_the_standin_in_other_modes_of_the_queue(mode):
    names = ("check_gradients_are_accumulated", "check_streams_of_operators", "check_parts_add_up")
    other = standin.run(CHECKS, *names, TASK_QUEUE_ENABLE=mode)
    for name in names:
        other.require(name)


def test_enough_shapes_on_the_standin(capsys):
    names = outcome().require("check_attn_res_cases") + outcome().require("check_neighborhood_cases")
    assert len(names) >= 20
    with capsys.disabled():
        print(f"\nstand-in: forward and backward of {len(names)} shapes under torch_npu: {', '.join(names)}")
