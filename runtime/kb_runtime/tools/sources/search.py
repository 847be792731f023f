"""`qurio_search`: passages of documentation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.search.results import without_near_duplicates
from kb_runtime.store.catalog import CHUNK_TYPES
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.json_types import DESCRIPTIONS, integer, is_of_type
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.rendering import exact_fence
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.arguments import MAX_ITEMS
from kb_runtime.tools.budget import whole_results
from kb_runtime.tools.declaration import Answer, Argument
from kb_runtime.tools.refusal import bad_input
from kb_runtime.tools.sources.family import READ_PAGE, page_facts, source_tools
from kb_runtime.tools.sources.lookup import (
    KIND,
    DocumentationSet,
    find_source,
    matching_rows,
    sources,
)

if TYPE_CHECKING:
    from kb_runtime.records.entries import ListedPage
    from kb_runtime.search.request import SearchHit
    from kb_runtime.text.json_types import JsonType
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.sources.answers import PassageResult, PassageResults

MAX_RESULTS = 50
POOL = 2 * MAX_RESULTS
"""Hits from which the results are taken, some of which say nearly the same. As many whatever the limit:
scores are relative to the candidates, so that other ones would change the order."""
MAX_QUERY_CHARS = 2_000
_IF_CUT = "For the others give filters or a larger max_chars."


PAGE_FILTERS: Mapping[str, str] = {
    "title": "title",
    "url": "url",
    "author": "author",
    "createdAt": "created_at",
    "pageCount": "page_count",
}
"""Filter -> field of a source's listing of pages."""
FILTERS = ("type", "language", "sourceId", "sourceName", *PAGE_FILTERS)


_SAME_LANGUAGE = (
    ("bash", "sh", "shell", "zsh"),
    ("c++", "cpp"),
    ("c#", "cs", "csharp"),
    ("go", "golang"),
    ("javascript", "js"),
    ("kotlin", "kt"),
    ("markdown", "md"),
    ("python", "py", "python3"),
    ("ruby", "rb"),
    ("rust", "rs"),
    ("typescript", "ts"),
    ("yaml", "yml"),
)
_SAME_TYPE = (
    ("cmd", "command", "shell"),
    ("code", "source"),
    ("config", "configuration"),
    ("prose", "text"),
)


TOOLS = source_tools()


@TOOLS.tool(
    "Search documentation sets by keywords and meaning. alpha: 0.0 keywords only (error codes,"
    " names), 0.3 mostly keywords, 0.5 balanced, 1.0 meaning only (how-to questions). 5 to 15"
    ' results suffice. Filters: type="code", language="go"; sourceId=["a","b"]; author="Ann".'
    ' Examples: query="E0308", alpha=0.0; query="how do I retry a request", limit=5;'
    ' query="http client", filters with type="code". Then read a hit with qurio_read_page.',
    parameter.required("query", "what to look for", MAX_QUERY_CHARS),
    Argument(
        "alpha",
        "number",
        "0.0 keywords ... 1.0 meaning",
        default=0.5,
        minimum=0.0,
        maximum=1.0,
        out_of_range="reject",
    ),
    parameter.integer("limit", "results", 1, MAX_RESULTS, default=10, out_of_range="clamp above"),
    parameter.text("source_id", "only this source", 300),
    Argument(
        "filters",
        "object",
        f"equal to a value or one of a list, all must hold: {', '.join(FILTERS)}."
        f" type is one of {', '.join(CHUNK_TYPES)}",
    ),
    prefixed="{prefix}_search_pages",
)
def search(session: Session, arguments: dict[str, Any]) -> Answer[PassageResults]:
    from kb_runtime.search.request import NO_WORD_OCCURS, SearchRequest

    query, alpha, limit = arguments["query"], float(arguments["alpha"]), arguments["limit"]
    unknown: list[str] = []
    among: list[DocumentationSet] | None = None
    filters = _filters(arguments["filters"] or {})
    if arguments["source_id"] is not None:
        filters["sourceId"] = [arguments["source_id"]]
    if "sourceId" in filters:
        among, unknown = _known_sources(session, filters.pop("sourceId"))
        if not among:
            return _answer(session, query, alpha, limit, [], unknown)
    result = session.artifact.searcher.search(
        SearchRequest(
            query=query,
            collections=tuple(info.name for info in lookup.collections(session, KIND)),
            limit=POOL,
            alpha=alpha,
            ranking=(),  # a score is the mix of both sides that `alpha` asks for, and nothing else
            types=_with_synonyms(filters.get("type", ()), _SAME_TYPE),
            languages=_with_synonyms(filters.get("language", ()), _SAME_LANGUAGE),
            rows=_rows(session, among, filters),
            names=False,
        )
    )
    warnings = unknown
    if result.mode == "lexical" and alpha > 0:
        warnings.append(
            "Vector search is unavailable: results by keywords only, as with alpha 0.0."
        )
    if result.mode == "semantic" and alpha < 1:
        warnings.append(
            "Keyword search is unavailable: results by meaning only, as with alpha 1.0."
        )
    if result.hits and NO_WORD_OCCURS in result.warnings:
        warnings.append(NO_WORD_OCCURS)
    hits = without_near_duplicates(result.hits, limit, lambda hit: (hit.collection, hit.record))
    results = [_result(session, rank, hit) for rank, hit in enumerate(hits, start=1)]
    if not results and (filters or among is not None):
        warnings.append("No passage that satisfies the filters matches: leave some of them out.")
    return _answer(session, query, alpha, limit, results, warnings)


