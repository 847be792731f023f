"""`qurio_search`, `qurio_list_sources`, `qurio_list_pages`, `qurio_read_page`: documentation sets.

Their contract requires protocol errors: -32602 for arguments, -32603 for failures of the server. Only a
page or section that does not exist is reported in the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ProtocolError, ToolError
from kb_runtime.search.results import without_near_duplicates
from kb_runtime.text.cursors import bad_cursor, read_cursor, write_cursor
from kb_runtime.text.names import quoted, suggest
from kb_runtime.text.rendering import cut, exact_fence
from kb_runtime.text.urls import split_fragment
from kb_runtime.tools import library
from kb_runtime.tools.answers import error_structure, error_text
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import (
    BOOLEAN,
    INTEGER,
    LIST,
    NUMBER,
    STRING,
    structure,
)
from kb_runtime.tools.sources.shelf import (
    KIND,
    Source,
    find_pages,
    find_source,
    matching_rows,
    sources,
)

if TYPE_CHECKING:
    from kb_runtime.search.request import Hit
    from kb_runtime.tools.session import Session

FAMILY = "sources"
SEARCH, LIST_SOURCES = "qurio_search", "qurio_list_sources"
LIST_PAGES, READ_PAGE = "qurio_list_pages", "qurio_read_page"

INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603

MAX_RESULTS = 50
POOL = 2 * MAX_RESULTS
"""Hits from which the results are taken, some of which say nearly the same. As many whatever the limit:
scores are relative to the candidates, so that other ones would change the order."""
MAX_LISTED = 1000
MAX_QUERY_CHARS = 2_000
SHOWN_HEADINGS = 40
MAX_NEAREST = 5

TYPES = ("prose", "code", "api", "config", "cmd")
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


def search(session: Session, arguments: dict[str, Any]) -> Answer:
    from kb_runtime.search.request import NO_WORD_OCCURS, SearchRequest

    query, alpha, limit = arguments["query"], float(arguments["alpha"]), arguments["limit"]
    filters = _filters(arguments["filters"] or {})
    if arguments["source_id"] is not None:
        filters["sourceId"] = [arguments["source_id"]]
    if "sourceId" in filters:
        filters["sourceId"] = [find_source(session, each).id for each in filters["sourceId"]]
    result = session.artifact.searcher.search(
        SearchRequest(
            query=query,
            collections=tuple(info.name for info in library.collections(session, KIND)),
            limit=POOL,
            alpha=alpha,
            ranking=(),  # a score is the mix of both sides that `alpha` asks for, and nothing else
            types=_with_synonyms(filters.get("type", ()), _SAME_TYPE),
            languages=_with_synonyms(filters.get("language", ()), _SAME_LANGUAGE),
            rows=_rows(session, filters),
            names=False,
        )
    )
    warnings = []
    if result.mode == "lexical" and alpha > 0:
        warnings.append(
            "Semantic search is unavailable: results by keywords only, as with alpha 0.0."
        )
    if result.mode == "semantic" and alpha < 1:
        warnings.append(
            "Keyword search is unavailable: results by meaning only, as with alpha 1.0."
        )
    if result.hits and NO_WORD_OCCURS in result.warnings:
        warnings.append(NO_WORD_OCCURS)
    hits = without_near_duplicates(result.hits, limit, lambda hit: (hit.collection, hit.record))
    results = [_result(session, rank, hit) for rank, hit in enumerate(hits, start=1)]
    if not results and filters:
        warnings.append("No passage that satisfies the filters matches: leave some of them out.")
    structured: dict[str, Any] = {
        "query": query,
        "alpha": alpha,
        "limit": limit,
        "results": results,
    }
    if warnings:
        structured["warnings"] = warnings
    notes = "".join(f"Note: {warning}\n\n" for warning in warnings)
    return Answer(notes + _search_text(results), structured)


def _filters(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values that each filter allows. Raises BAD_INPUT for unknown keys and other types."""
    unknown = sorted(str(key) for key in given if key not in FILTERS)
    if unknown:
        raise ToolError(
            "BAD_INPUT",
            f"filters has the unknown key {quoted(unknown[0])}. Allowed: {', '.join(FILTERS)}",
            suggestions=suggest(unknown[0], FILTERS) or FILTERS,
            details={"allowed": list(FILTERS)},
        )
    filters: dict[str, list[Any]] = {}
    for key, value in given.items():
        values = value if isinstance(value, list) else [value]
        allowed = [_filter_value(key, each) for each in values if each is not None and each != ""]
        if allowed:
            filters[key] = allowed
    return filters


