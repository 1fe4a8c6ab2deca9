"""What the frontend writes: tile IR that the dialect's verifier takes, with the structure the source asks for."""

import io
import linecache
import os
import re
from pathlib import Path

import pytest
import torch

import attn
import attn.language as at
import kernel_text
from attn import compiler
from kernels_dsl.attn_res import attn_res_fwd

TILE = "!tile.tile<BT x 256 x f32>"
COLUMN = "!tile.tile<BT x 1 x f32>"


def check_body(tmp_path, body, expected, **arguments):
    artefact = kernel_text.compile_in_grid(tmp_path, body, **{"dtype": at.f32, **arguments})
    assert kernel_text.body_lines(artefact)[: len(expected)] == expected
    return artefact


def compile_attn_res(dtype=at.bf16, size=4096, **arguments):
    specs = {"V": at.spec(f"? ? {size}", dtype), "wq": at.spec(str(size), dtype), "wn": at.spec(str(size), dtype)}
    return attn_res_fwd.compile(**{**specs, **arguments})


# The first kernel


def test_attention_residual_walks_the_sketch():
    artefact = compile_attn_res()
    artefact.module("source")
    text = kernel_text.source_ir(artefact)
    ops = re.findall(r"(tile\.\w+|arith\.\w+)(?: sum)? ", text[text.index("tile.grid") :])
    per_block = "load cast mul reduce mul add rsqrt mul reduce mul softmax_push store store yield".split()
    expected = ["grid", "softmax_init", "range", *per_block, "softmax_finish", "cast", "store", "store"]
    assert ops == [f"tile.{op}" for op in expected]
    assert '%V: !tile.array<?x?x4096xbf16> {launch.dims = ["N", "T", 4096]}' in text
    assert '%lse: !tile.array<?xf32> {launch.dims = ["T"], launch.output}' in text
    assert "attributes {tile.kernel, tile.symbols = {BT = #tile.auto<1, 64>}}" in text
    assert "stages 2 {" in text


def test_f32_needs_no_casts():
    assert "tile.cast" not in compile_attn_res(at.f32).ir("source")


def test_a_list_gives_a_table():
    text = compile_attn_res(V=at.spec("? ? 4096", at.bf16, table=True)).ir("source")
    assert "!tile.array<?x?x4096xbf16, table>" in text


def test_a_fixed_size_replaces_the_symbol():
    text = kernel_text.source_ir(compile_attn_res(BT=2))
    assert "tile.symbols" not in text and "by 2" in text and "!tile.tile<2 x 4096 x f32>" in text


# Positions


def test_every_op_has_its_position():
    artefact = compile_attn_res()
    path = re.escape(attn_res_fwd.source.path)
    source = artefact._source.splitlines()
    for line in source:
        inner = line.strip()
        if inner.endswith(("{", ",", "@attn_res_fwd(", "loc(unknown)")):
            continue
        assert re.search(rf'loc\((?:"\w+"\()?"{path}":\d+:\d+\)?\)\)?$', inner), line
    assert re.search(rf'%V: [^\n]* loc\("V"\("{path}":\d+:5\)\)', artefact._source)
    line, column = re.search(rf'%r = tile.rsqrt [^\n]* loc\("r"\("{path}":(\d+):(\d+)\)\)', artefact._source).groups()
    assert linecache.getline(attn_res_fwd.source.path, int(line))[int(column) - 1 :].startswith(
        "at.rsqrt(at.mean(v * v, 1)"
    )
    assert re.search(rf'%t loc\("t"\("{path}":\d+:13\)\)', artefact._source)


def test_names_reach_the_native_module():
    text = compile_attn_res().ir("source", debug_info=True)
    assert re.search(r'#loc\d* = loc\("rs?"\(#loc\d*\)\)', text)
    assert "%v = tile.cast" in text


def test_odd_paths_are_quoted(tmp_path):
    folder = tmp_path / 'odd "näme" \\ here'
    folder.mkdir()
    artefact = kernel_text.compile_in_grid(folder, "y = x + 1")
    assert r"odd \22n\C3\A4me\22 \5C here" in artefact._source
    with pytest.raises(attn.CompileError) as caught:
        kernel_text.compile_in_grid(folder, "y = x + z")
    assert caught.value.position[0].startswith(str(folder))


