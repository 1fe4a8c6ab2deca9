"""The sidecar: what the compiler writes of every kernel, what the reader refuses, and what it computes."""

import copy
import re
import struct

import pytest

import attn
import attn.language as at
from attn import sidecar
from attn.sidecar import Call, SidecarError, fields, formulas
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_fwd
from repository import ROOT


def attn_res_specs(dtype, table=False):
    row, rows = at.spec("256", dtype), at.spec("? 256", dtype)
    return {"V": at.spec("? ? 256", dtype, table=table), "wq": row, "wn": row}, {"dh": rows, "h": rows}


def compile_attn_res_bwd(**options):
    forward, backward = attn_res_specs(at.bf16)
    saved = {"lse": at.spec("?", at.f32), "sc": at.spec("? ?", at.f32), "rs": at.spec("? ?", at.f32)}
    return attn_res_bwd.compile(**{**forward, **backward, **saved, **options})


@pytest.fixture(scope="module")
def backward():
    return compile_attn_res_bwd().sidecar


@pytest.fixture(scope="module")
def neighborhood():
    spec = at.spec("? ? ? 64", at.f16)
    return neighborhood_fwd.compile(q=spec, k=spec, v=spec, W=7).sidecar


# What the compiler writes


def c_parameters(text: str, symbol: str):
    """(C++ type, name) of each parameter of a kernel in emitted text."""
    (found,) = re.findall(rf"void {symbol}\(([^{{]*)\) {{", re.sub(r"^#line .*\n", "", text, flags=re.MULTILINE))
    return [tuple(parameter.strip().rsplit(" ", 1)) for parameter in found.split(",")]


def check_layout(artefact):
    """The layout is checked with `struct`, which pads natively, against the parameters that were printed."""
    made = artefact.sidecar
    printed = c_parameters(artefact.ascendc, artefact.name)
    codes = {"__gm__ uint8_t*": "Q", "int64_t": "q", "int32_t": "i", "float": "f"}
    layout = ""
    for (kind, name), argument in zip(printed, made.arguments(), strict=True):
        assert struct.calcsize(f"@{layout}0{codes[kind]}") == argument["offset"], name
        layout += codes[kind]
        assert struct.calcsize(codes[kind]) == argument["size"]
        assert name == argument["name"] or argument["kind"] in ("array", "table", "stride")
        stride = re.fullmatch(r"\w+_stride(\d+)", name)
        assert (argument["kind"] == "stride") == bool(stride), name
        if stride:
            assert argument["axis"] == int(stride[1]), name
        if argument["kind"] == "scalar":
            assert kind == {"f32": "float", "i32": "int32_t", "i64": "int64_t"}[argument["dtype"]], name
    assert made.argument_bytes() == struct.calcsize(f"@{layout}")


@pytest.mark.parametrize("dtype", [at.f32, at.f16, at.bf16], ids=repr)
@pytest.mark.parametrize("table", [False, True])
def test_arguments_are_those_of_the_text(dtype, table):
    artefact = attn_res_fwd.compile(**attn_res_specs(dtype, table)[0])
    check_layout(artefact)
    made = artefact.sidecar
    pointers = {a["of"]: a for a in made.arguments() if a["kind"] in ("array", "table", "workspace")}
    assert pointers["V"]["kind"] == ("table" if table else "array")
    assert pointers["V"]["dtype"] == dtype.name
    (parameter,) = (p for p in made.parameters if p["name"] == "V")
    assert parameter["dims"] == ["N", "T", 256]
    assert parameter["strides"] == ([None, "any", 1] if table else ["any", "any", 1])


@attn.kernel
def numbers(X: at.Tensor["T D"], factor: float, shift: float, count: int, more: float, BT: at.Auto(1, 64) = None):
    """Numbers of 32 bits, side by side and before one of 64."""
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * factor + shift + more
    return Y


def test_numbers_lie_side_by_side():
    artefact = numbers.compile(X=at.spec("? 64", at.f32))
    check_layout(artefact)
    offsets = {argument["name"]: argument["offset"] for argument in artefact.sidecar.arguments()}
    start = offsets["factor"]
    assert (offsets["shift"], offsets["count"], offsets["more"]) == (start + 4, start + 8, start + 16)
    assert artefact.sidecar.argument_bytes() == start + 20


