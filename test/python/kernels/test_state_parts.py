"""Softmax states of several parts, of which a loop pushes to one after the other: heads whose rows lie in one tile."""

import pytest
import torch

import attn
import attn.language as at

TOLERANCES = {torch.float32: (1e-4, 1e-5), torch.float16: (1e-2, 1e-2), torch.bfloat16: (8e-2, 4e-2)}


@attn.kernel
def heads_together(
    Q: at.Tensor["B M D"], K: at.Tensor["N Hk D"], V: at.Tensor["N Hk D"], scale: float, H: at.Const[int],
    R: at.Const[int], BN: at.Auto(16, 64) = None,
):  # fmt: skip
    """Rows h * R to (h + 1) * R of each batch see head h of the keys, which are gone through once for all heads."""
    o, lse = at.empty("B M D", Q.dtype), at.empty("B M", at.f32)
    for b in at.grid(B):
        rows, st = at.tiles(H * R, H * R), at.softmax_state(H * R, D)
        for n in at.range(at.tiles(N, BN)):
            for h in at.range(H):
                own = at.tiles(R, R, base=h * R)
                st.push(scale * (Q[b, own, :] @ K[n, h, :].T), V[n, h, :], part=h)
        o[b, rows, :], lse[b, rows] = st.finish()
    return o, lse


@attn.kernel
def weighted_rows(X: at.Tensor["T 8 D"], S: at.Tensor["T 8"]):
    """The mean of T x 8 rows in two parts of four, weighted by the softmax of their scores over T: by vector cores alone."""
    Y = at.empty("8 D", at.f32)
    for r in at.grid(1):
        st = at.softmax_state(8, D)
        for t in at.range(T):
            for h in at.range(2):
                some = at.tiles(4, 4, base=4 * h)
                st.push(S[t, some], X[t, some, :], per_row=True, part=h)
        Y[at.tiles(8, 8, base=8 * r), :], _ = st.finish()
    return Y


def attend(q, k, v, scale, H, R):
    q = q.unflatten(1, (H, R))
    s = scale * torch.einsum("bhrd,nhd->bhrn", q, k)
    o = torch.einsum("bhrn,nhd->bhrd", torch.softmax(s, -1), v)
    return o.flatten(1, 2), torch.logsumexp(s, -1).flatten(1, 2)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("heads, rows, keys", [(3, 8, 100), (2, 16, 17), (1, 16, 64)])
def test_parts_get_what_states_of_their_own_get(dtype, heads, rows, keys):
    generator = torch.Generator().manual_seed(heads)
    q, k, v = (
        torch.randn(*shape, generator=generator).to(dtype)
        for shape in ((2, heads * rows, 32), (keys, heads, 32), (keys, heads, 32))
    )
    options = dict(scale=0.2, H=heads, R=rows)
    attn.verify(
        heads_together, q, k, v, **options, reference=attend, tolerance=TOLERANCES[dtype],
        stages=("jit", "ascend", "ascendc"),
    ).check()  # fmt: skip


def test_rows_of_parts_on_vector_cores():
    x, s = (torch.randn(*shape, generator=torch.Generator().manual_seed(1)) for shape in ((5, 8, 48), (5, 8)))
    attn.verify(
        weighted_rows, x, s, reference=lambda X, S: (torch.softmax(S, 0)[..., None] * X).sum(0),
        tolerance=(1e-5, 1e-5), stages=("jit", "ascend", "ascendc", "hivm"),
    ).check()  # fmt: skip
