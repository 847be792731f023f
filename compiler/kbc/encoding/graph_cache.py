"""Caches ONNX graphs, which depend on the model only and not on the knowledge base.

An entry is a folder with the graph and the hashes of its files. It is read whole and checked, and only
what was checked is used, so later changes to the cache reach neither a session nor an artifact. Problems
with the cache never fail a build; the graph is then written again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from kb_runtime.store.locks import open_locked
from kb_runtime.store.temporary_folders import temporary_folder
from kbc.encoding.model import Model
from kbc.encoding.variants import LAYOUT, REVISIONS, Variant

FOLDER = "graphs"
UNFINISHED = ".new-"
"""How the name of an entry under construction starts."""
LOCK = ".lock"
"""Held by who writes an entry; the kernel drops it when its holder dies."""

_GRAPH = "model.onnx"
_HASHES = "sha256.json"
_TEMPORARY = "kbc-graph-"

_making = threading.Lock()
"""Held by the thread that looks for a graph or writes it: the next one finds what it wrote."""

WEIGHTS = "model.bin"
"""How a graph calls the file with its weights."""


class Graph(NamedTuple):
    """An ONNX graph and its weights, as bytes."""

    onnx: bytes
    weights: bytes

    @classmethod
    def read(cls, folder: Path) -> Graph:
        return cls((folder / _GRAPH).read_bytes(), (folder / WEIGHTS).read_bytes())

    def write(self, folder: Path) -> None:
        (folder / _GRAPH).write_bytes(self.onnx)
        (folder / WEIGHTS).write_bytes(self.weights)


def read_graph(model: Model, variant: Variant, cache: Path | None) -> Graph:
    """The graph of `model`, from `cache` when it has it. `cache` is the compiler's cache folder, or
    None for no cache."""
    entry = cache / FOLDER / _entry_name(model, variant) if cache is not None else None
    with _making:
        if entry is not None:
            kept = _kept(entry)
            if kept is not None:
                return kept
            with suppress(OSError), _writing(entry.parent) as folder:
                graph = _written(model, variant, folder)
                _keep(entry, folder, graph)
                return graph
        with temporary_folder(_TEMPORARY) as name:
            return _written(model, variant, Path(name))


def remove_unfinished(folder: Path) -> None:
    """Removes what killed builds left in the folder of graphs. Its lock must be held."""
    for path in folder.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)


def _entry_name(model: Model, variant: Variant) -> str:
    """What a graph depends on."""
    identity = [model.graph_identity, variant, REVISIONS[variant], LAYOUT]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:24]


def _written(model: Model, variant: Variant, folder: Path) -> Graph:
    # A build with a warm cache does not pay for the import.
    from kbc.encoding.graph import write_graph

    write_graph(model, variant, folder)
    return Graph.read(folder)


def _kept(entry: Path) -> Graph | None:
    """A kept graph if it is there and sound. The time of its hashes tells when it was last used."""
    try:
        hashes = json.loads((entry / _HASHES).read_text())
        graph = Graph.read(entry)
        if hashes != _hashes(graph):
            return None
    except (OSError, ValueError):
        return None
    with suppress(OSError):  # a cache that may only be read is fine
        os.utime(entry / _HASHES)
    return graph


class StoredGraph(NamedTuple):
    """An entry: its folder, size in bytes, and last use in seconds since 1970."""

    folder: Path
    size: int
    used: int


def stored_graphs(cache: Path) -> list[StoredGraph]:
    """The entries of a cache; those that are damaged, too."""
    found = []
    for folder in sorted((cache / FOLDER).glob("[!.]*")):
        with suppress(OSError):
            sizes = [file.stat().st_size for file in folder.iterdir()]
            hashes = folder / _HASHES
            used = int((hashes if hashes.exists() else folder).stat().st_mtime)
            found.append(StoredGraph(folder, sum(sizes), used))
    return found


def remove_graph(folder: Path) -> None:
    """Removes an entry; it is gone at once, then its files go."""
    aside = folder.with_name(f"{UNFINISHED}{folder.name}-{os.getpid()}")
    folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def remove_remains(cache: Path) -> None:
    """Removes what killed builds and removals left, unless a build is writing."""
    folder = cache / FOLDER
    lock = open_locked(folder / LOCK) if folder.is_dir() else None
    if lock is not None:
        try:
            remove_unfinished(folder)
        finally:
            os.close(lock)


@contextmanager
def _writing(folder: Path) -> Iterator[Path]:
    """An empty folder beside the entries, removed afterwards unless it has become one.

    Raises `OSError`, also when another build is writing: there is no need to wait for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = open_locked(folder / LOCK)
    if lock is None:
        raise BlockingIOError(f"another build is writing to {folder}")
    try:
        remove_unfinished(folder)
        temporary = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder))
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    finally:
        os.close(lock)


def _keep(entry: Path, folder: Path, graph: Graph) -> None:
    """Makes the graph that is in `folder` an entry, in one step."""
    with suppress(OSError):
        (folder / _HASHES).write_text(json.dumps(_hashes(graph)))
        if entry.exists():
            shutil.rmtree(entry)
        folder.replace(entry)


def _hashes(graph: Graph) -> dict[str, str]:
    return {
        _GRAPH: hashlib.sha256(graph.onnx).hexdigest(),
        WEIGHTS: hashlib.sha256(graph.weights).hexdigest(),
    }