# Arithmetic


def test_operators(tmp_path):
    for symbol, op in {"+": "add", "-": "sub", "*": "mul", "/": "div"}.items():
        check_body(tmp_path, f"y = x {symbol} x", [f"%y = tile.{op} %x, %x : {TILE}, {TILE} -> {TILE}"])


def test_functions(tmp_path):
    for name in ("exp", "log", "sqrt", "rsqrt", "abs"):
        check_body(tmp_path, f"y = at.{name}(x)", [f"%y = tile.{name} %x : {TILE}"])
    check_body(tmp_path, "y = at.leaky_relu(x, 0.25)", [f"%y = tile.leaky_relu %x, %f0.25 : {TILE}"])
    for name in ("maximum", "minimum"):
        check_body(tmp_path, f"y = at.{name}(x, x)", [f"%y = tile.{name} %x, %x : {TILE}, {TILE} -> {TILE}"])


def test_reductions(tmp_path):
    for name in ("sum", "max", "min"):
        check_body(tmp_path, f"y = at.{name}(x, 1)", [f"%y = tile.reduce {name} %x axis 1 : {TILE} -> {COLUMN}"])
    check_body(
        tmp_path, "y = at.sum(x, axis=0)", [f"%y = tile.reduce sum %x axis 0 : {TILE} -> !tile.tile<1 x 256 x f32>"]
    )
    check_body(tmp_path, "y = at.sum(x, -1)", [f"%y = tile.reduce sum %x axis 1 : {TILE} -> {COLUMN}"])


def test_mean_multiplies_by_the_reciprocal(tmp_path):
    artefact = check_body(tmp_path, "y = at.mean(x, 1)", [f"%0 = tile.reduce sum %x axis 1 : {TILE} -> {COLUMN}"])
    assert "arith.constant 0.00390625 : f32" in artefact._source
    assert (
        f"%y = tile.mul %0, %f0.00390625_tile : {COLUMN}, !tile.tile<1 x 1 x f32> -> {COLUMN}"
        in kernel_text.source_ir(artefact)
    )


def test_narrow_tiles_are_widened(tmp_path):
    artefact = kernel_text.compile_in_grid(tmp_path, "x = x * x")
    narrow = "!tile.tile<BT x 256 x bf16>"
    assert kernel_text.body_lines(artefact) == [
        f"%0 = tile.cast %x : {narrow} -> {TILE}",
        f"%1 = tile.cast %x : {narrow} -> {TILE}",
        f"%x_1 = tile.mul %0, %1 : {TILE}, {TILE} -> {TILE}",
        f"%Y_1 = tile.cast %x_1 : {TILE} -> {narrow}",
    ]


def test_casts(tmp_path):
    check_body(tmp_path, "y = x.to(at.f32) + x", [f"%y = tile.add %x, %x : {TILE}, {TILE} -> {TILE}"])
    half = "!tile.tile<BT x 256 x f16>"
    check_body(
        tmp_path,
        "y = x.to(at.f16)\nz = y.to(at.bf16)",
        [
            f"%y = tile.cast %x : {TILE} -> {half}",
            f"%0 = tile.cast %y : {half} -> {TILE}",
            f"%z = tile.cast %0 : {TILE} -> !tile.tile<BT x 256 x bf16>",
        ],
    )


def test_broadcasting(tmp_path):
    check_body(
        tmp_path,
        "w = W[:]\nc = at.sum(x, 1)\ny = w * c",
        [
            "%w = tile.load %W[:] : (!tile.array<256xf32>) -> !tile.tile<1 x 256 x f32>",
            f"%c = tile.reduce sum %x axis 1 : {TILE} -> {COLUMN}",
            f"%y = tile.mul %w, %c : !tile.tile<1 x 256 x f32>, {COLUMN} -> {TILE}",
        ],
    )


def test_numbers_enter_as_small_tiles(tmp_path):
    artefact = check_body(tmp_path, "y = 1.0 / x\nz = 1 / x", [
        f"%y = tile.div %f1.0_tile, %x : !tile.tile<1 x 1 x f32>, {TILE} -> {TILE}",
        f"%z = tile.div %f1.0_tile, %x : !tile.tile<1 x 1 x f32>, {TILE} -> {TILE}",
    ])  # fmt: skip
    assert artefact._source.count("arith.constant 1.0 : f32") == 1


