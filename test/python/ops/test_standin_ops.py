"""The operators on NPU tensors, forward and backward, under the real torch_npu on the stand-in: over twenty shapes."""

from pathlib import Path

import pytest

import standin

CHECKS = Path(__file__).with_name("standin_ops_checks.py")


def test_operators_on_the_standin(subtests, record_property):
    outcome = standin.run(CHECKS)
    outcome.require_all(subtests, standin.names_of(CHECKS))
    names = outcome.require("check_attn_res_cases") + outcome.require("check_neighborhood_cases")
    assert len(names) >= 20
    times = outcome.require("check_host_time_of_operators")
    assert all(time > 0 for time in times.values())
    shown = ", ".join(f"{name} {time} us" for name, time in times.items())
    record_property("stand-in, host time of a forward (median)", shown)
    record_property(f"stand-in, forward and backward of {len(names)} shapes under torch_npu", ", ".join(names))


@pytest.mark.parametrize("mode", ["0", "2"])
def test_operators_on_the_standin_in_other_modes_of_the_queue(mode, subtests):
    names = ("check_gradients_are_accumulated", "check_streams_of_operators", "check_parts_add_up")
    standin.run(CHECKS, *names, TASK_QUEUE_ENABLE=mode).require_all(subtests, names)
