"""HIVM text of every kernel: what the vendor's own tools say of it, and whether it asks for what the chip IR does.

Accepted here means: parsed, verified and converted by bishengir-opt of ascendnpu-ir 1.2.0. Nothing runs on a device.
"""

import functools
import re

import pytest
import torch

import attn
from catalogue import DTYPES, KERNELS, VARIANTS, compile_kernel
from chip_traces import TASK_TYPE, AscendInterpreter, HIVMInterpreter, traces
from hivm_vendor import DEVICE, SYNC, bishengir_opt, check_calls, pointer_casts, read_templates
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

LEFT = {*SYNC, "set_ffts_base_addr", "set_mask_norm", "pointer_cast", "get_block_idx", "get_block_num"}
"""What may be left of HIVM after the vendor's last pass."""

EVERY_FORM = pytest.mark.parametrize("name, dtype", [(name, dtype) for name in KERNELS | VARIANTS for dtype in DTYPES])


@functools.cache
def artefact(name: str, dtype: str):
    """A form on its way to HIVM, compiled once for all tests."""
    return compile_kernel(name, dtype, composites=True)


@functools.cache
def hivm_text(name: str, dtype: str):
    return artefact(name, dtype).ir("hivm")


@functools.cache
def converted_text(name: str, dtype: str):
    """What the vendor's last pass makes of it."""
    return bishengir_opt(hivm_text(name, dtype), DEVICE, "--convert-hivm-to-std")


def hivm_ops(text: str):
    return re.findall(r"hivm\.hir\.(\w+)", text)


# The vendor's tools


@pytest.mark.sweep
@EVERY_FORM
def test_accepted(name, dtype):
    """Converted, with nothing left that the last stage does not know, and with our plan and our flags."""
    text, converted = hivm_text(name, dtype), converted_text(name, dtype)
    assert set(hivm_ops(converted)) <= LEFT
    for op in SYNC:
        pattern = rf"hivm\.hir\.{op}\[(.*?)\]"
        before, after = (re.sub(r"%[\w.-]+", "%", str(re.findall(pattern, of))) for of in (text, converted))
        assert before == after, op
    assert pointer_casts(text) == pointer_casts(converted)


@pytest.mark.sweep
@EVERY_FORM
def test_task_type_is_the_vendors(name, dtype):
    """Each kernel has the function of the host that the vendor's own pass would give it."""
    text = hivm_text(name, dtype)
    head, *functions = re.split(r"^(?=  func\.func )", text, flags=re.MULTILINE)
    task_type = re.compile(rf"^  func\.func @(\w+{TASK_TYPE}\(\) -> .*) {{\n.* = (arith\.constant .*)$", re.MULTILINE)
    theirs = []
    for kernel in (function for function in functions if "hacc.entry" in function):  # the pass takes one at a time
        alone = head + kernel if kernel is functions[-1] else head + kernel + "}\n"
        theirs += task_type.findall(bishengir_opt(alone, DEVICE, "--hivm-insert-infer-task-type-func"))
    assert task_type.findall(text) == theirs != []


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    return read_templates("aiv", tmp_path_factory.mktemp("templates"))


@pytest.mark.sweep
@EVERY_FORM
def test_templates_exist(templates, name, dtype):
    """Each call has the template it names, with as many parameters: a forgotten scratch would be one too few."""
    converted = converted_text(name, dtype)
    assert re.search(r"call @load_gm_to_ubuf", converted)
    check_calls(converted, templates)


def scratch_sizes(text: str):
    """For each vector op in order: its name and the elements of its scratch, None where it has none."""
    sizes = []
    for line in text.splitlines():
        op = re.search(r"hivm\.hir\.(v\w+) ", line)
        if op:
            given = re.search(r"temp_buffer\(%[\w.-]+ : memref<(\d+)x", line)
            sizes.append((op[1], int(given[1]) if given else None))
    return sizes


def without_scratch(text: str):
    return re.sub(r" temp_buffer\(.*?>\)(?= |$)", "", text, flags=re.MULTILINE)


