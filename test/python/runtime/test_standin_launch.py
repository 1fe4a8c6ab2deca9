"""Our launches under the real torch_npu on the stand-in, in every mode of its queue; failing ones apart."""

from pathlib import Path

import pytest

import standin

CHECKS = Path(__file__).with_name("standin_launch_checks.py")
MODES = ("0", "1", "2")


def names_in(mode: str):
    """The checks that say something in a mode of the queue; 0 means that there is none."""
    return [name for name in standin.names_of(CHECKS) if mode != "0" or not name.startswith("check_queue_")]


@pytest.mark.parametrize("mode", MODES)
def test_launches_on_the_standin(mode, subtests, record_property):
    """With what a launch costs the host, beside the same launch without torch_npu. Nothing of it is CANN's time."""
    outcome = standin.run(CHECKS, *names_in(mode), TASK_QUEUE_ENABLE=mode)
    outcome.require_all(subtests, names_in(mode))
    times = outcome.require("check_host_time")
    assert all(time > 0 for time in times.values())
    shown = ", ".join(f"{name} {time} us" for name, time in times.items())
    record_property(f"stand-in, TASK_QUEUE_ENABLE={mode}, host time of a launch (median)", shown)


@pytest.mark.parametrize(
    "name, mode",
    [
        ("failing_launch_without_queue", "0"),
        ("failing_launch_in_the_queue", "1"),
        ("failing_launch_in_the_queue", "2"),
        ("failing_launch_seen_by_the_next", "1"),
        ("failing_kernel", "1"),
        ("unsupported_chip", "1"),
    ],
)
def test_failures_on_the_standin_are_seen(name, mode):
    failed = standin.run(CHECKS, name, TASK_QUEUE_ENABLE=mode)
    failed.require(name)
    if name == "failing_launch_in_the_queue":
        # At once, by torch_npu's own log.
        assert "the launch of scale_rows with 70000 blocks failed with ACL error 107000" in failed.output
        assert ": factor = 2" in failed.output
