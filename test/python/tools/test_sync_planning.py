"""The time that flags take to plan grows gently with loops, slots and length; bounds are far above what is measured."""

import pytest

import sync_planning


@pytest.mark.parametrize("ids", [6, 32])
def test_eight_slots_four_loops_deep(ids):
    """Measured 0.2 s; with as many trips of every loop as there are slots it was 5 s."""
    assert sync_planning.planning_seconds(sync_planning.nest(4, 8, ids)) < 2


def test_time_grows_linearly():
    short, long = (sync_planning.planning_seconds(sync_planning.straight(length)) for length in (1024, 4096))
    assert long < 1
    assert long < 4 * max(short, 0.02) * 2.5
