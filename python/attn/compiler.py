"""Takes tile IR through the stages of the compiler, by the names of its pipelines."""

from __future__ import annotations

import contextlib
import functools
import linecache
import re
import sys
from typing import Any

from . import cache, stages
from .alternatives import Alternatives
from .cache import keys
from .errors import CompileError, Diagnostic, entry_point, near_miss
from .language import MAX_SIZE, show_number

# The pipelines that lead to each stage from the frontend's text, and the options that they take.
_PIPELINES = {"source": (), "tile": ("attn-tile",), "ascend": ("attn-tile", "attn-ascend")}
_PIPELINES["linalg"] = ("attn-tile", "attn-linalg")
_PIPELINES["ascendc"] = _PIPELINES["ascend"]
_EMITTED_FROM = {"ascendc": "ascend", "hivm": "ascend", "sidecar": "ascend"}  # what is not a IR
_OPTIONS = dict.fromkeys(("band", "composites", "phases", "softmax", "strips"), "attn-tile")
_GROUP_OPTIONS = {
    "preload": 14,
    "lag": 14,
    "slots": 15,
    "strip_rows": 1024,
    "part": 1024,
    "run_on": 1,
    "order": 1024,
}  # and the most of each
_UNITS = {"strip_rows": 8, "part": 16}  # of which those are multiples
_FORMS = {"kernel_form": ("attribute", "task-type")}
_OPTIONS |= dict.fromkeys(_GROUP_OPTIONS, "attn-tile")
_OPTIONS |= dict.fromkeys(("bounds", "lanes"), "attn-cpu")
_LANES = (4, 8, 16)
_OPTIONS |= dict.fromkeys(("kernel_form", "source_comments"), "ascendc")  # of the printer, not of a pipeline
_WORD = re.compile(r"[A-Za-z][\w-]*")


def strip_unit():
    """The columns that strips have multiples of: those of one vector repeat of f32."""
    from . import _host

    return _host.REPEAT_BYTES // 4


def check_kernel(kernel, caller: str):
    """TypeError unless something is a kernel."""
    if not hasattr(kernel, "signature"):
        raise TypeError(f"{caller} takes a kernel, a function under @attn.kernel, not {type(kernel).__name__}")


def split_options(signature, keywords: dict):
    """Splits keywords into arguments of a kernel and options of the compiler; TypeError for what is neither."""
    names = {parameter.name for parameter in signature.parameters}
    options = {name: _read_option(name, value, names) for name, value in keywords.items() if name not in names}
    if "preload" in options and options.get("lag", 0) > options["preload"]:
        raise ValueError(f"lag: at most the preload, {options['preload']}, is expected, not {options['lag']}")
    return {name: value for name, value in keywords.items() if name in names}, options


def _read_option(name: str, value, arguments):
    """The value of an option, which may be given as text; which words a form has is the compiler's to say."""
    if name not in _OPTIONS:
        known = ", ".join(sorted(_OPTIONS))
        message = f"'{name}' is neither an argument of the kernel nor an option of the compiler ({known})"
        raise TypeError(message + near_miss(name, (*arguments, *_OPTIONS)))
    if name == "strips":
        read = int(value) if isinstance(value, str) and value.isdecimal() else value
        if type(read) is int and 0 <= read <= MAX_SIZE and read % strip_unit() == 0:
            return read
        expected = f"a multiple of {strip_unit()} up to {MAX_SIZE}, or 0 for the compiler's choice,"
    elif name in _GROUP_OPTIONS:
        read = int(value) if isinstance(value, str) and value.isdecimal() else value
        unit = _UNITS.get(name, 1)
        if type(read) is int and 0 <= read <= _GROUP_OPTIONS[name] and read % unit == 0:
            return read
        expected = f"a {f'multiple of {unit}' if unit > 1 else 'number'} up to {_GROUP_OPTIONS[name]}"
    elif name == "lanes":
        read = int(value) if isinstance(value, str) and value.isdecimal() else value
        if type(read) is int and read in _LANES:
            return read
        expected = " or ".join(map(str, _LANES))
    elif name in ("bounds", "composites", "source_comments"):
        if str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        expected = "True or False"
    elif name in _FORMS:
        if value in _FORMS[name]:
            return value
        expected = " or ".join(map(repr, _FORMS[name]))
    else:
        if isinstance(value, str) and _WORD.fullmatch(value):
            return value
        expected = "a word"
    raise ValueError(f"{name}: {expected} is expected, not {show_number(value)}")


