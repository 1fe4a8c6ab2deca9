"""Attention residual forward against its reference, through the CPU JIT and on the modelled chip."""

import pytest
import torch

import attn
import attn.language as at
from attn import testing
from kernels_dsl.attn_res import attn_res_fwd

pytestmark = pytest.mark.optimized

EPS = 1e-6
SOC = "Ascend910B4"
DTYPES = [torch.float32, torch.float16, torch.bfloat16]
# N, B, T, D of the operator's test matrix.
SHAPES = [
    (4, 2, 64, 4096),
    (8, 2, 64, 4096),
    (4, 2, 64, 8192),
    (3, 5, 37, 123),
    (1, 1, 1, 16),
    (33, 1, 7, 256),
    (8, 1, 5, 16384),
]


def names(value):
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value).removeprefix("torch.")


def check(results, inputs, dtype):
    """Every output of the kernel within the tolerance of its type."""
    references = testing.attn_res_reference(*inputs, EPS)
    tolerances = [testing.ATTN_RES_H_TOLERANCE[dtype]] + [testing.ATTN_RES_STATISTIC_TOLERANCE] * 3
    for name, result, reference, tolerance in zip(("h", "lse", "scores", "norms"), results, references, tolerances):
        comparison = testing.compare(result, reference, tolerance)
        assert comparison.holds, f"{name} is off by {comparison.max_error} at {comparison.worst_index}"


