"""The structured answers of the tools over documentation sets."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import TYPE_ONLY, AnswerFields, SharedAddress


class PassageResult(TypedDict):
    rank: Annotated[int, "from 1"]
    score: Annotated[float, "0 to 1"]
    title: Annotated[str, "title of the page"]
    url: Annotated[str, "for qurio_read_page"]
    sourceId: Annotated[str, "id of the source"]
    sourceName: Annotated[str, "its name"]
    type: NotRequired[
        Annotated[Literal["prose", "code", "api", "config", "cmd"], "type of the passage"]
    ]
    language: NotRequired[Annotated[str, "language of code"]]
    chunkIndex: Annotated[int, "passage of the page, from 0"]
    content: Annotated[str, "the passage"]
    section: NotRequired[Annotated[str, "the heading above it"]]
    author: NotRequired[Annotated[str, "of the page"]]
    createdAt: NotRequired[Annotated[str, "date that the page states"]]
    pageCount: NotRequired[Annotated[int, "pages of the document"]]
    address: NotRequired[SharedAddress]


class PassageResults(AnswerFields):
    query: Annotated[str, "the query"]
    alpha: Annotated[float, "weight of vector search, as applied"]
    limit: Annotated[int, "maximum number of results, as applied"]
    results: Annotated[list[PassageResult], "best first", TYPE_ONLY]


class SourceSummary(TypedDict):
    id: Annotated[str, "for source_id"]
    name: Annotated[str, "its name"]
    type: Annotated[Literal["web", "file", "git", "dir"], ""]
    url: NotRequired[Annotated[str, "base URL of its pages"]]
    pageCount: Annotated[int, "pages"]
    chunkCount: Annotated[int, "passages"]
    builtAt: Annotated[str, "when it was indexed, ISO 8601"]
    description: NotRequired[Annotated[str, "what it is about"]]
    address: NotRequired[SharedAddress]


class SourceList(AnswerFields):
    sources: Annotated[list[SourceSummary], "by name", TYPE_ONLY]
    total: Annotated[int, "sources"]


class PageSummary(TypedDict):
    id: Annotated[str, "can be used as a URL, too"]
    url: Annotated[str, "for qurio_read_page"]
    title: Annotated[str, "title of the page"]
    address: NotRequired[SharedAddress]


class PageList(AnswerFields):
    sourceId: Annotated[str, "the source"]
    pages: Annotated[list[PageSummary], "in sitemap order, else by path", TYPE_ONLY]
    total: Annotated[int, "pages that match the filter"]
    limit: NotRequired[Annotated[int, "pages in one answer, as applied"]]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class PageHeading(TypedDict):
    title: Annotated[str, "the heading"]
    level: Annotated[int, "1 to 6"]
    anchor: Annotated[str, "for section, or as #fragment"]
    line: Annotated[int, "its line"]


class PageContent(AnswerFields):
    url: Annotated[str, "URL of the page"]
    title: Annotated[str, "its title"]
    sourceId: Annotated[str, "id of the source"]
    sourceName: Annotated[str, "name of the source"]
    content: Annotated[str, "the text as stored: of the page, the section, or the part that fits"]
    sections: Annotated[
        list[PageHeading], "its headings; of a very long page the highest levels", TYPE_ONLY
    ]
    truncated: Annotated[bool, "whether there is more"]
    builtAt: Annotated[str, "when it was indexed, ISO 8601"]
    author: NotRequired[Annotated[str, "author that the page states"]]
    createdAt: NotRequired[Annotated[str, "date that the page states"]]
    pageCount: NotRequired[Annotated[int, "pages of the document"]]
    section: NotRequired[Annotated[str, "the heading of this section"]]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]
