"""`hybrid_search`: words and meaning together, over one scope or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.errors import ToolError
from kb_runtime.explanation import explain
from kb_runtime.names import quoted, suggest
from kb_runtime.rendering import excerpt, json_text, shorten
from kb_runtime.tools import library
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import (
    INTEGER,
    NUMBER,
    OBJECT,
    STRING,
    STRINGS,
    array,
    mapping,
    row,
    structure,
)

if TYPE_CHECKING:
    from kb_runtime.artifact import CollectionInfo
    from kb_runtime.search import Hit
    from kb_runtime.session import Session

ALL = "all"
SCOPES = (ALL, "builtins", "docs", "examples", "guidelines", "extra", "patterns", "templates")
"""Scopes that every knowledge base has, empty or not; a collection's name is a scope as well."""

DEFAULT_K = 10
DEFAULT_PER_SCOPE = 5
MAX_RESULTS = 50

SNIPPET_CHARS = 1600
"""Shared by the snippets of an answer: ten hits, with what else they tell, stay at about 6 kB."""
SHORTEST_SNIPPET = 80
LONGEST_SNIPPET = 240
_TITLE_CHARS = 80
_SECTION_CHARS = 50
_SIGNATURE_CHARS = 120
_MAX_TAGS = 5
_MAX_HIGHLIGHTS = 4
_MAX_NAMES = 4


def hybrid_search(session: Session, arguments: dict[str, Any]) -> Answer:
    query: str = arguments["query"]
    warnings: list[str] = []
    scopes = _scopes(session, arguments["scopes"], arguments["scope"], warnings)
    limit = _limit(scopes, arguments["k"], arguments["limitPerScope"])
    snippet_chars = _snippet_chars(len(scopes), limit)
    by_scope: dict[str, list[dict[str, Any]]] = {}
    modes: set[str] = set()
    for scope in scopes:
        hits = _search(session, query, scope, limit, modes, warnings)
        by_scope[scope] = [_result(scope, hit, snippet_chars) for hit in hits]
        if arguments["explain"]:
            for result, found in zip(by_scope[scope], hits, strict=True):
                result["explanation"] = explain(found.hit)
    structured: dict[str, Any] = {
        "query": query,
        "scopes": scopes,
        "limitPerScope": limit,
        "mode": modes.pop() if len(modes) == 1 else "hybrid",
    }
    if len(scopes) == 1:
        structured |= {"scope": scopes[0], "k": limit, "results": by_scope[scopes[0]]}
    if not any(by_scope.values()):
        warnings.append(_nothing_found(session, scopes))
    if warnings:
        structured["warnings"] = list(dict.fromkeys(warnings))
    whole = {**structured, "resultsByScope": by_scope}
    # A text does not need the only list twice.
    return Answer(json_text(structured if len(scopes) == 1 else whole), whole)


def _scopes(
    session: Session, several: list[str] | None, single: str | None, warnings: list[str]
) -> list[str]:
    """The effective scopes, each once, in the order given. Raises BAD_INPUT for an unknown one."""
    if several and single and single not in several:
        warnings.append(f"scope {quoted(single)} was ignored because scopes was given")
    given = several or ([single] if single else [ALL])
    known = list(dict.fromkeys([*SCOPES, *session.artifact.manifest["scopes"]]))
    folded = {name.casefold(): name for name in reversed(known)}
    scopes = []
    for name in given:
        scope = folded.get(name.casefold())
        if scope is None:
            raise ToolError(
                "BAD_INPUT",
                f"there is no scope {quoted(name)}. Valid scopes: {', '.join(known)}",
                suggestions=suggest(name, known) or known[: len(SCOPES)],
                next_steps=["Use valid scopes, or leave scopes out to search everything."],
                details={"validScopes": known},
            )
        scopes.append(scope)
    return [ALL] if ALL in scopes else list(dict.fromkeys(scopes))


def _limit(scopes: Sequence[str], k: int | None, per_scope: int | None) -> int:
    """How many results a scope gets."""
    if len(scopes) == 1:
        return k or per_scope or DEFAULT_K
    return per_scope or k or DEFAULT_PER_SCOPE