def test_negation(tmp_path):
    artefact = check_body(
        tmp_path, "y = -x", [f"%y = tile.mul %x, %f-1.0_tile : {TILE}, !tile.tile<1 x 1 x f32> -> {TILE}"]
    )
    assert "arith.constant -1.0 : f32" in artefact._source
    check_body(tmp_path, "y = x * -s", ["%0 = arith.negf %s : f32"])
    check_body(tmp_path, "y = x * -i", ["%0 = arith.subi %c0, %i : index"])


def test_float_scalars(tmp_path):
    check_body(
        tmp_path,
        "a = s * 2 + s / 4\nb = at.maximum(a, 0.0)\ny = x * b",
        [
            "%0 = arith.mulf %s, %f2.0 : f32",
            "%1 = arith.divf %s, %f4.0 : f32",
            "%a = arith.addf %0, %1 : f32",
            "%b = arith.maximumf %a, %f0.0 : f32",
            "%2 = tile.splat %b : f32 -> !tile.tile<1 x 1 x f32>",
        ],
    )


def test_index_scalars(tmp_path):
    check_body(
        tmp_path,
        "a = (i + 1) * T - i // 2\nb = at.cdiv(a, 8)\nc = at.minimum(b, T)\nd = i % 4\nW2 = W[d]",
        [
            "%0 = arith.addi %i, %c1 : index",
            "%1 = arith.muli %0, %T : index",
            "%2 = arith.floordivsi %i, %c2 : index",
            "%a = arith.subi %1, %2 : index",
            "%b = arith.ceildivsi %a, %c8 : index",
            "%c = arith.minsi %b, %T : index",
            "%3 = arith.floordivsi %i, %c4 : index",
            "%4 = arith.muli %3, %c4 : index",
            "%d = arith.subi %i, %4 : index",
            "%W2 = tile.load %W[%d] : (!tile.array<256xf32>, index) -> !tile.tile<1 x 1 x f32>",
        ],
    )


def test_whole_numbers_become_floats(tmp_path):
    text = kernel_text.source_ir(kernel_text.compile_in_grid(tmp_path, "x = x / T * (i / 2)"))
    assert "arith.index_cast %T : index to i64" in text and "arith.divf" in text


def test_constants_fold(tmp_path):
    text = check_body(tmp_path, "a = (7 // 2 + C * 2 - 5 % 3) / 2\nx = x * a", [])._source
    assert "arith.constant 3.5 : f32" in text
    text = check_body(tmp_path, "x = x * at.sqrt(D) * at.maximum(2, 1.0) * at.cdiv(5, 2)", [])._source
    assert all(f"arith.constant {value} : f32" in text for value in ("16.0", "2.0", "3.0"))


def test_literals(tmp_path):
    text = kernel_text.compile_in_grid(tmp_path, "x = x + 1e-06\nx = x + 1e20\nx = at.maximum(x, -INF)", dtype=at.f32)
    literals = re.findall(r"arith.constant (\S+) : f32", text._source)
    assert literals[:3] == ["1.0e-06", "1.0e+20", "0xFF800000"]


# Loads and stores


def test_loads(tmp_path):
    array = "!tile.array<?x256xf32>"
    for index, operands, result in [
        ("t, :", f"({array}, !tile.span<BT>)", TILE),
        ("i, :", f"({array}, index)", "!tile.tile<1 x 256 x f32>"),
        ("t, i", f"({array}, !tile.span<BT>, index)", COLUMN),
        ("t, 0:64", f"({array}, !tile.span<BT>, index)", "!tile.tile<BT x 64 x f32>"),
        ("t, i:i + 64", f"({array}, !tile.span<BT>, index)", "!tile.tile<BT x 64 x f32>"),
        ("i, 3", f"({array}, index, index)", "!tile.tile<1 x 1 x f32>"),
    ]:
        artefact = kernel_text.compile_in_grid(tmp_path, f"y = X[{index}]", dtype=at.f32)
        line = next(line for line in kernel_text.body_lines(artefact) if line.startswith("%y = tile.load"))
        assert line.endswith(f"] : {operands} -> {result}")


