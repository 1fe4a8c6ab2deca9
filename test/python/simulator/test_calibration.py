"""Holds the timing model of the simulator to published measurements, and what is said of its error to what it is."""

import statistics

import pytest
import torch

import attn
import known_errors
from calibration import SIMULATOR, predict_all
from kernels_dsl.gemm import gemm_nt

pytestmark = pytest.mark.skipif(not SIMULATOR.is_file(), reason="attn-sim is not built")

MOST_OF_MEDIANS = {"product": 0.08, "copies_to_l1": 0.08}


def test_predictions(subtests):
    """One test, since predicting all rows takes long and each worker would do so."""
    for row, predicted, error, busy in predict_all():
        with subtests.test(f"{row.name} is near the measurement"):
            print(f"{predicted:.1f} {row.unit} predicted, {row.published} published: {error:+.1%}")
            assert abs(error) <= row.tolerance
            for pipe, share in row.busy.items():
                print(f"{pipe} busy for {busy[pipe]:.1f} % predicted, {share} % published")
                assert abs(busy[pipe] - share) <= 12
    for test, most in MOST_OF_MEDIANS.items():
        with subtests.test(f"median error of {test}"):
            assert statistics.median(abs(error) for row, _, error, _ in predict_all() if row.test == test) <= most
    for path, text in known_errors.make_files().items():
        with subtests.test(f"{path.name} says what the error is"):
            assert path.read_text() == text, f"{path} is out of date: run scripts/known_errors.py"
    with subtests.test("our own tilings are never slower than the published ones"):
        compare_tilings()


def _published_products():
    """(chip, size, type of the result, the least that a published tiling is predicted to take)"""
    least = {}
    for row, predicted, _, _ in predict_all():
        words = dict(word.split("=") for word in row.parameters.split())
        # Those on one core are not what a kernel is chosen for.
        if row.test == "product" and words.get("cores_m") != "1":
            key = words["soc"], int(words.get("size", 8192)), words["out"]
            least[key] = min(predicted, least.get(key, predicted))
    return [(*key, us) for key, us in least.items()]


def compare_tilings():
    cases = _published_products()
    assert len(cases) == 6
    for soc, size, out, published in cases:
        a, b = (torch.empty(size, size, dtype=torch.float16) for _ in range(2))
        ours = attn.simulate(gemm_nt, a, b, narrow=out == "f16", soc=soc, timing_only=True).report.time_us
        print(f"{size} cubed on {soc} to {out}: {ours:.1f} us, with the published tiling {published:.1f} us")
        assert ours <= published
