"""Arguments to call the kernels of the catalogue with: small, random, with rows that do not follow each other."""

import torch

from catalogue import DTYPES, KERNELS, VARIANTS
from kernels_dsl.attn_res import attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_fwd

TENSORS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def padded(*sizes, dtype=torch.float32):
    """Random values whose rows do not follow each other: a stride that is taken for a size is seen."""
    values = torch.randn(*sizes[:-1], sizes[-1] + 3) if len(sizes) > 1 else torch.randn(*sizes)
    return values.to(dtype)[..., : sizes[-1]]


def _attn_res_arguments(specs, dtype, backward: bool):
    width = specs["wq"].shape[0]
    tokens = 150 if width < 1024 else 7
    V = padded(3, tokens, width, dtype=dtype)
    if specs["V"].table:
        V = [padded(tokens, width, dtype=dtype) for _ in range(3)]
    arguments = {"V": V, "wq": torch.randn(width) * width**-0.5, "wn": torch.randn(width)}
    if not backward:
        return {**arguments, "eps": 1e-6}
    saved = zip(("h", "lse", "sc", "rs"), attn_res_fwd(**arguments, eps=1e-6), strict=True)
    return {**arguments, "dh": padded(tokens, width, dtype=dtype), **dict(saved)}


def _neighborhood_arguments(specs, dtype, constants, backward: bool):
    shape = (1, 2, 150, specs["q"].shape[-1])
    arguments = {name: padded(*shape, dtype=dtype) for name in "qkv"}
    arguments |= {"scale": 0.2, "dilation": 2 if constants.get("dilated", True) else 1}
    if not backward:
        return arguments
    _, lse = neighborhood_fwd(**arguments, W=constants["W"])
    dlse = padded(*shape[:-1]) if specs["dlse"] else None
    return {**arguments, "do": padded(*shape, dtype=dtype), "lse": lse, "dlse": dlse}


def make_arguments(name: str, dtype: str):
    """What a form of the catalogue takes, by name, without its constants."""
    _, arrays, constants = (KERNELS | VARIANTS)[name]
    specs, backward = arrays(DTYPES[dtype]), "bwd" in name
    if name.startswith("attn_res"):
        return _attn_res_arguments(specs, TENSORS[dtype], backward)
    return _neighborhood_arguments(specs, TENSORS[dtype], constants, backward)