def _filter_value(key: str, value: Any) -> Any:
    if key == "pageCount":
        if isinstance(value, str) and value.strip().isdecimal():
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(value, str):
        return value.strip()
    wanted = "a whole number" if key == "pageCount" else "a string"
    raise ToolError(
        "BAD_INPUT",
        f"filters.{key} must be {wanted} or a list of such, not {quoted(value)}."
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


def _rows(session: Session, filters: Mapping[str, Sequence[Any]]) -> tuple[range, ...] | None:
    """The chunks that the filters on sources and pages leave; None without such filters."""
    by_page = {field: filters[key] for key, field in PAGE_FILTERS.items() if key in filters}
    if not by_page and not filters.keys() & {"sourceId", "sourceName"}:
        return None

    def accepts(_: Source, page: Mapping[str, Any]) -> bool:
        return all(page.get(field) in values for field, values in by_page.items())

    among = [
        source
        for source in sources(session)
        if source.id in filters.get("sourceId", (source.id,))
        and source.name in filters.get("sourceName", (source.name,))
    ]
    return matching_rows(session, among, accepts)


def _result(session: Session, rank: int, hit: Hit) -> dict[str, Any]:
    page = session.artifact.catalog(hit.collection)[hit.record]
    chunk = hit.chunk
    result = {
        "rank": rank,
        "score": round(hit.score, 6),
        "title": page["title"],
        "url": page["url"],
        "sourceId": page["source"],
        "sourceName": page["source_name"],
        "type": chunk.get("type", ""),
        "language": chunk.get("language", ""),
        "chunkIndex": chunk["index"],
        "content": chunk["text"],
        **_page_facts(page),
    }
    if section := (chunk.get("breadcrumb") or [""])[-1]:
        result["section"] = section
    return {name: value for name, value in result.items() if value != ""}


def _page_facts(page: Mapping[str, Any]) -> dict[str, Any]:
    facts = {
        "author": page.get("author"),
        "createdAt": page.get("created_at"),
        "pageCount": page.get("page_count"),
    }
    return {name: value for name, value in facts.items() if value}


def _search_text(results: Sequence[Mapping[str, Any]]) -> str:
    if not results:
        return "No results found."
    parts = []
    for result in results:
        lines = [f"Result {result['rank']} (Score: {result['score']:.2f}):"]
        for label, field in (
            ("Title", "title"),
            ("Source", "sourceName"),
            ("URL", "url"),
            ("Type", "type"),
            ("Language", "language"),
            ("SourceID", "sourceId"),
        ):
            if value := result.get(field):
                lines.append(f"{label}: {value}")
        lines += ["Content:", exact_fence(result["content"]), "---"]
        parts.append("\n".join(lines))
    parts.append(f'Use {READ_PAGE}(url="...") to read the full content of any result.')
    return "\n\n".join(parts)


def list_sources(session: Session, _: dict[str, Any]) -> Answer:
    found = sources(session)
    entries = []
    for source in found:
        entry = {
            "id": source.id,
            "name": source.name,
            "type": source.record["type"],
            "url": source.record.get("url", ""),
            "pageCount": len(source.pages),
            "chunkCount": len(source.rows(session, 0, len(source.pages))),
            "builtAt": session.artifact.manifest["built_at"],
            "description": source.record.get("description", ""),
        }
        entries.append({name: value for name, value in entry.items() if value != ""})
    listed = [
        {name: entry[name] for name in ("id", "name", "type", "url") if name in entry}
        for entry in entries
    ]
    text = _json_lines(listed) if listed else "No sources found."
    return Answer(text, {"sources": entries, "total": len(entries)})


def list_pages(session: Session, arguments: dict[str, Any]) -> Answer:
    source = find_source(session, arguments["source_id"])
    wanted = arguments["filter"]
    pages = source.pages
    if wanted is not None:
        folded = wanted.casefold()
        pages = [
            page
            for page in pages
            if folded in page["url"].casefold() or folded in page.get("title", "").casefold()
        ]
    scope = {"source_id": source.id, "filter": wanted}
    start = 0
    if arguments["cursor"] is not None:
        build = session.artifact.build_id
        (start,) = read_cursor(arguments["cursor"], build, LIST_PAGES, scope, 1)
        if start >= len(pages):
            raise bad_cursor("it is beyond the end")
    limit = arguments["limit"]
    stop = len(pages) if limit is None else min(start + limit, len(pages))
    listed = [
        {name: page[name] for name in ("id", "url", "title") if name in page}
        for page in pages[start:stop]
    ]
    structured: dict[str, Any] = {"sourceId": source.id, "pages": listed, "total": len(pages)}
    if limit is not None:
        structured["limit"] = limit
    text = _json_lines(listed) if listed else "No pages found for source."
    if not listed and source.pages:
        structured["warnings"] = [
            f"None of the {len(source.pages)} pages has {quoted(wanted)} in its url or title."
        ]
        text += f"\n\nNote: {structured['warnings'][0]}"
    if stop < len(pages):
        cursor = write_cursor(session.artifact.build_id, LIST_PAGES, scope, [stop])
        structured["nextCursor"] = cursor
        text += f'\n\nNext: {len(pages) - stop} more with cursor="{cursor}".'
    return Answer(text, structured)


def read_page(session: Session, arguments: dict[str, Any]) -> Answer:
    """The page, or one section of it, exactly as it is stored; long ones in parts if so wished."""
    page, warnings = _page(session, arguments["url"], arguments["source_id"])
    section = _section(page, arguments, warnings)
    content: str = page["text"]
    if section is not None:
        lines = content.split("\n")
        first = section["line"] - page.get("line", 1)
        end = section["end_line"] - page.get("line", 1) + 1
        content = "\n".join(lines[first:end]) + ("\n" if end < len(lines) else "")
    scope = {"page": page["id"], "section": None if section is None else section["line"]}
    start = 0
    if arguments["cursor"] is not None:
        build = session.artifact.build_id
        (start,) = read_cursor(arguments["cursor"], build, READ_PAGE, scope, 1)
        if start >= len(content):
            raise bad_cursor("it is beyond the end")
    limit = arguments["maxChars"]
    stop = len(content) if limit is None else cut(content, start, limit)
    structured: dict[str, Any] = {
        "url": page["url"],
        "title": page["title"],
        "sourceId": page["source"],
        "sourceName": page["source_name"],
        "content": content[start:stop],
        "sections": [
            {name: each[name] for name in ("title", "level", "anchor", "line")}
            for each in page.get("sections", ())
        ],
        **_page_facts(page),
        "builtAt": session.artifact.manifest["built_at"],
        "truncated": stop < len(content),
    }
    head = [f"Page: {page['title']}", f"URL: {page['url']}"]
    if section is not None:
        structured["section"] = section["title"]
        head.append(f"Section: {section['title']}")
    if warnings:
        structured["warnings"] = warnings
        head += [f"Note: {warning}" for warning in warnings]
    text = "\n".join([*head, "", exact_fence(content[start:stop])])
    if stop < len(content):
        cursor = write_cursor(session.artifact.build_id, READ_PAGE, scope, [stop])
        structured["nextCursor"] = cursor
        text += f'\n\nNext: {len(content) - stop} more characters with cursor="{cursor}".'
    return Answer(text, structured)


def _page(session: Session, url: str, source_id: str | None) -> tuple[library.Record, list[str]]:
    """The page with this address, and what to know about the choice. Raises NOT_FOUND."""
    found = find_pages(session, url)
    source = None if source_id is None else find_source(session, source_id)
    if source is not None:
        elsewhere = [page["source"] for page in found if page["source"] != source.id]
        found = [page for page in found if page["source"] == source.id]
        if elsewhere and not found:
            raise ToolError(
                "NOT_FOUND",
                f"No content found for URL. {quoted(url)} is not in the source"
                f" {quoted(source.id)} but in {', '.join(elsewhere)}",
                suggestions=elsewhere,
            )
    if not found:
        among = sources(session) if source is None else [source]
        known = [page["url"] for each in among for page in each.pages]
        near = suggest(split_fragment(url)[0], known) or _nearest(url, known)
        raise ToolError(
            "NOT_FOUND",
            f"No content found for URL. Nothing is stored under {quoted(url, 300)}",
            suggestions=near,
            next_steps=[f"Call {LIST_PAGES} for the addresses of a source, or {SEARCH}."],
            details={"nearest": near},
        )
    others = [page["source"] for page in found[1:]]
    if library.tell_others(session, url, [(page["collection"], page["id"]) for page in found]):
        others = []
    warnings = []
    if others:
        warnings.append(
            f"this address is in {', '.join(others)} too: source_id chooses between them"
        )
    return found[0], warnings


def _nearest(url: str, known: Sequence[str]) -> list[str]:
    """The known addresses that agree with `url` for longest from their beginning."""

    def shared(other: str) -> int:
        return sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(url, other, strict=False))
        )

    return sorted(known, key=lambda each: (-shared(each), each))[:MAX_NEAREST]


