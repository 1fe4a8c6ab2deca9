"""Results of attention over parts of the keys, as one: `merge_attention`."""

from __future__ import annotations

import torch
from torch import Tensor


def merge_attention(*parts: tuple[Tensor, Tensor]):
    """Merges results (o, lse) of attention over keys that no two of them share, as if all keys had been seen at once.

    o is [..., D] and lse [...], natural logarithms, as the operators return them. Parts whose log-sum-exp is -inf saw
    no keys and count nothing. Returns o, in the type of the first part, and lse in f32.
    """
    if not parts:
        raise ValueError("merge_attention: at least one part (o, lse) is expected")
    for number, (o, lse) in enumerate(parts):
        if o.shape[:-1] != lse.shape or o.shape != parts[0][0].shape:
            raise ValueError(
                f"part {number}: o {tuple(o.shape)} and lse {tuple(lse.shape)} must be [..., D] and [...], "
                f"and o as that of the first part {tuple(parts[0][0].shape)}"
            )
    lses = torch.stack([lse.float() for _, lse in parts])
    lse = torch.logsumexp(lses, 0)
    total = torch.zeros(parts[0][0].shape, dtype=torch.float32, device=lse.device)
    for (o, _), own in zip(parts, lses):
        saw = own != -torch.inf
        weight = torch.where(saw, torch.exp(own - lse), 0.0)[..., None]
        total += torch.where(saw[..., None], weight * o.float(), 0.0)
    return total.to(parts[0][0].dtype), lse
