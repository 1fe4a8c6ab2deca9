"""The form of triton-ascend: the vendor's bishengir-compile takes every kernel up to its call of hivmc."""

import re

import pytest

import attn.language as at
import catalogue
from kernels_dsl.gemm import gemm, gemm_nt
from linalg_vendor import hand_over

# The vendor plans memory itself, and has no room for some tiles that fit by our plan: those made for a smaller chip.
ROOM = dict.fromkeys(("attn_res_bwd-strips", "neighborhood_bwd-wide"), "Ascend910B4:ub_bytes=131072")

MEETING = re.compile(
    r"""hivm\.hir\.pipe_barrier\[<PIPE_ALL>\]
\s*hivm\.hir\.sync_block_set\[<VECTOR>, <PIPE_MTE3>, <PIPE_S>\] flag = 9 .*<INTER_BLOCK_SYNCHRONIZATION>
\s*hivm\.hir\.sync_block_wait\[<VECTOR>, <PIPE_MTE3>, <PIPE_S>\] flag = 9
"""
)
COPIES = {"memref.copy": "load_gm_to_ubuf", "bufferization.materialize_in_destination": "store_ubuf_to_gm"}

FORMS = [(name, dtype) for name in catalogue.KERNELS | catalogue.VARIANTS for dtype in catalogue.DTYPES]


@pytest.mark.sweep
@pytest.mark.parametrize("name, dtype", FORMS)
def test_the_vendor_takes_the_kernel(name, dtype, tmp_path):
    artefact = catalogue.compile_kernel(name, dtype, ROOM.get(name, "Ascend910B4"))
    text = hand_over(artefact, tmp_path)
    assert f"func.func @{artefact.name}(" in text
    assert "hivm.hir.pipe_barrier" in text
    check_meeting(artefact.ir("linalg"), text)


# Sums of i8 become i8 by a scale, for which the vendor has no template.
@pytest.mark.parametrize("dtype, narrow", [
    *((dtype, narrow) for dtype in ("f32", "f16", "bf16") for narrow in (False, True)), ("i8", False),
])  # fmt: skip
@pytest.mark.parametrize("kernel", [gemm, gemm_nt], ids=["gemm", "gemm_nt"])
def test_the_vendor_takes_products(kernel, dtype, narrow, tmp_path):
    """As one call of its template, with the transpose folded into it and the sizes that exist, converted on the way out."""
    matrix = at.spec("? ?", getattr(at, dtype))
    text = hand_over(kernel.compile(A=matrix, B=matrix, narrow=narrow), tmp_path)
    words = {"f32": "float", "f16": "half", "bf16": "bfloat16_t", "i8": "int8_t", "i32": "int32_t"}
    sums = "i32" if dtype == "i8" else "f32"
    (product,) = set(re.findall(r"call @(mma_\w+)\(", text))
    assert product == f"mma_tile_{words[dtype]}_to_{words[sums]}" + "_tb" * (kernel is gemm_nt)
    (out,) = set(re.findall(r"call @(fixpipe_\w+)\(", text))
    assert out == f"fixpipe_nz2nd_{words[sums]}_to_{words[dtype if narrow else sums]}_4d_to_2d"
    assert "ubuf" not in text


def check_meeting(ours: str, handed: str):
    """Cores meet where we said: every load after waits for all stores before, and none has changed sides."""
    meetings = ours.count('"hivm.hir.sync_block"')
    assert len(MEETING.findall(handed)) == handed.count("sync_block_wait") == meetings
    assert ("hivm.hir.set_ffts_base_addr %arg0" in handed) == (meetings > 0)
    for op, template in COPIES.items():
        sides = [part.count(f'"{op}"') for part in ours.split('"hivm.hir.sync_block"')]
        assert sides == [part.count(f"call @{template}") for part in handed.split("hivm.hir.sync_block_set")], op
