"""Positions and masks in tile IR: what the frontend writes for them."""

import kernel_text

TILE = "!tile.tile<BT x 256 x f32>"
COLUMN = "!tile.tile<BT x 1 x f32>"
ONE = "!tile.tile<1 x 1 x f32>"


def lines_of(tmp_path, body: str):
    """The lines of a body in the grid of `kernel_text.in_grid`, where x is a tile of f32."""
    lines = kernel_text.body_lines(kernel_text.compile_in_grid(tmp_path, "x = x.to(at.f32)\n" + body))
    assert lines[-1].startswith("%Y_1 = tile.cast %x_1")  # of the store that follows
    return lines[:-1]


def text_of(tmp_path, body: str):
    return kernel_text.source_ir(kernel_text.compile_in_grid(tmp_path, "x = x.to(at.f32)\n" + body))


def test_comparisons(tmp_path):
    for symbol, kind in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq"}.items():
        line = f"%m = tile.compare {kind} %x_1, %f0.5_tile : {TILE}, {ONE} -> {TILE}"
        assert line in lines_of(tmp_path, f"m = x {symbol} 0.5")


def test_not_equal_holds_for_nan(tmp_path):
    lines = lines_of(tmp_path, "m = x != 0.5")
    assert lines[-2:] == [
        f"%0 = tile.compare eq %x_1, %f0.5_tile : {TILE}, {ONE} -> {TILE}",
        f"%m = tile.sub %f1.0_tile, %0 : {ONE}, {TILE} -> {TILE}",
    ]


def test_logic(tmp_path):
    lines = lines_of(tmp_path, "a = x < 0.5\nb = x > 1.0\nc = a & b\nd = a | b\ne = ~a")
    assert lines[-3:] == [
        f"%c = tile.mul %a, %b : {TILE}, {TILE} -> {TILE}",
        f"%d = tile.maximum %a, %b : {TILE}, {TILE} -> {TILE}",
        f"%e = tile.sub %f1.0_tile, %a : {ONE}, {TILE} -> {TILE}",
    ]


def test_where(tmp_path):
    lines = lines_of(tmp_path, "y = at.where(x < 0.5, x, 2.0)")
    assert lines[-1] == f"%y = tile.select %0, %x_1, %f2.0_tile : {TILE}, {TILE}, {ONE} -> {TILE}"


def test_excluded_scores_are_the_lowest_number(tmp_path):
    assert "arith.constant -3.4028234663852886e+38 : f32" in text_of(tmp_path, "y = at.mask(x, x < 0.5)")
    lines = lines_of(tmp_path, "y = at.mask(x, x < 0.5)")
    assert lines[-1] == f"%y = tile.select %0, %x_1, %f-3.4028234663852886e38_tile : {TILE}, {TILE}, {ONE} -> {TILE}"


def test_positions_are_compared_as_integers(tmp_path):
    """Ramps are made once, before the grid; what is the same for all of them stays an integer until it is cut off."""
    text = text_of(tmp_path, "m = t.idx + i >= at.arange(256)\ny = at.where(m, x, 0.0)")
    assert text.index("tile.ramp") < text.index("tile.grid")
    assert text.count("tile.ramp") == 2
    assert "tile.compare" not in text
    assert "arith.constant 16777216 : index" in text and "arith.constant -16777216 : index" in text


def test_equal_positions(tmp_path):
    lines = lines_of(tmp_path, "m = t.idx == 3")
    assert [line.split()[2] for line in lines[-4:]] == ["tile.add", "tile.abs", "tile.minimum", "tile.sub"]


def test_positions_as_numbers(tmp_path):
    """Where they do not stay integers, their base is added first."""
    lines = lines_of(tmp_path, "y = x * t.idx")
    assert [line.split()[2] for line in lines[-3:]] == ["tile.splat", "tile.add", "tile.mul"]


def test_rows_of_positions(tmp_path):
    text = text_of(tmp_path, "m = t.idx >= t.idx.T\nz = at.where(m, 1.0, 0.0)")
    assert "tile.ramp : !tile.tile<1 x BT x f32>" in text and "tile.ramp : !tile.tile<BT x 1 x f32>" in text
