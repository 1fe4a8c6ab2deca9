"""An entry of the cache as bytes: a checksum of all that follows, a description in JSON, and data.

Nothing of it is executed or unpickled when it is read.
"""

from __future__ import annotations

import json

try:  # the module itself: hashlib would load OpenSSL, which costs more than all else here
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_MAGIC = b"attn-cache 1 "
_DIGEST_BYTES = 32


class Corrupt(ValueError):
    """Bytes that are not an entry, or not the one that was asked for."""


class Entry:
    """What is kept: a description, which JSON can hold, and data."""

    __slots__ = ("about", "data")

    def __init__(self, about: dict, data: bytes = b""):
        self.about = about
        self.data = data


def pack(label: dict, entry: Entry):
    """The bytes of an entry; `label` says which it is."""
    header = json.dumps({"label": label, "about": entry.about}, separators=(",", ":")).encode()
    body = header + b"\n" + entry.data
    return b"%s%s\n%s" % (_MAGIC, _checksum(body), body)


def unpack(content: bytes):
    """(label, entry) of the bytes; Corrupt where a bit of them is wrong."""
    first, _, body = content.partition(b"\n")
    if first != _MAGIC + _checksum(body):
        raise Corrupt("its checksum is wrong")
    header, _, data = body.partition(b"\n")
    try:
        read = json.loads(header)
        return read["label"], Entry(read["about"], data)
    except (ValueError, KeyError, TypeError) as problem:
        raise Corrupt(f"its description cannot be read ({problem})") from None


def _checksum(body: bytes):
    return blake2b(body, digest_size=_DIGEST_BYTES).hexdigest().encode()
