"""The structured answers of the tools over source trees."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import ONE_LEVEL, TYPE_ONLY, WITH_REQUIRED, AnswerFields

FileAddress = Annotated[str, "`kb://` address of the file, with several knowledge bases"]
Stale = Annotated[bool, "the file has changed since it was indexed"]
StaleHit = Annotated[bool, "the file has changed since it was indexed; `lines` are current"]
MatchType = Literal["path", "definition", "text"]
IndexProblem = Annotated[str, "why the index is not kept up to date"]
IndexedAt = Annotated[str | None, "when the index was built, ISO 8601"]
QueryMode = Literal["hybrid", "semantic", "keyword"]


class CodeTrace(TypedDict):
    source_stage: Annotated[
        Literal["lexical", "semantic", "fused"], "found by keyword search, vector search or both"
    ]
    match_type: Annotated[MatchType, "what in it matches"]


class CodeEvidence(TypedDict):
    language: NotRequired[Annotated[str, "language of the file"]]
    symbolName: NotRequired[Annotated[str, "the definition"]]
    symbolKind: NotRequired[Annotated[str, "what it is: function, class ..."]]
    parentSymbol: NotRequired[Annotated[str, "the definition around it"]]
    signature: NotRequired[Annotated[str, "its first line"]]
    matchedTerms: NotRequired[Annotated[list[str], "words of the query that it contains"]]
    cosine: NotRequired[Annotated[float, "cosine similarity to the query"]]
    lexicalRank: NotRequired[Annotated[int, "rank by keyword search"]]
    semanticRank: NotRequired[Annotated[int, "rank by vector search"]]


class CodeResult(TypedDict):
    file: Annotated[str, "path in the workspace"]
    address: NotRequired[FileAddress]
    content: NotRequired[
        Annotated[str, "the passage as on disk when indexed; missing with compact"]
    ]
    score: Annotated[float, "0 to 1; comparable between calls"]
    lines: Annotated[str, "`start-end`, from 1"]
    reason: Annotated[str, "why it was found"]
    preview: NotRequired[Annotated[str, "with compact: the beginning of the passage"]]
    stale: NotRequired[StaleHit]
    trace: NotRequired[Annotated[CodeTrace, "with v2", TYPE_ONLY]]
    explainability: NotRequired[Annotated[CodeEvidence, "with v2", TYPE_ONLY]]


class IndexStatus(TypedDict):
    status: Annotated[
        Literal["ready", "starting", "drafting", "indexing", "failed"],
        "values other than `ready` only for followed trees",
    ]
    fileCount: Annotated[int, "files in it"]
    comparedWithDisk: Annotated[bool, "whether the files of the results were compared with disk"]
    isStale: NotRequired[Annotated[bool, "whether any of them has changed"]]
    embedding: NotRequired[Annotated[Literal["complete", "pending"], "only for a followed tree"]]
    problem: NotRequired[IndexProblem]
    notice: NotRequired[Annotated[str, "what else to know about it"]]


class CodeMetadata(TypedDict):
    workspace: Annotated[str, "the folders that paths are relative to"]
    lastIndexed: IndexedAt
    queryTimeMs: Annotated[float, "time in milliseconds"]
    totalResults: Annotated[int, "number of results"]
    query_mode: Annotated[QueryMode, "the kinds of search used"]
    indexStatus: Annotated[IndexStatus, "about the index", TYPE_ONLY]
    freshnessWarning: NotRequired[Annotated[str, "which files have changed, and what to do"]]
    filtersApplied: NotRequired[Annotated[list[str], "the globs, as applied"]]
    totalCandidates: NotRequired[Annotated[int, "with v2: number of passages ranked"]]
    buildId: NotRequired[Annotated[str, "with v2: the build id"]]


class CodeResults(AnswerFields):
    results: Annotated[list[CodeResult], "best first"]
    metadata: Annotated[CodeMetadata, "about the answer", WITH_REQUIRED]


class FileLines(AnswerFields):
    file: Annotated[str, "path in the workspace"]
    content: Annotated[str, "the lines, as indexed"]
    lines: Annotated[str, "`start-end`, from 1"]
    totalLines: Annotated[int, "lines of the file"]
    lastIndexed: IndexedAt
    language: NotRequired[Annotated[str, "its language"]]
    workspace: NotRequired[Annotated[str, "the folder that paths are relative to"]]
    stale: NotRequired[Stale]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]


Resolution = Literal["resolved", "by name"]
Use = Literal["call", "type", "import", "use"]


class SymbolPlace(TypedDict):
    name: Annotated[str, "as used in code"]
    kind: Annotated[str, "function, method, class ..."]
    file: Annotated[str, "path in the workspace"]
    address: NotRequired[FileAddress]
    lines: Annotated[str, "`start-end`, from 1"]
    parent: NotRequired[Annotated[str, "the definition around it"]]
    signature: NotRequired[Annotated[str, "its first line"]]
    stale: NotRequired[Stale]


class FoundSymbol(SymbolPlace):
    match: Annotated[
        Literal["exact", "case", "words", "prefix", "part", "similar"],
        "how the name matches the query",
    ]
    uses: Annotated[int, "uses of this name in the tree"]


class SymbolSearch(AnswerFields):
    symbol: Annotated[str, "the query"]
    results: Annotated[list[FoundSymbol], "best first", ONE_LEVEL]
    total: Annotated[int, "definitions found"]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]


class SymbolDefinition(AnswerFields):
    symbol: Annotated[str, "the query"]
    definition: Annotated[SymbolPlace, "the best of all definitions of that name", TYPE_ONLY]
    content: Annotated[str, "its text as indexed"]
    contentLines: Annotated[str, "`start-end` of `content`"]
    others: NotRequired[Annotated[list[SymbolPlace], "further definitions of the name", TYPE_ONLY]]
    totalDefinitions: Annotated[int, "definitions of the name"]


class SymbolReference(TypedDict):
    file: Annotated[str, "path in the workspace"]
    address: NotRequired[FileAddress]
    line: Annotated[int, "from 1"]
    column: Annotated[int, "from 1, in bytes of UTF-8"]
    text: Annotated[str, "the line"]
    use: Annotated[Use, "how the name is used"]
    inside: NotRequired[Annotated[str, "the definition that contains the line"]]
    resolution: Annotated[
        Resolution,
        "`resolved`: by scope, import or package; `by name`: a guess, as of `x.name` with an unknown `x`",
    ]
    definition: NotRequired[
        Annotated[
            str,
            "`file:line` of what it means, when resolved; of several knowledge bases `address:line`",
        ]
    ]
    stale: NotRequired[Stale]


class SymbolReferences(AnswerFields):
    symbol: Annotated[str, "the query"]
    definitions: Annotated[list[SymbolPlace], "what was looked for", TYPE_ONLY]
    references: Annotated[list[SymbolReference], "resolved ones first, by file and line", ONE_LEVEL]
    total: Annotated[int, "references found"]
    resolved: Annotated[int, "references that are not guesses"]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]


class CallSite(TypedDict):
    symbol: Annotated[str, "the other definition; `(file)` for calls outside of definitions"]
    kind: NotRequired[Annotated[str, "function, method ..."]]
    file: NotRequired[Annotated[str, "where it is defined; missing if that is a guess"]]
    address: NotRequired[FileAddress]
    lines: NotRequired[Annotated[str, "`start-end` of its definition"]]
    calls: Annotated[
        list[str],
        "first ten calls as `file:line`; with several knowledge bases `address:line`",
    ]
    count: Annotated[int, "calls"]
    resolution: Annotated[Resolution, "`by name` if one of the calls is a guess"]


class CallRelationships(AnswerFields):
    symbol: Annotated[str, "the query"]
    definitions: Annotated[list[SymbolPlace], "what was looked for", TYPE_ONLY]
    callers: NotRequired[Annotated[list[CallSite], "what calls it", ONE_LEVEL]]
    callees: NotRequired[Annotated[list[CallSite], "what it calls in the tree", ONE_LEVEL]]
    totalCallers: NotRequired[Annotated[int, "callers found"]]
    totalCallees: NotRequired[Annotated[int, "callees found"]]


class OutlinedDefinition(TypedDict):
    name: Annotated[str, "the definition"]
    kind: Annotated[str, "function, method, class ..."]
    lines: Annotated[str, "`start-end`, from 1"]
    depth: Annotated[int, "definitions around it"]
    signature: NotRequired[Annotated[str, "its first line"]]


class CodeOutline(AnswerFields):
    file: Annotated[str, "path in the workspace"]
    language: NotRequired[Annotated[str, "its language"]]
    totalLines: Annotated[int, "lines of the file"]
    symbols: Annotated[list[OutlinedDefinition], "in the order of the file", ONE_LEVEL]
    totalSymbols: Annotated[int, "definitions of the file, up to `depth`"]
    stale: NotRequired[Stale]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]


class SemanticHit(TypedDict):
    file: Annotated[str, "path in the workspace"]
    address: NotRequired[FileAddress]
    lines: Annotated[str, "`start-end`, from 1"]
    score: Annotated[float, "0 to 1; comparable between calls"]
    snippet: Annotated[str, "the passage, or its beginning"]
    stale: NotRequired[StaleHit]


class SemanticSearch(AnswerFields):
    query: Annotated[str, "the query"]
    mode: Annotated[QueryMode, "the kinds of search used"]
    results: Annotated[list[SemanticHit], "best first", ONE_LEVEL]
    metadata: Annotated[CodeMetadata, "as in codebase_retrieval", TYPE_ONLY]


class ContextFile(TypedDict):
    file: Annotated[str, "path in the workspace"]
    address: NotRequired[FileAddress]
    score: Annotated[float, "of its best passage"]
    reason: Annotated[str, "why it was chosen"]
    symbols: Annotated[list[str], "its outermost definitions, the first 20"]
    snippets: Annotated[list[str], "`start-end` of the passages shown"]


class PromptContext(AnswerFields):
    query: Annotated[str, "the query"]
    context: Annotated[str, "Markdown for a prompt"]
    files: Annotated[list[ContextFile], "the files it consists of", TYPE_ONLY]
    tokens: Annotated[int, "of `context`, estimated at four characters a token"]
    token_budget: Annotated[int, "as asked for"]
    truncated: Annotated[bool, "whether passages were left out to fit the budget"]
    metadata: Annotated[CodeMetadata, "as in codebase_retrieval", TYPE_ONLY]


class TreeStatus(TypedDict):
    workspace: Annotated[str, "the folder"]
    state: Annotated[
        Literal["ready", "starting", "drafting", "indexing", "failed"], "only for a followed tree"
    ]
    fileCount: Annotated[int, "files in the index"]
    problem: NotRequired[IndexProblem]
    notice: NotRequired[Annotated[str, "what else to know about it"]]


class CodeIndexStatus(AnswerFields):
    trees: Annotated[list[TreeStatus], "one for each source tree", ONE_LEVEL]
    lastIndexed: IndexedAt
    fileCount: Annotated[int, "files in all trees"]
    symbolCount: Annotated[int, "definitions"]
    languages: Annotated[dict[str, int], "files by language", TYPE_ONLY]
    meaning: Annotated[
        Literal["complete", "pending", "absent"],
        "whether vector search works; `absent` if the index has no vectors",
    ]
    symbols: Annotated[
        Literal["complete", "pending", "absent"], "whether the symbol tools see all files"
    ]
    isFollowed: Annotated[bool, "whether edits are indexed as they happen"]
    changed: Annotated[list[str], "files changed since they were indexed, the first 20", TYPE_ONLY]
    deleted: Annotated[list[str], "files deleted since they were indexed, the first 20", TYPE_ONLY]
    isStale: NotRequired[Annotated[bool, "whether there are any; missing if nothing was compared"]]


class Reindexing(AnswerFields):
    accepted: Annotated[bool, "whether the trees are being compared again"]
    message: Annotated[str, "what happens, or what to do instead"]


class ListedTool(TypedDict):
    name: Annotated[str, "the tool"]
    purpose: Annotated[str, "the first sentence of its description"]
    required: Annotated[list[str], "arguments that it needs"]
    optional: Annotated[list[str], "arguments that it takes"]


class ToolManifest(AnswerFields):
    server: Annotated[dict[str, str], "name and version", TYPE_ONLY]
    tools: Annotated[list[ListedTool], "what this server offers", ONE_LEVEL]
    capabilities: Annotated[dict[str, list[str]], "tools by family", TYPE_ONLY]
