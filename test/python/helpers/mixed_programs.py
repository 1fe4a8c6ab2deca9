"""Random kernels that need cube and vector cores, with what they compute.

All numbers are small multiples of powers of two, so that no stage rounds: every stage must give the same bits, whatever
the order of its sums.
"""

import random

import torch

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
CLAMP = 4


class MixedProgram:
    """Products in a chain within a loop, vector steps between them, tiles and columns that are carried."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        choose = self.random.choice
        self.dtype = choose(list(DTYPES))
        self.rows, self.blocks = choose([1, 7, 16, 17, 40, 70]), choose([1, 2, 3, 5])
        self.widths = [choose([16, 32, 48, 80]) for _ in range(choose([2, 3, 3, 4]))]  # K, N, P, ...
        self.options = dict(BM=choose([16, 32, 48, 64]))
        for name, values in dict(preload=(0, 1, 3), lag=(0, 1, 2), strip_rows=(0, 8, 16), part=(0, 16, 32)).items():
            if self.random.random() < 0.5:
                self.options[name] = choose(values)
        self.options["run_on"] = seed % 2
        if "preload" in self.options and "lag" in self.options:  # a later one would be refused
            self.options["lag"] = min(self.options["lag"], self.options["preload"])
        self.body = []  # statements of the loop, as the kernel and as torch has them
        self.head = []
        self.has_column = self.random.random() < 0.6
        self.is_prepared = self.random.random() < 0.4
        self.stages = choose([1, 2])
        self.factor = choose([0.5, 1.0, -0.5])
        self._make()

    def _add(self, kernel, reference=None, head=False):
        (self.head if head else self.body).append((kernel, kernel if reference is None else reference))

    def _clamp(self, name, to):
        low, high = f"at.maximum({name}, -{CLAMP}.0)", f"{name}.clamp(-{CLAMP}, {CLAMP}).to(dtype).double()"
        self._add(f"{to} = at.minimum({low}, {CLAMP}.0).to(A.dtype)", f"{to} = {high}")

    def _step(self, name):
        """A vector step on a tile, of which the values grow by a few at most."""
        steps = [
            (f"{name} = {name} * 0.5", None),
            (f"{name} = {name} + 3.0", None),
            (f"{name} = at.relu({name})", f"{name} = {name}.clamp(min=0)"),
            (f"{name} = 1.0 - {name}", None),
            (f"{name} = at.maximum({name}, -2.0)", f"{name} = {name}.clamp(min=-2)"),
            (f"{name} = {name} - at.max({name}, 1)", f"{name} = {name} - {name}.amax(1, keepdim=True)"),
            (
                f"{name} = {name} + at.sum({name}, 1) * 0.0625",
                f"{name} = {name} + {name}.sum(1, keepdim=True) * 0.0625",
            ),
        ]
        # Two means would need more bits than f32 has.
        self._add(*self.random.choice(steps if name == "y0" and not self.body[1:] else steps[:-1]))

    def _make(self):
        self._add("x = A[m, :]", "x = A", head=True)
        if self.is_prepared:
            kernel = f"at.minimum(at.maximum(x.to(at.f32) * 2.0 - 1.0, -{CLAMP}.0), {CLAMP}.0).to(A.dtype)"
            self._add(f"x = {kernel}", f"x = (x * 2 - 1).clamp(-{CLAMP}, {CLAMP})", head=True)
        operand = "x"
        for number in range(len(self.widths) - 1):
            product = f"y{number}"
            self._add(f"{product} = {operand} @ W{number}[h, :, :]", f"{product} = {operand} @ W{number}[h]")
            is_last = number == len(self.widths) - 2
            for _ in range(self.random.choice([0, 1]) if is_last else self.random.choice([0, 1, 1, 2])):
                self._step(product)
            if number == 0 and self.has_column:
                self._add(f"top = at.maximum(top, at.max({product}, 1))",
                          f"top = torch.maximum(top, {product}.amax(1, keepdim=True))")  # fmt: skip
            if not is_last:
                operand = f"p{number}"
                self._clamp(product, operand)
        # Without a factor, sums of the last product may stay on the cube core.
        self._add(f"acc = acc + {product}" if self.factor == 1.0 else f"acc = acc * {self.factor} + {product}")

    def text(self):
        """The kernel as Python."""
        count = len(self.widths) - 1
        weights = "".join(f', W{n}: at.Tensor["H D{n} D{n + 1}"]' for n in range(count))
        lines = [
            "import attn", "import attn.language as at", "", "@attn.kernel",
            f'def program(A: at.Tensor["M D0"]{weights}, BM: at.Auto(16, 64) = None):',
            f'    C = at.empty("M D{count}", at.f32)',
            "    for m in at.grid(at.tiles(M, BM)):",
            *(f"        {kernel}" for kernel, _ in self.head),
            f"        acc = at.zeros((BM, D{count}))",
            *(["        top = at.full((BM, 1), -64.0)"] if self.has_column else []),
            f"        for h in at.range(H, stages={self.stages}):",
            *(f"            {kernel}" for kernel, _ in self.body),
            f"        C[m, :] = acc{' + top' if self.has_column else ''}",
            "    return C", "",
        ]  # fmt: skip
        return "\n".join(lines)

    def arguments(self):
        generator = torch.Generator().manual_seed(self.seed)
        shapes = [(self.rows, self.widths[0])]
        shapes += [(self.blocks, a, b) for a, b in zip(self.widths, self.widths[1:])]
        dtype = DTYPES[self.dtype]
        return [torch.randint(-2, 3, shape, generator=generator).to(dtype) for shape in shapes]

    def expected(self):
        """What float64 gives."""
        wide = [argument.double() for argument in self.arguments()]
        names = {
            "A": wide[0],
            **{f"W{n}": value for n, value in enumerate(wide[1:])},
            "torch": torch,
            "dtype": DTYPES[self.dtype],
        }
        names["acc"] = torch.zeros(self.rows, self.widths[-1], dtype=torch.float64)
        names["top"] = torch.full((self.rows, 1), -64.0, dtype=torch.float64)
        for _, reference in self.head:
            exec(reference, names)
        for names["h"] in range(self.blocks):
            for _, reference in self.body:
                exec(reference, names)
        return names["acc"] + names["top"] if self.has_column else names["acc"]
