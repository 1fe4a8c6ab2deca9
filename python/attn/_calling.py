"""The part of a sidecar that only the language knows: what the kernel was specialised for, and what a call returns."""

from __future__ import annotations

import hashlib


def describe_call(kernel, specialisation, lowered, options: dict):
    """The section `call` of a sidecar; docs/Sidecar.md describes its fields."""
    arrays = kernel.signature.of_kind("array")
    names = [output.name for output in lowered.outputs]
    return {
        "module": kernel.__module__,
        "function": kernel.__qualname__,
        "source": f"sha256:{hashlib.sha256(kernel.file_text.encode()).hexdigest()}",
        "constants": {name: text for name, _, text in specialisation.constants},
        "dims": dict(specialisation.dims),
        "options": {name: str(value) for name, value in options.items()},
        "absent": [array.name for array, form in zip(arrays, specialisation.arrays) if form is None],
        "outputs": [{"name": output.name, "like": output.like} for output in lowered.outputs],
        "returns": [None if place is None else names[place] for place in lowered.returned],
        "single": lowered.single,
        "row_axes": {name: list(axes) for name, axes in lowered.row_axes.items()},
    }
