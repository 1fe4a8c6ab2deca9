"""What the frontend writes for rows: spans and their methods, bands, parts of tiles, and sums over the cores."""

import textwrap

import pytest

import attn.language as at
import kernel_text

ARRAY = "!tile.array<?x256xf32>"


def check_body(tmp_path, body, expected):
    artefact = kernel_text.compile_in_grid(tmp_path, body, dtype=at.f32)
    assert kernel_text.body_lines(artefact) == expected
    return artefact


def tile(rows, cols=256):
    return f"!tile.tile<{rows} x {cols} x f32>"


# Sizes


def test_sums_of_sizes_are_dimensions(tmp_path):
    check_body(tmp_path, "y = at.zeros((BT + 2 * C, 4 + BT))\nz = at.zeros((BT + 6 - 6, BT + 4 - BT))", [
        "%y = tile.splat %f0.0 : f32 -> !tile.tile<BT + 6 x BT + 4 x f32>",
        "%z = tile.splat %f0.0 : f32 -> !tile.tile<BT x 4 x f32>",
    ])  # fmt: skip


def test_sizes_are_whole_numbers(tmp_path):
    artefact = check_body(tmp_path, "a = i * BT\nb = i - (BT + 2)\ny = -BT + at.minimum(BT, i)\nx = x / BT", [
        "%a = arith.muli %i, %BT_1 : index",
        "%b = arith.subi %i, %BT_2 : index",
        "%0 = arith.subi %c0, %BT_1 : index",
        "%1 = arith.minsi %BT_1, %i : index",
        "%y = arith.addi %0, %1 : index",
        f"%4 = tile.splat %3 : f32 -> {tile(1, 1)}",
        f"%x_1 = tile.div %x, %4 : {tile('BT')}, {tile(1, 1)} -> {tile('BT')}",
    ])  # fmt: skip
    text = kernel_text.source_ir(artefact)
    assert "%BT_1 = tile.size BT\n" in text and "%BT_2 = tile.size BT + 2\n" in text


def test_neutral_numbers_leave_indices_alone(tmp_path):
    check_body(tmp_path, "a = (i + 0) * 1 - 0\nb = at.cdiv(1 * a, 1) // 1 + 0\ny = X[0 + b, :]", [
        f"%y = tile.load %X[%i, :] : ({ARRAY}, index) -> {tile(1)}",
    ])  # fmt: skip


# Spans


def test_clip(tmp_path):
    check_body(tmp_path, "a = t.clip(i)\nb = t.clip(T)\nc = t.clip(i, 9)\nd = c.clip(3, 8)", [
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.minsi %T, %i : index",
        "%a = tile.make_span %0 to %1 : !tile.span<BT>",
        "%2 = tile.span_base %t : !tile.span<BT>",
        "%b = tile.make_span %2 to %T : !tile.span<BT>",
        "%3 = tile.span_base %t : !tile.span<BT>",
        "%4 = arith.minsi %T, %c9 : index",
        "%c = tile.make_span %3 to %4 from %i : !tile.span<BT, filled>",
        "%5 = arith.maxsi %i, %c3 : index",
        "%6 = arith.minsi %4, %c8 : index",
        "%d = tile.make_span %3 to %6 from %5 : !tile.span<BT, filled>",
    ])  # fmt: skip


def test_window_shift_and_map(tmp_path):
    check_body(tmp_path, "w = t.window(C)\nv = t.window(1, limit=i)\nu = w.shift(-2)\nm = u.map(i, 2)\nn = t.map(0, 1)\nz = n.clip(9)", [
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.subi %0, %c3 : index",
        "%w = tile.make_span %1 to %T from %c0 : !tile.span<BT + 6, filled>",
        "%2 = tile.span_base %t : !tile.span<BT>",
        "%3 = arith.subi %2, %c1 : index",
        "%v = tile.make_span %3 to %i from %c0 : !tile.span<BT + 2, filled>",
        "%4 = arith.addi %1, %c-2 : index",
        "%5 = arith.addi %T, %c-2 : index",
        "%u = tile.make_span %4 to %5 from %c-2 : !tile.span<BT + 6, filled>",
        "%m = tile.make_span %4 to %5 from %c-2 map(%i, %c2) : !tile.span<BT + 6, filled, mapped>",
        "%6 = tile.span_base %t : !tile.span<BT>",
        "%7 = arith.minsi %T, %c9 : index",
        "%z = tile.make_span %6 to %7 : !tile.span<BT>",
    ])  # fmt: skip


