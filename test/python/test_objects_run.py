"""Objects by the stand-in for the vendor's compiler, launched on the modelled chip by their sidecars alone."""

import attn
import pytest
import torch
from catalogue import DTYPES, KERNELS, compile_kernel
from chip_launch import ROOT, ChipLaunch

STANDIN = ROOT / "test/toolchain/bin/bisheng"
SIZES = {"N": 3, "T": 37, "B": 1, "H": 2, "S": 45}
NUMBERS = {"eps": 1e-6, "scale": 0.125, "dilation": 2}
TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32}


def make(parameter, strided: bool):
    """A tensor for a parameter, or a list of them: values for an input, NaN for an output."""
    shape = [SIZES.get(dim, dim) for dim in parameter["dims"]]
    if parameter["kind"] == "table":
        return [make({**parameter, "kind": "array", "dims": parameter["dims"][1:]}, strided) for _ in range(shape[0])]
    padded = [size + (7 if strided and axis == len(shape) - 1 and axis else 0) for axis, size in enumerate(shape)]
    tensor = torch.randn(padded) if parameter["role"] == "input" else torch.full(padded, torch.nan)
    return tensor.to(TORCH[parameter["dtype"]])[..., : shape[-1]]


def bits(value):
    """Comparable bits of an output; a NaN that was never overwritten differs from a number."""
    tensors = value if isinstance(value, list) else [value]
    return [t.contiguous().view(torch.int16 if t.element_size() == 2 else torch.int32).tolist() for t in tensors]


# Each form once, in one of the types.
CASES = list(zip(KERNELS, [*DTYPES] * len(KERNELS)))


@pytest.mark.parametrize("name, dtype", CASES, ids=["-".join(case) for case in CASES])
def test_standin_object_equals_the_chip_ir(tmp_path, name, dtype):
    kernel, _, constants = KERNELS[name]
    sidecar = compile_kernel(name, dtype).build(tmp_path / "k.o", bisheng=STANDIN)
    torch.manual_seed(1)
    strided = name.endswith(("streaming", "dilated", "list"))
    values = {p["name"]: make(p, strided) for p in sidecar.parameters if p["kind"] != "scalar" and p["role"] != "workspace"}
    values |= {p["name"]: NUMBERS[p["name"]] for p in sidecar.parameters if p["kind"] == "scalar"}
    launch = ChipLaunch(sidecar, values)
    inputs = {p["name"]: values[p["name"]] for p in sidecar.parameters if p.get("role") not in ("output", "workspace")}
    absent = dict.fromkeys(sidecar.data["call"]["absent"])
    expected = attn.simulate(kernel, **inputs, **absent, **constants)
    assert launch.blocks == expected.report.blocks and not expected.report.hazards
    launch.run(tmp_path / "k.o")
    for output, result in zip(sidecar.data["call"]["returns"], expected.outputs, strict=True):
        if output is not None:
            assert bits(values[output]) == bits(result), output


def test_standin_mistakes_in_a_sidecar_show(tmp_path):
    """Two swapped offsets give another result or a hazard: the launch really follows the sidecar."""
    sidecar = compile_kernel("attn_res_fwd-resident", "f32").build(tmp_path / "k.o", bisheng=STANDIN)
    arguments = sidecar.data["routes"]["ascendc"]["arguments"]
    places = {argument["name"]: index for index, argument in enumerate(arguments)}
    first, second = arguments[places["sc"]], arguments[places["rs"]]
    first["of"], second["of"] = second["of"], first["of"]
    values = {p["name"]: make(p, False) for p in sidecar.parameters if p["kind"] != "scalar"} | NUMBERS
    ChipLaunch(sidecar, values).run(tmp_path / "k.o")
    inputs = {name: values[name] for name in ("V", "wq", "wn", "eps")}
    _, _, scores, norms = attn.simulate(KERNELS["attn_res_fwd-resident"][0], **inputs, form="resident").outputs
    assert bits(values["sc"]) == bits(norms) and bits(values["rs"]) == bits(scores)
