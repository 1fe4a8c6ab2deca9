"""Objects by the stand-in for the vendor's compiler, launched on the modelled chip by their sidecars alone."""

import copy

import pytest

from attn.sidecar import Sidecar, SidecarError
from catalogue import DTYPES, KERNELS, compile_kernel
from chip_launch import ChipLaunch
from object_calls import bits, make_values, simulate
from repository import ROOT

STANDIN = ROOT / "test/toolchain/bin/bisheng"
# Each form once, in one of the types.
CASES = list(zip(KERNELS, [*DTYPES] * len(KERNELS)))


def expect_equal(sidecar, values: dict, outputs):
    for output, result in zip(sidecar.data["call"]["returns"], outputs, strict=True):
        if output is not None:
            assert bits(values[output]) == bits(result), output


@pytest.mark.sweep
@pytest.mark.parametrize("name, dtype", CASES, ids=["-".join(case) for case in CASES])
def test_standin_object_equals_the_chip_ir(tmp_path, name, dtype):
    sidecar = compile_kernel(name, dtype).build(tmp_path / "k.o", bisheng=STANDIN)
    values = make_values(sidecar, strided=name.endswith(("streaming", "dilated", "list")))
    launch = ChipLaunch(sidecar, values)
    expected = simulate(name, sidecar, values)
    assert launch.blocks == expected.report.blocks and not expected.report.hazards
    launch.run(tmp_path / "k.o")
    expect_equal(sidecar, values, expected.outputs)


# Mistakes in a sidecar: what is changed, and in which argument, workspace or launch.


def swap(first: str, second: str, field: str):
    def change(data):
        arguments = {argument["name"]: argument for argument in data["routes"]["ascendc"]["arguments"]}
        one, other = arguments[first], arguments[second]
        one[field], other[field] = other[field], one[field]

    return change


def less_workspace(data):
    data["workspaces"][0]["bytes"] = {"udiv": [data["workspaces"][0]["bytes"], 2]}


def more_blocks(data):
    data["grid"]["tiles"], data["grid"]["limit"] = 65535, 65535


def fewer_bytes(data):
    route = data["routes"]["ascendc"]
    route["bytes"] -= route["arguments"].pop()["size"]


def forgotten_launch(data):
    data["launches"].pop()


MISTAKES = {
    "swapped arrays": ("attn_res_bwd-streaming", swap("sc", "rs", "of")),
    "swapped strides": ("attn_res_bwd-streaming", swap("V_stride0", "V_stride1", "axis")),
    "swapped offsets": ("attn_res_bwd-streaming", swap("T", "N", "of")),
    "too little workspace": ("attn_res_bwd-streaming", less_workspace),
    "too many blocks": ("attn_res_bwd-streaming", more_blocks),
    "an argument too few": ("attn_res_bwd-streaming", fewer_bytes),
    "a forgotten phase": ("attn_res_bwd-launches", forgotten_launch),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Objects by the names of their kernels."""
    folder = tmp_path_factory.mktemp("objects")
    names = {name for name, _ in MISTAKES.values()}
    paths = {name: folder / f"{name}.o" for name in names}
    return {name: (compile_kernel(name, "f32").build(path, bisheng=STANDIN), path) for name, path in paths.items()}


@pytest.mark.parametrize("mistake", [None, *MISTAKES])
def test_standin_mistakes_in_a_sidecar_show(built, mistake):
    """The launch follows the sidecar alone: a mistake there is refused, a hazard, or gives other values."""
    name, change = MISTAKES[mistake] if mistake else ("attn_res_bwd-streaming", lambda data: None)
    sidecar, path = built[name]
    values = make_values(sidecar, strided=True)
    expected = simulate(name, sidecar, values).outputs
    data = copy.deepcopy(sidecar.data)
    change(data)

    def launch():
        wrong = Sidecar(data)
        ChipLaunch(wrong, values).run(path)
        expect_equal(wrong, values, expected)

    if mistake is None:
        launch()
    else:
        with pytest.raises((AssertionError, SidecarError)):
            launch()
