"""Sweeps that `make test` takes in part and `make stress` as a whole."""

import os

# What `make stress` sets.
WHOLE = os.environ.get("ATTN_WHOLE_MATRIX") == "1"


def in_part(cases, share: int = 3):
    """One of every `share` cases, on diagonals, so that of a product of names and types each name and each type is met;
    or all of them."""
    return [case for number, case in enumerate(cases) if WHOLE or (number + number // share) % share == 0]
