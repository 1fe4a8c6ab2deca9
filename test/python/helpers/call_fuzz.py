"""Calls kernels with whatever there is: random shapes, strides, numbers and mistakes, on tensors between guard pages.

Run as a program, because what it looks for kills the process. Call N is always the same one:

    python call_fuzz.py --start N --calls 1

A call returns, or raises one of ALLOWED. `--place` is a file with the number of the call that is under way.
"""

from __future__ import annotations

import argparse
import ast
import faulthandler
import importlib.util
import itertools
import random
import re
import sys
import tempfile
import traceback
from pathlib import Path

import torch

import attn
from guarded_memory import Guarded
from program_generator import draw
from sweeps import WHOLE

ROOT = Path(__file__).resolve().parents[3]
ALLOWED = (TypeError, ValueError, attn.CompileError, attn.HazardError)
DTYPES = (torch.float32, torch.bfloat16, torch.float16)
TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64,
         "u16": torch.uint16}  # fmt: skip
# Kernels that take their indices from arrays without a type of their own take it from here.
INDEX_ARRAYS = {"lens", "offsets", "idx", "cnt", "table"}
SIZES = (1, 1, 2, 3, 5, 7, 8, 13, 16, 33, 64, 100, 130)
NUMBERS = (0, 1, 1, 2, 3, 5, 8, -1, -2, 7, 33, 64, 100, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))
MISTAKES = (None, "x", 1.5, [], [1], 2**70, True, torch.zeros(2, 2, 2, 2, 2), torch.zeros(3, dtype=torch.float64), (3,))
INDICES = (torch.int32, torch.int64, torch.uint16)
# Constants that make a kernel compile more often than not, by name.
CONSTANTS = {"W": 5, "R": 2, "NMAX": 4, "form": "streaming", "N": 3, "NS": 2, "G": 2}
GENERATED = 60
MOST_COMPILED = 150
OPTIMIZED = 5  # one kernel of so many, unless all are
SECONDS = 120  # that a call may take before it counts as hanging
HEAD = "import attn\nimport attn.language as at\n"
INDEXED = re.compile(r"\b([A-Z]\w*)\[([^\]\[]*)\]")
SEPARATOR = re.compile(r", (?![^(]*\))")  # not within parentheses


# Kernels


def mutate(text: str, chance: random.Random):
    """The text of a generated kernel with some of its indices moved by an argument."""

    def move(place: str):
        if chance.random() < 0.6 or place == ":":
            return place
        if ":" in place:
            lower, upper = map(int, place.split(":"))
            return f"{lower} + by:{lower} + by + {upper - lower}"
        return f"{place} + by" if re.fullmatch(r"n|j|b|\d+", place) else f"{place}.shift(by)"

    def move_all(match):
        return f"{match[1]}[{', '.join(map(move, SEPARATOR.split(match[2])))}]"

    head, body = text.split("):\n", 1)
    return head.replace("s: float", "s: float, by: int") + "):\n" + INDEXED.sub(move_all, body)


def texts_of_documentation():
    """The kernels that pages show, with the imports and numbers around them."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from check_docs import programs

    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for program in programs(page.read_text()):
            kept = [node for node in ast.parse(program.text).body if _is_kept(node)] if program.kind == "python" else []
            if any(isinstance(node, ast.FunctionDef) for node in kept):
                yield "\n".join(map(ast.unparse, kept))


def _is_kept(node):
    if isinstance(node, ast.FunctionDef):
        return any(ast.unparse(decorator) == "attn.kernel" for decorator in node.decorator_list)
    is_number = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    return is_number or isinstance(node, (ast.Import, ast.ImportFrom))


def load(text: str, path: Path):
    """The kernels of a text."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [value for value in vars(module).values() if type(value) is attn.Kernel]


def find_kernels(folder: Path):
    """Generated kernels, half of them with moved indices, those of the documentation and those of the package."""
    for number in range(1, GENERATED + 1):
        text = draw(number).text()
        if number % 2:
            text = mutate(text, random.Random(number))
        yield from load(HEAD + text, folder / f"generated{number}.py")
    for number, text in enumerate(texts_of_documentation()):
        yield from load(text, folder / f"shown{number}.py")
    import list_kernels
    from kernels_dsl import attn_res, neighborhood

    for module in (attn_res, neighborhood, list_kernels):
        yield from (value for value in vars(module).values() if type(value) is attn.Kernel)


# Calls


class TooManyCompiled(ValueError):
    """The run has compiled as many kernels as it may."""


def limit_compilations():
    """Lets kernels be compiled MOST_COMPILED times."""
    from attn.call import running

    compile_kernel, count = running._compile, itertools.count(1)

    def compile_or_refuse(*arguments):
        if next(count) > MOST_COMPILED:
            raise TooManyCompiled
        return compile_kernel(*arguments)

    running._compile = compile_or_refuse


