"""Every kernel of kernels_dsl in every form, as what `kernel.compile` takes: for tests of what is printed."""

import attn.language as at
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

DTYPES = {"f32": at.f32, "f16": at.f16, "bf16": at.bf16}


def _forward(columns: int = 256, table: bool = False, **options):
    def arguments(dtype):
        row, V = at.spec(str(columns), dtype), at.spec(f"? ? {columns}", dtype, table=table)
        return {"V": V, "wq": row, "wn": row, **options}

    return attn_res_fwd, arguments


def _backward(columns: int = 256, table: bool = False, **options):
    def arguments(dtype):
        row, rows = at.spec(str(columns), dtype), at.spec(f"? {columns}", dtype)
        column, scores = at.spec("?", at.f32), at.spec("? ?", at.f32)
        V = at.spec(f"? ? {columns}", dtype, table=table)
        saved = {"h": rows, "lse": column, "sc": scores, "rs": scores}
        return {"dh": rows, "V": V, "wq": row, "wn": row, **saved, **options}

    return attn_res_bwd, arguments


def _neighborhood_forward(columns: int = 64, **options):
    def arguments(dtype):
        x = at.spec(f"? ? ? {columns}", dtype)
        return {"q": x, "k": x, "v": x, "W": 7, **options}

    return neighborhood_fwd, arguments


def _neighborhood_backward(columns: int = 64, dlse: bool = False, **options):
    def arguments(dtype):
        x, rows = at.spec(f"? ? ? {columns}", dtype), at.spec("? ? ?", at.f32)
        return {"do": x, "q": x, "k": x, "v": x, "lse": rows, "W": 7, "dlse": rows if dlse else None, **options}

    return neighborhood_bwd, arguments


FORMS = {
    "attn_res_fwd": _forward(4096),
    "attn_res_fwd-online": _forward(softmax="online"),
    "attn_res_fwd-reload": _forward(softmax="two-phase-reload"),
    "attn_res_fwd-resident": _forward(form="resident"),
    "attn_res_fwd-list": _forward(table=True),
    "attn_res_fwd-resident-list": _forward(form="resident", table=True),
    "attn_res_fwd-round_key": _forward(round_key=True),
    "attn_res_fwd-odd": _forward(123),
    "attn_res_fwd-short": _forward(6, form="resident", NMAX=3),
    "attn_res_fwd-strips": _forward(65536),
    "attn_res_bwd": _backward(4096),
    "attn_res_bwd-launches": _backward(phases="launches"),
    "attn_res_bwd-exact": _backward(exact_delta=True, h=None),
    "attn_res_bwd-resident": _backward(form="resident", h=None),
    "attn_res_bwd-list": _backward(table=True),
    "attn_res_bwd-dv": _backward(want_dw=False),
    "attn_res_bwd-dw": _backward(want_dv=False),
    "attn_res_bwd-odd": _backward(123),
    "attn_res_bwd-strips": _backward(16384, strips=2048),
    "neighborhood_fwd": _neighborhood_forward(128),
    "neighborhood_fwd-gathered": _neighborhood_forward(band="gathered"),
    "neighborhood_fwd-plain": _neighborhood_forward(dilated=False),
    "neighborhood_fwd-odd": _neighborhood_forward(40, W=5),
    "neighborhood_bwd": _neighborhood_backward(128),
    "neighborhood_bwd-gathered": _neighborhood_backward(band="gathered", reload=True),
    "neighborhood_bwd-plain": _neighborhood_backward(dilated=False),
    "neighborhood_bwd-dlse": _neighborhood_backward(dlse=True),
    "neighborhood_bwd-dq": _neighborhood_backward(want_dkv=False),
    "neighborhood_bwd-dkv": _neighborhood_backward(want_dq=False),
}
"""Kernel and arguments (a function of the dtype), by name."""


def compile_form(name: str, dtype: str, **options):
    """The artefact of a form."""
    kernel, arguments = FORMS[name]
    return kernel.compile(**{**arguments(DTYPES[dtype]), **options})
