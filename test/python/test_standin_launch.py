"""Our launches under the real torch_npu on the stand-in, in every mode of its queue; failing ones apart."""

import functools

import pytest
import standin

CHECKS = "standin_launch_checks"
MODES = ("0", "1", "2")

# Checks of one mode share a process, and so a worker.
GROUPS = [pytest.param(mode, marks=pytest.mark.xdist_group(f"standin launch {mode}")) for mode in MODES]


def names_in(mode: str):
    """The checks that say something in a mode of the queue; 0 means that there is none."""
    return [name for name in standin.names_of(CHECKS) if mode != "0" or not name.startswith("check_queue_")]


@functools.cache
def outcome(mode: str):
    return standin.run(CHECKS, *names_in(mode), TASK_QUEUE_ENABLE=mode)


@pytest.mark.parametrize(
    "mode, name",
    [
        pytest.param(mode, name, marks=pytest.mark.xdist_group(f"standin launch {mode}"))
        for mode in MODES
        for name in names_in(mode)
    ],
)
def test_launches_on_the_standin(mode, name):
    outcome(mode).require(name)


@pytest.mark.parametrize("mode", GROUPS)
def test_host_time_on_the_standin_is_printed(mode, capsys):
    """What a launch costs the host, beside the same launch without torch_npu. Nothing of it is CANN's time."""
    times = outcome(mode).require("check_host_time")
    with capsys.disabled():
        shown = ", ".join(f"{name} {time} us" for name, time in times.items())
        print(f"\nstand-in, TASK_QUEUE_ENABLE={mode}, host time of a launch (median): {shown}")
    assert all(time > 0 for time in times.values())


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


def test_failure_in_the_queue_of_the_standin_is_printed_at_once():
    """With kernel, blocks and arguments, by torch_npu's own log."""
    failed = standin.run(CHECKS, "failing_launch_in_the_queue", TASK_QUEUE_ENABLE="1")
    assert "the launch of scale_rows with 70000 blocks failed with ACL error 107000" in failed.output
    assert ": factor = 2" in failed.output
