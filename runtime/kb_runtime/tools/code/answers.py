"""The structured answers of the tools over source trees."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import TYPE_ONLY, WITH_REQUIRED, AnswerFields

MatchType = Literal["path", "definition", "text"]
QueryMode = Literal["hybrid", "semantic", "keyword"]


class CodeTrace(TypedDict):
    source_stage: Annotated[Literal["lexical", "semantic", "fused"], "which side found it, or both"]
    match_type: Annotated[MatchType, "what in it matches"]


class CodeEvidence(TypedDict):
    language: NotRequired[Annotated[str, "language of the file"]]
    symbolName: NotRequired[Annotated[str, "the definition"]]
    symbolKind: NotRequired[Annotated[str, "what it is: function, class ..."]]
    parentSymbol: NotRequired[Annotated[str, "the definition around it"]]
    signature: NotRequired[Annotated[str, "its first line"]]
    matchedTerms: NotRequired[Annotated[list[str], "words of the query that it has"]]
    cosine: NotRequired[Annotated[float, "similarity in meaning"]]
    lexicalRank: NotRequired[Annotated[int, "its place by words"]]
    semanticRank: NotRequired[Annotated[int, "its place by meaning"]]


class CodeResult(TypedDict):
    file: Annotated[str, "path in the workspace"]
    content: NotRequired[
        Annotated[str, "the passage as on disk when indexed; missing with compact"]
    ]
    score: Annotated[float, "0 to 1; compares between calls"]
    lines: Annotated[str, "`start-end`, from 1"]
    reason: Annotated[str, "why it was found"]
    preview: NotRequired[Annotated[str, "with compact: its beginning"]]
    stale: NotRequired[Annotated[bool, "the file has changed since; `lines` are those of today"]]
    trace: NotRequired[Annotated[CodeTrace, "with v2", TYPE_ONLY]]
    explainability: NotRequired[Annotated[CodeEvidence, "with v2", TYPE_ONLY]]


class IndexStatus(TypedDict):
    status: Annotated[
        Literal["ready", "starting", "drafting", "indexing", "failed"],
        "all but `ready` only of a tree that is followed",
    ]
    fileCount: Annotated[int, "files in it"]
    comparedWithDisk: Annotated[bool, "whether the files of the results were compared with disk"]
    isStale: NotRequired[Annotated[bool, "whether one of them has changed"]]
    embedding: NotRequired[Annotated[Literal["complete", "pending"], "of a tree that is followed"]]
    problem: NotRequired[Annotated[str, "why it is not kept up to date"]]
    notice: NotRequired[Annotated[str, "what else to know of it"]]


class CodeMetadata(TypedDict):
    workspace: Annotated[str, "the folders that paths are relative to"]
    lastIndexed: Annotated[str | None, "when the index was made, ISO 8601"]
    queryTimeMs: Annotated[float, "time in milliseconds"]
    totalResults: Annotated[int, "results given"]
    query_mode: Annotated[QueryMode, "what took part"]
    indexStatus: Annotated[IndexStatus, "about the index", TYPE_ONLY]
    freshnessWarning: NotRequired[Annotated[str, "which files have changed, and what to do"]]
    filtersApplied: NotRequired[Annotated[list[str], "the globs, as applied"]]
    totalCandidates: NotRequired[Annotated[int, "with v2: passages ranked"]]
    buildId: NotRequired[Annotated[str, "with v2: the build"]]


class CodeResults(AnswerFields):
    results: Annotated[list[CodeResult], "best first"]
    metadata: Annotated[CodeMetadata, "about the answer", WITH_REQUIRED]


class SourceFile(AnswerFields):
    file: Annotated[str, "path in the workspace"]
    content: Annotated[str, "the lines, as indexed"]
    lines: Annotated[str, "`start-end`, from 1"]
    totalLines: Annotated[int, "lines of the file"]
    lastIndexed: Annotated[str | None, "when the index was made, ISO 8601"]
    language: NotRequired[Annotated[str, "its language"]]
    workspace: NotRequired[Annotated[str, "the folder that paths are relative to"]]
    stale: NotRequired[Annotated[bool, "the file on disk has changed since"]]
    nextCursor: NotRequired[Annotated[str, "when more follows"]]
