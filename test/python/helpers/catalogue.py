"""Every kernel of kernels_dsl in each of its forms, as something to compile: specs in place of tensors, no values.

What goes through every stage of the compiler goes through it for each of these and in each type.
"""

import attn.language as at
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

DTYPES = {"f32": at.f32, "f16": at.f16, "bf16": at.bf16}


def _attn_res(dtype, width: int, table: bool):
    row = at.spec(str(width), at.f32)
    return {"V": at.spec(f"? ? {width}", dtype, table=table), "wq": row, "wn": row}


def _forward(width: int = 128, table: bool = False, **constants):
    return attn_res_fwd, lambda dtype: _attn_res(dtype, width, table), constants


def _backward(width: int = 128, table: bool = False, **constants):
    def arrays(dtype):
        tokens, scores = at.spec(f"? {width}", dtype), at.spec("? ?", at.f32)
        saved = {"h": tokens, "lse": at.spec("?", at.f32), "sc": scores, "rs": scores}
        return {**_attn_res(dtype, width, table), "dh": tokens, **saved}

    return attn_res_bwd, arrays, constants


def _band_forward(width: int = 64, W: int = 7, **constants):
    return neighborhood_fwd, lambda dtype: dict.fromkeys("qkv", at.spec(f"? ? ? {width}", dtype)), {"W": W, **constants}


def _band_backward(width: int = 32, W: int = 7, with_dlse: bool = False, **constants):
    def arrays(dtype):
        rows, column = at.spec(f"? ? ? {width}", dtype), at.spec("? ? ?", at.f32)
        return {**dict.fromkeys(("do", "q", "k", "v"), rows), "lse": column, "dlse": column if with_dlse else None}

    return neighborhood_bwd, arrays, {"W": W, **constants}


# By name: the kernel, its arrays for a type, and its constants and compiler options.
KERNELS = {
    "attn_res_fwd-streaming": _forward(softmax="online"),
    "attn_res_fwd-two_reads": _forward(softmax="two-phase-reload"),
    "attn_res_fwd-strips": _forward(4096, strips=512),
    "attn_res_fwd-round_key": _forward(round_key=True),
    "attn_res_fwd-resident": _forward(form="resident"),
    "attn_res_fwd-list": _forward(table=True),
    "attn_res_bwd-streaming": _backward(),
    "attn_res_bwd-exact_delta": _backward(exact_delta=True),
    "attn_res_bwd-resident": _backward(form="resident"),
    "attn_res_bwd-launches": _backward(phases="launches"),
    "attn_res_bwd-list": _backward(table=True),
    "attn_res_bwd-frozen": _backward(want_dw=False),
    "neighborhood_fwd-halo": _band_forward(dilated=False, band="halo"),
    "neighborhood_fwd-dilated": _band_forward(W=5),
    "neighborhood_fwd-gathered": _band_forward(band="gathered"),
    "neighborhood_bwd-carried": _band_backward(dilated=False),
    "neighborhood_bwd-dilated": _band_backward(W=5),
    "neighborhood_bwd-reload": _band_backward(reload=True, band="gathered"),
}

# More of the same, for what costs little per kernel: other widths, and fewer or more results.
VARIANTS = {
    "attn_res_fwd-wide": _forward(4096),
    "attn_res_fwd-resident-list": _forward(table=True, form="resident"),
    "attn_res_fwd-odd": _forward(123),
    "attn_res_fwd-short": _forward(6, form="resident", NMAX=3),
    "attn_res_fwd-long": _forward(65536),
    "attn_res_bwd-wide": _backward(4096),
    "attn_res_bwd-odd": _backward(123),
    "attn_res_bwd-strips": _backward(16384, strips=2048),
    "attn_res_bwd-dw": _backward(want_dv=False),
    "neighborhood_fwd-wide": _band_forward(128),
    "neighborhood_fwd-odd": _band_forward(40, W=5),
    "neighborhood_bwd-wide": _band_backward(128),
    "neighborhood_bwd-dlse": _band_backward(64, with_dlse=True),
    "neighborhood_bwd-dq": _band_backward(64, want_dkv=False),
    "neighborhood_bwd-dkv": _band_backward(64, want_dq=False),
}


def compile_kernel(name: str, dtype: str, soc: str = "Ascend910B4", **options):
    """The artefact of a kernel of the catalogue."""
    kernel, arrays, constants = (KERNELS | VARIANTS)[name]
    return kernel.compile(soc=soc, **arrays(DTYPES[dtype]), **constants, **options)