def _section(
    page: Mapping[str, Any], arguments: Mapping[str, Any], warnings: list[str]
) -> dict[str, Any] | None:
    """The section asked for by title or anchor, else by the fragment of the address. Raises
    NOT_FOUND for an unknown title; an unknown fragment is only told."""
    wanted = arguments["section"]
    fragment = split_fragment(arguments["url"])[1]
    sections: list[dict[str, Any]] = page.get("sections", [])
    name = (wanted or fragment).lstrip("# ")
    for exact in (True, False):
        for section in sections if name else ():
            names = (section["anchor"], section["title"])
            if name in names if exact else name.casefold() in map(str.casefold, names):
                return section
    if wanted:
        titles = [section["title"] for section in sections]
        shown = ", ".join(titles[:SHOWN_HEADINGS]) or "the page has no headings"
        more = f" and {len(titles) - SHOWN_HEADINGS} more" if len(titles) > SHOWN_HEADINGS else ""
        raise ToolError(
            "NOT_FOUND",
            f"the page has no section {quoted(wanted)}. Headings: {shown}{more}",
            suggestions=suggest(wanted, titles),
            next_steps=["Leave section out to read the whole page."],
            details={"headings": titles},
        )
    if fragment:
        warnings.append(f"the page has no heading {quoted(fragment)}: this is the whole page")
    return None


