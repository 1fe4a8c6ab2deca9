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
    """The cases, of which one of every `share` has its kernels optimised for the CPU."""
    return [
        case if number % share else pytest.param(case, marks=pytest.mark.optimized) for number, case in enumerate(cases)
    ]
