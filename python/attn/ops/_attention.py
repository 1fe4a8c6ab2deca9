"""What operators over queries, keys and values have in common: checks of their arguments, and their outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral

import torch
from torch import Tensor

from .._host import FRACTAL_ROWS
from ..language import show_number
from ._readable import check_device, check_dtype, empty_in_order, has_values, memory_order, zeros

LAYOUTS = ("BNSD", "BSND")
MOST = torch.finfo(torch.float32).max
_MOST_COLUMNS = 256
_MOST_KEYS = 2**31 - 1


def check_layout(layout: str):
    if layout not in LAYOUTS:
        raise ValueError(f"layout ({layout}) must be one of {', '.join(LAYOUTS)}")


def check_arrays(q, k, v, layout: str):
    """TypeError or ValueError unless q, k and v have the types and shapes of attention with grouped heads."""
    arrays = dict(q=q, k=k, v=v)
    for name, tensor in arrays.items():
        check_dtype(name, tensor)
    if any(tensor.dim() != 4 for tensor in arrays.values()):
        raise ValueError(f"{describe_shapes(arrays)} must have 4 dimensions, those of {layout}")
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(f"q {q.dtype}, k {k.dtype}, v {v.dtype} must have the same type")
    for name in ("k", "v"):
        check_device(name, arrays[name], "q", q)
    heads = layout.index("N")
    if k.shape[:3] != v.shape[:3] or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(f"{describe_shapes(arrays)} must agree in B, k and v in heads and positions, q and k in D")
    if q.shape[heads] and (k.shape[heads] == 0 or q.shape[heads] % k.shape[heads]):
        counts = f"the heads of q ({q.shape[heads]}) must be a multiple of those of k and v ({k.shape[heads]})"
        raise ValueError(f"{describe_shapes(arrays)}: {counts}")
    for name, tensor in (("D", q), ("Dv", v)):
        check_width(name, tensor.shape[3])


def describe_shapes(arrays: dict):
    """Arrays by name with their shapes, for messages: graphs with sizes that are not known yet cannot compute it."""
    return ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in arrays.items())


def check_width(name: str, columns: int):
    if not 0 < columns <= _MOST_COLUMNS or columns % FRACTAL_ROWS:
        raise ValueError(f"{name} ({columns}) must be a multiple of {FRACTAL_ROWS} up to {_MOST_COLUMNS}")


def check_number(name: str, number):
    """The number as a float."""
    if not isinstance(number, (float, int)) or isinstance(number, bool):
        raise TypeError(f"{name}: a number is expected, not {number!r}")
    if number != number or number in (math.inf, -math.inf):
        raise ValueError(f"{name} ({number}) must be finite")
    if abs(number) > MOST:
        raise ValueError(f"{name} ({show_number(number)}) must be a number of f32, at most {MOST:.4g}")
    return float(number)


def check_flag(name: str, flag):
    """TypeError unless it is True or False."""
    if not isinstance(flag, (bool, torch.SymBool)):
        raise TypeError(f"{name}: True or False is expected, not {flag!r}")


def check_scale(scale, width: int):
    """The scale of scores that was given, or the one of rows of that width."""
    return width**-0.5 if scale is None else check_number("scale", scale)


def check_window(window):
    """The keys before and after its own that a query sees; -1 for all, and for more than any array has."""
    if window is None:
        return -1, -1
    if not isinstance(window, (tuple, list)) or [type(side) for side in window] != [int, int]:
        raise TypeError(f"window: two integers are expected, not {window!r}")
    if min(window) < -1:
        raise ValueError(f"window {tuple(window)} must have numbers of keys, or -1 for all")
    return tuple(-1 if side >= _MOST_KEYS else side for side in window)


def check_softcap(softcap):
    """The cap as a number, 0 for none."""
    softcap = check_number("softcap", 0.0 if softcap is None else softcap)
    if softcap < 0:
        raise ValueError(f"softcap ({softcap}) must not be negative")
    if softcap and not 2 / MOST <= softcap <= MOST / 2:  # kernels have twice the cap, and 2 over it, in f32
        raise ValueError(f"softcap ({softcap}) must be 0 for none, or {2 / MOST:.4g} to {MOST / 2:.4g}")
    return softcap


def check_sinks(sinks, q, heads: int):
    if sinks is None:
        return
    if not isinstance(sinks, Tensor) or sinks.dtype != torch.float32:
        raise TypeError("sinks: a tensor of torch.float32 is expected")
    if sinks.shape != (heads,):
        raise ValueError(f"sinks {tuple(sinks.shape)} must have one number for each of the {heads} heads of q")
    check_device("sinks", sinks, "q", q)


def is_integer(number):
    """Whether it is an integer, of NumPy as well."""
    return isinstance(number, (int, Integral)) and not isinstance(number, bool)


def read_integers(name: str, numbers):
    """The integers of a sequence as a list."""
    if not isinstance(numbers, (list, tuple)) and not hasattr(numbers, "__iter__"):
        raise TypeError(f"{name}: integers are expected, not {numbers!r}")
    numbers = list(numbers)
    if not all(is_integer(number) for number in numbers):
        raise TypeError(f"{name}: integers are expected, not {numbers}")
    return numbers


def read_lengths(name: str, lengths: Tensor | Sequence[int] | int | None, most: int, q):
    """Lengths in int32, one for each entry of the batch of q, where they were given: on the host or on the device of q;
    None where none are given."""
    if lengths is None:
        return None
    if isinstance(lengths, Tensor):
        tensor = lengths
        if tensor.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"{name}: {tensor.dtype} is not supported; known: torch.int32, torch.int64")
        if tensor.device.type == "cpu" and has_values(tensor):
            _check_limits(name, tensor.flatten().tolist(), most)
    else:
        numbers = [lengths] if is_integer(lengths) else read_integers(name, lengths)
        _check_limits(name, numbers, most)
        tensor = torch.tensor(numbers, dtype=torch.int32, device="cpu")
    if tensor.dim() != 1 or not (len(tensor) == 1 or len(tensor) == len(q)):
        raise ValueError(
            f"{name} {tuple(tensor.shape)} must have one number, or one for each of {q.shape[0]} batch entries"
        )
    if tensor.device.type != "cpu":
        check_device(name, tensor, "q", q)
    return tensor.to(torch.int32).expand(q.shape[0]).contiguous()


def _check_limits(name: str, lengths, most: int):
    for entry, length in enumerate(lengths):
        if not 0 <= length <= most:
            raise ValueError(f"{name}[{entry}] ({length}) must be 0 to {most}")


def make_outputs(q, v):
    """o, in the memory order of q, and its log-sum-exps, not yet computed."""
    shape = (*q.shape[:3], v.shape[-1])
    o = empty_in_order(shape, memory_order(q, range(3)), q.dtype, q.device)
    return o, empty_in_order(q.shape[:3], range(3), torch.float32, q.device)


def write_unseen(o, lse, sinks=None):
    """What queries give that see no keys: o [B, H, Sq, Dv] and lse [B, H, Sq]."""
    o.copy_(zeros((), o.dtype, o.device).expand(o.shape))
    lowest = torch.full((), -math.inf, device="cpu").to(lse.device) if sinks is None else sinks[:, None]
    lse.copy_(lowest.expand(lse.shape))
