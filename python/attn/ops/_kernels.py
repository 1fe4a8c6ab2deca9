"""The only place that calls kernels: from the operators' arrays and words to the arguments of the tile kernels."""

from __future__ import annotations


def attn_res_form(blocks, stacked: bool, form: str | None):
    raise NotImplementedError