def test_stores_round(tmp_path):
    for dtype in (at.f16, at.bf16):
        artefact = kernel_text.compile_in_grid(tmp_path, "x = x + 1", dtype=dtype)
        assert f"%Y_1 = tile.cast %x_1 : {TILE} -> !tile.tile<BT x 256 x {dtype.name}>" in kernel_text.body_lines(
            artefact
        )


def test_stores_of_numbers_fill(tmp_path):
    text = kernel_text.source_ir(kernel_text.compile_in_grid(tmp_path, "pass"))
    assert f"tile.splat %f0.0 : f32 -> {COLUMN}" in text


def test_full(tmp_path):
    check_body(tmp_path, "y = at.full((BT, D), 2)", [f"%y = tile.splat %f2.0 : f32 -> {TILE}"])
    check_body(tmp_path, "y = at.full((1, C), s, at.bf16)", [
        "%0 = tile.splat %s : f32 -> !tile.tile<1 x 3 x f32>",
        "%y = tile.cast %0 : !tile.tile<1 x 3 x f32> -> !tile.tile<1 x 3 x bf16>",
    ])  # fmt: skip


# Loops


def test_carried_values(tmp_path):
    check_body(
        tmp_path,
        """
        a, m, k = at.full((BT, 1), 0.0), 0.0, 0
        for n in at.range(i, stages=3):
            a = a + at.sum(x, 1)
            m, k = m + s, k + 1
            b = a * 2
        x = x * a * m + k
        """,
        [
            f"%a = tile.splat %f0.0 : f32 -> {COLUMN}",
            f"%a_1, %m, %k = tile.range %n = %c0 to %i iter(%a_2 = %a : {COLUMN}, %m_1 = %f0.0 : f32, "
            "%k_1 = %c0 : index) stages 3 {",
            f"%0 = tile.reduce sum %x axis 1 : {TILE} -> {COLUMN}",
            f"%a_3 = tile.add %a_2, %0 : {COLUMN}, {COLUMN} -> {COLUMN}",
            "%m_2 = arith.addf %m_1, %s : f32",
            "%k_2 = arith.addi %k_1, %c1 : index",
        ],
    )


def test_carried_through_nested_loops(tmp_path):
    artefact = kernel_text.compile_in_grid(tmp_path, """
        st = at.softmax_state(BT, D)
        for a in at.range(2, 5):
            for b in at.range(i):
                st.push(at.sum(x, 1), x, per_row=True)
        x, l = st.finish()
    """)  # fmt: skip
    assert kernel_text.source_ir(artefact).count("iter(") == 2


def test_augmented_assignment_is_carried(tmp_path):
    artefact = kernel_text.compile_in_grid(tmp_path, "for n in at.range(3):\n    x += 1\n", dtype=at.f32)
    assert f"iter(%x_2 = %x : {TILE})" in kernel_text.source_ir(artefact)


def test_a_loop_that_runs_once_is_left_out(tmp_path):
    """What its body changes has changed after it, and its variable is a number."""
    source = kernel_text.compile_in_grid(
        tmp_path, "for n in at.range(2, 3):\n    x += n\ny = x\n", dtype=at.f32
    )._source
    assert "tile.range" not in source and "tile.add" in source and "2.0" in source


def test_a_name_in_two_loops_is_not_carried(tmp_path):
    body = "for n in at.range(3):\n    y = x + n\nfor n in at.range(3):\n    y = x.to(at.f32)\n"
    assert "iter(" not in kernel_text.compile_in_grid(tmp_path, body)._source


def test_range_over_tiles(tmp_path):
    check_body(tmp_path, "for k in at.range(at.tiles(i, 64, base=8, limit=T)):\n    y = X[k, :]\n", [
        "%0 = arith.addi %c8, %i : index",
        "%1 = arith.minsi %0, %T : index",
        "tile.range %k = %c8 to %1 by 64 {",
        "%y = tile.load %X[%k span, :] : (!tile.array<?x256xf32>, !tile.span<64>) -> !tile.tile<64 x 256 x f32>",
    ])  # fmt: skip


def test_grid_of_several_axes(tmp_path):
    kernel = kernel_text.define(tmp_path, """
        @attn.kernel
        def k(X: at.Tensor["B T D"], BT: at.Auto(1, 64)):
            Y = at.empty("B T D", X.dtype)
            spans = at.tiles(T, BT)
            for b, t in at.grid(B, spans, stages=2):
                Y[b, t, :] = X[b, t, :] * 2
            return Y
    """)  # fmt: skip
    artefact = kernel.compile(X=at.spec("? ? 64", at.f32))
    assert "tile.grid (%b, %t) in (%B, %T by BT) stages 2 {" in kernel_text.source_ir(artefact)
    artefact.module("source")


