"""The native module behind the package: what it offers, for type checkers and readers. Not a public interface."""

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

    def str(self, debug_info: bool = False) -> str:
        """The text of the module, with source positions on request."""

    @property
    def sizes(self) -> dict[str, int]:
        """The block sizes that the compiler chose for the module's kernel."""
