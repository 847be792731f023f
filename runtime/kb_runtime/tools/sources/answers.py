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
    createdAt: NotRequired[Annotated[str, "date of the page, as it says"]]
    pageCount: NotRequired[Annotated[int, "pages of the document"]]
    address: NotRequired[SharedAddress]


class PassageResults(AnswerFields):
    query: Annotated[str, "the query"]
    alpha: Annotated[float, "share of meaning, as applied"]
    limit: Annotated[int, "results at most, as applied"]
    results: Annotated[list[PassageResult], "best first", TYPE_ONLY]


class SourceSummary(TypedDict):
    id: Annotated[str, "for source_id"]
    name: Annotated[str, "its name"]
    type: Annotated[Literal["web", "file", "git", "dir"], ""]
    url: NotRequired[Annotated[str, "the address that its pages are below"]]
    pageCount: Annotated[int, "pages"]
    chunkCount: Annotated[int, "passages"]
    builtAt: Annotated[str, "when it was indexed, ISO 8601"]
    description: NotRequired[Annotated[str, "what it is about"]]
    address: NotRequired[SharedAddress]


class SourceList(AnswerFields):
    sources: Annotated[list[SourceSummary], "by name", TYPE_ONLY]
    total: Annotated[int, "sources"]


class PageSummary(TypedDict):
    id: Annotated[str, "works as an address, too"]
    url: Annotated[str, "for qurio_read_page"]
    title: Annotated[str, "title of the page"]
    address: NotRequired[SharedAddress]


class PageList(AnswerFields):
    sourceId: Annotated[str, "the source"]
    pages: Annotated[list[PageSummary], "in the order of its sitemap, else by path", TYPE_ONLY]
    total: Annotated[int, "pages that the filter leaves"]
    limit: NotRequired[Annotated[int, "pages in one answer, as applied"]]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class PageHeading(TypedDict):
    title: Annotated[str, "the heading"]
    level: Annotated[int, "1 to 6"]
    anchor: Annotated[str, "for section, or as #fragment"]
    line: Annotated[int, "its line"]


class PageContent(AnswerFields):
    url: Annotated[str, "address of the page"]
    title: Annotated[str, "its title"]
    sourceId: Annotated[str, "the source it is in"]
    sourceName: Annotated[str, "name of that"]
    content: Annotated[str, "the text as stored: of the page, the section, or the part that fits"]
    sections: Annotated[
        list[PageHeading], "its headings; of a very long page the highest levels", TYPE_ONLY
    ]
    truncated: Annotated[bool, "whether more follows"]
    builtAt: Annotated[str, "when it was indexed, ISO 8601"]
    author: NotRequired[Annotated[str, "as the page says"]]
    createdAt: NotRequired[Annotated[str, "date, as the page says"]]
    pageCount: NotRequired[Annotated[int, "pages of the document"]]
    section: NotRequired[Annotated[str, "the section that this is"]]
    nextCursor: NotRequired[Annotated[str, "when more follows"]]
