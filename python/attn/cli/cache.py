"""Shows, checks or empties the cache of compiled kernels."""

from __future__ import annotations

import sys
import time

from .. import cache
from ..cache import settings


def add_arguments(parser):
    """The actions of the command."""
    actions = parser.add_subparsers(metavar="action", required=True)
    for name, (action, text) in _ACTIONS.items():
        actions.add_parser(name, help=text, description=text).set_defaults(action=action)


def run(arguments):
    """Runs the action that was asked for."""
    folder = settings.folder()
    if folder is None:
        print("there is no home folder, and ATTN_CACHE_DIR names no other one", file=sys.stderr)
        return 1
    return arguments.action(cache.Store(folder, settings.size_limit()))


def _path(store):
    print(store.folder)
    return 0


def _info(store):
    entries = store.list()
    print(f"folder   {store.folder}")
    print(f"enabled  {'yes' if settings.is_enabled() else 'no (ATTN_CACHE)'}")
    print(f"entries  {len(entries)}")
    print(f"size     {_show_bytes(sum(entry.bytes for entry in entries))} of {_show_bytes(store.limit)}")
    kinds: dict[str, list[int]] = {}
    for entry in entries:
        kinds.setdefault(entry.kind, []).append(entry.bytes)
    for kind, sizes in sorted(kinds.items()):
        print(f"  {kind:<10} {len(sizes):>6}  {_show_bytes(sum(sizes))}")
    return 0


def _list(store):
    for entry in store.list():
        label = store.label(entry)
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
        name = label["name"] if label else "(corrupt)"
        print(f"{entry.key} {entry.kind:<10} {_show_bytes(entry.bytes):>9}  {used}  {name}")
    return 0


def _clear(store):
    count, size = store.clear()
    print(f"removed {count} entries, {_show_bytes(size)}")
    return 0


def _verify(store):
    checked = store.verify()
    wrong = [(entry, problem) for entry, problem in checked if problem]
    for entry, problem in wrong:
        print(f"removed {entry.file}: {problem}", file=sys.stderr)
    print(f"{len(checked) - len(wrong)} entries are right, {len(wrong)} were corrupt")
    return 1 if wrong else 0


def _show_bytes(count: float):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


_ACTIONS = {
    "info": (_info, "where the cache is, and how much is in it"),
    "list": (_list, "all entries: key, kind, size, last use and kernel; those that were used last at the end"),
    "path": (_path, "the folder"),
    "verify": (_verify, "reads every entry and removes those that are corrupt; the exit code is 1 where there are any"),
    "clear": (_clear, "removes all entries"),
}
