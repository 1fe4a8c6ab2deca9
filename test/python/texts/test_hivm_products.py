"""HIVM text of products on cube cores: what the vendor's tools say of it, and what it computes on the modelled chip.

The kernels are chip IR written by hand, with the product kept whole. Every text is what bishengir-opt 1.2.0 converts; nothing
runs on a device.
"""

import functools
import re

import pytest
import torch

import attn
import attn.language as at
from attn import _core as core
from chip_traces import AscendInterpreter, HIVMInterpreter, traces
from hivm_vendor import DEVICE, SYNC, bishengir_opt, check_calls, pointer_casts, read_templates
from kernels_dsl.gemm import gemm, gemm_nt
from product_kernel import NAMES, ProductKernel

LEFT = {*SYNC, "set_mask_norm", "pointer_cast", "get_block_idx", "get_block_num"}
"""What may be left of HIVM after the vendor's last pass."""

f16, bf16, f32, i8, i32 = torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int32
TYPES = [(f16, f32), (f16, f16), (bf16, f32), (bf16, bf16), (f32, f32), (f32, f16), (i8, i32)]
TRANSPOSES = [(False, False), (False, True), (True, False), (True, True)]
KERNELS = {
    f"{NAMES[dtype]}-{NAMES[result]}-{'t' if a else 'n'}{'t' if b else 'n'}": ProductKernel(
        dtype, result, transpose_a=a, transpose_b=b
    )
    for dtype, result in TYPES
    for a, b in TRANSPOSES
} | {
    "fills": ProductKernel(f16, f32, fills=True),
    "fills-f32": ProductKernel(f32, f32, fills=True),
    "relu": ProductKernel(f16, f16, relu=True),
    "parts": ProductKernel(f16, f32, sizes=(128, 256, 256)),
    "parts-transposed": ProductKernel(f16, f32, sizes=(32, 256, 256), transpose_b=True),
    "parts-both": ProductKernel(bf16, f32, sizes=(64, 256, 128), transpose_a=True, transpose_b=True),
}
EVERY_KERNEL = pytest.mark.parametrize("name", KERNELS)


def hivm_text(name: str):
    return KERNELS[name].module().emit_hivm(locations=False)


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    return read_templates("aic", tmp_path_factory.mktemp("templates"))


def check_accepted(text: str, templates: dict):
    """Converted with our plan and flags, each call with a template of as many parameters, and nothing left over."""
    converted = bishengir_opt(text, DEVICE, "--convert-hivm-to-std")
    assert set(re.findall(r"hivm\.hir\.(\w+)", converted)) <= LEFT
    for op in SYNC:
        pattern = rf"hivm\.hir\.{op}\[(.*?)\]"
        before, after = (re.sub(r"%[\w.-]+", "%", str(re.findall(pattern, of))) for of in (text, converted))
        assert before == after, op
    assert pointer_casts(text) == pointer_casts(converted)
    check_calls(converted, templates)
    for template in ("nd2nz_", "mma_tile_", "fixpipe_nz2nd_"):
        assert f"call @{template}" in converted


@EVERY_KERNEL
def test_accepted(name, templates):
    check_accepted(hivm_text(name), templates)


@EVERY_KERNEL
def test_task_type_is_the_vendors(name):
    text = hivm_text(name)
    task = re.compile(r"_infer_task_type_function\(\) -> i8 .*\n.* = (arith\.constant .*)")
    alone = re.sub(r"  func\.func @\w+_infer_task_type_function(.*\n)*?  }\n", "", text)
    theirs = bishengir_opt(alone, DEVICE, "--hivm-insert-infer-task-type-func")
    assert task.findall(text) == task.findall(theirs) != []


def simulate(kernel, operands, stage, text=""):
    places = [(t.data_ptr(), tuple(t.shape), tuple(t.stride())) for t in operands]
    report = core.simulate(kernel.module(), places, stage=stage, text=text)
    return [hazard["message"] for hazard in report["hazards"]]


SHAPES = {"whole": (64, 128, 64), "tails": (45, 75, 70), "small": (2, 3, 5)}


@pytest.mark.parametrize("shape", SHAPES)
@EVERY_KERNEL
def test_values(name, shape):
    """The chip IR with the product kept, and the text: both give the product, without hazards."""
    kernel = KERNELS[name]
    if kernel.sizes[2] > 64:
        shape = {"whole": (128, 256, 512), "tails": (45, 275, 300), "small": (3, 300, 260)}[shape]
    else:
        shape = SHAPES[shape]
    for stage, text in (("ascend", ""), ("hivm", hivm_text(name))):
        a, b, c = operands = kernel.operands(*shape)
        assert simulate(kernel, operands, stage, text) == [], stage
        torch.testing.assert_close(c, kernel.expected(a, b), rtol=0, atol=0, msg=stage)


