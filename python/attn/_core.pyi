"""The native module of the package: what it offers, for type checkers and readers. Not a public interface."""

class Diagnostic:
    """One message of the compiler; `file` is empty where it has no position. Lines and columns count from 1."""

    severity: str  # "error", "warning", "remark" or "note"
    file: str
    line: int
    column: int
    message: str
    notes: list[Diagnostic]

class DiagnosticError(RuntimeError):
    """A failed parse or pass; `diagnostics` lists what was said."""

    diagnostics: list[Diagnostic]

class Module:
    """A module of kernels in MLIR, with a context of its own."""

    @staticmethod
    def parse(text: str, soc: str | None = None) -> Module:
        """Parses and verifies; `soc` ("Ascend910B4", "host", "Ascend910B4:ub_bytes=8192") becomes the target."""

    def run(self, pipeline: str) -> list[Diagnostic]:
        """Runs passes and named pipelines in textual form; returns warnings and remarks."""

    def text(self, debug_info: bool = False, generic: bool = False) -> str:
        """The text of the module, with source positions on request."""

    def emit_ascendc(self, kernel_form: str = "attribute", sources: dict[str, list[str]] = ...) -> str:
        """The AscendC text of a module at the stage `ascend`, with lines of `sources` (by file) as comments."""

    def emit_hivm(self, locations: bool = True) -> str:
        """The HIVM text of a module at the stage `ascend` whose composites were kept."""

    def emit_sidecar(self) -> str:
        """How the kernel of a module at the stage `ascend` is launched, as JSON."""

    def build_object(self, output: str, shared: bool, via: str, compiler: str, call: str) -> list[Diagnostic]:
        """Builds the object (or library) of a module at the stage `ascend` and its sidecar, with the section `call`."""

    @property
    def alternatives(self) -> list[dict]:
        """What the compiler looked at, where it was asked to keep it: one dictionary per alternative."""

    @property
    def source_files(self) -> list[str]:
        """The files that source positions of the module name."""

    @property
    def sizes(self) -> dict[str, int]:
        """The block sizes that the compiler chose for the module's kernel."""

    @property
    def workspaces(self) -> list[tuple[list[str | int], str]]:
        """The workspace that a caller makes: dimensions by name or number ("@blocks" first), and element type."""

    @property
    def inexact_outputs(self) -> list[str | None]:
        """For each output of a module at the stage `source`, the op that keeps stages from giving the same bits."""

Array = tuple[int | list[int], tuple[int, ...], tuple[int, ...]]
"""Address (or those of a list of tensors, whose length is the first size), shape, strides in elements."""

def jit_compile(module: Module, name: str = "", optimize: bool = True) -> tuple[str, bytes]:
    """Compiles a module that `attn-cpu` has lowered; a description in JSON, and code, for `attn._host.Kernel`."""

def print_llvm(module: Module) -> str:
    """The optimised LLVM IR that `jit_compile` would make machine code of."""

def simulate(
    module: Module,
    arguments: list[Array | float | int],
    timing_only: bool = False,
    ideal_bytes: int | None = None,
    check_effects: bool = False,
    trace: str = "",
    stage: str = "ascend",
    text: str = "",
    record: bool = False,
    jitter: int | None = None,
) -> dict:
    """Runs a module at the stage `ascend` on the modelled chip; workspaces are made by the simulator.

    With the stage `ascendc` or `hivm`, the `text` printed from the module runs instead.
    """

def compile_text(text: str, library: str) -> None:
    """Compiles AscendC text into a shared library for the modelled chip."""

class Records:
    """What each pipe of each block did in a run, one line per instruction; `str()` is all of it."""

    def difference(self, other: Records) -> str:
        """The first difference in words; empty where both are equal."""

    @property
    def pipes(self) -> list[tuple[int, int, str, list[str]]]:
        """Kernel of the launch, block, pipe, and its lines."""
