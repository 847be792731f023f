"""Lists the content of the compiler's cache and removes entries from it.

Nothing here can damage a build: an entry that is missing is computed again.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.store.temporary_folders import remove_abandoned
from kbc.cache import phases
from kbc.cache.store import DAMAGE, remove_rows, stored_rows
from kbc.cli.trying import TRIED
from kbc.cli.tune import TUNED
from kbc.encoding import cache as embedding_cache
from kbc.encoding.graph_cache import remove_graph, remove_remains, stored_graphs
from kbc.linking import retention
from kbc.recognition import archives

EMBEDDINGS = "embeddings"
PHASES = "phases"
GRAPHS = "graphs"
_OPENED_WITHIN_S = 10.0
"""`kbc try` and `kbc tune` open what they have built, which locks it, within this time."""
_STAMPS = {archives.FOLDER: archives.LISTING, TRIED: retention.LOCK, TUNED: retention.LOCK}
"""Folders of the cache whose entries are folders, with the file of an entry whose time is its last use."""
_STORES = {EMBEDDINGS: embedding_cache.FILE_NAME, PHASES: phases.FILE_NAME}


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """Something that was computed or unpacked. `kind` is shown; `store` and `row`, or `folder`, say where
    it is. `used` is its last use in seconds since 1970, to the day; 0 when it is not known."""

    kind: str
    size: int
    used: int
    store: str = ""
    row: int = 0
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The entries of one kind; uses are None where none is known."""

    kind: str
    entries: int
    bytes: int
    oldest_use: int | None
    newest_use: int | None


@dataclass(frozen=True, slots=True)
class Contents:
    """A cache: its entries, its size on disk with what the files hold besides, and what cannot be
    read, in sentences."""

    folder: Path
    entries: list[CacheEntry]
    disk_bytes: int
    problems: list[str]

    @property
    def bytes(self) -> int:
        return sum(entry.size for entry in self.entries)

    def summaries(self) -> list[Summary]:
        """One for each kind that there is, by name."""
        kinds: dict[str, list[CacheEntry]] = defaultdict(list)
        for entry in self.entries:
            kinds[entry.kind].append(entry)
        return [_summary(kind, kinds[kind]) for kind in sorted(kinds)]


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed, or would be: entries and their bytes; how large the cache is now on disk;
    what could not be done, in sentences."""

    entries: int
    bytes: int
    disk_bytes: int
    problems: list[str]


def read_contents(folder: Path) -> Contents:
    """What is in the cache at `folder`; a folder that is not there is empty."""
    entries: list[CacheEntry] = []
    problems: list[str] = []
    for store, name in _STORES.items():
        try:
            for row in stored_rows(folder / name):
                phase = row.recipe.split(" ")[0]
                kind = f"{store}: {phase}" if store == PHASES else store
                entries.append(CacheEntry(kind, row.size, row.used, store, row.row))
        except DAMAGE as error:
            problems.append(f"{folder / name} cannot be read: {error}")
    graphs = stored_graphs(folder)
    entries += [CacheEntry(GRAPHS, each.size, each.used, folder=each.folder) for each in graphs]
    for kind, stamp in _STAMPS.items():
        for path in sorted((folder / kind).glob("[!.]*")):
            with suppress(OSError):
                used = int((path / stamp if (path / stamp).exists() else path).stat().st_mtime)
                entries.append(CacheEntry(kind, _disk_bytes(path), used, folder=path))
    return Contents(folder, entries, _disk_bytes(folder), problems)


def chosen(
    contents: Contents, used_before: float | None, max_bytes: int | None
) -> list[CacheEntry]:
    """What has to go so that no entry was last used before `used_before` (seconds since 1970) and all
    take `max_bytes` at most: those that nobody used for longest."""
    by_use = sorted(contents.entries, key=lambda entry: (entry.used, entry.size))
    left = contents.bytes
    going = []
    for entry in by_use:
        too_old = used_before is not None and entry.used < used_before
        too_large = max_bytes is not None and left > max_bytes
        if too_old or too_large:
            going.append(entry)
            left -= entry.size
    return going


def remove(folder: Path, going: list[CacheEntry]) -> Pruned:
    """Removes entries. Builds may run meanwhile; what they hold a lock on stays, and a problem says so."""
    problems = []
    gone: list[CacheEntry] = []
    for store, name in _STORES.items():
        own = [entry for entry in going if entry.store == store]
        try:
            if own and not remove_rows(folder / name, [entry.row for entry in own]):
                problems.append(f"{name} is in use: its file will shrink later")
        except DAMAGE as error:
            problems.append(f"{name} was not changed: {error}")
        else:
            gone += own
    for entry in going:
        if entry.folder is not None:
            try:
                is_gone = _remove_folder(entry.kind, entry.folder)
            except FileNotFoundError:
                is_gone = True
            except OSError as error:
                problems.append(f"{entry.folder} was not changed: {error.strerror}")
                continue
            if is_gone:
                gone.append(entry)
            else:
                problems.append(f"{entry.folder} is in use")
    with suppress(OSError):  # a cache that may only be read
        remove_remains(folder)
    for kind in _STAMPS:
        with suppress(OSError):
            retention.remove_debris(folder / kind)
            remove_abandoned(str(folder / kind), archives.UNFINISHED)
    return Pruned(len(gone), sum(entry.size for entry in gone), _disk_bytes(folder), problems)


def _remove_folder(kind: str, folder: Path) -> bool:
    """Removes an entry that is a folder; False while a process uses it. Raises `OSError`."""
    if kind == GRAPHS:
        remove_graph(folder)
        return True
    if kind == archives.FOLDER:
        return retention.remove_unused(folder, [folder / archives.LISTING])
    # Who has just built it is about to open it.
    locks = retention.locks_below(folder)
    return retention.remove_unused(folder, locks, idle_s=_OPENED_WITHIN_S)


def _summary(kind: str, entries: list[CacheEntry]) -> Summary:
    uses = [entry.used for entry in entries if entry.used]
    return Summary(
        kind,
        len(entries),
        sum(entry.size for entry in entries),
        min(uses, default=None),
        max(uses, default=None),
    )


def _disk_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total