def test_base_and_count(tmp_path):
    check_body(tmp_path, "a = t.base\nb = t.count\nw = t.window(1)\nc = w.count", [
        "%a = tile.span_base %t : !tile.span<BT>",
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.addi %0, %BT_1 : index",
        "%2 = arith.minsi %1, %T : index",
        "%3 = arith.subi %2, %0 : index",
        "%b = arith.maxsi %3, %c0 : index",
        "%4 = tile.span_base %t : !tile.span<BT>",
        "%5 = arith.subi %4, %c1 : index",
        "%w = tile.make_span %5 to %T from %c0 : !tile.span<BT + 2, filled>",
        "%6 = arith.addi %5, %BT_2 : index",
        "%7 = arith.minsi %6, %T : index",
        "%8 = arith.maxsi %5, %c0 : index",
        "%9 = arith.subi %7, %8 : index",
        "%c = arith.maxsi %9, %c0 : index",
    ])  # fmt: skip


def test_spans_are_written_where_they_are_used(tmp_path):
    check_body(tmp_path, "y = X[t.window(1).map(i, 2), :]", [
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.subi %0, %c1 : index",
        "%2 = tile.make_span %1 to %T from %c0 map(%i, %c2) : !tile.span<BT + 2, filled, mapped>",
        f"%y = tile.load %X[%2 span, :] : ({ARRAY}, !tile.span<BT + 2, filled, mapped>) -> {tile('BT + 2')}",
    ])  # fmt: skip


def test_range_from_a_negative_base(tmp_path):
    check_body(tmp_path, "for k in at.range(at.tiles(i + 4, 8, base=i - 2)):\n    y = X[k.clip(0, T), :]\n", [
        "%0 = arith.addi %i, %c4 : index",
        "%1 = arith.subi %i, %c2 : index",
        "%2 = arith.addi %1, %0 : index",
        "tile.range %k = %1 to %2 by 8 {",
        "%3 = tile.span_base %k : !tile.span<8>",
        "%4 = arith.minsi %2, %T : index",
        "%5 = tile.make_span %3 to %4 from %c0 : !tile.span<8, filled>",
        f"%y = tile.load %X[%5 span, :] : ({ARRAY}, !tile.span<8, filled>) -> {tile(8)}",
        "}",
    ])  # fmt: skip


def test_a_single_span_needs_no_loop(tmp_path):
    check_body(tmp_path, "n = at.tiles(8, 8, limit=T)\ny = X[n, :]\nz = X[n.window(1), :]", [
        "%0 = arith.minsi %c8, %T : index",
        "%1 = tile.make_span %c0 to %0 : !tile.span<8>",
        f"%y = tile.load %X[%1 span, :] : ({ARRAY}, !tile.span<8>) -> {tile(8)}",
        "%2 = tile.make_span %c-1 to %0 from %c0 : !tile.span<10, filled>",
        f"%z = tile.load %X[%2 span, :] : ({ARRAY}, !tile.span<10, filled>) -> {tile(10)}",
    ])  # fmt: skip


def test_spans_over_lists(tmp_path):
    kernel = kernel_text.define(tmp_path, """
        @attn.kernel
        def k(V: at.Tensors["N", "T D"]):
            W = at.empty_like(V)
            n = at.tiles(4, 4, limit=N)
            for t in at.grid(T):
                W[n, t, :] = V[n, t, :]
            return W
    """)  # fmt: skip
    artefact = kernel.compile(V=at.spec("? ? 64", at.f32, table=True))
    artefact.module("source")
    text = kernel_text.source_ir(artefact)
    assert '%W: !tile.array<?x?x64xf32, table> {launch.dims = ["N", "T", 64], launch.output}' in text
    assert (
        "tile.load %V[%1 span, %t, :] : (!tile.array<?x?x64xf32, table>, !tile.span<4>, index) -> !tile.tile<4 x 64 x f32>"
        in text
    )


# Parts of tiles


