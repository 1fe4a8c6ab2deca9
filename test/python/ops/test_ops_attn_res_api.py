"""How attn_res is called: errors, autograd, fake tensors, compiled graphs, empty inputs, the limit on workspace."""

import re

import pytest
import torch

import attn
import attn.ops
import references
from attn import memory
from attn.ops import _dispatch
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from stages import waits_of


def inputs(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(*shape, generator=generator)
    weights = [0.1 * torch.randn(shape[-1], generator=generator) for _ in range(2)]
    return [tensor.to(dtype).requires_grad_() for tensor in (values, *weights)]


def detached(tensors):
    return [tensor.detach() for tensor in tensors]


# Errors

X, W = torch.zeros(3, 5, 8), torch.zeros(8)


@pytest.mark.parametrize("change, error, message", [
    (dict(V=3), TypeError, "V: a tensor or a list of tensors is expected, not int"),
    (dict(V=[]), ValueError, "V (an empty list) must have at least one block"),
    (dict(V=X[:0]), ValueError, "V (0, 5, 8) must have at least one block"),
    (dict(V=[X[0], 3]), TypeError, "V[1]: a tensor is expected, not int"),
    (dict(V=X.double()), TypeError,
     "V: torch.float64 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(V=[X[0], X[1].int()]), TypeError,
     "V[1]: torch.int32 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(V=W), ValueError, "V (8,) must have the dimensions [N, ..., D]"),
    (dict(V=[W[0]]), ValueError, "V () must have the dimensions [..., D] of each block"),
    (dict(V=[X[0], X[1], X[2, :4]]), ValueError,
     "V[2] ((4, 8) of torch.float32) must equal V[0] ((5, 8) of torch.float32)"),
    (dict(V=[X[0], X[1].half()]), ValueError,
     "V[1] ((5, 8) of torch.float16) must equal V[0] ((5, 8) of torch.float32)"),
    (dict(w_query=torch.zeros(7)), ValueError, "w_query (7,) must have the shape (8,) of V's last dimension"),
    (dict(w_norm=torch.zeros(1, 8)), ValueError, "w_norm (1, 8) must have the shape (8,) of V's last dimension"),
    (dict(w_query=None), TypeError, "w_query: a tensor is expected, not NoneType"),
    (dict(w_norm=W.long()), TypeError,
     "w_norm: torch.int64 is not supported; known: torch.float32, torch.float16, torch.bfloat16"),
    (dict(V=X[..., :0], w_query=W[:0], w_norm=W[:0]), ValueError, "D (0), the last dimension of V, must be positive"),
    (dict(eps=0), ValueError, "eps (0) must be positive"),
    (dict(eps=-1e-6), ValueError, "eps (-1e-06) must be positive"),
    (dict(eps=float("nan")), ValueError, "eps (nan) must be finite"),
    (dict(eps=1e39), ValueError, "eps (1e+39) must be a number of f32, at most 3.403e+38"),
    (dict(eps=1e-60), ValueError, "eps (1e-60) must be a number of f32, at least 1.175e-38"),
    (dict(round_key="x"), TypeError, "round_key: True or False is expected, not 'x'"),
    (dict(exact_delta=1.5), TypeError, "exact_delta: True or False is expected, not 1.5"),
    (dict(eps="small"), TypeError, "eps: a number is expected, not 'small'"),
    (dict(w_norm=W.to("meta")), ValueError, "w_norm: device meta does not equal cpu of V"),
    (dict(V=[X[0], X[1].to("meta")]), ValueError, "V[1]: device meta does not equal cpu of V[0]"),
    (dict(form="fast"), ValueError, "form (fast) must be one of resident, streaming, strips, two-read"),
])  # fmt: skip
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.ops.attn_res(**{**dict(V=X, w_query=W, w_norm=W), **change})


def test_errors_come_in_order():
    """Blocks before weights before D before eps before devices."""
    wrong = dict(V=[X[0], X[1, :2]], w_query=torch.zeros(3), w_norm=W.to("meta"), eps=0.0)
    for name, right, expected in [
        ("V", [X[0], X[1]], "V[1]"),
        ("w_query", W, "w_query"),
        ("eps", 1e-6, "eps"),
        ("w_norm", W, "w_norm: device"),
    ]:
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
            attn.ops.attn_res(**wrong)
        wrong[name] = right
    attn.ops.attn_res(**wrong)


# PyTorch


@pytest.mark.parametrize("form", ["resident", "streaming"])
@pytest.mark.parametrize("stacked", [True, False])
def test_opcheck(stacked, form):
    V, w_query, w_norm = inputs(3, 2, 4, 8)
    blocks = [V] if stacked else [block.detach().requires_grad_() for block in V]
    options = (1e-6, form, False, False)
    torch.library.opcheck(torch.ops.attn.attn_res.default, (blocks, stacked, w_query, w_norm, *options))
    saved = detached(blocks), stacked, *detached((w_query, w_norm))
    h, *statistics = torch.ops.attn.attn_res(*saved, *options)
    kept_h = h if _dispatch.attn_res_reads_h(blocks, stacked, form, False) else None
    for wants in [(True, True), (True, False), (False, True)]:
        arguments = (torch.randn(2, 4, 8), *saved, kept_h, *statistics, form, False, *wants)
        torch.library.opcheck(torch.ops.attn.attn_res_backward.default, arguments)


def test_opcheck_of_a_transposed_stack():
    V, w_query, w_norm = inputs(3, 2, 4, 8)
    V = V.detach().transpose(1, 2).requires_grad_()
    torch.library.opcheck(torch.ops.attn.attn_res.default, ([V], True, w_query, w_norm, 1e-6, None, False, False))
    assert attn.ops.attn_res(V, w_query, w_norm).stride() == (8, 32, 1)


@pytest.mark.parametrize("backend, dynamic", [("aot_eager", False), ("aot_eager", True), ("inductor", False)])
def test_compiled_graph(backend, dynamic):
    def program(V, w_query, w_norm):
        from_list = attn.ops.attn_res([block * 2 for block in V], w_query, w_norm)
        return from_list.sin() + attn.ops.attn_res(V, w_query, w_norm)

    compiled = torch.compile(program, fullgraph=True, backend=backend, dynamic=dynamic)
    leaves = inputs(3, 2, 4, 8)
    for result, expected in zip(
        torch.autograd.grad(compiled(*leaves).sum(), leaves), torch.autograd.grad(program(*leaves).sum(), leaves)
    ):
        references.assert_close("gradient", result, expected, (1e-5, 1e-5) if backend == "inductor" else (0.0, 0.0))


def test_fake_tensors_need_no_kernel():
    from torch._subclasses.fake_tensor import FakeTensorMode

    before = len(attn_res_fwd.programs)
    with FakeTensorMode():
        V = torch.empty(3, 2, 4, 9000, dtype=torch.bfloat16, requires_grad=True)
        h = attn.ops.attn_res(V, torch.empty(9000), torch.empty(9000))
        h.sum().backward()
    assert (h.shape, h.dtype) == ((2, 4, 9000), torch.bfloat16)
    assert V.grad.shape == V.shape and len(attn_res_fwd.programs) == before


@pytest.mark.parametrize("as_list", [False, True])
def test_the_host_waits_for_nothing(as_list):
    """Neither pass reads a value back: on a device, the host would have to wait for it."""
    V, *weights = inputs(3, 2, 4, 8)
    blocks = [block.detach().requires_grad_() for block in V] if as_list else V
    leaves = [*(blocks if as_list else [V]), *weights]
    assert not waits_of(lambda: torch.autograd.grad(attn.ops.attn_res(blocks, *weights).sum(), leaves))


@pytest.mark.parametrize("target", [0, 1, 2])
def test_second_derivative_is_refused(target):
    leaves = inputs(3, 4, 8)
    (gradient,) = torch.autograd.grad(attn.ops.attn_res(*leaves).sum(), leaves[target], create_graph=True)
    with pytest.raises(NotImplementedError, match="^attn_res: a second derivative is not supported$"):
        torch.autograd.grad(gradient.sum(), leaves)


def test_changed_h_is_noticed():
    """The streaming backward reads h; other forms do not need it."""
    h = attn.ops.attn_res(*inputs(3, 4, 8), form="streaming")
    with torch.no_grad():
        h.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        h.sum().backward()
    for options in (dict(form="resident"), dict(form="streaming", exact_delta=True), dict(form="two-read")):
        h = attn.ops.attn_res(*inputs(3, 4, 8), **options)
        with torch.no_grad():
            h.add_(1)
        h.sum().backward()


def test_changed_v_is_noticed():
    leaves = inputs(3, 4, 8)
    h = attn.ops.attn_res(*leaves)
    with torch.no_grad():
        leaves[0].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        h.sum().backward()


@pytest.mark.parametrize("wanted", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)])
def test_only_wanted_gradients(wanted):
    leaves = inputs(3, 4, 8)
    everything = torch.autograd.grad(attn.ops.attn_res(*leaves).sum(), leaves)
    for leaf, want in zip(leaves, wanted):
        leaf.requires_grad_(bool(want))
    attn.ops.attn_res(*leaves).sum().backward()
    for leaf, want, expected in zip(leaves, wanted, everything):
        assert torch.equal(leaf.grad, expected) if want else leaf.grad is None