class Caller:
    """Draws the calls of one kernel: what it is compiled for stays nearly always the same."""

    def __init__(self, kernel, number: int):
        self.kernel = kernel
        chance = random.Random(f"kernel {number}")
        signature = kernel.signature
        self.fixed = {dim: chance.choice(SIZES) for dim in signature.specialised}
        self.dtype = chance.choice(DTYPES)
        self.index_dtype = TORCH[chance.choice(("u16", "i32", "i64"))]
        self.constants = {
            parameter.name: CONSTANTS.get(parameter.name, parameter.about.type(chance.choice((0, 1, 2))))
            for parameter in signature.of_kind("const")
        }

    def call(self, chance: random.Random, memory: Guarded):
        """Makes a call; now and then once more, into outputs between guard pages."""
        signature = self.kernel.signature
        sizes = {dim: self.fixed.get(dim) or chance.choice(SIZES) for dim in signature.dims}
        if chance.random() < 0.02:
            sizes[chance.choice([*sizes])] = 0
        values = {}
        for parameter in signature.parameters:
            if parameter.kind == "array":
                values[parameter.name] = self._array(parameter, sizes, chance, memory)
            elif parameter.kind == "int":
                values[parameter.name] = chance.choice(NUMBERS)
            elif parameter.kind == "float":
                values[parameter.name] = chance.choice((0.5, 1.0, -2.0, float("inf"), float("nan"), 1e30))
        values.update(self.constants)
        if chance.random() < 0.1:
            values[chance.choice([*values])] = chance.choice(MISTAKES)
        elif chance.random() < 0.02:
            del values[chance.choice([*values])]
        outputs = self.kernel(**values)
        if chance.random() < 0.3:
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            self._into(values, outputs, chance, memory)

    def _into(self, values: dict, outputs: tuple, chance: random.Random, memory: Guarded):
        program = self.kernel.results(self._arguments(values))
        names = [output.name for output in program.outputs]
        made = {}
        for name, place in zip(names, range(len(names))):
            returned = outputs[program.returned.index(place)] if place in program.returned else None
            if isinstance(returned, torch.Tensor):
                shape = list(returned.shape)
                if chance.random() < 0.1:
                    shape[0] = max(shape[0] + chance.choice((1, -1)), 0)
                made[name] = memory.tensor(shape, _strides(shape, chance), returned.dtype, chance.random() < 0.7)
        self.kernel.run(values, outputs=made)

    def _arguments(self, values: dict):
        from attn.call.checking import CPU, Tensors, check_arguments

        return check_arguments(self.kernel.signature, {**self.kernel.defaults, **values}, Tensors(CPU))

    def _array(self, parameter, sizes: dict, chance: random.Random, memory: Guarded):
        about = parameter.about
        if about.optional and chance.random() < 0.3:
            return None
        shape = [sizes[dim] if isinstance(dim, str) else dim for dim in about.dims]
        if chance.random() < 0.04:
            shape[chance.randrange(len(shape))] = chance.choice(SIZES)
        usual = self.index_dtype if parameter.name in INDEX_ARRAYS else self.dtype
        dtype = TORCH[about.dtype.name] if about.dtype else usual
        at_end = chance.random() < 0.7
        if about.table or (len(shape) > 2 and chance.random() < 0.1):
            count, *shape = shape
            strides = _strides(shape, chance)
            return [memory.tensor(shape, strides, dtype, at_end) for _ in range(count)]
        made = memory.tensor(shape, _strides(shape, chance), dtype, at_end)
        return _fill_with_indices(made, chance) if dtype in INDICES else made


def _fill_with_indices(tensor, chance: random.Random):
    """Small numbers, which may be right, and now and then any at all."""
    wrong = chance.random() < 0.3
    limits = torch.iinfo(tensor.dtype)
    for place in itertools.product(*map(range, tensor.shape)):
        number = chance.choice(NUMBERS) if wrong and chance.random() < 0.3 else chance.choice((0, 1, 1, 2, 3))
        tensor[place] = min(max(number, limits.min), limits.max)
    return tensor


def _strides(shape, chance: random.Random):
    """Strides with gaps, of other orders, and of 0."""
    order = list(range(len(shape)))
    if chance.random() < 0.2 and len(shape) > 2:
        order[:-1] = chance.sample(order[:-1], len(shape) - 1)
    strides, stride = [0] * len(shape), 2 if chance.random() < 0.02 else 1
    for axis in reversed(order):
        strides[axis] = stride
        stride = stride * max(shape[axis], 1) + (chance.choice((0, 0, 1, 8)) if chance.random() < 0.3 else 0)
    if chance.random() < 0.05 and len(shape) > 1:
        strides[chance.randrange(len(shape) - 1)] = 0
    return strides


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--place", type=Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    limit_compilations()
    counts: dict[str, int] = {}
    memory = Guarded()
    with tempfile.TemporaryDirectory() as folder:
        callers = [Caller(kernel, number) for number, kernel in enumerate(find_kernels(Path(folder)))]
        for number in range(arguments.start, arguments.start + arguments.calls):
            which = number % len(callers)
            caller = callers[which]
            # LLVM takes most of the time of the first call of a kernel; what bounds its accesses is our own lowering.
            attn.config.optimize_cpu = WHOLE or which % OPTIMIZED == 0
            if arguments.place:
                arguments.place.write_text(f"{number} ({caller.kernel.__name__})")
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                caller.call(random.Random(f"call {number}"), memory)
                outcome = "returned"
            except ALLOWED as error:
                outcome = type(error).__name__
            except Exception:
                traceback.print_exc()
                sys.exit(f"call {number}")
            faulthandler.cancel_dump_traceback_later()
            memory.free()
            counts[outcome] = counts.get(outcome, 0) + 1
        compiled = sum(len(caller.kernel.programs) for caller in callers)
    told = ", ".join(f"{outcome} {count}" for outcome, count in sorted(counts.items()))
    print(f"{arguments.calls} calls of {len(callers)} kernels, {compiled} compiled: {told}")


if __name__ == "__main__":
    faulthandler.enable()
    main()
