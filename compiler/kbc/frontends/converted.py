"""Files of the formats in `kbc.formats`, for the front ends that read pages."""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kbc.cache.phases import remembered
from kbc.diagnostics import Diagnostics
from kbc.formats import (
    BY_NAME,
    ELSEWHERE,
    FIGURE,
    FORMATS,
    UNRESOLVED,
    ConversionRequest,
    Converted,
    DocumentProblem,
    Format,
    FormatError,
    ProjectLabels,
    Read,
    convert_each,
    format_of,
    reads_python,
)
from kbc.formats.document import FIX_HINT
from kbc.frontends.markdown_file import first_paragraph
from kbc.frontends.page_includes import PageIncludes, without_text
from kbc.frontends.titles import first_heading, stated_in_header
from kbc.languages import markdown
from kbc.languages.suffixes import is_in_org
from kbc.project import permalinks
from kbc.project.include_tree import folders_above
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import Section
from kbc.sources.formats import format_by_content, is_numbered_text

if TYPE_CHECKING:
    from kbc.formats.asciidoc.books import Books

SUFFIXES = tuple(FORMATS)


def is_converted(path: str) -> bool:
    """Whether the file is of one of the formats."""
    return path.lower().endswith(SUFFIXES)


def books_among(files: Sequence[SourceFile], formats: Mapping[str, str]) -> Books | None:
    """The books among AsciiDoc files; None where there is no such file. `formats` are those of
    `formats_to_convert`."""
    endings = BY_NAME["asciidoc"].suffixes
    found = [
        file
        for file in files
        if file.path.lower().endswith(endings) or formats.get(file.path) == "asciidoc"
    ]
    if not found:
        return None
    from kbc.formats.asciidoc.books import find_books

    pages = ((file.path, file.data) for file in found)
    return find_books(pages, found[0].tree.real) if found[0].tree else find_books(pages)


def formats_to_convert(collection: Collection, files: Sequence[SourceFile]) -> dict[str, str]:
    """The paths of the files to be converted, each with the name of its format where a generator's
    configuration gives it to an ending, as Sphinx does, or the file begins as one; "" where the ending itself
    tells."""
    found: dict[str, str] = {}
    for file in () if collection.conventions.publishes_modules else files:
        is_numbered = is_numbered_text(file.path, file.data)
        format = _stated_format(collection, file, is_numbered=is_numbered)
        if format or (is_converted(file.path) and not is_numbered):
            found[file.path] = format
    return found


def _stated_format(collection: Collection, file: SourceFile, *, is_numbered: bool) -> str:
    format = collection.site.formats.get(f".{file.path.rpartition('.')[2]}", "")
    if format == "restructuredtext":
        return "rst"
    if format in BY_NAME:
        return format
    if is_numbered:
        return "org" if is_in_org(file.data) else ""
    return "" if is_converted(file.path) else format_by_content(file.path, file.data)


def read_converted(
    files: Sequence[tuple[SourceFile, str]],
    diagnostics: Diagnostics,
    includes: PageIncludes | None = None,
    labels: ProjectLabels | None = None,
    books: Books | None = None,
) -> Iterator[list[Converted]]:
    """Of each file the documents that have text; its problems are reported, what could not be included as
    one warning that counts the directives by name. With each file comes the name of a format that it has in
    spite of its ending, or "". `includes` takes what is elsewhere, to report it once for all files; `labels`
    are what files may refer to by name, `books` those among the files."""
    filled = (each for each in files if not each[0].is_blank)
    conversions = convert_each([_request(*each, includes, labels, books) for each in filled])
    for file, _ in files:
        diagnostics.reading = file.path
        if file.is_blank:
            file.text(diagnostics)  # says that it is empty
            yield []
        else:
            yield _with_text(file, next(conversions), includes, diagnostics)


def _request(
    file: SourceFile,
    format: str,
    includes: PageIncludes | None,
    labels: ProjectLabels | None,
    books: Books | None,
) -> ConversionRequest:
    read: Read = file.include
    around = _files_around(file, BY_NAME[format] if format else format_of(file.path))
    if books is not None:
        read = books.reading(file.path, read)
        around = [*books.around.get(file.path, ()), *around]
    return ConversionRequest(
        path=file.path,
        data=file.data,
        read=read,
        format=format,
        named=includes.named_files(file) if includes else None,
        around=around,
        labels=labels,
        doxygen=includes.doxygen if includes else None,
        python_paths=includes.python_paths if includes else (),
    )