def check_scratch(text: str):
    ours = scratch_sizes(text)
    theirs = scratch_sizes(bishengir_opt(without_scratch(text), DEVICE, "--hivm-alloc-extra-buffer"))
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for number, ((name, given), (_, wanted)) in enumerate(zip(ours, theirs)):
        if wanted is not None:
            assert given is not None, f"op {number}, {name}: has no scratch"
            assert given >= wanted, f"op {number}, {name}: {given} elements of scratch, the vendor takes {wanted}"


@pytest.mark.sweep
@EVERY_FORM
def test_scratch_is_large_enough(name, dtype):
    check_scratch(hivm_text(name, dtype))


# Our chip IR

SIZES = {"N": 3, "T": 70, "B": 1, "H": 2, "S": 150, "dilation": 2}
BLOCKS = 40  # as many as the chip has vector cores


def check_traces(ours: str, text: str, sizes=SIZES):
    """Both texts, followed for some blocks: the same instructions on the same memory, flags and barriers, in order."""
    steps = 0
    for block in (0, 1, BLOCKS - 1):
        expected = traces(ours, AscendInterpreter, sizes, block, BLOCKS)
        found = traces(text, HIVMInterpreter, sizes, block, BLOCKS)
        assert list(found) == list(expected)
        for kernel, events in expected.items():
            for number, (ours_now, theirs_now) in enumerate(zip(events, found[kernel])):
                assert theirs_now == ours_now, f"{kernel}, block {block}, instruction {number}"
            assert len(found[kernel]) == len(events)
            steps += len(events)
    return steps


@pytest.mark.sweep
@EVERY_FORM
def test_asks_for_what_the_chip_ir_does(name, dtype):
    assert check_traces(artefact(name, dtype).ir("ascend"), hivm_text(name, dtype)) > 100


KERNEL = (
    "hacc.entry",
    "hacc.function_kind = #hacc.function_kind<DEVICE>",
    "hivm.func_core_type = #hivm.func_core_type<AIV>",
)
"""What the vendor's closed part knows a kernel of vector cores by; its open passes do not ask."""


def check_arguments(text: str, sidecar):
    """The functions take what the sidecar lists for this route, in its order, and say of it what launchers must know."""
    for launch in sidecar.launches:
        found, pointers, attributes = re.search(
            rf"func\.func @{launch['symbol']}\((.*)\) attributes {{func_dyn_memref_args = dense<\[(.*?)\]>(.*)}} {{$",
            text, re.MULTILINE,
        ).groups()  # fmt: skip
        assert all(attribute in attributes for attribute in KERNEL)
        types, expected = re.findall(r"%[\w.-]+: (memref<.*?>|\w+(?: {.*?})?)", found), []
        for argument in sidecar.arguments("hivm"):
            kind = argument["kind"]
            element = "i64" if kind == "table" else argument["dtype"]
            is_pointer = kind in ("array", "table", "workspace")
            hidden = " {hacc.arg_type = #hacc.arg_type<ffts_base_address>}" if kind == "hidden" else ""
            expected.append(f"memref<?x{element}, #gm>" if is_pointer else element + hidden)
        assert types == expected
        assert pointers.split(", ") == [str(type.startswith("memref")).lower() for type in types]


@EVERY_FORM
def test_arguments_are_those_of_the_sidecar(name, dtype):
    check_arguments(hivm_text(name, dtype), artefact(name, dtype).sidecar)


# What is exported computes the right thing: the chip IR with composites, on the modelled chip


def attention_residual(dtype, columns=123, tokens=21, blocks=3):
    V, dh = torch.randn(blocks, tokens, columns).to(dtype), torch.randn(tokens, columns).to(dtype)
    wq, wn = (torch.randn(columns) * columns**-0.5).to(dtype), torch.randn(columns).to(dtype)
    return V, wq, wn, dh


def check_simulated(kernel, *arguments, tolerance, **options):
    torch.manual_seed(0)
    expected = kernel(*arguments, **options)
    simulated = attn.simulate(kernel, *arguments, composites=True, **options)
    assert simulated.report.hazards == []
    for result, wanted in zip(simulated.outputs, expected, strict=True):
        if wanted is not None:
            bound = tolerance * wanted.double().abs().max().item()
            torch.testing.assert_close(result.double(), wanted.double(), rtol=tolerance, atol=bound)


