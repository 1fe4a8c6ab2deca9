"""Kernels that need cube and vector cores with arguments: attention with its options, and chains of products."""

import torch

import attn.language as at
import mixed_kernels
from attn import block_index, planning
from kernels_dsl.block_sparse import block_sparse_fwd
from kernels_dsl.flash import flash_fwd
from kernels_dsl.paged import paged_fwd
from list_kernels import pages_of, randn

TYPES = {torch.float32: at.f32, torch.float16: at.f16, torch.bfloat16: at.bf16, torch.int32: at.i32}
# The vendor's memory plan has whole tiles where ours has strips of them.
SIZES = dict(BM=64, BN=128)


def integers(rows):
    return torch.tensor(rows, dtype=torch.int32)


def dense(dtype, queries=150, keys=270, **options):
    shapes = dict(q=(1, 4, queries, 64), k=(1, 2, keys, 64), v=(1, 2, keys, 32))
    arrays = {name: randn(*shape, dtype=dtype, seed=seed) for seed, (name, shape) in enumerate(shapes.items())}
    return flash_fwd, {**arrays, "scale": 0.125, **options}, SIZES


def lengths(dtype):
    """What lies beyond the lengths is NaN."""
    kernel, arguments, sizes = dense(dtype)
    for name, length in (("q", 77), ("k", 140), ("v", 140)):
        arguments[name][:, :, length:] = torch.nan
    return kernel, {**arguments, "q_lens": integers([77]), "kv_lens": integers([140])}, sizes


def blocks(dtype, causal=False, cores=3):
    q, k, v = (randn(1, heads, 300, 32, dtype=dtype, seed=heads) for heads in (2, 1, 1))
    index = block_index.from_mask(torch.tensor([[[[0, 0, 1], [1, 0, 1], [1, 1, 1]]] * 2]).bool())
    counts = (index >= 0).sum(-1).int().repeat_interleave(2, -1)[..., :5]
    if causal:  # a tile of 64 queries sees blocks up to its own
        tiles = torch.arange(5)[:, None] * 64 // 128
        listed = index.repeat_interleave(2, -2)[..., :5, :]
        counts = ((listed >= 0) & (listed <= tiles)).sum(-1).int()
    plan = planning.block_plan(counts.tolist(), cores=cores)
    lists = (integers(rows) if rows else None for rows in (plan.shares, plan.tasks, plan.merges))
    arguments = dict(q=q, k=k, v=v, index=index, counts=counts, **dict(zip(("shares", "tasks", "merges"), lists)))
    return block_sparse_fwd, {**arguments, "bq": 128, "bk": 128, "scale": 0.2, "causal": causal}, SIZES


def pages(dtype, num_splits=1, inner=1, heads=1):
    lens = [70, 0, 100, 1]
    k, v, table = pages_of(lens, page=32, heads=2, width=64, dtype=dtype)
    plan = planning.paged_plan(lens, block_size=32, kv_heads=2 // (inner * heads), cores=3, num_splits=num_splits)
    lists = (integers(rows) if rows else None for rows in (plan.shares, plan.tasks, plan.merges))
    q = randn(4, 2, 4, 64, dtype=dtype).view(4, 2 // inner, -1, 64)
    k, v = (cache.view(-1, 32, 2 // heads, heads * 64) for cache in (k, v))
    arrays = dict(q=q, k=k, v=v, table=table.int(), lens=integers(lens))
    arrays.update(zip(("shares", "tasks", "merges"), lists))
    return paged_fwd, {**arrays, "scale": 0.1, "R": 4, "G": 4, "inner": inner, "heads": heads}, {}


def chain(kernel, *shapes, **sizes):
    """A kernel of products and vector work whose arrays have these shapes."""

    def make(dtype):
        arrays = [randn(*shape, dtype=dtype, seed=seed) * shape[-1] ** -0.5 for seed, shape in enumerate(shapes)]
        return kernel, dict(zip((array.name for array in kernel.signature.of_kind("array")), arrays)), sizes

    return make


CASES = {
    "dense": dense,
    "causal": lambda dtype: dense(dtype, right=0),
    "window": lambda dtype: dense(dtype, left=30, right=9, softcap=3.0),
    "sinks": lambda dtype: dense(dtype, sinks=randn(4)),
    "lengths": lengths,
    "blocks": blocks,
    "causal-blocks": lambda dtype: blocks(dtype, causal=True),
    "parts-of-blocks": lambda dtype: blocks(dtype, cores=20),
    "pages": pages,
    "heads-of-pages": lambda dtype: pages(dtype, inner=2),
    "pair-of-heads": lambda dtype: pages(dtype, heads=2),
    "parts-of-pages": lambda dtype: pages(dtype, num_splits=2),
    "softmax-between": chain(mixed_kernels.softmax_between, (150, 32), (32, 70), (70, 40)),
    "two-layers": chain(mixed_kernels.two_layers, (150, 32), (32, 70), (70, 40)),
    "gelu": chain(mixed_kernels.gemm_gelu, (150, 70), (90, 70), BM=64, BN=64),
    "prepared": chain(mixed_kernels.prepared, (150, 48), (48, 70), (48,)),
    "three-products": chain(mixed_kernels.three_products, (150, 48), (3, 48, 48)),
    "recurrence": chain(mixed_kernels.recurrence, (150, 48), (3, 48, 48)),
    "both-computed": chain(mixed_kernels.both_computed, (150, 70), (70, 40), BM=64, BK=32),
    "first-columns": chain(mixed_kernels.first_columns, (64, 64), (96, 64)),
    "column-sums": chain(mixed_kernels.column_sums, (3, 37, 32), (32, 70)),
}


# Which size of floating-point arrays the texts leave open.
OPEN = {flash_fwd: -2, block_sparse_fwd: -2, paged_fwd: 0}


def describe(kernel, value):
    if not isinstance(value, torch.Tensor):
        return value
    sizes = list(value.shape)
    if value.dtype == torch.int32:
        sizes[:-1] = "?" * (value.dim() - 1)
    elif kernel in OPEN and value.dim() > 1:
        sizes[OPEN[kernel]] = "?"
    return at.spec(" ".join(map(str, sizes)), TYPES[value.dtype])


def compile_case(kernel, arguments, sizes):
    specs = {name: describe(kernel, value) for name, value in arguments.items()}
    phases = dict(phases="launches") if arguments.get("merges") is not None else {}
    return kernel.compile("Ascend910B4", **specs, **sizes, **phases)
