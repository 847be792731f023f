"""Files of the formats in `kbc.formats`, for the front ends that read pages."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kbc.cache.phases import remembered
from kbc.diagnostics import Diagnostics
from kbc.formats import (
    ELSEWHERE,
    FORMATS,
    UNRESOLVED,
    Converted,
    DocumentProblem,
    convert,
    format_of,
)
from kbc.frontends.includes import EXTERNAL_HINT, UNRESOLVED_HINT, counted
from kbc.frontends.markdown_file import first_paragraph
from kbc.languages import markdown
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import Section
from kbc.sources.formats import format_by_content

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_][\w.:-]*;")

SUFFIXES = tuple(FORMATS)

CountProblems = Callable[[SourceFile, Sequence[DocumentProblem]], None]


def is_converted(path: str) -> bool:
    """Whether the file is of one of the formats."""
    return path.lower().endswith(SUFFIXES)


def stated_format(collection: Collection, file: SourceFile) -> str:
    """The name of the format that a generator's configuration gives to an ending, as Sphinx does, or that
    the file begins as; "" where the ending itself tells."""
    suffixes = collection.generator_options.get("source_suffix", {})
    language = suffixes.get(f".{file.path.rpartition('.')[2]}")
    if language == "restructuredtext":
        return "rst"
    return "" if is_converted(file.path) else format_by_content(file.path, file.data)


def read_converted(
    file: SourceFile,
    diagnostics: Diagnostics,
    format: str = "",
    named: Mapping[str, str] | None = None,
    count: CountProblems | None = None,
) -> list[Converted]:
    """The documents of a file that have text; its problems are reported, what could not be included as
    one warning that counts the directives by name. `format` is the name of a format that the file has in
    spite of its ending, `named` the paths of files that others name without their folders. `count` takes
    what is elsewhere and has no line, to report it once for all files."""
    diagnostics.reading = file.path
    if file.is_blank:
        file.text(diagnostics)  # says that it is empty
        return []
    if named is None:
        named = _entity_files(file, format)
    include = partial(file.include, relative_to="")
    found = convert(file.path, file.data, include, format=format, named=named)
    problems = [problem for document in found for problem in document.problems]
    if count is not None:
        of_all = [each for each in problems if each.code == ELSEWHERE and not each.line]
        count(file, of_all)
        problems = [each for each in problems if each not in of_all]
    for problem in problems:
        if problem.code not in (UNRESOLVED, ELSEWHERE):
            _report(problem, file.path, diagnostics)
    for code, hint in ((UNRESOLVED, UNRESOLVED_HINT), (ELSEWHERE, EXTERNAL_HINT)):
        some = [problem for problem in problems if problem.code == code]
        if some:
            counts = Counter(problem.name for problem in some)
            listed = f"{counted(counts)}; the first: {some[0].message}"
            message = f"directives without their text ({len(some)}): {listed}"
            summary = DocumentProblem(code=code, message=message, line=some[0].line, hint=hint)
            _report(summary, file.path, diagnostics)
    return [document for document in found if document.text.strip()]


def _entity_files(file: SourceFile, format: str) -> dict[str, str] | None:
    """The files that may declare the entities of a DocBook document: beside it, above it, or in folders
    `entities` there, the nearest ones first."""
    chosen = format_of(file.path)
    name = format or (chosen.name if chosen else "")
    if file.tree is None or name != "docbook" or not _ENTITY.search(file.data):
        return None
    folder = posixpath.dirname(file.path.lstrip("/"))
    folders = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        folders.append(folder)
    places = [each for folder in folders for each in (folder, posixpath.join(folder, "entities"))]
    paths = [
        posixpath.join(place, name)
        for place in places
        for name in file.tree.names(place)
        if name.endswith(".ent")
    ]
    return {path: path for path in paths}


class ConvertedOutline(NamedTuple):
    """What a list of pages says of a converted document: its first level-1 heading, its first paragraph in
    short, and its sections."""

    heading: str
    summary: str
    sections: tuple[Section, ...]


def outline(document: Converted) -> ConvertedOutline:
    """The outline of a document, of which the cache has those that did not change."""
    return _outline(document.text, anchors=document.anchors)


@remembered("outline")
def _outline(text: str, *, anchors: Sequence[str]) -> ConvertedOutline:
    parsed = markdown.parse(text)
    heading = next((block.title for block in parsed.headings if block.level == 1), "")
    summary = first_paragraph(parsed.blocks, parsed.references)
    return ConvertedOutline(heading, summary, _with_anchors(markdown.sections(parsed), anchors))


def converted_sections(document: Converted) -> tuple[Section, ...]:
    """The sections of a document's text, with the anchors of its own tool where they are known."""
    return _with_anchors(markdown.sections(markdown.parse(document.text)), document.anchors)


def _with_anchors(found: tuple[Section, ...], anchors: Sequence[str]) -> tuple[Section, ...]:
    if len(anchors) != len(found):
        return found
    return tuple(
        dataclasses.replace(section, anchor=anchor or section.anchor)
        for section, anchor in zip(found, anchors, strict=True)
    )


def _report(problem: DocumentProblem, path: str, diagnostics: Diagnostics) -> None:
    """A file that cannot be read is a warning: among two thousand, one that is encrypted or damaged must
    not stop a build. It is counted as not readable, and `--strict` fails on it."""
    message = f"{problem.message}; the file was left out" if problem.is_error else problem.message
    report = diagnostics.note if problem.code == ELSEWHERE else diagnostics.warning
    report(problem.code, message, path, problem.line or None, hint=problem.hint)
