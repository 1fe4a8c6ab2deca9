"""Compiles the kernels of a file for a chip, ahead of time: text, object and sidecar for each variant."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..errors import CompileError
from ..stages import STAGES

# The stages that are written as texts, where the compiler has them, and the endings of their files.
_TEXTS = {"ascendc": "asc", "hivm": "hivm.mlir"}


def add_arguments(parser):
    """The options of the command."""
    add = parser.add_argument
    add("file", help="a Python file with kernels, or the name of a module")
    add("-o", "--output", metavar="FOLDER", required=True, help="where to write; made where it does not exist")
    add("--soc", default="Ascend910B4", help="the chip (default: %(default)s)")
    add("--kernel", action="append", metavar="NAME[,...]", default=[], help="which kernels (default: all of the file)")
    add(
        "--dtype", action="append", metavar="[ARRAY=]TYPE[,...]", default=[],
        help="types of the arrays that have none of their own, or of one array: f32, f16, bf16",
    )  # fmt: skip
    add(
        "--const", action="append", metavar="NAME=VALUE[,...]", default=[],
        help="values of a constant, of a dimension that becomes one of tiles, or of a block size",
    )  # fmt: skip
    add("--list", action="append", metavar="ARRAY[,...]", default=[], help="arrays that are lists of tensors")
    add("--none", action="append", metavar="ARRAY[,...]", default=[], help="arrays that are None")
    add(
        "--option", action="append", metavar="NAME=VALUE", default=[], help="an option of the compiler: phases=launches"
    )
    add(
        "--object", choices=("auto", "yes", "no"), default="auto",
        help="build objects: where the vendor's compiler is (default), in any case, or not at all",
    )  # fmt: skip
    add("--form", choices=("object", "shared"), default="object", help="objects, or libraries that register themselves")
    add("--via", choices=("ascendc", "hivm"), default="ascendc", help="the way of objects (default: %(default)s)")
    add("--bisheng", metavar="PROGRAM", help="the vendor's compiler (default: that of ASCEND_HOME_PATH or PATH)")
    add("--hivmc", metavar="PROGRAM", help="the vendor's compiler for HIVM (default: likewise)")
    add(
        "--predict", action="append", metavar="NAME=NUMBER[,...]", default=[],
        help="sizes and numbers of a call, whose predicted time the sidecars then have",
    )  # fmt: skip


def run(arguments):
    """Compiles every variant; the exit code is 0 where all could be compiled."""
    from .kernel_files import load_kernels
    from .variants import Request, list_variants

    kernels = load_kernels(arguments.file, _split(arguments.kernel))
    request = Request.read(
        arguments.dtype, arguments.const, _split(arguments.list), _split(arguments.none), arguments.option,
        arguments.predict,
    )  # fmt: skip
    request.check_names(kernels)
    variants = [variant for kernel in kernels for variant in list_variants(kernel, request)]
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    builder = _Builder(arguments, folder)
    failures = 0
    for variant in variants:
        try:
            print(f"{variant.name}: {', '.join(builder.build(variant))}", flush=True)
        except CompileError as error:
            failures += 1
            print(f"{variant.name}: failed\n{error}", file=sys.stderr)
    if builder.no_object:
        print(f"no objects: {builder.no_object}", file=sys.stderr)
    if failures:
        print(f"error: {failures} of {len(variants)} variants failed", file=sys.stderr)
    return 1 if failures else 0


class _Builder:
    """Writes the files of variants. Objects stop where the toolchain turns out to be missing, unless they must be."""

    def __init__(self, arguments, folder: Path):
        self._arguments = arguments
        self._folder = folder
        self.no_object = ""

    def build(self, variant):
        """Writes the files of a variant, all or none; returns their names."""
        artefact = variant.compile(self._arguments.soc)
        predicted = variant.predict(self._arguments.soc)
        texts = {f"{variant.name}.{ending}": artefact.ir(stage) for stage, ending in _TEXTS.items() if stage in STAGES}
        sidecar = self._build_object(variant, artefact) or artefact.sidecar
        texts[f"{variant.name}.json"] = sidecar.replace(predicted=predicted).json()
        for name, text in texts.items():
            self._write(name, text)
        described = sidecar.data["object"]
        return [*texts, described["file"]] if described else list(texts)

    def _build_object(self, variant, artefact):
        given = self._arguments
        if given.object == "no" or self.no_object:
            return None
        path = self._folder / f"{variant.name}.{'so' if given.form == 'shared' else 'o'}"
        try:
            return artefact.build(path, given.form, given.via, given.bisheng, given.hivmc)
        except CompileError as error:
            if given.object == "yes" or not error.message.startswith("CANN "):
                raise
            self.no_object = error.message
            return None

    def _write(self, name: str, text: str):
        """Writes a file at once: a reader sees the old one or the new one."""
        beside = self._folder / f".{name}.{os.getpid()}.tmp"
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self._folder / name)


def _split(lists):
    """['a,b', 'c'] as ['a', 'b', 'c']."""
    return [word for text in lists for word in text.split(",") if word]