def test_shared_push(tmp_path):
    kernel = kernel_text.define(tmp_path, """
        @attn.kernel
        def k(S: at.Tensor["T K"], V: at.Tensor["K D"], BT: at.Auto(1, 64)):
            O = at.empty("T D", V.dtype)
            for t in at.grid(at.tiles(T, BT)):
                st = at.softmax_state(BT, D)
                st.push(S[t, :], V[:, :])
                O[t, :], l = st.finish()
            return O
    """)  # fmt: skip
    artefact = kernel.prepare(S=at.spec("? 32", at.bf16), V=at.spec("32 64", at.bf16))
    text = kernel_text.source_ir(artefact)
    assert "softmax_push shared" in text and "!tile.tile<32 x 64 x bf16>" in text
    artefact.module("source")


# Constants and surroundings


def test_conditions_are_decided_at_compile_time(tmp_path):
    body = "if C == 3 and not False:\n    x = at.exp(x)\nelif C > 4:\n    x = at.log(x)\nelse:\n    x = at.abs(x)\n"
    for value, op in ((3, "exp"), (5, "log"), (4, "abs")):
        text = kernel_text.compile_in_grid(tmp_path, body, C=value)._source
        assert [name for name in ("exp", "log", "abs") if f"tile.{name}" in text] == [op]
    text = kernel_text.compile_in_grid(tmp_path, "x = at.exp(x) if X.dtype == at.bf16 else x")._source
    assert "tile.exp" in text


def test_numbers_from_the_surroundings(tmp_path):
    kernel = kernel_text.define(tmp_path, """
        import math
        SCALE = 2.5

        def make(bias):
            @attn.kernel
            def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
                Y = at.empty("T D", X.dtype)
                for t in at.grid(at.tiles(T, BT)):
                    Y[t, :] = X[t, :] * SCALE + bias - math.pi
                return Y
            return k

        k = make(7.0)
    """)  # fmt: skip
    spec = at.spec("? 64", at.f32)
    text = kernel.compile(X=spec)._source
    assert all(f"arith.constant {value} : f32" in text for value in ("2.5", "7.0", "3.141592653589793"))
    kernel._function.__globals__["SCALE"] = 4.5
    assert "arith.constant 4.5 : f32" in kernel.compile(X=spec)._source


def test_string_annotations(tmp_path):
    path = tmp_path / "future.py"
    text = kernel_text.in_grid("pass")
    path.write_text("from __future__ import annotations\n" + kernel_text.HEAD + text)
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    specs = {"X": at.spec("? 64", at.f32), "W": at.spec("64", at.f32), "J": at.spec("?", at.i32)}
    scope["k"].compile(**specs, C=1).module("source")


def test_only_used_whole_dims_are_specialised():
    assert list(attn_res_fwd.signature.specialised) == ["D"]
    assert list(attn_res_fwd.signature.dims) == ["N", "T", "D"]


@attn.kernel
def merge_parts(sums: at.Tensor["M N R D"], lses: at.Tensor["M N R"]):
    Y = at.empty("M", at.f32)
    for m in at.grid(M):
        _, lse = at.lse_merge(sums[m], lses[m])
        Y[m] = at.sum(lse, 0)
    return Y


def test_rows_and_columns_of_merged_parts_are_specialised():
    assert set(merge_parts.signature.specialised) == {"R", "D"}


@attn.kernel
def carry_transposes(X: at.Tensor["T D"], n: int, BT: at.Auto(1, 64)):
    Y = at.empty("T", at.f32)
    for t in at.grid(at.tiles(T, BT)):
        row = at.sum(X[t, :], 1).T
        for _ in at.range(n):
            row = (2.0 * row.T).T
        Y[t] = row.T
    return Y


def test_loops_carry_transposes_of_rows_and_columns():
    x = torch.ones(5, 3)
    assert torch.equal(carry_transposes(x, 2), torch.full((5,), 12.0))


