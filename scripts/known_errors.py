#!/usr/bin/env python3
"""Writes how far the timing model is from published measurements: docs/Calibration.md, and what every report says.

.venv/bin/python scripts/known_errors.py   # after a change of the model; rebuild afterwards
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "python" / "helpers"))

PAGE = ROOT / "docs" / "Calibration.md"
SAID = ROOT / "include" / "attn" / "Machine" / "KnownErrors.def"
_HEAD = """# Calibration

Predicted times beside the published measurements of `test/Inputs/calibration.csv`, written by
`scripts/known_errors.py` from runs of the model; a test fails where this page is out of date. A row is *fitted* where a
number of `Machine/CostFacts.def` was chosen by it. No number was chosen by the others alone, but they were all in view
while the model was made, and the cost pages rest on much the same measurements: the test is not blind. Busy shares are
in per cent of all of the time, the launch included, published / predicted. Copies to UB and additions run once before
the run that counts, since a profiler is assumed to have done so; from a cold L2 the errors of additions on 48 cores
were -11 to -23 %. Of products without any overlap a part of the rows is simulated and multiplied (`part`).

Copies to L1 and products are kernels of the language with the published tilings
(`test/python/helpers/published_kernels.py`), lowered like any other. Two things differ from what was measured. The
published copies wait for nothing; a kernel of the language waits for a slot before it writes over it, here once for
eight copies. Where the published products load eight steps of the left operand along k at a time and four of the right,
the language loads four of both. A test predicts products of the same sizes with tilings of our own choice: they are
never slower.

Mixed kernels are kernels of the language with the published schedule forced. The compiler was improved while these rows
were in view; no number of the model was changed for any of them, the product with GELU included.

[Simulator.md](Simulator.md) says what is modelled and what is not.

"""


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


def make_files():
    """The text of each file that is written."""
    from calibration import predict_all, summarise

    groups = list(summarise())
    summary = _table(
        ["what", "rows", "allowed", "median error", "largest", "rows not fitted", "largest of them"],
        [
            [
                group,
                str(rows),
                f"{allowed:.0%}",
                f"{median:.1%}",
                f"{largest:.1%}",
                str(unseen),
                f"{unseen_largest:.1%}",
            ]
            for group, rows, allowed, median, largest, unseen, unseen_largest in groups
        ],
    )
    rows = _table(
        ["kernel", "published", "predicted", "error", "use", "busy m", "mte1", "mte2", "fix", "source"],
        [
            [
                row.name,
                f"{row.published:g} {row.unit}",
                f"{predicted:.1f}",
                f"{error:+.1%}",
                row.use,
                *(
                    f"{row.busy[pipe]:.0f} / {busy[pipe]:.0f}" if pipe in row.busy else ""
                    for pipe in ("m", "mte1", "mte2", "fix")
                ),
                row.source,
            ]
            for row, predicted, error, busy in predict_all()
        ],
    )
    parts = [
        f"{group} within {allowed:.0%} ({rows} rows, largest error {largest:.1%})"
        for group, rows, allowed, _, largest, _, _ in groups
    ]
    said = "predicted, not measured; tests hold it to published measurements: " + ", ".join(parts)
    head = "// Written by scripts/known_errors.py from runs of the model; not to be edited.\n"
    return {PAGE: _HEAD + summary + "\n" + rows, SAID: f'{head}"{said}",\n'}


if __name__ == "__main__":
    for path, text in make_files().items():
        path.write_text(text)