def test_rows_of_a_tile(tmp_path):
    check_body(tmp_path, "y = at.zeros((BT + 6, 4))\na = y[0:BT]\nb = y[BT:BT + 6]\nc = y[:6]\nd = y[6:]", [
        f"%y = tile.splat %f0.0 : f32 -> {tile('BT + 6', 4)}",
        f"%a = tile.extract %y[%c0, %c0] : {tile('BT + 6', 4)} -> {tile('BT', 4)}",
        f"%b = tile.extract %y[%BT_1, %c0] : {tile('BT + 6', 4)} -> {tile(6, 4)}",
        f"%c = tile.extract %y[%c0, %c0] : {tile('BT + 6', 4)} -> {tile(6, 4)}",
        f"%d = tile.extract %y[%c6, %c0] : {tile('BT + 6', 4)} -> {tile('BT', 4)}",
    ])  # fmt: skip


def test_concat(tmp_path):
    check_body(tmp_path, "y = at.concat(x, x[0:1])", [
        f"%0 = tile.extract %x[%c0, %c0] : {tile('BT')} -> {tile(1)}",
        f"%1 = tile.undefined : {tile('BT + 1')}",
        f"%2 = tile.insert %x, %1[%c0, %c0] : {tile('BT')} into {tile('BT + 1')}",
        f"%y = tile.insert %0, %2[%BT_1, %c0] : {tile(1)} into {tile('BT + 1')}",
    ])  # fmt: skip


# Bands


def test_bands(tmp_path):
    body = "w = X[t.window(C), :]\np = at.band_dot(x, w)\ny = at.band_mix(p, w)\n"
    check_body(tmp_path, body + "d = at.band_spread(p, y)\ne = at.band_spread(p, y, d)", [
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.subi %0, %c3 : index",
        "%2 = tile.make_span %1 to %T from %c0 : !tile.span<BT + 6, filled>",
        f"%w = tile.load %X[%2 span, :] : ({ARRAY}, !tile.span<BT + 6, filled>) -> {tile('BT + 6')}",
        f"%p = tile.band_dot %x, %w : {tile('BT')}, {tile('BT + 6')} -> {tile('BT', 7)}",
        f"%y = tile.band_mix %p, %w : {tile('BT', 7)}, {tile('BT + 6')} -> {tile('BT')}",
        f"%3 = tile.splat %f0.0 : f32 -> {tile('BT + 6')}",
        f"%d = tile.band_spread %p, %y into %3 : {tile('BT', 7)}, {tile('BT')} into {tile('BT + 6')}",
        f"%e = tile.band_spread %p, %y into %d : {tile('BT', 7)}, {tile('BT')} into {tile('BT + 6')}",
    ])  # fmt: skip


def test_a_band_of_one_slot(tmp_path):
    artefact = kernel_text.compile_in_grid(tmp_path, "p = at.band_dot(x, X[t.window(0), :])\ny = at.band_mix(p, x)")
    assert "!tile.span<BT, filled>" in artefact._source and "!tile.tile<BT x 1 x f32>" in artefact._source


def test_mask(tmp_path):
    band = tile("BT", 7)
    check_body(tmp_path, "w = t.window(3)\nv = w.valid\ny = at.mask(at.zeros((BT, 7)), v)", [
        "%0 = tile.span_base %t : !tile.span<BT>",
        "%1 = arith.subi %0, %c3 : index",
        "%w = tile.make_span %1 to %T from %c0 : !tile.span<BT + 6, filled>",
        f"%2 = tile.splat %f0.0 : f32 -> {band}",
        f"%3 = tile.band_mask %w : !tile.span<BT + 6, filled> -> {band}",
        f"%4 = tile.sub %3, %f1.0_tile : {band}, {tile(1, 1)} -> {band}",
        f"%5 = tile.mul %4, %f1.0e30_tile : {band}, {tile(1, 1)} -> {band}",
        f"%6 = tile.mul %2, %3 : {band}, {band} -> {band}",
        f"%y = tile.add %6, %5 : {band}, {band} -> {band}",
    ])  # fmt: skip