def test_blocks_of_a_list_have_their_own_gradients():
    V, w_query, w_norm = inputs(3, 4, 8)
    (expected,) = torch.autograd.grad(attn.ops.attn_res(V, w_query, w_norm).sum(), [V])
    blocks = [block.clone().requires_grad_(place != 1) for place, block in enumerate(V.detach())]
    attn.ops.attn_res(tuple(blocks), w_query, w_norm).sum().backward()
    assert blocks[1].grad is None
    assert torch.equal(blocks[0].grad, expected[0]) and torch.equal(blocks[2].grad, expected[2])


@pytest.mark.parametrize("as_list", [False, True])
def test_no_tokens(as_list):
    V, w_query, w_norm = inputs(3, 2, 0, 8)
    given = [block.detach().requires_grad_() for block in V] if as_list else V
    h = attn.ops.attn_res(given, w_query, w_norm)
    assert h.shape == (2, 0, 8)
    h.sum().backward()
    assert torch.equal(w_query.grad, torch.zeros(8)) and torch.equal(w_norm.grad, torch.zeros(8))
    assert given[0].grad.shape == (2, 0, 8) if as_list else V.grad.shape == V.shape


def test_one_token_without_an_axis():
    V, w_query, w_norm = inputs(3, 8)
    h = attn.ops.attn_res(V, w_query, w_norm)
    assert torch.equal(h, attn.ops.attn_res(V.unsqueeze(1), w_query, w_norm)[0])


