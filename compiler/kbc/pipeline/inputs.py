"""The front half of a build: reads a folder with a kb.toml into records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kbc import frontends
from kbc.diagnostics import Diagnostics
from kbc.frontends.converted import included_from
from kbc.project.loading import PROJECT_FILE, load_project
from kbc.project.model import Collection, Project
from kbc.project.scopes import in_row_order
from kbc.project.source_file import SourceFile
from kbc.records import Record
from kbc.sources.discovery import discover, licence_files


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the front ends made of a knowledge base. Collections are in row order, files sorted;
    `licences` are those of `files` that say under which terms the knowledge base is given away."""

    project: Project
    collections: tuple[Collection, ...]
    files: tuple[SourceFile, ...]
    records: Mapping[str, list[Record]]
    licences: tuple[SourceFile, ...] = ()

    @property
    def record_count(self) -> int:
        return sum(map(len, self.records.values()))

    @property
    def paths(self) -> dict[tuple[str, str], str]:
        """Collection and record id -> the file that the record is from."""
        return {
            (name, record.id): record.path
            for name, records in self.records.items()
            for record in records
        }


def read_inputs(root: Path, diagnostics: Diagnostics, allow_outside: bool = False) -> Inputs | None:
    """Reads everything and checks it. None when kb.toml is unusable; `diagnostics` says what is wrong."""
    project = load_project(root, diagnostics)
    if project is None:
        return None
    files = discover(project, diagnostics, allow_outside)
    with included_from(project.root):
        records = {
            collection.name: frontends.read(collection, files[collection.name], diagnostics)
            for collection in project.collections
        }
    frontends.check(records, diagnostics)
    if not diagnostics.errors and not any(records.values()):
        diagnostics.error(
            "no-records",
            "the knowledge base contains no record",
            PROJECT_FILE,
            hint="Add pages to the folders that kb.toml names.",
        )
    licences = licence_files(project, allow_outside)
    each_once = {file.path: file for found in (*files.values(), licences) for file in found}
    return Inputs(
        project,
        tuple(in_row_order(project.collections)),
        tuple(each_once[path] for path in sorted(each_once)),
        records,
        tuple(licences),
    )