TWICE = """
    @attn.kernel
    def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):
        Y = at.empty_like(X)
        for t in at.grid(at.tiles(T, BT)):
            Y[t, :] = X[t, :] * 2
        return Y
"""


@pytest.mark.parametrize("change", [
    lambda text: text.replace("* 2", "* 3"),
    lambda text: "\n" + text,
    lambda text: text.replace("def k(", "def other("),
    lambda text: text + ")",
])  # fmt: skip
def test_a_file_that_changed_after_the_import(tmp_path, change):
    """What would be compiled is not what was imported; also where the cache knows the new text."""
    kernel, path = kernel_text.define(tmp_path, TWICE), next(tmp_path.glob("*.py"))
    path.write_text(change(path.read_text()))
    for call in (lambda: kernel.compile(X=at.spec("? 64", at.f32)), lambda: kernel(torch.zeros(3, 64))):
        with pytest.raises(
            attn.CompileError, match=r":\d+:1: error: the file has changed since 'k' was imported: import it again"
        ):
            call()


def test_a_file_that_was_written_again(tmp_path):
    """The same text, or another text around the same kernel, changes nothing."""
    for change in (lambda text: text, lambda text: text + "\nOTHER = 3\n"):
        kernel = kernel_text.define(tmp_path, TWICE)
        path = Path(kernel.__wrapped__.__code__.co_filename)
        path.write_text(change(path.read_text()))
        os.utime(path, ns=(1, 1))
        assert torch.equal(kernel(torch.ones(3, 64)), torch.full((3, 64), 2.0))


def test_a_lambda_is_not_a_kernel():
    message = "@attn.kernel takes a function with annotated arguments, defined by 'def', not a lambda"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        attn.kernel(lambda X: X)


def test_powers_and_floats_of_numbers(tmp_path):
    artefact = kernel_text.compile_in_grid(tmp_path, "y = x * (D ** -0.5 + C ** 2 + float(C))")
    assert "arith.constant 12.0625 : f32" in kernel_text.source_ir(artefact)
    text = kernel_text.source_ir(kernel_text.compile_in_grid(tmp_path, "y = at.maximum(x, float('-inf'))"))
    assert "arith.constant 0xFF800000 : f32" in text


@pytest.mark.parametrize("name", ["double", "exp", "index", "select", "malloc", "expf", "int64_t", "DataCopy", "main"])
def test_names_that_are_taken(tmp_path, name):
    """A kernel may have the name of a word of C++ or of a function of the C library; it is compiled under another."""
    kernel = kernel_text.define(tmp_path, TWICE.replace("def k(", f"def {name}("), name)
    artefact = kernel.compile(X=at.spec("? 64", at.f32))
    assert f" {name}_kernel(" in artefact.ascendc and artefact.sidecar.name == f"{name}_kernel"
    assert f"@{name}_kernel" in artefact.hivm and artefact.sidecar.data["call"]["function"] == name
    x = torch.randn(3, 64)
    assert torch.equal(kernel(x), x * 2)
    assert repr(kernel) == f"<attn kernel {name}>"


def test_compile_fails_where_its_texts_fail(tmp_path):
    name = "k" * 50
    kernel = kernel_text.define(tmp_path, TWICE.replace("def k(", f"def {name}("), name)
    spec = at.spec("? 64", at.f32)
    with pytest.raises(attn.CompileError, match="must be an identifier of at most 49 characters"):
        kernel.compile(X=spec)
    stage = io.StringIO()
    attn.dump(kernel, stage="ascend", file=stage, X=spec)
    assert f"@{name}(" in stage.getvalue()


def test_compile_makes_the_texts_of_a_launch(tmp_path, monkeypatch):
    made = []
    monkeypatch.setenv("ATTN_CACHE", "0")
    kernel = kernel_text.define(tmp_path, TWICE)
    original = compiler.cache.obtain
    monkeypatch.setattr(compiler.cache, "obtain", lambda kind, *rest: made.append(kind) or original(kind, *rest))
    artefact = kernel.compile(X=at.spec("? 64", at.f32))
    assert [kind for kind in made if kind not in ("signature", "lowered")] == ["ascendc", "sidecar"]
    artefact.hivm, artefact.ascendc, artefact.sidecar  # noqa: B018
    assert made[-1] == "hivm" and made.count("ascendc") == made.count("sidecar") == 1
    del made[:]
    assert "composites" in repr(kernel.compile(X=at.spec("? 64", at.f32), composites=True)._options)
    assert "ascendc" not in made and "sidecar" in made


