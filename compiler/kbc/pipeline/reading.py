"""The front half of a build: reads a folder with a kb.toml into records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from kb_runtime.store.temporary_folders import temporary_folder
from kb_runtime.text.tables import count_of, first_of
from kbc import frontends
from kbc.diagnostics import Diagnostic, Diagnostics, Severity, guarded
from kbc.frontends.derived_routing import derive
from kbc.frontends.entries import derive_entries
from kbc.frontends.pages import is_metadata, not_a_page
from kbc.frontends.redirects import REDIRECT, is_redirect
from kbc.pipeline.copies import without_copies, without_empty
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import StrPath
from kbc.project import permalinks
from kbc.project.include_tree import IncludeTree
from kbc.project.loading import PROJECT_FILE, load_project
from kbc.project.model import Collection, Project
from kbc.project.scopes import in_row_order
from kbc.project.source_file import SourceFile
from kbc.recognition.archives import is_archive, release
from kbc.recognition.configuration import READER, syntax_problem
from kbc.recognition.declared import with_generators
from kbc.recognition.detection import RecognitionError, recognise
from kbc.records import CompiledRecord, SourceRecord
from kbc.sources.accounting import Accounting
from kbc.sources.discovery import discover, licence_files
from kbc.sources.source_tree import EMPTY
from kbc.sources.workshop_tree import NO_PLACE, unplaced

_README = re.compile(r"readme\.\w+", re.IGNORECASE)


def read_inputs(
    root: StrPath | Project,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    cache: Path | None = None,
) -> Inputs | None:
    """Reads everything and checks it. None when kb.toml is unusable; `diagnostics` says what is wrong.

    `root` is a folder with a kb.toml, any other folder, file or archive of documentation, or a project in
    memory. Archives are unpacked below `cache`, or into a folder that is gone when they are read.
    """
    with ExitStack() as stack:
        if isinstance(root, Project):
            project: Project | None = root
        else:
            path = Path(root)
            is_temporary = cache is None and path.is_file() and is_archive(path)
            if is_temporary:
                cache = Path(stack.enter_context(temporary_folder("kbc-archive-")))
                stack.callback(release, cache)
            project = project_at(path, cache, diagnostics)
        if project is None:
            return None
        inputs = _read_project(project, diagnostics, allow_outside)
        if project.boundary is not None and not project.is_file:
            inputs.accounting.complete(project.root, _left_out(inputs.project))
        return inputs


def _check_configuration(path: str, data: bytes, diagnostics: Diagnostics) -> None:
    if found := syntax_problem(path, data):
        problem, line = found
        diagnostics.warning(
            "config-invalid",
            f"the site's configuration cannot be read: {problem}; titles, order and addresses that it states"
            " are missing",
            path,
            line,
            hint="Fix the file, as its site generator needs it, too.",
        )


def _left_out(project: Project) -> dict[str, str]:
    """Folders that the generators' rules leave out -> why."""
    found: dict[str, str] = {}
    for collection in project.collections:
        found |= collection.site.left_out
    return found


def project_at(root: Path, cache: Path | None, diagnostics: Diagnostics) -> Project | None:
    """What kb.toml says, or else what `root` is recognised as."""
    if not root.exists() or (root / PROJECT_FILE).exists():
        return load_project(root, diagnostics)
    try:
        return recognise(root, cache).project
    except RecognitionError as error:
        diagnostics.error("kb-toml-missing", error.message, hint=error.hint)
        return None


def _read_project(project: Project, diagnostics: Diagnostics, allow_outside: bool) -> Inputs:
    """Reads everything that `project` names and checks it; `diagnostics` says what is wrong."""
    project = with_generators(project, diagnostics)
    tree, accounting = IncludeTree(project.root, project.boundary), Accounting()
    files = discover(project, diagnostics, allow_outside, tree=tree, accounting=accounting)
    for collection in project.collections:
        files[collection.name].sort(key=partial(_place, collection))
        for path in collection.site.files:
            tree.read(path, READER)
    stated = (each.site.files for each in project.collections)
    # The first is the configuration, which the sites of a repository may share.
    for path in sorted({files_of_site[0] for files_of_site in stated if files_of_site}):
        if (data := tree.read(path, READER)) is not None:
            _check_configuration(path, data, diagnostics)
    records = {
        collection.name: frontends.read(
            _with_named_readme(collection, files[collection.name], project.title),
            files[collection.name],
            diagnostics,
            [(each, files[each.name]) for each in _beside(collection, project)],
        )
        for collection in project.collections
    }
    if project.boundary is not None:
        records = without_copies(project, records, tree.included, diagnostics)
    if derived := derive(project.collections, records):
        rules, records[derived[0].name] = derived
        files[rules.name] = []
        project = replace(project, collections=(*project.collections, rules))
    if project.boundary is not None:
        _forgive(project, files, diagnostics)
    diagnostics.reading = ""
    with guarded(diagnostics):
        exists = tree.exists if project.boundary is not None else None
        frontends.check(records, diagnostics, project.collections, exists)
    # What its files say was checked with them.
    if project.build.entries and (found := derive_entries(project.collections, records)):
        entries, records[found[0].name] = found
        files[entries.name] = []
        diagnostics.note(
            "derived-entries",
            f"the collection {entries.name!r} has {count_of(len(found[1]), 'API entry')} from headers,"
            " descriptions in JSON and tables of functions",
            hint="`entries = false` in [build] of kb.toml makes none.",
        )
        project = replace(project, collections=(*project.collections, entries))
    if not diagnostics.errors and not any(map(_is_content, chain(*records.values()))):
        _report_nothing(project, diagnostics)
    licences = licence_files(project, allow_outside)
    each_once = {file.path: file for found in (*files.values(), licences) for file in found}
    _account(project, files, records, accounting, diagnostics)
    _report_unread(accounting.unread_documents(), diagnostics)
    for path, includers in tree.included.items():
        each_once.setdefault(path, SourceFile(path, tree.data(path)))
        accounting.included(path, includers)
    for licence in licences:
        accounting.included(licence.path, ["the artifact, as its licence"])
    if project.boundary is not None:
        project = without_empty(project, records)
    elif (project.root / PROJECT_FILE).is_file():
        accounting.included(PROJECT_FILE, ["kbc, as settings"])
    return Inputs(
        project,
        tuple(in_row_order(project.collections)),
        tuple(each_once[path].read for path in sorted(each_once)),
        records,
        tuple(licences),
        accounting,
        tree.beyond,
        {name: [file.path for file in found] for name, found in files.items() if name in records},
    )


