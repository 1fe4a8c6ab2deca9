"""Lists of blocks and pages in memory, which are padded at their end."""

import attn
import attn.language as at


@attn.kernel
def count_listed(
    index: at.Tensor["B H R W", at.i32], size: int, total: int, lens: at.Tensor["B", at.i32] | None = None,
    BR: at.Auto(1, 64) = None, BW: at.Auto(16, 512) = None,
):  # fmt: skip
    """How many entries of each list index[b, h, r] name one of the blocks of `size` that cover the
    first lens[b], or all `total`: counts [B, H, R]. Padding names none, and neither does what is wrong."""
    counts = at.empty("B H R", at.i32)
    for b, h, r in at.grid(B, H, at.tiles(R, BR)):
        blocks = at.cdiv(total if lens is None else lens[b], size)
        n = at.zeros((BR, 1))
        for j in at.range(at.tiles(W, BW), stages=2):
            x = index[b, h, r, j].to(at.f32)
            n = n + at.sum(at.where((x >= 0.0) & (x < blocks), 1.0, 0.0), 1)
        counts[b, h, r] = n.to(at.i32)
    return counts
