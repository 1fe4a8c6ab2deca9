"""Chooses and calls the tile kernels of the operators: the only place that does."""

from __future__ import annotations

from ..call import running
from ..call.layout import max_row_gap
from ..compiler import strip_unit

# The resident form takes one token at a time, with all of its blocks. That pays where they are few, and together
# neither too short for an instruction nor too long for local memory: by predicted time, between so many bytes.
_RESIDENT_BLOCKS = 8
_RESIDENT_BYTES = 8_192, 16_384


# Rows are forced into the narrowest strips there are.
_STRIPS = dict(strips=strip_unit())


def run(kernel, outputs: dict, **arguments):
    """Runs a kernel, which writes to the outputs; what is None among them it does not compute."""
    kernel.launch((), arguments, _written(outputs))


def _written(outputs: dict):
    return {name: output for name, output in outputs.items() if output is not None}


# Attention residual


def attn_res_form(blocks, stacked: bool, form: str | None):
    """The form that was asked for, or the one that suits the number and the size of the blocks."""
    if form is not None:
        return form
    count = blocks[0].shape[0] if stacked else len(blocks)
    columns, item_bytes = blocks[0].shape[-1], blocks[0].element_size()
    room = _resident_room(count) * columns * item_bytes
    # Blocks of one tensor are rows of a resident tile; those that a transfer does not reach would be moved one by one.
    apart = (blocks[0].stride(0) - columns) * item_bytes if stacked else 0
    least, most = _RESIDENT_BYTES
    suits = count <= _RESIDENT_BLOCKS and least <= room <= most and apart <= max_row_gap()
    return "resident" if suits else "streaming"


def attn_res_reads_h(blocks, stacked: bool, form: str | None, exact_delta: bool):
    """Whether the backward takes a sum from h; otherwise it sums over V itself."""
    return attn_res_form(blocks, stacked, form) in ("streaming", "strips") and not exact_delta


def _resident_room(count: int):
    """How many blocks a resident kernel has room for: powers of two, so that few kernels serve every number."""
    return max(2, 1 << (count - 1).bit_length())


def _form_constants(form: str, count: int):
    """A form as a constant of the kernels."""
    return dict(form="resident", NMAX=_resident_room(count)) if form == "resident" else dict(form="streaming")


def attn_res_forward(values, w_query, w_norm, eps: float, form: str, round_key: bool, outputs):
    """`outputs`: h, lse, scores and norms of V [N, T, D], or of a list of N [T, D]."""
    from kernels_dsl.attn_res import attn_res_fwd

    choices: dict[str, dict] = {"two-read": dict(softmax="two-phase-reload"), "strips": _STRIPS}
    options = dict(choices.get(form, {}), **_form_constants(form, len(values)), eps=eps, round_key=round_key)
    outputs = dict(zip(("h", "lse", "sc", "rs"), outputs))
    run(attn_res_fwd, outputs, V=values, wq=w_query, wn=w_norm, **options)


def attn_res_backward(
    values, w_query, w_norm, grad, *, h, lse, scores, norms, form: str, exact_delta: bool, d_values, d_weights
):
    """The gradients of V and of both weights; None for what is not wanted."""
    from kernels_dsl.attn_res import attn_res_bwd

    want_dv, want_dw = d_values is not None, d_weights is not None
    exact_delta = form != "resident" and (exact_delta or form == "two-read")
    constants = dict(_form_constants(form, len(values)), exact_delta=exact_delta, want_dv=want_dv, want_dw=want_dw)
    arrays = dict(dh=grad, V=values, wq=w_query, wn=w_norm, h=h, lse=lse, sc=scores, rs=norms)
    d_query, d_norm = d_weights or (None, None)
    outputs = dict(dV=d_values, dwq=d_query, dwn=d_norm)
    run(attn_res_bwd, outputs, **arrays, **constants, **(_STRIPS if form == "strips" else {}))


def accumulator_bytes(width: int):
    """The workspace in which the blocks of a launch sum rows of f32, at most."""
    return running.summing_blocks() * width * 4


# Neighbourhood attention


# Up to so many elements of a window the backward carries its rows from tile to tile. Beyond that they take the room of
# larger tiles, and by predicted time it pays to load them again.
_CARRIED_ELEMENTS = 4_000
# Up to so many, it also carries the gradients of k and v. Beyond that they leave little room for tiles, and above 8,256
# none at all: by predicted time it pays to compute them by a second kernel, which computes the scores once more.
_WALKED_ELEMENTS = 6_300