TOLERANCE = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=DTYPES)
@pytest.mark.parametrize("options", [
    {"softmax": "online"}, {"softmax": "two-phase-reload"}, {"form": "resident"},
], ids=str)  # fmt: skip
def test_kept_composites_forward(dtype, options):
    V, wq, wn, _ = attention_residual(dtype)
    check_simulated(attn_res_fwd, V, wq, wn, 1e-6, tolerance=TOLERANCE[dtype], **options)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=DTYPES)
@pytest.mark.parametrize("options", [{"phases": "barrier"}, {"phases": "launches"}, {"form": "resident"}], ids=str)
def test_kept_composites_backward(dtype, options):
    V, wq, wn, dh = attention_residual(dtype)
    h, lse, sc, rs = attn_res_fwd(V, wq, wn, 1e-6)
    saved = (None if "form" in options else h, lse, sc, rs)
    check_simulated(attn_res_bwd, dh, V, wq, wn, *saved, tolerance=TOLERANCE[dtype], **options)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=DTYPES)
@pytest.mark.parametrize("band", ["halo", "gathered"])
def test_kept_composites_neighborhood(dtype, band):
    q, k, v, do = (torch.randn(1, 2, 37, 40).to(dtype) for _ in range(4))
    check_simulated(neighborhood_fwd, q, k, v, 0.2, 2, 5, tolerance=TOLERANCE[dtype], band=band)
    _, lse = neighborhood_fwd(q, k, v, 0.2, 2, 5)
    options = {"band": band, "reload": band == "gathered"}
    check_simulated(neighborhood_bwd, do, q, k, v, lse, 0.2, 2, 5, tolerance=TOLERANCE[dtype], **options)


# The checks above can fail


def mutate(text: str, pattern: str, replacement: str):
    changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
    assert changed != text
    return changed


@pytest.mark.parametrize("pattern, replacement", [
    (r"(pointer_cast\(%[\w.-]+\) : memref<)\d+xf32", r"\g<1>8xf32"),
    (r"^ *hivm\.hir\.set_flag.*\n", ""),
    (r"^ *hivm\.hir\.wait_flag.*\n", ""),
    (r"^ *hivm\.hir\.pipe_barrier\[<PIPE_V>\]\n", ""),
    (r"EVENT_ID0", "EVENT_ID5"),
    (r"strides: \[%V_stride1[\w.-]*, 1\]", "strides: [%V_stride0, 1]"),
    (r"(pointer_cast\(.* : memref<(?:[2-9]|\d\d+)x123xf32, strided<\[)128", r"\g<1>136"),
    (r"vreduce <sum>", "vreduce <max>"),
], ids=["count", "set", "wait", "barrier", "event", "stride", "pitch", "kind"])  # fmt: skip
def test_planted_mistakes_differ_from_the_chip_ir(pattern, replacement):
    ours, text = artefact("attn_res_fwd-odd", "f32").ir("ascend"), hivm_text("attn_res_fwd-odd", "f32")
    check_traces(ours, text)
    with pytest.raises(AssertionError):
        check_traces(ours, mutate(text, pattern, replacement))


def test_forgotten_scratch_is_one_parameter_less(templates):
    text = mutate(hivm_text("attn_res_fwd-wide", "f32"), r"(hivm\.hir\.vreduce .*?) temp_buffer\(.*?>\)", r"\1")
    with pytest.raises(AssertionError):
        check_scratch(text)
    with pytest.raises(AssertionError):
        check_calls(bishengir_opt(text, DEVICE, "--convert-hivm-to-std"), templates)


def test_small_scratch_is_seen():
    text = re.sub(
        r"(vreduce .* temp_buffer\(%[\w.-]+ : memref<)(\d+)x", r"\g<1>8x", hivm_text("attn_res_fwd-wide", "f32")
    )
    with pytest.raises(AssertionError, match="the vendor takes"):
        check_scratch(text)
