"""The operators under transforms, default devices and modes of PyTorch: what holds, and what is refused."""

import pytest
import torch

import attn
import attn.ops

X, W = torch.ones(2, 2, 5, 16), torch.ones(16)
CACHE, TABLE = torch.ones(2, 16, 5, 16), torch.zeros(2, 1, dtype=torch.int32)

CALLS = dict(
    attn_res=lambda x: attn.ops.attn_res(x, W, W),
    neighborhood_attention=lambda x: attn.ops.neighborhood_attention(x, x, x),
    flash_attention=lambda x: attn.ops.flash_attention(x, x, x),
    block_sparse_attention=lambda x: attn.ops.block_sparse_attention(x, x, x),
    paged_attention=lambda x: attn.ops.paged_attention(x, CACHE, CACHE, TABLE, [3, 2]),
)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_in_forward_mode_are_refused(name):
    """PyTorch takes the tangents of an operator without a rule for them to be 0."""
    with pytest.raises(NotImplementedError, match=f"^{name}: derivatives in forward mode are not supported$"):
        torch.func.jvp(CALLS[name], (X,), (X,))


@pytest.mark.parametrize("name", CALLS)
def test_gradients_by_functions_are_refused(name):
    message = f"^{name}: gradients by torch.func are not supported; call backward\\(\\)$"
    total = lambda x: CALLS[name](x).sum()  # noqa: E731
    for transform, x in (
        (torch.func.grad(total), X),
        (torch.func.jacrev(total), X),
        (torch.vmap(torch.func.grad(total)), X[None]),
    ):
        with pytest.raises(NotImplementedError, match=message):
            transform(x)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_maps(name):
    several = torch.stack([X, 2 * X])
    if name in ("attn_res", "paged_attention"):
        with pytest.raises(NotImplementedError, match=f"^{name}: torch.vmap is not supported; give it all entries"):
            torch.vmap(CALLS[name])(several)
        return
    assert torch.vmap(CALLS[name])(several).equal(torch.stack([CALLS[name](x) for x in several]))


def test_merged_results_are_mapped():
    o, lse = torch.randn(3, 2, 5, 16), torch.randn(3, 2, 5)
    merge = lambda o, lse: attn.ops.merge_attention((o, lse), (2 * o, lse + 1))[0]  # noqa: E731
    torch.testing.assert_close(torch.vmap(merge)(o, lse), merge(o, lse))


LENGTHS = dict(actual_seq_lengths=[5, 3], actual_seq_lengths_kv=[4, 2])
NO_KEYS = torch.ones(2, 2, 0, 16)
ON_HOST = dict(
    CALLS,
    lengths=lambda x: attn.ops.flash_attention(x, x, x, **LENGTHS),
    no_keys=lambda x: attn.ops.flash_attention(x, NO_KEYS, NO_KEYS, return_lse=True)[1],
    block_lengths=lambda x: attn.ops.block_sparse_attention(x, x, x, causal=True, **LENGTHS),
    random_index=lambda x: attn.block_index.random_index(500, 500, (128, 128), 0.5),
)


@pytest.mark.parametrize("name", ON_HOST)
def test_what_the_host_makes_is_on_the_host(name):
    """Whatever device PyTorch would put it on: lengths on another one hold nothing here."""
    expected = ON_HOST[name](X)
    with torch.device("meta"):
        found = ON_HOST[name](X)
    assert found.device.type == "cpu" and found.equal(expected)
