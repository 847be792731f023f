"""What a disk may hold after a power loss: the operations of a process, of which some have not arrived.

A write arrives for sure when its file was flushed after it; an entry of a folder (a new name, a rename, a
removal) when that folder was. Anything else may have arrived or not, in any order: that is all that POSIX
says, and more than file systems do.
"""

from __future__ import annotations

import os
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.injection import shim

_HEAD = struct.Struct("<iq")
SYSTEMATIC = 4
"""The states at a point that are not random ones."""

# The lexical engine renames these once they are flushed, by a system call that no library sees; the compiler
# removes what they become before it publishes.
_RENAMED = re.compile(r"\.tmp\w{6}")
_REMOVES_FOLDER = 0x200  # AT_REMOVEDIR


class Step(NamedTuple):
    """An operation as the shim records it; `where` is an offset, or -1 - size for a truncation."""

    kind: int
    where: int
    path: str
    other: str
    data: bytes


def recorded(log: bytes) -> Iterator[Step]:
    at = 0

    def text(at: int) -> tuple[bytes, int]:
        (size,) = struct.unpack_from("<I", log, at)
        return log[at + 4 : at + 4 + size], at + 4 + size

    while at < len(log):
        kind, where = _HEAD.unpack_from(log, at)
        path, at = text(at + _HEAD.size)
        other, at = text(at)
        (size,) = struct.unpack_from("<Q", log, at)
        yield Step(kind, where, os.fsdecode(path), os.fsdecode(other), log[at + 8 : at + 8 + size])
        at += 8 + size


Store = dict[int, dict[str, int] | bytearray]
"""Files and the entries of folders, by number; number 0 is the root."""


class Entry(NamedTuple):
    """A change of folders: what each name in a folder stands for now, -1 for nothing, all at once."""

    changes: tuple[tuple[int, str, int], ...]


class Content(NamedTuple):
    node: int
    where: int
    data: bytes