def _json_lines(entries: Sequence[Mapping[Any, Any]]) -> str:
    return json.dumps(entries, ensure_ascii=False, indent=2)


def protocol_error(error: ToolError) -> Answer:
    """What does not exist is told in the answer. Raises ProtocolError for everything else."""
    if error.kind == "NOT_FOUND":
        return Answer(error_text(error), error_structure(error))
    is_fault = error.kind in ("INTERNAL", "UNAVAILABLE")
    data = error_structure(error)["error"]
    message = data.pop("message")
    if error.kind == "UNAVAILABLE":
        message = "The search index of this server cannot be used"  # the reason may name a path
    raise ProtocolError(INTERNAL_ERROR if is_fault else INVALID_PARAMS, message, data)


def _tool(
    name: str,
    description: str,
    run: Callable[[Session, dict[str, Any]], Answer],
    arguments: tuple[Argument, ...],
    output: Mapping[str, Any],
) -> Tool:
    return Tool(
        name=name,
        family=FAMILY,
        description=description,
        run=run,
        arguments=arguments,
        output=output,
        needs=(KIND,),
        on_error=protocol_error,
        correlated=True,
    )


_SOURCE_ID = Argument("source_id", "string", "only this source", max_length=300)
_CURSOR = Argument("cursor", "string", "nextCursor of the previous answer", max_length=2_000)
_PAGE_FACTS = {"author": STRING, "createdAt": STRING, "pageCount": INTEGER}

