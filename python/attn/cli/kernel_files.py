"""Finds the kernels of a Python file or module; part of `attn compile`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from .._kernel import Kernel


def load_kernels(file: str, names: list):
    """The kernels that a file or a module defines, or those of them that are named."""
    module = _load(file)
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Kernel) and value.__module__ == module.__name__
    }
    if not found:
        raise ValueError(f"{file}: no kernel (a function with @attn.kernel) is defined there")
    for name in names:
        if name not in found:
            raise ValueError(f"{file}: no kernel '{name}'; there are {', '.join(found)}")
    return [found[name] for name in names] if names else list(found.values())


def _load(file: str):
    path = Path(file)
    if path.suffix != ".py":
        return _import(file, file)
    if not path.is_file():
        raise ValueError(f"{file}: no such file")
    # As a part of its package, where it is in one: it may import its neighbours.
    parts, folder = [path.stem], path.resolve().parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module = _import(".".join(parts), file)
    if Path(getattr(module, "__file__", None) or "").resolve() != path.resolve():
        raise ValueError(f"{file}: another module has the name '{module.__name__}': {module.__file__}")
    return module


def _import(name: str, file: str):
    try:
        return importlib.import_module(name)
    except Exception as problem:  # whatever the file does when it is run
        raise ValueError(f"{file}: cannot be imported: {type(problem).__name__}: {problem}") from problem
