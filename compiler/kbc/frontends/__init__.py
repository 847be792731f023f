"""Reads files into records, one module per kind of collection, and checks across records.

Imports `sources`, `languages` and `project`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kbc.diagnostics import Diagnostics, guarded
from kbc.frontends import (
    builtins,
    cases,
    code,
    docs,
    examples,
    pages,
    patterns,
    routing,
    templates,
    workshops,
)
from kbc.frontends.references import check
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import Record

Frontend = Callable[[Collection, Sequence[SourceFile], Diagnostics], list[Record]]

FRONTENDS: Mapping[str, Frontend] = {
    "builtins": builtins.read,
    "docs": docs.read,
    "examples": examples.read,
    "patterns": patterns.read,
    "templates": templates.read,
    "code": code.read,
    "pages": pages.read,
    "workshops": workshops.read,
    "tests": cases.read,
    "routing": routing.read,
}

__all__ = ["FRONTENDS", "Frontend", "check", "read"]


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[Record]:
    """The records of a collection; what cannot be read is left out, with a diagnostic."""
    records: list[Record] = []
    with guarded(diagnostics):
        records += FRONTENDS[collection.kind](collection, files, diagnostics)
    return records
