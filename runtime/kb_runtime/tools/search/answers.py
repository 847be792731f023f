"""The structured answers of the search tools and of the compact ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import ONE_LEVEL, WITH_REQUIRED, AnswerFields, SharedAddress


class HybridResult(TypedDict):
    id: Annotated[str, "id that the tools reading records accept"]
    scope: Annotated[str, "the scope that the record belongs to"]
    title: Annotated[str, "title of the record, or of the section"]
    score: Annotated[float, "relevance; comparable within one answer"]
    strategy: Annotated[
        Literal["lexical", "semantic", "fused"], "found by keyword search, vector search or both"
    ]
    snippet: NotRequired[Annotated[str, "what the passage says"]]
    source: Annotated[str, "name or path for the tool that reads it"]
    tags: NotRequired[Annotated[list[str], "tags of the record"]]
    metadata: Annotated[
        dict[str, Any],
        "for pages `section`, `level`, `path`, `line`; for builtins `signature`, `category`; for other"
        " records what distinguishes them; with few hits `lines`; `alsoIn`: sources of copies",
    ]
    highlights: NotRequired[Annotated[list[str], "matched words of the query"]]
    explanation: NotRequired[
        Annotated[
            dict[str, Any],
            "with `explain`: ranks and scores of both sides, and what each step of ranking added",
        ]
    ]


class HybridRequest(AnswerFields):
    query: Annotated[str, "the query"]
    scopes: Annotated[list[str], "where the search looked"]
    limitPerScope: Annotated[int, "maximum number of results for each scope"]
    mode: Annotated[Literal["hybrid", "semantic", "lexical"], "the kinds of search used"]
    scope: NotRequired[Annotated[str, "with one scope: that scope"]]
    k: NotRequired[Annotated[int, "with one scope: maximum number of results"]]


class HybridResults(HybridRequest):
    resultsByScope: Annotated[dict[str, list[HybridResult]], "the results of each scope"]
    results: NotRequired[Annotated[list[HybridResult], "with one scope: its results", ONE_LEVEL]]


class LineMatch(TypedDict):
    file: Annotated[str, "path of the file"]
    line: Annotated[int, "line in it"]
    content: Annotated[str, "the line"]
    context: Annotated[list[str], "the lines before and after it"]
    before: Annotated[list[str], "the lines before"]
    after: Annotated[list[str], "the lines after"]
    address: NotRequired[
        Annotated[
            str, "the record, of several knowledge bases or where no record is called as the file"
        ]
    ]


class LineMatches(AnswerFields):
    query: Annotated[str, "the text looked for"]
    total: Annotated[int, "lines that contain it"]
    matches: Annotated[list[LineMatch], "by file and line"]
    scope: NotRequired[Annotated[str, "where the search looked"]]
    limit: NotRequired[Annotated[int, "matches in one answer"]]
    contextLines: NotRequired[Annotated[int, "lines before and after"]]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class CompactHit(TypedDict):
    address: Annotated[str, "for get"]
    title: Annotated[str, "title of the record or section"]
    lines: Annotated[list[int], "first and last line of the snippet"]
    score: Annotated[float, "relevance; comparable within one answer"]
    strategy: Annotated[
        Literal["lexical", "semantic", "fused"], "found by keyword search, vector search or both"
    ]
    snippet: Annotated[str, "what the passage says"]
    section: NotRequired[
        Annotated[list[int], "first and last line of what the snippet is part of, for get"]
    ]
    alsoIn: NotRequired[Annotated[list[str], "copies, for get"]]


class Hits(AnswerFields):
    query: Annotated[str, "the query"]
    scope: Annotated[str, "where the search looked"]
    mode: Annotated[Literal["hybrid", "semantic", "lexical"], "the kinds of search used"]
    hits: Annotated[list[CompactHit], "best first", ONE_LEVEL]
    advice: NotRequired[Annotated[str, "what to try if nothing was found"]]


class CollectionSize(TypedDict):
    name: Annotated[str, "its name"]
    kind: Annotated[str, "kind of its records"]
    records: Annotated[int, "records"]


class RecordSummary(TypedDict):
    id: Annotated[str, "for get"]
    title: NotRequired[Annotated[str, "its title"]]
    summary: NotRequired[Annotated[str, "what it is about"]]
    address: NotRequired[SharedAddress]


class RecordList(AnswerFields):
    collections: NotRequired[
        Annotated[list[CollectionSize], "all collections, if none was asked for", WITH_REQUIRED]
    ]
    collection: NotRequired[Annotated[str, "the collection asked for"]]
    total: NotRequired[Annotated[int, "its records"]]
    records: NotRequired[Annotated[list[RecordSummary], "these", WITH_REQUIRED]]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class OutlineLine(TypedDict):
    title: Annotated[str, "heading or name"]
    lines: Annotated[list[int], "first and last line"]
    level: NotRequired[Annotated[int, "of a heading: 1 to 6; of an exercise 1, of a step 2"]]
    kind: NotRequired[Annotated[str, "of a definition: function, class ..."]]


class Outline(AnswerFields):
    address: Annotated[str, "of the record"]
    title: Annotated[str, "its title"]
    entries: Annotated[
        list[OutlineLine],
        "headings, definitions of a source file, or exercises and steps",
        WITH_REQUIRED,
    ]


class KnowledgeBaseInfo(AnswerFields):
    name: Annotated[str, "of the artifact"]
    title: Annotated[str, "its title"]
    version: Annotated[str, "its version"]
    buildId: Annotated[str, "id of the served build"]
    builtAt: Annotated[str, "when it was built, ISO 8601"]
    semanticSearch: Annotated[bool, "whether it has vectors"]
    collections: Annotated[list[CollectionSize], "in the order of the artifact", WITH_REQUIRED]
    scopes: Annotated[list[str], "the scopes that can be searched"]
    description: NotRequired[Annotated[str, "what it is"]]
    license: NotRequired[Annotated[str, "SPDX identifier"]]
