"""The linalg form computes what it should: the text itself, executed program by program, against the CPU JIT."""

import re

import pytest
import torch

import attn.language as at
import catalogue
from catalogue import DTYPES, KERNELS, VARIANTS
from catalogue_values import make_arguments
from kernels_dsl.gemm import gemm, gemm_nt
from linalg_launch import call

# Of the largest value: results are rounded to their type at most once, sums are added in another order.
TOLERANCE = {"f32": 3e-6, "f16": 1e-3, "bf16": 8e-3}

# Every form in every type; what differs in sizes only, in one.
FORMS = [(name, dtype) for name in KERNELS for dtype in DTYPES] + [(name, "f32") for name in VARIANTS]


def check(name: str, dtype: str, programs: int = 3, mistake=None):
    """Compares the outputs of a kernel, or of what `mistake` makes of its text; says how often programs met."""
    torch.manual_seed(0)
    kernel, _, constants = (KERNELS | VARIANTS)[name]
    arguments = make_arguments(name, dtype)
    artefact = catalogue.compile_kernel(name, dtype)
    text = artefact.ir("linalg")
    outputs, meetings = call(artefact, arguments, programs, mistake(text) if mistake else text)
    wanted = [output for output in kernel(**arguments, **constants) if output is not None]
    for (output, result), reference in zip(outputs.items(), wanted, strict=True):
        if isinstance(result, list):
            result, reference = torch.stack(result), torch.stack(list(reference))
        error = (result.double() - reference.double()).abs().max()
        assert error <= TOLERANCE[dtype] * reference.double().abs().max(), f"{output} is off by {error}"
    return meetings


@pytest.mark.sweep
@pytest.mark.parametrize("name, dtype", FORMS)
def test_values(name, dtype):
    sums_over_the_grid = "bwd" in name and name.startswith("attn_res") and "frozen" not in name
    assert check(name, dtype) == int(sums_over_the_grid)


FACTORS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8}


def check_product(kernel, dtype, shape, mistake=None):
    """A product of small integers, which every order of sums gives exactly."""
    m, n, k = shape
    generator = torch.Generator().manual_seed(0)
    a, b = (
        torch.randint(-4, 5, (rows, cols + 3), generator=generator).to(FACTORS[dtype])[:, :cols]
        for rows, cols in ((m, k), (n, k) if kernel is gemm_nt else (k, n))
    )
    matrix = at.spec("? ?", getattr(at, dtype))
    artefact = kernel.compile(A=matrix, B=matrix)
    text = artefact.ir("linalg")
    outputs, _ = call(artefact, {"A": a, "B": b}, 3, mistake(text) if mistake else text)
    torch.testing.assert_close(outputs["C"], kernel(a, b), rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(45, 75, 70), (300, 270, 300), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("dtype", FACTORS)
@pytest.mark.parametrize("kernel", [gemm, gemm_nt], ids=["gemm", "gemm_nt"])
def test_products(kernel, dtype, shape):
    check_product(kernel, dtype, shape)


@pytest.mark.parametrize("programs", [1, 2, 40])
def test_any_number_of_programs(programs):
    assert check("attn_res_bwd-streaming", "f32", programs) == 1


def test_a_launch_per_phase_has_the_same_text():
    texts = [catalogue.compile_kernel(f"attn_res_bwd-{form}", "f32").ir("linalg") for form in ("streaming", "launches")]
    assert texts[0] == texts[1]


# The checks above can fail

MEETING = r'(?m)^ *"hivm\.hir\.sync_block".*\n'


def without_meeting(text):
    return re.sub(MEETING, "", text)


def meeting_before_the_first_phase(text):
    begin, first, rest = re.split(r'(?m)^( *"hivm\.hir\.set_ffts_base_addr".*\n)', without_meeting(text))
    return begin + first + re.search(MEETING, text)[0] + rest


def size_for_stride(text):
    """Of dh, whose size and stride are the two arguments after it."""
    size, stride = re.search(r"%dh: memref<\?xf32>, (%\w+): i64, (%\w+): i64", text).groups()
    return text.replace(f'"arith.index_cast"({stride})', f'"arith.index_cast"({size})')


def always_the_first_entry(text):
    zero = re.search(r'(%\w+) = "arith\.constant"\(\) <\{value = 0 : index\}>', text)[1]
    return re.sub(r'("memref\.load"\(%V), %\w+\)', rf"\1, {zero})", text)


def parts_of_one_program(text):
    """Only the first of the partial sums."""
    size = re.search(r'(%\w+) = "arith\.index_cast"\(%G_', text)[1]
    one = re.search(r'(%\w+) = "arith\.constant"\(\) <\{value = 1 : index\}>', text)[1]
    return re.sub(rf'"scf\.for"\((%\w+), {size}, ', rf'"scf.for"(\1, {one}, ', text)


@pytest.mark.parametrize("name, mistake, message", [
    ("streaming", without_meeting, "without meeting"),
    ("streaming", meeting_before_the_first_phase, "without meeting"),
    ("streaming", size_for_stride, "a view beyond the array"),
    ("streaming", parts_of_one_program, "dwq is off"),
    ("list", always_the_first_entry, "dV is off"),
])  # fmt: skip
def test_mistakes_are_seen(name, mistake, message):
    def changed(text):
        assert mistake(text) != text
        return mistake(text)

    with pytest.raises(AssertionError, match=message):
        check(f"attn_res_bwd-{name}", "f32", mistake=changed)


@pytest.mark.parametrize("mistake", [
    lambda text: re.sub(r'(?m)^ *"linalg\.fill"\((%\w+), (%\w+)\) .*\n.*\n.*\n.*memref<.*\) -> \(\)\n', "", text),
    lambda text: text.replace("permutation = array<i64: 1, 0>", "permutation = array<i64: 0, 1>"),
], ids=["no zeros", "no transpose"])  # fmt: skip
def test_mistakes_in_products_are_seen(mistake):
    with pytest.raises(AssertionError):
        check_product(gemm_nt, "f16", (45, 75, 70), mistake)
