"""Numbers with bounds: float64 values, and how far any right evaluation in f32 may be from them.

Every operation is allowed to round once, in any order where it adds several numbers. What is computed from rounded
operands carries their errors on. The bounds are those of running error analysis, with nothing fitted.
"""

from __future__ import annotations

import numpy as np

ROUNDOFF = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
SMALLEST = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
LIBRARY = 4  # roundings that exp and log may be off by


class Bounded:
    """An array of values and their bounds."""

    __slots__ = ("value", "bound")

    def __init__(self, value, bound=0.0):
        self.value = np.asarray(value, dtype=np.float64)
        self.bound = np.broadcast_to(np.asarray(bound, dtype=np.float64), self.value.shape)

    @property
    def shape(self):
        return self.value.shape

    @property
    def size(self):
        """The largest absolute value that an element may have."""
        return np.abs(self.value) + self.bound

    def __getitem__(self, index):
        return Bounded(self.value[index], self.bound[index])

    def reshape(self, shape):
        return Bounded(self.value.reshape(shape), self.bound.reshape(shape))

    def is_tame(self, limit=1e4, relative=0.05):
        """Whether values stay so small, and bounds so tight, that a comparison says something."""
        with np.errstate(all="ignore"):
            return bool(np.all(self.size < limit) and np.all(self.bound <= relative * (1 + np.abs(self.value))))


def rounded(value, bound, dtype="f32", times=1):
    """A result with the error of its operands, rounded."""
    bound = np.asarray(bound)
    return Bounded(value, bound + times * ROUNDOFF[dtype] * (np.abs(value) + bound) + SMALLEST[dtype])


def constant(number):
    """A number that is one of f32."""
    assert float(np.float32(number)) == number
    return Bounded(np.full((1, 1), number))


def add(x, y):
    return rounded(x.value + y.value, x.bound + y.bound)


def subtract(x, y):
    return rounded(x.value - y.value, x.bound + y.bound)


def multiply(x, y):
    bound = np.abs(x.value) * y.bound + np.abs(y.value) * x.bound + x.bound * y.bound
    return rounded(x.value * y.value, bound)


def divide(x, y):
    quotient = x.value / y.value
    return rounded(quotient, (x.bound + np.abs(quotient) * y.bound) / (np.abs(y.value) - y.bound))


def maximum(x, y):
    return Bounded(np.maximum(x.value, y.value), np.maximum(x.bound, y.bound))


def minimum(x, y):
    return Bounded(np.minimum(x.value, y.value), np.maximum(x.bound, y.bound))


def negate(x):
    return Bounded(-x.value, x.bound)


def absolute(x):
    return Bounded(np.abs(x.value), x.bound)


def square_root(x):
    root = np.sqrt(x.value)
    return rounded(root, x.bound / root)


def reciprocal_root(x):
    """A square root and a division."""
    result = 1 / np.sqrt(x.value)
    return rounded(result, result * x.bound / (x.value - x.bound), times=2)


def exponential(x):
    result = np.exp(x.value)
    return rounded(result, result * np.expm1(x.bound), times=LIBRARY)


def logarithm(x):
    bound = x.bound / (x.value - x.bound) + LIBRARY * ROUNDOFF["f32"]
    return rounded(np.log(x.value), bound, times=LIBRARY)


def total(x, axis):
    """The sum in any order: each addition rounds."""
    count = x.shape[axis]
    bound = x.bound.sum(axis, keepdims=True) + count * ROUNDOFF["f32"] * x.size.sum(axis, keepdims=True)
    return rounded(x.value.sum(axis, keepdims=True), bound)


def mean(x, axis):
    """A sum, times a rounded factor."""
    added = total(x, axis)
    return rounded(added.value / x.shape[axis], added.bound / x.shape[axis], times=2)


def largest(x, axis):
    return Bounded(x.value.max(axis, keepdims=True, initial=-np.inf), x.bound.max(axis, keepdims=True, initial=0.0))


def smallest(x, axis):
    return Bounded(x.value.min(axis, keepdims=True, initial=np.inf), x.bound.max(axis, keepdims=True, initial=0.0))


def narrow(x, dtype):
    """A cast. The value stays as it is: rounding goes into the bound, since an error may move it to the next number."""
    return rounded(x.value, x.bound, dtype)


def whole(x):
    """A cast to an integer and back; likewise."""
    return Bounded(x.value, x.bound + 0.5)


def softmax(scores, values):
    """The softmax-weighted sum and the log-sum-exp of scores [m, 1] and values [m, d], in any form."""
    weights, lse = row_softmax(join_columns(scores), np.True_)
    rows = min(len(weights.value), *(len(value.value) for value in values))
    return _add_all([multiply(weights[:rows, t : t + 1], value[:rows]) for t, value in enumerate(values)]), lse


def row_softmax(scores, exists):
    """The softmax over the columns that exist, and the log-sum-exp of each row.

    Each weight is off by the error of its score, of the maximum that is subtracted, and of a few roundings per column;
    so is the sum that it is divided by.
    """
    score = np.where(exists, scores.value, -np.inf)
    top = score.max(1, keepdims=True)
    error = np.max(np.where(exists, scores.bound, 0.0), axis=1, keepdims=True)
    far = np.max(np.where(exists, np.abs(scores.value - top), 0.0), axis=1, keepdims=True)
    steps = (4 * LIBRARY + 4 * scores.shape[1]) * ROUNDOFF["f32"] + 2 * ROUNDOFF["f32"] * far
    weight = np.exp(score - top)
    lse = top + np.log(weight.sum(1, keepdims=True))
    weight = weight / weight.sum(1, keepdims=True)
    return rounded(weight, 2 * np.expm1(2 * error + steps) * weight), rounded(lse, error + steps, times=LIBRARY)


def concatenate(parts):
    return Bounded(np.concatenate([p.value for p in parts]), np.concatenate([p.bound for p in parts]))


# Bands: slot t of row r belongs to row r + t of a window


def band_dot(x, window, slots):
    return join_columns([total(multiply(x, window[t : t + x.shape[0]]), 1) for t in range(slots)])


def band_mix(weights, window):
    rows, slots = weights.shape
    return _add_all([multiply(weights[:, t : t + 1], window[t : t + rows]) for t in range(slots)])


def band_spread(weights, x):
    """Every row of the window has up to as many parts as there are slots."""
    slots, parts = weights.shape[1], []
    for t in range(slots):
        part = multiply(weights[:, t : t + 1], x)
        around = ((t, slots - 1 - t), (0, 0))
        parts.append(Bounded(np.pad(part.value, around), np.pad(part.bound, around)))
    return _add_all(parts)


def join_columns(parts):
    return Bounded(np.concatenate([p.value for p in parts], 1), np.concatenate([p.bound for p in parts], 1))


def _add_all(parts):
    """The sum of arrays in any order."""
    bound = sum(part.bound for part in parts) + len(parts) * ROUNDOFF["f32"] * sum(part.size for part in parts)
    return rounded(sum(part.value for part in parts), bound)
