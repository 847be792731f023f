"""The results of a build's phases, stored on disk: parsed texts, chunks, terms.

The key of a result is the phase, a hash over this compiler's source and the versions of its libraries, and
a hash over all inputs of the phase. Nothing is ever invalidated, because what changed has another key.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from kbc.cache import toolchain
from kbc.cache.codec import CodecError, pack, unpack
from kbc.cache.phase_memory import PhaseMemory
from kbc.cache.store import Store

FILE_NAME = "phases.sqlite3"
# A knowledge base takes five times its text, and what changes in it again; a large one raises it.
MAX_BYTES = 512 << 20

_BATCH = 256  # items that are looked up together
_WINDOW = 16  # items of one task of `submit`; fewer are computed here
_BATCHES_AHEAD = 8
_WRITE_BYTES = 8 << 20  # results that wait to be written in one transaction
# Texts of one build whose results stay in memory, for the phases that parse them again.
_MEMORY_CHARS = 20_000_000

Item = TypeVar("Item")
Result = TypeVar("Result")
Submit = Callable[[str, list[Any]], Callable[[], list[Any]]]
Spread = Callable[
    [Sequence[Any], Callable[[Any], Any], Callable[[Any, Any], bool]], list[Callable[[], Any]]
]
"""Shares items with other processes: gives what gives the result of each, to be called in order. The second
argument computes one here; the third says whether what another process has is the result of an item."""


@dataclass(slots=True)
class _LookedUp:
    """An item, and its result as memory has it, else as bytes in the store, else by `compute`."""

    item: Any
    key: bytes
    compute: Callable[[], Any]
    found: Any = None
    data: bytes | None = None


class PhaseCache:
    """Results by phase and key, in `folder`; with None nothing is kept on disk.

    `resident` is the memory of a process that builds again; it is asked before the folder. Nothing
    here raises for what is wrong with the store; `notes` says it.
    """

    def __init__(self, folder: Path | None, resident: PhaseMemory | None = None) -> None:
        self._store = Store(folder and folder / FILE_NAME, MAX_BYTES)
        self.notes = self._store.notes
        self._resident = resident
        self._toolchain = ""
        self._waiting: dict[str, dict[bytes, bytes]] = {}
        self._waiting_bytes = 0
        self._memory: dict[tuple[str, bytes], Any] = {}
        self._memory_chars = 0
        self.submit: Submit | None = None
        """Starts a phase over items on other processes, and gives what waits for its results: None for
        an item is one to compute here. None: everything is computed here."""
        self.spreads: dict[str, Spread] = {}
        """By phase, for those whose results may depend on more than `seen`."""

    def map(
        self,
        phase: str,
        compute: Callable[[Item], Result],
        items: Iterable[Item],
        seen: Callable[[Item], Any],
        kind: Any,
        *,
        is_local: bool = False,
        is_lasting: Callable[[Result], bool] | None = None,
        is_current: Callable[[Item, Result], bool] | None = None,
    ) -> Iterator[Result]:
        """`compute` of each item in order, taken from the store where it has them.

        `seen` gives everything that decides an item's result, as `pack` takes it, but for what
        `is_current` compares: whether a kept result is still that of the item. `is_lasting` says which
        results are kept; `kind` is their type. A phase that `is_local` is never a task of `submit`.
        """
        submit = None if is_local else self.submit
        spread = self.spreads.get(phase)
        if not self._keeps and submit is None and spread is None:
            yield from map(compute, items)
            return
        most_ahead = _BATCHES_AHEAD if submit is not None else 1 if spread is not None else 0
        rest = iter(items)
        ahead: deque[list[_LookedUp]] = deque()
        while True:
            for batch in iter(lambda: list(islice(rest, _BATCH)), []):
                looked_up = self._looked_up(phase, compute, batch, seen, kind, is_current)
                ahead.append(looked_up)
                absent = [each for each in looked_up if each.found is None and each.data is None]
                if spread is not None and absent:
                    wanted = [each.item for each in absent]
                    shared = spread(wanted, compute, is_current or _always)
                    for each, result in zip(absent, shared, strict=True):
                        each.compute = result
                elif submit is not None and len(absent) >= _WINDOW:
                    _submit(submit, phase, absent)
                if len(ahead) > most_ahead:
                    break
            if not ahead:
                return
            for each in ahead.popleft():
                found = each.found
                if found is None:
                    found = self._obtain(phase, each.key, each.data, each.compute, kind, is_lasting)
                yield found

    def _looked_up(
        self,
        phase: str,
        compute: Callable[[Item], Any],
        batch: list[Item],
        seen: Callable[[Item], Any],
        kind: Any,
        is_current: Callable[[Item, Any], bool] | None,
    ) -> list[_LookedUp]:
        """What memory and the store have of each item."""
        found = [_LookedUp(item, digest(seen(item)), partial(compute, item)) for item in batch]
        for each in found:
            each.found = self._held(phase, each.key)
        self._keep(phase, [each.key for each in found if each.found is not None])
        stored = self._get(phase, [each.key for each in found if each.found is None])
        for each in found:
            if each.found is None:
                each.data = stored.get(each.key)
            if is_current is None:
                continue
            if each.data is not None:
                each.found = self._from_store(phase, each.key, each.data, kind)
                each.data = None
            if each.found is not None and not is_current(each.item, each.found):
                each.found = None
        return found

    def absent(
        self, phase: str, items: Iterable[Item], seen: Callable[[Item], Any]
    ) -> Iterator[Item]:
        """The items whose results `map` would have to compute."""
        rest = iter(items)
        while batch := list(islice(rest, _BATCH)):
            keys = [digest(seen(item)) for item in batch]
            stored = self._get(phase, keys)
            for item, key in zip(batch, keys, strict=True):
                if key not in stored and self._held(phase, key) is None:
                    yield item

    def of_text(
        self,
        phase: str,
        text: str,
        settings: Any,
        compute: Callable[[], Result],
        kind: Any,
    ) -> Result:
        """`compute()`, whose result depends on `text` and `settings` alone."""
        key = digest([text, settings])
        found = self._held(phase, key)
        if found is not None:
            self._keep(phase, [key])
        if found is None:
            found = self._memory.get((phase, key))
        if found is None:
            data = self._get(phase, [key]).get(key)
            found = self._obtain(phase, key, data, compute, kind)
            if self._memory_chars < _MEMORY_CHARS and self._resident is None:
                self._memory[phase, key] = found
                self._memory_chars += len(text)
        return cast(Result, found)

    def reserve(self, size_bytes: int) -> None:
        """See `Store.reserve`."""
        self._store.reserve(size_bytes)

    def forget_texts(self) -> None:
        """Frees what `of_text` holds in memory for this build alone."""
        self._memory.clear()
        self._memory_chars = 0

    def close(self) -> None:
        """Writes what waits and closes the store."""
        self._write()
        self._store.close()

    @property
    def _keeps(self) -> bool:
        return self._store.is_on or self._resident is not None

    def _keep(self, phase: str, keys: list[bytes]) -> None:
        """Says of results in this process's memory that the store must not lose them."""
        if self._store.is_on and keys:
            self._store.keep(self._recipe(phase), keys)

    def _held(self, phase: str, key: bytes) -> Any:
        return None if self._resident is None else self._resident.get(phase, key)

    def _obtain(
        self,
        phase: str,
        key: bytes,
        data: bytes | None,
        compute: Callable[[], Any],
        kind: Any,
        is_lasting: Callable[[Any], bool] | None = None,
    ) -> Any:
        """The result that the store has as `data`, or else computed and put into it."""
        result = None if data is None else self._from_store(phase, key, data, kind)
        if result is None:
            result = compute()
            if is_lasting is not None and not is_lasting(result):
                return result
            data = self._put(phase, key, result)
            if self._resident is not None and data is not None:
                self._resident.put(phase, key, result, len(data))
        return result

    def _from_store(self, phase: str, key: bytes, data: bytes, kind: Any) -> Any:
        """The result that the store has as `data`; None where it is none of `kind`."""
        result = _unpacked(kind, data)
        if self._resident is not None and result is not None:
            self._resident.put(phase, key, result, len(data))
        return result

    def _recipe(self, phase: str) -> str:
        if not self._toolchain:
            made_by = [toolchain.source_hash(), toolchain.library_versions()]
            self._toolchain = hashlib.sha256(json.dumps(made_by).encode()).hexdigest()
        return f"{phase} {self._toolchain}"

    def _get(self, phase: str, keys: list[bytes]) -> dict[bytes, bytes]:
        if not self._store.is_on or not keys:
            return {}
        return self._store.get_many(self._recipe(phase), keys)

    def _put(self, phase: str, key: bytes, result: Any) -> bytes | None:
        """Keeps a result in the store, if there is one; gives the result as bytes."""
        if not self._keeps:
            return None
        try:
            data = pack(result)
        except CodecError:  # a rare value, computed again every time
            return None
        if self._store.is_on:
            self._waiting.setdefault(phase, {})[key] = data
            self._waiting_bytes += len(data)
            if self._waiting_bytes >= _WRITE_BYTES:
                self._write()
        return data

    def _write(self) -> None:
        for phase, values in self._waiting.items():
            self._store.put_many(self._recipe(phase), values)
        self._waiting.clear()
        self._waiting_bytes = 0


