"""Front end for workshops: exercises with steps, each a problem, a solution and the diff between them.

It reads repositories in the numbered layout (`exercises/NN.name/MM.problem.name/...`), courses in other
layouts, and the JSON that the workshop application exports; one of each with the same name are one
workshop. A record for the workshop, which lists its content, is followed by one for each section, in the
order in which they are taught. Nothing is cut.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from kbc.diagnostics import Diagnostics
from kbc.frontends.workshops.export import read_export
from kbc.frontends.workshops.folder import FolderReader
from kbc.frontends.workshops.merging import merged
from kbc.frontends.workshops.parts import Workshop
from kbc.frontends.workshops.planned import FileTree, planned_workshop
from kbc.frontends.workshops.records import workshop_records
from kbc.languages.diffs import CONTEXT_LINES
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledRecord
from kbc.sources.workshop_tree import (
    EXERCISES,
    EXERCISES_HINT,
    IGNORE_FILE,
    PACKAGE_FILE,
    WITHOUT_EXERCISES,
    is_numbered,
)


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """The records of each workshop, by slug, followed by those of its sections."""
    context = collection.options.get("diff_context", CONTEXT_LINES)
    if context < 0:
        message = f"`diff_context` is {context}; it must be a number of lines"
        diagnostics.error("toml-bad-value", message, PROJECT_FILE, collection.line)
        return []
    workshops: dict[str, Workshop] = {}
    exported: dict[str, Workshop] = {}
    for workshop, is_export in _workshops(collection, files, context, diagnostics):
        known = exported if is_export else workshops
        earlier = known.setdefault(workshop.slug, workshop)
        if earlier is not workshop:
            message = f"the workshop {workshop.slug!r} is also in {earlier.folder}"
            hint = "Rename one of the folders: a workshop has the name of its folder."
            diagnostics.error("workshop-duplicate", message, workshop.folder, hint=hint)
    for slug, export in exported.items():
        workshops[slug] = merged(workshops[slug], export) if slug in workshops else export
    for workshop in workshops.values():
        if not workshop.exercises:
            message = f"the workshop {workshop.slug!r} has no exercises"
            diagnostics.warning(WITHOUT_EXERCISES, message, workshop.folder, hint=EXERCISES_HINT)
    records: list[CompiledRecord] = []
    for slug in sorted(workshops):
        records += workshop_records(collection, workshops[slug])
    return records


def _workshops(
    collection: Collection, files: Sequence[SourceFile], context: int, diagnostics: Diagnostics
) -> Iterable[tuple[Workshop, bool]]:
    """The workshops, and whether each is an exported one."""
    folders: dict[str, list[SourceFile]] = {}
    exports: list[SourceFile] = []
    planned = list(_planned(collection, files, context))
    yield from ((workshop, False) for workshop, _ in planned)
    taken = {path for _, paths in planned for path in paths}
    for file in files:
        folder, name = posixpath.split(file.path)
        before, marker, _ = f"/{file.path}".partition(f"/{EXERCISES}/")
        if file.path in taken:
            continue
        if marker:
            folders.setdefault(before.removeprefix("/"), []).append(file)
        elif file.path.endswith(IGNORE_FILE):
            folders.setdefault(posixpath.dirname(folder), []).append(file)
        elif name == PACKAGE_FILE:
            folders.setdefault(folder, []).append(file)
        elif name.endswith(".json"):
            exports.append(file)
    for folder, inside in folders.items():
        yield FolderReader(collection, folder, inside, context, diagnostics).workshop(), False
    for file in exports:
        exported = read_export(file, diagnostics)
        if exported is not None:
            yield exported, True


def _planned(
    collection: Collection, files: Sequence[SourceFile], context: int
) -> Iterator[tuple[Workshop, list[str]]]:
    """The workshops in other layouts than the numbered one, with the paths of their files: each path of the
    collection may be one, or a folder of them."""
    by_base: dict[str, list[SourceFile]] = {}
    for file in files:
        by_base.setdefault("" if file.base == "." else file.base, []).append(file)
    for base, inside in by_base.items():
        whole = FileTree(base, inside)
        if is_numbered(whole):
            continue
        if found := _placed_workshop(collection, base, whole, context):
            yield found
            continue
        for name, held in whole.by_folder().items():
            folder = posixpath.join(base, name)
            tree = FileTree(folder, held)
            if not is_numbered(tree) and (
                found := _placed_workshop(collection, folder, tree, context)
            ):
                yield found


def _placed_workshop(
    collection: Collection, folder: str, tree: FileTree, context: int
) -> tuple[Workshop, list[str]] | None:
    slug = posixpath.basename(folder) or collection.name
    workshop = planned_workshop(slug, folder, tree, context)
    paths = [file.path for file in tree.files.values()]
    return None if workshop is None else (workshop, paths)
