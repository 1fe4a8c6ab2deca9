"""AscendC text can be read: below lines of the Python source, in lines that fit, with names that say something."""

import re

import pytest

import attn
import attn.language as at
import text_record
from catalogue import compile_kernel


@attn.kernel
def double_rows(X: at.Tensor["T 64"]):
    Y = at.empty_like(X)
    for t in at.grid(at.tiles(T, 16)):
        Y[t, :] = X[t, :] * 2.0  # é ??/ \
    return Y


def make_text(**options):
    return double_rows.compile(X=at.spec("? 64", at.f32), **options).ascendc


def test_statements_stand_below_their_source():
    lines = make_text().splitlines()
    comment = lines.index("    // Y[t, :] = X[t, :] * 2.0  # ?")
    assert re.match(r'#line \d+ ".*test_readable_text\.py"', lines[comment + 1])
    assert lines[comment + 2].startswith("    AscendC::")


def test_comments_can_be_left_out():
    text = make_text(source_comments=False)
    assert "// Y[t, :]" not in text and "#line" in text
    assert re.sub(r"^ +//.*\n", "", make_text(), flags=re.MULTILINE) == text


def test_other_values_are_refused():
    with pytest.raises(ValueError, match="source_comments: True or False is expected, not 'few'"):
        make_text(source_comments="few")


@pytest.mark.parametrize(("name", "dtype"), text_record.form_names()[::7])
def test_texts_of_the_catalogue_can_be_read(name, dtype):
    lines = [line for line in compile_kernel(name, dtype).ascendc.splitlines() if not line.startswith("#line")]
    assert [line for line in lines if len(line) > 120] == []
    assert [line for line in lines if re.search(r"static_cast<\w+>\(static_cast<", line)] == []
    assert [line for line in lines if re.search(r"\bconst \w+ index(_\d+)? =", line)] == []
    tensors = re.findall(r"LocalTensor<(\w+)> (\w+?)(?:_\d+)?\((.*)\);", "\n".join(lines))
    assert len(tensors) == len(set(tensors))
