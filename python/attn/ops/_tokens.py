"""Walks the tokens of several arrays at once, as kernels take them: one axis of rows, whatever the strides are.

Arrays go by name, each as a list of tensors: one, none, or the blocks of a list. Their leading dims are the tokens.
"""

from __future__ import annotations

import itertools
import math
import operator

from ._readable import memory_order


def merge_tokens(rank: int, arrays: dict):
    """Yields the arrays with their `rank` leading dims made one, as views.

    One view of each is enough where the strides of all of them allow it. Otherwise the longest run of dims that can be
    merged becomes the rows, and the others are taken one index at a time.
    """
    first = next(iter(arrays.values()))[0]
    # A dim of one element has a stride that means nothing.
    kept = tuple(0 if size == 1 else slice(None) for size in first.shape[:rank])
    if 0 in kept:
        arrays = _map(arrays, lambda tensor: tensor[kept])
        rank -= kept.count(0)
    if rank == 0:
        yield _map(arrays, lambda tensor: tensor.unsqueeze(0))
        return
    first = next(iter(arrays.values()))[0]
    order = memory_order(first, range(rank))
    if order != list(range(rank)):
        arrays = _map(arrays, lambda tensor: tensor.permute(*order, *range(rank, tensor.dim())))
    sizes = [math.prod(group) for group in _mergeable_sizes(rank, list(itertools.chain(*arrays.values())))]
    if len(sizes) < rank:
        arrays = _map(arrays, lambda tensor: tensor.view(*sizes, *tensor.shape[rank:]))
    if len(sizes) == 1:
        yield arrays
        return
    rows = sizes.index(max(sizes))
    for index in itertools.product(*(range(size) for place, size in enumerate(sizes) if place != rows)):
        place = (*index[:rows], slice(None), *index[rows:])
        yield _map(arrays, operator.itemgetter(place))


def _mergeable_sizes(rank: int, tensors: list):
    """The sizes of neighbouring dims, in groups that are one dim in every tensor."""
    shape = tensors[0].shape
    groups = [[shape[0]]]
    for dim in range(1, rank):
        if all(tensor.stride(dim - 1) == shape[dim] * tensor.stride(dim) for tensor in tensors):
            groups[-1].append(shape[dim])
        else:
            groups.append([shape[dim]])
    return groups


def split_rows(arrays: dict, shared: int, per_row: int, budget):
    """Yields runs of rows (the first dim) for which what is left of the budget is enough.

    A run needs `shared` bytes of workspace, and `per_row` bytes for each of its rows.
    """
    count = len(next(iter(arrays.values()))[0])
    budget.check(shared + per_row)
    run = (budget.left - shared) // per_row if per_row else count
    if run >= count:
        yield arrays
        return
    for start in range(0, count, run):
        yield _map(arrays, operator.itemgetter(slice(start, start + run)))


def _map(arrays: dict, change):
    return {name: [change(tensor) for tensor in tensors] for name, tensors in arrays.items()}