def _with_text(
    file: SourceFile,
    found: list[Converted],
    includes: PageIncludes | None,
    diagnostics: Diagnostics,
) -> list[Converted]:
    """The documents that have text, with all problems reported."""
    by_code: dict[str, list[DocumentProblem]] = {UNRESOLVED: [], ELSEWHERE: []}
    for problem in (problem for document in found for problem in document.problems):
        if problem.code in by_code:
            by_code[problem.code].append(problem)
        else:
            report_problem(problem, file.path, diagnostics)
    if includes is not None:
        includes.count_elsewhere(file, by_code.pop(ELSEWHERE))
    for some in filter(None, by_code.values()):
        report_problem(without_text(some), file.path, diagnostics)
    return [document for document in found if document.text.strip()]


def read_python_module(
    collection: Collection, file: SourceFile, includes: PageIncludes, diagnostics: Diagnostics
) -> list[Converted]:
    """The page of a module in a reference that the site's program writes; none of a module without text,
    and a problem where the library that reads source is not installed."""
    diagnostics.reading = file.path
    stem = permalinks.page_path(collection, file.path).rpartition(".")[0]
    name = stem.replace("/", ".").removesuffix(".__init__")
    if not reads_python():
        message = f"the reference of {name!r} is not read from its source"
        problem = DocumentProblem(code=ELSEWHERE, message=message, name=collection.generator)
        includes.count_elsewhere(file, [problem])
        return []
    from kbc.formats.python.module_pages import module_page
    from kbc.formats.rst import Context, embedded

    context = Context(file.path, file.include)
    prose = partial(embedded, around=context, module=name)
    has_private = collection.site.describes_private
    try:
        page = module_page(name, file.path, file.data, prose, has_private=has_private)
    except FormatError as error:
        code, hint = error.code or "python-invalid", error.hint or FIX_HINT
        diagnostics.warning(code, error.message, file.path, error.line, hint=hint)
        return []
    found = [dataclasses.replace(page, problems=tuple(context.problems))] if page else []
    return _with_text(file, found, includes, diagnostics)


def _files_around(file: SourceFile, format: Format | None) -> list[str]:
    """The files around a document that its format reads, the nearest first."""
    tree = file.tree
    if tree is None or format is None:
        return []
    return [
        path
        for folder in folders_above(file.path.lstrip("/"))
        for place in format.around
        for path in tree.matching(*posixpath.split(posixpath.join(folder, place)))
    ]


class ConvertedOutline(NamedTuple):
    """What a list of pages says of a converted document: its first level-1 heading, or the title in its
    header, its first paragraph in short, its sections, and the heading of another level with which it begins,
    where all others are below that."""

    heading: str
    summary: str
    sections: tuple[Section, ...]
    first_heading: str


def outline(document: Converted) -> ConvertedOutline:
    """The outline of a document, of which the cache has those that did not change."""
    return _outline(document.text, anchors=document.anchors)


@remembered("outline")
def _outline(text: str, *, anchors: Sequence[str]) -> ConvertedOutline:
    parsed = markdown.parse(text)
    heading = stated_in_header(parsed.blocks) or parsed.title
    summary = first_paragraph(parsed.blocks, parsed.references)
    sections = _with_anchors(markdown.sections(parsed), anchors)
    return ConvertedOutline(heading, summary, sections, first_heading(parsed))


def _with_anchors(found: tuple[Section, ...], anchors: Sequence[str]) -> tuple[Section, ...]:
    if len(anchors) != len(found):
        return found
    both = zip(found, anchors, strict=True)
    return tuple(dataclasses.replace(each, anchor=anchor or each.anchor) for each, anchor in both)


def report_problem(problem: DocumentProblem, path: str, diagnostics: Diagnostics) -> None:
    """A file that cannot be read is a warning: among two thousand, one that is encrypted or damaged must
    not stop a build. It is counted as not readable, and `--strict` fails on it."""
    message = f"{problem.message}; the file was left out" if problem.is_error else problem.message
    is_note = problem.code in (ELSEWHERE, FIGURE)
    report = diagnostics.note if is_note else diagnostics.warning
    report(problem.code, message, path, problem.line, hint=problem.hint)
