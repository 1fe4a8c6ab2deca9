"""Entries in a folder, for any number of processes at once, each of which may be killed at any moment.

An entry is one file, which appears whole: it is written under another name and renamed. Readers take all of it at once,
so it may be replaced or removed while they do. The system need not have it on disk yet when it is renamed: should the
machine stop then, its checksum tells. Locks belong to open files, so the kernel drops them when their process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from typing import NamedTuple

from .entry import Corrupt, Entry, pack, unpack
from .settings import note, warn_once

_TEMPORARY = "tmp-"
_LOCK = "lock-"
_OWN_FILES = (_TEMPORARY, _LOCK)

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_LONGEST_WAIT = 120.0  # seconds for another process to make an entry
_ABANDONED_AFTER = 60.0  # seconds until a temporary file that nothing has locked is one of a killed process
_TOUCH_AFTER = 60.0  # seconds between two notes of an entry's use
_KEPT_SHARE = 0.9  # of the limit, when it has been exceeded
_COUNTED_SHARE = 1 / 64  # of the limit: after so much is saved, a process counts what is there


class Listed(NamedTuple):
    """An entry as the folder lists it."""

    file: str
    bytes: int
    used: float  # when, in seconds since the epoch

    @property
    def key(self):
        return self.file.partition(".")[0]

    @property
    def kind(self):
        return self.file.partition(".")[2]


class Store:
    """Entries by key and kind in one folder, of `limit` bytes at most."""

    def __init__(self, folder: str, limit: int):
        self.folder = folder
        self.limit = limit
        self._is_writable = True
        self._uncounted = limit  # bytes saved since what is there was counted; a process begins with counting

    # Reading

    def load(self, key: str, kind: str):
        """The entry, or None. One that is corrupt is removed."""
        file = _file_name(key, kind)
        with self._opened() as folder:
            content = None if folder is None else self._read(folder, file)
            if content is None:
                return None
            try:
                return _checked(content, key, kind)
            except Corrupt as problem:
                note(f"removed {file}: {problem}")
                _remove(folder, file)
                return None

    def _read(self, folder: int, file: str):
        try:
            # Should it be a pipe, opening must not wait for a writer.
            opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            return None
        with open(opened, "rb", buffering=0) as stream:
            about = os.fstat(opened)
            if not stat.S_ISREG(about.st_mode) or not _is_trusted(about):
                note(f"left {file} alone: others may have written it")
                return None
            if time.time() - about.st_mtime > _TOUCH_AFTER:
                with contextlib.suppress(OSError):
                    os.utime(opened)
            try:
                return stream.readall()
            except OSError as problem:
                note(f"cannot read {file}: {problem}")
                return None

    # Writing

    def save(self, key: str, kind: str, name: str, entry: Entry):
        """Keeps an entry, if that is possible."""
        content = pack({"key": key, "kind": kind, "name": name}, entry)
        if not self._is_writable or len(content) > self.limit:
            return
        with self._opened(create=True) as folder:
            if folder is None:
                return
            try:
                _write(folder, _file_name(key, kind), content)
                self._uncounted += len(content)
                if self._uncounted > self.limit * _COUNTED_SHARE:
                    self._uncounted = 0
                    self._evict(folder)
            except OSError as problem:
                self._is_writable = False
                warn_once(self.folder, f"cannot be written ({problem.strerror}); new results are not kept")

    @contextlib.contextmanager
    def turn(self, key: str, kind: str):
        """A turn at making an entry, which one process has at a time; returns the entry where another one made it."""
        with self._opened(create=True) as folder, contextlib.ExitStack() as stack:
            entry = None
            if folder is not None and self._is_writable:
                lock = _open_lock(folder, key[:2])
                if lock is not None:
                    stack.callback(os.close, lock)
                    entry = self._wait(lock, key, kind)
            yield entry

    def _wait(self, lock: int, key: str, kind: str):
        """Waits for the lock, or for the entry to appear: a child of the process that made it may hold the lock on."""
        end, pause = time.monotonic() + _LONGEST_WAIT, 0.002
        while True:
            is_ours = _try_lock(lock)
            entry = self.load(key, kind)
            if entry is not None or is_ours or time.monotonic() > end:
                return entry
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    # The folder

    @contextlib.contextmanager
    def _opened(self, create: bool = False):
        """The folder as a descriptor, so that all is done in the one that was checked; None where it is of no use."""
        folder = self._open(create)
        try:
            yield folder
        finally:
            if folder is not None:
                os.close(folder)

    def _open(self, create: bool):
        try:
            if create:
                os.makedirs(self.folder, mode=0o700, exist_ok=True)
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as problem:
            if create or not isinstance(problem, FileNotFoundError):
                warn_once(self.folder, f"cannot be used ({problem.strerror}); nothing is kept")
            return None
        if _is_trusted(os.fstat(folder)):
            return folder
        os.close(folder)
        warn_once(self.folder, "is not used: it belongs to someone else, or others may write to it; make it 0700")
        return None

    def list(self):
        """The entries, those that were used last at the end."""
        with self._opened() as folder:
            return [] if folder is None else _list(folder)

    def _evict(self, folder: int):
        """Removes the entries that were not used for longest, where there is more than the limit."""
        lock = _open_lock(folder, "evict")
        if lock is None:
            return
        try:
            if _try_lock(lock):
                _remove_abandoned(folder)
                entries = _list(folder)
                excess = sum(entry.bytes for entry in entries) - self.limit
                excess += int((1 - _KEPT_SHARE) * self.limit) if excess > 0 else 0
                for entry in entries:
                    if excess <= 0:
                        break
                    note(f"evicted {entry.file}")
                    _remove(folder, entry.file)
                    excess -= entry.bytes
        finally:
            os.close(lock)

    def clear(self):
        """Removes all entries; returns their number and bytes."""
        with self._opened() as folder:
            entries = [] if folder is None else _list(folder)
            for entry in entries:
                _remove(folder, entry.file)
            if folder is not None:
                _remove_abandoned(folder)
        return len(entries), sum(entry.bytes for entry in entries)

    def verify(self):
        """Reads every entry; removes those that are corrupt and returns (entry, problem or None) for each."""
        found = []
        with self._opened() as folder:
            for listed in [] if folder is None else _list(folder):
                content = self._read(folder, listed.file)
                problem = None
                try:
                    if content is not None:
                        _checked(content, listed.key, listed.kind)
                except Corrupt as reason:
                    problem = str(reason)
                    _remove(folder, listed.file)
                found.append((listed, problem))
        return found

    def label(self, listed: Listed):
        """What an entry says about itself: its key, kind and name; None where it has gone or is corrupt."""
        with self._opened() as folder:
            content = None if folder is None else self._read(folder, listed.file)
        try:
            return None if content is None else unpack(content)[0]
        except Corrupt:
            return None


def _file_name(key: str, kind: str):
    return f"{key}.{kind}"


def _checked(content: bytes, key: str, kind: str):
    label, entry = unpack(content)
    if (label["key"], label["kind"]) != (key, kind):
        raise Corrupt("it is another entry under its name")
    return entry


def _is_trusted(about: os.stat_result):
    """Whether only this user, or the system, can have written it."""
    return about.st_uid in (os.geteuid(), 0) and not about.st_mode & _WRITABLE_BY_OTHERS


def _list(folder: int):
    entries = []
    with os.scandir(folder) as files:
        for file in files:
            if file.name.startswith(_OWN_FILES) or "." not in file.name:
                continue
            with contextlib.suppress(OSError):  # it has just gone
                about = file.stat(follow_symlinks=False)
                if stat.S_ISREG(about.st_mode):
                    entries.append(Listed(file.name, about.st_size, about.st_mtime))
    return sorted(entries, key=lambda entry: (entry.used, entry.file))


def _write(folder: int, file: str, content: bytes):
    temporary = f"{_TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(temporary, flags, 0o600, dir_fd=folder), "wb", buffering=0) as stream:
        try:
            _try_lock(stream.fileno())  # tells that it is not abandoned
            rest = memoryview(content)
            while rest:
                rest = rest[stream.write(rest) :]
            os.rename(temporary, file, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _remove(folder, temporary)
            raise


def _remove(folder: int, file: str):
    with contextlib.suppress(OSError):
        os.unlink(file, dir_fd=folder)


def _remove_abandoned(folder: int):
    """Removes temporary files of processes that were killed: those that are old and that nothing holds a lock of."""
    with os.scandir(folder) as files:
        names = [file.name for file in files if file.name.startswith(_TEMPORARY)]
    for name in names:
        with contextlib.suppress(OSError):
            opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                if time.time() - os.fstat(opened).st_mtime > _ABANDONED_AFTER and _try_lock(opened):
                    _remove(folder, name)
            finally:
                os.close(opened)


def _open_lock(folder: int, name: str):
    """One of a few lock files, which stay; None where there can be none. Keys that share one only wait longer."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(_LOCK + name, flags, 0o600, dir_fd=folder)
    except OSError:
        return None


def _try_lock(opened: int):
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError as problem:
        # A file system without locks must not keep anyone waiting.
        return not isinstance(problem, BlockingIOError)
