"""Compiled artefacts that outlive a process, by content: what is made of equal inputs is made once.

`obtain` is all that the compiler uses. Where there is no folder to keep things in, everything is made again; that is
said once and breaks nothing. docs/Cache.md tells how it is placed, limited and inspected.
"""

from __future__ import annotations

import time

from . import settings
from .entry import Entry
from .settings import note
from .store import Store

__all__ = ["Entry", "Store", "current_store", "obtain"]

_stores: dict[tuple[str, int], Store] = {}


def current_store():
    """The store that the environment asks for, or None where it asks for none."""
    if not settings.is_enabled():
        return None
    place = settings.folder(), settings.size_limit()
    if place[0] is None:
        settings.warn_once("ATTN_CACHE_DIR", "is not set, and there is no home folder; nothing is kept")
        return None
    if place not in _stores:
        _stores[place] = Store(*place)
    return _stores[place]


def obtain(kind: str, name: str, key, make):
    """The entry of a key, from the cache where it is there; `make()` gives (description, data) otherwise.

    `key()` gives the key (attn.cache.keys), which must tell apart everything that `make` depends on. Processes that
    want the same entry at the same time wait for the first of them, so `make` itself must not ask for entries.
    """
    store = current_store()
    if store is None:
        return Entry(*make())
    start = time.perf_counter()
    key = key()
    entry = store.load(key, kind)
    if entry is None:
        with store.turn(key, kind) as entry:
            if entry is None:
                entry = Entry(*make())
                store.save(key, kind, name, entry)
                note(f"made {kind} {name} {key} in {_milliseconds(start)}")
                return entry
    note(f"found {kind} {name} {key} in {_milliseconds(start)}")
    return entry


def _milliseconds(start: float):
    return f"{(time.perf_counter() - start) * 1e3:.2f} ms"