def test_softmax(tmp_path):
    whole, column = tile("BT"), tile("BT", 1)
    check_body(tmp_path, "p, l = at.softmax(x)", [
        f"%0 = tile.reduce max %x axis 1 : {whole} -> {column}",
        f"%1 = tile.maximum %0, %f-3.4028232635611926e38_tile : {column}, {tile(1, 1)} -> {column}",
        f"%2 = tile.sub %x, %1 : {whole}, {column} -> {whole}",
        f"%3 = tile.exp %2 : {whole}",
        f"%4 = tile.reduce sum %3 axis 1 : {whole} -> {column}",
        f"%5 = tile.log %4 : {column}",
        f"%6 = tile.add %1, %5 : {column}, {column} -> {column}",
        f"%7 = tile.maximum %4, %f1.1754943508222875e-38_tile : {column}, {tile(1, 1)} -> {column}",
        f"%8 = tile.div %3, %7 : {whole}, {column} -> {whole}",
    ])  # fmt: skip


# Across the cores


SUM = """
    @attn.kernel
    def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
        S = at.empty("D", at.f32)
        G = at.scratch("D", at.f32)
        for t in at.grid(at.tiles(T, BT)):
            at.accumulate(G, at.sum(X[t, :], 0))
        at.phase()
        for c in at.grid(at.tiles(D, 128)):
            S[c] = G[c] * 2
        return S
"""


def test_sum_over_the_grid(tmp_path):
    artefact = kernel_text.define(tmp_path, SUM).compile(X=at.spec("? 256", at.bf16))
    artefact.module("source")
    text = kernel_text.source_ir(artefact)
    assert "%S: !tile.array<256xf32> {launch.dims = [256], launch.output}," in text
    assert '%G: !tile.array<?x256xf32> {launch.dims = ["@blocks", 256], launch.workspace})' in text
    lines = [line.strip() for line in text[text.index("tile.accumulate") :].splitlines()]
    column = tile(128, 1)
    assert lines[:10] == [
        f"tile.accumulate %2, %G : {tile(1)}, {ARRAY}",
        "}",
        "tile.phase",
        "tile.grid (%c) in (%c256 by 128) {",
        f"%3 = tile.splat %f0.0 : f32 -> {column}",
        f"%4 = tile.range %block = %c0 to %G_blocks iter(%5 = %3 : {column}) stages 2 {{",
        f"%6 = tile.load %G[%block, %c span] : ({ARRAY}, index, !tile.span<128>) -> {column}",
        f"%7 = tile.add %5, %6 : {column}, {column} -> {column}",
        f"tile.yield %7 : {column}",
        "}",
    ]
    assert f"%G_blocks = tile.dim %G, 0 : {ARRAY}" in text


def test_the_whole_row_of_a_workspace(tmp_path):
    text = SUM.replace(
        "for c in at.grid(at.tiles(D, 128)):\n            S[c] = G[c] * 2",
        "for c in at.grid(1):\n            S[:] = G[:]",
    )
    artefact = kernel_text.define(tmp_path, text).compile(X=at.spec("? 256", at.bf16))
    artefact.module("source")
    assert f"tile.load %G[%block, :] : ({ARRAY}, index) -> {tile(1)}" in kernel_text.source_ir(artefact)


# Axes


STORE = """
    @attn.kernel
    def k(X: at.Tensor["T D"], n: int, C: at.Const[int], BT: at.Auto(1, 64)):
        Y = at.empty("T D", at.f32)
        for b, t in at.grid({axis}, at.tiles(T, BT)):
            x = X[t, :].to(at.f32)
{body}
        return Y
"""


def define_store(tmp_path, body: str, axis: str = "n"):
    return kernel_text.define(tmp_path, STORE.format(axis=axis, body=textwrap.indent(body, " " * 12)))


@pytest.mark.parametrize("body, missing, underlined", [
    ("Y[t, :] = x", "b", "Y[t, :]"),
    ("Y[b, :] = at.sum(x, 0)", "t", "Y[b, :]"),
    ("Y[0, 0:D] = at.sum(x, 0)", "b", "Y[0, 0:D]"),
    ("i = n + 1\nY[t.shift(i), :] = x", "b", "Y[t.shift(i), :]"),
    ("for i in at.range(n):\n    Y[t.shift(i), :] = x", "b", "Y[t.shift(i), :]"),
    ("u = at.tiles(4, 4, base=n, limit=T)\nY[u, :] = at.zeros((4, D))", "b", "Y[u, :]"),
])  # fmt: skip
def test_a_store_that_several_blocks_make(tmp_path, body, missing, underlined):
    kernel = define_store(tmp_path, body)
    message = f"this store does not depend on '{missing}': several blocks of the grid would write the same part of 'Y'"
    kernel_text.expect_error(lambda: kernel.compile(X=at.spec("? 64", at.f32), C=3), message, underlined)