def pipeline_text(name: str, options: dict, *more: str):
    """A pipeline with those options that are its own, as MLIR writes it: `attn-tile{softmax=online}`, and `more`."""
    own = " ".join(
        [*(f"{key.replace('_', '-')}={value}" for key, value in options.items() if _OPTIONS[key] == name), *more]
    )
    return f"{name}{{{own}}}" if own else name


@contextlib.contextmanager
def compile_errors():
    """Turns the native module's errors into CompileError."""
    from . import _core

    try:
        yield
    except _core.DiagnosticError as error:
        said = list(map(Diagnostic.from_native, error.diagnostics))
        raise CompileError([item for item in said if item.severity == "error"] or said) from None


def parse(text: str, soc: str | None):
    """The native module of a tile IR text."""
    from . import _core

    with compile_errors():
        return _core.Module.parse(text, soc)


def fit_for_host(text: str, options: dict):
    """The native module of a tile IR text, fitted for this machine's CPU."""
    module = parse(text, "host")
    with compile_errors():
        module.run(pipeline_text("attn-tile", options))
    return module


class Artefact:
    """A kernel compiled for a chip. Stages are made when they are asked for.

    `describe_call` gives the section `call` of its sidecar.
    """

    def __init__(self, name: str, source: str, soc: str, options: dict, describe_call=None):
        self.name = name
        self.soc = soc
        self._options = options
        self._describe_call = describe_call
        self._source = source
        self._modules: dict[str, Any] = {}
        self._said: dict[str, list[Diagnostic]] = {}  # on the way to each module
        self._texts: dict[tuple[str, bool], cache.Entry] = {}
        self._remarks: list[Diagnostic] = []
        self._for_hivm: Artefact | None = None

    def __repr__(self):
        return f"<attn artefact {self.name} for {self.soc}>"

    def __getstate__(self):
        """All but native modules, which are made again where they are needed; texts that are there stay."""
        state = {**self.__dict__, "_modules": {}, "_said": {}}
        if self._describe_call is not None:
            state["_describe_call"] = functools.partial(dict, self._describe_call())
        return state

    def complete(self):
        """Makes the texts that a launch needs, AscendC and sidecar, so that what they refuse is refused now."""
        if not self._options.get("composites"):  # which AscendC has no calls for
            self._obtain("ascendc")
        self._obtain("sidecar")
        return self

    @entry_point
    def ir(self, stage: str = "tile", debug_info: bool = False):
        """The text of a stage (one of `attn.STAGES`); with `debug_info`, each op with its source position."""
        stages.check(stage)
        if stage == "ascendc":
            return self.ascendc
        if stage == "hivm":
            return self.with_composites._obtain(stage, debug_info).data.decode()
        return self._obtain(stage, debug_info).data.decode()

    @property
    @entry_point
    def ascendc(self):
        """The AscendC text."""
        return self._obtain("ascendc").data.decode()

    @property
    @entry_point
    def sidecar(self):
        """How the kernel is launched: an `attn.sidecar.Sidecar`."""
        from .sidecar import parse

        made = parse(self._obtain("sidecar").data.decode(), f"the sidecar of {self.name}")
        return made.replace(call=self._describe_call()) if self._describe_call else made

    @entry_point
    def build(self, path, form: str = "object", via: str = "ascendc", bisheng=None, hivmc=None):
        """Builds the kernel with the vendor's compiler: writes `path`, and beside it the sidecar, which is returned.

        `form` is "object", or "shared" for a library that registers itself. `via` is "ascendc" or "hivm". `bisheng` and
        `hivmc` are the compilers of these ways; by default those of ASCEND_HOME_PATH or PATH.
        """
        import json
        import os

        from .sidecar import load

        if form not in ("object", "shared"):
            raise ValueError(f"form: 'object' or 'shared' is expected, not {form!r}")
        output, compiler = os.fspath(path), os.fspath((hivmc if via == "hivm" else bisheng) or "")
        call = json.dumps(self._describe_call() if self._describe_call else None)
        kernel = self.with_composites if via == "hivm" else self
        with compile_errors():
            said = kernel.module("ascend").build_object(output, form == "shared", via, compiler, call)
        self._remember(map(Diagnostic.from_native, said))
        return load(os.path.splitext(output)[0] + ".json")

    def obtain_object(self):
        """(sidecar, bytes) of the object that `build` would write, from the cache where it is there."""
        import json
        import os
        import tempfile

        from .sidecar import Sidecar

        def make():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, f"{self.name}.o")
                sidecar = self.build(path)
                return {"sidecar": sidecar.data}, sidecar.check_object(path)

        def key():
            call = json.dumps(self._describe_call() if self._describe_call else None, sort_keys=True)
            asked = self._source, self.soc, repr(sorted(self._options.items())), call
            return keys.digest(keys.compiler_identity(), keys.toolchain_identity(), *asked)

        found = cache.obtain("object", self.name, key, make)
        return Sidecar(found.about["sidecar"], f"the sidecar of {self.name}"), found.data

    @property
    @entry_point
    def hivm(self):
        """The HIVM text, each op with its source position."""
        return self.ir("hivm", debug_info=True)

    @property
    def with_composites(self):
        """The same kernel for HIVM, whose ops are of the level of composites."""
        if self._options.get("composites"):
            return self
        if self._for_hivm is None:
            self._for_hivm = Artefact(self.name, self._source, self.soc, {**self._options, "composites": True})
        return self._for_hivm

    @property
    @entry_point
    def sizes(self):
        """The block sizes that the compiler chose, by name."""
        return self._obtain("tile").about["sizes"]

    def _obtain(self, stage: str, debug_info: bool = False):
        """The text of a stage, the sizes chosen and the remarks on the way, from the cache where they are there."""

        def make():
            level = _EMITTED_FROM.get(stage, stage)
            module = self.module(level)
            with compile_errors():
                if stage == "hivm":
                    text = module.emit_hivm(debug_info)
                elif stage == "ascendc":
                    text = self._print_ascendc(module)
                elif level != stage:
                    text = getattr(module, f"emit_{stage}")()
                else:
                    text = module.text(debug_info, generic=stage == "linalg")
            about = {"sizes": module.sizes, "remarks": [remark.to_json() for remark in self._said[level]]}
            return about, text.encode()

        def key():
            asked = self._source, self.soc, repr(sorted(self._options.items())), repr(debug_info)
            return keys.digest(keys.compiler_identity(), *asked)

        if (stage, debug_info) not in self._texts:
            found = self._texts[stage, debug_info] = cache.obtain(stage, self.name, key, make)
            self._remember(map(Diagnostic.from_json, found.about["remarks"]))
        return self._texts[stage, debug_info]

    def _print_ascendc(self, module):
        files = module.source_files if self._options.get("source_comments", True) else []
        sources = {file: linecache.getlines(file) for file in files}
        return module.emit_ascendc(self._options.get("kernel_form", "attribute"), sources)

    def _remember(self, remarks):
        known = {repr(remark) for remark in self._remarks}
        self._remarks += [remark for remark in remarks if repr(remark) not in known]

    @property
    @entry_point
    def alternatives(self):
        """Every combination of forms, sizes, stages and strips that the compiler considered, as a table to print."""
        module = parse(self._source, self.soc)
        asked = "print-alternatives=true record-alternatives=true"
        with compile_errors():
            said = module.run(pipeline_text("attn-tile", self._options, asked))
        tables = [item.message for item in said if item.message.startswith("alternatives, ")]
        return Alternatives(module.alternatives, "\n".join(tables))

    @property
    def remarks(self):
        """What the compiler said on the way so far: warnings and remarks with their positions."""
        return list(self._remarks)

    def module(self, stage: str):
        """The native module at a stage."""
        if stage not in self._modules:
            module = parse(self._source, self.soc)
            said: list[Diagnostic] = []
            pipelines = ",".join(pipeline_text(name, self._options) for name in _PIPELINES[stage])
            if pipelines:  # as one: each run has a thread of its own and verifies what it has made
                with compile_errors():
                    said += map(Diagnostic.from_native, module.run(pipelines))
            self._modules[stage], self._said[stage] = module, said
            self._remember(said)
        return self._modules[stage]


@entry_point
def dump(kernel, stage: str = "tile", file=None, **arguments):
    """Prints a stage of a kernel: `attn.dump(kernel, stage="ascend", V=at.spec("? ? 4096", at.bf16), ...)`.

    Takes what `kernel.compile` takes, and shows stages before one that fails.
    """
    check_kernel(kernel, "attn.dump")
    stages.check(stage)
    print(kernel.prepare(**arguments).ir(stage), end="", file=file or sys.stdout)
