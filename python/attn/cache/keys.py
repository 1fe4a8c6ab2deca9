"""Keys: hashes of everything that a result depends on. Computing one reads a few files and loads no compiler."""

from __future__ import annotations

import contextlib
import functools
import os
import sys

from .entry import blake2b

_KEY_BYTES = 20
# The vendor's compiler in a toolkit, and what says its version.
_TOOLKIT_FILES = ("bin/bisheng", "compiler/ccec_compiler/bin/bisheng", "version.cfg", "compiler/version.info")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def digest(*parts: str | bytes):
    """A hash of parts; where one ends and the next begins counts."""
    state = blake2b(digest_size=_KEY_BYTES)
    for part in parts:
        part = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        state.update(b"%d:" % len(part))
        state.update(part)
    return state.hexdigest()


@functools.cache
def compiler_identity():
    """Tells builds of the compiler apart: by its Python files, its native modules, and the libraries they load."""
    from importlib.util import find_spec

    from .. import _host

    parts: list[str | bytes] = [str(sys.implementation.cache_tag), sys.platform]
    for folder in (_PACKAGE, *(os.path.join(_PACKAGE, name) for name in ("call", "frontend"))):
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb") as file:
                parts += [name, file.read()]
    compiler = find_spec("attn._core")
    for path in ((compiler and compiler.origin) or "", _host.__file__, *_host.compiler_libraries):
        parts.append(identify_library(path))
    return digest(*parts)


@functools.cache
def host_identity():
    """Tells apart machines whose code must not be mixed."""
    from .. import _host

    return _host.describe_cpu()


def toolchain_identity():
    """Tells apart the vendor's compilers: every place that is searched for one, and what says its version."""
    homes = [os.environ.get(name, "") for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")]
    parts = [os.environ.get("PATH", ""), *homes]
    files = [os.path.join(folder, "bisheng") for folder in os.get_exec_path()]
    files += [os.path.join(home, file) for home in homes if home for file in _TOOLKIT_FILES]
    for file in files:
        with contextlib.suppress(OSError):
            about = os.stat(file)
            parts.append(f"{file} {about.st_size} {about.st_mtime_ns}")
    return digest(*parts)


def identify_library(path: str):
    """The build id that the linker wrote into a library, which is a hash of its content; else its size and time."""
    try:
        with open(path, "rb") as file:
            identity = _find_build_id(file.read(1 << 13))
        if identity is None:
            about = os.stat(path)
            identity = f"{about.st_size} {about.st_mtime_ns}"
        return identity
    except OSError:
        return "absent"


def _find_build_id(start: bytes):
    """The description of the note of type NT_GNU_BUILD_ID; None where the first bytes of a file hold none."""
    name = b"GNU\0"
    place = start.find(name)
    while place >= 0:
        if place >= 12:
            name_bytes, bytes_, kind = (
                int.from_bytes(start[place - back : place - back + 4], sys.byteorder) for back in (12, 8, 4)
            )
            if name_bytes == len(name) and kind == 3 and 8 <= bytes_ <= 64:
                return start[place + 4 : place + 4 + bytes_]
        place = start.find(name, place + 1)
    return None
