"""The state that a process keeps in memory from build to build: the model, its sessions, results of phases.

Every entry depends only on its key, so builds with and without it produce the same bytes. A single build
creates one and discards it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kbc.backends.vectors import GraphMemory
from kbc.cache.phase_memory import PhaseMemory
from kbc.encoding.cache import VectorMemory
from kbc.encoding.encoder import Sessions
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.shipped import ShippedEncoders
from kbc.encoding.tokenizer import TokenCounter
from kbc.project.signature import Signature

_Signature = tuple[tuple[str, int, int, int], ...]


class Engines:
    """The model and what was loaded of it; knowledge bases that one process builds may share them."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self.shipped = ShippedEncoders()
        self._models: dict[tuple[Path | None, Path | None], tuple[Model, _Signature]] = {}
        self._tokenizers: dict[tuple[str, str], TokenCounter] = {}

    def model(
        self, folder: Path | None, models: Path | None = None, *, offline: bool = True
    ) -> Model:
        """As `resolve_model`; a model whose files have kept size, time and inode is not hashed again."""
        known = self._models.get((folder, models))
        if known is not None and _signature(known[0]) == known[1]:
            return known[0]
        model = resolve_model(folder, models, offline=offline, quiet=False)
        self._models[folder, models] = model, _signature(model)
        return model

    def tokenizer(self, model: Model) -> TokenCounter:
        name = model.tokenizer_sha256, model.prompts.document
        if name not in self._tokenizers:
            self._tokenizers[name] = TokenCounter(model)
        return self._tokenizers[name]


class Resident:
    """What builds of one knowledge base leave to the next ones. Not for two builds at once.

    `is_warm` tells whether a build after an edit finds here all that the edit did not change. `beyond` are
    the files outside of the root that the last build looked for, as it found them.
    """

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self.phases = PhaseMemory()
        self.vectors = VectorMemory()
        self.graphs = GraphMemory()
        self.is_warm = False
        self.beyond: Mapping[Path, Signature | None] = {}

    def end_of_build(self, *, complete: bool) -> None:
        """A `complete` build went through all phases, with or without results from here."""
        self.phases.evict_unused(complete=complete)
        self.is_warm = self.is_warm or complete


def _signature(model: Model) -> _Signature:
    """Size, time and inode of every file of a model."""
    found = []
    for path in sorted(model.folder.rglob("*")):
        try:
            info = path.stat()
        except OSError:
            continue
        found.append((str(path), info.st_size, info.st_mtime_ns, info.st_ino))
    return tuple(found)