def _window_options(kernel_size: int, dilation: int, path: str | None):
    return dict(W=kernel_size, dilated=dilation > 1, **({} if path is None else {"band": path}))


def neighborhood_forward(q, k, v, kernel_size: int, dilation: int, scale: float, path: str | None, outputs):
    """`outputs`: o and lse."""
    from kernels_dsl.neighborhood import neighborhood_fwd

    options = _window_options(kernel_size, dilation, path)
    run(neighborhood_fwd, dict(zip(("o", "lse"), outputs)), q=q, k=k, v=v, scale=scale, dilation=dilation, **options)


def neighborhood_backward(
    q, k, v, grad, lse, grad_lse, kernel_size: int, dilation: int, scale: float, path: str | None, outputs
):
    """`outputs`: the gradients of q, k and v; None for what is not wanted, k and v together."""
    from kernels_dsl.neighborhood import neighborhood_bwd

    options = _window_options(kernel_size, dilation, path)
    options.update(scale=scale, dilation=dilation)
    dq, dk, dv = outputs
    arrays = dict(do=grad, q=q, k=k, v=v, lse=lse)
    if not _is_walked(q, kernel_size, dk is not None):
        return _neighborhood_backward_by_halves(arrays, grad_lse, options, outputs)
    # The gathered form gathers what is loaded, not what is carried; and a CPU has the rows in its caches still.
    is_wide = kernel_size * q.shape[-1] > _CARRIED_ELEMENTS
    options.update(want_dq=dq is not None, want_dkv=dk is not None)
    options["reload"] = path == "gathered" or q.device.type == "cpu" or is_wide
    return run(neighborhood_bwd, dict(dq=dq, dk=dk, dv=dv), **arrays, dlse=grad_lse, **options)


def _is_walked(q, kernel_size: int, wants_keys: bool):
    """Whether one kernel computes all gradients of a window."""
    return q.device.type == "cpu" or not wants_keys or kernel_size * q.shape[-1] <= _WALKED_ELEMENTS


def _neighborhood_backward_by_halves(arrays, grad_lse, options, outputs):
    """What queries sum over their keys, then what keys sum over their queries."""
    from kernels_dsl.neighborhood_wide import neighborhood_bwd_keys, neighborhood_bwd_queries

    dq, dk, dv = outputs
    cs = arrays["lse"].new_empty(arrays["lse"].shape)
    run(neighborhood_bwd_queries, dict(dq=dq, cs=cs), **arrays, dlse=grad_lse, want_dq=dq is not None, **options)
    run(neighborhood_bwd_keys, dict(dk=dk, dv=dv), **arrays, cs=cs, **options)


# Dense attention

# Rows and keys of a tile on a CPU: its scores and all that they are computed from lie in the caches of one core. Larger
# tiles suit a chip, where each product has to be started; here they would only make masks leave less out.
_CPU_ROWS = _CPU_KEYS = 128


# Where a mask cuts through tiles, or where they are not dealt to cores by a plan, higher ones lose on a chip.
ROWS = 128


def flash_forward(arrays, options: dict, outputs):
    """`arrays`: q, k, v, sinks and the lengths of queries and of keys, the last three or None; `outputs`: o and lse."""
    from kernels_dsl.flash import flash_fwd

    arguments = dict(zip(("q", "k", "v", "sinks", "q_lens", "kv_lens"), arrays))
    columns = arguments["q"].shape[-1] + arguments["v"].shape[-1]
    sizes = {} if columns > _WIDE_COLUMNS else dict(BM=ROWS)
    if arguments["q"].device.type == "cpu":
        sizes = dict(BM=_CPU_ROWS, BN=_CPU_KEYS)
    run(flash_fwd, dict(zip(("o", "lse"), outputs)), **arguments, **options, **sizes)


# Block-sparse attention


# Rows of a tile, which a plan must know: as many as are multiplied at once, and fewer where keys and values are so wide
# that they take their room.
_BLOCK_ROWS, _WIDE_BLOCK_ROWS, _WIDE_COLUMNS = 128, 64, 384
# On a chip, tiles of more rows read keys and values less often. That pays where elements have 16 bits, where there are
# several tiles for each core, and where no mask cuts through them.
TALL_ROWS, _TALL_COLUMNS, _TALL_TILES = 256, 256, 2


def block_sparse_rows(columns: int, value_columns: int):
    """The queries of a tile."""
    return _BLOCK_ROWS if columns + value_columns <= _WIDE_COLUMNS else _WIDE_BLOCK_ROWS