def test_kernels_are_never_executed(tmp_path):
    kernel = kernel_text.define(tmp_path, "@attn.kernel\ndef k(s: float):\n    open('/nowhere')\n    return s\n")
    with pytest.raises(attn.CompileError, match="Python's 'open' is not supported in a kernel"):
        kernel.compile()


def test_words_outside_a_kernel():
    with pytest.raises(RuntimeError, match="at.exp has a meaning only inside a function decorated with @attn.kernel"):
        at.exp(3)
    assert "exponential" in at.exp.__doc__


@pytest.mark.parametrize("make, error", [
    (lambda: at.Tensor[3], "at.Tensor takes its dimensions as a string"),
    (lambda: at.Tensor[""], "at.Tensor needs at least one dimension"),
    (lambda: at.Tensor["T 0"], "a dimension must be between 1 and 2147483647, not 0"),
    (lambda: at.Tensor["T x-y"], "'x-y' is neither a name nor a number"),
    (lambda: at.Tensor["T", 32], "at.Tensor takes a dtype such as at.f32, not 32"),
    (lambda: at.Tensors["N"], "at.Tensors takes the list's name and the dims of its tensors"),
    (lambda: at.Tensors["N M", "T"], "the length of the list is one name"),
    (lambda: at.Const[list], "at.Const takes int, float, bool or str"),
    (lambda: at.Auto(4, 2), "1 <= lo <= hi, not 4 and 2"),
    (lambda: at.spec(4096, at.f32), "at.spec takes a shape such as"),
    (lambda: at.spec("? x", at.f32), "'x' is neither '?' nor a number between 1 and 2147483647"),
    (lambda: at.spec("?", "f32"), "at.spec takes a dtype such as at.f32, not 'f32'"),
    (lambda: attn.kernel(3), "@attn.kernel takes a function, not 3"),
])  # fmt: skip
def test_annotations_and_specs_are_checked(make, error):
    with pytest.raises((TypeError, ValueError), match=re.escape(error)):
        make()


# Stages


def test_dump_prints_a_stage(tmp_path, capsys):
    kernel = kernel_text.define(tmp_path, kernel_text.in_grid("pass"))
    specs = {"X": at.spec("? 64", at.f32), "W": at.spec("64", at.f32), "J": at.spec("?", at.i32), "C": 1}
    attn.dump(kernel, stage="source", **specs)
    assert capsys.readouterr().out.startswith('module attributes {machine.target = #machine.target<"Ascend910B4">}')
    with pytest.raises(
        ValueError, match="unknown stage 'assembler'; known: source, tile, linalg, ascend, ascendc, hivm"
    ):
        attn.dump(kernel, stage="assembler", **specs)


def test_options_are_checked():
    with pytest.raises(TypeError, match="'speed' is neither an argument of the kernel nor an option of the compiler"):
        compile_attn_res(speed=3)


def test_options_of_pipelines():
    assert compiler.pipeline_text("attn-tile", {"softmax": "online"}) == "attn-tile{softmax=online}"
    assert compiler.pipeline_text("attn-ascend", {"softmax": "online"}) == "attn-ascend"
    with pytest.raises(ValueError, match="^softmax: a word is expected, not 'a b'$"):
        compile_attn_res(softmax="a b")


def test_passes_run_on_the_native_module():
    module = compile_attn_res().module("source")
    assert compiler.parse(module.text(), None).run("canonicalize,cse") == []
    with pytest.raises(attn.CompileError, match="pipeline 'no-such-pass'"), compiler.compile_errors():
        module.run("no-such-pass")


def test_declared_chips():
    artefact = compile_attn_res(soc="Ascend910B4:ub_bytes=8192")
    assert "{ub_bytes = 8192 : i64}" in artefact.ir("source")
    assert repr(artefact) == "<attn artefact attn_res_fwd for Ascend910B4:ub_bytes=8192>"


def test_a_kernel_keeps_its_documentation():
    assert "Returns h [T, D]" in attn_res_fwd.__doc__
    assert repr(attn_res_fwd) == "<attn kernel attn_res_fwd>"
