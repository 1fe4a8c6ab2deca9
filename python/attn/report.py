"""What a run on the modelled chip reports: hazards at their lines, traffic, and the predicted time with its error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hazard:
    """One mistake of a kernel that showed while running. Places are (file, line, column) of the source."""

    kind: str
    message: str
    place: tuple
    block: int
    pipe: str
    notes: list

    def __str__(self):
        lines = [f"{_show(self.place)}: {self.kind}: {self.message}"]
        return "\n".join(lines + [f"{_show(place)}: note: {text}" for place, text in self.notes])


@dataclass(frozen=True)
class Report:
    """A run on the modelled chip. Times are predicted, never measured; `str()` prints them with the model's error."""

    hazards: list
    blocks: int
    cores: int
    instructions: int
    time_us: float
    roofline_us: float
    roofline_share: float
    ub_bytes: int
    gm_bytes_read: int
    gm_bytes_written: int
    traffic: dict
    """Bytes read and written of each array, by its name."""
    pipes: dict
    """Busy share of each pipe."""
    held: dict
    """By kind of core, the share of the time that flags between the cores of a group held them."""
    known_errors: list
    """How far the model is from published measurements, and what it leaves out."""
    text: str
    records: object = None
    """What each pipe did, where it was asked for: `records.difference(other)` compares two runs."""

    @classmethod
    def make(cls, native: dict):
        """From what the native module returns."""
        return cls(**{**native, "hazards": [Hazard(**hazard) for hazard in native["hazards"]]})

    @property
    def gm_bytes(self):
        """All bytes moved to and from global memory."""
        return self.gm_bytes_read + self.gm_bytes_written

    def __str__(self):
        return "\n".join([self.text.rstrip("\n"), *map(str, self.hazards)])


def _show(place):
    file, line, column = place
    return f"{file}:{line}:{column}" if file else "<unknown>"