# Kernels of the language

FACTORS = {"f32": f32, "f16": f16, "bf16": bf16, "i8": i8}
GEMMS = pytest.mark.parametrize("kernel, dtype, narrow", [
    (kernel, dtype, narrow) for kernel in (gemm, gemm_nt) for dtype in FACTORS for narrow in (False, True)
    if not (dtype == "i8" and narrow)
], ids=lambda value: getattr(value, "__name__", str(value)))  # fmt: skip


@functools.cache
def compiled(kernel, dtype: str, narrow: bool):
    matrix = at.spec("? ?", getattr(at, dtype))
    return kernel.compile(A=matrix, B=matrix, narrow=narrow, composites=True)


@GEMMS
def test_the_vendor_takes_kernels(kernel, dtype, narrow, templates):
    check_accepted(compiled(kernel, dtype, narrow).ir("hivm"), templates)


def join_parts(trace):
    """The trace with the parts of a product, which follow each other, as one product."""
    joined = []
    for event in trace:
        last = joined[-1] if joined else (None,)
        if event[0] == last[0] == "mmadL1" and not event[2] and event[5] == last[5]:
            (m, before, n), k = last[6], event[6][1]
            joined[-1] = (*last[:6], (m, before + k, n), *last[7:])
        else:
            joined.append(event)
    return joined


@GEMMS
def test_kernels_ask_for_what_the_chip_ir_does(kernel, dtype, narrow):
    artefact = compiled(kernel, dtype, narrow)
    for sizes in ({"M": 300, "N": 270, "K": 300}, {"M": 17, "N": 1, "K": 3}):
        for block in (0, 1):
            expected = traces(artefact.ir("ascend"), AscendInterpreter, sizes, block, 2)
            found = traces(artefact.ir("hivm"), HIVMInterpreter, sizes, block, 2)
            assert {name: join_parts(trace) for name, trace in found.items()} == expected


@pytest.mark.parametrize("shape", [(45, 75, 70), (300, 270, 300), (1, 1, 1)], ids=str)
@GEMMS
def test_kernels_compute_products(kernel, dtype, narrow, shape):
    m, n, k = shape
    product = ProductKernel(FACTORS[dtype], FACTORS[dtype], transpose_b=kernel is gemm_nt)
    a, b, _ = product.operands(m, n, k)
    for options in ({"composites": True}, {"stage": "hivm"}):
        simulated = attn.simulate(kernel, a, b, narrow=narrow, **options)
        assert simulated.report.hazards == [], options
        torch.testing.assert_close(simulated.outputs, kernel(a, b, narrow=narrow), rtol=0, atol=0)


@attn.kernel
def biased(
    A: at.Tensor["M K"], B: at.Tensor["K N"], row: at.Tensor["1 N"], relu: at.Const[bool] = False,
    BM: at.Auto(16, 256) = None, BN: at.Auto(16, 512) = None, BK: at.Auto(16, 256) = None,
):  # fmt: skip
    """C = A B + row."""
    C = at.empty("M N", row.dtype)
    for m, n in at.grid(at.tiles(M, BM), at.tiles(N, BN)):
        acc = at.full((BM, BN), row[:, n], row.dtype)
        for k in at.range(at.tiles(K, BK), stages=2):
            acc += A[m, k] @ B[k, n]
        C[m, n] = at.maximum(acc, 0.0) if relu else acc
    return C


@attn.kernel
def biased_nt(A: at.Tensor["M K"], B: at.Tensor["N K"], row: at.Tensor["1 N"]):
    C = at.empty("M N", row.dtype)
    for m, n in at.grid(at.tiles(M, 64), at.tiles(N, 64)):
        C[m, n] = A[m, :] @ B[n, :].T + row[:, n]
    return C


BIASED = pytest.mark.parametrize("dtype, relu", [("f16", False), ("bf16", True), ("f32", False), ("i8", False)])


def biased_specs(dtype: str):
    matrix = at.spec("? ?", getattr(at, dtype))
    return {"A": matrix, "B": matrix, "row": at.spec("1 ?", at.i32 if dtype == "i8" else at.f32)}