def _answer(
    session: Session,
    query: str,
    alpha: float,
    limit: int,
    results: list[PassageResult],
    warnings: list[str],
) -> Answer[PassageResults]:
    structured: PassageResults = {
        "query": query,
        "alpha": alpha,
        "limit": limit,
        "results": results,
    }
    structured |= present(warnings=warnings)
    notes = "".join(f"Note: {warning}\n\n" for warning in warnings)

    def text() -> str:
        return notes + _search_text(session, results, len(results) < found)

    found = len(results)
    return whole_results(structured, [results], text, session.max_chars, _IF_CUT)


def _known_sources(
    session: Session, given: Sequence[str]
) -> tuple[list[DocumentationSet], list[str]]:
    """The sources that are meant, those of one id in all knowledge bases, and a warning for each name of
    none: a search in what does not exist finds nothing, which is no failure."""
    meant: list[DocumentationSet] = []
    warnings: list[str] = []
    for each in given:
        try:
            found = find_source(session, each)
        except ToolError as error:
            warnings.append(f"{error.message}.")
            continue
        same = [one for one in sources(session) if one.id == found.id]
        meant += [found] if parse_address(each) else same
    return meant, warnings


def _filters(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values that each filter allows. Raises BAD_INPUT for unknown keys and other types."""
    unknown = sorted(str(key) for key in given if key not in FILTERS)
    if unknown:
        raise bad_input(
            f"filters has the unknown key {quoted(unknown[0])}. Allowed: {', '.join(FILTERS)}",
            suggestions=suggest(unknown[0], FILTERS) or FILTERS,
            details={"allowed": list(FILTERS)},
        )
    filters: dict[str, list[Any]] = {}
    for key, value in given.items():
        values = value if isinstance(value, list) else [value]
        if len(values) > MAX_ITEMS:
            raise bad_input(
                f"filters.{key} has {len(values)} values and may have at most {MAX_ITEMS}"
            )
        given_values = (each.strip() if isinstance(each, str) else each for each in values)
        allowed = [_filter_value(key, each) for each in given_values if each not in (None, "")]
        if allowed:
            filters[key] = allowed
    return filters


def _filter_value(key: str, value: Any) -> Any:
    type: JsonType = "integer" if key == "pageCount" else "string"
    found = integer(value) if type == "integer" else value
    if is_of_type(found, type):
        return found
    raise bad_input(
        f"filters.{key} must be {DESCRIPTIONS[type]} or a list of them, not {quoted(value)}."
        f" Allowed keys: {', '.join(FILTERS)}",
        details={"allowed": list(FILTERS)},
    )


def _with_synonyms(values: Sequence[str], groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The values and other names of the same, in lower case."""
    found: dict[str, None] = {}
    for value in values:
        folded = value.casefold()
        same = next((group for group in groups if folded in group), (folded,))
        found.update(dict.fromkeys(same))
    return tuple(found)


def _rows(
    session: Session, among: list[DocumentationSet] | None, filters: Mapping[str, Sequence[Any]]
) -> tuple[range, ...] | None:
    """The chunks of these sources (None: of all) that the filters on sources and pages leave; None
    without such filters."""
    by_page = {field: filters[key] for key, field in PAGE_FILTERS.items() if key in filters}
    if not by_page and among is None and "sourceName" not in filters:
        return None

    def accepts(page: ListedPage) -> bool:
        return all(page.get(field) in values for field, values in by_page.items())

    places = None if among is None else {(one.info.name, one.id) for one in among}
    chosen = [
        source
        for source in sources(session)
        if (places is None or (source.info.name, source.id) in places)
        and source.name in filters.get("sourceName", (source.name,))
    ]
    return matching_rows(session, chosen, accepts)


def _result(session: Session, rank: int, hit: SearchHit) -> PassageResult:
    page: Any = session.artifact.catalog(hit.collection)[hit.record]
    chunk = hit.chunk
    result: PassageResult = {
        "rank": rank,
        "score": round(hit.score, 6),
        "title": page["title"],
        "url": page["url"],
        "sourceId": page["source"],
        "sourceName": page["source_name"],
        "chunkIndex": chunk["index"],
        "content": chunk["text"],
    }
    result |= present(
        type=chunk.get("type"),
        language=chunk.get("language"),
        section=(chunk.get("breadcrumb") or [""])[-1],
        address=lookup.shared_address(session, hit.collection, page["id"], page["url"]),
    )
    result |= page_facts(page)
    return result


def _search_text(session: Session, results: Sequence[PassageResult], is_cut: bool) -> str:
    if not results:
        return "No results found."
    parts = []
    for result in results:
        lines = [f"Result {result['rank']} (Score: {result['score']:.2f}):"]
        for label, field in (
            ("Title", "title"),
            ("Source", "sourceName"),
            ("URL", "url"),
            ("Address", "address"),
            ("Type", "type"),
            ("Language", "language"),
            ("SourceID", "sourceId"),
        ):
            if value := result.get(field):
                lines.append(f"{label}: {value}")
        lines += ["Content:", exact_fence(result["content"]), "---"]
        parts.append("\n".join(lines))
    if is_cut:
        parts.append(f"Only {count_of(len(results), 'result')} could be shown. {_IF_CUT}")
    reader = session.name_of(READ_PAGE)
    parts.append(f'Use {reader}(url="...") to read the full content of any result.')
    return "\n\n".join(parts)
