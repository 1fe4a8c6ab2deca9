"""What the compiler considered for a kernel, as a table: each combination of forms, sizes, stages and strips."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Alternative:
    """One row: what was chosen on each axis, and what the kernel would need and cost then."""

    choice: dict[str, str]
    bytes: dict[str, int]
    cycles: int
    moved: int
    refused: str
    taken: bool


class Alternatives(list):
    """The rows in the order in which they were looked at; printed as a table, the one that was taken marked."""

    def __init__(self, rows, text: str):
        super().__init__(Alternative(**{**row, "choice": dict(row["choice"])}) for row in rows)
        self._text = text

    @property
    def taken(self):
        """The row that was taken."""
        return next(row for row in self if row.taken)

    def __str__(self):
        return self._text