Function = TypeVar("Function", bound=Callable[..., Any])

_active: ContextVar[PhaseCache | None] = ContextVar("phase_cache", default=None)


@contextmanager
def remembering(cache: PhaseCache) -> Iterator[None]:
    """While the body runs, functions marked `remembered` take their results from `cache`."""
    token = _active.set(cache)
    try:
        yield
    finally:
        _active.reset(token)


def recalled_each(
    phase: str,
    compute: Callable[[Item], Result],
    items: Iterable[Item],
    seen: Callable[[Item], Any],
    kind: Any,
    *,
    is_lasting: Callable[[Result], bool] | None = None,
    is_current: Callable[[Item, Result], bool] | None = None,
) -> Iterator[Result]:
    """`compute` of each item in order, from the cache inside of `remembering`, where many are looked up at
    once. The other arguments are those of `PhaseCache.map`; no result is None."""
    cache = _active.get()
    if cache is None:
        return map(compute, items)
    return cache.map(
        phase,
        compute,
        items,
        seen,
        kind,
        is_local=True,
        is_lasting=is_lasting,
        is_current=is_current,
    )


@contextmanager
def spreading(phase: str, spread: Spread) -> Iterator[None]:
    """While the body runs inside of `remembering`, `spread` shares a phase with other processes."""
    cache = _active.get()
    if cache is None:
        yield
        return
    cache.spreads[phase] = spread
    try:
        yield
    finally:
        del cache.spreads[phase]


