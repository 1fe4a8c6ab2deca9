"""From Python source to tile IR as text: the first stage of the compiler.

`load_source` finds and parses a kernel's source, `read_signature` says how it is called and which dims it is
specialised on, and `lower` writes the tile IR for one specialisation. Nothing of a kernel is ever executed.
"""

from .lowering import lower
from .signature import read_signature
from .source import load_source

__all__ = ["load_source", "lower", "read_signature"]
