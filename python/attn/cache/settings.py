"""Where the cache is, how large it may become, and what it tells; read from the environment at each use."""

from __future__ import annotations

import os
import re
import sys

DEFAULT_SIZE = 1 << 30

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE = re.compile(r"(\d+)([KMG]?)(?:i?B)?", re.IGNORECASE)
_warned: set[str] = set()


def is_enabled():
    """Whether anything is kept: not with ATTN_CACHE=0."""
    return os.environ.get("ATTN_CACHE", "1").strip().lower() not in ("0", "off", "no", "false")


def folder():
    """ATTN_CACHE_DIR, or the folder `attn` below the user's cache folder; None where the user has no home."""
    chosen = os.environ.get("ATTN_CACHE_DIR")
    if chosen:
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.cache")
    return os.path.join(base, "attn") if os.path.isabs(base) else None


def size_limit():
    """ATTN_CACHE_SIZE in bytes: `300M`, `2G`, or a plain number."""
    text = os.environ.get("ATTN_CACHE_SIZE", "").strip()
    if not text:
        return DEFAULT_SIZE
    match = _SIZE.fullmatch(text)
    if match is None:
        warn_once("ATTN_CACHE_SIZE", f"is {text!r}, which is not a size such as 300M or 2G; the limit stays 1G")
        return DEFAULT_SIZE
    return int(match[1]) * _UNITS[match[2].upper()]


def warn_once(subject: str, problem: str):
    """A warning of this process, unless it has had one about that subject."""
    if subject not in _warned:
        import warnings

        _warned.add(subject)
        note(f"{subject} {problem}")
        warnings.warn(f"attn's cache: {subject} {problem}", RuntimeWarning, stacklevel=2)


def note(message: str):
    """Tells what happens where ATTN_CACHE_LOG asks for it: 1 for standard error, anything else is a file."""
    target = os.environ.get("ATTN_CACHE_LOG", "")
    if target in ("", "0"):
        return
    line = f"attn cache [{os.getpid()}]: {message}\n"
    if target == "1":
        sys.stderr.write(line)
        return
    try:
        with open(target, "a") as file:  # a short line at a time: those of several processes do not mix
            file.write(line)
    except OSError as problem:
        os.environ["ATTN_CACHE_LOG"] = "1"
        note(f"ATTN_CACHE_LOG: {problem}")
        note(message)
