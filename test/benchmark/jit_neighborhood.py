"""Neighbourhood attention on the CPU, forward and backward: our JIT and torch.compile of several formulations.

PyTorch gets its mask ready-made and sums in f32. The goals are against the faster of two formulations by pad and unfold.
Written out tap by tap, as slices, the formula does better under torch.compile, in the backward ten times: that line has
no goal, and its ratio is printed like the others. All make their outputs again in every call, and so do plain copies of as
many bytes, which show what memory allows.
"""

import sys

import host_comparison
from host_comparison import compile_backward, compile_formula

BATCH, HEADS, POSITIONS, WIDTH, WINDOW = 2, 8, 4096, 64, 7
SCALE = WIDTH**-0.5
GOALS = {"forward": 1.0, "backward": 2.0}  # times as fast as torch.compile
PLAIN = "plain reads and writes"  # of the seven arrays of the backward: what memory allows
ARRAYS = {"forward": 4, "backward": 7}  # of the size of q, read or written


def pad(x):
    """The positions in f32, with as many zeros at both ends as a window reaches out."""
    import torch

    return torch.nn.functional.pad(x.float(), (0, 0, WINDOW // 2, WINDOW // 2))


def unfolded(q, k, v, mask):
    """All windows at once, as one view."""
    keys, values = (pad(x).unfold(2, WINDOW, 1) for x in (k, v))
    p = ((q.float().unsqueeze(-1) * keys).sum(-2) * SCALE + mask).softmax(-1)
    return (p.unsqueeze(-2) * values).sum(-1).to(q.dtype)


def contracted(q, k, v, mask):
    """The same with sums that torch.compile may hand to a matrix product."""
    import torch

    keys, values = (pad(x).unfold(2, WINDOW, 1) for x in (k, v))
    p = (torch.einsum("bhsd,bhsdw->bhsw", q.float(), keys) * SCALE + mask).softmax(-1)
    return torch.einsum("bhsw,bhsdw->bhsd", p, values).to(q.dtype)


def sliced(q, k, v, mask):
    """Tap after tap, each a slice of what is padded."""
    import torch

    length, wide = q.shape[2], q.float()
    keys, values = pad(k), pad(v)
    taps = [(wide * keys[:, :, tap : tap + length]).sum(-1) for tap in range(WINDOW)]
    p = (torch.stack(taps, -1) * SCALE + mask).softmax(-1)
    out = 0.0
    for tap in range(WINDOW):
        out = out + p[..., tap : tap + 1] * values[:, :, tap : tap + length]
    return out.to(q.dtype)


FORMULATIONS = {
    "torch.compile, unfolded": unfolded,
    "torch.compile, contracted": contracted,
    "slices (no goal)": sliced,
}


def make_inputs(dtype):
    """q, k, v, the gradient of the output, and the mask of PyTorch's formulations."""
    import torch

    generator = torch.Generator().manual_seed(0)
    shape = BATCH, HEADS, POSITIONS, WIDTH
    tensors = [torch.randn(*shape, generator=generator).to(dtype) for _ in range(4)]
    near = torch.arange(POSITIONS)[:, None] + torch.arange(WINDOW) - WINDOW // 2
    mask = torch.zeros(POSITIONS, WINDOW).masked_fill((near < 0) | (near >= POSITIONS), float("-inf"))
    return (*tensors, mask)


def candidates(q, k, v, g, mask):
    """What is compared, by direction and name."""
    import torch

    from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd

    options = dict(W=WINDOW, dilated=False)
    _, lse = neighborhood_fwd(q, k, v, SCALE, 1, **options)
    forward = {"our JIT": lambda: neighborhood_fwd(q, k, v, SCALE, 1, **options)[:1]}
    backward = {"our JIT": lambda: neighborhood_bwd(g, q, k, v, lse, SCALE, 1, reload=True, **options)}
    for name, formula in FORMULATIONS.items():
        with torch.no_grad():
            compiled = compile_formula(formula, (q, k, v, mask))
        forward[name] = without_gradients(compiled, q, k, v, mask)
        backward[name] = compile_backward(lambda *qkv, formula=formula: formula(*qkv, mask), (q, k, v), g)
    words = g.view(torch.float32).view(-1)  # any sum reads every byte once; this one is fast
    backward[PLAIN] = lambda: (q.clone(), k.clone(), v.clone(), torch.sum(words))
    return {"forward": forward, "backward": backward}


def without_gradients(function, *inputs):
    import torch

    def call():
        with torch.no_grad():
            return (function(*inputs),)

    return call


def compare(dtype):
    import torch

    inputs = make_inputs(dtype)
    tolerance = 2e-5 if dtype == torch.float32 else 2e-2
    shape = f"B={BATCH} H={HEADS} S={POSITIONS} D={WIDTH} K={WINDOW} {str(dtype).removeprefix('torch.')}"

    def check(functions):
        computed = {name: function for name, function in functions.items() if name != PLAIN}
        host_comparison.assert_close(computed, tolerance)

    for direction, functions in candidates(*inputs).items():
        gigabytes = ARRAYS[direction] * inputs[0].nbytes / 1e9
        yield host_comparison.Comparison(f"{direction}, {shape}", functions, check, gigabytes, GOALS[direction])


def main(arguments=None):
    return host_comparison.run(__doc__, compare, arguments)


if __name__ == "__main__":
    sys.exit(main())