def has_tall_rows(columns: int, item_bytes: int, tiles: int, cores: int):
    """Whether tiles of TALL_ROWS queries, of which there are so many, pay on a chip; `columns` of keys and values."""
    return item_bytes == 2 and columns <= _TALL_COLUMNS and tiles >= _TALL_TILES * cores


# Where tiles of queries see up to so many keys on the average, so many of them are computed at a time: of several tiles
# of scores one is multiplied while another is weighted, and one wide tile waits for itself. Chosen by predicted time.
_FEW_KEYS = ((768, 128), (1536, 256))
# Causal, blocks at the diagonal have a loop of their own, which the compiler takes to be as long as the one over whole
# blocks, and chooses tiles that are good for both. From so many keys on, the other loop alone counts.
_MANY_KEYS, _MANY_KEYS_TILE = 8192, 512
# Where tiles of queries see fewer keys on the average, it makes next to no difference that cube cores run on from one
# tile to the next.
_RUN_ON_KEYS = 2048


def block_sparse_choices(seen: float | None, causal: bool = False, columns: int = 0, item_bytes: int = 2):
    """What is chosen for tiles that see so many keys on the average, where that is known; `columns` of keys and values.

    Without a mask, cube cores run on from one tile of queries to the next."""
    runs_on = not causal and (seen is None or seen >= _RUN_ON_KEYS)
    choices = dict(run_on=1) if runs_on else {}
    for most, keys in _FEW_KEYS:
        if seen is not None and seen <= most:
            return dict(choices, BN=keys)
    if causal and seen is not None and seen >= _MANY_KEYS and item_bytes == 2 and columns <= _TALL_COLUMNS:
        return dict(BN=_MANY_KEYS_TILE)
    return choices


def block_sparse_forward(arrays: dict, lists: dict, options: dict, outputs: dict, seen: float | None = None):
    """`arrays`: the kernel's arguments by name; `lists`: those of a plan; `outputs`: by name; `seen`: keys."""
    from kernels_dsl.block_sparse import block_sparse_fwd

    q, columns = arrays["q"], arrays["k"].shape[-1] + arrays["v"].shape[-1]
    on_chip = block_sparse_choices(seen, options["causal"], columns, q.element_size())
    sizes = dict(BN=_CPU_KEYS) if q.device.type == "cpu" else on_chip
    run(block_sparse_fwd, outputs, **arrays, **lists, **options, **sizes, phases="launches")


# Paged decode attention


def paged_forward(arrays: dict, lists, options: dict, outputs: dict):
    """`arrays`: the kernel's arguments by name; `lists`: of a plan; `outputs`: by name, None for what there is not."""
    from kernels_dsl.paged import paged_fwd

    run(paged_fwd, outputs, **_paged_arguments(arrays, lists, options))


def plan_paged(arrays: dict, lists, options: dict, outputs: dict):
    """What `paged_forward` does, and the values that it does it with: arrays, others, and what is written."""
    from kernels_dsl.paged import paged_fwd

    return paged_fwd.plan(_paged_arguments(arrays, lists, options), _written(outputs))


def _paged_arguments(arrays: dict, lists, options: dict):
    plan = dict(shares=lists.shares, tasks=lists.tasks, merges=lists.merges, run=lists.run)
    return dict(**arrays, **plan, **options, phases="launches")


def keep_paged_calls(calls):
    """Has calls that are made again forgotten with the kernel's plans."""
    from kernels_dsl.paged import paged_fwd

    paged_fwd.repeats.add(calls)


# Lists


def count_listed(ids, size: int, total: int, lens, tiles, counts):
    """`counts` [B, H, R, P]: how many of the ids [B, H, R, W] of each list name a block of `size` that a tile sees."""
    from kernels_dsl.lists import count_listed as kernel

    options = dict(queries=tiles.queries, P=tiles.per_list)
    if tiles.causal:
        options.update(causal=True, q_lens=tiles.lens, BM=tiles.rows)
    run(kernel, dict(counts=counts), index=ids, size=size, total=total, lens=lens, **options)


def deal_blocks(counts, cores: int, outputs: dict):
    """`counts` [B, H, X]: the blocks that tiles keep; `outputs`: the lists of a plan, and what they are made of."""
    from kernels_dsl.lists import deal_blocks as kernel

    _, heads, tiles = counts.shape
    room = outputs["tasks"].view(-1)[: len(outputs["tasks"])]  # for its length alone
    run(kernel, outputs, counts=counts.view(-1), room=room, heads=heads, tiles=tiles, NC=cores, NP=2 * cores)
