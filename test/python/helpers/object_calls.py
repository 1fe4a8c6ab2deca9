"""Calls of kernels of the catalogue whose objects are there: arguments by what a sidecar says, and what is expected."""

import torch

import attn
from catalogue import KERNELS

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


def make_values(sidecar, strided: bool):
    """Arguments and outputs of a call by name."""
    torch.manual_seed(1)
    arrays = [p for p in sidecar.parameters if p["kind"] != "scalar" and p["role"] != "workspace"]
    return {p["name"]: make(p, strided) for p in arrays} | NUMBERS


def simulate(name: str, sidecar, values: dict):
    """What the chip IR gives for the same inputs."""
    kernel, _, constants = KERNELS[name]
    inputs = [p["name"] for p in sidecar.parameters if p.get("role") not in ("output", "workspace")]
    absent = dict.fromkeys(sidecar.data["call"]["absent"])
    return attn.simulate(kernel, **{name: values[name] for name in inputs}, **absent, **constants)
