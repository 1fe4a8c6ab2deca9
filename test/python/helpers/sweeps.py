"""Sweeps that `make test` takes in part and `make stress` as a whole."""

import os

import pytest

# What `make stress` sets.
WHOLE = os.environ.get("ATTN_WHOLE_MATRIX") == "1"


def in_part(cases, share: int = 3):
    """One of every `share` cases, on diagonals, so that of a product of names and types each name and each type is met;
    or all of them."""
    return [case for number, case in enumerate(cases) if WHOLE or (number + number // share) % share == 0]


def some_optimized(cases, share: int = 5):
    """The cases, of which one of every `share` has its kernels optimised for the CPU, and the others have not, whatever is
    said of their file. A tuple is the arguments of one case."""

    def param(case, is_optimized: bool):
        values = case if isinstance(case, tuple) else (case,)
        return pytest.param(*values, marks=pytest.mark.optimized(is_optimized))

    return [param(case, number % share == 0) for number, case in enumerate(cases)]