def _snippet_chars(scopes: int, limit: int) -> int:
    """The length of a snippet; the results of an only scope are in the structure twice."""
    copies = scopes * limit if scopes > 1 else 2 * limit
    return max(SHORTEST_SNIPPET, min(SNIPPET_CHARS // copies, LONGEST_SNIPPET))


class _Found(NamedTuple):
    """A hit and the record that it is shown as."""

    info: CollectionInfo
    record: library.Record
    hit: Hit


def _search(
    session: Session, query: str, scope: str, limit: int, modes: set[str], warnings: list[str]
) -> list[_Found]:
    """The best `limit` hits of a scope; those that would have the same id are one."""
    from kb_runtime.search import SearchRequest

    names = tuple(session.artifact.manifest["scopes"].get(scope, ()))
    if not names:
        warnings.append(f"the scope {scope} is empty in this knowledge base")
        return []
    decoded: dict[tuple[str, int], library.Record] = {}
    shown: dict[str, _Found] = {}

    def shown_as(hit: Hit) -> str:
        found = _shown(session, hit, scope, decoded)
        id = _describe(found)[0]
        shown.setdefault(id, found)
        return id

    answer = session.artifact.searcher.search(
        SearchRequest(query=query, collections=names, limit=limit, distinct=shown_as)
    )
    modes.add(answer.mode)
    warnings.extend(answer.warnings)
    return list(shown.values())[:limit]


def _shown(
    session: Session, hit: Hit, scope: str, decoded: dict[tuple[str, int], library.Record]
) -> _Found:
    """What a hit is shown as: its record, or the builtin whose entry those lines of a page are.

    `decoded` keeps the records of a search: a page often has many hits.
    """
    info = session.artifact.collection(hit.collection)
    place = hit.collection, hit.record
    record = decoded.get(place)
    if record is None:
        record = decoded[place] = session.artifact.catalog(hit.collection)[hit.record]
    if scope == ALL and info.kind == "docs":
        line = hit.chunk["start_line"]
        for name in hit.chunk.get("breadcrumb", ())[1:]:
            for owner in library.collections(session, "builtins"):
                catalog = session.artifact.catalog(owner.name)
                position = catalog.find(name)
                entry = None if position is None else catalog[position]
                if (
                    entry is not None
                    and entry["path"] == record["path"]
                    and 0 <= line - entry["line"] < entry["lines"]
                ):
                    return _Found(owner, entry, hit)
    return _Found(info, record, hit)


def _nothing_found(session: Session, scopes: Sequence[str]) -> str:
    if ALL not in scopes:
        return "Nothing was found. Search all scopes, or use fewer and more common words."
    substring = library.tool_name(session, "search_docs")
    return f"Nothing was found. Use other words, or {substring} for an exact piece of text."


def _result(scope: str, found: _Found, snippet_chars: int) -> dict[str, Any]:
    info, record, hit = found
    id, source, metadata = _describe(found)
    metadata["lines"] = [hit.chunk["start_line"], hit.chunk["end_line"]]
    title = record["title"] if info.kind == "builtins" else hit.chunk.get("title")
    result: dict[str, Any] = {
        "id": id,
        "scope": _own_scope(info) if scope == ALL else scope,
        "title": shorten(title or record["title"], _TITLE_CHARS),
        "score": round(hit.score, 5),
        "strategy": hit.strategy,
        "source": source,
        "metadata": metadata,
    }
    if snippet := excerpt(_passage(found), hit.matched, snippet_chars):
        result["snippet"] = snippet
    if (tags := record.get("tags")) and info.kind != "builtins":  # theirs are the categories
        result["tags"] = tags[:_MAX_TAGS]
    if hit.matched:
        result["highlights"] = [shorten(term, 40) for term in hit.matched[:_MAX_HIGHLIGHTS]]
    return result


def _passage(found: _Found) -> str:
    """What the snippet is taken from: not what title and metadata say already."""
    _, record, hit = found
    if found.info.kind == "builtins":
        return str(record.get("description", ""))
    lines = hit.snippet.text.split("\n")
    text = "\n".join(line for line in lines if not line.startswith("#")).strip()
    return text or lines[0] or str(record.get("summary", ""))


def _own_scope(info: CollectionInfo) -> str:
    """The narrowest scope of every knowledge base that holds the collection."""
    if info.kind != "docs":
        return info.kind if info.kind in SCOPES else info.name
    return {"posts": "extra", "guidelines": "guidelines"}.get(info.group, "docs")


def _describe(found: _Found) -> tuple[str, str, dict[str, Any]]:
    """A hit's id, the name under which the matching get tool finds it, and its metadata."""
    info, record, _ = found
    id: str = record["id"]
    match info.kind:
        case "builtins":
            signature = shorten(record["signature"], _SIGNATURE_CHARS)
            metadata = {"signature": signature, "category": record["category"]}
            return f"builtin:{id}", id, metadata
        case "examples":
            return f"example:{id}", id, _some(record, "category", "modules", "functions")
        case "patterns":
            return f"pattern:{id}", id, _some(record, "category", "when_to_use")
        case "templates":
            return f"template:{id}", id, _some(record, "framework", "use_for")
        case "docs":
            return _describe_section(found)
        case _:
            return f"{info.name}:{id}", id, {}


def _describe_section(found: _Found) -> tuple[str, str, dict[str, Any]]:
    info, record, hit = found
    path: str = record["path"]
    line = hit.chunk.get("section_line") or hit.chunk["start_line"]
    place = f"{path}#{hit.chunk.get('anchor', '')}:{line}"
    metadata = {
        "section": shorten((hit.chunk.get("breadcrumb") or [record["title"]])[-1], _SECTION_CHARS),
        "level": hit.chunk.get("section_level", 0),
        "path": path,
        "line": line,
    }
    if info.group == "guidelines":
        kind = "workflow" if "workflow" in path.casefold() else "guideline"
        return f"guideline:{kind}:{place}", path, metadata
    return f"{'extra' if info.group == 'posts' else 'doc'}:{place}", path, metadata


def _some(record: library.Record, *fields: str) -> dict[str, Any]:
    """Those of the fields that have a value, lists and long values cut."""
    kept: dict[str, Any] = {}
    for field in fields:
        value = record.get(field)
        if isinstance(value, list) and value:
            kept[field] = [shorten(item, 60) for item in value[:_MAX_NAMES]]
        elif value:
            kept[field] = value
    return kept


_RESULT = row(
    {
        "id": STRING,
        "scope": STRING,
        "title": STRING,
        "score": NUMBER,
        "strategy": STRING,
        "snippet": STRING,
        "source": STRING,
        "tags": STRINGS,
        "metadata": OBJECT,
        "highlights": STRINGS,
        "explanation": OBJECT,
    }
)
_RESULTS = array(OBJECT)

TOOLS = (
    Tool(
        name="{prefix}_hybrid_search",
        family="search",
        description="Search by words and meaning: a question, a phrase or an exact name, typos allowed."
        " Use it first when the place is unknown. A hit's source goes into the matching get tool.",
        run=hybrid_search,
        arguments=(
            Argument("query", "string", "What to look for.", required=True, max_length=2000),
            Argument(
                "scopes",
                "string[]",
                "Where to search; omitted: everything.",
                choices_from="scopes",
            ),
            Argument("scope", "string", "One scope (old form of scopes).", choices_from="scopes"),
            Argument(
                "limitPerScope",
                "integer",
                "Results per scope when several are searched; default 5",
                minimum=1,
                maximum=MAX_RESULTS,
            ),
            Argument(
                "k",
                "integer",
                "Results when one scope is searched; default 10",
                minimum=1,
                maximum=MAX_RESULTS,
            ),
            Argument("explain", "boolean", "Tell why each hit ranks where it does.", default=False),
        ),
        output=structure(
            {
                "query": STRING,
                "scopes": STRINGS,
                "limitPerScope": INTEGER,
                "mode": STRING,
                "resultsByScope": mapping(array(_RESULT)),
            },
            {"scope": STRING, "k": INTEGER, "results": _RESULTS},
        ),
        needs=("builtins", "docs", "examples", "patterns", "templates"),
    ),
)
