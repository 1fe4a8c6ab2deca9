"""Texts and predicted times change only on purpose: `text_record.py --accept` takes what is generated now."""

import json

import pytest

import text_record

HINT = "if that is meant: .venv/bin/python scripts/text_record.py --accept"


@pytest.fixture(scope="module")
def record():
    return text_record.read()


@pytest.mark.parametrize(("name", "dtype"), text_record.form_names())
def test_texts_and_times_are_as_recorded(record, name, dtype):
    found = list(text_record.differences(record["forms"][f"{name}-{dtype}"], text_record.make_form(name, dtype)))
    assert not found, "\n".join([*found, HINT])


def test_every_form_is_recorded(record):
    assert set(record["forms"]) == {"-".join(form) for form in text_record.form_names()}


def test_a_changed_text_is_seen():
    """The record would see a changed count, a changed flag and a changed time."""
    old = {"forms": {"a": {"ascendc": "1", "predicted_us": 1.0}}}
    new = json.loads(json.dumps(old).replace('"1"', '"2"').replace("1.0", "1.001"))
    assert len(list(text_record.differences(old, new))) == 2
