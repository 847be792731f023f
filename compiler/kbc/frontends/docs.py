"""Front end for documentation pages: Markdown, MDX, plain text, and what `kbc.formats` converts.

Front matter may contain anything; `title`, `summary` or `description`, `tags`, `topics` and `url` are
used, and all of it is kept. A page's id is its path below the knowledge base's root. Its group is its
collection's, except that pages below `lessons/` in a collection of the group core are lessons.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from pydantic import Field

from kbc.cache.phases import digest, recalled_each
from kbc.diagnostics import Diagnostic, Diagnostics
from kbc.formats import Converted
from kbc.frontends import titles
from kbc.frontends.converted import (
    books_among,
    formats_to_convert,
    outline,
    read_converted,
    read_python_module,
)
from kbc.frontends.html_pages import html_pages, is_html, written_in_html
from kbc.frontends.labels import Neighbours, project_labels
from kbc.frontends.markdown_file import (
    MarkdownFile,
    first_paragraph,
    parsed,
    read_text,
    says_nothing,
    shorten,
)
from kbc.frontends.metadata import Line, Located, Metadata, Text, Texts
from kbc.frontends.page_includes import PageIncludes
from kbc.frontends.redirects import description_shown, operation_shown, with_redirects
from kbc.frontends.source_map import SourceMap
from kbc.frontends.unpublished_pages import published
from kbc.languages import markdown
from kbc.languages.anchors import AnchorRules
from kbc.languages.front_matter import stated_above, stated_language
from kbc.languages.mdx.cleaning import clean
from kbc.processor_time import limited
from kbc.project import permalinks
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledRecord, DocRecord
from kbc.sources.formats import is_numbered_text

CORE = "core"
LESSONS = "lessons"


class DocMetadata(Metadata, extra="ignore"):
    """The front matter of a page; all of it is kept, whatever else is there."""

    title: Line = Field(default="", description="where the page has no level-1 heading")
    summary: Text = Field(default="", description="one sentence; default: the first paragraph")
    description: Text = Field(default="", description="the same as `summary`")
    excerpt: Text = Field(default="", description="the same as `summary`")
    tags: Texts = Field(default=(), description="words to filter by")
    topics: Texts = Field(default=(), description="subjects to list it under; default: the tags")
    url: Text = Field(default="", description="its public URL")

    @property
    def about(self) -> str:
        return self.summary or self.description or self.excerpt


_SETTINGS = frozenset({"CMakeLists.txt", "robots.txt"})
_LISTED = re.compile(r"(?:.*[-_])?(?:constraints|requirements)(?:[-_].*)?\.txt")
"""Text for programs, which stands among pages as well, and is one where a kb.toml names it. Of `_LISTED`
only what lists packages: pages are called `system-requirements.txt`, too."""

_PACKAGES = re.compile(
    r"(?:[ \t]*(?:(?:#|-)[^\n]*|[\w.-]+(?:\[[^\]\n]*\])?[ \t]*(?:[=<>~!@;\\#][^\n]*)?|)(?:\n|\Z))*+"
)
"""Lines that pip reads: comments, options, and packages with their versions."""

_NO_TEXT = re.compile(r"!\[|\A\s*(?:\[\]\([^()\n]*\)|\{%)")
"""Pictures, anchors (`[](){#gates}`) and statements of templates: a paragraph with them is no text."""

_FRONT_MATTER = re.compile(rb"---[ \t]*\r?\n[\w-]+:.*?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


def read(
    collection: Collection,
    files: Sequence[SourceFile],
    diagnostics: Diagnostics,
    neighbours: Neighbours = (),
) -> list[CompiledRecord]:
    """A record for each page; those that only redirect are other names of their targets, those that are parts
    of others have none, and an operation of an API that a page shows is text of that page alone."""
    records: list[DocRecord | _PageText] = []
    labels = project_labels(collection, files, neighbours)
    includes = PageIncludes(collection, files, labels)
    formats = formats_to_convert(collection, files)
    books = books_among(files, formats)
    parts = _Parts(books.chapters if books else ())
    are_modules = collection.conventions.publishes_modules
    unread = (file for file in files if not are_modules and file.path not in formats)
    others = written_in_html(collection, unread)
    html = html_pages(others, diagnostics, includes)
    to_convert = [
        (html[file.path].body, "html") if file.path in html else (file, formats[file.path])
        for file in files
        if file.path in formats or file.path in html
    ]
    found = read_converted(to_convert, diagnostics, includes, labels, books)
    for file in files:
        if are_modules:
            modules = read_python_module(collection, file, includes, diagnostics)
            records.extend(_converted(collection, file, each) for each in modules)
        elif file.path in formats:
            for document in next(found):
                if document.format == "notebook" and includes.expands_notebooks:
                    document = replace(document, text=includes.expand(file, document.text))
                page = _converted(collection, file, document)
                parts.add(file, page, document.parts)
                records.append(page)
        elif is_html(file) or file.path in html:
            for each in next(found) if file.path in html else ():
                records.append(_html(collection, file, html[file.path].data, each, diagnostics))
        elif _is_plain_text(file):
            record = _plain_text(collection, file, diagnostics)
            records.extend([record] if record else [])
        elif (stored := read_text(file, diagnostics)) is not None:
            records.append(_PageText(file, stored, stored))
    unexpanded = [each for each in records if isinstance(each, _PageText)]
    texts = includes.expand_each([(each.file, each.stored) for each in unexpanded])
    sources = [
        each._replace(text=description_shown(text))
        for each, text in zip(unexpanded, texts, strict=True)
    ]
    includes.report(diagnostics)
    sources, of_pages = _with_operations(sources, records)
    pages = _pages(collection, sources, includes.rules, diagnostics)
    complete = [
        next(pages) if isinstance(each, _PageText) else each
        for each in records
        if isinstance(each, _PageText) or each.id not in of_pages
    ]
    elsewhere = parts.of_pages()
    own = [each for each in complete if each.path not in elsewhere]
    own = published(collection, own, diagnostics)
    return [*with_redirects(collection, titles.named_apart(collection, own))]


def _with_operations(
    sources: list[_PageText], records: Sequence[DocRecord | _PageText]
) -> tuple[list[_PageText], set[str]]:
    """The pages with the operations that they show, and the ids of these."""
    pages = (each for each in records if isinstance(each, DocRecord))
    operations = [each for each in pages if each.format == "openapi"]
    if not operations:
        return sources, set()
    filled: list[_PageText] = []
    shown: set[str] = set()
    for each in sources:
        if found := operation_shown(each.file.path, each.text, operations):
            text, operation = found
            shown.add(operation.id)
            each = each._replace(text=text)
        filled.append(each)
    return filled, shown


class _Parts:
    """Files that are there to be included: those without a title of their own, and those of which the name or
    a folder begins with an underscore, as programs that build sites have it; chapters of books are pages."""

    def __init__(self, chapters: Container[str]) -> None:
        self._chapters = chapters
        self._candidates: set[str] = set()
        self._included: dict[str, Sequence[str]] = {}

    def add(self, file: SourceFile, record: DocRecord, parts: Sequence[str]) -> None:
        """`parts` are the files that the page includes as a whole."""
        is_hidden = any(name.startswith("_") for name in file.relative_path.split("/"))
        if (not record.has_title or is_hidden) and file.path not in self._chapters:
            self._candidates.add(file.path)
        self._included[file.path] = parts

    def of_pages(self) -> set[str]:
        """The paths of parts of which a page has all the text."""
        pages = self._included.keys() - self._candidates
        return self._candidates.intersection(chain(*(self._included[path] for path in pages)))


class _PageText(NamedTuple):
    """A Markdown or MDX file, or one of text with front matter; its `text` with what it includes, and what is
    `stored`."""

    file: SourceFile
    text: str
    stored: str


@dataclass(frozen=True, slots=True)
class _CachedPage:
    """A page as the cache keeps it: `record` is without `text` and `stored`, which whoever asks has, and
    without `content` where that `is_text`, with its line ends as in the file. `problems` were found in it."""

    record: DocRecord
    is_text: bool
    problems: tuple[Diagnostic, ...]


def _pages(
    collection: Collection,
    sources: Sequence[_PageText],
    rules: AnchorRules,
    diagnostics: Diagnostics,
) -> Iterator[DocRecord]:
    """The records of Markdown files in order, with their problems reported."""
    settings = digest(collection.settings())

    def read(source: _PageText) -> _CachedPage:
        diagnostics.reading = source.file.path
        found = Diagnostics()
        with limited(source.file.path, len(source.file.data)):
            file = parsed(*source, found, is_mdx=collection.is_mdx(source.file.path))
            page = _page(collection, file, found, rules)
        is_text = page.content == _with_newlines(source.text)
        kept = replace(page, text="", stored="", content="" if is_text else page.content)
        return _CachedPage(kept, is_text, tuple(_in_file(found, source)))

    def seen(source: _PageText) -> Any:
        file, text, stored = source
        if stored == text:  # that of the file, whose hash is wanted in any case
            return settings, file.path, file.base, file.sha256
        return settings, file.path, file.base, text, stored

    for source, page in zip(
        sources, recalled_each("pages", read, sources, seen, _CachedPage), strict=True
    ):
        for problem in page.problems:
            diagnostics.add(problem)
        yield replace(
            page.record,
            text=source.text,
            stored=source.stored if source.stored != source.text else "",
            content=_with_newlines(source.text) if page.is_text else page.record.content,
        )


def _in_file(found: Diagnostics, source: _PageText) -> Iterator[Diagnostic]:
    """What was found in the text of a page, with the lines of its file."""
    if source.text == source.stored:
        yield from found
        return
    lines = SourceMap(source.stored, source.text)
    for each in found:
        yield each if each.line is None else replace(each, line=lines.line(each.line))


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _page(
    collection: Collection, page: MarkdownFile, diagnostics: Diagnostics, rules: AnchorRules
) -> DocRecord:
    document = page.document
    fields = page.metadata.read(DocMetadata, diagnostics)
    path = page.file.path
    body = _with_newlines(page.text)
    if document.front_matter:
        lines = body.split("\n")[document.front_matter.last_line :]
        body = "\n".join(lines).lstrip("\n")
    content = clean(body) if page.is_mdx else body
    heading = _page_heading(
        document, bool(fields.title), begins_page=collection.conventions.title_begins_page
    )
    return DocRecord(
        id=collection.stripped(path),
        collection=collection.name,
        title=titles.stated_in_header(document.blocks)
        or heading
        or fields.title
        or permalinks.title(collection, path)
        or titles.other_title(document.data)
        or (titles.exported_title(page.text) if page.is_mdx else "")
        or titles.first_heading(document)
        or titles.shown_name(collection, path),
        path=path,
        text=page.text,
        language=page.format,
        summary=shorten(fields.about) or first_paragraph(document.blocks, document.references),
        tags=fields.tags,
        url=_url(collection, path, document.data, fields.url),
        spoken=stated_language(document.data),
        aliases=permalinks.aliases(collection, path, document.data),
        group=_group(collection, page.file),
        format=page.format,
        content=content,
        processed=page.is_mdx,
        frontmatter=document.data,
        sections=markdown.sections(document, rules),
        topics=fields.topics or fields.tags,
        stored=page.stored if page.stored != page.text else "",
    )


def _converted(collection: Collection, file: SourceFile, document: Converted) -> DocRecord:
    """A page of another format; a part of a file is named behind the file: `api/openapi.yaml/getPet`."""
    found = outline(document)
    data: Mapping[str, Any] = {}
    if document.format == "asciidoc":
        data, _ = stated_above(file.data.decode("utf-8-sig", "replace"))
    id = collection.stripped(file.path)
    title = found.heading or document.title or permalinks.title(collection, file.path)
    title = title or found.first_heading
    place, url = file.path, document.url
    if url.endswith(".qmd"):  # a page of its own in the site
        place, url = posixpath.join(posixpath.dirname(place), url), ""
    return DocRecord(
        id=f"{id}/{document.name}" if document.name else id,
        collection=collection.name,
        title=title or titles.shown_name(collection, file.path),
        path=file.path,
        text=document.text,
        language=document.format,
        summary=shorten(document.summary) if document.summary else found.summary,
        url=_url(collection, place, data, url),
        spoken=stated_language(data),
        aliases=(*permalinks.aliases(collection, file.path, data), *document.index_names),
        group=_group(collection, file),
        format=document.format,
        content=document.text,
        frontmatter=data,
        sections=found.sections,
        targets=document.targets,
    )


def _html(
    collection: Collection,
    file: SourceFile,
    data: Mapping[str, Any],
    document: Converted,
    diagnostics: Diagnostics,
) -> DocRecord:
    """The record of a page of HTML, or Markdown written in it, below the front matter `data`."""
    fields = Located(data, file.path, lambda key: 1).read(DocMetadata, diagnostics)
    title = fields.title or document.title
    document = replace(document, title=title, summary=fields.about, url="")
    page = _converted(collection, file, document)
    if not is_html(file) and not (page.sections and page.sections[0].level == 1):
        title = fields.title or permalinks.title(collection, file.path) or titles.other_title(data)
        page = replace(page, title=title or titles.shown_name(collection, file.path))
    return replace(
        page,
        frontmatter=data,
        tags=fields.tags,
        topics=fields.topics or fields.tags,
        url=_url(collection, file.path, data, fields.url),
        spoken=stated_language(data) or document.spoken,
        aliases=permalinks.aliases(collection, file.path, data),
    )


def _is_plain_text(file: SourceFile) -> bool:
    name = file.path.rpartition("/")[2].lower()
    is_text = "." not in name or is_numbered_text(name, file.data)
    return is_text or (name.endswith(".txt") and not _FRONT_MATTER.match(file.data))


def _plain_text(
    collection: Collection, file: SourceFile, diagnostics: Diagnostics
) -> DocRecord | None:
    """A file of plain text; None without any, and for settings among pages."""
    name, is_named = file.path.rpartition("/")[2], file.path in collection.paths
    if (name in _SETTINGS or _is_message_of_chart(file)) and not is_named:
        return None
    text = read_text(file, diagnostics)
    if text is None:
        return None
    if not is_named and _LISTED.fullmatch(name) and _PACKAGES.fullmatch(text):
        return None
    content = text.replace("\r\n", "\n")
    paragraph = next(part for part in content.split("\n\n") if part.strip())
    return DocRecord(
        id=collection.stripped(file.path),
        collection=collection.name,
        title=titles.name_in_path(file.path),
        path=file.path,
        text=text,
        language="text",
        summary=shorten(paragraph),
        url=collection.source_url(file.path),
        group=_group(collection, file),
        format="text",
        content=content,
    )


def _is_message_of_chart(file: SourceFile) -> bool:
    """Whether a file is the template of what Helm prints once a chart is installed."""
    above, _, name = file.path.rpartition("/templates/")
    return name == "NOTES.txt" and file.tree is not None and "Chart.yaml" in file.tree.names(above)


def _url(collection: Collection, path: str, data: Mapping[str, Any], stated: str) -> str:
    """By the collection's template, else by its generator's rules, for which `url` of the front matter
    may be a path; else what the page says."""
    if collection.generator:
        return permalinks.page_url(collection, path, data)
    return stated or collection.source_url(path)


def _group(collection: Collection, file: SourceFile) -> str:
    if collection.group == CORE and file.relative_path.startswith(f"{LESSONS}/"):
        return LESSONS
    return collection.group or collection.name


def _page_heading(document: markdown.Document, has_title: bool, *, begins_page: bool) -> str:
    """The first level-1 heading, unless several others are before it; of one that states a title only where
    it is the first of all, the only one, and before the text: others are versions in a log, or a part. Below
    text, one of several is a part as well, and any one of a site where a title `begins_page`."""
    own, first = [each for each in document.headings if each.level == 1], document.headings[:2]
    if not own or own[0] not in (first[:1] if has_title else first) or (has_title and own[1:]):
        return ""
    above = (each for each in document.blocks if each.start_line < own[0].start_line)
    texts = (each for each in above if each.kind == "paragraph" and not says_nothing(each))
    is_part = any(not _NO_TEXT.search(each.content) for each in texts)
    is_title = not (has_title or begins_page or own[1:])
    return "" if is_part and not is_title else own[0].title