def simulate(inputs, **options):
    run = attn.simulate(attn_res_fwd, *inputs, EPS, **{"soc": SOC, **options})
    assert not run.report.hazards, "\n".join(map(str, run.report.hazards))
    return run


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("shape", SHAPES, ids=names)
@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_agrees_with_the_reference(stage, shape, dtype):
    blocks, batch, tokens, width = shape
    inputs = testing.attn_res_inputs(blocks, batch * tokens, width, dtype)
    results = attn_res_fwd(*inputs, EPS) if stage == "jit" else simulate(inputs).outputs
    check(results, inputs, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("shape", [(4, 128, 4096), (3, 185, 123)], ids=names)
def test_agrees_on_a_chip_with_8_kib(shape, dtype):
    inputs = testing.attn_res_inputs(*shape, dtype)
    run = simulate(inputs, soc=f"{SOC}:ub_bytes=8192")
    check(run.outputs, inputs, dtype)
    assert run.report.ub_bytes <= 8192


@attn.kernel
def attn_res_fixed(
    V: at.Tensor["N T D"], wq: at.Tensor["D"], wn: at.Tensor["D"], eps: float, NB: at.Const[int], BT: at.Auto(1, 64)
):
    """The forward with the number of blocks as a constant, which may then stay on the chip."""
    h, lse = at.empty("T D", V.dtype), at.empty("T", at.f32)
    sc, rs = at.empty("T N", at.f32), at.empty("T N", at.f32)
    u = wq[:].to(at.f32) * wn[:].to(at.f32)
    for t in at.grid(at.tiles(T, BT)):
        st = at.softmax_state(BT, D)
        for n in at.range(NB, stages=2):
            v = V[n, t, :].to(at.f32)
            r = at.rsqrt(at.mean(v * v, 1) + eps)
            s = r * at.sum(v * u, 1)
            st.push(s, v, per_row=True)
            sc[t, n], rs[t, n] = s, r
        h[t, :], lse[t] = st.finish()
    return h, lse, sc, rs


@pytest.mark.parametrize("stage", ["jit", "ascend"])
@pytest.mark.parametrize("form", ["online", "two-phase-reload", "two-phase-resident"])
@pytest.mark.parametrize("width", [256, 123])
def test_every_form_of_softmax(stage, form, width):
    inputs = testing.attn_res_inputs(5, 67, width, torch.float16)
    if stage == "jit":
        results = attn_res_fixed(*inputs, EPS, 5, softmax=form)
    else:
        run = attn.simulate(attn_res_fixed, *inputs, EPS, 5, soc=SOC, softmax=form)
        assert not run.report.hazards, "\n".join(map(str, run.report.hazards))
        results = run.outputs
    check(results, inputs, torch.float16)


def test_one_kernel_serves_every_number_of_blocks_and_tokens():
    compiled = attn_res_fwd.compile(**specs("? ? 256", torch.float32), soc=SOC)
    text = compiled.ascendc
    for blocks, tokens in [(1, 1), (2, 39), (5, 41), (33, 3)]:
        inputs = testing.attn_res_inputs(blocks, tokens, 256, torch.float32)
        run = simulate(inputs)
        check(run.outputs, inputs, torch.float32)
    assert text == attn_res_fwd.compile(**specs("? ? 256", torch.float32), soc=SOC).ascendc


def specs(shape, dtype):
    dtype = {torch.float32: at.f32, torch.float16: at.f16, torch.bfloat16: at.bf16}[dtype]
    width = shape.split()[-1]
    return dict(V=at.spec(shape, dtype), wq=at.spec(width, dtype), wn=at.spec(width, dtype))


@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_one_block_is_copied_exactly(stage):
    inputs = testing.attn_res_inputs(1, 17, 256, torch.bfloat16)
    results = attn_res_fwd(*inputs, EPS) if stage == "jit" else simulate(inputs).outputs
    assert torch.equal(results[0], inputs[0][0])


@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_no_tokens(stage):
    inputs = testing.attn_res_inputs(3, 0, 64, torch.float32)
    h, lse, scores, norms = attn_res_fwd(*inputs, EPS) if stage == "jit" else simulate(inputs).outputs
    assert h.shape == (0, 64) and lse.shape == (0,) and scores.shape == norms.shape == (0, 3)


@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_no_blocks(stage):
    """There is no mixture of nothing: an error that names the argument."""
    inputs = testing.attn_res_inputs(0, 5, 64, torch.float32)
    with pytest.raises(ValueError, match="^V: dimension 0 is 0"):
        attn_res_fwd(*inputs, EPS) if stage == "jit" else simulate(inputs)


@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_list_equals_stack(stage):
    values, w_query, w_norm = testing.attn_res_inputs(4, 33, 256, torch.float16)
    blocks = [block.clone() for block in values]

    def run(given):
        if stage == "jit":
            return attn_res_fwd(given, w_query, w_norm, EPS)
        return simulate((given, w_query, w_norm)).outputs

    for from_list, from_stack in zip(run(blocks), run(values)):
        assert torch.equal(from_list, from_stack)


@pytest.mark.parametrize("stage", ["jit", "ascend"])
def test_strides_of_rows_and_blocks(stage):
    values, w_query, w_norm = testing.attn_res_inputs(3, 21, 128, torch.float32)
    strided = torch.zeros(21, 5, 200)[:, 1:4, 30:158].permute(1, 0, 2)
    strided.copy_(values)
    inputs = (strided, w_query, w_norm)
    results = attn_res_fwd(*inputs, EPS) if stage == "jit" else simulate(inputs).outputs
    check(results, inputs, torch.float32)


def test_runs_are_bitwise_equal():
    inputs = testing.attn_res_inputs(7, 45, 1000, torch.bfloat16)
    for first, second in zip(attn_res_fwd(*inputs, EPS), attn_res_fwd(*inputs, EPS)):
        assert torch.equal(first, second)


def test_mixed_types():
    values = testing.attn_res_inputs(4, 9, 320, torch.bfloat16)[0]
    weights = testing.attn_res_inputs(4, 9, 320, torch.float32)[1:]
    inputs = (values, *weights)
    check(attn_res_fwd(*inputs, EPS), inputs, torch.bfloat16)
    check(simulate(inputs).outputs, inputs, torch.bfloat16)


def test_blocks_are_read_once():
    """At N=8, D=4096, bf16 the chip reads V once, up to two per cent."""
    inputs = testing.attn_res_inputs(8, 128, 4096, torch.bfloat16)
    read, written = simulate(inputs).report.traffic["V"]
    ideal = inputs[0].numel() * inputs[0].element_size()
    assert ideal <= read <= 1.02 * ideal and written == 0


def test_where_nothing_fits():
    """On a chip with 1 KiB the error names every buffer with its bytes and line, the limit and what is needed."""
    with pytest.raises(attn.CompileError) as caught:
        attn_res_fwd.compile(**specs("? ? 4096", torch.bfloat16), soc=f"{SOC}:ub_bytes=1024").ir("ascendc")
    message = str(caught.value)
    assert "1024" in message and "needs" in message and "BT = 1" in message
    for name in ("'v'", "'u'", "'r'", "'s'"):
        assert f"{name} takes" in message
    assert message.count("attn_res.py:") > 5
