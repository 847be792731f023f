"""`codebase_retrieval`: passages of source trees that answer a question."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb_runtime.knowledge.reading.lookup import rows_of_paths
from kb_runtime.text.rendering import cut, shorten
from kb_runtime.text.tables import count_of
from kb_runtime.text.written_json import indented_json_text
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.budget import beginning, whole_results
from kb_runtime.tools.code import index as code_index
from kb_runtime.tools.code.freshness import Freshness
from kb_runtime.tools.code.index import KIND, code_tools, path_globs
from kb_runtime.tools.code.passages import MAX_CONTENT_CHARS, Passage, group_hits, score_passages
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import json_chars

if TYPE_CHECKING:
    from kb_runtime.search.request import SearchResult
    from kb_runtime.text.globs import PathGlobs
    from kb_runtime.tools.code.answers import (
        CodeEvidence,
        CodeMetadata,
        CodeResult,
        CodeResults,
        MatchType,
    )
    from kb_runtime.tools.session import Session


MAX_QUERY_CHARS = 1000
DEFAULT_TOP_K = 10
MAX_TOP_K = 50
PREVIEW_CHARS = 240
MAX_ANSWER_CHARS = 60_000
"""Of the contents of all results together."""

WAS_CUT = "the answer was cut after"
_IF_CUT = "Ask more narrowly, or give a smaller top_k or a larger max_chars."
_CANDIDATES_PER_RESULT = 4
_JOINED_HITS = _CANDIDATES_PER_RESULT * DEFAULT_TOP_K
"""Hits that may become one passage with their neighbours, the same for every `top_k`."""


@dataclass(frozen=True, slots=True)
class _SearchDepth:
    """What a profile spends: candidates as a multiple of `fast`, and whether a passage is widened to
    the whole definition that it is part of."""

    depth: int
    widen: bool


_PROFILES = {
    "fast": _SearchDepth(1, False),
    "balanced": _SearchDepth(2, False),
    "rich": _SearchDepth(4, True),
}


_DESCRIPTION = """\
The primary tool for code search: make it your first choice whenever you need to find or understand code. \
Ask in natural language; it searches all languages of the indexed source trees by meaning and by names, and \
returns the passages that answer best with file, lines, score and reason. It knows the indexed state of the \
files (metadata.lastIndexed says of when) and nothing of version control: no history, no branches.

Use it when you do not know which files hold what you need; when you want a high-level understanding of how \
something works; to gather information at the start of any task; and before an edit, to learn about every \
symbol involved, in ONE call.

Good queries:
- "Where is the function that handles user authentication?"
- "What tests are there for the login functionality?"
- "How is the database connected to the application?"

Bad queries, and what to use instead:
- "Find the definition of the constructor of class Foo": you know the name, use symbol_definition or grep
- "Find all references to function bar": use symbol_references or grep
- "Show how class Checkout is used in services/payment.py": the file is known, view it or grep in it
- "Show the content of foo.py": use a file viewer, or get_file

For exact strings (error messages, configuration values, log lines) use grep.

