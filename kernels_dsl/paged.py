"""Paged decode attention."""

import attn
import attn.language as at


@attn.kernel
def paged_fwd(
    q: at.Tensor["B Nq D"], kc: at.Tensor["P bs Nkv D"], vc: at.Tensor["P bs Nkv D"], table: at.Tensor["B MB", at.i32],
    lens: at.Tensor["B", at.i32], scale: float, G: at.Const[int], NS: at.Const[int],
):  # fmt: skip
    out, lse = at.empty("B Nq D", q.dtype), at.empty("B Nq", at.f32)
    po, pl = at.empty("B Nkv NS G D", at.f32), at.empty("B Nkv NS G", at.f32)
    for b, h, i in at.grid(B, Nkv, NS):
        st = at.softmax_state(G, D)
        n = lens[b]
        for p in at.range(*at.split(at.cdiv(n, bs), NS, i), stages=2):
            j = at.tiles(bs, bs, limit=n - p * bs)
            page = table[b, p]
            st.push(scale * (q[b, h * G : (h + 1) * G, :] @ kc[page, j, h, :].T), vc[page, j, h, :])
        g = at.tiles(G, G)
        po[b, h, i, g, :], pl[b, h, i, g] = st.finish()
    at.phase()
    for b, h in at.grid(B, Nkv):
        out[b, h * G : (h + 1) * G, :], lse[b, h * G : (h + 1) * G] = at.lse_merge(po[b, h], pl[b, h])
    return out, lse, po, pl
