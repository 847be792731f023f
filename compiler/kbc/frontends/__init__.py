"""Reads files into records, one module per kind of collection, and checks across records.

Imports `formats`, `sources`, `languages`, `project`, `processor_time` and `cache`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from kbc.diagnostics import Diagnostics, guarded
from kbc.processor_time import limited
from kbc.project.kinds import KINDS
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledRecord

if TYPE_CHECKING:
    from kbc.frontends.labels import Neighbours

Frontend = Callable[[Collection, Sequence[SourceFile], Diagnostics], list[CompiledRecord]]

FRONTENDS: dict[str, Frontend] = {}
"""By kind of collection, those that were asked for: all together take a tenth of a second to import."""

__all__ = ["FRONTENDS", "Frontend", "check", "read"]


_MODULES = {"tests": "cases"}
"""Kind of collection -> the module of this room that reads it, where that is not called as the kind."""


_LIMIT_FILES = frozenset({"code", "docs", "pages"})
"""Kinds that limit the time of each file; of the others all files have one limit."""


def _frontend(kind: str) -> Frontend:
    if kind not in KINDS:
        raise ValueError(f"no front end reads {kind!r}")
    frontend: Frontend = import_module(f"{__name__}.{_MODULES.get(kind, kind)}").read
    return frontend


def check(
    records: Mapping[str, Sequence[CompiledRecord]],
    diagnostics: Diagnostics,
    collections: Iterable[Collection] = (),
    exists: Callable[[str], bool] | None = None,
) -> None:
    """Reports what is wrong across the records of all collections; see `references.check`."""
    from kbc.frontends import references  # a source tree, whose first draft is urgent, has none

    references.check(records, diagnostics, collections, exists)


def read(
    collection: Collection,
    files: Sequence[SourceFile],
    diagnostics: Diagnostics,
    neighbours: Neighbours = (),
) -> list[CompiledRecord]:
    """The records of a collection; what cannot be read is left out, with a diagnostic. One of the kind `docs`
    may have `neighbours`, to whose files its pages refer as to their own."""
    records: list[CompiledRecord] = []
    with guarded(diagnostics):
        if collection.kind not in FRONTENDS:
            FRONTENDS[collection.kind] = _frontend(collection.kind)
        read_all = FRONTENDS[collection.kind]
        if neighbours:
            from kbc.frontends import docs

            read_all = partial(docs.read, neighbours=neighbours)
        if collection.kind in _LIMIT_FILES:
            records += read_all(collection, files, diagnostics)
        else:
            with limited("", sum(len(file.data) for file in files)):
                records += read_all(collection, files, diagnostics)
    return records
