"""Graphs that were written before: they depend on the model only, not on the knowledge base.

An entry is a folder with the graph and the hashes of its files, checked whenever it is taken. Trouble
with the cache never fails a build; the graph is then written anew.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from kbc.encoding.model import Model
from kbc.encoding.variants import RECIPE, Variant

FOLDER = "graphs"
_GRAPH_FILES = ("model.onnx", "model.bin")
_HASHES = "sha256.json"


def write_cached_graph(
    model: Model, variant: Variant, folder: Path, cache: Path | None, *, link: bool = False
) -> None:
    """Writes `model.onnx` and `model.bin` into `folder`, from `cache` when it has them.

    `cache` is the compiler's cache folder, or None for no cache. With `link` the files may be those of
    the cache, for who only reads them; without it they are copies.
    """
    entry = cache / FOLDER / _entry_name(model, variant) if cache is not None else None
    if entry is not None and _take(entry, folder, link):
        return
    for (
        name
    ) in _GRAPH_FILES:  # of a damaged entry; to write through a link would change the cache's
        (folder / name).unlink(missing_ok=True)
    # Importing onnx takes a tenth of a second, which a build with a warm cache does not pay.
    from kbc.encoding.graph import write_graph

    write_graph(model, variant, folder)
    if entry is not None:
        with suppress(OSError):
            _keep(entry, folder)


def _entry_name(model: Model, variant: Variant) -> str:
    """What a graph depends on; the writing library is part of it, for the bytes of the file."""
    identity = [model.graph_identity, variant, RECIPE, importlib.metadata.version("onnx")]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:24]


def _take(entry: Path, folder: Path, link: bool) -> bool:
    """Puts a kept graph into `folder` if it is there and sound."""
    try:
        hashes = json.loads((entry / _HASHES).read_text())
        for name in _GRAPH_FILES:
            if not (link and _linked(entry / name, folder / name)):
                shutil.copyfile(entry / name, folder / name)
            if _sha256(folder / name) != hashes[name]:
                return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _linked(source: Path, target: Path) -> bool:
    """Whether `target` is another name of `source` now; not across file systems, for example."""
    try:
        target.hardlink_to(source)
    except OSError:
        return False
    return True


def _keep(entry: Path, folder: Path) -> None:
    """Puts the graph in `folder` into the cache, in one step."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=entry.parent))
    try:
        for name in _GRAPH_FILES:
            shutil.copyfile(folder / name, temporary / name)
        hashes = {name: _sha256(folder / name) for name in _GRAPH_FILES}
        (temporary / _HASHES).write_text(json.dumps(hashes))
        if entry.exists():
            shutil.rmtree(entry)
        temporary.replace(entry)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
