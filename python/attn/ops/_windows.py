"""Splits an operator over windows of positions into launches, so that the copies that it needs stay within a budget.

Arrays are [B, H, S, ...]; None stands for one that is not there. Batches and heads are independent of each other. Where
one head is too much, a launch takes a run of positions together with what they see on both sides; it writes to
temporaries, of which the run itself is kept.
"""

from __future__ import annotations

from .. import memory
from ._readable import copy_bytes, readable, unreadable


def split_windows(inputs: list, outputs: list, reach: int, budget: memory.Budget, dim: int = 0):
    """Yields (inputs, outputs) of each launch: inputs that kernels can read, outputs that they write to.

    The outputs of a position depend on the inputs of positions up to `reach` away. What is yielded holds until the next
    is asked for. Batches are split first, then heads, then positions; `dim` is the one to go on with.
    """
    if _bytes_to_copy(inputs) <= budget.left:
        with readable(budget, *inputs) as given:
            yield given, outputs
        return
    if dim == 2:
        yield from _split_positions(inputs, outputs, reach, budget)
        return
    size = inputs[0].shape[dim]
    run = max(1, _longest_run(inputs, dim, 0, budget))
    for start in range(0, size, run):
        part = slice(start, start + run)
        yield from split_windows(_take(inputs, dim, part), _take(outputs, dim, part), reach, budget, dim + 1)


def _split_positions(inputs: list, outputs: list, reach: int, budget: memory.Budget):
    """`split_windows` of one head, over runs of positions."""
    size = inputs[0].shape[2]
    per_position = sum(output[:, :, :1].numel() * output.element_size() for output in outputs if output is not None)
    smallest = min(size, 1 + 2 * reach)
    budget.check(_bytes_to_copy(_take(inputs, 2, slice(0, smallest))) + smallest * per_position)
    run = _longest_run(inputs, 2, per_position, budget) - 2 * reach
    for start in range(0, size, run):
        stop = min(size, start + run)
        seen = slice(max(0, start - reach), min(size, stop + reach))
        kept = slice(start - seen.start, stop - seen.start)
        with budget.take((seen.stop - seen.start) * per_position), readable(budget, *_take(inputs, 2, seen)) as given:
            results = [None if output is None else output.new_empty(output[:, :, seen].shape) for output in outputs]
            yield given, results
            for output, result in zip(_take(outputs, 2, slice(start, stop)), _take(results, 2, kept)):
                if output is not None:
                    output.copy_(result)


def _longest_run(inputs: list, dim: int, more: int, budget: memory.Budget):
    """How many indices of a dim what is left of the budget is enough for; each needs `more` bytes beside the copies."""
    one = _bytes_to_copy(_take(inputs, dim, slice(0, 1)))
    each = _bytes_to_copy(_take(inputs, dim, slice(0, 2))) - one  # less than `one` where indices share their memory
    return (budget.left - (one - each)) // (each + more) if each + more else inputs[0].shape[dim]


def _bytes_to_copy(inputs: list):
    return sum(copy_bytes(tensor) for tensor in unreadable(inputs))


def _take(tensors: list, dim: int, part: slice):
    return [None if tensor is None else tensor.narrow(dim, part.start, min(part.stop, tensor.shape[dim]) - part.start)
            for tensor in tensors]  # fmt: skip