def remembered(phase: str) -> Callable[[Function], Function]:
    """Marks a pure function of a text, and of keyword arguments, whose result nobody changes.

    Its result is a value that `pack` takes, never None, as its return annotation says. Outside of
    `remembering` it is called as ever.
    """

    def mark(function: Function) -> Function:
        kind: Any = None
        usual = function.__kwdefaults__ or {}

        @wraps(function)
        def call(text: str, **settings: Any) -> Any:
            nonlocal kind
            cache = _active.get()
            if cache is None:
                return function(text, **settings)
            if kind is None:
                kind = get_type_hints(function)["return"]
            given = sorted({**usual, **settings}.items())
            return cache.of_text(phase, text, given, lambda: function(text, **settings), kind)

        return cast(Function, call)

    return mark


def digest(seen: Any) -> bytes:
    """A hash over `seen`; of text that has no form as bytes, which UTF-8 input never is, over its
    representation."""
    try:
        data = pack(seen)
    except CodecError:
        data = repr(seen).encode("utf-8", "backslashreplace")
    return hashlib.sha256(data).digest()


def _submit(submit: Submit, phase: str, absent: Sequence[_LookedUp]) -> None:
    """Starts windows of items on other processes."""
    for start in range(0, len(absent), _WINDOW):
        window = absent[start : start + _WINDOW]
        results = cache(submit(phase, [each.item for each in window]))
        for place, each in enumerate(window):
            each.compute = partial(_result, results, place, each.compute)


def _always(_item: Any, _result: Any) -> bool:
    return True


def _result(results: Callable[[], list[Any]], place: int, compute: Callable[[], Any]) -> Any:
    """The result of a window at `place`, or else computed here."""
    found = results()[place]
    return compute() if found is None else found


def _unpacked(kind: Any, data: bytes) -> Any:
    try:
        return unpack(kind, data)
    except CodecError:
        return None