Rules:
- Call this tool before you plan or begin a task on code that you have not seen.
- Before every edit, ask in one call for all classes, methods, properties and constants that it involves, in \
detail; do not ask for them one by one.
- Use grep only for exact strings and known names. When in doubt, use this tool first."""
_TOP_K_REFUSED = f"Invalid top_k: it must be a whole number from 1 to {MAX_TOP_K}, not {{value}}"
TOOLS = code_tools()


@TOOLS.tool(
    _DESCRIPTION,
    parameter.required(
        "query",
        "What you look for, in natural language.",
        MAX_QUERY_CHARS,
        refusals={
            "missing": "Invalid query: it must be a non-empty string",
            "type": "Invalid query: it must be a non-empty string, not {value}",
            "length": "Query too long: it has {length} characters and may have at most"
            f" {MAX_QUERY_CHARS}",
        },
    ),
    parameter.integer(
        "top_k",
        "Number of results.",
        1,
        MAX_TOP_K,
        default=DEFAULT_TOP_K,
        out_of_range="reject",
        refusals={"type": _TOP_K_REFUSED, "range": _TOP_K_REFUSED},
    ),
    parameter.texts(
        "include_paths", "Only files that match one of these globs: `src/**`, `*.py`, `tests/`."
    ),
    parameter.texts("exclude_paths", "No files that match one of these globs."),
    parameter.text(
        "profile",
        "Effort: fast; balanced looks at twice as many candidates; rich at four times as"
        " many, and shows whole definitions.",
        default="fast",
        choices=tuple(_PROFILES),
    ),
    parameter.text(
        "response_version",
        "v2 adds to each result how it was found and what it defines.",
        100,
        default="v1",
    ),
    parameter.flag(
        "compact", "With v2: a preview of 240 characters instead of the content.", False
    ),
)
def codebase_retrieval(session: Session, arguments: dict[str, Any]) -> Answer[CodeResults]:
    structured = retrieve(session, arguments)
    results, metadata = structured["results"], structured["metadata"]

    def write() -> str:
        metadata["totalResults"] = len(results)
        return indented_json_text(structured)

    answer = whole_results(structured, [results], write, session.max_chars, _IF_CUT)
    if answer.fits or not results:
        return answer
    _shorten(results[0], len(answer.text) - session.max_chars)
    return Answer(write(), structured)


def _shorten(only: CodeResult, excess: int) -> None:
    """Leaves out the last lines of a result, which takes `excess` characters too many."""
    if content := only.get("content"):
        first = int(only["lines"].partition("-")[0])
        shorter = beginning(content, json_chars(content) - excess).rstrip()
        only["content"] = shorter
        only["lines"] = f"{first}-{first + shorter.count(chr(10))}"


def retrieve(session: Session, arguments: dict[str, Any]) -> CodeResults:
    """The best passages, whatever the characters of an answer."""
    started = time.perf_counter()
    query: str = arguments["query"]
    globs = path_globs(arguments)
    effort = _PROFILES[arguments["profile"]]
    is_v2 = arguments["response_version"] == "v2"
    warnings: list[str] = []
    if arguments["compact"] and not is_v2:
        warnings.append('compact needs response_version "v2" and was ignored')
    found = _search(session, query, globs, arguments["top_k"], effort)
    warnings.extend(found.warnings)
    passages = group_hits(session, found.hits, _JOINED_HITS, effort.widen)
    freshness = Freshness(session)
    results: list[CodeResult] = []
    chars = 0
    for passage, score in score_passages(session, query, passages):
        indexed = _result(session, query, passage, score)
        record: Any = session.artifact.catalog(passage.best.collection).head(passage.best.record)
        result = freshness.checked(record, indexed)
        if result is None:
            continue
        if is_v2:
            _explain(result, passage)
            if arguments["compact"]:
                del result["content"]
                result["preview"] = shorten(passage.best.snippet.text, PREVIEW_CHARS)
        chars += len(result.get("content", ""))
        if chars > MAX_ANSWER_CHARS:
            warnings.append(
                f"{WAS_CUT} {count_of(len(results), 'result')}: ask more narrowly, or with a smaller top_k"
            )
            break
        results.append(result)
        if len(results) == arguments["top_k"]:
            break
    metadata = _metadata(session, globs, found, len(results))
    warnings.extend(code_index.warnings(session, metadata["indexStatus"]))
    freshness.add_to(metadata)
    warnings.extend(freshness.warnings)
    if is_v2:
        metadata["totalCandidates"] = found.total_candidates
        metadata["buildId"] = session.artifact.build_id
    metadata["queryTimeMs"] = round((time.perf_counter() - started) * 1000, 1)
    if not results and metadata["indexStatus"]["fileCount"]:
        relaxed = "relax include_paths or exclude_paths, or use other words"
        unlimited = "use other words, or grep for an exact string"
        advice = code_index.unmatched(session, globs) or (relaxed if globs else unlimited)
        warnings.append(f"Nothing was found: {advice}.")
    structured: CodeResults = {"results": results, "metadata": metadata}
    structured |= present(warnings=warnings)
    return structured


def _search(
    session: Session, query: str, globs: PathGlobs, top_k: int, effort: _SearchDepth
) -> SearchResult:
    from kb_runtime.search.request import SearchRequest, SearchResult

    infos = lookup.collections(session, KIND)
    if not infos:  # a workspace whose first index is not there yet
        return SearchResult([], "lexical", (), 0)
    return session.artifact.searcher.search(
        SearchRequest(
            query=query,
            collections=tuple(info.name for info in infos),
            limit=effort.depth * _CANDIDATES_PER_RESULT * max(top_k, DEFAULT_TOP_K),
            rows=tuple(rows_of_paths(session.artifact, infos, globs)) if globs else None,
            snippet_chars=PREVIEW_CHARS,
            cosines=True,
        )
    )


def _result(session: Session, query: str, passage: Passage, score: float) -> CodeResult:
    artifact = session.artifact
    chunks = [artifact.chunks[at] for at in passage.rows]
    text = "".join(chunk["text"] for chunk in chunks)
    content, line = _trimmed(text, chunks[0]["start_line"])
    collection = passage.best.collection
    file = artifact.catalog(collection).id(passage.best.record)
    result: CodeResult = {
        "file": file,
        "content": content,
        "score": round(score, 4),
        "lines": f"{line}-{line + content.count(chr(10))}",
        "reason": _reason(query, passage),
    }
    result |= present(address=lookup.told_address(session, collection, file))
    return result


def _trimmed(text: str, line: int) -> tuple[str, int]:
    """`text` without blank lines around it, cut where it is too long, and the line it begins on."""
    start = 0
    while (end := text.find("\n", start)) >= 0 and not text[start:end].strip():
        start = end + 1
    content = text[start : cut(text, start, MAX_CONTENT_CHARS)]
    return content.rstrip(), line + text.count("\n", 0, start)


def _reason(query: str, passage: Passage) -> str:
    """The phrase that clients expect, then the evidence for the passage."""
    best = passage.best
    chunk = best.chunk
    evidence = []
    if best.exact_name:
        evidence.append("the query is this file's path")
    if symbol := chunk.get("symbol"):
        around = chunk.get("breadcrumb", ())[1:-1]
        of = f" of {'.'.join(around)}" if around else ""
        evidence.append(f"{chunk.get('symbol_kind') or 'definition'} {symbol}{of}")
    matched = list(dict.fromkeys(word for hit in passage.hits for word in hit.matched))
    if matched:
        evidence.append("has " + ", ".join(shorten(word, 40) for word in matched))
    if best.cosine is not None and best.semantic_rank is not None:
        evidence.append(f"similar in meaning ({best.cosine:.2f})")
    return "; ".join([f'Semantic match for: "{query}"', *evidence])


def _explain(result: CodeResult, passage: Passage) -> None:
    """Adds what the second version of the answer has."""
    best = passage.best
    chunk = best.chunk
    trail = chunk.get("breadcrumb", ())
    evidence: CodeEvidence = present(
        language=chunk.get("language"),
        symbolName=chunk.get("symbol"),
        symbolKind=chunk.get("symbol_kind"),
        parentSymbol=trail[-2] if chunk.get("symbol") and len(trail) > 2 else None,
        signature=chunk.get("signature"),
        matchedTerms=list(best.matched),
        cosine=round(best.cosine or 0.0, 4) or None,
        lexicalRank=best.lexical_rank,
        semanticRank=best.semantic_rank,
    )
    match_type: MatchType = "path" if best.exact_name else "text"
    if match_type == "text" and chunk.get("symbol") in best.matched:
        match_type = "definition"
    result["trace"] = {"source_stage": best.strategy, "match_type": match_type}
    result["explainability"] = evidence


def _metadata(session: Session, globs: PathGlobs, found: SearchResult, total: int) -> CodeMetadata:
    metadata: CodeMetadata = {
        "workspace": workspace(session),
        "lastIndexed": code_index.last_indexed(session),
        "totalResults": total,
        "query_mode": code_index.mode(found),
        "indexStatus": code_index.status(session),
        "queryTimeMs": 0.0,  # set when the answer is complete
    }
    if globs:
        metadata["filtersApplied"] = [
            *(f"include {pattern}" for pattern in globs.include),
            *(f"exclude {pattern}" for pattern in globs.exclude),
        ]
    return metadata


def workspace(session: Session) -> str:
    """The folders that paths are relative to, as kb.toml names them."""
    names = {
        catalog.head(position).get("workspace", "")
        for catalog in lookup.catalogs(session, KIND)
        for position in (0, len(catalog) - 1)
        if len(catalog)
    }
    return ", ".join(sorted(names))