def test_form_follows_from_the_blocks():
    """Few blocks that are together neither short nor long are held at once."""
    resident, streaming = [(8, 512), (4, 1024)], [(9, 512), (8, 64), (8, 4096)]
    cases = {**dict.fromkeys(resident, "resident"), **dict.fromkeys(streaming, "streaming")}
    for (count, width), form in cases.items():
        V = torch.zeros(count, 1, width, dtype=torch.bfloat16)
        assert _dispatch.attn_res_form([V], True, None) == _dispatch.attn_res_form(list(V), False, None) == form
        assert _dispatch.attn_res_form([V], True, "two-read") == "two-read"


def test_blocks_too_far_apart_for_a_transfer_are_streamed():
    """One transfer of the chip steps over less than 4 GiB from row to row."""
    near, far = (torch.empty(2, tokens, 4096, dtype=torch.bfloat16, device="meta") for tokens in (524_288, 524_290))
    assert _dispatch.attn_res_form([near], True, None) == "resident"
    assert _dispatch.attn_res_form([far], True, None) == "streaming"
    assert _dispatch.attn_res_form(list(far), False, None) == "resident"  # a list has an address for each block


def test_one_compilation_for_all_sizes():
    """N, tokens, strides and eps are values of each call."""
    V, *weights = inputs(4, 40, 24)
    forms = len(attn_res_fwd.programs), len(attn_res_bwd.programs)
    for place in range(20):
        blocks, tokens = 1 + place % 4, 1 + 2 * place
        attn.ops.attn_res(V[:blocks, :tokens], *weights, 1e-6 * (1 + place), form="streaming").sum().backward()
    assert (len(attn_res_fwd.programs), len(attn_res_bwd.programs)) == (forms[0] + 1, forms[1] + 1)


