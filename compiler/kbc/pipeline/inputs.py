"""The inputs of a build: what the front ends made of a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kbc.project.model import Collection, Project
from kbc.project.scopes import NOT_SEARCHED
from kbc.project.signature import Signature
from kbc.project.source_file import ReadFile, SourceFile
from kbc.records import CompiledRecord, DocRecord
from kbc.sources.accounting import Accounting


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the front ends made of a knowledge base. Collections are in row order, files sorted;
    `files` are those that were read and those that these include, without their content, which is as much
    memory as all records. `licences` are those of `files` that say under which terms the knowledge base is
    given away. `collected` has the paths of each collection's files: an ignore file decides of one collection
    whether it has a file that another one reads, too. `accounting` says what became of every file that was
    found, and `beyond` in which state the files outside of the root were that pages include, None for one
    that was missing."""

    project: Project
    collections: tuple[Collection, ...]
    files: tuple[ReadFile, ...]
    records: Mapping[str, list[CompiledRecord]]
    licences: tuple[SourceFile, ...] = ()
    accounting: Accounting = field(default_factory=Accounting)
    beyond: Mapping[Path, Signature | None] = field(default_factory=dict)
    collected: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def record_count(self) -> int:
        return sum(map(len, self.records.values()))

    @property
    def searched(self) -> list[CompiledRecord]:
        """The records that have chunks, in row order."""
        return [
            record
            for collection in self.collections
            if collection.kind not in NOT_SEARCHED
            for record in self.records[collection.name]
            if not _is_only_titled(record)
        ]

    @property
    def paths(self) -> dict[tuple[str, str], str]:
        """Collection and record id -> the file that the record is from."""
        return {
            (name, record.id): record.path
            for name, records in self.records.items()
            for record in records
        }


def _is_only_titled(record: CompiledRecord) -> bool:
    """Whether a page has a title and no text, as the pages of sections do in many sites: a list names it, and
    as a hit it would tell nothing."""
    return isinstance(record, DocRecord) and not record.content.strip() and not record.summary