def _beside(collection: Collection, project: Project) -> list[Collection]:
    """The collections whose labels its pages refer to: the galleries of a site of Sphinx, and for one of them
    the site and its other galleries."""
    known = collection.conventions.refers_to
    if collection.kind != "docs":
        return []
    others = (each for each in project.collections if each is not collection)
    return [each for each in others if each.generator in known and each.kind == "docs"]


def _forgive(
    project: Project, files: Mapping[str, Sequence[SourceFile]], diagnostics: Diagnostics
) -> None:
    """Makes warnings of errors in files that nobody wrote for a knowledge base: one, or a folder, that cannot
    be read, or a link out of their folder, which is not followed, must not stop all."""
    pages = {
        file.path
        for each in project.collections
        if each.kind == "docs"
        for file in files[each.name]
    }
    diagnostics.downgrade(
        lambda each: (
            _is_of_file(each)
            or each.code in ("path-outside", "folder-unreadable")
            or (_is_metadata(each) and each.path in pages)
        )
    )


def _is_content(record: CompiledRecord) -> bool:
    """Whether it is more than the name of a documentation set that has no page."""
    return not isinstance(record, SourceRecord) or bool(record.pages)


def _report_nothing(project: Project, diagnostics: Diagnostics) -> None:
    has_config = (project.root / PROJECT_FILE).exists()
    diagnostics.error(
        "no-records",
        "the knowledge base contains no record",
        PROJECT_FILE if has_config else "",
        hint="Add pages to the folders that kb.toml names; `kbc inspect FOLDER --files` says why files are"
        " left out."
        if has_config
        else "Name a folder with pages or source.",
    )


def _report_unread(unread: Sequence[str], diagnostics: Diagnostics) -> None:
    if unread:
        diagnostics.note(
            "format-not-read",
            f"documentation in formats that kbc does not read: {len(unread):,} ({first_of(unread, 3)})",
            unread[0],
            hint="Convert it to HTML or Markdown, for example with pandoc or the format's own tool, and"
            " build the result.",
        )


def _with_named_readme(
    collection: Collection, files: Sequence[SourceFile], title: str
) -> Collection:
    """The collection, where no generator names its pages and a README without a heading, under a logo for
    example, is called as the knowledge base."""
    pages = (
        []
        if collection.generator
        else [permalinks.page_path(collection, file.path) for file in files]
    )
    titles = {page: title for page in pages if _README.fullmatch(page)}
    named = replace(collection.site, titles=titles)
    return replace(collection, site=named) if titles else collection


def _place(collection: Collection, file: SourceFile) -> tuple[int, str]:
    return permalinks.position(collection, file.path), file.path


def _is_of_file(problem: Diagnostic) -> bool:
    """Whether a file could not be read, as opposed to what is wrong with what it says."""
    return (
        problem.code.startswith("file-")
        or problem.code.endswith("-invalid")
        or problem.code in ("format-library-missing", "tests-unreadable")
    )


def _is_metadata(problem: Diagnostic) -> bool:
    """Whether a field of a page's metadata is wrong, which then has its default."""
    return problem.code.startswith("metadata-")


_BY_FILE = frozenset({"docs", "pages", "tests"})
"""Kinds whose every file should become a record; of others, several files may make one."""


def _account(
    project: Project,
    files: Mapping[str, list[SourceFile]],
    records: Mapping[str, list[CompiledRecord]],
    accounting: Accounting,
    diagnostics: Diagnostics,
) -> None:
    """Takes back `read` for files that front ends made no record of, with what they said about them."""
    paths = {record.path for found in records.values() for record in found}
    said: dict[str, Diagnostic] = {}
    for found in diagnostics:
        if found.severity is not Severity.NOTE:
            worst = said.setdefault(found.path, found)
            said[found.path] = min(worst, found, key=lambda each: each.severity)
    for collection in project.collections:
        if collection.kind == "workshops":
            for path in unplaced((file.path for file in files[collection.name]), paths):
                accounting.not_a_page(path, NO_PLACE, is_defect=False)
        if collection.kind == "examples":
            for file in files[collection.name]:
                if file.is_blank:
                    accounting.not_a_page(file.path, EMPTY, is_defect=False)
        if collection.kind not in _BY_FILE:
            continue
        for file in files[collection.name]:
            name = file.path.rsplit("/", 1)[-1]
            if file.path in paths or is_metadata(name):
                continue
            problem = said.get(file.path)
            if collection.kind == "tests" and (problem is None or not _is_of_file(problem)):
                accounting.not_a_page(file.path, "no test of its own", is_defect=False)
            elif problem is None:
                is_alias = collection.kind == "docs" and is_redirect(file)
                reason = REDIRECT if is_alias else not_a_page(file) or "not a separate page"
                accounting.not_a_page(file.path, reason, is_defect=False)
            else:
                is_defect = _is_of_file(problem) or problem.severity is Severity.ERROR
                accounting.not_a_page(file.path, problem.code, is_defect=is_defect)