def test_chosen_sizes_are_those_of_the_grid():
    specs = attn_res_specs(at.bf16)[0]
    chosen, given = (attn_res_fwd.compile(**specs, **options).sidecar.data for options in ({}, {"BT": 2}))
    assert [*chosen["sizes"]] == ["BT"] and given["sizes"] == {}
    assert chosen["grid"]["tiles"] == {"uceildiv": [{"dim": "T"}, chosen["sizes"]["BT"]]}
    assert given["grid"]["tiles"] == {"uceildiv": [{"dim": "T"}, 2]}


def test_memory_is_that_of_the_text():
    artefact = compile_attn_res_bwd(phases="launches")
    sizes = {"float": 4, "int32_t": 4, "half": 2, "bfloat16_t": 2}
    texts = re.split(r"^(?=extern)", artefact.ascendc, flags=re.MULTILINE)[1:]
    for launch, text in zip(artefact.sidecar.launches, texts, strict=True):
        buffers = re.findall(r"LocalTensor<(\w+)> \w+\(\S+, (\d+), (\d+)\);", text)
        ends = [int(address) + int(elements) * sizes[type] for type, address, elements in buffers]
        memory = launch["memory"]
        assert (memory["bytes_used"], memory["buffers"]) == ({"ub": max(ends)}, len(ends))
        assert memory["bytes_used"]["ub"] <= memory["bytes"]["ub"]


def test_target_and_hashes(backward):
    target = backward.data["target"]
    assert target["soc"] == "Ascend910B4" and (target["cube_cores"], target["vector_cores"]) == (20, 40)
    assert backward.accepts("Ascend910B4-1") and backward.accepts("Ascend910_9362")
    assert not backward.accepts("Ascend310P")
    again = compile_attn_res_bwd().sidecar
    assert again.data == backward.data
    assert compile_attn_res_bwd(BT=2).sidecar.data["source"] != backward.data["source"]


def test_blocks_that_meet_need_as_many_cores(backward):
    assert backward.data["grid"]["all_at_once"]
    assert [launch["kind"] for launch in backward.launches] == ["mix"]
    large = compile_attn_res_bwd(soc="Ascend910B1").sidecar
    assert large.accepts("Ascend910B2C") and not large.accepts("Ascend910B4")
    assert large.arguments("hivm")[0]["name"] == "sync_base"
    assert large.argument_bytes("hivm") == large.argument_bytes() + 8


def test_one_launch_per_phase():
    made = compile_attn_res_bwd(phases="launches").sidecar
    assert [launch["symbol"] for launch in made.launches] == ["attn_res_bwd", "attn_res_bwd_phase1"]
    assert {launch["kind"] for launch in made.launches} == {"vector"}
    assert not made.data["grid"]["all_at_once"]
    assert made.arguments("hivm") == made.arguments("ascendc")


def test_what_the_language_knows(backward):
    call = backward.data["call"]
    assert (call["module"], call["function"]) == ("kernels_dsl.attn_res", "attn_res_bwd")
    assert call["constants"]["form"] == "'streaming'" and call["dims"] == {"D": 256}
    assert call["outputs"][0] == {"name": "dV", "like": "V"}
    assert call["returns"] == ["dV", "dwq", "dwn"] and not call["single"]
    made = compile_attn_res_bwd(want_dv=False, h=None, form="resident").sidecar.data["call"]
    assert made["returns"] == [None, "dwq", "dwn"] and made["absent"] == ["h"]


# What it computes


def test_grid_equals_the_simulators(neighborhood):
    spec_of = {name: at.spec("2 3 100 64", at.f16) for name in "qkv"}
    for dilation in (1, 3, 100, 1000):
        report = attn.simulate(neighborhood_fwd, **spec_of, scale=1.0, dilation=dilation, W=7, timing_only=True).report
        call = Call({**dict.fromkeys("qkvo", (2, 3, 100, 64)), "lse": (2, 3, 100)}, {"dilation": dilation})
        assert neighborhood.count_blocks(call) == report.blocks


def backward_call(tokens: int, blocks: int):
    rows, scores = (tokens, 256), (tokens, blocks)
    stack = (blocks, tokens, 256)
    return Call(
        {"dh": rows, "V": stack, "wq": (256,), "wn": (256,), "h": rows, "lse": (tokens,), "sc": scores, "rs": scores,
         "dV": stack, "dwq": (256,), "dwn": (256,)},
        {},
    )  # fmt: skip


def test_workspace(backward):
    call = backward_call(1000, 8)
    assert backward.count_blocks(call) == 40
    assert backward.workspace_bytes(call, 40) == {"G": 40 * 256 * 4}
    assert backward.workspace_shape("G", call, 40) == (40, 256)


