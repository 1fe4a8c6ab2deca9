"""Holds the timing model of the simulator to published measurements, and what is said of its error to what it is."""

import statistics

import pytest

import known_errors
from calibration import SIMULATOR, predict_all, read_rows

pytestmark = pytest.mark.skipif(not SIMULATOR.is_file(), reason="attn-sim is not built")

ROWS = list(read_rows())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_prediction_is_near_the_measurement(row):
    predicted, error, busy = next(rest for found, *rest in predict_all() if found == row)
    print(f"{predicted:.1f} {row.unit} predicted, {row.published} published: {error:+.1%}")
    assert abs(error) <= row.tolerance
    for pipe, share in row.busy.items():
        print(f"{pipe} busy for {busy[pipe]:.1f} % predicted, {share} % published")
        assert abs(busy[pipe] - share) <= 12


@pytest.mark.parametrize("test, most", [("product", 0.08), ("copies_to_l1", 0.08)])
def test_the_median_error_of_cube_kernels(test, most):
    assert statistics.median(abs(error) for row, _, error, _ in predict_all() if row.test == test) <= most


def test_what_is_said_of_the_error_is_what_it_is():
    for path, text in known_errors.make_files().items():
        assert path.read_text() == text, f"{path} is out of date: run scripts/known_errors.py"