# The limit on workspace

MEBIBYTE = 2**20


@pytest.mark.parametrize("as_list", [False, True])
def test_copies_stay_within_the_limit(as_list):
    """V with stride 2 in D takes 24 MiB to copy; of 64 MiB, 8 per cent are allowed forward and 18 backward."""
    _, w_query, w_norm = inputs(1, 1024)
    wide = torch.randn(3, 2, 1024, 2048, generator=torch.Generator().manual_seed(2))
    V = wide[..., ::2]
    leaves = [block.detach().requires_grad_() for block in V] if as_list else [V.detach().requires_grad_()]
    g = torch.randn(2, 1024, 2048, generator=torch.Generator().manual_seed(3))[..., ::2]
    size = 64 * MEBIBYTE
    with attn.memory_limit(size):
        memory.reset_peak_workspace()
        h = attn.ops.attn_res(leaves if as_list else leaves[0], w_query, w_norm)
        assert 0.9 * (size * 8 // 100) < memory.peak_workspace() <= size * 8 // 100
        memory.reset_peak_workspace()
        gradients = torch.autograd.grad(h, [*leaves, w_query, w_norm], g)
        assert 0.9 * (size * 18 // 100) < memory.peak_workspace() <= size * 18 // 100
    dense = V.contiguous().requires_grad_()
    expected = attn.ops.attn_res(dense, w_query, w_norm)
    dV, *d_weights = torch.autograd.grad(expected, [dense, w_query, w_norm], g.contiguous())
    assert torch.equal(h, expected)
    assert torch.equal(torch.stack(gradients[:3]) if as_list else gradients[0], dV)
    for result, reference in zip(gradients[-2:], d_weights):  # added up in another order
        assert (result - reference).norm() <= references.ATTN_RES_DW[torch.float32] * reference.norm()


def test_in_place_arrays_need_no_workspace():
    V, w_query, w_norm = inputs(3, 64, 256)
    with attn.memory_limit(MEBIBYTE):
        memory.reset_peak_workspace()
        attn.ops.attn_res(V[:1].expand(3, 64, 256), w_query, w_norm).sum()
        assert memory.peak_workspace() == 0


def test_a_token_that_does_not_fit():
    V, w_query, w_norm = inputs(3, 4, 512)
    with attn.memory_limit(20_000), pytest.raises(MemoryError) as caught:
        attn.ops.attn_res(V[..., ::2], w_query[:256], w_norm[:256])
    message = "attn_res: its smallest part needs 3072 bytes of workspace, which exceeds the limit of 1600 bytes"
    assert str(caught.value) == message


def test_limit_can_be_set_and_taken_back():
    machine = memory.memory_bytes()
    assert machine > 2**30
    with attn.memory_limit(5 * MEBIBYTE):
        assert memory.memory_bytes() == 5 * MEBIBYTE
        attn.memory_limit(None)
        assert memory.memory_bytes() == machine
    assert memory.memory_bytes() == machine
    attn.memory_limit(MEBIBYTE)
    assert memory.memory_bytes() == MEBIBYTE
    attn.memory_limit(None)
    for share, percent in ((2_748_779_069, memory.FORWARD_PERCENT), (6_184_752_906, memory.BACKWARD_PERCENT)):
        with attn.memory_limit(32 * 2**30):
            assert memory.Budget("any", percent).limit == share


@pytest.mark.parametrize("value, error, message", [
    (0, ValueError, "bytes (0) must be positive"),
    (1.5, TypeError, "bytes: an integer or None is expected, not 1.5"),
])  # fmt: skip
def test_wrong_limits(value, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        attn.memory_limit(value)
