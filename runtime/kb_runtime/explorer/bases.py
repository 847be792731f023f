"""The knowledge bases that the explorer shows: opened on first use, and opened again when rebuilt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import kb_runtime as kr

Made = TypeVar("Made")


class OpenBuild:
    """One open build, with what was computed about it."""

    def __init__(self, kb: kr.KnowledgeBase) -> None:
        self.kb = kb
        self.users = 0
        self.is_retired = False
        self._made: dict[str, Any] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def remembered(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` gives, computed once for this build; others wait for whoever computes it."""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._made:
                self._made[name] = make()
            return cast("Made", self._made[name])

    def knows(self, name: str) -> bool:
        return name in self._made


class Base:
    """One artifact by its path. Whoever uses a build keeps it open, also when it is replaced. `open` opens
    others of its builds, trusted as the live one is."""

    def __init__(self, path: str, open_build: Callable[[str], kr.KnowledgeBase]) -> None:
        self.path = path
        self.open = open_build
        self._lock = threading.Lock()
        self._opened: OpenBuild | None = None

    @contextmanager
    def use(self) -> Iterator[OpenBuild]:
        """The build that is live now. Raises `ArtifactError`, unless an earlier one is still open."""
        with self._lock:
            opened = self._current()
            opened.users += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                if opened.is_retired and not opened.users:
                    opened.kb.close()

    def _current(self) -> OpenBuild:
        old = self._opened
        if old is not None and not old.kb.is_replaced:
            return old
        try:
            self._opened = OpenBuild(self.open(self.path))
        except kr.KbcError:
            if old is None:
                raise
            return old  # what was published is damaged or unsigned: the build before it is shown
        if old is not None:
            old.is_retired = True
            if not old.users:
                old.kb.close()
        return self._opened

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.is_retired = True
                if not self._opened.users:
                    self._opened.kb.close()
                self._opened = None


class Bases:
    """All artifacts that one explorer shows, in the order of the command line."""

    def __init__(
        self, paths: Sequence[str], open_build: Callable[[str], kr.KnowledgeBase] = kr.open
    ) -> None:
        self.all = tuple(Base(path, open_build) for path in paths)

    def at(self, number: str) -> int:
        """The place of a base that an address calls `number`, from 1; the first for what is none."""
        if number.isdecimal() and len(number) < 5 and 1 <= int(number) <= len(self.all):
            return int(number) - 1
        return 0

    def names(self) -> list[str]:
        """What each is called on the page; those of one name are told apart by their builds."""
        manifests = []
        for each in self.all:
            with each.use() as opened:
                manifests.append((opened.kb.name, opened.kb.build_id))
        bare = [name for name, _ in manifests]
        return [
            name if bare.count(name) == 1 else f"{name} {build[:6]}" for name, build in manifests
        ]

    def state(self) -> str:
        """Changes whenever one of them is rebuilt."""
        found = []
        for each in self.all:
            with each.use() as opened:
                found.append(opened.kb.build_id)
        return ".".join(found)

    def close(self) -> None:
        for each in self.all:
            each.close()
