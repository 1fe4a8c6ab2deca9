"""Every kernel of kernels_dsl in each of its forms, as something to compile: specs in place of tensors, no values.

What goes through every stage of the compiler goes through it for each of these and in each type.
"""

import attn.language as at
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

DTYPES = {"f32": at.f32, "f16": at.f16, "bf16": at.bf16}
WIDTH = 128


def _attn_res(dtype, width=WIDTH):
    row = at.spec(str(width), at.f32)
    return {"V": at.spec(f"? ? {width}", dtype), "wq": row, "wn": row}


def _attn_res_gradient(dtype, width=WIDTH):
    tokens, scores = at.spec(f"? {width}", dtype), at.spec("? ?", at.f32)
    saved = {"h": tokens, "lse": at.spec("?", at.f32), "sc": scores, "rs": scores}
    return {**_attn_res(dtype, width), "dh": tokens, **saved}


def _of_list(arrays):
    """The same with V as a list of tensors."""

    def with_table(dtype):
        result = arrays(dtype)
        shape = " ".join("?" if size is None else str(size) for size in result["V"].shape)
        return {**result, "V": at.spec(shape, dtype, table=True)}

    return with_table


def _neighborhood(dtype, width=64):
    return dict.fromkeys(("q", "k", "v"), at.spec(f"? ? ? {width}", dtype))


def _neighborhood_gradient(dtype):
    array = _neighborhood(dtype, 32)
    return {**array, "do": array["q"], "lse": at.spec("? ? ?", at.f32)}


# By name: the kernel, its arrays for a type, and its constants and compiler options.
KERNELS = {
    "attn_res_fwd-streaming": (attn_res_fwd, _attn_res, {"softmax": "online"}),
    "attn_res_fwd-two_reads": (attn_res_fwd, _attn_res, {"softmax": "two-phase-reload"}),
    "attn_res_fwd-strips": (attn_res_fwd, lambda dtype: _attn_res(dtype, 4096), {"strips": 512}),
    "attn_res_fwd-round_key": (attn_res_fwd, _attn_res, {"round_key": True}),
    "attn_res_fwd-resident": (attn_res_fwd, _attn_res, {"form": "resident"}),
    "attn_res_bwd-streaming": (attn_res_bwd, _attn_res_gradient, {}),
    "attn_res_bwd-exact_delta": (attn_res_bwd, _attn_res_gradient, {"exact_delta": True}),
    "attn_res_bwd-resident": (attn_res_bwd, _attn_res_gradient, {"form": "resident"}),
    "attn_res_bwd-launches": (attn_res_bwd, _attn_res_gradient, {"phases": "launches"}),
    "attn_res_fwd-list": (attn_res_fwd, _of_list(_attn_res), {}),
    "attn_res_bwd-list": (attn_res_bwd, _of_list(_attn_res_gradient), {}),
    "attn_res_bwd-frozen": (attn_res_bwd, _attn_res_gradient, {"want_dw": False}),
    "neighborhood_fwd-halo": (neighborhood_fwd, _neighborhood, {"W": 7, "dilated": False, "band": "halo"}),
    "neighborhood_fwd-dilated": (neighborhood_fwd, _neighborhood, {"W": 5}),
    "neighborhood_fwd-gathered": (neighborhood_fwd, _neighborhood, {"W": 7, "band": "gathered"}),
    "neighborhood_bwd-carried": (neighborhood_bwd, _neighborhood_gradient, {"W": 7, "dilated": False}),
    "neighborhood_bwd-dilated": (neighborhood_bwd, _neighborhood_gradient, {"W": 5}),
    "neighborhood_bwd-reload": (neighborhood_bwd, _neighborhood_gradient, {"W": 7, "reload": True, "band": "gathered"}),
}


def compile_kernel(name: str, dtype: str, soc: str = "Ascend910B4"):
    """The artefact of a kernel of the catalogue."""
    kernel, arrays, constants = KERNELS[name]
    return kernel.compile(soc=soc, **arrays(DTYPES[dtype]), **constants)
