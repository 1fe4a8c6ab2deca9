#!/usr/bin/env python3
"""Checks that includes (C++, TableGen) and imports (Python) point one way: from later stages to earlier ones.

ALLOWED below is the rule. A layer is a folder below include/attn and lib; a file belongs to the deepest layer that
holds it and may include its own layer and the ones listed for it. Upstream headers are free.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

BASE = {"Support", "Machine", "Launch/IR"}
TILE = {"Dialect/Tile/IR", "Dialect/Tile/Analysis", "Dialect/Tile/Transforms"}
ASCEND = {"Dialect/Ascend/IR", "Dialect/Ascend/Analysis", "Dialect/Ascend/Transforms"}
CHIP = BASE | {"Dialect/Ascend/IR", "Launch/Convention"}
SIMULATOR = {"Simulator/Model", "Simulator/Launch", "Simulator/IR"}

# From the lowest layer to the highest.
ALLOWED = {
    "Support": set(),
    "Machine": {"Support"},
    "Launch/IR": {"Support"},
    "Dialect/Tile/IR": BASE,
    "Dialect/Tile/Analysis": BASE | {"Dialect/Tile/IR"},
    "Dialect/Tile/Transforms": BASE | {"Dialect/Tile/IR", "Dialect/Tile/Analysis"},
    "Dialect/Ascend/IR": BASE,
    "Dialect/Ascend/Analysis": BASE | {"Dialect/Ascend/IR"},
    "Dialect/Ascend/Transforms": BASE | {"Dialect/Ascend/IR", "Dialect/Ascend/Analysis"},
    # The vendor's own dialects, which texts for its compiler are written in.
    "Dialect/HIVM/IR": {"Machine", "Support"},
    # How a kernel on the chip is called, whichever text it becomes.
    "Launch/Convention": BASE | {"Dialect/Ascend/IR"},
    # For the CPU, ends of lists and loops become checks.
    "Cpu/IR": set(),
    "Conversion/TileToLinalg": BASE | TILE | {"Cpu/IR"},
    # How tile ops lie on the chip: the one layer that knows both dialects.
    "TileOnChip": BASE | TILE | {"Dialect/Ascend/IR"},
    "Conversion/TileToAscend": BASE | TILE | {"Dialect/Ascend/IR", "TileOnChip"},
    "Conversion/AscendToHIVM": CHIP | {"Dialect/HIVM/IR"},
    "Cpu/Runtime": set(),
    "Cpu/Transforms": BASE | {"Cpu/IR"},
    "Cpu/Compiler": BASE | {"Cpu/IR", "Cpu/Runtime"},
    # The simulator checks what the Ascend analyses and passes decide, so it shares no code with them.
    "Simulator/Model": BASE | {"Dialect/Ascend/IR"},
    "Simulator/Launch": CHIP | {"Simulator/Model"},
    "Simulator/IR": CHIP | {"Simulator/Model", "Simulator/Launch"},
    "Simulator/AscendC": CHIP | SIMULATOR,
    # Reads what Conversion/AscendToHIVM makes; what they share is the dialect.
    "Simulator/HIVM": CHIP | SIMULATOR | {"Dialect/HIVM/IR"},
    "Simulator/Tool": CHIP | SIMULATOR | {"Dialect/HIVM/IR", "Simulator/AscendC", "Simulator/HIVM"},
    "Target/AscendC": CHIP,
    "Target/HIVM": CHIP | {"Conversion/AscendToHIVM", "Dialect/HIVM/IR"},
    # Some of the vendor's ops are in both texts for its compiler.
    "Target/Linalg": BASE | {"Dialect/HIVM/IR"},
    "Target/Sidecar": CHIP,
    "Target/Object": CHIP
    | {"Conversion/AscendToHIVM", "Dialect/HIVM/IR", "Target/AscendC", "Target/HIVM", "Target/Sidecar"},
}
ALLOWED["Pipelines"] = set(ALLOWED)
TOP = set(ALLOWED)  # tools/ and the Python module may include everything

SUFFIXES = {".h", ".cpp", ".inc", ".td"}
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')


def layer_of(path: str):
    """The layer of a path such as 'Dialect/Tile/IR/Ops.h', or None."""
    holders = [layer for layer in ALLOWED if path.startswith(layer + "/")]
    return max(holders, key=len, default=None)


def check_cpp_file(root: Path, file: Path, tree: str):
    """Yields (line, message) for each include of `file` (below `tree`) that the table does not allow."""
    inside = file.relative_to(root / tree).as_posix()
    if tree in ("tools", "python"):
        layer, allowed = tree, TOP
    else:
        layer = layer_of(inside)
        if layer is None:
            yield 1, "lies in no layer; add its folder to ALLOWED in scripts/check_includes.py"
            return
        allowed = ALLOWED[layer] | {layer}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        if ".." in header.split("/"):
            yield number, f'includes "{header}"; write the path from include/'
        if not header.startswith("attn/"):
            continue
        target = layer_of(header.removeprefix("attn/"))
        if target is None:
            yield number, f'includes "{header}", which lies in no layer'
        elif target not in allowed:
            yield number, f'{layer} must not include {target} ("{header}")'


def imports_of(tree: ast.AST, package: str):
    """Yields (module, line, is_lazy) for each import; `package` resolves relative ones.

    Lazy means inside a function, or for the type checker only.
    """

    def visit(node, lazy):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join(parents[: len(parents) - node.level + 1] + ([base] if base else []))
            yield base, node.lineno, lazy
            # `from attn import language` names a module as well.
            yield from ((f"{base}.{alias.name}", node.lineno, lazy) for alias in node.names)
        else:
            lazy = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for_checker = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for field, value in ast.iter_fields(node):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from visit(child, lazy or (for_checker and field == "body"))

    yield from visit(tree, False)


def load_modules(root: Path):
    """Module name -> (file, imports) of the package attn."""
    modules = {}
    for file in sorted((root / "python/attn").rglob("*.py")):
        parts = list(file.relative_to(root / "python").with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        parts = parts[:-1] if is_package else parts
        package = parts if is_package else parts[:-1]
        modules[".".join(parts)] = (file, list(imports_of(ast.parse(file.read_text()), ".".join(package))))
    return modules


def is_below(module: str, package: str):
    return module == package or module.startswith(package + ".")


def check_python(root: Path):
    """Yields (file, line, message): attn apart from attn.ops knows no kernels, and importing attn stays light."""
    modules = load_modules(root)
    for name, (file, imports) in modules.items():
        # `from x import a, b` names x and x.a and x.b; one message per line is enough.
        lines = {line: lazy for module, line, lazy in imports if is_below(module, "kernels_dsl")}
        for line, lazy in lines.items():
            if not is_below(name, "attn.ops"):
                yield file, line, "only attn.ops may import kernels_dsl"
            elif not lazy:
                yield file, line, "attn.ops must import kernels_dsl inside a function"

    # Everything that runs on `import attn`: the eager imports, and the parents of what they name.
    pending, reached = ["attn"], set()
    while pending:
        name = pending.pop()
        if name in reached or name not in modules:
            continue
        reached.add(name)
        file, imports = modules[name]
        pending.append(name.rpartition(".")[0])
        for module, line, lazy in imports:
            if lazy:
                continue
            pending.append(module)
            if module in ("torch", "attn._core", "attn._host") or module.startswith("torch."):
                yield file, line, f"`import attn` reaches this import of {module}; import it inside a function"


def check(root: Path):
    """All violations below `root`, as lines `file:line: message`."""
    found = []
    for tree in ("include/attn", "lib", "tools", "python"):
        for file in sorted((root / tree).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                found += [(file, line, message) for line, message in check_cpp_file(root, file, tree)]
    found += check_python(root)
    lines = (f"{file.relative_to(root)}:{line}: {message}" for file, line, message in found)
    return list(dict.fromkeys(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    violations = check(parser.parse_args().root)
    print("\n".join(violations) if violations else "include direction: no violations")
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
