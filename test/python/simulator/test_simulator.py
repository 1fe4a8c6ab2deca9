"""The simulator's arithmetic against PyTorch, on every bit pattern or many, through the native module."""

import pytest

torch = pytest.importorskip("torch")
core = pytest.importorskip("attn._core")

CHUNK = 4096
NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}


def kernel_text(instruction, inputs, output):
    """A kernel that loads chunks of its inputs, applies one instruction and stores the result."""
    kinds = [NAMES[dtype] for dtype in (*inputs, output)]
    gm = [f"memref<?x{kind}, #ascend.space<gm>>" for kind in kinds]
    ub = [f"memref<{CHUNK}x{kind}, #ascend.space<ub>>" for kind in kinds]
    last = len(inputs)
    arguments = ", ".join(f"%a{i}: {kind}" + (" {launch.output}" if i == last else "") for i, kind in enumerate(gm))
    lines = [f'%b{i} = ascend.alloc "b{i}" at {i * CHUNK * 4} : {kind}' for i, kind in enumerate(ub)]
    lines.append("scf.for %i = %zero to %n step %chunk {")
    lines += [f"%p{i} = ascend.address %a{i}[%i] : {kind} -> {kind}" for i, kind in enumerate(gm)]
    for i in range(last):
        form = f"rows(%one) length(%chunk) src_pitch(%chunk) dst_pitch {CHUNK} right_pad 0"
        lines.append(f"ascend.copy_in %b{i}, %p{i} {form} : {ub[i]}, {gm[i]}")
    operands = ", ".join(f"%b{i}" for i in (last, *range(last)))
    types = ", ".join(ub[i] for i in (last, *range(last)))
    lines += ["ascend.barrier all", f"ascend.{instruction} {operands} count(%chunk) : {types}", "ascend.barrier all"]
    form = f"rows(%one) length(%chunk) dst_pitch(%chunk) src_pitch {CHUNK}"
    lines += [f"ascend.copy_out %p{last}, %b{last} {form} : {gm[last]}, {ub[last]}", "ascend.barrier all", "}"]
    body = "\n    ".join(lines)
    return f"""func.func @kernel({arguments}) attributes {{ascend.kernel}} {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %chunk = arith.constant {CHUNK} : index
    %n = ascend.dim %a0, 0 : {gm[0]}
    {body}
    ascend.barrier all
    return
}}"""


def run(instruction, *inputs, output):
    result = torch.empty(inputs[0].shape, dtype=output)
    text = kernel_text(instruction, [tensor.dtype for tensor in inputs], output)
    module = core.Module.parse(text, "Ascend910B4")
    arrays = [(tensor.data_ptr(), tuple(tensor.shape), (1,)) for tensor in (*inputs, result)]
    report = core.simulate(module, arrays)
    assert report["hazards"] == []
    return result


def assert_same_bits(got, expected):
    integers = torch.int32 if got.dtype == torch.float32 else torch.int16
    both_nan = got.isnan() & expected.isnan()
    assert torch.equal(got.view(integers)[~both_nan], expected.view(integers)[~both_nan])
    assert torch.equal(got.isnan(), expected.isnan())


def every_half(dtype):
    return torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)


def many_floats(seed):
    generator = torch.Generator().manual_seed(seed)
    bits = torch.randint(-(2**31), 2**31, (2**18,), generator=generator, dtype=torch.int64)
    return bits.to(torch.int32).view(torch.float32)


def without_sign_of_zero(tensor):
    return torch.where(tensor == 0, torch.zeros((), dtype=tensor.dtype), tensor)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_widening_is_exact(dtype):
    values = every_half(dtype)
    assert_same_bits(run("cast none", values, output=torch.float32), values.float())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrowing_rounds_to_nearest_even(dtype):
    # All bit patterns at random, the middles between neighbours, and the middles by one bit more.
    near = every_half(dtype).float().view(torch.int32)
    half = 2 ** (12 if dtype == torch.float16 else 15)
    middles = [(near + offset).view(torch.float32) for offset in (half - 1, half, half + 1)]
    values = torch.cat([many_floats(0), *middles])
    assert_same_bits(run("cast rint", values, output=dtype), without_sign_of_zero(values.to(dtype)))


OPERATIONS = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "max": torch.maximum,
    "min": torch.minimum,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", OPERATIONS)
def test_arithmetic_is_ieee(name, dtype):
    if dtype == torch.float32:
        first, second = many_floats(1), many_floats(2)
    else:
        first = every_half(dtype)
        second = first[torch.randperm(first.numel(), generator=torch.Generator().manual_seed(3))]
    if name in ("max", "min"):
        # Which zero of two is the larger one is not fixed.
        second = torch.where((first == 0) & (second == 0), first, second)
    assert_same_bits(run(f"binary {name}", first, second, output=dtype), OPERATIONS[name](first, second))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_square_root_is_ieee(dtype):
    values = many_floats(4) if dtype == torch.float32 else every_half(dtype)
    # In double precision: PyTorch's own f32 square root is not always correctly rounded.
    assert_same_bits(run("unary sqrt", values, output=dtype), values.double().sqrt().float().to(dtype))


def test_what_cannot_run_is_an_exception():
    text = kernel_text("unary abs", [torch.float32], torch.float32).replace(" at 0 ", " ")
    module = core.Module.parse(text, "Ascend910B4")
    values = torch.zeros(CHUNK)
    with pytest.raises(core.DiagnosticError, match="ascend-plan-memory must run first"):
        core.simulate(module, [(values.data_ptr(), (CHUNK,), (1,))] * 2)
