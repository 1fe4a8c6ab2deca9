"""What operators over queries, keys and values check alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ._readable import check_device, check_dtype

LAYOUTS = ("BNSD", "BSND")
_MOST_COLUMNS, _COLUMN_STEP = 256, 16


def check_layout(layout: str):
    if layout not in LAYOUTS:
        raise ValueError(f"layout ({layout}) must be one of {', '.join(LAYOUTS)}")


def check_arrays(q, k, v, layout: str):
    """TypeError or ValueError unless q, k and v have the types and shapes of attention with grouped heads."""
    arrays = dict(q=q, k=k, v=v)
    for name, tensor in arrays.items():
        check_dtype(name, tensor)
    shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in arrays.items())
    if any(tensor.dim() != 4 for tensor in arrays.values()):
        raise ValueError(f"{shapes} must have 4 dimensions, those of {layout}")
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(f"q {q.dtype}, k {k.dtype}, v {v.dtype} must have the same type")
    for name in ("k", "v"):
        check_device(name, arrays[name], "q", q)
    heads = layout.index("N")
    if k.shape[:3] != v.shape[:3] or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(f"{shapes} must agree in B, k and v in heads and positions, q and k in D")
    if q.shape[heads] and (k.shape[heads] == 0 or q.shape[heads] % k.shape[heads]):
        raise ValueError(
            f"{shapes}: the heads of q ({q.shape[heads]}) must be a multiple of those of k and v ({k.shape[heads]})"
        )
    for name, tensor in (("D", q), ("Dv", v)):
        check_width(name, tensor.shape[3])


def check_width(name: str, columns: int):
    if not 0 < columns <= _MOST_COLUMNS or columns % _COLUMN_STEP:
        raise ValueError(f"{name} ({columns}) must be a multiple of {_COLUMN_STEP} up to {_MOST_COLUMNS}")


def check_scale(scale, width: int):
    """The scale, by default that of the width."""
    if scale is None:
        return width**-0.5
    if not isinstance(scale, (float, int)) or isinstance(scale, bool):
        raise TypeError(f"scale: a number is expected, not {scale!r}")
    if not math.isfinite(scale):
        raise ValueError(f"scale ({scale}) must be finite")
    return float(scale)


def read_lengths(name: str, lengths: Tensor | Sequence[int] | int | None, batch: int, limit: int):
    """Lengths of each batch entry as int32 on the host, None where none are given: one for all, or one for each."""
    if lengths is None:
        return None
    if isinstance(lengths, Tensor):
        if lengths.is_floating_point() or lengths.dtype == torch.bool or lengths.dim() > 1:
            raise ValueError(f"{name} ({lengths.dtype} {tuple(lengths.shape)}) must be integers [1] or [{batch}]")
        numbers = lengths.reshape(-1).tolist()
    else:
        numbers = [lengths] if isinstance(lengths, int) else list(lengths)
    if len(numbers) not in (1, batch) or any(not isinstance(number, int) for number in numbers):
        raise ValueError(f"{name} ({numbers}) must be 1 or {batch} integers")
    for entry, number in enumerate(numbers):
        if not 0 <= number <= limit:
            raise ValueError(f"{name}[{entry}] ({number}) must be 0 to {limit}")
    return torch.tensor(numbers * (batch if len(numbers) == 1 else 1), dtype=torch.int32)
