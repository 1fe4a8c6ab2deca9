#!/usr/bin/env python3
"""The texts and predicted times of every form of the catalogue, as hashes and figures that are committed.

A change that is meant to leave the generated code alone leaves this record alone. A change that is meant to alter it is
accepted with `--accept`, and the difference of text_record.json shows what it altered:

    .venv/bin/python scripts/text_record.py            # what differs from the record
    .venv/bin/python scripts/text_record.py --accept   # makes what is generated now the record
"""

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "test"
RECORD = TESTS / "python" / "texts" / "text_record.json"
sys.path[:0] = [str(TESTS / "python" / "helpers"), str(TESTS / "benchmark")]

_LINE = re.compile(r"^#line .*\n", re.MULTILINE)


def _without_sources(value):
    """The data of a sidecar without the hashes of what it was made from."""
    if isinstance(value, dict):
        return {key: _without_sources(item) for key, item in value.items() if key != "source"}
    return value


def texts_of(artefact):
    """The texts of an artefact by name, without positions in the source."""
    return {
        "ascendc": _LINE.sub("", artefact.ir("ascendc")),
        "hivm": artefact.ir("hivm"),
        "linalg": artefact.ir("linalg"),
        "sidecar": json.dumps(_without_sources(artefact.sidecar.data), sort_keys=True),
    }


def hash_texts(name: str, dtype: str):
    """The hash of each text of a form of the catalogue."""
    from catalogue import compile_kernel

    texts = texts_of(compile_kernel(name, dtype))
    return {form: hashlib.sha256(text.encode()).hexdigest()[:16] for form, text in texts.items()}


def predict(name: str, dtype: str):
    """The predicted microseconds of a form of the catalogue at a fixed small shape."""
    import attn
    from catalogue import KERNELS, VARIANTS
    from catalogue_values import make_arguments

    kernel, _, constants = (KERNELS | VARIANTS)[name]
    arguments = make_arguments(name, dtype)
    report = attn.simulate(kernel, **arguments, **constants, soc="Ascend910B4", timing_only=True).report
    return round(report.time_us, 3)


def predict_benchmarks():
    """The predicted microseconds of every row of test/benchmark/predicted.py."""
    import predicted

    rows = [predicted.predict(case) for _, cases, _ in predicted.TABLES for case in cases()]
    return {f"{row.case.kernel}, {row.case.shape}": round(row.report.time_us, 3) for row in rows}


def make_form(name: str, dtype: str):
    """What the record says of a form."""
    return {**hash_texts(name, dtype), "predicted_us": predict(name, dtype)}


def form_names():
    """The forms of the record: (name, dtype)."""
    from catalogue import DTYPES, KERNELS, VARIANTS

    return [(name, dtype) for name in KERNELS | VARIANTS for dtype in DTYPES]


def read():
    return json.loads(RECORD.read_text())


def differences(old: dict, new: dict, where: str = ""):
    """Yields a line for each entry that differs."""
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from differences(before, after, f"{where}{key}: ")
        elif before != after:
            yield f"{where}{key}: {before} -> {after}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accept", action="store_true", help="make what is generated now the record")
    parser.add_argument(
        "--no-benchmarks", action="store_true", help="leave out the rows of predicted.py, which take longest"
    )
    options = parser.parse_args(arguments)
    os.environ["ATTN_CACHE"] = "0"
    record = read() if RECORD.exists() else {}
    made = {"forms": {f"{name}-{dtype}": make_form(name, dtype) for name, dtype in form_names()}}
    made["benchmarks"] = record.get("benchmarks", {}) if options.no_benchmarks else predict_benchmarks()
    changed = list(differences(record, made))
    print("\n".join(changed) if changed else "all texts and predicted times are as recorded")
    if options.accept:
        RECORD.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
        return 0
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