@pytest.mark.parametrize("body, axis", [
    ("Y[t, :] = x", "1"),
    ("Y[t, :] = x", "at.tiles(2, 4)"),
    ("Y[t.shift(b), :] = x", "n"),
    ("Y[t.clip(b, T), :] = x", "n"),
    ("Y[t.map(b, n), :] = x", "n"),
    ("Y[t.map(0, b + 1), :] = x", "n"),
    ("Y[t.base * n + b, :] = at.sum(x, 0)", "n"),
    ("Y[t.base % n - b // 2, :] = at.sum(x, 0)", "n"),
    ("for i in at.range(b, n):\n    Y[t.shift(i), :] = x", "n"),
    ("i = 0\nfor j in at.range(b):\n    i = i + 1\nY[t.shift(i), :] = x", "n"),
    ("u = at.tiles(4, 4, base=b * 4 + t.base, limit=T)\nY[u, :] = at.zeros((4, D))", "n"),
])  # fmt: skip
def test_a_store_of_each_block(tmp_path, body, axis):
    define_store(tmp_path, body, axis).prepare(X=at.spec("? 64", at.f32), C=3).module("source")


@pytest.mark.parametrize("axes, text", [
    ("1, at.tiles(T, BT)", "(%t) in (%T by BT)"),
    ("C, at.tiles(T, BT)", "(%b, %t) in (%c3, %T by BT)"),
    ("i, at.tiles(T, BT)", "(%b, %t) in (%i, %T by BT)"),
])  # fmt: skip
def test_an_axis_of_one_is_none(tmp_path, axes, text):
    kernel = kernel_text.define(tmp_path, f"""
        @attn.kernel
        def k(X: at.Tensor["B T D"], i: int, C: at.Const[int], BT: at.Auto(1, 64)):
            Y = at.empty_like(X)
            for b, t in at.grid({axes}):
                Y[b, t, :] = X[b, t, :]
            return Y
    """)  # fmt: skip
    artefact = kernel.compile(X=at.spec("? ? 64", at.f32), C=3)
    artefact.module("source")
    assert f"tile.grid {text} {{" in kernel_text.source_ir(artefact)


def test_a_grid_keeps_an_axis(tmp_path):
    before = "for a, b in at.grid(1, 1):\n    c = a + b\nat.phase()"
    assert "tile.grid (%a) in (%c1) {" in kernel_text.source_ir(kernel_text.compile_in_grid(tmp_path, "pass", before))


# What may be None


OPTIONAL = """
    @attn.kernel
    def k(X: at.Tensor["T D"], B: at.Tensor["T D"] | None = None, form: at.Const[str] = "sum", BT: at.Auto(1, 64) = None):
        Y = at.empty_like(X)
        Z = at.empty_like(B) if B is not None else None
        for t in at.grid(at.tiles(T, BT)):
            x = X[t, :] if form == "sum" else -X[t, :]
            Y[t, :] = x if B is None else x + B[t, :]
            if Z is not None:
                Z[t, :] = x
        return Y, Z
"""


def test_arguments_and_outputs_that_are_none(tmp_path):
    kernel = kernel_text.define(tmp_path, OPTIONAL)
    spec = at.spec("? 64", at.f32)
    for given, names in (({}, ["X", "Y"]), ({"B": spec}, ["X", "B", "Y", "Z"])):
        artefact = kernel.compile(X=spec, **given)
        artefact.module("source")
        text = kernel_text.source_ir(artefact)
        assert [
            line.strip()[1] for line in text.splitlines() if line.strip().startswith("%") and "launch.dims" in line
        ] == names
        assert ("tile.add" in text) == bool(given)


def test_strings_are_constants(tmp_path):
    kernel = kernel_text.define(tmp_path, OPTIONAL)
    spec = at.spec("? 64", at.f32)
    assert "tile.mul" not in kernel.compile(X=spec)._source
    assert "tile.mul" in kernel.compile(X=spec, form="difference")._source
    with pytest.raises(TypeError, match="^form: a constant of type str is expected, not 3$"):
        kernel.compile(X=spec, form=3)
