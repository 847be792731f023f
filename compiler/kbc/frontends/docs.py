"""Front end for documentation pages: Markdown, MDX, plain text, and what `kbc.formats` converts.

Front matter may contain anything; `title`, `summary` or `description`, `tags`, `topics` and `url` are
used, and all of it is kept. A page's id is its path below the knowledge base's root. Its group is its
collection's, except that pages below `lessons/` in a collection of the group core are lessons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from kbc.diagnostics import Diagnostics
from kbc.formats import Converted
from kbc.frontends.converted import (
    converted_sections,
    format_by_generator,
    is_converted,
    read_converted,
)
from kbc.frontends.includes import PageIncludes
from kbc.frontends.long_lines import has_long_line
from kbc.frontends.markdown_file import (
    MarkdownFile,
    first_paragraph,
    line_count,
    read_markdown,
    shorten,
)
from kbc.frontends.metadata import Metadata, Text, Texts
from kbc.languages import markdown, mdx
from kbc.languages.anchors import AnchorRules
from kbc.project import permalinks
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import DocRecord, Record

CORE = "core"
LESSONS = "lessons"


class DocMetadata(Metadata, extra="ignore"):
    """The front matter of a page; all of it is kept, whatever else is there."""

    title: Text = Field(default="", description="where the page has no level-1 heading")
    summary: Text = Field(default="", description="one sentence; default: the first paragraph")
    description: Text = Field(default="", description="the same as `summary`")
    excerpt: Text = Field(default="", description="the same as `summary`")
    tags: Texts = Field(default=(), description="words to filter by")
    topics: Texts = Field(default=(), description="subjects to list it under; default: the tags")
    url: Text = Field(default="", description="its public address")


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[Record]:
    """A record for each page."""
    records: list[Record] = []
    includes = PageIncludes(collection)
    for file in files:
        format = format_by_generator(collection, file.path)
        if format or is_converted(file.path):
            found = read_converted(file, diagnostics, format)
            records.extend(_converted(collection, file, document) for document in found)
        elif file.path.lower().endswith(".txt"):
            record = _plain_text(collection, file, diagnostics)
            records.extend([record] if record else [])
        elif page := read_markdown(file, diagnostics, includes):
            records.append(_page(collection, page, diagnostics, includes.rules))
    includes.report(diagnostics)
    return records


def _page(
    collection: Collection, page: MarkdownFile, diagnostics: Diagnostics, rules: AnchorRules
) -> DocRecord:
    document = page.document
    fields = page.read_metadata(DocMetadata, diagnostics)
    path = page.file.path
    body = page.text.replace("\r\n", "\n")
    if document.front_matter:
        lines = body.split("\n")[document.front_matter.last_line :]
        body = "\n".join(lines).lstrip("\n")
    content = mdx.clean(body) if page.is_mdx else body
    heading = next((block.title for block in document.headings if block.level == 1), "")
    summary = fields.summary or fields.description or fields.excerpt
    tags = fields.tags
    return DocRecord(
        id=collection.stripped(path),
        collection=collection.name,
        title=heading or fields.title or permalinks.title(collection, path) or _file_name(path),
        path=path,
        text=page.text,
        size=len(page.text.encode()),
        lines=line_count(page.text),
        language=page.format,
        summary=shorten(summary)
        if summary
        else first_paragraph(document.blocks, document.references),
        tags=tags,
        url=_url(collection, path, document.data, fields.url),
        aliases=permalinks.aliases(collection, path, document.data),
        group=_group(collection, page.file),
        format=page.format,
        content=content,
        processed=page.is_mdx,
        frontmatter=document.data,
        sections=markdown.sections(document, rules),
        topics=fields.topics or tags,
        stored=page.stored if page.stored != page.text else "",
    )


def _converted(collection: Collection, file: SourceFile, document: Converted) -> DocRecord:
    """A page of another format; a part of a file is named behind the file: `api/openapi.yaml/getPet`."""
    parsed = markdown.parse(document.text)
    heading = next((block.title for block in parsed.headings if block.level == 1), "")
    summary = document.summary
    id = collection.stripped(file.path)
    stated = heading or document.title
    return DocRecord(
        id=f"{id}/{document.name}" if document.name else id,
        collection=collection.name,
        title=stated or permalinks.title(collection, file.path) or _file_name(file.path),
        path=file.path,
        text=document.text,
        size=len(document.text.encode()),
        lines=line_count(document.text),
        language=document.format,
        summary=shorten(summary) if summary else first_paragraph(parsed.blocks, parsed.references),
        url=_url(collection, file.path, {}, document.url),
        aliases=permalinks.aliases(collection, file.path, {}),
        group=_group(collection, file),
        format=document.format,
        content=document.text,
        sections=converted_sections(document),
    )


def _plain_text(
    collection: Collection, file: SourceFile, diagnostics: Diagnostics
) -> DocRecord | None:
    text = file.text(diagnostics)
    if text is None or has_long_line(text, file.path, diagnostics):
        return None
    content = text.replace("\r\n", "\n")
    paragraph = next(part for part in content.split("\n\n") if part.strip())
    return DocRecord(
        id=collection.stripped(file.path),
        collection=collection.name,
        title=_file_name(file.path),
        path=file.path,
        text=text,
        size=len(text.encode()),
        lines=line_count(text),
        language="text",
        summary=shorten(paragraph),
        url=collection.source_url(file.path),
        group=_group(collection, file),
        format="text",
        content=content,
    )


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


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