def test_workspace_per_core_and_group(backward):
    data = copy.deepcopy(backward.data)
    call = backward_call(1000, 8)
    (parameter,) = (item for item in data["parameters"] if item["name"] == "G")

    def per(dim: str, *ratio: int):
        parameter["dims"][0] = dim
        data["workspaces"][0]["bytes"] = {"mul": [4, {"dim": dim}, 256]}
        for launch in data["launches"]:
            launch["ratio"] = list(ratio)
        data["grid"]["groups"] = all(ratio)
        return sidecar.Sidecar(data)

    assert per("@cores", 0, 1).workspace_bytes(call, 20) == {"G": 20 * 256 * 4}
    assert per("@cores", 1, 2).workspace_bytes(call, 20) == {"G": 40 * 256 * 4}
    assert per("@cores", 1, 2).workspace_shape("G", call, 20) == (40, 256)
    assert per("@groups", 1, 2).workspace_bytes(call, 20) == {"G": 20 * 256 * 4}
    with pytest.raises(SidecarError, match="@groups"):
        per("@groups", 0, 1).workspace_bytes(call, 20)


def test_calls_that_do_not_fit(backward, neighborhood):
    call = backward_call(10, 8)
    call.shapes["sc"] = (10, 9)
    with pytest.raises(SidecarError, match=r"^sc: dimension 1 must be 8, which is N of V, not 9$"):
        backward.dims(call)
    call.shapes["wq"] = (255,)
    with pytest.raises(SidecarError, match=r"^wq: dimension 0 must be 256, not 255$"):
        backward.dims(call)
    del call.shapes["V"]
    with pytest.raises(SidecarError, match="^attn_res_bwd needs the array 'V'$"):
        backward.dims(call)
    shapes = {**dict.fromkeys("qkvo", (2, 3, 100, 64)), "lse": (2, 3, 100)}
    for dilation, problem in ((0, "divides by zero"), (-1, "has a negative operand"), (1.5, "integer")):
        with pytest.raises(SidecarError, match=problem):
            neighborhood.count_blocks(Call(shapes, {"dilation": dilation}))
    with pytest.raises(SidecarError, match="'dilation' is needed"):
        neighborhood.count_blocks(Call(shapes, {}))


@pytest.mark.parametrize(
    "name, operands, result",
    [("div", (-7, 2), -3), ("rem", (-7, 2), -1), ("floordiv", (-7, 2), -4), ("ceildiv", (-7, 2), -3),
     ("uceildiv", (7, 2), 4), ("select", (0, 1, 2), 2), ("sub", (1, 2), -1), ("mul", (2, 3, 4), 24)],
)  # fmt: skip
def test_operators(name, operands, result):
    assert formulas.evaluate({name: list(operands)}, {}, {}, {}) == result


def test_formulas_stay_within_64_bits():
    with pytest.raises(formulas.FormulaError, match="exceeds 64 bits"):
        formulas.evaluate({"mul": [2**62, 2]}, {}, {}, {})


def test_formulas_as_people_write_them():
    formula = {"mul": [{"dim": "B"}, {"uceildiv": [{"sub": [{"size": ["V", 1]}, 1]}, 16]}, {"add": [1, {"dim": "T"}]}]}
    assert formulas.show(formula) == "B * ceildiv(V.shape[1] - 1, 16) * (1 + T)"


# What the reader refuses


