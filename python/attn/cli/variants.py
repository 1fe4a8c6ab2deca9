"""The variants of kernels that `attn compile` is asked for: all combinations of dtypes and constants."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from .. import language
from .._kernel import Kernel
from ..language import Spec

_DTYPES = {name: getattr(language, name) for name in ("f32", "f16", "bf16")}


class Request(NamedTuple):
    """What was asked for, for all kernels: lists of texts by name, and the arrays that are lists or None."""

    dtypes: dict  # by array; under "" for all others
    constants: dict
    lists: list
    absent: list
    options: dict
    numbers: dict

    @classmethod
    def read(cls, dtypes, constants, lists, absent, options, numbers):
        """From the words of the command line."""
        by_array: dict[str, list[str]] = {}
        for text in dtypes:
            array, _, types = text.rpartition("=")
            _add(by_array, array, types, "--dtype", text)
            for name in by_array[array]:
                if name not in _DTYPES:
                    raise ValueError(f"--dtype {text}: '{name}' is not a dtype; known: {', '.join(_DTYPES)}")
        values: dict[str, list[str]] = {}
        compiler: dict[str, list[str]] = {}
        call: dict[str, list[str]] = {}
        for text in constants:
            name, _, listed = text.partition("=")
            _add(values, name, listed, "--const", text)
        for text in options:
            name, _, value = text.partition("=")
            _add(compiler, name, value, "--option", text)
        for text in (word for words in numbers for word in words.split(",")):
            name, _, value = text.partition("=")
            _add(call, name, value, "--predict", text)
        single = {name: value[0] for name, value in compiler.items()}
        numbers = {name: _read_number(value[0], f"--predict {name}") for name, value in call.items()}
        return cls(by_array, values, lists, absent, single, numbers)

    def check_names(self, kernels):
        """ValueError for a name that no kernel has, and for a number that cannot be a size."""
        for option, names, known in (
            ("--dtype", [name for name in self.dtypes if name], _names(kernels, "array")),
            ("--list", self.lists, _names(kernels, "array")),
            ("--none", self.absent, _names(kernels, "array")),
            ("--const", self.constants, _names(kernels, "const", "auto") | _dims(kernels, specialised=True)),
            ("--predict", self.numbers, _names(kernels, "float", "int") | _dims(kernels)),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(f"{option}: no kernel has '{name}'; known: {', '.join(sorted(known))}")
        for name in self.numbers.keys() & _dims(kernels):
            if not isinstance(self.numbers[name], int) or self.numbers[name] < 1:
                raise ValueError(f"--predict {name}: a positive integer is expected, not {self.numbers[name]}")


def _add(values: dict, name: str, listed: str, option: str, text: str):
    if name in values:
        raise ValueError(f"{option} {text}: '{name or option}' is given twice")
    values[name] = [value for value in listed.split(",") if value]
    if not values[name] or (not name and option != "--dtype"):
        raise ValueError(f"{option} {text}: NAME=VALUE is expected")


def _names(kernels, *kinds: str):
    return {parameter.name for kernel in kernels for parameter in kernel.signature.of_kind(*kinds)}


def _dims(kernels, specialised: bool = False):
    signatures = [kernel.signature for kernel in kernels]
    return {name for one in signatures for name in (one.specialised if specialised else one.dims)}


def _read_number(text: str, what: str):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    raise ValueError(f"{what}: a number is expected, not '{text}'")


class Variant(NamedTuple):
    """One kernel with a dtype for each array and a value for each constant."""

    kernel: Kernel
    name: str
    dtypes: dict
    constants: dict
    request: Request

    def compile(self, soc: str):
        """The artefact for a chip."""
        sizes = self._sizes()
        specs = {array.name: self._spec(array, sizes) for array in self.kernel.signature.of_kind("array")}
        return self.kernel.compile(soc=soc, **specs, **self._arguments(), **self.request.options)

    def predict(self, soc: str):
        """The section `predicted` of the sidecar, where the request has numbers for a call; else None."""
        if not self.request.numbers:
            return None
        from ..simulation import simulate

        sizes = {**self._sizes(), **self.request.numbers}
        signature = self.kernel.signature
        for name in signature.dims:
            if not isinstance(sizes.get(name), int):
                raise ValueError(f"--predict: {self.kernel.__name__} needs {name}=NUMBER")
        arrays = {array.name: self._spec(array, sizes) for array in signature.of_kind("array")}
        names = [parameter.name for parameter in signature.of_kind("float", "int")]
        scalars = {name: self.request.numbers[name] for name in names if name in self.request.numbers}
        report = simulate(
            self.kernel, soc=soc, timing_only=True, **arrays, **scalars, **self._arguments(), **self.request.options
        ).report
        return {"dims": {name: sizes[name] for name in signature.dims}, "microseconds": report.time_us}

    def _arguments(self):
        given = {parameter.name for parameter in self.kernel.signature.of_kind("const", "auto")}
        return {name: value for name, value in self.constants.items() if name in given}

    def _sizes(self):
        return {name: self.constants[name] for name in self.kernel.signature.specialised if name in self.constants}

    def _spec(self, array, sizes: dict):
        if array.name in self.request.absent:
            return None
        shape = tuple(sizes.get(dim) if isinstance(dim, str) else dim for dim in array.about.dims)
        return Spec(shape, self.dtypes[array.name], array.about.table or array.name in self.request.lists)


def list_variants(kernel, request: Request):
    """All variants of a kernel: the combinations of the dtypes and constants that it has."""
    arrays = [array for array in kernel.signature.of_kind("array") if array.name not in request.absent]
    for array in kernel.signature.of_kind("array"):
        if array.name in request.absent and not array.about.optional:
            raise ValueError(f"--none: {kernel.__name__} needs its array '{array.name}'")
    axes = {**_dtype_axes(kernel, arrays, request), **_constant_axes(kernel, request)}
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values))
        dtypes = {a.name: a.about.dtype or chosen.get(("dtype", a.name), chosen.get(("dtype", ""))) for a in arrays}
        constants = {name: value for name, value in chosen.items() if isinstance(name, str)}
        yield Variant(kernel, _name(kernel, chosen), dtypes, constants, request)


def _dtype_axes(kernel, arrays, request: Request):
    """The dtypes of each array that is named in the request, and those of all others together."""
    free = [array.name for array in arrays if array.about.dtype is None]
    for name in request.dtypes:
        if any(array.name == name and array.about.dtype is not None for array in arrays):
            raise ValueError(f"--dtype {name}: {kernel.__name__} gives it a dtype of its own")
    axes = {("dtype", name): _read_dtypes(request.dtypes[name]) for name in free if name in request.dtypes}
    if len(axes) < len(free):
        if "" not in request.dtypes:
            missing = next(name for name in free if name not in request.dtypes)
            raise ValueError(f"{kernel.__name__} needs a dtype for '{missing}': --dtype f16,bf16")
        axes = {("dtype", ""): _read_dtypes(request.dtypes[""]), **axes}
    return axes


def _read_dtypes(names):
    return [_DTYPES[name] for name in names]


def _constant_axes(kernel, request: Request):
    axes = {}
    for name in kernel.signature.specialised:
        if name not in request.constants:
            raise ValueError(f"{kernel.__name__} needs the dimension {name}: --const {name}=NUMBER")
        axes[name] = [_read_constant(kernel, name, int, text) for text in request.constants[name]]
    for parameter in kernel.signature.of_kind("const", "auto"):
        kind = parameter.about.type if parameter.kind == "const" else int
        if parameter.name in request.constants:
            texts = request.constants[parameter.name]
            axes[parameter.name] = [_read_constant(kernel, parameter.name, kind, text) for text in texts]
        elif parameter.kind == "const" and parameter.name not in kernel.defaults:
            raise ValueError(f"{kernel.__name__} needs the constant {parameter.name}: --const {parameter.name}=VALUE")
    return axes


def _read_constant(kernel, name: str, kind: type, text: str):
    if kind is str:
        return text
    known = {"true": True, "false": False, "True": True, "False": False}
    try:
        return known[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise ValueError(f"--const {name}: {kernel.__name__} takes {kind.__name__}, not '{text}'") from None


def _name(kernel, chosen: dict):
    """The name of a variant's files: the kernel, then what was chosen for it."""
    parts = [kernel.__name__]
    for name, value in chosen.items():
        parts.append(f"{name[1]}{'-' if name[1] else ''}{value.name}" if isinstance(name, tuple) else f"{name}-{value}")
    return ".".join(parts)
