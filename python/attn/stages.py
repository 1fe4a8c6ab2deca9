"""The stages of a kernel by name, in the order in which it goes through them: the one list of those names.

| name | is |
|---|---|
| `source` | tile IR as the frontend wrote it |
| `tile` | tile IR that fits the chip |
| `linalg` | what triton-ascend would hand to the vendor's compiler |
| `jit` | the kernel compiled for this machine's CPU; it has no text |
| `ascend` | the chip's ops, with buffers and flags |
| `ascendc` | the AscendC text |
| `hivm` | the HIVM text |
"""

from __future__ import annotations

STAGES = ("source", "tile", "linalg", "ascend", "ascendc", "hivm")
"""The stages that have a text: `attn.STAGES`."""

ON_CHIP = ("ascend", "ascendc", "hivm")
"""The stages that run on the modelled chip."""

RUNNING = ("jit", *ON_CHIP)
"""The stages that run."""


def check(stage: str, known=STAGES):
    """ValueError unless the stage is one of the known ones."""
    if stage not in known:
        raise ValueError(f"unknown stage {stage!r}; known: {', '.join(known)}")