def places(value, path=()):
    """The path of every field and entry of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def change(data, path, edit):
    data = copy.deepcopy(data)
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    edit(holder, path[-1])
    return data


# Free texts and names may be any text, and objects by name may lack a name.
FREE = {"sizes", "constants", "options", "dims", "row_axes"}


def test_every_field_is_needed_and_checked(backward):
    """Each field of a real sidecar in turn is left out, and gets a value of a type that no field has."""
    data = {
        **backward.data,
        "object": {"file": "k.o", "hash": "sha256:0", "form": "object", "route": "ascendc", "toolchain": "bisheng",
                   "command": ["bisheng"]},
        "predicted": {"dims": {"T": 8}, "microseconds": 1.5},
    }  # fmt: skip
    sidecar.Sidecar(data)
    for path in places(data):
        wrong = change(data, path, lambda holder, key: holder.__setitem__(key, [[{}]]))
        with pytest.raises(SidecarError):
            sidecar.Sidecar(wrong)
        if isinstance(path[-1], str) and not (len(path) > 1 and path[-2] in FREE) and "tiles" not in path:
            missing = change(data, path, lambda holder, key: holder.pop(key))
            with pytest.raises(SidecarError):
                sidecar.Sidecar(missing)
    for path in ((), ("grid",), ("launches", 0), ("launches", 0, "memory"), ("parameters", 0), ("target",)):
        more = change(data, (*path, "surprise"), lambda holder, key: holder.__setitem__(key, 1))
        with pytest.raises(SidecarError, match="the field 'surprise' is not known"):
            sidecar.Sidecar(more)


@pytest.mark.parametrize(
    "path, value, message",
    [
        (("grid", "limit"), 65536, r"grid.limit: an integer from 1 to 65535 is expected, not 65536"),
        (("grid", "limit"), True, r"grid.limit: an integer"),
        (("grid", "tiles"), {"pow": [1, 2]}, r"grid.tiles: the operator 'pow' is not known"),
        (("grid", "tiles"), {"sub": [1]}, r"grid.tiles.sub: 2 operands are expected, not 1"),
        (("grid", "tiles"), {"dim": "Z"}, r"grid.tiles: the dimension 'Z' is not known"),
        (("grid", "tiles"), {"dim": "@blocks"}, r"grid.tiles: the dimension '@blocks' is not known"),
        (("grid", "tiles"), {"scalar": "V"}, r"grid.tiles: there is no number 'V' among the parameters"),
        (("grid", "tiles"), {"size": ["V", 3]}, r"grid.tiles: there is no dimension 3 of 'V'"),
        (("grid", "all_at_once"), False, r"grid.all_at_once: must be true exactly where"),
        (("launches",), [], r"launches: at least 1 entries are expected, not 0"),
        (("launches", 0, "symbol"), "a b", r"launches\[0\].symbol: 'a b' is not an identifier"),
        (("launches", 0, "kind"), "aic", r"launches\[0\].kind: one of 'vector', 'cube', 'mix' is expected, not 'aic'"),
        (("launches", 0, "kind"), "cube", r"launches\[0\].ratio: of the kind 'cube' it is \[1, 0\]"),
        (("launches", 0, "memory", "bytes_used", "ub"), 1 << 20, r"launches\[0\].memory: more bytes of ub are used"),
        (("launches", 0, "memory", "bytes_used"), {"l1": 0}, r"launches\[0\].memory: .* must be of the same memories"),
        (("routes", "ascendc", "bytes"), 8, r"routes.ascendc.bytes: 8 bytes do not hold the last argument"),
        (("routes", "ascendc", "arguments", 1, "offset"), 4, r"arguments\[1\].offset: 4 overlaps"),
        (("routes", "ascendc", "arguments", 0, "of"), "W", r"arguments\[0\].of: there is no parameter 'W'"),
        (("workspaces", 0, "parameter"), "V", r"workspaces\[0\].parameter: 'V' is not a workspace"),
        (("parameters", 1, "strides"), [1], r"parameters\[1\].strides: 3 entries are expected, as in dims"),
        (("version",), 2, r"version: one of 4 is expected, not 2"),
    ],
)
def test_messages(backward, path, value, message):
    with pytest.raises(SidecarError, match=message):
        sidecar.Sidecar(change(backward.data, path, lambda holder, key: holder.__setitem__(key, value)))


def test_files(tmp_path, backward):
    path = tmp_path / "k.json"
    path.write_text(backward.json())
    assert sidecar.load(path).data == backward.data
    for text, message in (
        ("{", "k.json: no JSON"),
        ('{"version": 1, "version": 1}', "k.json: no JSON: the field 'version' is given twice"),
        ("[]", "k.json: the sidecar: an object is expected"),
        ('{"schema": "attn-sidecar", "version": 7}', "k.json: version 7 of the form, but this attn reads version 4"),
        ("[" * 100000, "k.json: no JSON"),
    ):
        path.write_text(text)
        with pytest.raises(SidecarError, match=re.escape(message)):
            sidecar.load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(SidecarError, match="k.json"):
        sidecar.load(path)
    with pytest.raises(SidecarError, match="No such file"):
        sidecar.load(tmp_path / "none.json")


def test_the_form_is_documented():
    """docs/Sidecar.md has every field, and shows the version of the form."""
    text = (ROOT / "docs/Sidecar.md").read_text()

    def names(form, seen):
        for name, inner in getattr(form, "known", {}).items():
            seen.add(name)
            names(inner, seen)
        return seen

    forms = (
        fields.FORM,
        fields._ARRAY,
        fields._SCALAR,
        fields._ARGUMENT,
        fields._LAUNCH,
        fields._CALL,
        fields._OBJECT,
    )
    known = set().union(*(names(form, set()) for form in forms))
    missing = {name for name in known if f"`{name}`" not in text}
    assert not missing
    assert f"version {sidecar.VERSION}" in text