class Disk:
    """The steps so far, each with whether it has arrived for sure."""

    def __init__(self, root: Path) -> None:
        """`root` is what is on the disk for sure."""
        self._prefix = os.fspath(root)
        self._first: Store = {}
        _read(root, self._first)
        self._now = _copy(self._first)
        self._changes: list[Entry | Content] = []
        self._sure: list[bool] = []

    def take(self, step: Step) -> None:
        """Records a step; one that has failed changes nothing."""
        if step.kind == shim.SYNC:
            self._flush(0 if step.path == self._prefix else self._node(step.path))
            folder, name = self._place(step.path)
            if _RENAMED.fullmatch(name):
                self._enter((folder, name, -1))
            return
        folder, name = self._place(step.path)
        node = self._node(step.path)
        inside = self._now.get(node)
        if folder < 0:
            return
        if step.kind == shim.CREATE:
            if node < 0:
                self._enter((folder, name, self._made(bytearray())))
            else:
                self._write(node, -1, b"")
        elif step.kind == shim.WRITE and isinstance(inside, bytearray):
            self._write(node, step.where, step.data)
        elif step.kind == shim.MKDIR and node < 0:
            self._enter((folder, name, self._made({})))
        elif step.kind == shim.UNLINK and node >= 0:
            is_folder = isinstance(inside, dict)
            if (step.where == _REMOVES_FOLDER) == is_folder and not (is_folder and inside):
                self._enter((folder, name, -1))
        elif step.kind in (shim.RENAME, shim.LINK) and node >= 0:
            target, called = self._place(step.other)
            if target >= 0 and step.kind == shim.RENAME:
                self._enter((folder, name, -1), (target, called, node))
            elif target >= 0 and self._node(step.other) < 0:
                self._enter((target, called, node))

    def states(self, chance: random.Random, more: int) -> Iterator[Store]:
        """What may be on the disk now: everything; what is sure alone; all names without the data that
        is not sure, and with half of it; and `more` at random."""
        count = len(self._changes)
        names = [isinstance(each, Entry) for each in self._changes]
        yield self._state([1.0] * count)
        yield self._state([0.0] * count)
        yield self._state([1.0 if is_name else 0.0 for is_name in names])
        yield self._state([1.0 if is_name else 0.5 for is_name in names])
        for _ in range(more):
            yield self._state([chance.choice((0.0, 0.5, 1.0)) for _ in range(count)])

    def _state(self, arrived: list[float]) -> Store:
        """The first state with as much of each change as has arrived, where it is not sure."""
        store = _copy(self._first)
        for change, sure, share in zip(self._changes, self._sure, arrived, strict=True):
            if isinstance(change, Entry):
                if sure or share == 1.0:
                    _enter(store, change)
            elif sure or share:
                size = len(change.data) if sure else int(len(change.data) * share)
                _write(store, change._replace(data=change.data[:size]))
        return store

    def _place(self, path: str) -> tuple[int, str]:
        """The number of the folder that a path is in, -1 for none, and its name there."""
        if not path.startswith(self._prefix + "/"):
            return -1, ""
        *folders, name = [part for part in path[len(self._prefix) + 1 :].split("/") if part != "."]
        node = 0
        for part in folders:
            inside = self._now.get(node)
            node = inside.get(part, -1) if isinstance(inside, dict) else -1
        return (node if isinstance(self._now.get(node), dict) else -1), name

    def _node(self, path: str) -> int:
        folder, name = self._place(path)
        inside = self._now.get(folder)
        return inside.get(name, -1) if isinstance(inside, dict) else -1

    def _made(self, inside: dict[str, int] | bytearray) -> int:
        """The number of a new node, which is empty in every state until its changes arrive."""
        number = max(self._now) + 1
        self._now[number] = inside
        self._first[number] = inside.copy()
        return number

    def _enter(self, *changes: tuple[int, str, int]) -> None:
        self._changes.append(Entry(changes))
        self._sure.append(False)
        _enter(self._now, Entry(changes))

    def _write(self, node: int, where: int, data: bytes) -> None:
        self._changes.append(Content(node, where, data))
        self._sure.append(False)
        _write(self._now, Content(node, where, data))

    def _flush(self, node: int) -> None:
        for number, change in enumerate(self._changes):
            if isinstance(change, Content):
                self._sure[number] |= change.node == node
            else:
                self._sure[number] |= any(folder == node for folder, _, _ in change.changes)


def write_out(store: Store, folder: Path, node: int = 0) -> None:
    """Makes a state in an empty folder."""
    entries = store[node]
    assert isinstance(entries, dict)
    for name, number in entries.items():
        inside = store[number]
        if isinstance(inside, dict):
            (folder / name).mkdir()
            write_out(store, folder / name, number)
        else:
            (folder / name).write_bytes(inside)


def digest(store: Store, node: int = 0) -> int:
    """The same for states that a reader cannot tell apart."""
    inside = store[node]
    if isinstance(inside, bytearray):
        return hash(bytes(inside))
    return hash(tuple((name, digest(store, number)) for name, number in sorted(inside.items())))


def _read(path: Path, store: Store) -> int:
    number = len(store)
    if path.is_dir():
        entries: dict[str, int] = {}
        store[number] = entries
        entries.update({each.name: _read(each, store) for each in sorted(path.iterdir())})
    else:
        store[number] = bytearray(path.read_bytes())
    return number


def _copy(store: Store) -> Store:
    return {number: inside.copy() for number, inside in store.items()}


def _enter(store: Store, entry: Entry) -> None:
    for folder, name, node in entry.changes:
        entries = store[folder]
        assert isinstance(entries, dict)
        if node < 0:
            entries.pop(name, None)
        else:
            entries[name] = node


def _write(store: Store, content: Content) -> None:
    data = store[content.node]
    assert isinstance(data, bytearray)
    if content.where < 0:
        size = -1 - content.where
        data[size:] = bytes(max(0, size - len(data)))
        return
    data.extend(bytes(max(0, content.where - len(data))))
    data[content.where : content.where + len(content.data)] = content.data
