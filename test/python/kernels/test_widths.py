"""Rows of every width: whatever the search takes is planned, and every text form of it is emitted."""

import re

import pytest
import torch

import attn
import attn.language as at
import catalogue
import row_kernels
from attn import compiler
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from sweeps import in_part

SOC = "Ascend910B4"
TEXTS = ("ascendc", "hivm", "linalg")
TYPES = {at.f32: torch.float32, at.f16: torch.float16, at.bf16: torch.bfloat16}

NEAR_POWERS = {(1 << n) + by for n in range(16) for by in (-1, 0, 1)} - {0}
PRIMES = {5, 13, 61, 251, 509, 1021, 2039, 4093, 10007, 16381, 32771}
OTHERS = {100, 1000, 2033, 3000, 5000, 5120, 12288, 20000, 24576, 28672, 32000, 40000}
WIDTHS = sorted(NEAR_POWERS | PRIMES | OTHERS)

KERNELS = {
    row_kernels.twice: {"X": "? {}"},
    row_kernels.softmax: {"X": "? {}"},
    row_kernels.log_softmax: {"X": "? {}"},
    row_kernels.layer_norm: {"X": "? {}", "w": "{}", "b": "{}"},
    row_kernels.rms_norm: {"X": "? {}", "w": "{}"},
    row_kernels.quantise: {"X": "? {}"},
    row_kernels.column_sums: {"X": "? {}"},
    attn_res_fwd: {"V": "? ? {}", "wq": "{}", "wn": "{}"},
}


def find_failures(kernel, dtype):
    """The text forms that do not compile, each with its width and its error; each kernel and type has widths of its own
    where not all are tried."""
    first = list(KERNELS).index(kernel) + list(TYPES).index(dtype)
    for width in in_part(WIDTHS[first:] + WIDTHS[:first], share=5):
        specs = {name: at.spec(shape.format(width), dtype) for name, shape in KERNELS[kernel].items()}
        artefact = kernel.compile(**specs, soc=SOC)
        for text in TEXTS:
            try:
                artefact.ir(text)
            except attn.CompileError as error:
                yield f"{width} columns of {dtype}, {text}: {error}"


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_every_width_compiles(kernel, dtype):
    assert list(find_failures(kernel, dtype)) == []


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("width", (2033, 8193, 32000, 40000))
def test_long_rows_are_right_in_every_stage(width, dtype):
    X = torch.randn(3, width, generator=torch.Generator().manual_seed(width)).to(TYPES[dtype])
    stages = ("jit", "ascend", "hivm")
    result = attn.verify(
        row_kernels.log_softmax, X, reference=lambda X: torch.log_softmax(X, 1), soc=SOC, stages=stages
    )
    result.check()


@pytest.mark.parametrize(
    "dtype, blocks, width", [(at.f32, 16, 2040), (at.f32, 16, 2049), (at.bf16, 3, 5120), (at.f32, 8, 4097)]
)
def test_what_nearly_fits_is_cut_into_strips(dtype, blocks, width):
    """Whole rows miss local memory by a few KB here, and those of larger widths by far."""
    shapes = {"dh": "? {}", "V": "? ? {}", "wq": "{}", "wn": "{}", "h": "? {}"}
    specs = {name: at.spec(shape.format(width), dtype) for name, shape in shapes.items()}
    specs |= {"lse": at.spec("?", at.f32), "sc": at.spec("? ?", at.f32), "rs": at.spec("? ?", at.f32)}
    for wanted in ({}, {"want_dw": False}, {"want_dv": False}):
        artefact = attn_res_bwd.compile(**specs, form="resident", NMAX=blocks, soc=SOC, **wanted)
        assert artefact.ascendc and artefact.hivm


def find_miscounted(artefacts):
    """Those whose tiles take more memory when they are lowered than the search has counted, by name."""
    for name, artefact in artefacts:
        said = compiler.parse(artefact.ir("tile"), SOC).run("func.func(tile-print-buffers)")
        lowered = [int(size) for item in said for size in re.findall(r"buffers take (\d+) bytes of", item.message)]
        (counted,) = artefact.alternatives.taken.bytes.values()
        if not lowered or max(lowered) > counted:
            yield f"{name}: counted {counted} bytes, lowered {lowered}"


@pytest.mark.parametrize("dtype", catalogue.DTYPES)
def test_the_catalogue_is_counted_as_it_is_lowered(dtype):
    """The canonicalizer runs between the search and the lowering: it must not let tiles live longer."""
    names = catalogue.KERNELS | catalogue.VARIANTS
    assert list(find_miscounted((name, catalogue.compile_kernel(name, dtype)) for name in names)) == []


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_long_rows_are_counted_as_they_are_lowered(kernel):
    def compile_all():
        for width in (1000, 4096, 8193, 16381, 24576, 32000, 40000):
            specs = {name: at.spec(shape.format(width), at.bf16) for name, shape in KERNELS[kernel].items()}
            yield width, kernel.compile(**specs, soc=SOC)

    assert list(find_miscounted(compile_all())) == []
