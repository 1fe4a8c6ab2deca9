"""Results of attention over parts of the keys, as one: `merge_attention`."""

from __future__ import annotations

import torch
from torch import Tensor

from ._attention import check_layout
from ._readable import check_device


def merge_attention(*parts: tuple[Tensor, Tensor], layout: str = "BNSD"):
    """Merges results (o, lse) of attention over keys that no two of them share, as if all keys had been seen at once.

    o is [..., D] and lse [...], natural logarithms. `layout="BSND"` is for o [B, S, H, D] and lse [B, H, S], which the
    operators return in that layout and for several new tokens of paged attention. Parts whose log-sum-exp is -inf saw
    no keys and count nothing. Returns o, in the type of the first part, and lse in f32.
    """
    check_layout(layout)
    if not parts:
        raise ValueError("merge_attention: at least one part (o, lse) is expected")
    for number, part in enumerate(parts):
        _check_part(number, part, layout, parts[0])
    if layout == "BSND":
        o, lse = _merge([(o.transpose(1, 2), lse) for o, lse in parts])
        return o.transpose(1, 2), lse
    return _merge(parts)


def _check_part(number: int, part, layout: str, first):
    if not isinstance(part, (tuple, list)) or len(part) != 2 or not all(isinstance(x, Tensor) for x in part):
        raise TypeError(f"part {number}: two tensors (o, lse) are expected")
    o, lse = part
    if not (o.is_floating_point() and lse.is_floating_point()):
        raise TypeError(f"part {number}: o ({o.dtype}) and lse ({lse.dtype}) must be floating-point")
    for name, tensor in (("o", o), ("lse", lse)):
        check_device(f"part {number}, {name}", tensor, "the first part", first[0])
    shapes = "[B, S, H, D] and [B, H, S]" if layout == "BSND" else "[..., D] and [...]"
    turned = o.transpose(1, 2) if layout == "BSND" and o.dim() == 4 else o
    has_layout = layout == "BNSD" or o.dim() == 4
    if not has_layout or lse.shape != turned.shape[:-1] or o.shape != first[0].shape:
        raise ValueError(
            f"part {number}: o {tuple(o.shape)} and lse {tuple(lse.shape)} must be {shapes}, "
            f"and o as that of the first part {tuple(first[0].shape)}"
        )


def _merge(parts):
    lses = torch.stack([lse.float() for _, lse in parts])
    lse = torch.logsumexp(lses, 0)
    total = torch.zeros(parts[0][0].shape, dtype=torch.float32, device=lse.device)
    for (o, _), own in zip(parts, lses):
        saw = own != -torch.inf
        weight = torch.where(saw, torch.exp(own - lse), 0.0)[..., None]
        total = total + torch.where(saw[..., None], weight * o.float(), 0.0)
    return total.to(parts[0][0].dtype), lse