TOOLS = (
    _tool(
        SEARCH,
        "Search documentation sets by keywords and meaning. alpha: 0.0 keywords only (error codes,"
        " names), 0.3 mostly keywords, 0.5 balanced, 1.0 meaning only (how-to questions). 5 to 15"
        ' results suffice. Filters: type="code", language="go"; sourceId=["a","b"]; author="Ann".'
        ' Examples: query="E0308", alpha=0.0; query="how do I retry a request", limit=5;'
        ' query="http client", filters with type="code". Then read a hit with qurio_read_page.',
        search,
        (
            Argument(
                "query",
                "string",
                "what to look for",
                required=True,
                max_length=MAX_QUERY_CHARS,
            ),
            Argument(
                "alpha",
                "number",
                "0.0 keywords ... 1.0 meaning",
                default=0.5,
                minimum=0.0,
                maximum=1.0,
                out_of_range="reject",
            ),
            Argument(
                "limit",
                "integer",
                "results",
                default=10,
                minimum=1,
                maximum=MAX_RESULTS,
                out_of_range="clamp above",
            ),
            _SOURCE_ID,
            Argument(
                "filters",
                "object",
                f"equal to a value or one of a list, all must hold: {', '.join(FILTERS)}."
                f" type is one of {', '.join(TYPES)}",
            ),
        ),
        structure(
            {
                "query": STRING,
                "alpha": NUMBER,
                "limit": INTEGER,
                "results": LIST,
            }
        ),
    ),
    _tool(
        LIST_SOURCES,
        "List the documentation sets: id, name, type, url.",
        list_sources,
        (),
        structure(
            {
                "sources": LIST,
                "total": INTEGER,
            }
        ),
    ),
    _tool(
        LIST_PAGES,
        "List the pages of a documentation set: id, url, title.",
        list_pages,
        (
            Argument(
                "source_id",
                "string",
                "id from qurio_list_sources",
                required=True,
                max_length=300,
            ),
            Argument("filter", "string", "text that url or title contains", max_length=500),
            Argument(
                "limit",
                "integer",
                "pages in one answer; omitted: all",
                minimum=1,
                maximum=MAX_LISTED,
            ),
            _CURSOR,
        ),
        structure(
            {
                "sourceId": STRING,
                "pages": LIST,
                "total": INTEGER,
            },
            {"limit": INTEGER, "nextCursor": STRING},
        ),
    ),
    _tool(
        READ_PAGE,
        "Read a page in full, exactly as stored, or one section of it.",
        read_page,
        (
            Argument(
                "url",
                "string",
                "address of the page; a #fragment picks the section",
                required=True,
                max_length=2_000,
            ),
            Argument("source_id", "string", "where several sources have the page", max_length=300),
            Argument("section", "string", "heading or anchor to read alone", max_length=500),
            Argument(
                "maxChars",
                "integer",
                "characters in one answer; omitted: all",
                minimum=1,
                out_of_range="reject",
            ),
            _CURSOR,
        ),
        structure(
            {
                "url": STRING,
                "title": STRING,
                "sourceId": STRING,
                "sourceName": STRING,
                "content": STRING,
                "sections": LIST,
                "truncated": BOOLEAN,
                "builtAt": STRING,
            },
            {**_PAGE_FACTS, "section": STRING, "nextCursor": STRING},
        ),
    ),
)
