"""Neighbourhood attention on the CPU, forward and backward: our JIT and torch.compile of two formulations.

PyTorch gets its mask ready-made, sums in f32, and the faster of its two formulations counts. Both sides make their outputs
anew in every call.
"""

import argparse
import sys

from host_comparison import DTYPES, THREADS, compile_backward, compile_formula, measure, report

BATCH, HEADS, POSITIONS, WIDTH, WINDOW = 2, 8, 4096, 64, 7
SCALE = WIDTH**-0.5
GOALS = {"forward": 1.0, "backward": 2.0}  # times as fast as torch.compile


def pad(x):
    """The positions in f32, with as many zeros at both ends as a window reaches out."""
    import torch

    return torch.nn.functional.pad(x.float(), (0, 0, WINDOW // 2, WINDOW // 2))


def unfolded(q, k, v, mask):
    """All windows at once, as one view."""
    keys, values = (pad(x).unfold(2, WINDOW, 1) for x in (k, v))
    p = ((q.float().unsqueeze(-1) * keys).sum(-2) * SCALE + mask).softmax(-1)
    return (p.unsqueeze(-2) * values).sum(-1).to(q.dtype)


def shifted(q, k, v, mask):
    """Slot after slot, each a slice of what is padded."""
    import torch

    length, wide = q.shape[2], q.float()
    keys, values = pad(k), pad(v)
    slots = [(wide * keys[:, :, slot : slot + length]).sum(-1) for slot in range(WINDOW)]
    p = (torch.stack(slots, -1) * SCALE + mask).softmax(-1)
    out = 0.0
    for slot in range(WINDOW):
        out = out + p[..., slot : slot + 1] * values[:, :, slot : slot + length]
    return out.to(q.dtype)


FORMULATIONS = (unfolded, shifted)


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
    for formula in FORMULATIONS:
        name = f"torch.compile, {formula.__name__}"
        with torch.no_grad():
            compiled = compile_formula(formula, (q, k, v, mask))
        forward[name] = without_gradients(compiled, q, k, v, mask)
        backward[name] = compile_backward(lambda *qkv, formula=formula: formula(*qkv, mask), (q, k, v), g)
    return {"forward": forward, "backward": backward}


def without_gradients(function, *inputs):
    import torch

    def call():
        with torch.no_grad():
            return (function(*inputs),)

    return call


def check(functions, dtype: str):
    """Nothing is worth timing that is not right."""
    import torch

    tolerance = 2e-5 if dtype == "float32" else 2e-2
    names = iter(functions)
    ours = functions[next(names)]()
    for name in names:
        for value, expected in zip(ours, functions[name]()):
            torch.testing.assert_close(value.float(), expected.float(), rtol=tolerance, atol=tolerance)


def main(arguments=None):
    """Prints the tables; the exit code tells whether the goals are reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args(arguments)

    import torch

    torch.set_num_threads(THREADS)
    reached = True
    for dtype in DTYPES:
        inputs = make_inputs(getattr(torch, dtype))
        for direction, functions in candidates(*inputs).items():
            check(functions, dtype)
            seconds = measure(functions, options.rounds)
            shape = f"B={BATCH} H={HEADS} S={POSITIONS} D={WIDTH} K={WINDOW} {dtype}"
            arrays = 4 if direction == "forward" else 7
            gigabytes = arrays * inputs[0].nbytes / 1e9
            reached &= report(f"{direction}, {shape}", seconds, gigabytes, GOALS[direction], options.rounds)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
