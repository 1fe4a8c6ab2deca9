"""The decorator `@attn.kernel`: a function that is parsed, specialised and compiled, and never executed.

Authors call a kernel as a function. What is built on kernels uses `kernel.run(arguments, outputs, **options)`:
arguments by name, outputs that are there already, and options of the compiler.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ._surroundings import Surroundings
from .call.interface import Lowered, Results, Signature
from .errors import entry_point

if TYPE_CHECKING:
    from .call.checking import Arguments
    from .call.interface import Specialisation


class Kernel:
    """A kernel. Call it on tensors, or compile it for a chip with `compile`."""

    __name__: str
    __qualname__: str

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self._function = function
        self._surroundings = Surroundings(function)
        self._lowered: dict[Specialisation, Lowered] = {}
        self.programs: dict = {}  # what was compiled for this machine, by what it was compiled for

    def __repr__(self):
        return f"<attn kernel {self.__qualname__}>"

    def __reduce__(self):
        return self.__qualname__  # by its name in its module, as functions are pickled

    @entry_point
    def __call__(self, *arguments, **keywords):
        """Runs the kernel on tensors of the CPU or of an NPU, and returns its outputs.

        It is compiled at the first call with these dtypes, specialised dims and constants.
        """
        return self.launch(arguments, keywords)

    @entry_point
    def run(self, arguments: dict, outputs: dict | None = None, **options):
        """Runs the kernel on tensors given by name, and returns what it returns.

        `outputs` has tensors (or lists of tensors) for outputs by name; the kernel writes to them instead of new ones.
        `options` are block sizes and options of the compiler, as a call takes them.
        """
        if outputs:
            from .call.overlap import check_overlap

            check_overlap(arguments, outputs)
        return self.launch((), {**arguments, **options}, outputs)

    @entry_point
    def compile(self, soc: str = "Ascend910B4", **arguments):
        """Compiles for a chip, without tensors: `kernel.compile(X=at.spec("? 4096", at.bf16), soc="Ascend910B4")`.

        Takes a spec for each array and a value for each constant; a block size may be fixed (`BT=2`). What else is
        given are options of the compiler. Returns an `attn.Artefact` with its AscendC text and its sidecar; what
        these refuse is an error here. HIVM and linalg are made when they are asked for.
        """
        return self.prepare(soc, **arguments).complete()

    # Between the package's own modules

    def launch(self, positional, keywords: dict, outputs: dict | None = None):
        """Runs the kernel; outputs that are given must have memory of their own."""
        return self._calls.run(positional, keywords, outputs, self.captured())

    def plan(self, keywords: dict, outputs: dict):
        """What `launch` does for such a call, and the values that it does it with, for who makes the call again with
        other tensors: arguments by name in their order, then outputs."""
        return self._calls.find((), keywords, outputs, self.captured())

    @property
    def repeats(self):
        """What callers keep of such plans: a set of what is cleared with them."""
        return self._calls.repeats

    def prepare(self, soc: str = "Ascend910B4", **arguments):
        """What `compile` returns, with nothing made yet."""
        from . import compiler
        from .call.binding import bind
        from .call.checking import Specs, check_arguments

        given, options = compiler.split_options(self.signature, arguments)
        values = bind(self.signature, self.defaults, (), given)
        checked = check_arguments(self.signature, values, Specs(self.signature))
        return self.artefact(self.specialise(checked), soc, options)

    @functools.cached_property
    def _calls(self):
        """The forms in which the kernel was called."""
        from .call import running

        return running.calls_of(self)

    def forget(self):
        """Forgets what was compiled for this machine; the next calls compile, or ask the cache."""
        self.programs.clear()
        self._calls.forget()

    def artefact(self, specialisation, soc: str, options: dict):
        """The kernel for a specialisation, compiled for a chip."""
        from . import compiler

        lowered = self.lower(specialisation)
        call = functools.partial(self._describe_call, specialisation, lowered.results, options)
        return compiler.Artefact(self.__name__, lowered.text, soc, options, call)

    def _describe_call(self, specialisation: Specialisation, results: Results, options: dict):
        """The section `call` of a sidecar, which only the language knows; docs/Sidecar.md describes its fields."""
        import hashlib

        arrays = self.signature.of_kind("array")
        names = [output.name for output in results.outputs]
        return {
            "module": self.__module__,
            "function": self.__qualname__,
            "source": f"sha256:{hashlib.sha256(self._surroundings.text.encode()).hexdigest()}",
            "constants": {name: text for name, _, text in specialisation.constants},
            "dims": dict(specialisation.dims),
            "options": {name: str(value) for name, value in options.items()},
            "absent": [array.name for array, form in zip(arrays, specialisation.arrays) if form is None],
            "outputs": [{"name": output.name, "like": output.like} for output in results.outputs],
            "returns": [None if place is None else names[place] for place in results.returned],
            "single": results.single,
            "row_axes": {name: list(axes) for name, axes in results.row_axes.items()},
        }

    @functools.cached_property
    def source(self):
        """The parsed source."""
        from .frontend import load_source

        return load_source(self._surroundings)

    @functools.cached_property
    def signature(self):
        """How the kernel is called."""
        from . import cache

        def make():
            from .frontend import read_signature

            return (read_signature(self._surroundings, self.source).to_json(),)

        found = cache.obtain("signature", self.__name__, self._key, make)
        return Signature.from_json(found.about, self._surroundings.annotations)

    def _key(self, *parts: str):
        """A key of the cache for what depends on the kernel's source and surroundings, and on parts."""
        from .cache import keys

        return keys.digest(keys.compiler_identity(), self._surroundings.describe(), *parts)

    @functools.cached_property
    def defaults(self):
        """The values of arguments that a call may leave out."""
        function = self._function
        code = function.__code__
        values = function.__defaults__ or ()
        named = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
        return {**dict(zip(named, values)), **(function.__kwdefaults__ or {})}

    def captured(self):
        """The numbers that the kernel takes from its surroundings, as they are now; as text, so that 1 is not 1.0."""
        return tuple((name, repr(self._surroundings.lookup(name))) for name in self.signature.captured)

    def specialise(self, arguments: Arguments) -> Specialisation:
        """What the kernel is compiled for to take checked arguments."""
        return arguments.specialise(self.captured())

    def results(self, arguments: Arguments) -> Results:
        """What a call with checked arguments gives."""
        return self.lower(self.specialise(arguments)).results

    def lower(self, specialisation: Specialisation) -> Lowered:
        """The tile IR for a specialisation, from the cache where it is known."""
        from . import cache

        def make():
            from .frontend import lower

            made = lower(self.source, self.signature, specialisation)
            return made.results.to_json(), made.text.encode()

        lowered = self._lowered.get(specialisation)
        if lowered is None:
            key = functools.partial(self._key, self._surroundings.path, repr(specialisation))
            found = cache.obtain("lowered", self.__name__, key, make)
            lowered = Lowered(found.data.decode(), Results.from_json(found.about))
            self._lowered[specialisation] = lowered
        return lowered


def kernel(function):
    """Makes a kernel of a function: `@attn.kernel`."""
    if not hasattr(function, "__code__"):
        raise TypeError(f"@attn.kernel takes a function, not {function!r}")
    if function.__name__ == "<lambda>":
        raise TypeError("@attn.kernel takes a function with annotated arguments, defined by 'def', not a lambda")
    return Kernel(function)