@BIASED
def test_a_bias_comes_from_l1(dtype, relu, templates):
    """The template fills the bias table from L1: the vendor takes the text, which asks for what the chip IR does."""
    artefact = biased.compile(**biased_specs(dtype), relu=relu, composites=True)
    text = artefact.ir("hivm")
    check_accepted(text, templates)
    assert re.search(r"call @mma_tile_with_\w+_bias_", bishengir_opt(text, DEVICE, "--convert-hivm-to-std"))
    for sizes in ({"M": 300, "N": 270, "K": 300}, {"M": 17, "N": 1, "K": 3}):
        expected = traces(artefact.ir("ascend"), AscendInterpreter, sizes, 0, 2)
        assert traces(text, HIVMInterpreter, sizes, 0, 2) == expected


@pytest.mark.parametrize("shape", [(45, 75, 70), (300, 530, 300), (1, 1, 1)], ids=str)
@BIASED
def test_sums_start_from_a_bias(dtype, relu, shape):
    m, n, k = shape
    a, b, _ = ProductKernel(FACTORS[dtype], FACTORS[dtype]).operands(m, n, k)
    row = (torch.arange(n) - n // 2)[None].to(i32 if dtype == "i8" else f32)
    for options in ({"composites": True}, {"stage": "hivm"}):
        # Several tiles of the grid and of k, so that a row is there while the next one comes.
        simulated = attn.simulate(biased, a, b, row, relu=relu, BM=32, BN=64, BK=32, **options)
        assert simulated.report.hazards == [], options
        torch.testing.assert_close(simulated.outputs, biased(a, b, row, relu=relu), rtol=0, atol=0)


# The checks above can fail


PRODUCT = r"(mmadL1 .*?ins\(%[\w.-]+, %[\w.-]+, %[\w.-]+, )(%[\w.-]+), (%[\w.-]+), (%[\w.-]+)( :)"


@pytest.mark.parametrize("pattern, replacement", [
    (PRODUCT, r"\1\4, \3, \2\5"),
    (PRODUCT, r"\1\2, \4, \3\5"),
    (r"mmadL1 {b_transpose} ", "mmadL1 "),
    (r"^ *hivm\.hir\.set_flag\[<PIPE_MTE2>, <PIPE_MTE1>.*\n", ""),
    (r"^ *hivm\.hir\.wait_flag\[<PIPE_M>, <PIPE_FIX>.*\n", ""),
    (r"^ *hivm\.hir\.wait_flag\[<PIPE_MTE1>, <PIPE_MTE2>.*\n", ""),
    (r"<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>", "<PIPE_MTE1>, <PIPE_M>, <EVENT_ID0>"),
    (r"memref<2x2x16x16xf16, #cbuf>", "memref<2x4x16x16xf16, #cbuf>"),
    (r"memref<4x2x16x16xf32, #cc>", "memref<4x4x16x16xf32, #cc>"),
    (r"(sizes: \[)(%[\w.-]+), (%[\w.-]+)(\], strides: .*#cbuf)", r"\1\3, \2\4"),
], ids=["m-n", "k-n", "transpose", "set", "wait", "free", "owned-event", "room", "sums", "rows-cols"])  # fmt: skip
def test_planted_mistakes_show(pattern, replacement):
    kernel, text = ProductKernel(f16, f32, transpose_b=True), hivm_text("f16-f32-nt")
    changed = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    if pattern.startswith("(sizes"):
        changed = re.sub(r"(reinterpret_cast .*sizes: \[)(%[\w.-]+), (%[\w.-]+)(\].*xf16)", r"\1\3, \2\4", text)
    assert changed != text
    a, b, c = operands = kernel.operands(45, 75, 70)
    try:
        hazards = simulate(kernel, operands, "hivm", changed)
    except Exception:  # refused before it runs
        return
    assert hazards or not torch.equal(c, kernel.expected(a, b))


# What HIVM has no template for


def test_products_too_wide_for_l0_are_refused():
    with pytest.raises(Exception, match="can hold no part in L0A and L0B"):
        ProductKernel(f32, f32, sizes=(16, 2048, 16)).module().emit_hivm(locations=False)


def test_a_bias_with_transposes_is_refused():
    with pytest.raises(attn.CompileError, match="has a bias and a transposed operand, for which HIVM has no template"):
        biased_nt.prepare(**biased_specs("f16") | dict.fromkeys("AB", at.spec("? 64", at.f16))).ir("hivm")
