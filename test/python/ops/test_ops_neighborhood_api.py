"""How neighborhood_attention and its modules are called: errors, autograd, compiled graphs, empty inputs, workspace."""

import copy
import re

import pytest
import torch

import attn
import attn.nn
import attn.ops
import references
from attn import memory
from attn.nn import NeighborhoodAttention, NeighborhoodAttentionLayer
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
from references import DTYPES, names
from stages import on_both, waits_of


def inputs(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(*shape, generator=generator).to(dtype).requires_grad_() for _ in range(3)]


# Errors

X = torch.zeros(2, 3, 5, 8)
WINDOWS = [
    (dict(kernel_size=0), "kernel_size (0) must be positive"),
    (dict(kernel_size=-1), "kernel_size (-1) must be positive"),
    (dict(kernel_size=2), "kernel_size (2) must be odd"),
    (dict(kernel_size=6), "kernel_size (6) must be odd"),
    (dict(dilation=0), "dilation (0) must be positive"),
    (dict(dilation=-2), "dilation (-2) must be positive"),
    (dict(kernel_size=-2, dilation=0), "kernel_size (-2) must be positive"),
    (dict(kernel_size=4, dilation=0), "kernel_size (4) must be odd"),
]


@pytest.mark.parametrize("change, message", WINDOWS)
def test_wrong_windows(change, message):
    """The function, the module and the layer refuse them, before anything else is looked at."""
    for refused in (
        lambda: attn.ops.neighborhood_attention(None, None, None, **change),
        lambda: NeighborhoodAttention(8, 2, **change),
        lambda: NeighborhoodAttentionLayer(8, 2, **change),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            refused()


@pytest.mark.parametrize("change, error, message", [
    (dict(k=X[:1]), ValueError, "q (2, 3, 5, 8), k (1, 3, 5, 8), v (2, 3, 5, 8) must have the same shape"),
    (dict(v=X[..., :4]), ValueError, "q (2, 3, 5, 8), k (2, 3, 5, 8), v (2, 3, 5, 4) must have the same shape"),
    (dict(q=X[0], k=X[0], v=X[0]), ValueError,
     "q (3, 5, 8), k (3, 5, 8), v (3, 5, 8) must have the 4 dimensions [B, H, S, D]"),
    (dict(q=X[..., :0], k=X[..., :0], v=X[..., :0]), ValueError,
     "q (2, 3, 5, 0), k (2, 3, 5, 0), v (2, 3, 5, 0) must have a positive last dimension D"),
    (dict(q=X.double()), TypeError,
     "q: torch.float64 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(k=None), TypeError, "k: a tensor is expected, not NoneType"),
    (dict(v=X.half()), TypeError, "q torch.float32, k torch.float32, v torch.float16 must have the same type"),
    (dict(v=X.to("meta")), ValueError, "v: device meta does not equal cpu of q"),
    (dict(scale=float("inf")), ValueError, "scale (inf) must be finite"),
    (dict(scale=float("nan")), ValueError, "scale (nan) must be finite"),
    (dict(scale=1e39), ValueError, "scale (1e+39) must be a number of f32, at most 3.403e+38"),
    (dict(return_lse="x"), TypeError, "return_lse: True or False is expected, not 'x'"),
    (dict(scale="1"), TypeError, "scale: a number is expected, not '1'"),
    (dict(kernel_size=3.0), TypeError, "kernel_size: an integer is expected, not 3.0"),
    (dict(dilation=True), TypeError, "dilation: an integer is expected, not True"),
    (dict(path="cube band"), NotImplementedError, "path (cube band) is not supported yet; known: halo, gathered"),
    (dict(path="dense"), NotImplementedError, "path (dense) is not supported yet; known: halo, gathered"),
    (dict(path="fast"), ValueError, "path (fast) must be one of halo, gathered"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.neighborhood_attention(**{**dict(q=X, k=X, v=X), **change})


@pytest.mark.parametrize("make", [NeighborhoodAttention, NeighborhoodAttentionLayer])
def test_wrong_modules(make):
    for heads in (3, 0, -1):
        message = re.escape(f"hidden_size (8) must be divisible by num_heads ({heads})")
        with pytest.raises(ValueError, match=f"^{message}$"):
            make(8, heads, kernel_size=2)
    for sizes, error, message in [
        ((8.0, 2), TypeError, "hidden_size: an integer is expected, not 8.0"),
        ((8, "2"), TypeError, "num_heads: an integer is expected, not '2'"),
        ((0, 2), ValueError, "hidden_size (0) must be positive"),
    ]:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            make(*sizes)
    with pytest.raises(TypeError, match="^scale: a number is expected, not 'x'$"):
        make(8, 2, scale="x")
    with pytest.raises(NotImplementedError, match="Attention mask is not yet supported"):
        make(8, 2)(torch.zeros(2, 3, 8), attention_mask=torch.ones(2, 3))


@pytest.mark.parametrize("shape", [(3, 8), (2, 3, 4)])
def test_wrong_hidden_states(shape):
    message = re.escape(f"hidden_states {shape} must have the shape [B, S, 8]")
    with pytest.raises(ValueError, match=f"^{message}$"):
        NeighborhoodAttention(8, 2)(torch.zeros(shape))


# PyTorch


def test_opcheck():
    q, k, v = inputs(2, 3, 5, 8)
    options = (3, 2, 0.5, None)
    torch.library.opcheck(torch.ops.attn.neighborhood.default, (q, k, v, *options))
    transposed = [tensor.detach().transpose(1, 2).requires_grad_() for tensor in (q, k, v)]
    torch.library.opcheck(torch.ops.attn.neighborhood.default, (*transposed, *options))
    plain = [tensor.detach() for tensor in (q, k, v)]
    _, lse = torch.ops.attn.neighborhood(*plain, *options)
    for grad_lse, *wants in [(None, True, True), (torch.randn(2, 3, 5), True, False), (None, False, True)]:
        arguments = (torch.randn(2, 3, 5, 8), grad_lse, *plain, lse, *options, *wants)
        torch.library.opcheck(torch.ops.attn.neighborhood_backward.default, arguments)


@pytest.mark.parametrize("backend, dynamic", [("aot_eager", False), ("aot_eager", True), ("inductor", False)])
def test_compiled_graph(backend, dynamic):
    def program(q, k, v):
        o, lse = attn.ops.neighborhood_attention(q * 2, k, v, 3, return_lse=True)
        return o.sin().sum() + lse.sum()

    compiled = torch.compile(program, fullgraph=True, backend=backend, dynamic=dynamic)
    leaves = inputs(2, 3, 5, 8)
    for result, expected in zip(
        torch.autograd.grad(compiled(*leaves), leaves), torch.autograd.grad(program(*leaves), leaves)
    ):
        references.assert_close("gradient", result, expected, (1e-5, 1e-5) if backend == "inductor" else (0.0, 0.0))


def test_compiled_module():
    module = NeighborhoodAttentionLayer(16, 2, 3)
    hidden = torch.randn(2, 9, 16, generator=torch.Generator().manual_seed(3))
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    references.assert_close("output", compiled(hidden).detach(), module(hidden).detach(), (1e-6, 1e-6))


def test_fake_tensors_need_no_kernel():
    from torch._subclasses.fake_tensor import FakeTensorMode

    before = len(neighborhood_fwd.programs)
    with FakeTensorMode():
        q = torch.empty(2, 5, 3, 900, dtype=torch.bfloat16).transpose(1, 2).requires_grad_()
        o, lse = attn.ops.neighborhood_attention(q, q, q, return_lse=True)
        o.sum().backward()
    assert (o.shape, o.stride(), o.dtype) == (q.shape, q.stride(), q.dtype)
    assert (lse.shape, lse.dtype) == (q.shape[:3], torch.float32)
    assert q.grad.shape == q.shape and len(neighborhood_fwd.programs) == before


@pytest.mark.parametrize("layout", ["in place", "copied"])
def test_the_host_waits_for_nothing(layout):
    """Neither pass reads a value back: on a device, the host would have to wait for it."""
    leaves = inputs(2, 3, 37, 32)
    given = [leaf[..., ::2] for leaf in leaves] if layout == "copied" else leaves

    def run():
        o, lse = attn.ops.neighborhood_attention(*given, dilation=2, return_lse=True)
        torch.autograd.grad([o, lse], leaves, [torch.ones_like(o), torch.ones_like(lse)])

    assert not waits_of(run)


@pytest.mark.parametrize("target", [0, 1, 2])
def test_second_derivative_is_refused(target):
    leaves = inputs(1, 2, 5, 8)
    o = attn.ops.neighborhood_attention(*leaves)
    (gradient,) = torch.autograd.grad(o.sum(), leaves[target], create_graph=True)
    with pytest.raises(NotImplementedError, match="^neighborhood_attention: a second derivative is not supported$"):
        torch.autograd.grad(gradient.sum(), leaves)


@pytest.mark.parametrize("wanted", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)])
def test_only_wanted_gradients(wanted):
    leaves = inputs(1, 2, 37, 16)
    everything = torch.autograd.grad(attn.ops.neighborhood_attention(*leaves).sum(), leaves)
    for leaf, want in zip(leaves, wanted):
        leaf.requires_grad_(bool(want))
    attn.ops.neighborhood_attention(*leaves).sum().backward()
    for leaf, want, expected in zip(leaves, wanted, everything):
        if want:
            references.assert_close("gradient", leaf.grad, expected, references.NEIGHBORHOOD_GRADIENT[torch.float32])
        else:
            assert leaf.grad is None


def test_changed_inputs_are_noticed():
    leaves = inputs(1, 2, 5, 8)
    o = attn.ops.neighborhood_attention(*leaves)
    with torch.no_grad():
        leaves[1].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        o.sum().backward()


@pytest.mark.parametrize("shape", [(0, 2, 5, 8), (2, 0, 5, 8), (2, 2, 0, 8)], ids=names)
def test_nothing_to_do(shape):
    leaves = inputs(*shape)
    o, lse = attn.ops.neighborhood_attention(*leaves, return_lse=True)
    assert o.shape == shape and lse.shape == shape[:3]
    (o.sum() + lse.sum()).backward()
    assert all(leaf.grad.shape == shape for leaf in leaves)


def test_one_compilation_for_all_sizes():
    """B, H, S, strides, scale and, above 1, the dilation are values of each call."""
    q, k, v = inputs(4, 3, 40, 24)
    kernels = neighborhood_fwd, neighborhood_bwd
    before = [len(kernel.programs) for kernel in kernels]
    for place in range(20):
        part = slice(0, 1 + place % 4), slice(None), slice(place, 2 * place + 1)
        attn.ops.neighborhood_attention(
            *(q[part], k[part], v[part]), kernel_size=5, dilation=2 + place % 3, scale=0.1 * place, path="halo"
        ).sum().backward()
    # Another test may have had the same one made.
    assert all(len(kernel.programs) <= count + 1 for kernel, count in zip(kernels, before))


# Modules


def with_exact_attention(monkeypatch, module):
    """A copy of a module whose attention is the float64 reference, rounded once; all of the copy is float64.

    But for the layer in bf16, which stays in its type: the rounding of PyTorch's own layer norm, which the gradient of
    its bias sums up, is larger than the tolerance.
    """

    def attention(q, k, v, kernel_size, dilation, scale):
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        o, _ = references.Neighborhood.apply(q.double(), k.double(), v.double(), kernel_size, dilation, scale)
        return o.to(q.dtype)

    monkeypatch.setattr(attn.ops, "neighborhood_attention", attention)
    exact = copy.deepcopy(module)
    is_coarse = isinstance(exact, NeighborhoodAttentionLayer) and exact.layer_norm.weight.dtype == torch.bfloat16
    return exact if is_coarse else exact.double()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES, ids=names)
@pytest.mark.parametrize("case", [(2, 32, 128, 4, 7), (1, 32, 128, 8, 5), (2, 24, 96, 3, 9)], ids=names)
def test_module_and_layer(case, dtype, monkeypatch, subtests):
    batch, length, hidden_size, heads, kernel_size = case
    for make in (NeighborhoodAttention, NeighborhoodAttentionLayer):
        for bias in (True, False):
            torch.manual_seed(0)
            module = make(hidden_size, heads, kernel_size, bias=bias).to(dtype)
            hidden, g = (torch.randn(batch, length, hidden_size).to(dtype) for _ in range(2))
            with subtests.test(make=make.__name__, bias=bias), monkeypatch.context() as patch:
                check_module(module, hidden, g, patch)


def check_module(module, hidden, g, monkeypatch):
    """The output and the gradients of a module and all of its parameters."""

    def run(module):
        like = next(module.parameters())
        leaves = [hidden.to(like.dtype).requires_grad_(), *module.parameters()]
        output = module(leaves[0])
        return [output.detach(), *torch.autograd.grad(output, leaves, g.to(like.dtype))]

    results = run(module)
    expected = run(with_exact_attention(monkeypatch, module))
    labels = ["output", "x", *(name for name, _ in module.named_parameters())]
    for name, result, reference in zip(labels, results, expected, strict=True):
        references.assert_close(name, result, reference, references.NEIGHBORHOOD_MODULE[hidden.dtype])


def test_module_and_layer_on_the_chip(chip, monkeypatch):
    for make in (NeighborhoodAttention, NeighborhoodAttentionLayer):
        torch.manual_seed(0)
        hidden, g = torch.randn(2, 1, 32, 128)
        with monkeypatch.context() as patch:
            check_module(make(128, 8, 5), hidden, g, patch)
    assert [kernel for kernel, _ in chip.runs] == 2 * ["neighborhood_fwd", "neighborhood_bwd"]


@pytest.mark.parametrize("stage, case", on_both((64, 4, 3), (128, 8, 7), (256, 16, 5)), indirect=["stage"], ids=names)
@pytest.mark.parametrize("make", [NeighborhoodAttention, NeighborhoodAttentionLayer])
def test_shapes_and_finite_values(stage, make, case):
    hidden_size, heads, kernel_size = case
    output = make(hidden_size, heads, kernel_size)(torch.randn(2, 32, hidden_size))
    assert output.shape == (2, 32, hidden_size) and bool(output.isfinite().all())


PARAMETERS = [(1, 16, 64, 4), (2, 32, 128, 8), (1, 48, 192, 6)]


@pytest.mark.parametrize("stage, case", on_both(*PARAMETERS), indirect=["stage"], ids=names)
def test_every_parameter_gets_a_gradient(stage, case):
    batch, length, hidden_size, heads = case
    torch.manual_seed(0)
    layer = NeighborhoodAttentionLayer(hidden_size, heads)
    layer(torch.randn(batch, length, hidden_size)).square().sum().backward()
    for name, parameter in layer.named_parameters():
        # A bias of the keys moves all scores of a query alike: its gradient is zero but for rounding.
        assert parameter.grad is not None and (name.endswith("k_proj.bias") or bool(parameter.grad.any())), name


def test_members_and_defaults():
    layer = NeighborhoodAttentionLayer(16, 2, 5, 3, bias=False, dropout=0.25, layer_norm_eps=1e-3, scale=0.7)
    attention = layer.attention
    members = (attention.q_proj, attention.k_proj, attention.v_proj, attention.out_proj)
    assert all(isinstance(member, torch.nn.Linear) and member.bias is None for member in members)
    assert layer.layer_norm.eps == 1e-3 and layer.dropout.p == attention.dropout.p == 0.25
    assert (attention.kernel_size, attention.dilation, attention.scale) == (5, 3, 0.7)
    assert "num_heads=2" in repr(attention)


def test_places_of_dropout():
    """On the merged heads before the output projection, and once more before the residual."""
    torch.manual_seed(0)
    layer = NeighborhoodAttentionLayer(16, 2, 3, dropout=0.5)
    seen = []
    for module in (layer.attention.dropout, layer.attention.out_proj, layer.dropout):
        module.register_forward_hook(lambda module, given, output: seen.append((module, given[0], output)))
    hidden = torch.randn(2, 9, 16)
    output = layer(hidden)
    (first, heads, dropped), (_, projected_from, projected), (second, attended, last) = seen
    assert first is layer.attention.dropout and second is layer.dropout
    assert projected_from is dropped and attended is projected
    assert bool((dropped == 0).any()) and bool((heads != 0).all())
    assert torch.equal(output, hidden + last)
    layer.eval()
    assert torch.equal(layer(hidden), layer(hidden))


# Memory

MEBIBYTE = 2**20


@pytest.mark.parametrize("shape", [(1, 4, 16384, 64), (1, 1, 65536, 64), (3, 2, 8192, 64)], ids=names)
def test_copies_stay_within_the_limit(shape):
    """With 64 MiB of memory, inputs with stride 2 in D are copied in parts: batches, heads, or runs of positions."""
    generator = torch.Generator().manual_seed(2)
    batch, heads, length, width = shape
    size = 64 * MEBIBYTE
    views = [torch.randn(batch, heads, length, 2 * width, generator=generator)[..., ::2] for _ in range(4)]
    leaves, g = [view.detach().requires_grad_() for view in views[:3]], views[3]
    g_lse = torch.randn(batch, heads, length, generator=generator)
    with attn.memory_limit(size):
        memory.reset_peak_workspace()
        outputs = attn.ops.neighborhood_attention(*leaves, dilation=2, return_lse=True)
        assert 0.4 * (size * 8 // 100) < memory.peak_workspace() <= size * 8 // 100
        memory.reset_peak_workspace()
        gradients = torch.autograd.grad(outputs, leaves, [g, g_lse])
        assert 0.4 * (size * 18 // 100) < memory.peak_workspace() <= size * 18 // 100
    dense = [leaf.detach().contiguous().requires_grad_() for leaf in leaves]
    expected = attn.ops.neighborhood_attention(*dense, dilation=2, return_lse=True)
    exact = torch.autograd.grad(expected, dense, [g.contiguous(), g_lse])
    tolerances = [references.NEIGHBORHOOD_O[torch.float32], references.NEIGHBORHOOD_LSE]
    tolerances += [references.NEIGHBORHOOD_GRADIENT[torch.float32]] * 3
    for result, reference, tolerance in zip((*outputs, *gradients), (*expected, *exact), tolerances):
        references.assert_close("part", result.detach(), reference.detach(), tolerance)


@pytest.mark.parametrize("shape", [(1, 4, 16384, 64), (1, 1, 65536, 64)], ids=names)
def test_in_place_arrays_need_no_workspace(shape):
    """However long the sequence is: nothing grows with S * K."""
    leaves = inputs(*shape)
    with attn.memory_limit(64 * MEBIBYTE):
        memory.reset_peak_workspace()
        attn.ops.neighborhood_attention(*leaves).backward(torch.ones(1).expand(64).expand(shape))
        assert memory.peak_workspace() <= 64 * 4  # one row of the gradient


def test_heads_as_projections_write_them_need_no_workspace():
    """[B, S, H, D] seen as [B, H, S, D], rows that are expanded, and a gradient that is one row."""
    q, k, _ = (tensor.detach().transpose(1, 2).requires_grad_() for tensor in inputs(2, 37, 3, 16))
    v = torch.randn(2, 1, 37, 16).expand(2, 3, 37, 16).requires_grad_()
    memory.reset_peak_workspace()
    attn.ops.neighborhood_attention(q, k, v).backward(torch.ones(16).expand(2, 3, 37, 16))
    assert memory.peak_workspace() == 0


def test_a_window_that_does_not_fit():
    q, k, v = inputs(1, 1, 100, 64)
    views = [tensor.detach()[..., ::2] for tensor in (q, k, v)]
    with attn.memory_limit(20_000), pytest.raises(MemoryError) as caught:
        attn.ops.neighborhood_attention(*views)
    # Seven positions: 3 * 32 numbers of q, k and v to copy, 32 of o and one log-sum-exp to write to.
    needed = 7 * 4 * (3 * 32 + 32 + 1)
    message = f"neighborhood_attention: its smallest part needs {needed} bytes of workspace, "
    assert str(caught.value) == message + "which exceeds the limit of 1600 bytes"
